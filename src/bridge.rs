//! `herald bridge`: lets a CECP, UCI or CEGO program play under an EPD referee.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use players::{CommandLine, Log, PlayerFault, Protocol, Spec, TextLog};

use crate::match_command::program;
use crate::play::ClientArgs;
use crate::{WrongInput, settings};

const EXAMPLES: &str = "\
Examples:
  herald bridge --referee chess.example:7676 -- stockfish
  herald bridge --referee chess.example:7676 --name Fairy-Max --protocol cecp -- fairymax
  herald bridge --referee chess.example:7676 --engine \"cmd=toga2 name=Toga option.Hash=64\"

An ENGINE is a list of KEY=VALUE, as for `herald match`; without --protocol and protocol=, it speaks UCI.";

const USAGE: &str = "herald bridge <--referee <HOST:PORT>|--serial <DEVICE>> \
                     <--engine <ENGINE>|-- <COMMAND>...> [OPTIONS]";

/// Time after which a program is reported as silent. UCI programs usually answer at once.
const HINT: Duration = Duration::from_secs(2);
const OTHER_PROTOCOL: &str = "if it speaks CECP, say --protocol cecp";

/// Let a CECP, UCI or CEGO program play in an event of an EPD referee
///
/// A program that ends unexpectedly is restarted, and its game goes on. When the connection is lost, all referees are tried
/// again, one after the other. Ctrl-C signs off.
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(crate) struct BridgeArgs {
    #[command(flatten)]
    client: ClientArgs,
    /// Name to sign on with [default: the name that the program reports]
    #[arg(long)]
    name: Option<String>,
    /// Protocol of the program: uci, cecp or cego
    #[arg(long, conflicts_with = "engine")]
    protocol: Option<Protocol>,
    /// Program with options
    #[arg(long, value_name = "ENGINE", conflicts_with = "command", allow_hyphen_values = true)]
    engine: Option<String>,
    /// Time in milliseconds kept in reserve for each move, of which the program is not told: the latency of the network
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(..=60_000))]
    overhead: u64,
    /// Append all messages to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl BridgeArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let spec = self.spec().map_err(WrongInput::of)?;
        let log = settings::open_log(self.log.as_deref())?
            .map(|file| Arc::new(TextLog::new("program", Instant::now(), file)) as Arc<dyn Log>);
        let started = self.start(&spec, log);
        let mut bridge = started.map_err(|fault| WrongInput::of(self.explain(&spec, &fault)))?;
        let given = self.name.as_deref().or(spec.name.as_deref());
        let own = Some(bridge.name()).filter(|name| !name.is_empty());
        let name = given.or(own).unwrap_or(spec.command.file_name()).to_owned();
        let served = self.client.serve(&name, |mut transport, habits, leaving, alarm| {
            let disconnect = bridge.take_part(transport.reader()?, &mut transport, habits, leaving, alarm);
            transport.close();
            disconnect
        });
        bridge.close();
        served
    }

    fn spec(&self) -> Result<Spec> {
        if let Some(words) = &self.engine {
            return program(words).with_context(|| format!("--engine \"{words}\""));
        }
        let example = "for example -- stockfish, or --engine \"cmd=stockfish option.Hash=64\"";
        ensure!(!self.command.is_empty(), "which program plays? Say {example}");
        let command = CommandLine::from_words(self.command.iter().cloned())?;
        Ok(Spec::new(command, self.protocol.unwrap_or(Protocol::Uci)))
    }

    /// Starts the program. If its protocol is a guess and the program is silent, prints a hint.
    fn start(&self, spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<players::Bridge, PlayerFault> {
        let (starting, started) = mpsc::channel::<()>();
        if self.is_guess() {
            let program = spec.command.to_string();
            let hint = move || {
                if started.recv_timeout(HINT) == Err(RecvTimeoutError::Timeout) {
                    tell!("herald: {program} has not answered yet; {OTHER_PROTOCOL}");
                }
            };
            // Without a thread, the hint is part of the error message.
            let _ = std::thread::Builder::new().name("hint".into()).spawn(hint);
        }
        let bridge = players::Bridge::start(
            spec.clone(),
            log,
            self.client.tc.clone(),
            Duration::from_millis(self.overhead),
        );
        drop(starting);
        bridge
    }

    fn is_guess(&self) -> bool {
        self.protocol.is_none() && self.engine.is_none()
    }

    /// Formats the fault of a program, with a hint if it may speak another protocol.
    fn explain(&self, spec: &Spec, fault: &PlayerFault) -> anyhow::Error {
        let hint = match fault {
            PlayerFault::Died(_) | PlayerFault::Silence(_) if self.is_guess() => {
                format!("; {OTHER_PROTOCOL}")
            }
            _ => String::new(),
        };
        anyhow!("{} {fault}{hint}", spec.command)
    }
}
