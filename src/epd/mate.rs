//! `herald epd mate`: forced mates.

use std::num::NonZeroU32;

use analysis::{Counts, FindMates};
use anyhow::{Result, anyhow};
use clap::Args;

use super::analysis_args::AnalysisArgs;
use crate::WrongInput;

/// Find forced mates by the side to move in EPD records that have no `dm`, or a longer one (the standard's "pfms")
///
/// Writes `dm`, `pm`, `pv`, `ce`, `acn` and `acs`. Herald's mate solver proves all mates, also those that another program
/// reports; `dm` is the shortest mate, unless the limit was reached before a shorter one could be ruled out.
#[derive(Args)]
#[command(after_help = "Example: herald epd mate --moves 5 --passes --nodes 1000000 suite.epd -o mates.epd")]
pub(crate) struct MateArgs {
    /// The longest mate, in moves of the side that mates
    #[arg(long, value_name = "COUNT")]
    moves: NonZeroU32,
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// Search for mates in one first, then in two and so on, each with the whole limit
    #[arg(long)]
    passes: bool,
    /// Write the length that was searched for as `dm`, as the standard says
    #[arg(long)]
    strict: bool,
}

impl MateArgs {
    pub(super) fn run(&self) -> Result<()> {
        if self.analysis.is_herald_limited_by_depth() {
            let message = "the mate solver knows no depth but --moves; limit it by --nodes or --time";
            return Err(WrongInput::of(anyhow!(message)));
        }
        let job = FindMates {
            moves: self.moves,
            passes: self.passes,
            strict: self.strict,
            times: !self.analysis.no_times,
        };
        self.analysis.run(job, |Counts { found, missed, skipped, .. }| {
            format!("{found} mates found, {missed} without, {skipped} passed over")
        })
    }
}
