//! The limits of a search.

use std::time::Duration;

/// The limits of a search. It ends at the first limit that it reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes (moves made) over all threads.
    pub nodes: Option<u64>,
    /// Nodes over all threads after which no further iteration is started.
    pub soft_nodes: Option<u64>,
    /// The search ends once it has found a mate in at most this many moves.
    pub mate: Option<u32>,
    /// Time limit, measured by the search's [`SearchClock`].
    pub time: TimeLimit,
    /// Delay between the end of the search and the start of the opponent's clock, kept in reserve.
    pub overhead: Duration,
    /// Number of best lines to find (`MultiPV`); 0 counts as 1.
    pub lines: usize,
}

/// The time limit of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeLimit {
    /// No time limit.
    #[default]
    Unlimited,
    /// A fixed time for this move, all of which may be used.
    PerMove(Duration),
    /// A share of the time left on the clock.
    Clock {
        /// Time left.
        remaining: Duration,
        /// Increment per move.
        increment: Duration,
        /// Moves to the next time control, this one included; `None` if `remaining` must last for the whole game.
        moves_to_go: Option<u32>,
    },
}

/// Measures the time that a search has used: wall time, processor time or nodes converted to time. It may stop while the
/// game is suspended.
pub trait SearchClock: Sync {
    /// Returns the time since the search was started, given the nodes that it has searched.
    fn elapsed(&self, nodes: u64) -> Duration;
}

/// Measures wall time.
impl SearchClock for std::time::Instant {
    fn elapsed(&self, _nodes: u64) -> Duration {
        std::time::Instant::elapsed(self)
    }
}
