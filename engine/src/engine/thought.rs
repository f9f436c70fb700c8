//! The tasks and the reports of the engine.

use std::sync::Arc;
use std::time::Duration;

use game::{Move, Score, ScoreBound};
use search::{Limits, SearchClock};

/// Identifies a task, so that late reports of an abandoned task can be recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(pub(super) u64);

/// A task of the engine, without the game.
pub struct SearchTask {
    /// The purpose, which determines whether and when a decision is wanted.
    pub purpose: Purpose,
    /// The limits of the search. The engine fills in overhead and number of lines from its settings.
    pub limits: Limits,
    /// The root moves to consider; `None` stands for all legal moves.
    pub allowed: Option<Vec<Move>>,
    /// The clock of the search.
    pub clock: Arc<dyn SearchClock + Send + Sync>,
}

/// The purpose of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To play a move.
    Play,
    /// To play a move if [`Engine::ponder_hit`] comes. The position is the one after the opponent's expected move.
    Ponder,
    /// To show lines until told to stop; a ponder search without a ponder hit.
    Analyse,
}

/// A report of the engine during or after thinking.
#[derive(Clone, Debug)]
pub enum Thought {
    /// A line.
    Line(SearchLine),
    /// The engine has started to search a root move.
    RootMove {
        /// Depth of the iteration in plies.
        depth: u32,
        /// The root move.
        mv: Move,
        /// The move's number, starting at 1.
        number: usize,
        /// Number of root moves.
        total: usize,
    },
    /// A problem that does not stop the engine, to be shown to the user.
    Warning(String),
    /// The decision, the last report of a task.
    Done(Decision),
}

/// A line of play and its score.
#[derive(Clone, Debug)]
pub struct SearchLine {
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// Selective depth in plies: the longest line searched.
    pub selective_depth: u32,
    /// Rank of the line, starting at 1; above 1 only with `MultiPV`.
    pub number: usize,
    /// Score for the side to move.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: ScoreBound,
    /// Nodes searched so far.
    pub nodes: u64,
    /// Elapsed time.
    pub elapsed: Duration,
    /// Occupancy of the hash table in permille.
    pub hash_full: u32,
    /// Number of successful tablebase probes.
    pub tablebase_hits: u64,
    /// The moves in order of play.
    pub moves: Vec<Move>,
}

impl SearchLine {
    /// Returns the nodes per second; 0 while no time has elapsed.
    pub fn nodes_per_second(&self) -> u64 {
        let nanos = self.elapsed.as_nanos().max(1);
        u64::try_from(u128::from(self.nodes) * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
    }
}

/// The result of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The best move; `None` if no move is allowed.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// Score of the position for the side to move.
    pub score: Score,
    /// Depth of the search in plies; 0 for a move of the book.
    pub depth: u32,
}
