//! The export format of PGN.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Index;

use shakmaty::{CastlingMode, Color, Position as _};

use super::tree::{Annotation, GameTree, MoveLine, MoveNode, ResultMarker};
use crate::notation::san;
use crate::{Game, Outcome, variant};

/// Maximum length of a line in characters (PGN standard, 4.3: "lines with 80 or more printing characters are
/// strongly discouraged").
const LONGEST_LINE: usize = 79;

/// Writes a game followed by an empty line, so that games can be concatenated.
///
/// `comments[i]` is written after the move `game.moves()[i]`. Braces in comments become parentheses, because PGN has no escape
/// for them. The last comment is the reason of the outcome.
pub fn write_pgn(game: &Game, tags: &PgnTags, comments: &[Option<String>]) -> String {
    write_pgn_as(game.outcome(), game, tags, comments)
}

/// Writes a game as [`write_pgn`] does, with this outcome instead of what its board shows; `None` is a game without a result.
pub fn write_pgn_as(
    outcome: Option<Outcome>,
    game: &Game,
    tags: &PgnTags,
    comments: &[Option<String>],
) -> String {
    let result = outcome.map_or("*", |outcome| outcome.result());
    let mut mainline = mainline(game, comments);
    if let Some(outcome) = outcome {
        let MoveLine { before, moves } = &mut mainline;
        let last = moves.last_mut().map_or(before, |last| &mut last.after);
        last.extend(Annotation::comment(&outcome.to_string()));
    }
    let result_marker = ResultMarker::of(result).unwrap_or_default();
    GameTree { tags: tag_section(game, tags, result), mainline, result: result_marker }.write()
}

fn mainline(game: &Game, comments: &[Option<String>]) -> MoveLine {
    let mut position = game.start().clone();
    let mut line = MoveLine::default();
    for (ply, &m) in game.moves().iter().enumerate() {
        let comment = comments.get(ply).and_then(Option::as_deref);
        let after = comment.and_then(Annotation::comment).into_iter().collect();
        line.moves.push(MoveNode { text: san(&position, game.mode(), m), after });
        position.play_unchecked(m); // the game's moves are legal
    }
    line
}

impl GameTree {
    /// Writes the game followed by an empty line, so that games can be concatenated: tags, an empty line, and the movetext in
    /// lines of at most 79 characters. Words that are longer have lines of their own, and comments keep their line ends.
    pub fn write(&self) -> String {
        let mut text = String::with_capacity(1024);
        for (name, value) in &self.tags {
            write_tag(&mut text, name, value);
        }
        if !self.tags.is_empty() {
            text.push('\n');
        }
        let mut movetext = Movetext { text, ..Movetext::default() };
        movetext.line(&self.mainline, self.tag("FEN").and_then(first_ply).unwrap_or(2));
        movetext.word(self.result.as_str());
        movetext.text + "\n\n"
    }
}

impl GameTree {
    /// Puts the seven tags of the roster first and adds those that are missing, with their values for unknown data (PGN standard,
    /// 8.1.1). `Result` becomes that of the movetext.
    pub fn complete_roster(&mut self) {
        let result = [("Result", self.result.as_str())];
        let roster = ROSTER.iter().chain(&result).map(|(name, unknown)| {
            let known = self.tag(name).filter(|_| *name != "Result");
            ((*name).to_owned(), known.unwrap_or(unknown).to_owned())
        });
        let mut tags: Vec<(String, String)> = roster.collect();
        let is_other = |(name, _): &(String, String)| tags.iter().all(|(known, _)| known != name);
        let others: Vec<_> = self.tags.iter().filter(|tag| is_other(tag)).cloned().collect();
        tags.extend(others);
        self.tags = tags;
    }
}

