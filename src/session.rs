//! `herald`, `herald xboard` and `herald uci`: conversations on standard input and output.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use engine::SettingsFile;
use game::diagram::Style;
use protocols::cecp::Dialect;
use protocols::detect::{self, Protocol};
use protocols::host::Host;
use protocols::terminal;
use protocols::{cecp, uci as uci_protocol};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::signals;

/// Starts the engine for lines from standard input, with the settings that the user has saved.
fn host() -> Result<Host> {
    with_settings(Host::start(io::stdin()))
}

/// Uses what the user has saved; what can't be used costs a line on standard error and nothing else.
fn with_settings(host: io::Result<Host>) -> Result<Host> {
    let mut host = host.context("the engine can't be started; is there enough memory?")?;
    if let Some(file) = SettingsFile::of_user() {
        for problem in host.use_settings(file) {
            eprintln!("herald: saved settings: {problem}");
        }
    }
    Ok(host)
}

/// `herald xboard`.
pub(crate) fn xboard(dialect: Dialect) -> Result<()> {
    signals::ignore()?;
    Ok(cecp::serve(host()?, &mut io::stdout(), dialect)?)
}

/// `herald uci`.
pub(crate) fn uci() -> Result<()> {
    signals::end_at(&[SIGINT, SIGTERM], || {})?;
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
        Some(Protocol::Cecp) => {
            signals::ignore()?;
            Ok(cecp::serve(host, &mut io::stdout(), Dialect::XBoard)?)
        }
        Some(Protocol::Uci) => {
            signals::end_at(&[SIGINT, SIGTERM], || {})?;
            Ok(uci_protocol::serve(host, &mut io::stdout())?)
        }
    }
}

fn play() -> Result<()> {
    let before = rustix::termios::tcgetattr(io::stdin());
    signals::end_at(&[SIGTERM], move || {
        // The line editor has its own ideas of a terminal; whoever comes next should find it as it was.
        if let Ok(before) = before {
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, &before);
        }
    })?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let Ok((lines, mut permit)) = terminal::open(Arc::clone(&interrupted)) else {
        // A terminal that can't be controlled, or output to a file.
        return Ok(terminal::serve(host()?, &mut io::stdout(), style(), |_, _| {})?);
    };
    // Ctrl-C: Herald moves now.
    signal_hook::flag::register(SIGINT, interrupted)?;
    let host = with_settings(Host::start(lines))?;
    Ok(terminal::serve(host, &mut io::stdout(), style(), |heard, turn| permit.give(heard, turn))?)
}

/// What the terminal can show, as far as the environment tells.
pub(crate) fn style() -> Style {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    // The first that is set decides (POSIX).
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| is_set(name)).and_then(env::var_os);
    let locale = locale.map(|value| value.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !locale.contains("utf-8") && !locale.contains("utf8") {
        Style::Ascii
    } else if io::stdout().is_terminal() && !is_set("NO_COLOR") {
        Style::Coloured
    } else {
        Style::Unicode
    }
}
