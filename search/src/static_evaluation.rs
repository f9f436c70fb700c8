//! What evaluates the positions of a search: the evaluation by hand, or a network.

use std::sync::Arc;

use crate::evaluation::Evaluator;
use crate::moves::Move;
use crate::network::{Accumulators, Network};
use crate::position::Position;
use crate::score::Score;

/// The choice between them.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The sum of terms whose weights were tuned. It played before there was a network, and its games were the first to learn
    /// from.
    Hand,
    /// A neural network; bare kings are left to the evaluation by hand.
    Network(Arc<Network>),
}

/// The network that is part of the program.
impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation::Network(Network::embedded())
    }
}

/// What a search thread evaluates with. It follows the line that is searched, move by move.
#[derive(Clone)]
pub(crate) enum StaticEvaluator {
    Hand(Box<Evaluator>),
    Network {
        accumulators: Box<Accumulators>,
        /// For bare kings: no network has learnt from positions of so few pieces, and it does not know how to drive them.
        by_hand: Box<Evaluator>,
    },
}

impl StaticEvaluator {
    pub(crate) fn new(evaluation: &Evaluation) -> StaticEvaluator {
        match evaluation {
            Evaluation::Hand => StaticEvaluator::Hand(Box::default()),
            Evaluation::Network(network) => StaticEvaluator::Network {
                accumulators: Box::new(Accumulators::new(Arc::clone(network))),
                by_hand: Box::default(),
            },
        }
    }

    /// A search begins; its root is ply 0.
    pub(crate) fn begin(&mut self) {
        if let StaticEvaluator::Network { accumulators, .. } = self {
            accumulators.begin();
        }
    }

    /// A legal move is made in the position at a ply.
    #[inline]
    pub(crate) fn note_move(&mut self, position: &Position, m: Move, ply: usize) {
        if let StaticEvaluator::Network { accumulators, .. } = self {
            accumulators.note_move(position, m, ply);
        }
    }

    /// The side to move passes in the position at a ply.
    #[inline]
    pub(crate) fn note_null_move(&mut self, ply: usize) {
        if let StaticEvaluator::Network { accumulators, .. } = self {
            accumulators.note_null_move(ply);
        }
    }

    /// The value, for the side to move, of the position that the noted moves have led to at a ply.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        match self {
            StaticEvaluator::Hand(evaluator) => evaluator.evaluate(position),
            StaticEvaluator::Network { by_hand, .. } if position.has_bare_king() => {
                by_hand.evaluate(position)
            }
            StaticEvaluator::Network { accumulators, .. } => accumulators.evaluate(position, ply),
        }
    }
}
