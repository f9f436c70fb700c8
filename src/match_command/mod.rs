//! `herald match`: games between programs.

mod options;
mod participants;
mod report;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow, bail};
use arena::schedule::Schedule;
use arena::{Match, MatchEnd, MatchError, MatchEvent, MatchStore, StoreError};
use clap::Args;
use game::counted;
use platform::signals;

use crate::{WrongInput, settings};
use options::{MatchOptions, MatchPlan};
pub(crate) use participants::{program, read_words, spec};
use report::MatchProgress;

const EXAMPLES: &str = "\
Examples:
  herald match --engine \"cmd=./new name=new\" --engine \"cmd=./old name=old\" --tc 8+0.08 \\
      --openings book.epd --order random --sprt 0,5 --concurrency 2 --state test.state --pgn test.pgn
  herald match --engine \"cmd='gnuchess --xboard' protocol=cecp\" --engine \"cmd=stockfish nodes=10000\" \\
      --engine \"cmd=herald option.Hash=64\" --each \"tc=60+0.6 ponder=true\" --format round-robin --games 4
  herald match tournament.toml --json

An ENGINE is a list of KEY=VALUE, with values quoted as in a shell:
  cmd=COMMAND        the program and its arguments
  protocol=PROTOCOL  uci (default), cecp or cego (revision 1)
  name=NAME          default: the name that the engine tells
  tc=CONTROL         for example 40/7200:3600+30, 8+0.08 (default), 5/move, nodes=10000, depth=12 or - (no limit);
                     st=SECONDS, nodes=N and depth=N are short for the last ones
  margin=MS          time by which a move may exceed the clock; ponder=true: think on the opponent's time
  option.NAME=VALUE, memory=MIB, threads=N, dir=FOLDER, env.NAME=VALUE, patience=SECONDS (to start),
  grace=SECONDS (to quit)

In a TOML file, [[engine]] and [each] are tables with these keys, and flags are keys of the same name.";

/// Play games between engines: a match, a tournament, or a sequential test
///
/// With --state, the same command resumes a match that was interrupted or killed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MatchArgs {
    /// TOML file with options; flags take precedence
    file: Option<PathBuf>,
    /// Engine that takes part; repeat it for each engine
    #[arg(long = "engine", value_name = "ENGINE", allow_hyphen_values = true)]
    engines: Vec<String>,
    /// Defaults for all engines
    #[arg(long, value_name = "ENGINE")]
    each: Option<String>,
    #[command(flatten)]
    options: MatchOptions,
    /// Write events as JSON lines instead of the report
    #[arg(long)]
    json: bool,
}

impl MatchArgs {
    pub(crate) fn run(self) -> Result<()> {
        // Each game needs pipes to two engines.
        platform::raise_file_limit();
        let plan = self.plan().map_err(WrongInput::of)?;
        let mut game = open(&plan)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        signals::set_flag(&signals::ALL, &interrupted)?;
        let mut live = MatchProgress::new(&plan, &game, self.json, Arc::clone(&interrupted));
        let end = game.play(
            plan.concurrency,
            || plan.config.board(),
            &interrupted,
            |game, event| match event {
                MatchEvent::Started(fixture) => live.started(fixture),
                MatchEvent::Finished(entry) => live.finished(game, entry),
            },
        );
        live.finish()?;
        let end = end.map_err(|error| explain(&error))?;
        if self.json {
            report::write_event(&report::json_end(&plan, &game, end))?;
        } else {
            io::stdout().write_all(report::text(&plan, &game, end).as_bytes())?;
        }
        let played = counted(game.standings.games, "game");
        match end {
            MatchEnd::Complete | MatchEnd::Decided(_) => Ok(()),
            MatchEnd::Interrupted if plan.options.state.is_some() => {
                bail!("interrupted after {played}; the same command goes on")
            }
            MatchEnd::Interrupted => bail!("interrupted after {played}"),
        }
    }

    /// Makes the plan from the file and the flags.
    fn plan(&self) -> Result<MatchPlan> {
        let mut table = settings::merged(self.file.as_deref(), &self.options)?;
        let from_file = participants::take(&mut table)?;
        let participants = from_file.with_flags(&self.engines, self.each.as_deref())?;
        let options: MatchOptions = settings::from_table(table)?;
        options.check_files(self.file.as_deref())?;
        MatchPlan::new(options, participants)
    }
}

/// Begins or resumes the match.
fn open(plan: &MatchPlan) -> Result<Match> {
    let schedule = Schedule::new(plan.schedule).map_err(|error| explain(&error.into()))?;
    let openings = plan.openings().map_err(|error| explain(&error.into()))?;
    let identity = plan.identity(&openings);
    let open_store =
        |restore: &mut dyn FnMut(arena::GameEntry) -> Result<(), String>| -> Result<MatchStore, StoreError> {
            MatchStore::open(plan.options.state.as_deref(), plan.options.pgn.as_deref(), &identity, restore)
        };
    Match::new(schedule, openings, plan.sprt, open_store).map_err(|error| explain(&error))
}

/// Distinguishes wrong arguments or files from failed work.
fn explain(error: &MatchError) -> anyhow::Error {
    let is_wrong_input = match error {
        MatchError::Store(StoreError::Io { action, .. }) => *action != "written",
        MatchError::NobodyCanPlay { .. } | MatchError::Threads(_) => false,
        _ => true,
    };
    let text = error.to_string();
    if is_wrong_input { WrongInput::of(anyhow!(text)) } else { anyhow!(text) }
}
