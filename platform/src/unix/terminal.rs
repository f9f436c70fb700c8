//! The terminal on standard input and output.

use std::env;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::process::getpgrp;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};

use crate::{Source, wait};

/// Input mode of the terminal on standard input: echo, lines or single keys.
#[derive(Clone, Debug)]
pub struct TerminalMode(Termios);

impl TerminalMode {
    /// Current mode; `None` if standard input is no terminal.
    pub fn present() -> Option<TerminalMode> {
        tcgetattr(io::stdin()).ok().map(TerminalMode)
    }

    /// Restores the mode, unless the terminal is another program's now: the shell's, when this one runs in the background. To
    /// change it would stop the process. Errors are ignored: the terminal may be gone.
    pub fn restore(&self) {
        if tcgetpgrp(io::stdin()) != Ok(getpgrp()) {
            return;
        }
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// Columns and rows of the terminal on standard output; `None` if that is no terminal, or its size is unknown.
pub fn size() -> Option<(usize, usize)> {
    size_of(io::stdout())
}

/// Columns and rows of the terminal on standard error, like [`size`].
pub fn size_of_error_output() -> Option<(usize, usize)> {
    size_of(io::stderr())
}

fn size_of(terminal: impl AsFd) -> Option<(usize, usize)> {
    let size = tcgetwinsize(terminal).ok().filter(|size| size.ws_col > 0)?;
    Some((size.ws_col.into(), size.ws_row.into()))
}

/// Whether the locale says that the terminal shows Unicode (POSIX: the first variable that is set decides).
pub fn shows_unicode() -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(env::var_os).find(|value| !value.is_empty());
    let locale = locale.map(|value| value.to_string_lossy().to_lowercase()).unwrap_or_default();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Whether standard output is a terminal, which then shows colours.
pub fn shows_colours() -> bool {
    io::stdout().is_terminal()
}

/// Waits until something is typed, the input ends, a signal comes, or until `until`. Returns whether there is input to read.
pub fn is_typed(until: Instant) -> bool {
    wait(&[Source::readable(&io::stdin())], until)
}

/// Reads a typed line, of at most `longest` bytes; empty at the end of the input. Blocks if there is neither.
///
/// The terminal returns whole lines in its usual mode. Bypasses the buffer of [`std::io::Stdin`]: don't mix both ways of reading.
pub fn read_line(longest: usize) -> Vec<u8> {
    let mut line = vec![0; longest];
    let length = rustix::io::read(io::stdin(), &mut line).unwrap_or(0);
    line.truncate(length);
    line
}
