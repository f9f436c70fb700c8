//! The tags of a game.

use std::collections::BTreeMap;

/// The tags of a game that the game itself cannot know. `Result`, `SetUp`, `FEN`, `Variant` and `Termination` it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnTags {
    /// The tournament or match; `?` if unknown.
    pub event: String,
    /// Where it was played; `?` if unknown.
    pub site: String,
    /// The day the game began, `YYYY.MM.DD`, with question marks for what is unknown.
    pub date: String,
    /// The round; `?` if unknown, `-` if there are none.
    pub round: String,
    /// The player of White; `?` if unknown.
    pub white: String,
    /// The player of Black; `?` if unknown.
    pub black: String,
    pub(super) others: BTreeMap<String, String>,
}

impl Default for PgnTags {
    /// Nothing is known.
    fn default() -> PgnTags {
        let unknown = || "?".to_owned();
        PgnTags {
            event: unknown(),
            site: unknown(),
            date: "????.??.??".to_owned(),
            round: unknown(),
            white: unknown(),
            black: unknown(),
            others: BTreeMap::new(),
        }
    }
}

impl PgnTags {
    /// Adds a tag beyond the seven of the roster, or changes it; one that the game knows by itself stays as the game
    /// has it, but for `Termination`. Characters that no tag name has become `_`.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if !name.is_empty() {
            self.others.insert(name, value.into());
        }
    }

    /// The value of a tag that [`PgnTags::set`] added.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.others.get(name).map(String::as_str)
    }

    /// The tag of the roster of this name, other than `Result`.
    pub(super) fn roster_mut(&mut self, name: &str) -> Option<&mut String> {
        match name {
            "Event" => Some(&mut self.event),
            "Site" => Some(&mut self.site),
            "Date" => Some(&mut self.date),
            "Round" => Some(&mut self.round),
            "White" => Some(&mut self.white),
            "Black" => Some(&mut self.black),
            _ => None,
        }
    }
}
