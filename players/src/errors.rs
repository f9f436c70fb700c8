//! Records the standard error of a program.

use std::io;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use platform::{PipeRead, PipeReader, Ringer};

use crate::lines::OutputLines;
use crate::log::{Recorder, Speaker};

/// Longest single wait of the thread.
const LONG: Duration = Duration::from_hours(1);

/// A thread that copies a program's standard error to the log.
pub(crate) struct ErrorDrain {
    thread: JoinHandle<()>,
    /// Dropped to stop the thread, even if another process holds the pipe open.
    stop: Ringer,
}

impl ErrorDrain {
    pub(crate) fn start(errors: PipeReader, log: Recorder) -> io::Result<ErrorDrain> {
        let (stopped, stop) = platform::bell()?;
        let mut lines = OutputLines::new(errors);
        let thread = thread::Builder::new().name("standard error".into()).spawn(move || {
            loop {
                platform::wait(&[lines.pipe.source(), stopped.source()], Instant::now() + LONG);
                let is_stopped = platform::wait(&[stopped.source()], Instant::now());
                match lines.read() {
                    PipeRead::Bytes(_) => {}
                    PipeRead::Nothing if !is_stopped => {}
                    PipeRead::Nothing | PipeRead::End => break,
                }
                while let Some((at, line)) = lines.next() {
                    log.record(at, Speaker::StandardError, &line.text);
                }
            }
            if let Some(rest) = lines.rest() {
                log.record(Instant::now(), Speaker::StandardError, &rest);
            }
        })?;
        Ok(ErrorDrain { thread, stop })
    }

    /// Records the remaining output and stops the thread.
    pub(crate) fn finish(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}
