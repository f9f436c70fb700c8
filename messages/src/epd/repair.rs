//! What a reader repairs on request.

use game::epd::Repair;
use serde::Deserialize;

/// A set of [`Repair`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairSet(u16);

impl RepairSet {
    /// No repairs.
    pub const NONE: RepairSet = RepairSet(0);

    /// The set with another repair.
    #[must_use]
    pub const fn with(self, repair: Repair) -> RepairSet {
        RepairSet(self.0 | 1 << repair as u8)
    }

    /// Whether the set has this repair.
    pub const fn contains(self, repair: Repair) -> bool {
        self.0 >> (repair as u8) & 1 != 0
    }
}

/// Letters of the pieces in moves of another language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PieceLetters {
    /// K, Q, R, B, N.
    #[default]
    English,
    /// K, D, T, L, S: also Danish, Norwegian and Swedish.
    German,
    /// R, D, T, F, C.
    French,
    /// R, D, T, A, C: also Catalan.
    Spanish,
    /// R, D, T, A, C, as in Spanish.
    Italian,
    /// R, D, T, B, C.
    Portuguese,
    /// K, D, T, L, P.
    Dutch,
    /// K, H, W, G, S.
    Polish,
    /// K, V, B, F, H.
    Hungarian,
    /// \u{41a}\u{440}, \u{424}, \u{41b}, \u{421}, \u{41a}.
    Russian,
}

impl PieceLetters {
    /// King, queen, rook, bishop, knight.
    fn letters(self) -> [&'static str; 5] {
        match self {
            PieceLetters::English => ["K", "Q", "R", "B", "N"],
            PieceLetters::German => ["K", "D", "T", "L", "S"],
            PieceLetters::French => ["R", "D", "T", "F", "C"],
            PieceLetters::Spanish | PieceLetters::Italian => ["R", "D", "T", "A", "C"],
            PieceLetters::Portuguese => ["R", "D", "T", "B", "C"],
            PieceLetters::Dutch => ["K", "D", "T", "L", "P"],
            PieceLetters::Polish => ["K", "H", "W", "G", "S"],
            PieceLetters::Hungarian => ["K", "V", "B", "F", "H"],
            PieceLetters::Russian => ["\u{41a}\u{440}", "\u{424}", "\u{41b}", "\u{421}", "\u{41a}"],
        }
    }

    /// Splits a text that begins with a piece into the English letter and the rest.
    pub fn split(self, text: &str) -> Option<(char, &str)> {
        let behind = |(letter, english)| text.strip_prefix(letter).map(|rest| (english, rest));
        // The Russian king begins with the knight's letter, but comes first.
        self.letters().into_iter().zip("KQRBN".chars()).find_map(behind)
    }
}
