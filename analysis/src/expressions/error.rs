//! The error of an expression, with its place.

use std::fmt;

use game::excerpt;

/// Why a text is not an expression. Displayed in one line with the column and what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// Description without control characters.
    pub message: String,
    /// Column of the fault in characters, from 1.
    pub column: usize,
    text: String,
}

impl ExpressionError {
    /// A fault at a byte offset of the text.
    pub(super) fn new(text: &str, at: usize, message: impl Into<String>) -> ExpressionError {
        let before = text.get(..at).unwrap_or(text);
        let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        ExpressionError { message: message.into(), column: before.chars().count() + 1, text: shown.collect() }
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExpressionError { message, column, text } = self;
        let place: String = text.chars().skip(column - 1).collect();
        if place.trim().is_empty() {
            return write!(f, "{message} (column {column}, at the end)");
        }
        write!(f, "{message} (column {column}, at `{}`)", excerpt(&place))
    }
}

impl std::error::Error for ExpressionError {}
