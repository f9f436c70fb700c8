//! `herald match`: games between programs.

mod engines_json;
mod options;
mod participants;
mod plan;
mod report;
mod translate;

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use arena::schedule::Schedule;
use arena::{Match, MatchEnd, MatchError, MatchEvent, MatchPage, MatchStore, StoreError};
use clap::Args;
use game::counted;
use platform::signals;

use crate::{WrongInput, settings};
use options::MatchOptions;
use participants::EngineTables;
pub(crate) use participants::{program, read_words, spec, told_at_start};
use plan::MatchPlan;
use report::MatchProgress;
use translate::Runner;

const EXAMPLES: &str = "\
Examples:
  herald match --engine \"cmd=./new name=new\" --engine \"cmd=./old name=old\" --tc 8+0.08 \\
      --openings book.epd --order random --sprt 0,5 --concurrency 2 --state test.state --pgn test.pgn
  herald match --engine \"cmd='gnuchess --xboard' protocol=cecp\" --engine \"cmd=stockfish nodes=10000\" \\
      --engine \"cmd=herald option.Hash=64\" --each \"tc=60+0.6 ponder=true\" --format round-robin --games 4
  herald match --variant crazyhouse --engine herald --engine \"cmd=sjeng protocol=cecp\" --live 127.0.0.1:8080
  herald match tournament.toml --json
  herald match --from-fastchess '-engine cmd=./new name=new -engine cmd=./old name=old -each tc=8+0.08 -rounds 50'

An ENGINE is a list of KEY=VALUE, with values quoted as in a shell:
  cmd=COMMAND        the program and its arguments
  protocol=PROTOCOL  uci (default), cecp or cego (revision 1)
  name=NAME          default: the name that the engine tells
  tc=CONTROL         for example 40/7200:3600+30, 8+0.08 (default), 5/move, nodes=10000, depth=12 or - (no limit);
                     st=SECONDS, nodes=N and depth=N are short for the last ones
  margin=MS          time by which a move may exceed the clock; ponder=true: think on the opponent's time
  option.NAME=VALUE, memory=MIB, threads=N, dir=FOLDER, env.NAME=VALUE, patience=SECONDS (to start),
  grace=SECONDS (to quit), init=LINES (sent at the start, separated by \\n), restart=on (a new process for each game),
  whitepov=true (its scores are from White's point of view), conf=NAME (an engine of Cute Chess)

In a TOML file, [[engine]] and [each] are tables with these keys, and flags are keys of the same name.
docs/MATCHES.md has a table of the options of fastchess and cutechess-cli beside these.";

/// Play games between engines: a match, a tournament, or a sequential test
///
/// With --state, the same command resumes a match that was interrupted or killed, and with more --games or --rounds it
/// continues one that was complete.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MatchArgs {
    /// TOML file with options; flags take precedence
    file: Option<PathBuf>,
    /// What stands behind the file: programs without their flag
    #[arg(hide = true, value_hint = clap::ValueHint::Other)]
    surplus: Vec<PathBuf>,
    #[command(flatten)]
    engines: EngineArgs,
    #[command(flatten)]
    options: MatchOptions,
    /// Write events as JSON lines instead of the report
    #[arg(long)]
    json: bool,
    /// Print the command that does the same as this one of fastchess, given in quotation marks, and end
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true, help_heading = "Translation")]
    from_fastchess: Option<String>,
    /// Print the command that does the same as this one of cutechess-cli, given in quotation marks, and end
    #[arg(
        long,
        value_name = "COMMAND",
        allow_hyphen_values = true,
        conflicts_with = "from_fastchess",
        help_heading = "Translation"
    )]
    from_cutechess: Option<String>,
}

/// Who plays.
#[derive(Args)]
#[command(next_help_heading = "Engines")]
struct EngineArgs {
    /// Engine that takes part; repeat it for each engine
    #[arg(long = "engine", value_name = "ENGINE", allow_hyphen_values = true)]
    engines: Vec<String>,
    /// Defaults for all engines
    #[arg(long, value_name = "ENGINE")]
    each: Option<String>,
    /// Default protocol for engines that do not set one
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,
    /// Default time control for engines that do not set one
    #[arg(long, value_name = "CONTROL", allow_hyphen_values = true)]
    tc: Option<String>,
    /// Cute Chess' engines.json, for engines with conf=NAME [default: that of this user]
    #[arg(long, value_name = "FILE")]
    engines_file: Option<String>,
}

