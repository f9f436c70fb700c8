//! What a search tells while it runs.

use std::time::Duration;

use crate::moves::Move;
use crate::score::Score;

/// Hears what a search finds. A protocol is only another observer.
pub trait Observer {
    /// A line was found, or proved better or worse than expected.
    fn report(&mut self, report: &Report);

    /// The search turns to a root move; `number` counts from 1, of `total` moves.
    fn root_move(&mut self, _depth: u32, _mv: Move, _number: usize, _total: usize) {}

    /// Whether it is worth making reports: with 150 nodes a move they take 4 % of the time.
    fn is_listening(&self) -> bool {
        true
    }
}

/// An observer that does not listen.
impl Observer for () {
    fn report(&mut self, _report: &Report) {}

    fn is_listening(&self) -> bool {
        false
    }
}

/// The state of a search.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The iteration, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// Which of several best lines this is, from 1.
    pub line: usize,
    /// The value of the line.
    pub score: Score,
    /// Whether the value is exact.
    pub bound: Bound,
    /// Moves made so far, over all threads.
    pub nodes: u64,
    /// Time used, on the search's clock.
    pub elapsed: Duration,
    /// How full the hash table is, in permille.
    pub hash_full: u32,
    /// Successful tablebase probes.
    pub tablebase_hits: u64,
    /// The line, best move first. Never empty.
    pub principal_variation: &'a [Move],
}

/// What is known about a score.
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
    /// What a node with this window knows of its score.
    #[inline]
    pub fn of(score: Score, alpha: Score, beta: Score) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether a score of this kind shows that an estimate is off, or by being exact takes its place.
    #[inline]
    pub(crate) fn corrects(self, score: Score, estimate: Score) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score > estimate,
            Bound::Upper => score < estimate,
        }
    }
}

/// What a search decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The best move; `None` if no move is allowed.
    pub best: Option<Move>,
    /// The reply it expects.
    pub ponder: Option<Move>,
    /// The value of the position.
    pub score: Score,
    /// The last completed iteration, in plies.
    pub depth: u32,
    /// Moves made, over all threads.
    pub nodes: u64,
}
