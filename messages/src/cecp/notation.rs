//! Notation shared by commands and messages: results, times, moves and why they are refused.

use std::fmt;
use std::time::Duration;

use game::{CastlingMode, Move, MoveError};
use shakmaty::CastlingSide;

use super::GameResult;

/// How GUIs write a null move.
pub const NULL_MOVE: &str = "@@@@";

/// The move by which cutechess prepares Black's side of the board before it sends a position, even where the move is illegal. It would
/// count `Illegal move` as a violation of the rules.
pub const PREPARING_MOVE: &str = "b2b3";

/// Returns a move in coordinate notation; in Chess960, castling is `O-O` or `O-O-O`.
pub fn move_text(m: Move, mode: CastlingMode) -> String {
    match (m.castling_side(), mode) {
        (Some(CastlingSide::KingSide), CastlingMode::Chess960) => "O-O".to_owned(),
        (Some(CastlingSide::QueenSide), CastlingMode::Chess960) => "O-O-O".to_owned(),
        _ => m.to_uci(mode).to_string(),
    }
}

/// Describes why a text is not a legal move, for the parentheses of `Illegal move (...)`.
pub fn illegality(error: &MoveError) -> String {
    match error {
        MoveError::Unreadable { .. } => "unreadable".to_owned(),
        MoveError::Illegal { reason, .. } => reason.to_string(),
        MoveError::Ambiguous { candidates, .. } => format!("it could be {candidates}"),
    }
}

/// Converts a time to centiseconds, the protocol's unit.
pub fn centiseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis() / 10).unwrap_or(u64::MAX)
}

/// Splits off the first word; blanks at the ends of the rest are removed.
pub fn first_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()))
}

/// Reads the comment of a result, with or without braces; `None` if it is empty.
pub(super) fn comment(text: &str) -> Option<String> {
    let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    (!text.is_empty()).then(|| inner.to_owned())
}

/// Writes a result with its comment.
pub(super) fn write_result(
    f: &mut fmt::Formatter<'_>,
    result: GameResult,
    comment: Option<&str>,
) -> fmt::Result {
    match comment {
        Some(comment) => write!(f, "{result} {{{comment}}}"),
        None => write!(f, "{result}"),
    }
}

/// Upper limit of times: ten thousand years in seconds. Larger than any "no limit" of a GUI, and sums of times cannot
/// overflow.
const MOST_SECONDS: u64 = 315_576_000_000;

/// Reads decimal seconds (`2`, `0.05`, `.5`), exact to the nanosecond. Text after the number is ignored, because future
/// versions of a command may use it.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    let whole = leading_digits(text);
    let after = &text[whole.len()..];
    let fraction = after.strip_prefix('.').map_or("", leading_digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(u64::MAX) };
    let nanos: u32 = format!("{fraction:0<9}")[..9].parse().ok()?;
    Some(Duration::new(whole.min(MOST_SECONDS), nanos))
}

/// Reads a base time: minutes, or minutes and seconds (`5`, `0:30`, the un-padded `1:5`).
pub(super) fn base_time(text: &str) -> Option<Duration> {
    match text.split_once(':') {
        Some((minutes, rest)) => {
            let minutes: u64 = minutes.parse().ok()?;
            let whole = Duration::from_secs(minutes.min(MOST_SECONDS / 60) * 60);
            Some(whole + seconds(rest)?)
        }
        None => Some(seconds(text)?.min(Duration::from_secs(MOST_SECONDS / 60)) * 60),
    }
}

fn leading_digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

/// Displays decimal seconds without trailing zeros.
pub(super) struct DecimalSeconds(pub(super) Duration);

impl fmt::Display for DecimalSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs())?;
        match self.0.subsec_nanos() {
            0 => Ok(()),
            nanos => write!(f, ".{}", format!("{nanos:09}").trim_end_matches('0')),
        }
    }
}

/// Displays a base time: `5`, or `0:30` if it is not a whole number of minutes.
pub(super) struct BaseTime(pub(super) Duration);

impl fmt::Display for BaseTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.0.as_secs() / 60;
        let rest = self.0.saturating_sub(Duration::from_secs(minutes * 60));
        if rest.is_zero() {
            return write!(f, "{minutes}");
        }
        let padding = if rest.as_secs() < 10 { "0" } else { "" };
        write!(f, "{minutes}:{padding}{}", DecimalSeconds(rest))
    }
}

