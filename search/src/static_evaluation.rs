//! What a position is worth at first sight: to the network, or to what is known of endings against a lone king.

use std::sync::Arc;

use crate::evaluation::Evaluator;
use crate::moves::Move;
use crate::network::{Accumulators, Network};
use crate::position::Position;
use crate::score::Score;

/// The value of a position for the side to move, as a search with this network sees it.
pub fn evaluate(network: &Network, position: &Position) -> Score {
    if position.has_bare_king() { Evaluator::new().evaluate(position) } else { network.evaluate(position) }
}

/// What a search thread evaluates with. It follows the line that is searched, move by move.
#[derive(Clone)]
pub(crate) struct StaticEvaluator {
    accumulators: Box<Accumulators>,
    /// For bare kings: no network has learnt from positions of so few pieces, and it does not know how to drive them.
    by_hand: Box<Evaluator>,
}

impl StaticEvaluator {
    pub(crate) fn new(network: &Arc<Network>) -> StaticEvaluator {
        StaticEvaluator {
            accumulators: Box::new(Accumulators::new(Arc::clone(network))),
            by_hand: Box::default(),
        }
    }

    /// A search begins; its root is ply 0.
    pub(crate) fn begin(&mut self) {
        self.accumulators.begin();
    }

    /// A legal move is made in the position at a ply.
    #[inline]
    pub(crate) fn note_move(&mut self, position: &Position, m: Move, ply: usize) {
        self.accumulators.note_move(position, m, ply);
    }

    /// The side to move passes in the position at a ply.
    #[inline]
    pub(crate) fn note_null_move(&mut self, ply: usize) {
        self.accumulators.note_null_move(ply);
    }

    /// The value, for the side to move, of the position that the noted moves have led to at a ply.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        if position.has_bare_king() {
            self.by_hand.evaluate(position)
        } else {
            self.accumulators.evaluate(position, ply)
        }
    }
}
