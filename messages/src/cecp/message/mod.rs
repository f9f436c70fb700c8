//! Messages from an engine to a GUI.

#[cfg(test)]
mod tests;

use std::fmt;

use super::notation::{self, first_word};
use super::{Feature, GameResult, ThinkingLine};
use crate::names::names;

/// A message from an engine to a GUI: one line.
///
/// Texts are single lines without blanks at their ends; words are not empty and contain no blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Features of the engine.
    Features(Vec<Feature>),
    /// The answer to `ping`.
    Pong(i64),
    /// The engine's move; a leg of a longer move if it ends with a comma.
    Move(String),
    /// The engine resigns.
    Resign,
    /// The engine offers a draw, accepts one, or will claim one with its next move.
    OfferDraw,
    /// The engine offers or accepts a draw, in Hyatt's dialect.
    Draw,
    /// The engine declines a draw, in Hyatt's dialect.
    Decline,
    /// Time left on the engine's clock, in Hyatt's dialect.
    Time {
        /// Time left; 0 if it is overdrawn.
        centiseconds: u64,
    },
    /// The game is over.
    Result {
        /// The result.
        result: GameResult,
        /// The reason.
        comment: Option<String>,
    },
    /// The answer to `hint`.
    Hint(String),
    /// The answer to `.`.
    Status(Status),
    /// Rejects a move.
    IllegalMove {
        /// The reason.
        reason: Option<String>,
        /// The move.
        mv: String,
    },
    /// Rejects a command.
    Error {
        /// Kind of the error.
        kind: String,
        /// The whole command.
        command: String,
    },
    /// An error that the user should see.
    TellUserError(String),
    /// A message for a person, or for the chess server.
    Tell(Audience, String),
    /// A question for the user; the answer comes as `TAG TEXT`.
    AskUser {
        /// The tag: the first word of the answer.
        tag: String,
        /// The question.
        question: String,
    },
    /// The start position of a variant.
    Setup {
        /// The letters of the pieces, in the GUI's order, without the parentheses.
        pieces: Option<String>,
        /// Size of the board, of the holdings and the parent variant: `8x8+0_normal`.
        board: Option<String>,
        /// The position.
        fen: String,
    },
    /// Defines the moves of a piece.
    Piece {
        /// Letter of the piece; a following `&` stands for both colours.
        id: String,
        /// Its moves, in Betza's notation.
        betza: String,
    },
    /// Colours for squares.
    Highlight(String),
    /// Simulates a click of the user on a square.
    Click(String),
    /// The pieces offered for a promotion.
    Choice(String),
    /// Thinking output.
    Thinking(ThinkingLine),
    /// A line of the answer to `bk`; it starts with a blank.
    BookLine(String),
    /// The empty line that ends the answer to `bk`.
    BookEnd,
    /// A debug line; it starts with `#`.
    Debug(String),
    /// Anything else.
    Other(String),
}

names! {
    /// Recipient of a `tell...` message.
    Audience {
        /// The user at the GUI.
        User = "telluser",
        /// The opponent.
        Opponent = "tellopponent",
        /// Everybody but the opponent.
        Others = "tellothers",
        /// Everybody.
        All = "tellall",
        /// The chess server.
        Ics = "tellics",
        /// The chess server, without expanding aliases.
        IcsNoAlias = "tellicsnoalias",
    }
}

impl Audience {
    /// Returns the recipient in words, for texts such as "tells the opponent".
    pub fn in_words(self) -> &'static str {
        match self {
            Audience::User => "the user",
            Audience::Opponent => "the opponent",
            Audience::Others => "the others",
            Audience::All => "all",
            Audience::Ics | Audience::IcsNoAlias => "the chess server",
        }
    }
}

/// Progress of an analysis: `stat01: time nodes ply mvleft mvtot [mvname]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The time spent.
    pub centiseconds: u64,
    /// Positions searched.
    pub nodes: u64,
    /// The iteration, in plies.
    pub depth: u32,
    /// Number of root moves after the current one.
    pub moves_left: u32,
    /// Total number of root moves.
    pub moves_total: u32,
    /// The root move being searched.
    pub current: Option<String>,
}

impl Status {
    fn parse(text: &str) -> Option<Status> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [time, nodes, depth, left, total, current @ ..] = &words[..] else { return None };
        Some(Status {
            centiseconds: time.parse().ok()?,
            nodes: nodes.parse().ok()?,
            depth: depth.parse().ok()?,
            moves_left: left.parse().ok()?,
            moves_total: total.parse().ok()?,
            current: current.first().map(|&mv| mv.to_owned()),
        })
    }
}

impl Message {
    /// Reads a line. A line that is not understood becomes [`Message::Other`].
    pub fn parse(line: &str) -> Message {
        // The line is not trimmed before, because a tab precedes even an empty text.
        if let Some(thinking) = ThinkingLine::parse(line) {
            return Message::Thinking(thinking);
        }
        let line = line.trim_end();
        let trimmed = line.trim_start();
        if line.is_empty() {
            return Message::BookEnd;
        }
        if let Some(text) = line.strip_prefix('#') {
            return Message::Debug(text.trim().to_owned());
        }
        if trimmed.len() < line.len() {
            return Message::BookLine(trimmed.to_owned());
        }
        parse_trouble(line).or_else(|| parse_word(line)).unwrap_or_else(|| Message::Other(line.to_owned()))
    }
}

