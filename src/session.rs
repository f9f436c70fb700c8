//! `herald`, `herald xboard` and `herald uci`: conversations on standard input and output.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use engine::SettingsFile;
use game::diagram::DiagramStyle;
use messages::input::LineReader;
use platform::signals::{self, Signal};
use platform::terminal::TerminalMode;
use protocols::cecp::Dialect;
use protocols::detect::{self, DetectedProtocol};
use protocols::host::Host;
use protocols::{cecp, terminal, uci as uci_protocol};

/// Starts the engine for lines from standard input, with the settings that the user has saved.
pub(crate) fn host() -> Result<Host> {
    with_settings(Host::start(LineReader::new(io::stdin())))
}

/// Loads the user's saved settings; what can't be used is reported in one line on standard error.
pub(crate) fn with_settings(host: io::Result<Host>) -> Result<Host> {
    let mut host = host.context("the engine can't be started; is there enough memory?")?;
    if let Some(file) = SettingsFile::of_user() {
        for problem in host.use_settings(file) {
            eprintln!("herald: saved settings: {problem}");
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
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    // The first that is set decides (POSIX).
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| is_set(name)).and_then(env::var_os);
    let locale = locale.map(|value| value.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !locale.contains("utf-8") && !locale.contains("utf8") {
        DiagramStyle::Ascii
    } else if io::stdout().is_terminal() && !is_set("NO_COLOR") {
        DiagramStyle::Coloured
    } else {
        DiagramStyle::Unicode
    }
}
