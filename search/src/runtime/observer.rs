//! The reports and the result of a search.

use std::time::Duration;

use crate::{Move, Score};

/// Receives the reports of a search. A protocol is one kind of observer.
pub trait Observer {
    /// Reports a new principal variation, or a fail high or low.
    fn report(&mut self, report: &Report);

    /// Reports that the search starts a root move. `number` counts from 1, of `total` moves.
    fn root_move(&mut self, _depth: u32, _mv: Move, _number: usize, _total: usize) {}

    /// Whether reports are wanted. With 150 nodes per move they take 4 % of the time.
    fn is_listening(&self) -> bool {
        true
    }
}

/// An observer that ignores all reports.
impl Observer for () {
    fn report(&mut self, _report: &Report) {}

    fn is_listening(&self) -> bool {
        false
    }
}

/// The state of a search at a report.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The iteration, in plies.
    pub depth: u32,
    /// The length of the longest line searched, in plies.
    pub selective_depth: u32,
    /// Number of the line, from 1 (`MultiPV`).
    pub line: usize,
    /// The score of the line.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes (moves made) so far, over all threads.
    pub nodes: u64,
    /// Time used, by the search's clock.
    pub elapsed: Duration,
    /// Share of the hash table that is in use, in permille.
    pub hash_full: u32,
    /// Successful tablebase probes.
    pub tablebase_hits: u64,
    /// The principal variation, best move first. Never empty.
    pub principal_variation: &'a [Move],
}

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true score is this or less.
    Upper = 1,
    /// The true score is this or more.
    Lower = 2,
    /// The true score.
    Exact = 3,
}

impl Bound {
    /// Returns the kind of a score that a node with this window has found.
    pub fn of(score: Score, alpha: Score, beta: Score) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether a score of this kind is closer to the truth than an estimate.
    pub(crate) fn corrects(self, score: Score, estimate: Score) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score > estimate,
            Bound::Upper => score < estimate,
        }
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The best move; `None` if no move is allowed.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The score of the position.
    pub score: Score,
    /// The last completed iteration, in plies.
    pub depth: u32,
    /// Nodes (moves made) over all threads.
    pub nodes: u64,
}
