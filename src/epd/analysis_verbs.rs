//! `herald epd analyze`, `mate` and `target`: the verbs that need an analyzer. They share the choice of analyzer, the limit and
//! the summary.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use analysis::{
    AnalysisJob, Analyze, AnalyzerFactory, Counts, FindMates, Herald, ProgramAnalyzer, Target, Verb,
};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use game::{Phase, TimeControl, counted};
use messages::epd::MoveReading;

use super::EscapesArg;
use super::work::{InputArgs, OutputArgs, Work};
use crate::{WrongInput, match_command};

/// Time that programs get to end after an interruption. They poll the interrupt flag every tenth of a second.
const GRACE: Duration = Duration::from_secs(1);
/// Number of moves of the clock that a soft limit consists of.
const SHARES: u32 = 40;

/// Arguments of all verbs that need an analyzer.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
pub(crate) struct AnalysisArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Continue the output of an interrupted run of the same command: files, program, settings and limit must be the same
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
    /// Write no times and no date, so that the output under a limit of nodes or depth is reproducible
    #[arg(long)]
    no_times: bool,
    /// Write no operation `Analyzer`, which says by which program, with which settings and limit, and when
    #[arg(long)]
    no_provenance: bool,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: EscapesArg,
}

/// The limit for each record.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct LimitArgs {
    /// Nodes to search for each record
    #[arg(long, value_name = "COUNT")]
    nodes: Option<NonZeroU64>,
    /// Search depth
    #[arg(long, value_name = "PLIES")]
    depth: Option<NonZeroU32>,
    /// Time for each record, in seconds; a hard limit unless --soft is given
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

impl LimitArgs {
    /// The limit as it was given.
    fn describe(&self, is_soft: bool) -> String {
        match self {
            LimitArgs { nodes: Some(nodes), .. } => format!("nodes={nodes}"),
            LimitArgs { depth: Some(depth), .. } => format!("depth={depth}"),
            LimitArgs { time, .. } => {
                let soft = if is_soft { " on average" } else { "" };
                format!("time={} s{soft}", time.unwrap_or_default())
            }
        }
    }
}

/// A recipe with the date of today, in UTC.
fn dated(recipe: &str) -> String {
    let today = time::OffsetDateTime::now_utc().date();
    let (year, month, day) = (today.year(), u8::from(today.month()), today.day());
    format!("{recipe}, {year:04}-{month:02}-{day:02}")
}

impl AnalysisArgs {
    /// Whether Herald analyses under a limit of depth.
    fn is_herald_limited_by_depth(&self) -> bool {
        self.engine.is_none() && self.limit.depth.is_some()
    }

    /// Runs the job on all records. `sum_up` summarises the results of records that did not fail, for standard error.
    fn run(&self, job: impl AnalysisJob + 'static, sum_up: fn(&Counts) -> String) -> Result<()> {
        let interrupt = Arc::default();
        let (new_analyzer, recipe) = self.analyzers(&interrupt).map_err(WrongInput::of)?;
        // A missing analyzer is reported before anything is written.
        new_analyzer()?;
        let recipe = Some(recipe).filter(|_| !self.no_provenance);
        let grace = if self.engine.is_some() { GRACE } else { Duration::ZERO };
        let (input, output) = (&self.input, &self.output);
        let work = if self.resume {
            Work::resume(input, output, recipe.as_deref())?
        } else {
            Work::new(input, output)?
        };
        let work = work.resumable(interrupt, grace);
        let earlier = match work.lines_done() {
            0 => String::new(),
            lines => format!("; {} done before", counted(lines, "line")),
        };
        let reader = self.escapes.reader(MoveReading::Repair);
        let provenance = recipe.map(|recipe| if self.no_times { recipe } else { dated(&recipe) });
        let verb = Verb::analysis(reader, job, new_analyzer, provenance);
        let verb = verb.with_line_ends(self.output.line_ends(false));
        let counts = work.run(&verb)?;
        let Counts { found, missed, undecided, skipped, failed, nodes, time, .. } = counts;
        let records = found + missed + undecided + skipped + failed;
        let (came_of, seconds) = (sum_up(&counts), time.as_secs_f64());
        let (records, nodes) = (counted(records, "record"), counted(nodes, "node"));
        eprintln!("{records}: {came_of}, {failed} failed; {nodes}, {seconds:.1} s{earlier}");
        if failed > 0 {
            bail!("{} could not be analysed and left unchanged", counted(failed, "record"));
        }
        Ok(())
    }

