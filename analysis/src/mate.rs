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
    /// What `dm` says.
    pub length: MateLength,
    /// Whether `acs` is written.
    pub times: bool,
}

/// What `dm` says of a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateLength {
    /// In how many moves it was proven.
    Proven,
    /// How long a mate was looked for, to the letter of the specification.
    Preset,
}

impl AnalysisJob for FindMates {
    fn run(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        analyzer: &mut dyn Analyzer,
    ) -> AnalysisResult<Counts> {
        let known = record.dm().map_or(u32::MAX, |moves| moves.get());
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
                self.write(record, game, mate, moves, analysis);
                break;
            }
        }
        Ok(counts)
    }
}

impl FindMates {
    fn write(
        self,
        record: &mut Record<'_>,
        game: &Game,
        mate: NonZeroU32,
        preset: u32,
        mut analysis: PositionAnalysis,
    ) {
        let mut distance = mate;
        if self.length == MateLength::Preset {
            distance = NonZeroU32::new(preset).unwrap_or(mate);
            // A `ce` with the proven length would contradict `dm`.
            analysis.score = None;
        }
        analysis.write_to(record, game, self.times);
        record.set(Operation::Dm(distance));
    }
}
