//! `herald`, `herald xboard`, `herald uci` and `herald cego`: conversations on standard input and output.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use engine::{NumberSetting, SettingsFile};
use game::diagram::DiagramStyle;
use messages::cego::REVISION;
use messages::input::LineReader;
use platform::signals::{self, Signal};
use platform::terminal::TerminalMode;
use protocols::cecp::Dialect;
use protocols::cego::{self, CegoOptions, SessionError};
use protocols::detect::{self, DetectedProtocol};
use protocols::host::Host;
use protocols::{cecp, terminal, uci as uci_protocol};

use crate::WrongInput;

/// Starts the engine for lines from standard input, with the settings that the user has saved.
pub(crate) fn host() -> Result<Host> {
    with_settings(Host::start(LineReader::new(io::stdin())))
}

/// Loads the user's saved settings; what can't be used is reported in one line on standard error.
pub(crate) fn with_settings(host: io::Result<Host>) -> Result<Host> {
    let mut host = host.context("the engine can't be started; is there enough memory?")?;
    if let Some(file) = SettingsFile::of_user() {
        for problem in host.use_settings(file) {
            tell!("herald: saved settings: {problem}");
        }
    }
    Ok(host)
}

/// `herald xboard`.
pub(crate) fn xboard(host: impl FnOnce() -> Result<Host>, dialect: Dialect) -> Result<()> {
    // The GUI may send SIGINT to get attention and SIGTERM to end the engine, and has said both in the protocol as well.
    signals::disarm()?;
    Ok(cecp::serve(host()?, &mut io::stdout(), dialect)?)
}

/// `herald uci`.
pub(crate) fn uci(host: impl FnOnce() -> Result<Host>) -> Result<()> {
    signals::exit_at(&signals::ALL, || 0)?;
    Ok(uci_protocol::serve(host()?, &mut io::stdout())?)
}

/// `herald "bench 5" quit`: lines of UCI as arguments. A command that is refused is an error.
pub(crate) fn uci_lines(lines: String) -> Result<()> {
    signals::exit_at(&signals::ALL, || 0)?;
    let host = with_settings(Host::start(LineReader::new(io::Cursor::new(lines))))?;
    Ok(uci_protocol::obey_all(host, &mut io::stdout())?)
}

/// `herald`.
pub(crate) fn play_or_detect() -> Result<()> {
    if io::stdin().is_terminal() {
        return play();
    }
    let mut host = host()?;
    match detect::recognise(&mut host, &mut io::stderr())? {
        None => Ok(()),
        Some(DetectedProtocol::Cecp) => xboard(|| Ok(host), Dialect::XBoard),
        Some(DetectedProtocol::Uci) => uci(|| Ok(host)),
    }
}

fn play() -> Result<()> {
    let before = TerminalMode::present();
    signals::exit_at(&[Signal::Terminate], move || {
        // The line editor changes the terminal; the shell should find it as it was.
        before.as_ref().inspect(|before| before.restore());
        0
    })?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let Ok((lines, mut permit)) = terminal::open(Arc::clone(&interrupted)) else {
        // A terminal that can't be controlled, or output to a file.
        return Ok(terminal::serve(host()?, &mut io::stdout(), style(), |_, _| {})?);
    };
    // Ctrl-C: Herald moves now.
    signals::set_flag(&[Signal::Interrupt], &interrupted)?;
    let host = with_settings(Host::start(LineReader::new(lines)))?;
    Ok(terminal::serve(host, &mut io::stdout(), style(), |heard, turn| permit.give(heard, turn))?)
}

/// What the terminal can show, according to the environment.
pub(crate) fn style() -> DiagramStyle {
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if !platform::terminal::shows_unicode() {
        DiagramStyle::Ascii
    } else if !is_plain && platform::terminal::shows_colours() {
        DiagramStyle::Coloured
    } else {
        DiagramStyle::Unicode
    }
}

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
        cego::serve(host, &mut io::stdout(), options).map_err(|error| match error {
            SessionError::Protocol(error) => WrongInput::of(anyhow!("{error}")),
            SessionError::Output(error) => error.into(),
        })
    }
}