    /// Creates the factory of analyzers, and describes the analysis: name, settings and limit. A program is started once to check
    /// that it works.
    fn analyzers(&self, interrupt: &Arc<AtomicBool>) -> Result<(AnalyzerFactory, String)> {
        let (limit, described) = (self.limit()?, self.limit.describe(self.soft));
        let Some(words) = &self.engine else {
            let mebibytes = self.hash.get();
            let recipe = concat!("Herald ", env!("CARGO_PKG_VERSION"));
            let recipe = format!("{recipe}, hash {mebibytes} MiB, threads 1, {described}");
            return Ok((Arc::new(move || Ok(Box::new(Herald::new(&limit, mebibytes)?))), recipe));
        };
        let spec = match_command::program(words).with_context(|| format!("--engine \"{words}\""))?;
        let player = players::start(&spec, None).map_err(|fault| anyhow!("{} {fault}", spec.command))?;
        let name =
            Some(player.name()).filter(|name| !name.is_empty()).unwrap_or("unnamed program").to_owned();
        player.quit();
        let memory = spec.memory.map(|mebibytes| format!("hash {mebibytes} MiB"));
        let threads = spec.threads.map(|count| format!("threads {count}"));
        let options = spec.options.iter().map(|(name, value)| format!("{name}={value}"));
        let settings = memory.into_iter().chain(threads).chain(options);
        let recipe: Vec<String> = std::iter::once(name).chain(settings).chain([described]).collect();
        let interrupt = Arc::clone(interrupt);
        let factory: AnalyzerFactory = Arc::new(move || {
            Ok(Box::new(ProgramAnalyzer::new(spec.clone(), limit.clone(), Arc::clone(&interrupt))))
        });
        Ok((factory, recipe.join(", ")))
    }

    /// The limit for each record (EPD specification, 7.2), as a time control, which every program understands.
    fn limit(&self) -> Result<TimeControl> {
        if self.soft && self.limit.time.is_none() {
            bail!("--soft requires --time");
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

/// Add an analysis to all EPD records (the standard's "pfga")
///
/// Writes `pv`, `ce`, `acd`, `acn` and `acs`, and `pm` if there is a legal move, in place of those of earlier analyses. Moves in
/// any notation that can be read become SAN.
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

/// Find forced mates by the side to move in EPD records that have no `dm`, or a longer one (the standard's "pfms")
///
/// Writes `dm`, `pm`, `pv`, `ce`, `acn` and `acs`. Herald searches with half the limit by its mate solver and, if that does not
/// decide, with the other half as for an analysis. The solver proves all mates, also those that another program reports. `dm` is the
/// shortest mate; if the limit was reached before a shorter one could be ruled out, the private operation `Dm "at most";` says so, and
/// a later run takes the record up again.
#[derive(Args)]
#[command(after_help = "Example: herald epd mate --moves 5 --passes --nodes 1000000 suite.epd -o mates.epd")]
pub(crate) struct MateArgs {
    /// Longest mate to search for, in moves of the side that mates
    #[arg(long, value_name = "COUNT")]
    moves: NonZeroU32,
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// Search for a mate in one first, then in two and so on, each with the whole limit
    #[arg(long)]
    passes: bool,
    /// Write the length that was searched for as `dm`, as the standard says
    #[arg(long)]
    strict: bool,
}

impl MateArgs {
    pub(super) fn run(&self) -> Result<()> {
        if self.analysis.is_herald_limited_by_depth() {
            let message = "the mate solver has no limit of depth but --moves; use --nodes or --time";
            return Err(WrongInput::of(anyhow!(message)));
        }
        let job = FindMates {
            moves: self.moves,
            passes: self.passes,
            strict: self.strict,
            times: !self.analysis.no_times,
        };
        self.analysis.run(job, |Counts { found, bounds, missed, undecided, skipped, .. }| {
            let bounds = match bounds {
                0 => String::new(),
                bounds => format!(" ({bounds} perhaps not the shortest)"),
            };
            let mates = counted(*found, "mate");
            format!("{mates}{bounds}, {missed} without, {undecided} undecided, {skipped} skipped")
        })
    }
}

/// Test whether Herald, or another program, finds the moves of `bm` and avoids those of `am` (the standard's "pfts")
///
/// Writes `pm`, `pv`, `ce`, `acd`, `acn` and `acs`, and the private operation `Target`: `Target "missed";` or `Target "solved
/// DEPTH NODES MILLISECONDS";`, the point from which on the right move stayed the best. Records without `bm` and `am`
/// are skipped. Missed records don't change the exit status.
#[derive(Args)]
#[command(after_help = "Examples:
  herald epd target --nodes 100000 wac.epd -o solved.epd
  herald epd target --time 1 --early-stop 3 --engine \"cmd='gnuchess --xboard' protocol=cecp\" wac.epd -o solved.epd")]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    analysis: AnalysisArgs,
    /// End the search when a right move has stayed the best over this many plies of further depth
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