/// Twice the number of the first move, and one more for Black, by the second and the sixth field of a FEN.
pub(super) fn first_ply(fen: &str) -> Option<u64> {
    let mut fields = fen.split_ascii_whitespace().skip(1);
    let side = Color::from_char(fields.next()?.chars().next()?)?;
    // In Three-check another field may come before the counters or after them.
    let number = fields.skip(2).filter_map(|field| field.parse::<u32>().ok()).nth(1);
    Some(2 * u64::from(number.unwrap_or(1)) + u64::from(side.is_black()))
}

/// Returns what must stand between the text of a file and a game that is appended to it: line feeds for an empty line.
///
/// # Errors
/// The file cannot be read.
pub fn pgn_gap(file: &mut (impl Read + Seek)) -> io::Result<&'static str> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(3)))?;
    let mut last = Vec::new();
    file.take(3).read_to_end(&mut last)?;
    let has_gap = last.is_empty() || last.ends_with(b"\n\n") || last.ends_with(b"\n\r\n");
    Ok(if has_gap {
        ""
    } else if last.ends_with(b"\n") {
        "\n"
    } else {
        "\n\n"
    })
}

/// The roster in its fixed order, then the other tags in ASCII order (PGN standard, 8.1.1).
fn tag_section(game: &Game, tags: &PgnTags, result: &str) -> Vec<(String, String)> {
    let mut others = tags.0.clone();
    let value = |name, unknown: &str| (name, unknown.to_owned());
    let roster = ROSTER.map(|(name, unknown)| value(name, others.remove(name).as_deref().unwrap_or(unknown)));
    let roster = roster.into_iter().chain([value("Result", result)]);
    for name in ["Result", "FEN", "SetUp", "Variant"] {
        others.remove(name);
    }
    others.extend(tags_of_game(game).map(|(name, value)| (name.to_owned(), value)));
    if let Some(outcome) = game.outcome() {
        others.entry("Termination".to_owned()).or_insert_with(|| outcome.termination().to_owned());
    }
    let all = roster.map(|(name, value)| (name.to_owned(), value)).chain(others);
    let known =
        |value: String| if value.trim().is_empty() { "?".to_owned() } else { value.trim().to_owned() };
    all.map(|(name, value)| (name, known(value))).collect()
}

/// The tags for a set-up position and a variant.
fn tags_of_game(game: &Game) -> impl Iterator<Item = (&'static str, String)> {
    let chess960 = game.mode() == CastlingMode::Chess960;
    let set_up = chess960 || !game.has_standard_start();
    // These names are in common use. There is no name for Crazyhouse with castling as in Chess960.
    let name = variant::pgn_name(game.variant()).or_else(|| chess960.then_some("Chess960"));
    let variant = name.map(|name| ("Variant", name.to_owned()));
    let start = set_up.then(|| [("FEN", game.start_fen()), ("SetUp", "1".to_owned())]);
    variant.into_iter().chain(start.into_iter().flatten())
}

/// Appends a tag pair on its own line.
fn write_tag(text: &mut String, name: &str, value: &str) {
    text.push('[');
    text.push_str(name);
    text.push_str(" \"");
    for c in value.chars() {
        if matches!(c, '"' | '\\') {
            text.push('\\');
        }
        text.push(if c.is_control() { ' ' } else { c });
    }
    text.push_str("\"]\n");
}

/// Movetext, wrapped into lines.
#[derive(Default)]
struct Movetext {
    text: String,
    /// Characters in the last line.
    column: usize,
    /// Opening parentheses that belong to the next word.
    opening: String,
}

impl Movetext {
    /// Appends moves with their annotations. `ply`: twice the number of the first move, and one more for Black.
    fn line(&mut self, line: &MoveLine, mut ply: u64) {
        self.annotations(&line.before, ply);
        let mut needs_number = true;
        for node in &line.moves {
            if ply.is_multiple_of(2) {
                self.word(&format!("{}.", ply / 2));
            } else if needs_number {
                self.word(&format!("{}...", ply / 2));
            }
            self.word(&node.text);
            self.annotations(&node.after, ply);
            needs_number = node.after.iter().any(|annotation| !matches!(annotation, Annotation::Glyph(_)));
            ply += 1;
        }
    }

