//! `herald mend`: stands between a GUI and a program with known faults.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use platform::signals::{self, Signal};
use players::mend::{Mend, MendError};
use players::{CommandLine, Log, Protocol, Recipe, Repair, Spec, TextLog};

use crate::match_command::program;
use crate::{WrongInput, settings};

const EXAMPLES: &str = "\
Examples:
  xboard -fcp \"herald mend -- hoichess\"               a CECP program with faults
  herald mend -- phalanx                              the same in a GUI for UCI: `uci` is recognised
  xboard -fcp \"herald mend -- stockfish\"              a UCI program in a GUI for CECP
  herald check cecp --recipe old.toml -- old          finds out what to repair
  herald mend --recipe old.toml -- old                repairs that

docs/MEND.md describes the repairs.";

/// Stand between a GUI and a program with known faults
///
/// Speaks CECP or UCI with the GUI to the letter, and asks the program, in its own protocol, for moves and lines only. So answers to
/// `ping`, illegal moves, moves after `force` and wrong claims are repaired for every program; what costs a program something comes
/// from a recipe. A program that ends in a game is started again.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MendArgs {
    /// Protocol of the GUI: cecp or uci [default: by its first line]
    #[arg(long = "as", value_name = "PROTOCOL", value_parser = fronts)]
    front: Option<Protocol>,
    /// Protocol of the program: cecp or uci [default: that of the recipe, or what it answers to]
    #[arg(long, value_parser = fronts, conflicts_with = "engine")]
    protocol: Option<Protocol>,
    /// Recipe, as `herald check --recipe` writes it
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// Repair this, too; may be given several times
    #[arg(long = "repair", value_name = "NAME")]
    repairs: Vec<Repair>,
    /// Program with options, a list of KEY=VALUE as for `herald match`
    #[arg(long, value_name = "ENGINE", conflicts_with = "command", allow_hyphen_values = true)]
    engine: Option<String>,
    /// Append all lines of the GUI and of the program to this file, with times in seconds
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Program and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "engine")]
    command: Vec<String>,
}

/// Parses a protocol that a front has.
fn fronts(text: &str) -> Result<Protocol, &'static str> {
    let protocol = text.parse().ok().filter(|protocol| matches!(protocol, Protocol::Cecp | Protocol::Uci));
    protocol.ok_or("expected cecp or uci")
}

impl MendArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let (spec, knows_protocol) = self.spec().map_err(WrongInput::of)?;
        ensure!(!platform::output_is_null(), "no GUI listens: standard output is closed");
        let file = settings::open_log(self.log.as_deref())?;
        let began = Instant::now();
        let log = |name: &str| {
            let file = file.clone();
            file.map(|file| Arc::new(TextLog::new(name, began, file)) as Arc<dyn Log>)
        };
        let (program_log, gui_log) = (log("program"), log("gui"));
        let leaving = Arc::new(AtomicBool::new(false));
        // XBoard sends SIGINT to get the attention of programs that have not declined it.
        signals::disarm()?;
        let ending: &[Signal] = if io::stdin().is_terminal() { &signals::ALL } else { &[Signal::Terminate] };
        signals::set_flag(ending, &leaving)?;
        let mend = Mend { spec, knows_protocol, front: self.front, program_log, gui_log };
        match mend.serve(io::stdin(), io::stdout(), &leaving) {
            Err(error @ MendError::Program(_)) => Err(WrongInput::of(error)),
            served => Ok(served?),
        }
    }

    /// The program with its repairs, and whether its protocol is known.
    fn spec(&self) -> Result<(Spec, bool)> {
        let recipe = self.recipe.as_deref().map(read_recipe).transpose()?;
        let told = recipe.as_ref().map(|recipe| recipe.protocol);
        let (mut spec, known) = if let Some(words) = &self.engine {
            let mut spec = program(words).with_context(|| format!("--engine \"{words}\""))?;
            spec.protocol = told.unwrap_or(spec.protocol);
            (spec, true)
        } else {
            let command = CommandLine::from_words(self.command.iter().cloned())?;
            let protocol = self.protocol.or(told);
            (Spec::new(command, protocol.unwrap_or(Protocol::Uci)), protocol.is_some())
        };
        spec.repairs.extend(recipe.into_iter().flat_map(|recipe| recipe.repairs));
        spec.repairs.extend(&self.repairs);
        Ok((spec, known))
    }
}

fn read_recipe(path: &Path) -> Result<Recipe> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is no recipe", path.display()))
}
