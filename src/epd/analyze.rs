//! `herald epd analyze`: an analysis of each position.

use analysis::{Analyze, Counts};
use anyhow::Result;
use clap::Args;

use super::analysis_args::AnalysisArgs;

/// Add an analysis to all EPD records (the standard's "pfga")
///
/// Writes `pv`, `ce`, `acd`, `acn` and `acs`, and `pm` if there is a legal move, in place of those of earlier analyses. Moves in any
/// notation that can be read become SAN.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd analyze --nodes 1000000 suite.epd -o analysed.epd
  herald epd analyze --time 5 --engine \"cmd=stockfish option.Hash=64\" suite.epd -o analysed.epd --resume")]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// Write the best move as `sm` as well: the move to be played
    #[arg(long)]
    sm: bool,
}

impl AnalyzeArgs {
    pub(super) fn run(&self) -> Result<()> {
        let job = Analyze { times: !self.analysis.no_times, supplies_move: self.sm };
        self.analysis.run(job, |Counts { found, .. }| format!("{found} analysed"))
    }
}