/// Returns true if a word has the syntax of a move, legal or not: coordinate notation, SAN, castling, a drop, the null
/// move `@@@@`, or several legs joined by commas. Without `usermove`, only such words are read as moves.
pub(super) fn is_move_shaped(word: &str) -> bool {
    word.split(',').all(is_leg_shaped)
}

fn is_leg_shaped(leg: &str) -> bool {
    let leg = leg.trim_end_matches(['+', '#', '!', '?']);
    if matches!(leg, "O-O" | "O-O-O" | "0-0" | "0-0-0" | "o-o" | "o-o-o" | NULL_MOVE) {
        return true;
    }
    let (moved, promotion) = leg.split_once('=').map_or((leg, None), |(moved, role)| (moved, Some(role)));
    let is_piece = |text: &str| text.len() == 1 && text.bytes().all(|b| b.is_ascii_alphabetic());
    let has_square = moved.as_bytes().windows(2).any(|pair| is_file(pair[0]) && pair[1].is_ascii_digit());
    // The move ends in a square, or in a square and the letter of a promotion.
    let target = moved.strip_suffix(|c: char| c.is_ascii_alphabetic()).unwrap_or(moved);
    has_square
        && moved.len() <= 8
        && promotion.is_none_or(is_piece)
        && moved
            .bytes()
            .enumerate()
            .all(|(at, byte)| is_move_byte(byte) || (at == 0 && byte.is_ascii_uppercase()))
        && target.ends_with(|c: char| c.is_ascii_digit())
}

fn is_file(byte: u8) -> bool {
    (b'a'..=b'l').contains(&byte)
}

fn is_move_byte(byte: u8) -> bool {
    is_file(byte) || byte.is_ascii_digit() || matches!(byte, b'x' | b'-' | b'@' | b'q' | b'r' | b'n' | b'k')
}

#[cfg(test)]
mod tests {
    use game::Game;

    use super::*;

    #[test]
    fn castling_is_written_as_the_variant_has_it() {
        for (rights, mode, expected) in [
            ("KQ", CastlingMode::Standard, ["e1g1", "e1c1"]),
            ("HA", CastlingMode::Chess960, ["O-O", "O-O-O"]),
        ] {
            let game = Game::from_fen(&format!("4k3/8/8/8/8/8/8/R3K2R w {rights} - 0 1"), mode).unwrap();
            let texts = ["O-O", "O-O-O"].map(|text| move_text(game.parse_move(text).unwrap(), mode));
            assert_eq!(texts, expected);
        }
    }

    #[test]
    fn decimal_seconds() {
        let table = [
            ("2", Some(Duration::from_secs(2))),
            ("0.05", Some(Duration::from_millis(50))),
            (".5", Some(Duration::from_millis(500))),
            ("3.", Some(Duration::from_secs(3))),
            ("1.5s", Some(Duration::from_millis(1500))),
            ("0.1234567891", Some(Duration::from_nanos(123_456_789))),
            ("-1", None),
            (".", None),
            ("x", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(seconds(text), expected, "{text}");
        }
        assert!(seconds("99999999999999999999999").is_some());
    }

    #[test]
    fn base_times() {
        let table = [
            ("5", Some(300)),
            ("0:30", Some(30)),
            ("1:5", Some(65)),
            ("5:00", Some(300)),
            ("0:00", Some(0)),
            ("120", Some(7200)),
            ("x:30", None),
            ("1:", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(base_time(text), expected.map(Duration::from_secs), "{text}");
        }
        assert!(base_time("99999999999999999999").is_some());
        assert_eq!(BaseTime(Duration::from_secs(65)).to_string(), "1:05");
        assert_eq!(BaseTime(Duration::from_millis(500)).to_string(), "0:00.5");
    }

    #[test]
    fn words_that_look_like_moves() {
        for word in [
            "e2e4",
            "a7a8q",
            "Nf3",
            "exd5",
            "e4",
            "O-O",
            "O-O-O",
            "P@f7",
            "Nbd7+",
            "e8=Q#",
            "@@@@",
            "e1b1,a1c1",
            "R1xa3",
        ] {
            assert!(is_move_shaped(word), "{word}");
        }
        for word in ["", "hello", "go", "bk", "a", "42", "e2e4e5e6e7e8", "é4", "(", ",", "level", "x1y"] {
            assert!(!is_move_shaped(word), "{word}");
        }
    }
}
