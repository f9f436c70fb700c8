//! The choice of an analyzer and its limit, which several commands share.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use analysis::{AnalyzerFactory, Herald, ProgramAnalyzer};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use game::{Phase, TimeControl};
use players::{PlayerFault, Protocol, Spec};

use crate::match_command;

/// Number of moves of the clock that a soft limit consists of.
const SHARES: u32 = 40;

/// Time that programs get to end after an interruption. They poll the interrupt flag every tenth of a second.
const GRACE: Duration = Duration::from_secs(1);

/// An analyzer and the limit for each position.
#[derive(Args)]
pub(crate) struct AnalyzerArgs {
    #[command(flatten)]
    limit: LimitArgs,
    /// Meet --time on average only: more for difficult positions, less for easy ones
    #[arg(long)]
    soft: bool,
    /// Analyse with this program, one per thread, instead of Herald: a list of KEY=VALUE as for `herald match`, or `herald` for
    /// Herald itself
    #[arg(long = "engine", value_name = "ENGINE", allow_hyphen_values = true)]
    engines: Vec<String>,
    /// Hash table of Herald on each thread, in MiB; by default, 16
    #[arg(long, value_name = "MIB")]
    hash: Option<NonZeroUsize>,
}

/// The limit for each position.
#[derive(Args)]
#[group(multiple = false)]
struct LimitArgs {
    /// Nodes to search for each position
    #[arg(long, value_name = "COUNT")]
    nodes: Option<NonZeroU64>,
    /// Search depth
    #[arg(long, value_name = "PLIES")]
    depth: Option<NonZeroU32>,
    /// Time for each position, in seconds; a hard limit unless --soft is given
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

/// An analyzer that was chosen.
pub(crate) struct ChosenAnalyzer {
    /// Creates it.
    pub(crate) factory: AnalyzerFactory,
    /// Its name.
    pub(crate) name: String,
    /// Its name and settings.
    pub(crate) engine: String,
    /// The limit as it was given.
    pub(crate) limit: String,
    /// The limit of nodes, if it is one.
    pub(crate) nodes: Option<NonZeroU64>,
    /// Whether it is Herald.
    pub(crate) is_herald: bool,
}

impl AnalyzerArgs {
    /// Whether Herald analyses under a limit of depth.
    pub(crate) fn is_herald_limited_by_depth(&self) -> bool {
        self.programs() == [None] && self.limit.depth.is_some()
    }

    /// Time that the analyzer gets to end after an interruption.
    pub(crate) fn grace(&self) -> Duration {
        if self.programs().iter().any(Option::is_some) { GRACE } else { Duration::ZERO }
    }

    /// Size of Herald's hash table, in MiB.
    pub(crate) fn mebibytes(&self) -> usize {
        self.hash.map_or(16, NonZeroUsize::get)
    }

    /// The programs in their order; `None` is Herald.
    fn programs(&self) -> Vec<Option<&str>> {
        if self.engines.is_empty() {
            return vec![None];
        }
        self.engines.iter().map(|words| Some(words.trim()).filter(|words| *words != "herald")).collect()
    }

    /// Creates the factory of the only analyzer; see [`AnalyzerArgs::choose_all`].
    pub(crate) fn choose(&self, interrupt: &Arc<AtomicBool>) -> Result<ChosenAnalyzer> {
        ensure!(
            self.engines.len() < 2,
            "--engine: expected one program; only `herald annotate` takes several"
        );
        Ok(self.choose_all(interrupt, 1, None)?.remove(0))
    }

    /// Creates the factories of analyzers that tell so many best lines, and describes them. A program is started once to check that
    /// it works. Without a limit that was given, the limit is `default` nodes, if there is one.
    pub(crate) fn choose_all(
        &self,
        interrupt: &Arc<AtomicBool>,
        lines: usize,
        default: Option<NonZeroU64>,
    ) -> Result<Vec<ChosenAnalyzer>> {
        let programs = self.programs();
        ensure!(
            self.hash.is_none() || programs.contains(&None),
            "--hash is that of Herald, which does not analyse; say memory=MIB in --engine"
        );
        let mut all: Vec<ChosenAnalyzer> = Vec::new();
        for program in programs {
            let chosen = self.choose_one(program, interrupt, lines, default)?;
            let name = &chosen.name;
            let is_new = all.iter().all(|other| other.name != *name);
            ensure!(is_new, "--engine: two programs are called `{name}`; say name=NAME in one of them");
            all.push(chosen);
        }
        Ok(all)
    }

