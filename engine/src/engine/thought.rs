//! What the engine is asked and what it says.

use std::sync::Arc;
use std::time::Duration;

use game::{Move, Score, ScoreBound};
use search::{Limits, SearchClock};

/// Identifies a task, so that late thoughts of an abandoned task can be recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(pub(super) u64);

/// What to think about, besides the game itself.
pub struct SearchTask {
    /// Whether, and from when on, the answer is wanted.
    pub purpose: Purpose,
    /// The bounds of the search. Overhead and number of lines are the engine's settings, and filled in by it.
    pub limits: Limits,
    /// The root moves to consider; `None` means all legal ones.
    pub allowed: Option<Vec<Move>>,
    /// How time is measured.
    pub clock: Arc<dyn SearchClock + Send + Sync>,
}

/// Why the engine thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To move.
    Play,
    /// To move, should [`Engine::ponder_hit`] come: the position is the one after the opponent's expected move.
    Ponder,
    /// To show lines until told to stop: pondering without a ponder hit.
    Analyse,
}

/// What the engine says while and after thinking.
#[derive(Clone, Debug)]
pub enum Thought {
    /// A line was found.
    Line(SearchLine),
    /// The engine turned to a root move.
    RootMove {
        /// The iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: usize,
        /// The number of root moves.
        total: usize,
    },
    /// A problem that does not stop the engine, for the user.
    Warning(String),
    /// The engine has decided. The last thought of a task.
    Done(Decision),
}

/// A line of play and what it is worth.
#[derive(Clone, Debug)]
pub struct SearchLine {
    /// The iteration, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// Which of several best lines this is, from 1.
    pub number: usize,
    /// The value for the side to move.
    pub score: Score,
    /// What is known about the value.
    pub bound: ScoreBound,
    /// Moves made so far.
    pub nodes: u64,
    /// Time used.
    pub elapsed: Duration,
    /// How full the hash table is, in permille.
    pub hash_full: u32,
    /// Successful tablebase probes.
    pub tablebase_hits: u64,
    /// The moves, best first.
    pub moves: Vec<Move>,
}

impl SearchLine {
    /// Nodes per second, 0 while no time has passed.
    pub fn nodes_per_second(&self) -> u64 {
        let nanos = self.elapsed.as_nanos().max(1);
        u64::try_from(u128::from(self.nodes) * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
    }
}

/// The outcome of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The best move; `None` if none is allowed.
    pub best: Option<Move>,
    /// The reply that the engine expects.
    pub ponder: Option<Move>,
    /// The value of the position for the side to move.
    pub score: Score,
}
