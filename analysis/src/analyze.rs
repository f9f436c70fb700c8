//! General analysis (EPD specification, 7.2: "pfga").

use std::ops::ControlFlow;

use game::{Game, Score};
use messages::epd::{Operation, Record};

use crate::analyzer::{AnalysisError, AnalysisResult, Analyzer, PositionAnalysis};
use crate::process::Counts;
use crate::record_analysis::AnalysisJob;

/// Adds an analysis to each record: `pv` and `ce` always, `pm` if there is a move, `acd` and `acn` if they are known. In a
/// position without legal moves `pv` is empty, and `ce` tells mate from stalemate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Analyze {
    /// Whether `acs` is written. Without it the output under a limit of nodes or depth is the same each time.
    pub times: bool,
    /// Whether the best move is written as `sm`, to be played. A variation `sv` goes: it may begin with another.
    pub supplies_move: bool,
}

impl AnalysisJob for Analyze {
    fn run(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        analyzer: &mut dyn Analyzer,
    ) -> AnalysisResult<Counts> {
        let has_moves = !game.legal_moves().is_empty();
        let analysis = if has_moves {
            analyzer.analyze(game, &mut |_| ControlFlow::Continue(()))?
        } else {
            PositionAnalysis { score: Some(final_score(game)), ..PositionAnalysis::default() }
        };
        if analysis.score.is_none() {
            return Err(AnalysisError::NoScore);
        }
        analysis.write_to(record, game, self.times && has_moves);
        if self.supplies_move {
            record.remove("sv");
            match record.pm().cloned() {
                Some(best) => record.set(Operation::Sm(best)),
                None => drop(record.remove("sm")),
            }
        }
        Ok(Counts { found: 1, ..analysis.effort() })
    }
}

/// The score of a position without legal moves.
fn final_score(game: &Game) -> Score {
    let is_mate = matches!(game.outcome(), Some(game::Outcome::Win { .. }));
    if is_mate { Score::MatedIn(0) } else { Score::DRAW }
}
