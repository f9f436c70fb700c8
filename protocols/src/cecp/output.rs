//! The output of a session: messages become lines, each flushed at once.

use std::io::Write;

use engine::SearchLine;
use game::Game;
use shakmaty::Move;

use crate::output::SessionOutput;
use messages::cecp::{Message, ThinkingLine, centiseconds};

/// The writer of messages.
pub(super) struct CecpOutput<'a> {
    pub(super) lines: SessionOutput<'a>,
    /// Whether thinking output is on.
    pub(super) posts: bool,
    /// Whether the GUI accepts debug lines, which begin with `#`.
    pub(super) debugs: bool,
}

/// Maximal length of a principal variation in bytes; XBoard reads lines into buffers of 512 bytes.
const LONGEST_LINE: usize = 400;

/// Maximal length in characters of a received line when an error message repeats it.
const LONGEST_ECHO: usize = 200;

impl<'a> CecpOutput<'a> {
    /// Creates an output to `to` with debug lines off.
    pub(super) fn new(to: &'a mut dyn Write, posts: bool) -> CecpOutput<'a> {
        CecpOutput { lines: SessionOutput::new(to), posts, debugs: false }
    }

    /// Sends a message.
    pub(super) fn send(&mut self, message: &Message) {
        let is_unsafe = |c: char| c.is_control() && c != '\t';
        self.lines.line(&message.to_string().replace(is_unsafe, "?"));
    }

    /// Sends several messages.
    pub(super) fn send_all(&mut self, messages: impl IntoIterator<Item = Message>) {
        for message in messages {
            self.send(&message);
        }
    }

    /// Reports a line that can't be obeyed.
    pub(super) fn error(&mut self, kind: &str, line: &str) {
        self.send(&Message::Error { kind: kind.to_owned(), command: echo(line) });
    }

    /// Sends a debug line if the GUI accepts them.
    pub(super) fn debug(&mut self, text: String) {
        if self.debugs {
            self.send(&Message::Debug(text));
        }
    }
}

/// Returns the beginning of a received line for an error message.
pub(super) fn echo(line: &str) -> String {
    line.trim().chars().take(LONGEST_ECHO).collect()
}

/// Converts a line of a search of `game` to thinking output.
pub(super) fn thinking_line(game: &Game, line: &SearchLine) -> ThinkingLine {
    ThinkingLine {
        depth: i32::try_from(line.depth).unwrap_or(i32::MAX),
        score: line.score,
        centiseconds: centiseconds(line.elapsed),
        nodes: line.nodes,
        selective_depth: Some(line.selective_depth),
        kilonodes_per_second: Some(line.nodes_per_second() / 1000),
        tablebase_hits: Some(line.tablebase_hits),
        text: cut(&game.san_line(&line.moves)).to_owned(),
        bound: line.bound,
    }
}

/// Converts a line of a search of the position after `reply`, on which the engine ponders. The line begins with the reply in
/// parentheses, by which GUIs know that it is not the engine's.
pub(super) fn pondering_line(game: &Game, reply: Move, line: &SearchLine) -> ThinkingLine {
    let moves: Vec<Move> = [reply].into_iter().chain(line.moves.iter().copied()).collect();
    let text = game.san_line(&moves);
    let (reply, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let text = cut(format!("({reply}) {rest}").trim_end()).to_owned();
    ThinkingLine { text, ..thinking_line(game, &SearchLine { moves: Vec::new(), ..line.clone() }) }
}

/// Cuts a variation after the last whole move that fits into the maximal length.
fn cut(line: &str) -> &str {
    if line.len() <= LONGEST_LINE {
        return line;
    }
    // Moves are ASCII, so every byte is a character boundary.
    line.get(..=LONGEST_LINE).and_then(|beginning| beginning.rsplit_once(' ')).map_or("", |(whole, _)| whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_between_moves() {
        let moves = vec!["Ng1-f3"; 100].join(" ");
        let short = cut(&moves);
        assert!(short.len() <= LONGEST_LINE && short.len() > LONGEST_LINE - 8);
        assert!(short.ends_with("Ng1-f3"));
        assert_eq!(cut("e4 e5"), "e4 e5");
    }

    #[test]
    fn a_foreign_line_cannot_forge_another() {
        let mut bytes = Vec::new();
        CecpOutput::new(&mut bytes, false).error("unknown command", "x\rmove e2e4\u{7}");
        assert_eq!(String::from_utf8(bytes).unwrap(), "Error (unknown command): x?move e2e4?\n");
    }
}
