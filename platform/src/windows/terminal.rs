//! The console on standard input and output.

use std::io::{self, IsTerminal as _};
use std::thread;
use std::time::Instant;

/// Input mode of the console on standard input. The line editor restores it by itself, so that there is nothing to remember.
#[derive(Clone, Debug)]
pub struct TerminalMode;

impl TerminalMode {
    /// Current mode; `None` if standard input is no console.
    pub fn present() -> Option<TerminalMode> {
        io::stdin().is_terminal().then_some(TerminalMode)
    }

    /// Does nothing.
    pub fn restore(&self) {}
}

/// Columns and rows of the console on standard output; `None` if that is no console, or its size is unknown.
pub fn size() -> Option<(usize, usize)> {
    size_if(io::stdout().is_terminal())
}

/// Columns and rows of the console on standard error, like [`size`].
pub fn size_of_error_output() -> Option<(usize, usize)> {
    size_if(io::stderr().is_terminal())
}

fn size_if(is_terminal: bool) -> Option<(usize, usize)> {
    let (columns, rows) = is_terminal.then(crossterm::terminal::size)?.ok()?;
    Some((columns.into(), rows.into()))
}

/// Returns true: the standard library hands a console its text as Unicode.
pub fn shows_unicode() -> bool {
    true
}

/// Whether standard output is a console that shows colours, from Windows 10 on.
pub fn shows_colours() -> bool {
    io::stdout().is_terminal() && crossterm::ansi_support::supports_ansi()
}

/// Waits until `until` and returns false: what is typed meanwhile waits in the console for the line editor.
pub fn is_typed(until: Instant) -> bool {
    thread::sleep(until.saturating_duration_since(Instant::now()));
    false
}

/// Returns nothing: see [`is_typed`].
pub fn read_line(_longest: usize) -> Vec<u8> {
    Vec::new()
}
