//! `herald epd analyze`: what somebody thinks of each position.

use analysis::{Analyze as AnalyzeStudy, Summary};
use anyhow::Result;
use clap::Args;

use super::thinking::Thinking;

/// Add an analysis to all EPD records (the standard's "pfga")
///
/// Written are `pv` and `ce`, `pm` if there is a legal move, `acd`, `acn` and `acs`; what was there of them before goes. Moves in
/// any notation that can be understood become SAN.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd analyze --nodes 1000000 suite.epd -o analysed.epd
  herald epd analyze --time 5 --engine \"cmd=stockfish option.Hash=64\" suite.epd -o analysed.epd --resume")]
pub(super) struct Analyze {
    #[command(flatten)]
    thinking: Thinking,
    /// Write the best move as `sm` as well: the move to be played
    #[arg(long)]
    sm: bool,
}

impl Analyze {
    pub(super) fn run(&self) -> Result<()> {
        let study = AnalyzeStudy { times: self.thinking.times(), supplies_move: self.sm };
        self.thinking.run(&study, |Summary { found, failed, .. }| {
            format!("{} records: {found} analysed, {failed} failed", found + failed)
        })
    }
}
