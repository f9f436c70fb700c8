//! The moves that solve a record.

use game::Move;
use messages::epd::{EpdMove, Record};

/// The right and wrong moves of a record, as far as they are legal; at least one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyMoves {
    /// Legal moves of `bm`. If there are none, every move that is not in `avoided` is right.
    pub(crate) best: Vec<EpdMove<'static>>,
    /// Legal moves of `am`.
    pub(crate) avoided: Vec<EpdMove<'static>>,
}

impl KeyMoves {
    /// Reads `bm` and `am`; `None` if neither has a legal move.
    pub(crate) fn of(record: &Record<'_>) -> Option<KeyMoves> {
        let legal = |opcode| record.moves(opcode).iter().filter_map(EpdMove::to_legal).collect::<Vec<_>>();
        let (best, avoided) = (legal("bm"), legal("am"));
        (!best.is_empty() || !avoided.is_empty()).then_some(KeyMoves { best, avoided })
    }

    /// Whether a move solves the record.
    pub(crate) fn is_right(&self, mv: Move) -> bool {
        let among = |moves: &[EpdMove<'_>]| moves.iter().any(|one| one.legal() == Some(mv));
        !among(&self.avoided) && (self.best.is_empty() || among(&self.best))
    }
}
