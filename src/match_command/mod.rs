//! `herald match`: games between programs.

mod live;
mod participants;
mod report;
mod settings;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, anyhow, bail};
use arena::schedule::Schedule;
use arena::{Match, MatchEnd, MatchError, MatchEvent, MatchStore, StoreError};
use clap::Args;
use platform::signals;

use crate::WrongInput;
use live::MatchProgress;
pub(crate) use participants::{program, read_words, spec};
use settings::{MatchOptions, MatchPlan};

const EXAMPLES: &str = "\
Examples:
  herald match --engine \"cmd=./new name=new\" --engine \"cmd=./old name=old\" --tc 8+0.08 \\
      --openings book.epd --order random --sprt 0,5 --concurrency 2 --state test.state --pgn test.pgn
  herald match --engine \"cmd='gnuchess --xboard' protocol=cecp\" --engine \"cmd=stockfish nodes=10000\" \\
      --engine \"cmd=herald option.Hash=64\" --each \"tc=60+0.6 ponder=true\" --format round-robin --games 4
  herald match tournament.toml --json

An ENGINE is a list of KEY=VALUE, with values quoted as in a shell:
  cmd=COMMAND        the program and its arguments
  protocol=PROTOCOL  uci (default), cecp or cego
  name=NAME          otherwise as the program calls itself
  tc=CONTROL         for example 40/7200:3600+30, 8+0.08 (default), 5/move, nodes=10000, depth=12 or - (no limit);
                     st=SECONDS, nodes=N and depth=N are short for the last ones
  margin=MS          how far the clock may be overdrawn; ponder=true: may think in the opponent's time
  option.NAME=VALUE, memory=MIB, threads=N, dir=FOLDER, env.NAME=VALUE, patience=SECONDS (to get ready),
  grace=SECONDS (to leave)

In a TOML file, [[engine]] and [each] are tables with these keys, and flags are keys of the same name.";

/// Play games between programs: a match, a tournament, or a test of strength
///
/// With --state, a match that was interrupted or killed goes on when the same command is given again.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MatchArgs {
    /// A TOML file with settings; flags go before what it says
    file: Option<PathBuf>,
    /// A program that takes part; give it for each of them
    #[arg(long = "engine", value_name = "ENGINE", allow_hyphen_values = true)]
    engines: Vec<String>,
    /// What holds for each program that doesn't say otherwise
    #[arg(long, value_name = "ENGINE")]
    each: Option<String>,
    #[command(flatten)]
    settings: MatchOptions,
    /// Write events as JSON, one a line, instead of the report
    #[arg(long)]
    json: bool,
}

impl MatchArgs {
    pub(crate) fn run(self) -> Result<()> {
        let plan = self.plan().map_err(|error| anyhow!(WrongInput).context(format!("{error:#}")))?;
        let mut game = open(&plan)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        signals::set_flag(&signals::ALL, &interrupted)?;
        let mut live = MatchProgress::new(&plan, &game, self.json, Arc::clone(&interrupted));
        let end = game.play(
            plan.workers,
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
            live::write_event(&report::json_end(&plan, &game, end))?;
        } else {
            io::stdout().write_all(report::text(&plan, &game, end).as_bytes())?;
        }
        match end {
            MatchEnd::Complete | MatchEnd::Decided(_) => Ok(()),
            MatchEnd::Interrupted if plan.state.is_some() => {
                bail!("interrupted after {} games; the same command goes on", game.standings().games())
            }
            MatchEnd::Interrupted => bail!("interrupted after {} games", game.standings().games()),
        }
    }

    /// What the file and the flags want.
    fn plan(&self) -> Result<MatchPlan> {
        let mut table = match &self.file {
            None => toml::Table::new(),
            Some(path) => read_toml(path)?,
        };
        let flags = toml::Table::try_from(&self.settings).context("the flags")?;
        table.extend(flags);
        let from_file = participants::take(&mut table)?;
        let participants = from_file.with_flags(&self.engines, self.each.as_deref())?;
        let settings: MatchOptions =
            table.try_into().map_err(|error: toml::de::Error| anyhow!("{}", error.message()))?;
        MatchPlan::new(&settings, participants)
    }
}

/// A file of settings; what is wrong with it is told with its line.
pub(crate) fn read_toml(path: &Path) -> Result<toml::Table> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
        anyhow!("{}, line {line}: {}", path.display(), error.message())
    })
}

/// Begins the match, or goes on with it.
fn open(plan: &MatchPlan) -> Result<Match> {
    let schedule = Schedule::new(plan.schedule).map_err(|error| explain(&error.into()))?;
    let openings = plan.openings().map_err(|error| explain(&error.into()))?;
    let identity = plan.identity(&openings);
    let open_store =
        |restore: &mut dyn FnMut(arena::GameEntry) -> Result<(), String>| -> Result<MatchStore, StoreError> {
            MatchStore::open(plan.state.as_deref(), plan.pgn.as_deref(), &identity, restore)
        };
    Match::new(schedule, openings, plan.sprt, open_store).map_err(|error| explain(&error))
}

/// Says whether the arguments or files were wrong, or whether the work failed.
fn explain(error: &MatchError) -> anyhow::Error {
    let is_wrong_input = match error {
        MatchError::MatchStore(StoreError::Io { action, .. }) => *action != "written",
        MatchError::NobodyCanPlay { .. } | MatchError::Threads(_) => false,
        _ => true,
    };
    let text = error.to_string();
    if is_wrong_input { anyhow!(WrongInput).context(text) } else { anyhow!(text) }
}
