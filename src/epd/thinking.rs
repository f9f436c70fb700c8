//! What the verbs have in common for which somebody has to think: who, how hard, and what is said at the end.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use analysis::{Desk, Effort, Herald, Program, Study, Summary, ThinkError, Thinker};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use messages::epd::{MoveReading, RecordReader};
use players::Spec;

use super::Notation;
use super::work::{Destination, Files, Work};
use crate::{WrongInput, match_command};

/// How long programs have to end after an interruption. A program waits a tenth of a second at a time.
const FAREWELL: Duration = Duration::from_secs(1);

/// Who thinks about what, and where it is written.
#[derive(Args)]
pub(super) struct Thinking {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    destination: Destination,
    /// Go on with the output of a run that was interrupted. Give the same command again; that the output comes from
    /// these files is checked, that it comes from this program and this limit is not
    #[arg(long, requires = "output", conflicts_with = "in_place")]
    resume: bool,
    #[command(flatten)]
    limit: Limit,
    /// The time of --time is only to be met on average: more for difficult positions, less for easy ones
    #[arg(long)]
    soft: bool,
    /// Let this program think, one for each thread, instead of Herald: a list of KEY=VALUE as for `herald match`
    #[arg(long, value_name = "ENGINE", allow_hyphen_values = true)]
    engine: Option<String>,
    /// Memory that Herald may use on each thread, in MiB
    #[arg(long, value_name = "MIB", default_value = "16", conflicts_with = "engine")]
    hash: NonZeroUsize,
    /// Write no times: then the output under a limit of nodes or depth is the same each time
    #[arg(long)]
    no_times: bool,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: Notation,
}

/// The same for each record.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Limit {
    /// Search so many nodes for each record
    #[arg(long, value_name = "COUNT")]
    nodes: Option<NonZeroU64>,
    /// Search so many plies deep
    #[arg(long, value_name = "PLIES")]
    depth: Option<NonZeroU32>,
    /// Search so long, in seconds: no longer, unless with --soft
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

impl Thinking {
    /// Whether times are written.
    pub(super) fn times(&self) -> bool {
        !self.no_times
    }

    /// Whether the limit is one of depth, and Herald thinks.
    pub(super) fn is_herald_limited_by_depth(&self) -> bool {
        self.engine.is_none() && self.limit.depth.is_some()
    }

    /// Does the work and says at the end, on standard error, what came of it.
    pub(super) fn run(&self, study: &dyn Study, sum_up: impl Fn(&Summary) -> String) -> Result<()> {
        let (recruits, called_off) =
            self.recruits().map_err(|error| anyhow!(WrongInput).context(format!("{error:#}")))?;
        // Who can't be had is missed before anything is written.
        let recruit = move || recruits.recruit();
        recruit()?;
        let work = if self.resume {
            Work::resume(&self.files, &self.destination)?
        } else {
            Work::new(&self.files, &self.destination)?
        };
        let reader = RecordReader {
            moves: MoveReading::Repair,
            escapes: self.escapes.into(),
            ..RecordReader::default()
        };
        let desk = Desk { reader, study, recruit: &recruit, threads: self.files.threads() };
        let lines_done = work.lines_done();
        let summary = work.study(&desk, move || send_away(&called_off))?;
        let earlier =
            if lines_done > 0 { format!("; {lines_done} lines were done before") } else { String::new() };
        let Summary { failed, nodes, time, .. } = summary;
        eprintln!("{}; {nodes} nodes, {:.1} s{earlier}", sum_up(&summary), time.as_secs_f64());
        if failed > 0 {
            bail!("{failed} records could not be examined; they are as they were");
        }
        Ok(())
    }

    fn recruits(&self) -> Result<(Recruits, Arc<AtomicBool>)> {
        let effort = self.effort()?;
        let called_off = Arc::new(AtomicBool::new(false));
        let recruits = match &self.engine {
            None => Recruits::Herald(effort, self.hash.get()),
            Some(words) => {
                let spec = match_command::program(words).with_context(|| format!("--engine \"{words}\""))?;
                let player =
                    players::start(&spec, None).map_err(|fault| anyhow!("{} {fault}", spec.command))?;
                player.quit();
                Recruits::Program(Box::new(spec), effort, Arc::clone(&called_off))
            }
        };
        Ok((recruits, called_off))
    }

    fn effort(&self) -> Result<Effort> {
        if self.soft && self.limit.time.is_none() {
            bail!("--soft is about --time");
        }
        match self.limit {
            Limit { nodes: Some(nodes), .. } => Ok(Effort::nodes(nodes)),
            Limit { depth: Some(depth), .. } => Ok(Effort::depth(depth)),
            Limit { time, .. } => {
                let seconds = time.unwrap_or_default();
                let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
                let time =
                    time.with_context(|| format!("--time {seconds}: expected seconds, more than 0"))?;
                Ok(if self.soft { Effort::about(time)? } else { Effort::at_most(time) })
            }
        }
    }
}

/// Where thinkers come from.
enum Recruits {
    Herald(Effort, usize),
    Program(Box<Spec>, Effort, Arc<AtomicBool>),
}

impl Recruits {
    fn recruit(&self) -> Result<Box<dyn Thinker>, ThinkError> {
        Ok(match self {
            Recruits::Herald(effort, mebibytes) => Box::new(Herald::new(effort.clone(), *mebibytes)?),
            Recruits::Program(spec, effort, called_off) => {
                Box::new(Program::new((**spec).clone(), effort.clone(), Arc::clone(called_off)))
            }
        })
    }
}

/// Ends programs that are thinking, so that none is left behind. Those that wait end when their input does.
fn send_away(called_off: &Arc<AtomicBool>) {
    called_off.store(true, Ordering::Relaxed);
    let until = Instant::now() + FAREWELL;
    // Ours, that of the recruits, and one for each program.
    while Arc::strong_count(called_off) > 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
}
