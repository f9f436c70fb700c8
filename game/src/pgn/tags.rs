//! The tags of a game.

use std::collections::BTreeMap;
use std::ops::Index;

/// The tags of a game that [`Game`](crate::Game) does not provide. It provides `Result`, `SetUp`, `FEN`, `Variant` and
/// `Termination`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnTags(pub(super) BTreeMap<String, String>);

/// The tags of the roster except the result, with their values for unknown data (PGN standard, 8.1.1).
pub(super) const ROSTER: [(&str, &str); 6] =
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
