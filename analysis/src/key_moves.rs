//! The moves that solve a record.

use game::Move;
use messages::epd::{EpdMove, Record};

/// The right and the wrong moves of a record, as far as they are legal. Never without any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyMoves {
    /// Those of `bm`. If there are none, every move is right that isn't to be avoided.
    pub(crate) best: Vec<EpdMove<'static>>,
    /// Those of `am`.
    pub(crate) avoided: Vec<EpdMove<'static>>,
}

impl KeyMoves {
    /// `None` if no move of `bm` or `am` is known.
    pub(crate) fn of(record: &Record<'_>) -> Option<KeyMoves> {
        let legal = |opcode| record.moves(opcode).iter().filter_map(EpdMove::to_legal).collect::<Vec<_>>();
        let (best, avoided) = (legal("bm"), legal("am"));
        (!best.is_empty() || !avoided.is_empty()).then_some(KeyMoves { best, avoided })
    }

    /// Whether a move is one to play.
    pub(crate) fn is_right(&self, mv: Move) -> bool {
        let among = |moves: &[EpdMove<'_>]| moves.iter().any(|one| one.legal() == Some(mv));
        !among(&self.avoided) && (self.best.is_empty() || among(&self.best))
    }
}
