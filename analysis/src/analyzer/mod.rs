//! Analyzers: Herald's own search, or another program.
//!
//! Each worker thread has an analyzer of its own. Each record begins with a cleared hash table (`ucinewgame`, `new`), so that
//! under a limit of nodes the output depends neither on the number of threads nor on the order of records. Mates that a program
//! tells become `dm` only after Herald's mate solver has proven them from the program's first move on.

mod herald;
mod program;

use std::num::NonZeroU32;
use std::time::Duration;

use game::{Game, Move, Score};
use messages::epd::{EpdEvaluation, EpdMove, Operation, Record};
use players::PlayerFault;
use search::TableError;

pub use herald::Herald;
pub use program::ProgramAnalyzer;

use crate::process::Counts;

/// What comes of an analysis.
pub type AnalysisResult<T> = Result<T, AnalysisError>;

/// Gets the analysis so far whenever it changes, and returns whether it should go on.
pub type AnalysisListener<'a> = &'a mut dyn FnMut(&PositionAnalysis) -> bool;

/// Analyses one position after the other, with the same limit for each, and takes nothing from one to the next.
pub trait Analyzer {
    /// Analyses a position in which there is a legal move.
    ///
    /// # Errors
    /// The analyzer gives no answer, or one that can't be used.
    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis>;

    /// Looks for a mate by the side to move in at most so many of its moves. The score is that of a mate only if one was found
    /// and proven.
    ///
    /// # Errors
    /// As for [`Analyzer::analyze`].
    fn find_mate(&mut self, game: &Game, moves: u32) -> AnalysisResult<PositionAnalysis>;
}

/// The analysis of a position, finished or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PositionAnalysis {
    /// The principal variation. Never empty in an analysis with moves.
    pub line: Vec<Move>,
    /// The score for the side to move, if it was told.
    pub score: Option<Score>,
    /// In plies, if it was told.
    pub depth: Option<u32>,
    /// Nodes searched, if they were told.
    pub nodes: Option<u64>,
    /// Time since the analysis began.
    pub time: Duration,
}

impl PositionAnalysis {
    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }

    /// In how many moves the side to move mates, if the score says so.
    pub(crate) fn mate(&self) -> Option<NonZeroU32> {
        match self.score? {
            Score::MateIn(moves) => NonZeroU32::new(moves),
            Score::MatedIn(_) | Score::Centipawns(_) => None,
        }
    }

    /// What it took, to be counted.
    pub(crate) fn effort(&self) -> Counts {
        Counts { nodes: self.nodes.unwrap_or(0), time: self.time, ..Counts::default() }
    }

    /// Writes `pv`, `pm`, `ce`, `acd`, `acn` and `acs` into a record, as far as they are known; those of earlier analyses are
    /// removed. Without `times`, there is no `acs`.
    pub(crate) fn write_to(&self, record: &mut Record<'_>, game: &Game, times: bool) {
        for opcode in ["acd", "acn", "acs", "ce", "pm", "pv"] {
            record.remove(opcode);
        }
        let line = game.chess().map(|chess| EpdMove::line(chess, &self.line)).unwrap_or_default();
        let operations = [
            line.first().cloned().map(Operation::Pm),
            Some(Operation::Pv(line)),
            self.score.and_then(EpdEvaluation::of).map(Operation::Ce),
            self.depth.map(|depth| Operation::Acd(depth.into())),
            self.nodes.map(Operation::Acn),
            times.then_some(Operation::Acs(self.time.as_secs())),
        ];
        operations.into_iter().flatten().for_each(|operation| record.set(operation));
    }
}

/// Why there is no analysis.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The program can't go on. A new one is started for the next record.
    #[error("the program {0}")]
    Fault(#[from] PlayerFault),
    /// The program refuses the position or ends the game without a move; carries its words.
    #[error("the program gives no move, but says `{0}`")]
    NoMove(String),
    /// The program's move can't be played.
    #[error("the program's move `{0}` is illegal")]
    IllegalMove(String),
    /// The score is needed, but the program doesn't tell it.
    #[error("the program tells no score")]
    NoScore,
    /// There is not enough memory.
    #[error("{0}")]
    Memory(#[from] TableError),
    /// The work was interrupted.
    #[error("interrupted")]
    Interrupted,
}
