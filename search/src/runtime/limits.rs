//! How long a search may take.

use std::time::Duration;

/// The bounds of a search; it ends at the first that it reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Moves made, over all threads.
    pub nodes: Option<u64>,
    /// No iteration is begun once so many moves have been made, over all threads.
    pub soft_nodes: Option<u64>,
    /// Stop once a mate in so many moves is found.
    pub mate: Option<u32>,
    /// Time, on the search's [`SearchClock`].
    pub time: TimeLimit,
    /// Time that passes between the search's answer and the opponent's clock; kept in reserve.
    pub overhead: Duration,
    /// How many best lines to find; 0 counts as 1.
    pub lines: usize,
}

/// How much time a search may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeLimit {
    /// Until told to stop.
    #[default]
    Unlimited,
    /// A fixed time for this move, all of which may be used.
    PerMove(Duration),
    /// A share of what is left on the clock.
    Clock {
        /// Time left.
        remaining: Duration,
        /// Added after each move.
        increment: Duration,
        /// Moves to the next time control, this one included; `None` if `remaining` must last for the whole game.
        moves_to_go: Option<u32>,
    },
}

/// The time a search has used. It may be wall time, processor time or nodes turned into time, and it may stand still
/// while the game is suspended: the search only asks.
pub trait SearchClock: Sync {
    /// Time since the search was started, given the nodes that it has searched.
    fn elapsed(&self, nodes: u64) -> Duration;
}

/// Wall time since an instant.
impl SearchClock for std::time::Instant {
    fn elapsed(&self, _nodes: u64) -> Duration {
        std::time::Instant::elapsed(self)
    }
}
