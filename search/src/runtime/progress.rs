//! How far a thread has come: the root moves, in order, and what is known of them.

use std::cmp::Reverse;

use crate::moves::Move;
use crate::score::Score;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// What the move was last found to be worth.
    pub score: Score,
    /// The same in the search under way; `-INFINITE` while it has not been found better than the moves before it.
    pub rank: Score,
    /// The line that it begins, itself included.
    pub line: Vec<Move>,
    /// Moves made below this one in the whole search.
    pub nodes: u64,
}

/// How far a search has come.
pub struct Progress {
    /// The moves that may be played, best first.
    pub root_moves: Vec<RootMove>,
    /// Which of several lines is being searched, from 0: the root moves before it are settled.
    pub line: usize,
    /// The iteration under way, in plies; at last the one that was completed.
    pub depth: i32,
    /// The longest line looked at, in plies.
    pub selective_depth: usize,
}

impl Progress {
    /// Nothing is known of these moves.
    pub(super) fn new(moves: impl IntoIterator<Item = Move>) -> Progress {
        let root_move =
            |mv| RootMove { mv, score: Score::DRAW, rank: -Score::INFINITE, line: vec![mv], nodes: 0 };
        let root_moves = moves.into_iter().map(root_move).collect();
        Progress { root_moves, line: 0, depth: 0, selective_depth: 0 }
    }

    /// The best move. There must be one.
    pub(super) fn best(&self) -> &RootMove {
        &self.root_moves[0]
    }

    /// Puts the first lines in the order of their scores: a later one may have turned out better, since it was searched
    /// with what the earlier ones left in the hash table.
    pub(super) fn rank_lines(&mut self, lines: usize) {
        self.root_moves[..lines].sort_by_key(|root| Reverse(root.score));
    }

    /// Forgets the ranks of the moves that are not settled, before they are searched again.
    pub(super) fn clear_ranks(&mut self) {
        self.root_moves[self.line..].iter_mut().for_each(|root| root.rank = -Score::INFINITE);
    }

    /// Puts the moves that are not settled in the order of their ranks. Moves that were not better keep the order of
    /// earlier iterations; if the search was stopped before it found anything, the old order stands.
    pub(super) fn sort_by_rank(&mut self) {
        self.root_moves[self.line..].sort_by_key(|root| Reverse(root.rank));
    }
}
