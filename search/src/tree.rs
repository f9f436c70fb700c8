//! Nodes of the search tree as material for training. The playing program records none.

use crate::{Bound, Position, Score};

/// A quiet node whose moves were searched: not in check, best move neither capture nor promotion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The position.
    pub position: Position,
    /// For the side to move: the end of the window that the score has passed, or the score if it is exact. A score beyond the
    /// window says little: moves that can't reach the window are not searched.
    pub score: Score,
    /// On which side of `score` the true score lies.
    pub bound: Bound,
    /// Plies searched.
    pub depth: i32,
}

/// Records some of the nodes of a thread: each ply of depth halves the number of nodes, and doubles their chance.
pub(crate) struct TreeRecorder {
    least_depth: i32,
    one_in: u64,
    /// State of the generator of random numbers (D. Knuth's MMIX) that chooses the nodes.
    random: u64,
    pub(crate) nodes: Vec<TreeNode>,
}

impl TreeRecorder {
    /// Records, by chance, one in `one_in` of the nodes of the least depth, twice as many of those a ply deeper, and so on.
    /// The same seed chooses the same nodes.
    pub(crate) fn new(least_depth: i32, one_in: u32, seed: u64) -> TreeRecorder {
        TreeRecorder { least_depth, one_in: u64::from(one_in.max(1)), random: seed, nodes: Vec::new() }
    }

    /// Records a node, or not.
    pub(crate) fn record(&mut self, position: &Position, depth: i32, score: Score, bound: Bound) {
        let is_wanted = depth >= self.least_depth && !score.is_mate() && !position.has_lone_king();
        if is_wanted && self.is_chosen(depth) {
            self.nodes.push(TreeNode { position: position.clone(), score, bound, depth });
        }
    }

    fn is_chosen(&mut self, depth: i32) -> bool {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let deeper = (depth - self.least_depth).min(32);
        (self.random >> 33) % self.one_in < 1 << deeper
    }
}
