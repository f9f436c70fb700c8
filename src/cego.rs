//! `herald cego`: the engine under a CEGO mediator.

use std::io::{self, Write};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use engine::NumberSetting;
use messages::cego::REVISION;
use messages::input::LineReader;
use platform::signals;
use protocols::cego::{CegoOptions, SessionError, serve};
use protocols::host::Host;

use crate::WrongInput;

/// Speak CEGO (Chess Engine Game Operation), revision 1, on standard input and output
///
/// The protocol has no options: what can be set is set here. It ends with exit code 0 when the mediator closes the input
/// and after forfeiting, and with 2, saying why on standard error, when the mediator breaks the protocol.
#[derive(Args)]
#[command(after_help = "Example: herald cego --ponder --hash 256")]
pub(crate) struct CegoArgs {
    /// Think in the opponent's time
    #[arg(long)]
    ponder: bool,
    /// Forfeit as soon as a forced mate against Herald is seen
    #[arg(long)]
    forfeit: bool,
    /// Size of the hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = NumberSetting::Hash.default(),
        value_parser = clap::value_parser!(i64).range(NumberSetting::Hash.range()))]
    hash: i64,
    /// Number of search threads
    #[arg(long, value_name = "COUNT", default_value_t = NumberSetting::Threads.default(),
        value_parser = clap::value_parser!(i64).range(NumberSetting::Threads.range()))]
    threads: i64,
    /// Time in milliseconds kept in reserve for each move
    #[arg(long, value_name = "MILLISECONDS", default_value_t = NumberSetting::Overhead.default(),
        value_parser = clap::value_parser!(i64).range(NumberSetting::Overhead.range()))]
    overhead: i64,
}

impl CegoArgs {
    pub(crate) fn run(&self) -> Result<()> {
        signals::exit_at(&signals::ALL, || 0)?;
        // The document leaves it to each program to disclose its revision. Nobody has to listen.
        let _ = writeln!(io::stderr(), "herald: CEGO revision {REVISION}");
        let mut host = Host::start(LineReader::exact(io::stdin()))
            .context("the engine can't be started; is there enough memory?")?;
        host.engine.set(NumberSetting::Hash, self.hash)?;
        host.engine.set(NumberSetting::Threads, self.threads)?;
        host.engine.set(NumberSetting::Overhead, self.overhead)?;
        let options = CegoOptions { ponder: self.ponder, forfeit: self.forfeit };
        serve(host, &mut io::stdout(), options).map_err(|error| match error {
            SessionError::Protocol(error) => WrongInput::of(anyhow!("{error}")),
            SessionError::Output(error) => error.into(),
        })
    }
}
