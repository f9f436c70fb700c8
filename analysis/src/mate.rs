//! Search for mates (EPD specification, 7.3: "pfms").

use std::num::NonZeroU32;

use game::Game;
use messages::epd::{Operation, Record};

use crate::analyzer::{AnalysisResult, Analyzer, PositionAnalysis};
use crate::process::Counts;
use crate::record_analysis::AnalysisJob;

/// Looks for mates by the side to move in records that have no `dm`, or a longer one. Where a mate is found, `dm`, `pm`, `pv`,
/// `ce`, `acn` and `acs` are written; all other records stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindMates {
    /// The longest mate, in moves.
    pub moves: NonZeroU32,
    /// Whether mates in one are looked for first, then mates in two, and so on, each with the whole effort: what passes over
    /// the file one after the other do.
    pub passes: bool,
    /// Whether `dm` says how long a mate was looked for, to the letter of the specification, and not in how many moves it was
    /// proven.
    pub strict: bool,
    /// Whether `acs` is written.
    pub times: bool,
}

impl AnalysisJob for FindMates {
    fn run(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        analyzer: &mut dyn Analyzer,
    ) -> AnalysisResult<Counts> {
        let known = match record.get("dm") {
            Some(Operation::Dm(moves)) => moves.get(),
            _ => u32::MAX,
        };
        let is_ended = game.legal_moves().is_empty();
        let first = if self.passes { 1 } else { self.moves.get() };
        let mut counts = Counts { skipped: 1, ..Counts::default() };
        for moves in (first..=self.moves.get()).take_while(|moves| *moves < known && !is_ended) {
            let analysis = analyzer.find_mate(game, moves)?;
            let effort = analysis.effort();
            let (nodes, time) = (counts.nodes + effort.nodes, counts.time + effort.time);
            let mate = analysis.mate();
            let found = u64::from(mate.is_some());
            counts = Counts { found, missed: 1 - found, nodes, time, ..Counts::default() };
            if let Some(mate) = mate {
                // A `ce` with the proven length would contradict a preset `dm`.
                let score = analysis.score.filter(|_| !self.strict);
                PositionAnalysis { score, ..analysis }.write_to(record, game, self.times);
                let preset = NonZeroU32::new(moves).filter(|_| self.strict);
                record.set(Operation::Dm(preset.unwrap_or(mate)));
                break;
            }
        }
        Ok(counts)
    }
}
