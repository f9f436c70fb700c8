//! The root of a search.

use super::SearchPosition;
use crate::{Move, Position, Score, Style};

/// The position to search, with its history and the style of play.
#[derive(Clone, Debug, Default)]
pub struct Root<P = Position> {
    /// The position.
    pub position: P,
    /// Repetition keys of the earlier positions of the game, oldest first, back to the last irreversible move.
    pub earlier_keys: Vec<u64>,
    /// Number of the move to be made, 1 at the beginning of a game: tells the time manager how many more to expect.
    pub move_number: u32,
    /// The moves that may be played; `None` means all legal moves. Illegal moves are ignored.
    pub allowed: Option<Vec<Move>>,
    /// Positions with a fixed value, which are not searched below the root: repetition key and score for the side to move.
    /// The list is searched linearly at every node, so it should be short.
    pub told_values: Vec<(u64, Score)>,
    /// The style of play. Entries of earlier searches in another style remain in the hash table.
    pub style: Style,
}

impl<P> Root<P> {
    /// Creates a root at the beginning of a game, with the default style and all legal moves.
    pub fn new(position: P, earlier_keys: Vec<u64>) -> Root<P> {
        Root {
            position,
            earlier_keys,
            move_number: 1,
            allowed: None,
            told_values: Vec::new(),
            style: Style::default(),
        }
    }

    /// Returns the same root with the position in another representation.
    pub fn with_position<Q>(&self, position: Q) -> Root<Q> {
        Root {
            position,
            earlier_keys: self.earlier_keys.clone(),
            move_number: self.move_number,
            allowed: self.allowed.clone(),
            told_values: self.told_values.clone(),
            style: self.style.clone(),
        }
    }
}

impl<P: SearchPosition> Root<P> {
    /// Returns the fixed value of a position, if it has one.
    pub(super) fn told_value(&self, position: &P) -> Option<Score> {
        if self.told_values.is_empty() {
            return None;
        }
        let key = position.repetition_key();
        self.told_values.iter().find(|(told, _)| *told == key).map(|(_, value)| *value)
    }
}
