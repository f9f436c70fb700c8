//! The output of a session.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes lines, each flushed at once. Nothing more is written after a failure, which the session's loop asks for: so a command's
/// handler need not care.
pub(crate) struct SessionOutput<'a> {
    to: &'a mut dyn Write,
    failure: Option<io::Error>,
}

impl<'a> SessionOutput<'a> {
    pub(crate) fn new(to: &'a mut dyn Write) -> SessionOutput<'a> {
        SessionOutput { to, failure: None }
    }

    /// Writes a line, in one piece.
    pub(crate) fn line(&mut self, line: &dyn Display) {
        if self.failure.is_none() {
            let written = self.to.write_all(format!("{line}\n").as_bytes());
            self.failure = written.and_then(|()| self.to.flush()).err();
        }
    }

    /// Whether nothing more can be written.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The first failure, if there was one.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}
