//! What is searched.

use super::SearchPosition;
use super::style::Style;
use crate::moves::Move;
use crate::position::Position;
use crate::score::Score;

/// The position to search from, with what came before it and how values are to be seen.
#[derive(Clone, Debug, Default)]
pub struct Root<P = Position> {
    /// The position.
    pub position: P,
    /// Keys for the rules of repetition of the earlier positions of the game, oldest first, as far back as they can be
    /// repeated.
    pub earlier_keys: Vec<u64>,
    /// The moves that may be played; `None` means all legal ones. Illegal ones among them are passed over.
    pub allowed: Option<Vec<Move>>,
    /// Values of positions that are not to be searched below the root: their keys for the rules of repetition and what
    /// they are worth to the side to move. Few, for they are gone through at every node.
    pub told_values: Vec<(u64, Score)>,
    /// How to play. What earlier searches found in another style stays in the hash table.
    pub style: Style,
}

impl<P> Root<P> {
    /// A position that earlier ones have led to, to be searched for its own sake.
    pub fn new(position: P, earlier_keys: Vec<u64>) -> Root<P> {
        Root { position, earlier_keys, allowed: None, told_values: Vec::new(), style: Style::default() }
    }

    /// The same with the position in another form.
    pub fn with_position<Q>(&self, position: Q) -> Root<Q> {
        Root {
            position,
            earlier_keys: self.earlier_keys.clone(),
            allowed: self.allowed.clone(),
            told_values: self.told_values.clone(),
            style: self.style.clone(),
        }
    }
}

impl<P: SearchPosition> Root<P> {
    /// The value of a position, if it was told.
    #[inline]
    pub(super) fn told_value(&self, position: &P) -> Option<Score> {
        if self.told_values.is_empty() {
            return None;
        }
        let key = position.repetition_key();
        self.told_values.iter().find(|(told, _)| *told == key).map(|(_, value)| *value)
    }
}
