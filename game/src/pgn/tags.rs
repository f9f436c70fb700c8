//! The tags of a game.

use std::collections::BTreeMap;
use std::ops::Index;

/// The tags of a game that the game itself cannot know. `Result`, `SetUp`, `FEN`, `Variant` and `Termination` it knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnTags(pub(super) BTreeMap<String, String>);

/// The roster of every game, but for the result, and how what is unknown is written (PGN standard, 8.1.1).
pub(super) const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

impl PgnTags {
    /// Adds a tag or changes it; one that the game knows by itself stays as the game has it, but for `Termination`. Characters
    /// that no tag name has become `_`.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if !name.is_empty() {
            self.0.insert(name, value.into());
        }
    }

    /// The value of a tag that was set.
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
