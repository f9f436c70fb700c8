//! Words and parameters of UCI lines. Words are separated by any white space.

use std::fmt;

use shakmaty::uci::UciMove;

/// Reason why a line is not a command or message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// No word is the name of a command or message.
    #[error("unknown {kind}: {line}")]
    Unknown {
        /// What was expected: `command` or `message`.
        kind: &'static str,
        /// The line.
        line: String,
    },
    /// The parameters are malformed.
    #[error("{message} needs {expected}, not \"{found}\"")]
    Malformed {
        /// The command, message or parameter.
        message: &'static str,
        /// Expected text.
        expected: &'static str,
        /// Text found.
        found: String,
    },
}

pub(super) fn malformed(message: &'static str, expected: &'static str, found: &str) -> LineError {
    LineError::Malformed { message, expected, found: found.to_owned() }
}

/// Reads a line as the command or message of its first known name; `read` returns `None` for an unknown name.
pub(super) fn parse_line<T>(
    line: &str,
    kind: &'static str,
    mut read: impl FnMut(&str, &mut Words) -> Option<Result<T, LineError>>,
) -> Result<T, LineError> {
    let mut words = Words { rest: line.trim() };
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
    /// Unread rest of the line, without white space at its ends.
    pub(super) rest: &'a str,
}

impl<'a> Words<'a> {
    /// Returns the next word without consuming it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Consumes the words up to and including `end`, or up to the end of the line. Returns those before `end`, joined
    /// by spaces.
    pub(super) fn until(&mut self, end: &str) -> String {
        let words: Vec<&str> = self.take_while(|word| *word != end).collect();
        words.join(" ")
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

/// Value of a named parameter.
pub(super) trait Value: fmt::Display + Sized {
    /// Reads what follows `name`.
    fn read(words: &mut Words, name: &'static str) -> Result<Self, LineError>;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        /// A whole number, limited to the range of the type. What stands behind a decimal point is left out: some programs tell times so.
        impl Value for $type {
            fn read(words: &mut Words, name: &'static str) -> Result<$type, LineError> {
                let word = words.next().unwrap_or_default();
                let whole = word.split_once('.').filter(|(_, rest)| rest.bytes().all(|b| b.is_ascii_digit()));
                let whole = whole.map_or(word, |(whole, _)| whole);
                let value: i128 = whole.parse().map_err(|_| malformed(name, "a whole number", word))?;
                Ok(value.try_into().unwrap_or(if value < 0 { <$type>::MIN } else { <$type>::MAX }))
            }
        }
    )*};
}

numbers!(i32 i64 u32 u64);

impl Value for UciMove {
    fn read(words: &mut Words, name: &'static str) -> Result<UciMove, LineError> {
        let word = words.next().unwrap_or_default();
        word.parse().map_err(|_| malformed(name, "a move such as e2e4", word))
    }
}

/// The rest of the line.
impl Value for String {
    fn read(words: &mut Words, _: &'static str) -> Result<String, LineError> {
        Ok(std::mem::take(&mut words.rest).to_owned())
    }
}

/// An optional named parameter of a command or message.
pub(super) trait Parameter: Sized {
    /// Reads what follows `name`.
    fn read(words: &mut Words, name: &'static str) -> Result<Self, LineError>;

    /// Writes ` name` and the value, or nothing.
    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result;
}

impl<T: Value> Parameter for Option<T> {
    fn read(words: &mut Words, name: &'static str) -> Result<Option<T>, LineError> {
        T::read(words, name).map(Some)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        self.iter().try_for_each(|value| write!(f, " {name} {value}"))
    }
}

impl Parameter for bool {
    fn read(_: &mut Words, _: &'static str) -> Result<bool, LineError> {
        Ok(true)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        if *self { write!(f, " {name}") } else { Ok(()) }
    }
}

impl Parameter for Vec<UciMove> {
    fn read(words: &mut Words, _: &'static str) -> Result<Vec<UciMove>, LineError> {
        let mut moves = Vec::new();
        while let Some(mv) = words.peek().and_then(|word| word.parse().ok()) {
            words.next();
            moves.push(mv);
        }
        Ok(moves)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        if !self.is_empty() {
            write!(f, " {name}")?;
        }
        // Written as one text: the formatter is slow for hundreds of moves.
        let mut text = String::with_capacity(6 * self.len());
        for m in self {
            text.push(' ');
            m.append_to_string(&mut text);
        }
        f.write_str(&text)
    }
}

/// Defines a struct for the parameters of `$message`, with a field for each [`Parameter`]. They are read in any order
/// and written in the order of the fields, each after a space.
macro_rules! parameters {
    (
        $message:literal;
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$doc])* pub $field: $type,)* }

        impl $name {
            /// Reads the rest of a line. Parameters that cannot be read are left out, and their errors are added to `unread`.
            fn read(words: &mut Words, unread: &mut Vec<LineError>) -> $name {
                let mut read = $name::default();
                while let Some(word) = words.next() {
                    let rest = words.rest;
                    let outcome = match word {
                        $(stringify!($field) => {
                            let name = concat!($message, " ", stringify!($field));
                            <$type as Parameter>::read(words, name).map(|value| read.$field = value)
                        })*
                        _ => Ok(()), // the UCI text: unknown words are ignored
                    };
                    if let Err(error) = outcome {
                        // Another parameter may stand in place of the value.
                        words.rest = rest;
                        unread.push(error);
                    }
                }
                read
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(self.$field.write(f, stringify!($field))?;)*
                Ok(())
            }
        }
    };
}

pub(super) use parameters;
