//! What a position is worth at first sight: to the network, or to what is known of endings against a lone king.

use std::sync::Arc;

use crate::endings;
use crate::moves::Move;
use crate::network::{Accumulators, Network};
use crate::position::Position;
use crate::score::Score;

/// The value of a position for the side to move, as a search with this network sees it.
pub fn evaluate(network: &Network, position: &Position) -> Score {
    if position.has_lone_king() { endings::evaluate(position) } else { network.evaluate(position) }
}

/// What a search thread evaluates with. It follows the line that is searched, move by move.
#[derive(Clone)]
pub(crate) struct StaticEvaluator(Box<Accumulators>);

impl StaticEvaluator {
    pub(crate) fn new(network: &Arc<Network>) -> StaticEvaluator {
        StaticEvaluator(Box::new(Accumulators::new(Arc::clone(network))))
    }

    /// A search begins; its root is ply 0.
    pub(crate) fn begin(&mut self) {
        self.0.begin();
    }

    /// A legal move is made in the position at a ply.
    #[inline]
    pub(crate) fn note_move(&mut self, position: &Position, m: Move, ply: usize) {
        self.0.note_move(position, m, ply);
    }

    /// The side to move passes in the position at a ply.
    #[inline]
    pub(crate) fn note_null_move(&mut self, ply: usize) {
        self.0.note_null_move(ply);
    }

    /// The value, for the side to move, of the position that the noted moves have led to at a ply.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        if position.has_lone_king() { endings::evaluate(position) } else { self.0.evaluate(position, ply) }
    }
}