    /// `ply`: that of the move that a variation replaces.
    fn annotations(&mut self, annotations: &[Annotation], ply: u64) {
        for annotation in annotations {
            match annotation {
                Annotation::Glyph(number) => self.word(&format!("${number}")),
                Annotation::Comment(text) => self.comment(text),
                Annotation::Variation(line) => {
                    self.opening.push('(');
                    self.line(line, ply);
                    self.close();
                }
                Annotation::Other(text) if text.starts_with(['%', '[']) => self.whole_line(text),
                Annotation::Other(text) => self.word(text),
            }
        }
    }

    /// Appends a word, or a text whose white space and line ends are kept. What is longer than a line begins one.
    fn word(&mut self, word: &str) {
        let length = |line: &str| line.chars().count();
        let first = length(word.split('\n').next().unwrap_or_default()) + self.opening.len();
        if self.column > 0 && self.column + 1 + first > LONGEST_LINE {
            self.end_line();
        }
        // A line that begins with `%` is an escape (PGN standard, 6), and one that begins with `[` looks like a tag of the
        // next game.
        if self.column > 0 || self.opening.is_empty() && word.starts_with(['%', '[']) {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(&self.opening);
        self.text.push_str(word);
        self.opening.clear();
        self.column = word.rsplit_once('\n').map_or(self.column + first, |(_, last)| length(last));
    }

    /// Closes a variation.
    fn close(&mut self) {
        if !self.opening.is_empty() {
            return self.word(")");
        }
        if self.column >= LONGEST_LINE {
            self.end_line();
        }
        self.text.push(')');
        self.column += 1;
    }

    fn end_line(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
    }

    /// Appends a text on a line of its own.
    fn whole_line(&mut self, text: &str) {
        if !self.opening.is_empty() {
            self.word("");
        }
        self.end_line();
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Appends a comment in braces. One with a closing brace needs the form that ends with the line.
    fn comment(&mut self, comment: &str) {
        if comment.contains('}') {
            self.word(";");
            self.text.push_str(&comment.replace('\n', " "));
            self.text.push('\n');
            self.column = 0;
        } else {
            self.word(&format!("{{{comment}}}"));
        }
    }
}

/// The tags of a game that [`Game`](crate::Game) does not provide. It provides `Result`, `SetUp`, `FEN`, `Variant` and
/// `Termination`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnTags(BTreeMap<String, String>);

/// The tags of the roster except the result, with their values for unknown data (PGN standard, 8.1.1).
const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

impl PgnTags {
    /// Sets a tag. Tags that the game provides are ignored when written, except `Termination`. Characters that are invalid in a
    /// tag name become `_`.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if !name.is_empty() {
            self.0.insert(name, value.into());
        }
    }

    /// The value of a tag; `None` if it was not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl Index<&str> for PgnTags {
    type Output = str;

