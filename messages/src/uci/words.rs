//! A line as UCI reads it: words between any amounts of white space, and sometimes all the rest.

use std::fmt;

use shakmaty::uci::UciMove;

/// Why a line is not a command or message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// No word of it is the name of one.
    #[error("unknown {kind}: {line}")]
    Unknown {
        /// What was expected: `command` or `message`.
        kind: &'static str,
        /// The line.
        line: String,
    },
    /// What follows the name is not what it needs.
    #[error("{message} needs {expected}, not \"{found}\"")]
    Malformed {
        /// The command or the message, or the part of it.
        message: &'static str,
        /// What should have followed.
        expected: &'static str,
        /// What followed.
        found: String,
    },
}

pub(super) fn malformed(message: &'static str, expected: &'static str, found: &str) -> LineError {
    LineError::Malformed { message, expected, found: found.to_owned() }
}

/// Reads a line as the command or message that is named first in it; `read` returns `None` for a word that names none.
pub(super) fn parse_line<T>(
    line: &str,
    kind: &'static str,
    read: impl Fn(&str, &mut Words) -> Option<Result<T, LineError>>,
) -> Result<T, LineError> {
    let mut words = Words::new(line);
    while let Some(word) = words.next() {
        if let Some(read) = read(word, &mut words) {
            return read;
        }
    }
    Err(LineError::Unknown { kind, line: line.trim().to_owned() })
}

/// Reads a line word by word.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The words of `line`.
    pub(super) fn new(line: &'a str) -> Words<'a> {
        Words { rest: line.trim() }
    }

    /// The next word, left where it is.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Everything that has not been read, without the white space around it.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The words up to `end`, which is read too, or up to the end of the line, with single spaces between them.
    pub(super) fn until(&mut self, end: &str) -> String {
        let words: Vec<&str> = self.take_while(|word| *word != end).collect();
        words.join(" ")
    }

    /// Reads as long as the next word can be read as a `T`.
    pub(super) fn all<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let mut found = Vec::new();
        while let Some(value) = self.peek().and_then(&read) {
            self.next();
            found.push(value);
        }
        found
    }

    /// Reads the number that follows `name`.
    pub(super) fn value<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, LineError> {
        let word = self.next().unwrap_or_default();
        read(word).ok_or_else(|| malformed(name, "a whole number", word))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }
}

/// A whole number; one that is too large for the type becomes the largest, one that is too small the smallest.
pub(super) fn number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let limit = if word.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(word.parse().unwrap_or(limit))
}

/// A whole number that is not negative: [`number`], with 0 for all below.
pub(super) fn count(word: &str) -> Option<u64> {
    number(word).map(|value| u64::try_from(value).unwrap_or(0))
}

/// A [`count`], at most the largest `u32`.
pub(super) fn small_count(word: &str) -> Option<u32> {
    count(word).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
}

/// Writes ` name value`, or nothing.
pub(super) fn write_value(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<impl fmt::Display>,
) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

/// Writes ` name` and the moves, or nothing if there are none.
pub(super) fn write_moves(f: &mut fmt::Formatter<'_>, name: &str, moves: &[UciMove]) -> fmt::Result {
    if !moves.is_empty() {
        write!(f, " {name}")?;
    }
    // In one piece: late in a game there are hundreds of moves, and a formatter takes its time over each character.
    let mut text = String::with_capacity(6 * moves.len());
    for m in moves {
        text.push(' ');
        m.append_to_string(&mut text);
    }
    f.write_str(&text)
}
