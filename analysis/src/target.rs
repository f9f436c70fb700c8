//! Search for the right move (EPD specification, 7.5: "pfts").

use game::Game;
use messages::epd::Record;

use crate::analyzer::{AnalysisResult, Analyzer, PositionAnalysis};
use crate::key_moves::KeyMoves;
use crate::process::Counts;
use crate::record_analysis::AnalysisJob;
use crate::target_result::{self, Cost, TargetResult};

/// Lets an analyzer solve each record: it is to play one of the moves of `bm`, if there are any, and none of `am`.
///
/// Written are `pm`, `pv`, `ce`, `acd`, `acn`, `acs` as for an analysis, and the [`TargetResult`], which is removed from records
/// whose solution is not known or in which there are no legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whether times are written. Without them the output under a limit of nodes or depth is the same each time.
    pub times: bool,
    /// Ends the search when right moves have been the best over so many plies of further depth.
    pub early_stop: Option<u32>,
}

impl AnalysisJob for Target {
    fn run(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        analyzer: &mut dyn Analyzer,
    ) -> AnalysisResult<Counts> {
        let Some(key_moves) = KeyMoves::of(record).filter(|_| !game.legal_moves().is_empty()) else {
            record.remove(target_result::OPCODE);
            return Ok(Counts { skipped: 1, ..Counts::default() });
        };
        let is_right = |analysis: &PositionAnalysis| analysis.best().is_some_and(|mv| key_moves.is_right(mv));
        let mut solved_at: Option<PositionAnalysis> = None;
        let analysis = analyzer.analyze(game, &mut |analysis| {
            if is_right(analysis) {
                solved_at.get_or_insert_with(|| analysis.clone());
            } else {
                solved_at = None;
            }
            !self.has_held(solved_at.as_ref(), analysis)
        })?;
        analysis.write_to(record, game, self.times);
        let effort = analysis.effort();
        if is_right(&analysis) {
            // The last word may be another move than the line before it began with.
            let cost = self.cost(&solved_at.unwrap_or(analysis));
            TargetResult::Solved(cost).write_to(record);
            Ok(Counts { found: 1, ..effort })
        } else {
            TargetResult::Missed.write_to(record);
            Ok(Counts { missed: 1, ..effort })
        }
    }
}

impl Target {
    fn cost(&self, analysis: &PositionAnalysis) -> Cost {
        Cost {
            depth: analysis.depth.map(u64::from),
            nodes: analysis.nodes,
            millis: self.times.then_some(analysis.time.as_millis() as u64),
        }
    }

    /// Whether a right move has been the best for long enough.
    fn has_held(&self, solved_at: Option<&PositionAnalysis>, now: &PositionAnalysis) -> bool {
        let plies = || Some((self.early_stop?, solved_at?.depth?, now.depth?));
        plies().is_some_and(|(wanted, first, last)| last >= first.saturating_add(wanted))
    }
}
