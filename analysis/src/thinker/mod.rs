//! Who thinks about a record: Herald itself, or another program.

mod effort;
mod herald;
mod program;

use std::ops::ControlFlow;
use std::time::Duration;

use game::Score;
use game::{Game, Move};
use players::Fault;
use search::TableError;
use search::mate::Mate;

pub use effort::Effort;
pub use herald::Herald;
pub use program::Program;

/// Hears what a thinker finds on its way, and may say that this is enough.
pub type Watch<'a> = dyn FnMut(&Insight) -> ControlFlow<()> + 'a;

/// Somebody who thinks about one position after the other, with the same effort for each, and takes nothing from one to
/// the next.
pub trait Thinker {
    /// Thinks about a position in which there is a legal move.
    ///
    /// # Errors
    /// The thinker gives no answer, or one that is worth nothing.
    fn think(&mut self, game: &Game, watch: &mut Watch<'_>) -> Result<Insight, ThinkError>;

    /// Looks for a mate by the side to move in at most so many of its moves. What is found is proven.
    ///
    /// # Errors
    /// As for [`Thinker::think`].
    fn find_mate(&mut self, game: &Game, moves: u32) -> Result<MateSearch, ThinkError>;
}

/// What a thinker thinks of a position, in the end or on the way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Insight {
    /// The moves that it expects, the best one first. Never empty.
    pub line: Vec<Move>,
    /// The value for the side to move, if it was told.
    pub score: Option<Score>,
    /// In plies, if it was told.
    pub depth: Option<u32>,
    /// Nodes searched so far, if they were told.
    pub nodes: Option<u64>,
    /// Time since it was asked.
    pub time: Duration,
}

impl Insight {
    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }
}

/// What came of looking for a mate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MateSearch {
    /// The mate, if there is one and it was found.
    pub mate: Option<Mate>,
    /// What it took, if that was told.
    pub nodes: Option<u64>,
    /// Time since it was asked.
    pub time: Duration,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ThinkError {
    /// The program can't think any more. A new one is started for the next record.
    #[error("the program {0}")]
    Fault(#[from] Fault),
    /// The program refuses the position or ends the game without a move; carries its words.
    #[error("the program gives no move, but says `{0}`")]
    NoMove(String),
    /// The program's move can't be played.
    #[error("the program's move `{0}` is illegal")]
    IllegalMove(String),
    /// The value of the position has to be known, but the program doesn't tell it.
    #[error("the program tells no score")]
    NoScore,
    /// There is not enough memory.
    #[error("{0}")]
    Memory(#[from] TableError),
    /// The work is to end at once.
    #[error("called off")]
    CalledOff,
}