    fn choose_one(
        &self,
        program: Option<&str>,
        interrupt: &Arc<AtomicBool>,
        lines: usize,
        default: Option<NonZeroU64>,
    ) -> Result<ChosenAnalyzer> {
        let (limit, described) = self.limit(default)?;
        let nodes = if let TimeControl::Nodes(nodes) = limit { Some(nodes) } else { None };
        let several = (lines > 1).then(|| format!("multipv {lines}"));
        let Some(words) = program else {
            let mebibytes = self.mebibytes();
            let name = concat!("Herald ", env!("CARGO_PKG_VERSION")).to_owned();
            let settings = [name.clone(), format!("hash {mebibytes} MiB"), "threads 1".to_owned()];
            let engine: Vec<String> = settings.into_iter().chain(several).collect();
            let factory: AnalyzerFactory =
                Arc::new(move || Ok(Box::new(Herald::new(&limit, mebibytes)?.with_lines(lines))));
            let engine = engine.join(", ");
            return Ok(ChosenAnalyzer { factory, name, engine, limit: described, nodes, is_herald: true });
        };
        let mut spec = match_command::program(words).with_context(|| format!("--engine \"{words}\""))?;
        let several = several.filter(|_| spec.protocol == Protocol::Uci);
        spec.lines = Some(lines as u64).filter(|lines| *lines > 1);
        let (name, settings) = described_program(&spec, &limit)?;
        let engine = [name.clone()].into_iter().chain(settings).chain(several).collect::<Vec<_>>().join(", ");
        let interrupt = Arc::clone(interrupt);
        let factory: AnalyzerFactory = Arc::new(move || {
            Ok(Box::new(ProgramAnalyzer::new(spec.clone(), limit.clone(), Arc::clone(&interrupt))))
        });
        Ok(ChosenAnalyzer { factory, name, engine, limit: described, nodes, is_herald: false })
    }

    /// The limit for each position (EPD specification, 7.2), as a time control, which every program understands, and as it was
    /// given.
    fn limit(&self, default: Option<NonZeroU64>) -> Result<(TimeControl, String)> {
        let LimitArgs { nodes, depth, time } = self.limit;
        if self.soft && time.is_none() {
            bail!("--soft requires --time");
        }
        if let Some(depth) = depth {
            return Ok((TimeControl::Depth(depth), format!("depth={depth}")));
        }
        let Some(seconds) = time else {
            let nodes = nodes.or(default).context("which limit? Say --nodes, --depth or --time")?;
            return Ok((TimeControl::Nodes(nodes), format!("nodes={nodes}")));
        };
        let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
        let time = time.with_context(|| format!("--time {seconds}: expected seconds, more than 0"))?;
        if !self.soft {
            return Ok((TimeControl::PerMove(time), format!("time={seconds} s")));
        }
        let time = time.saturating_mul(SHARES);
        let control = TimeControl::of_phase(Phase { moves: Some(SHARES), time, increment: Duration::ZERO })?;
        Ok((control, format!("time={seconds} s on average")))
    }
}

/// Starts a program once, checks that it knows the limit, and returns its name and its settings.
fn described_program(spec: &Spec, limit: &TimeControl) -> Result<(String, Vec<String>)> {
    let fault = |fault: PlayerFault| anyhow!("{} {}", spec.command, match_command::told_at_start(&fault));
    let player = players::start(spec, None).map_err(fault)?;
    player.check_control(limit).map_err(fault)?;
    if let (Protocol::Cecp, TimeControl::PerMove(time)) = (spec.protocol, limit)
        && time.subsec_nanos() > 0
    {
        // Some programs of CECP take a fraction for nothing or for an error, and the limit would not be what was searched.
        bail!(
            "{} speaks CECP, whose times are in whole seconds; say --time {}",
            spec.command,
            time.as_secs() + 1
        );
    }
    let names = [spec.name.as_deref().unwrap_or_default(), player.name(), "unnamed program"];
    let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
    let capacity = player.capacity();
    player.quit();
    let memory = capacity.memory.or(spec.memory).map(|mebibytes| format!("hash {mebibytes} MiB"));
    let threads = capacity.threads.or(spec.threads).map(|count| format!("threads {count}"));
    let told = [("Hash", capacity.memory), ("Threads", capacity.threads)];
    let is_told =
        |name: &str| told.iter().any(|(told, value)| value.is_some() && name.eq_ignore_ascii_case(told));
    let options = spec.options.iter().filter(|(name, _)| !is_told(name));
    let options = options.map(|(name, value)| format!("{name}={value}"));
    Ok((name, memory.into_iter().chain(threads).chain(options).collect()))
}

/// The date of today in UTC: `2026-11-24`.
pub(crate) fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}

/// Date and time of a moment in UTC: `2026-11-24T23:05:00`.
pub(crate) fn date_and_time(moment: SystemTime) -> String {
    let moment = time::OffsetDateTime::from(moment);
    let (hours, minutes, seconds) = moment.to_hms();
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}", moment.date())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_in_utc() {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * 59 + 3_723);
        assert_eq!(date_and_time(moment), "1970-03-01T01:02:03");
    }
}
