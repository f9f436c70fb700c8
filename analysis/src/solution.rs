//! What is right in a record.

use game::Move;
use messages::epd::{EpdMove, Operation, Record};

/// The right and the wrong moves of a record, as far as they are legal. Never without any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Solution {
    /// Those of `bm`. If there are none, every move is right that isn't to be avoided.
    pub(crate) best: Vec<EpdMove<'static>>,
    /// Those of `am`.
    pub(crate) avoided: Vec<EpdMove<'static>>,
}

impl Solution {
    /// `None` if no move of `bm` or `am` is known.
    pub(crate) fn of(record: &Record<'_>) -> Option<Solution> {
        let best = match record.get("bm") {
            Some(Operation::Bm(moves)) => legal(moves),
            _ => Vec::new(),
        };
        let avoided = match record.get("am") {
            Some(Operation::Am(moves)) => legal(moves),
            _ => Vec::new(),
        };
        (!best.is_empty() || !avoided.is_empty()).then_some(Solution { best, avoided })
    }

    /// Whether a move is one to play.
    pub(crate) fn is_right(&self, mv: Move) -> bool {
        let among = |moves: &[EpdMove<'_>]| moves.iter().any(|one| one.legal() == Some(mv));
        !among(&self.avoided) && (self.best.is_empty() || among(&self.best))
    }
}

fn legal(moves: &[EpdMove<'_>]) -> Vec<EpdMove<'static>> {
    moves.iter().filter_map(EpdMove::to_legal).collect()
}
