//! `herald bridge`: lets a program of another protocol sit at an EPD referee's table.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use messages::referee::{Habits, Parting};
use players::{CommandLine, Fault, Log, Protocol, Spec, TextLog};

use crate::WrongInput;
use crate::match_command::program;
use crate::play::{Client, Connection, Membership};

const EXAMPLES: &str = "\
Examples:
  herald bridge --referee chess.example:7676 -- stockfish
  herald bridge --referee chess.example:7676 --name Fairy-Max --protocol cecp -- fairymax
  herald bridge --referee chess.example:7676 --engine \"cmd=toga2 name=Toga option.Hash=64\"

An ENGINE is a list of KEY=VALUE, as for `herald match`; without --protocol and protocol=, it speaks UCI.";

/// UCI programs answer at once, unless they have much to load.
const HINT: Duration = Duration::from_secs(2);
const OTHER_PROTOCOL: &str = "perhaps it doesn't speak UCI, but CECP: say --protocol cecp";

/// Let a CECP, UCI or CEGO program play in an event of an EPD referee
///
/// A program that dies is started anew, and its game goes on. When the connection is lost, all referees are tried again, one
/// after the other. Ctrl-C signs off.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bridge {
    #[command(flatten)]
    membership: Membership,
    /// The name under which to sign on; otherwise as the program calls itself
    #[arg(long)]
    name: Option<String>,
    /// What the program speaks: uci, cecp or cego
    #[arg(long, conflicts_with = "engine")]
    protocol: Option<String>,
    /// The program, with options
    #[arg(long, value_name = "ENGINE", conflicts_with = "command", allow_hyphen_values = true)]
    engine: Option<String>,
    /// Append all that is said to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "engine")]
    command: Vec<String>,
}

impl Bridge {
    pub(crate) fn run(&self) -> Result<()> {
        let wrong = |error: anyhow::Error| anyhow!(WrongInput).context(format!("{error:#}"));
        let spec = self.spec().map_err(wrong)?;
        let log = self.open_log()?;
        let bridge = self.start(&spec, log).map_err(|fault| wrong(self.explain(&spec, &fault)))?;
        let name = match self.name.as_ref().or(spec.name.as_ref()) {
            Some(name) => name.clone(),
            None if bridge.name().is_empty() => spec.command.file_name().to_owned(),
            None => bridge.name().to_owned(),
        };
        let mut program = Program(bridge);
        let served = self.membership.serve(&name, &mut program);
        program.0.close();
        served
    }

    fn spec(&self) -> Result<Spec> {
        if let Some(words) = &self.engine {
            return program(words).with_context(|| format!("--engine \"{words}\""));
        }
        let protocol = match self.protocol.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("uci") => Protocol::Uci,
            Some("cecp" | "xboard" | "winboard") => Protocol::Cecp,
            Some("cego") => Protocol::Cego,
            Some(other) => return Err(anyhow!("--protocol {other}: expected uci, cecp or cego")),
        };
        Ok(Spec::new(CommandLine::from_words(self.command.iter().cloned())?, protocol))
    }

    /// Starts the program. Where its protocol is a guess, nobody has to wait long to learn that it may be wrong.
    fn start(&self, spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<players::Bridge, Fault> {
        let (starting, started) = mpsc::channel::<()>();
        if self.is_guess() {
            let program = spec.command.to_string();
            let hint = move || {
                if started.recv_timeout(HINT) == Err(RecvTimeoutError::Timeout) {
                    eprintln!("herald: {program} has not answered yet; {OTHER_PROTOCOL}");
                }
            };
            // Without a thread it comes later, with the fault.
            let _ = std::thread::Builder::new().name("hint".into()).spawn(hint);
        }
        let bridge = players::Bridge::start(spec.clone(), log, self.membership.tc.clone());
        drop(starting);
        bridge
    }

    fn is_guess(&self) -> bool {
        self.protocol.is_none() && self.engine.is_none()
    }

    /// Why the program can't play. Perhaps it speaks another protocol than the usual one.
    fn explain(&self, spec: &Spec, fault: &Fault) -> anyhow::Error {
        let hint = match fault {
            Fault::Died(_) | Fault::Silence(_) if self.is_guess() => format!("; {OTHER_PROTOCOL}"),
            _ => String::new(),
        };
        anyhow!("{} {fault}{hint}", spec.command)
    }

    fn open_log(&self) -> Result<Option<Arc<dyn Log>>> {
        let Some(path) = &self.log else { return Ok(None) };
        let opened = std::fs::File::options().append(true).create(true).open(path);
        let file = opened.with_context(|| format!("{} cannot be opened", path.display()))?;
        Ok(Some(Arc::new(TextLog::new("program", Instant::now(), file))))
    }
}

/// A program behind a bridge.
struct Program(players::Bridge);

impl Client for Program {
    fn take_part(
        &mut self,
        connection: &mut Connection,
        habits: &Habits,
        leaving: &AtomicBool,
        alarm: &mut dyn FnMut(&str),
    ) -> io::Result<Parting> {
        let reader = connection.reader()?;
        self.0.take_part(reader, connection, habits, leaving, alarm)
    }
}
