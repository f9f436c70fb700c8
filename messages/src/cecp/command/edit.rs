//! Lines of edit mode.

use std::fmt;
use std::str::FromStr;

use shakmaty::{Role, Square};

use super::CommandError;

/// A line of edit mode, which has its own syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditLine {
    /// `#`: clears the board.
    Clear,
    /// `c`: switches the colour of the following pieces.
    ToggleColor,
    /// `Ke1`: places a piece of the current colour.
    Place(Role, Square),
    /// `xe1`: removes the piece.
    Remove(Square),
    /// `.`: ends edit mode.
    End,
}

impl FromStr for EditLine {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<EditLine, CommandError> {
        match line.trim() {
            "#" => Ok(EditLine::Clear),
            "c" => Ok(EditLine::ToggleColor),
            "." => Ok(EditLine::End),
            piece => {
                let mut letters = piece.chars();
                let letter = letters.next().ok_or(CommandError::MissingParameter)?;
                let at = || letters.as_str().parse().map_err(|_| CommandError::BadSquare);
                match (letter, Role::from_char(letter)) {
                    ('x', _) => Ok(EditLine::Remove(at()?)),
                    (_, Some(role)) => Ok(EditLine::Place(role, at()?)),
                    (_, None) => Err(CommandError::Unknown),
                }
            }
        }
    }
}

impl fmt::Display for EditLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditLine::Clear => f.write_str("#"),
            EditLine::ToggleColor => f.write_str("c"),
            EditLine::Place(role, at) => write!(f, "{}{at}", role.upper_char()),
            EditLine::Remove(at) => write!(f, "x{at}"),
            EditLine::End => f.write_str("."),
        }
    }
}
