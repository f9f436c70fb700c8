//! The terminal on standard input and output.

use std::io;
use std::time::Instant;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::{Source, wait};

/// How the terminal on standard input treats what is typed: echo, lines or single keys.
#[derive(Clone, Debug)]
pub struct TerminalMode(Termios);

impl TerminalMode {
    /// The present one; `None` if standard input is no terminal.
    pub fn present() -> Option<TerminalMode> {
        tcgetattr(io::stdin()).ok().map(TerminalMode)
    }

    /// Sets it again. A terminal that is gone needs none.
    pub fn restore(&self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// Columns and rows of the terminal on standard output; `None` if that is none, or doesn't know its size.
pub fn size() -> Option<(usize, usize)> {
    let size = tcgetwinsize(io::stdout()).ok().filter(|size| size.ws_col > 0)?;
    Some((size.ws_col.into(), size.ws_row.into()))
}

/// Waits until something is typed, the input ends, a signal comes or `until`. Whether there is something to read.
pub fn is_typed(until: Instant) -> bool {
    wait(&[Source::readable(&io::stdin())], until)
}

/// Reads what has been typed: a line, cut after `longest` bytes; nothing at the end of the input. Waits if there is neither.
///
/// The terminal gives whole lines as long as its mode is the usual one. Standard input's own buffer is passed by: who reads in
/// this way must not read in another.
pub fn read_line(longest: usize) -> Vec<u8> {
    let mut line = vec![0; longest];
    let length = rustix::io::read(io::stdin(), &mut line).unwrap_or(0);
    line.truncate(length);
    line
}