impl MatchArgs {
    pub(crate) fn run(self) -> Result<()> {
        if let Some(command) = &self.from_fastchess {
            return translate::print(Runner::Fastchess, command);
        }
        if let Some(command) = &self.from_cutechess {
            return translate::print(Runner::Cutechess, command);
        }
        // Each game needs pipes to two engines.
        platform::raise_file_limit();
        let mut plan = self.plan().map_err(WrongInput::of)?;
        let mut game = open(&plan)?;
        let page = show_page(&mut plan)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        signals::set_flag(&signals::ALL, &interrupted)?;
        let mut live = MatchProgress::new(&plan, &game, self.json, Arc::clone(&interrupted));
        let show = |game: &Match, live: &MatchProgress<'_>| {
            if let Some(page) = &page {
                page.update(game, live.figures(game), live.lines(game));
            }
        };
        show(&game, &live);
        let mut crashed = None;
        let end = game.play(
            plan.concurrency.clone(),
            || plan.config.board(),
            &interrupted,
            |game, event| match event {
                MatchEvent::Started(fixture) => live.started(fixture),
                MatchEvent::Finished(entry) => {
                    live.finished(game, entry);
                    show(game, &live);
                    crashed = crashed.or_else(|| plan.crashed_too_often(game));
                    if crashed.is_some() {
                        interrupted.store(true, Ordering::Relaxed);
                    }
                }
            },
        );
        let failed = live.finish();
        let end = end.map_err(|error| explain(&plan, &error))?;
        let told = match failed {
            Some(error) => Err(error),
            None if self.json => report::write_event(&report::json_end(&plan, &game, end)),
            None => {
                let text = report::visible(&report::text(&plan, &game, end));
                io::stdout().write_all(text.as_bytes())
            }
        };
        match told {
            // Whoever closes the pipe has seen enough; the games are in the files.
            Err(error) if error.kind() != ErrorKind::BrokenPipe || self.json => {
                let played = counted(game.standings.games, "game");
                bail!("standard output cannot be written after {played}: {error}")
            }
            _ => conclude(&plan, &game, end, crashed),
        }
    }

    /// Makes the plan from the file and the flags.
    fn plan(&self) -> Result<MatchPlan> {
        let (options, engines) = self.settings()?;
        MatchPlan::new(options, engines)
    }

    /// Refuses programs without their flag, where a file with options may stand.
    fn check_file(&self) -> Result<()> {
        let missing = self.file.as_ref().filter(|file| !file.exists());
        let (told, wrong) = match (self.surplus.first(), missing) {
            (Some(surplus), _) => ("expected one file with options at most", surplus),
            (None, Some(missing)) => ("there is no such file with options", missing),
            (None, None) => return Ok(()),
        };
        bail!("{0}: {told}; an engine is given as --engine {0}", wrong.display())
    }

    /// Reads the options and the engines from the file and the flags.
    fn settings(&self) -> Result<(MatchOptions, EngineTables)> {
        self.check_file()?;
        let EngineArgs { engines, each, protocol, tc, engines_file } = &self.engines;
        let mut flags = self.options.given()?;
        let of_engines = [("protocol", protocol), ("tc", tc), ("engines-file", engines_file)];
        let given =
            of_engines.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?.into())));
        flags.extend(given);
        let mut table = settings::merged(self.file.as_deref(), &flags)?;
        let from_file = participants::take(&mut table)?;
        let engines = from_file.with_flags(engines, each.as_deref())?;
        let options = MatchOptions::from_table(table)?;
        options.check_files(self.file.as_deref())?;
        Ok((options, engines))
    }
}

/// Begins or resumes the match.
fn open(plan: &MatchPlan) -> Result<Match> {
    let schedule = Schedule::new(plan.schedule).map_err(|error| WrongInput::of(anyhow!(error)))?;
    let openings = plan.options.openings.read(plan.played).map_err(WrongInput::of)?;
    let identity = plan.identity(&openings);
    let open_store =
        |restore: &mut dyn FnMut(arena::GameEntry) -> Result<(), String>| -> Result<MatchStore, StoreError> {
            MatchStore::open(plan.files(), &identity, plan.growing(), restore)
        };
    let game = Match::new(schedule, openings, plan.sprt, open_store);
    let mut game = game.map_err(|error| explain(plan, &error))?;
    game.standings.tie_breaks = plan.options.tournament.tie_breaks();
    Ok(game)
}

/// Serves the live page, if one is wanted.
fn show_page(plan: &mut MatchPlan) -> Result<Option<Arc<MatchPage>>> {
    let Some(address) = plan.options.output.live else { return Ok(None) };
    let page = MatchPage::serve(address, plan.page_heading(), plan.options.output.pgn.clone());
    let page = page.with_context(|| format!("--live {address}")).map_err(WrongInput::of)?;
    // On standard error: standard output is the report's.
    tell!("shown at http://{}/", page.address);
    let page = Arc::new(page);
    plan.config.watcher = Some(page.clone());
    Ok(Some(page))
}

/// Tells how the match ended, as the exit status.
fn conclude(plan: &MatchPlan, game: &Match, end: MatchEnd, crashed: Option<usize>) -> Result<()> {
    let played = counted(game.standings.games, "game");
    match (end, crashed) {
        (MatchEnd::Complete | MatchEnd::Decided(_), _) => Ok(()),
        (MatchEnd::Interrupted, Some(program)) => {
            bail!("stopped after {played}: {} has crashed too often (--max-crashes)", plan.name(program))
        }
        (MatchEnd::Interrupted, None) if plan.is_saved() => {
            bail!("interrupted after {played}; the same command goes on")
        }
        (MatchEnd::Interrupted, None) => bail!("interrupted after {played}"),
    }
}

/// Distinguishes wrong arguments or files from failed work.
fn explain(plan: &MatchPlan, error: &MatchError) -> anyhow::Error {
    let is_wrong_input = match error {
        MatchError::Store(StoreError::Io { action, .. }) => *action != "written",
        MatchError::Store(StoreError::Lost { .. })
        | MatchError::NobodyCanPlay(_)
        | MatchError::Threads(_) => false,
        _ => true,
    };
    let text = match error {
        MatchError::NobodyCanPlay(_) if plan.is_saved() => format!("{error} and can go on later"),
        _ => error.to_string(),
    };
    if is_wrong_input { WrongInput::of(anyhow!(text)) } else { anyhow!(text) }
}
