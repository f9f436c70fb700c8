//! Analyzers: Herald's own search, or another program.
//!
//! Each worker thread has its own analyzer. The hash table is cleared before each record (`ucinewgame`, `new`), so that under a
//! limit of nodes the output depends neither on the number of threads nor on the order of records. A mate that a program reports
//! becomes `dm` only after Herald's mate solver has proven it along the program's line.

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
use crate::target_result;

/// Result of an analysis.
pub type AnalysisResult<T> = Result<T, AnalysisError>;

/// Callback that receives each update of the analysis and returns whether to continue.
pub type AnalysisListener<'a> = &'a mut dyn FnMut(&PositionAnalysis) -> bool;

/// Analyses positions with the same limit for each. No state is carried over from one position to the next, unless they are
/// positions of one game.
pub trait Analyzer {
    /// Forgets all and announces that the following positions are those of one game, so that what is learnt about one serves the
    /// next. Holds until the next call.
    fn begin_game(&mut self);

    /// Analyses a position that has a legal move.
    ///
    /// # Errors
    /// The analyzer gives no answer or an invalid one.
    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis>;

    /// Searches for a mate by the side to move in at most `moves` of its moves.
    ///
    /// # Errors
    /// As for [`Analyzer::analyze`].
    fn find_mate(&mut self, game: &Game, moves: u32) -> AnalysisResult<MateSearch>;
}

/// Result of a search for a mate.
#[derive(Clone, Debug, PartialEq)]
pub struct MateSearch {
    /// Line and length of the mate, if one was found, and the effort.
    pub analysis: PositionAnalysis,
    /// What is known.
    pub verdict: MateVerdict,
}

/// What a search for a mate has proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateVerdict {
    /// The mate is the shortest.
    Shortest,
    /// There is a mate, perhaps a shorter one than that found.
    AtMost,
    /// There is no mate in so many moves.
    NoMate,
    /// Nothing: the limit was reached.
    Undecided,
    /// Nothing: a mate was told, but the limit was reached before it was proven.
    Unproven,
    /// A mate was told, but there is none in so many moves; there may be a longer one.
    Refuted,
}

/// Analysis of a position, complete or in progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PositionAnalysis {
    /// Principal variation; not empty if there is a legal move.
    pub line: Vec<Move>,
    /// Score for the side to move, if known.
    pub score: Option<Score>,
    /// Depth in plies, if known.
    pub depth: Option<u32>,
    /// Nodes searched, if known.
    pub nodes: Option<u64>,
    /// Time since the analysis began.
    pub time: Duration,
    /// The next best lines, from the second on, as far as the analyzer was asked for them and tells them.
    pub others: Vec<OtherLine>,
}

/// A line that does not begin with the best move.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherLine {
    /// Principal variation; not empty.
    pub line: Vec<Move>,
    /// Score for the side to move.
    pub score: Score,
}

impl PositionAnalysis {
    /// The best move.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }

    /// Keeps a line of a rank from 2; others of this rank and of greater ones are forgotten.
    fn set_other(&mut self, rank: usize, line: Vec<Move>, score: Score) {
        let place = rank - 2;
        self.others.truncate(place);
        if place == self.others.len() && !line.is_empty() {
            self.others.push(OtherLine { line, score });
        }
    }

    /// Number of moves in which the side to move mates, if the score is such a mate.
    pub(crate) fn mate(&self) -> Option<NonZeroU32> {
        match self.score? {
            Score::MateIn(moves) => NonZeroU32::new(moves),
            Score::MatedIn(_) | Score::Centipawns(_) => None,
        }
    }

    /// Nodes and time as counters.
    pub(crate) fn effort(&self) -> Counts {
        Counts { nodes: self.nodes.unwrap_or(0), time: self.time, ..Counts::default() }
    }

    /// Replaces `pv`, `pm`, `ce`, `acd`, `acn` and `acs` in a record; unknown values are removed, and so is the result of an
    /// earlier test. `acs` is written only with `times`.
    pub(crate) fn write_to(&self, record: &mut Record<'_>, game: &Game, times: bool) {
        for opcode in ["acd", "acn", "acs", "ce", "pm", "pv", target_result::OPCODE] {
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

/// Why an analysis failed.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The program failed. It is started again for the next record.
    #[error("the program {0}")]
    Fault(#[from] PlayerFault),
    /// The program rejects the position or ends the game without a move. Carries its message.
    #[error("the program gives no move and says `{0}`")]
    NoMove(String),
    /// The program's move is illegal or unreadable.
    #[error("the program's move `{0}` is illegal")]
    IllegalMove(String),
    /// The job needs a score, but the program reports none.
    #[error("the program reports no score")]
    NoScore,
    /// There is not enough memory.
    #[error("{0}")]
    Memory(#[from] TableError),
    /// The work was interrupted.
    #[error("interrupted")]
    Interrupted,
}