    /// The value of a tag, `?` if it is unknown.
    fn index(&self, name: &str) -> &str {
        self.get(name).unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use pgn_reader::{RawComment, RawTag, Reader, Visitor};
    use proptest::prelude::*;
    use shakmaty::san::SanPlus;

    use super::*;
    use crate::{DrawReason, Outcome};

    /// A game as another program reads it.
    #[derive(Debug, Default)]
    struct Read {
        tags: Vec<(String, String)>,
        game: Game,
        comments: Vec<Option<String>>,
        result: Option<String>,
    }

    impl Visitor for Read {
        type Tags = ();
        type Movetext = ();
        type Output = ();

        fn begin_tags(&mut self) -> ControlFlow<(), ()> {
            ControlFlow::Continue(())
        }

        fn tag(&mut self, _tags: &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
            let name = String::from_utf8(name.to_vec()).unwrap();
            let value = unescape(value);
            if name == "FEN" {
                self.game = Game::from_fen(&value, CastlingMode::Standard).unwrap();
            }
            self.tags.push((name, value));
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, _tags: ()) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn san(&mut self, _movetext: &mut (), san: SanPlus) -> ControlFlow<()> {
            let m = san.san.to_move(self.game.position()).unwrap();
            assert_eq!(self.game.san(m), san.to_string());
            self.game.play(m).unwrap();
            self.comments.push(None);
            ControlFlow::Continue(())
        }

        fn comment(&mut self, _movetext: &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
            let text = String::from_utf8(comment.as_bytes().to_vec()).unwrap();
            if let Some(slot) = self.comments.last_mut() {
                // The reason of the outcome follows the comment of the last move.
                slot.get_or_insert(text);
            }
            ControlFlow::Continue(())
        }

        fn outcome(&mut self, _movetext: &mut (), outcome: pgn_reader::shakmaty::Outcome) -> ControlFlow<()> {
            self.result = Some(outcome.to_string());
            ControlFlow::Continue(())
        }

        fn end_game(&mut self, _movetext: ()) {}
    }

    /// pgn-reader 0.29.0 has a function for this, but it takes the second half of `\\\\` for another escape.
    fn unescape(value: RawTag<'_>) -> String {
        let mut letters = std::str::from_utf8(value.as_bytes()).unwrap().chars();
        let mut text = String::new();
        while let Some(c) = letters.next() {
            text.push(if c == '\\' { letters.next().expect("an escaped character") } else { c });
        }
        text
    }

    fn read(pgn: &str) -> Read {
        let mut read = Read::default();
        let mut reader = Reader::new(pgn.as_bytes());
        assert!(reader.read_game(&mut read).unwrap().is_some());
        assert!(reader.read_game(&mut Read::default()).unwrap().is_none(), "one game, not two:\n{pgn}");
        let is_short = |line: &str| line.chars().count() < 80 || !line.trim_start().contains(' ');
        assert!(pgn.lines().all(|line| line.starts_with('[') || is_short(line)), "{pgn}");
        assert!(pgn.lines().all(|line| !line.starts_with('%')), "{pgn}");
        read
    }

    fn play(game: &mut Game, moves: &str) {
        game.play_line(moves.split_whitespace()).unwrap();
    }

    #[test]
    fn the_fool_s_mate() {
        let mut game = Game::default();
        play(&mut game, "f3 e5 g4 Qh4");
        let mut tags = PgnTags::default();
        tags.set("White", "Fool");
        tags.set("Date", "1620.01.01");
        tags.set("TimeControl", "40/120");
        tags.set("ECO", "A00");
        tags.set("Result", "1-0");
        let comments = [None, Some("book".to_owned())];
        let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"1620.01.01\"]\n[Round \"?\"]\n[White \"Fool\"]\n\
            [Black \"?\"]\n[Result \"0-1\"]\n[ECO \"A00\"]\n[Termination \"normal\"]\n[TimeControl \"40/120\"]\n\n\
            1. f3 e5 {book} 2. g4 Qh4# {Black mates} 0-1\n\n";
        assert_eq!(write_pgn(&game, &tags, &comments), expected);
    }

    #[test]
    fn a_game_that_starts_with_black_says_so() {
        let mut game = Game::from_fen("4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 17", CastlingMode::Standard).unwrap();
        play(&mut game, "e5 e4 Ke7");
        let pgn = write_pgn(&game, &PgnTags::default(), &[None, Some("blocked".to_owned())]);
        assert!(pgn.contains("[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 17\"]\n[SetUp \"1\"]\n"), "{pgn}");
        assert!(pgn.ends_with("\n17... e5 18. e4 {blocked} 18... Ke7 *\n\n"), "{pgn}");
        assert_eq!(read(&pgn).game.fen(), game.fen());
    }

    #[test]
    fn a_game_without_moves_has_only_a_result() {
        let mut game = Game::default();
        assert!(write_pgn(&game, &PgnTags::default(), &[]).ends_with("[Result \"*\"]\n\n*\n\n"));
        game.declare(Outcome::Draw(DrawReason::Agreement));
        let pgn = write_pgn(&game, &PgnTags::default(), &[]);
        assert!(pgn.ends_with("\n\n{Draw by agreement} 1/2-1/2\n\n"), "{pgn}");
        assert_eq!(read(&pgn).result.as_deref(), Some("1/2-1/2"));
    }

    #[test]
    fn chess960_is_named_and_set_up_even_from_the_standard_position() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";
        let game = Game::from_fen(fen, CastlingMode::Chess960).unwrap();
        let tags = read(&write_pgn(&game, &PgnTags::default(), &[])).tags;
        let expected = [("FEN", fen), ("SetUp", "1"), ("Variant", "Chess960")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(tags[7..], expected);
    }

    #[test]
    fn quotes_and_braces_do_no_harm() {
        let mut game = Game::default();
        play(&mut game, "e4 e5");
        let mut tags = PgnTags::default();
        tags.set("Event", "a \"b\" \\ c\nd]");
        tags.set("Site", " ");
        tags.set("Odd name", "x");
        let comments = [Some("} {%eval 0.3} ; \n%clk".to_owned()), Some("  ".to_owned())];
        let read = read(&write_pgn(&game, &tags, &comments));
        assert_eq!(read.tags[0].1, "a \"b\" \\ c d]");
        assert_eq!(read.tags[1].1, "?");
        assert_eq!(read.tags[7], ("Odd_name".to_owned(), "x".to_owned()));
        assert_eq!(read.comments, [Some(") (%eval 0.3) ; %clk".to_owned()), None]);
    }

    #[test]
    fn long_comments_are_broken_between_words_and_their_lines_never_escaped() {
        let mut game = Game::default();
        play(&mut game, "e4");
        let comment = format!("{} %{}", "word ".repeat(14), "x".repeat(300));
        let read = read(&write_pgn(&game, &PgnTags::default(), &[Some(comment.clone())]));
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(letters(read.comments[0].as_deref().unwrap()), letters(&comment));
    }

    proptest! {
        #[test]
        fn a_game_read_back_is_the_same(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..80),
            comments in prop::collection::vec(prop::option::of("[ -~\n]{0,120}"), 0..80),
            value in "\\PC{0,40}",
        ) {
            let mut game = Game::from_fen("rkbbnnqr/pppppppp/8/8/8/8/PPPPPPPP/RKBBNNQR w HAha - 0 1", CastlingMode::Chess960).unwrap();
            for choice in choices {
                let moves = game.legal_moves();
                if moves.is_empty() { break; }
                game.play(moves[choice.index(moves.len())]).unwrap();
            }
            let mut tags = PgnTags::default();
            tags.set("Black", value.clone());
            let read = read(&write_pgn(&game, &tags, &comments));
            prop_assert_eq!(read.game.moves(), game.moves());
            prop_assert_eq!(read.game.fen(), game.fen());
            let black = if value.trim().is_empty() { "?" } else { value.trim() };
            prop_assert_eq!(&read.tags[5].1, black);
            let words = |text: &str| text.replace('{', "(").replace('}', ")").split_whitespace().collect::<String>();
            // The last comment may be the end of the game.
            for (written, read) in comments.iter().zip(&read.comments).take(game.ply().saturating_sub(1)) {
                let written = written.as_deref().map(words).filter(|text| !text.is_empty());
                prop_assert_eq!(written, read.as_deref().map(words));
            }
        }
    }

    #[test]
    fn a_game_is_appended_after_an_empty_line() {
        for (text, gap) in
            [("", ""), ("*", "\n\n"), ("*\r\n", "\n"), ("\n*\n", "\n"), ("*\n\n", ""), ("*\r\n\r\n", "")]
        {
            assert_eq!(pgn_gap(&mut io::Cursor::new(text)).unwrap(), gap, "{text:?}");
        }
    }
}
