//! `herald epd target`: search for the moves that solve a record.

use std::num::NonZeroU32;

use analysis::{Counts, Target};
use anyhow::Result;
use clap::Args;

use super::analysis_args::AnalysisArgs;

/// Let Herald, or another program, solve EPD records: find the moves of `bm` and avoid those of `am` (the standard's "pfts")
///
/// Writes `pm`, `pv`, `ce`, `acd`, `acn` and `acs`, and the private operation `Target`: `Target missed;` or `Target solved
/// DEPTH NODES MILLISECONDS;`, the point from which on the right move was the best until the end. Records without `bm` and `am`
/// are skipped. Missed records don't change the exit status.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd target --nodes 100000 wac.epd -o solved.epd
  herald epd target --time 1 --early-stop 3 --engine \"cmd='gnuchess --xboard' protocol=cecp\" wac.epd -o solved.epd")]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// End the search when right moves have stayed the best for so many plies of further depth
    #[arg(long, value_name = "PLIES")]
    early_stop: Option<NonZeroU32>,
}

impl TargetArgs {
    pub(super) fn run(&self) -> Result<()> {
        let early_stop = self.early_stop.map(NonZeroU32::get);
        let job = Target { times: !self.analysis.no_times, early_stop };
        self.analysis.run(job, |Counts { found, missed, skipped, .. }| {
            let percent = 100.0 * *found as f64 / (found + missed).max(1) as f64;
            format!("{found} solved ({percent:.1} %), {missed} missed, {skipped} without a target")
        })
    }
}
