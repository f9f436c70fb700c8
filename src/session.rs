//! `herald`, `herald xboard` and `herald uci`: conversations on standard input and output.

use std::env;
use std::io::{self, IsTerminal};

use anyhow::{Context, Result};
use protocols::board::Style;
use protocols::detect::{self, Protocol};
use protocols::host::Host;
use protocols::terminal::{self, Terminal};
use protocols::{cecp, uci as uci_protocol};

use crate::signals;

/// Starts the engine for lines from standard input.
fn host() -> Result<Host> {
    Host::start(io::stdin()).context("the engine can't be started; is there enough memory?")
}

/// `herald xboard`.
pub(crate) fn xboard() -> Result<()> {
    signals::ignore()?;
    Ok(cecp::serve(host()?, &mut io::stdout())?)
}

/// `herald uci`.
pub(crate) fn uci() -> Result<()> {
    signals::end_program(|| {})?;
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
            Ok(cecp::serve(host, &mut io::stdout())?)
        }
        Some(Protocol::Uci) => {
            signals::end_program(|| {})?;
            Ok(uci_protocol::serve(host, &mut io::stdout())?)
        }
    }
}

fn play() -> Result<()> {
    let before = rustix::termios::tcgetattr(io::stdin());
    signals::end_program(move || {
        // The line editor has its own ideas of a terminal; whoever comes next should find it as it was.
        if let Ok(before) = before {
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, &before);
        }
    })?;
    let Ok(Terminal { lines, mut screen, permit }) = Terminal::open() else {
        // A terminal that can't be controlled, or output to a file.
        return Ok(terminal::serve(host()?, &mut io::stdout(), style(), || {})?);
    };
    let host = Host::start(lines).context("the engine can't be started; is there enough memory?")?;
    Ok(terminal::serve(host, &mut screen, style(), || permit.give())?)
}

/// What the terminal can show, as far as the environment tells.
fn style() -> Style {
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
