//! The progress of a thread: the ordered root moves and their scores.

use std::cmp::Reverse;

use crate::{Move, Score};

/// A root move and its results.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// The last score of the move.
    pub score: Score,
    /// The score in the current search of the root; `-INFINITE` unless the move was better than the earlier ones.
    pub rank: Score,
    /// The line that starts with the move.
    pub line: Vec<Move>,
    /// Nodes below this move in the whole search.
    pub nodes: u64,
}

/// The progress of a thread.
pub struct Progress {
    /// The allowed moves, best first.
    pub root_moves: Vec<RootMove>,
    /// Index of the line that is being searched, from 0. The root moves before this index belong to the earlier lines.
    pub line: usize,
    /// The current iteration, in plies; after the search, the last completed one.
    pub depth: i32,
    /// The length of the longest line searched, in plies.
    pub selective_depth: usize,
}

impl Progress {
    /// Creates the progress of a thread that has not searched these moves yet.
    pub(super) fn new(moves: impl IntoIterator<Item = Move>) -> Progress {
        let root_move =
            |mv| RootMove { mv, score: Score::DRAW, rank: -Score::INFINITE, line: vec![mv], nodes: 0 };
        let root_moves = moves.into_iter().map(root_move).collect();
        Progress { root_moves, line: 0, depth: 0, selective_depth: 0 }
    }

    /// Returns the best move. There must be at least one move.
    pub(super) fn best(&self) -> &RootMove {
        &self.root_moves[0]
    }

    /// Sorts the first `lines` moves by score. A later line may have a better score, as its search used the hash entries of
    /// the earlier ones.
    pub(super) fn rank_lines(&mut self, lines: usize) {
        self.root_moves[..lines].sort_by_key(|root| Reverse(root.score));
    }

    /// Clears the ranks of the moves of the current line before they are searched again.
    pub(super) fn clear_ranks(&mut self) {
        self.root_moves[self.line..].iter_mut().for_each(|root| root.rank = -Score::INFINITE);
    }

    /// Sorts the moves of the current line by rank. Moves that were not better keep the order of earlier iterations. The
    /// old order remains if the search was stopped before it found anything.
    pub(super) fn sort_by_rank(&mut self) {
        self.root_moves[self.line..].sort_by_key(|root| Reverse(root.rank));
    }
}
