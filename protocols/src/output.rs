//! The output of a session.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes lines and flushes each at once. After a failure nothing more is written; the session's loop checks for it,
/// so that command handlers need not.
pub(crate) struct SessionOutput<'a> {
    to: &'a mut dyn Write,
    failure: Option<io::Error>,
}

impl<'a> SessionOutput<'a> {
    pub(crate) fn new(to: &'a mut dyn Write) -> SessionOutput<'a> {
        SessionOutput { to, failure: None }
    }

    /// Writes a line with a single call.
    pub(crate) fn line(&mut self, line: &dyn Display) {
        if self.failure.is_none() {
            let written = self.to.write_all(format!("{line}\n").as_bytes());
            self.failure = written.and_then(|()| self.to.flush()).err();
        }
    }

    /// Returns the first failure, if there was one.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}