fn parse_trouble(line: &str) -> Option<Message> {
    if let Some(rest) = line.strip_prefix("Illegal move") {
        let (reason, mv) = split_reason(rest)?;
        return Some(Message::IllegalMove { reason, mv });
    }
    let (kind, command) = split_reason(line.strip_prefix("Error")?)?;
    Some(Message::Error { kind: kind?, command })
}

/// Reads a message by its first word.
fn parse_word(line: &str) -> Option<Message> {
    let (word, text) = first_word(line);
    let (next, more) = first_word(text);
    Some(match word {
        "feature" => Message::Features(Feature::parse_line(text)),
        "pong" => Message::Pong(text.parse().ok()?),
        "move" if !next.is_empty() && more.is_empty() => Message::Move(next.to_owned()),
        "resign" if text.is_empty() => Message::Resign,
        "offer" if text == "draw" => Message::OfferDraw,
        "draw" if text.is_empty() => Message::Draw,
        "decline" if text.is_empty() => Message::Decline,
        "time" => Message::Time { centiseconds: text.parse().ok()? },
        "Hint:" if !next.is_empty() => Message::Hint(next.to_owned()),
        "stat01:" => Message::Status(Status::parse(text)?),
        "tellusererror" => Message::TellUserError(text.to_owned()),
        "askuser" if !next.is_empty() => Message::AskUser { tag: next.to_owned(), question: more.to_owned() },
        "setup" if !text.is_empty() => parse_setup(text),
        "piece" if !more.is_empty() => Message::Piece { id: next.to_owned(), betza: more.to_owned() },
        "highlight" if !text.is_empty() => Message::Highlight(text.to_owned()),
        "click" if !text.is_empty() => Message::Click(text.to_owned()),
        "choice" if !text.is_empty() => Message::Choice(text.to_owned()),
        // The specification uses both spellings; XBoard accepts only `tellothers`.
        "tellother" => Message::Tell(Audience::Others, text.to_owned()),
        _ => match word.parse() {
            Ok(result) => Message::Result { result, comment: notation::comment(text) },
            Err(_) => Message::Tell(Audience::named(word)?, text.to_owned()),
        },
    })
}

/// Reads ` (REASON): TEXT` or `: TEXT`. The reason ends at the first `):`.
fn split_reason(rest: &str) -> Option<(Option<String>, String)> {
    match rest.trim_start().strip_prefix('(') {
        Some(rest) => {
            let (reason, text) = rest.split_once("):")?;
            Some((Some(reason.to_owned()), text.trim().to_owned()))
        }
        None => Some((None, rest.trim_start().strip_prefix(':')?.trim().to_owned())),
    }
}

fn parse_setup(text: &str) -> Message {
    let Some((pieces, rest)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return Message::Setup { pieces: None, board: None, fen: text.to_owned() };
    };
    let (board, fen) = match first_word(rest) {
        // The word before a FEN; in a FEN itself it would be the last.
        (board, fen) if board.contains('_') && !board.contains('/') => (Some(board.to_owned()), fen),
        _ => (None, rest.trim()),
    };
    Message::Setup { pieces: Some(pieces.to_owned()), board, fen: fen.to_owned() }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Features(features) => {
                f.write_str("feature")?;
                features.iter().try_for_each(|feature| write!(f, " {feature}"))
            }
            Message::Pong(n) => write!(f, "pong {n}"),
            Message::Move(mv) => write!(f, "move {mv}"),
            Message::Resign => f.write_str("resign"),
            Message::OfferDraw => f.write_str("offer draw"),
            Message::Draw => f.write_str("draw"),
            Message::Decline => f.write_str("decline"),
            Message::Time { centiseconds } => write!(f, "time {centiseconds}"),
            Message::Result { result, comment } => notation::write_result(f, *result, comment.as_deref()),
            Message::Hint(mv) => write!(f, "Hint: {mv}"),
            Message::Status(status) => write!(f, "{status}"),
            Message::IllegalMove { reason: None, mv } => write!(f, "Illegal move: {mv}"),
            Message::IllegalMove { reason: Some(reason), mv } => write!(f, "Illegal move ({reason}): {mv}"),
            Message::Error { kind, command } => write!(f, "Error ({kind}): {command}"),
            Message::TellUserError(text) => write!(f, "tellusererror {text}"),
            Message::Tell(audience, text) => write!(f, "{audience} {text}"),
            Message::AskUser { tag, question } => write!(f, "askuser {tag} {question}"),
            Message::Setup { pieces, board, fen } => {
                f.write_str("setup ")?;
                pieces.iter().try_for_each(|pieces| write!(f, "({pieces}) "))?;
                board.iter().try_for_each(|board| write!(f, "{board} "))?;
                f.write_str(fen)
            }
            Message::Piece { id, betza } => write!(f, "piece {id} {betza}"),
            Message::Highlight(colors) => write!(f, "highlight {colors}"),
            Message::Click(square) => write!(f, "click {square}"),
            Message::Choice(pieces) => write!(f, "choice {pieces}"),
            Message::Thinking(line) => write!(f, "{line}"),
            Message::BookLine(text) => write!(f, " {text}"),
            Message::BookEnd => Ok(()),
            Message::Debug(text) => write!(f, "# {text}"),
            Message::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Status { centiseconds, nodes, depth, moves_left, moves_total, current } = self;
        write!(f, "stat01: {centiseconds} {nodes} {depth} {moves_left} {moves_total}")?;
        current.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}
