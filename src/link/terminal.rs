//! What the operator sees. A terminal that has gone or stands still costs the match nothing: lines that it does not take are lost.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// Number of lines that wait.
const WAITING: usize = 1000;
/// Time that is given to the last lines.
const LAST_LINES: Duration = Duration::from_secs(1);

/// The standard output and the standard error, written on a thread of their own.
pub(super) struct Terminal {
    lines: SyncSender<TerminalLine>,
    /// How it has gone, after the last line.
    result: Receiver<io::Result<()>>,
    bell: &'static str,
    is_quiet: bool,
}

enum TerminalLine {
    Output(String),
    Error(String),
}

impl Terminal {
    /// Starts the thread. `is_quiet`: without what engines think.
    ///
    /// # Errors
    /// The system has no more threads.
    pub(super) fn start(is_quiet: bool) -> io::Result<Terminal> {
        let (lines, received) = mpsc::sync_channel(WAITING);
        let (tell, result) = mpsc::channel();
        thread::Builder::new().name("terminal".into()).spawn(move || {
            let mut written = Ok(());
            for line in received {
                let result = match line {
                    TerminalLine::Output(text) => writeln!(io::stdout(), "{text}"),
                    // Nobody can be told that this fails.
                    TerminalLine::Error(text) => {
                        let _ = writeln!(io::stderr(), "{text}");
                        Ok(())
                    }
                };
                written = written.and(result);
            }
            let _ = tell.send(written);
        })?;
        let bell = if io::stderr().is_terminal() { "\u{7}" } else { "" };
        Ok(Terminal { lines, result, bell, is_quiet })
    }

    pub(super) fn say(&self, text: String) {
        let _ = self.lines.try_send(TerminalLine::Output(text));
    }

    pub(super) fn say_thinking(&self, text: String) {
        if !self.is_quiet {
            self.say(text);
        }
    }

    pub(super) fn alert(&self, text: &str) {
        let _ = self.lines.try_send(TerminalLine::Error(format!("{}herald: {text}", self.bell)));
    }

    /// Waits until the last line is written, but not long.
    ///
    /// # Errors
    /// The standard output could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        drop(self.lines);
        let until = Instant::now() + LAST_LINES;
        let rest = until.saturating_duration_since(Instant::now());
        self.result.recv_timeout(rest).unwrap_or(Err(io::ErrorKind::TimedOut.into()))
    }
}
