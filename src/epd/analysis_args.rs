//! What the verbs have in common that need an analyzer: who analyses, how hard, and what is told at the end.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use analysis::{AnalysisJob, AnalyzerFactory, Counts, Herald, ProgramAnalyzer, Verb};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use game::{Phase, TimeControl};
use messages::epd::MoveReading;

use super::EscapesArg;
use super::work::{InputArgs, OutputArgs, Work};
use crate::{WrongInput, match_command};

/// How long programs have to end after an interruption. They are asked for a move for a tenth of a second at a time.
const GRACE: Duration = Duration::from_secs(1);
/// A soft limit is an equal share of a clock for so many moves, as in a game.
const SHARES: u32 = 40;

/// Who analyses what, and where it is written.
#[derive(Args)]
pub(super) struct AnalysisArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Continue the output of an interrupted run of the same command. Checked is that the output comes from these files, not
    /// that it comes from this program and this limit
    #[arg(long, requires = "output", conflicts_with = "in_place")]
    resume: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Meet --time on average only: more for difficult positions, less for easy ones
    #[arg(long)]
    soft: bool,
    /// Analyse with this program, one per thread, instead of Herald: a list of KEY=VALUE as for `herald match`
    #[arg(long, value_name = "ENGINE", allow_hyphen_values = true)]
    engine: Option<String>,
    /// Hash table of Herald on each thread, in MiB
    #[arg(long, value_name = "MIB", default_value = "16", conflicts_with = "engine")]
    hash: NonZeroUsize,
    /// Write no times, so that the output under a limit of nodes or depth is the same each time
    #[arg(long)]
    pub(super) no_times: bool,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: EscapesArg,
}

/// The limit for each record.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct LimitArgs {
    /// Search so many nodes for each record
    #[arg(long, value_name = "COUNT")]
    nodes: Option<NonZeroU64>,
    /// Search so many plies deep
    #[arg(long, value_name = "PLIES")]
    depth: Option<NonZeroU32>,
    /// Search so long, in seconds; a hard limit unless --soft is given
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

impl AnalysisArgs {
    /// Whether the limit is one of depth, and Herald analyses.
    pub(super) fn is_herald_limited_by_depth(&self) -> bool {
        self.engine.is_none() && self.limit.depth.is_some()
    }

    /// Does the job with all records. `sum_up` says for standard error what came of those that did not fail.
    pub(super) fn run(&self, job: impl AnalysisJob + 'static, sum_up: fn(&Counts) -> String) -> Result<()> {
        let interrupt = Arc::default();
        let new_analyzer = self.analyzers(&interrupt).map_err(WrongInput::of)?;
        // An analyzer that can't be had is missed before anything is written.
        new_analyzer()?;
        let open = if self.resume { Work::resume } else { Work::new };
        let grace = if self.engine.is_some() { GRACE } else { Duration::ZERO };
        let work = open(&self.input, &self.output)?.resumable(interrupt, grace);
        let earlier = match work.lines_done() {
            0 => String::new(),
            lines => format!("; {lines} lines were done before"),
        };
        let reader = self.escapes.reader(MoveReading::Repair);
        let counts = work.run(&Verb::analysis(reader, job, new_analyzer))?;
        let Counts { found, missed, skipped, failed, nodes, time, .. } = counts;
        let (records, came_of, seconds) =
            (found + missed + skipped + failed, sum_up(&counts), time.as_secs_f64());
        eprintln!("{records} records: {came_of}, {failed} failed; {nodes} nodes, {seconds:.1} s{earlier}");
        if failed > 0 {
            bail!("{failed} records could not be analysed; they are as they were");
        }
        Ok(())
    }

    /// Makes the analyzer of each thread. A program is started once, to see whether it can be.
    fn analyzers(&self, interrupt: &Arc<AtomicBool>) -> Result<AnalyzerFactory> {
        let limit = self.limit()?;
        let Some(words) = &self.engine else {
            let mebibytes = self.hash.get();
            return Ok(Arc::new(move || Ok(Box::new(Herald::new(&limit, mebibytes)?))));
        };
        let spec = match_command::program(words).with_context(|| format!("--engine \"{words}\""))?;
        players::start(&spec, None).map_err(|fault| anyhow!("{} {fault}", spec.command))?.quit();
        let interrupt = Arc::clone(interrupt);
        Ok(Arc::new(move || {
            Ok(Box::new(ProgramAnalyzer::new(spec.clone(), limit.clone(), Arc::clone(&interrupt))))
        }))
    }

    /// The limit for each record (EPD specification, 7.2), as a time control, which every program understands.
    fn limit(&self) -> Result<TimeControl> {
        if self.soft && self.limit.time.is_none() {
            bail!("--soft is about --time");
        }
        match self.limit {
            LimitArgs { nodes: Some(nodes), .. } => Ok(TimeControl::Nodes(nodes)),
            LimitArgs { depth: Some(depth), .. } => Ok(TimeControl::Depth(depth)),
            LimitArgs { time, .. } => {
                let seconds = time.unwrap_or_default();
                let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
                let time =
                    time.with_context(|| format!("--time {seconds}: expected seconds, more than 0"))?;
                if !self.soft {
                    return Ok(TimeControl::PerMove(time));
                }
                let time = time.saturating_mul(SHARES);
                Ok(TimeControl::of_phase(Phase { moves: Some(SHARES), time, increment: Duration::ZERO })?)
            }
        }
    }
}
