//! Drives a session line by line in tests, as the other side of its input and output.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::host::Host;
use messages::input::LineReader;

/// How long a test waits before it fails; generous, because test machines may be busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// A session on its own thread.
pub(crate) struct Scripted {
    /// `None` after the input has been closed.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    ended: Receiver<()>,
    session: Option<JoinHandle<io::Result<()>>>,
}

impl Scripted {
    /// Starts a session.
    pub(crate) fn start<S>(session: S) -> Scripted
    where
        S: FnOnce(Host, &mut dyn Write) -> io::Result<()> + Send + 'static,
    {
        Scripted::listen(LineReader::new, session)
    }

    /// Starts a session with its own kind of line reader.
    pub(crate) fn listen<S>(lines: impl FnOnce(Typed) -> LineReader<Typed>, session: S) -> Scripted
    where
        S: FnOnce(Host, &mut dyn Write) -> io::Result<()> + Send + 'static,
    {
        let (input, typed) = mpsc::channel();
        let (written, output) = mpsc::channel();
        let (ending, ended) = mpsc::channel();
        let host = Host::start(lines(Typed { typed, pending: VecDeque::new() })).expect("an engine");
        let session = std::thread::spawn(move || {
            let result = session(host, &mut Lines { lines: written, pending: Vec::new() });
            let _ = ending.send(());
            result
        });
        Scripted { input: Some(input), output, ended, session: Some(session) }
    }

    /// Sends lines.
    pub(crate) fn say(&self, lines: &str) {
        self.send(format!("{lines}\n").as_bytes());
    }

    /// Sends bytes.
    pub(crate) fn send(&self, bytes: &[u8]) {
        let input = self.input.as_ref().expect("the input is open");
        // Fails if the session has ended; the next expectation reports that.
        let _ = input.send(bytes.to_vec());
    }

    /// Waits for a line that starts with `beginning`. Returns it and all lines before it.
    pub(crate) fn hear_until(&self, beginning: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(line) => heard.push(line),
                Err(error) => panic!("no `{beginning}` ({error}) after {heard:#?}"),
            }
            if heard.last().is_some_and(|line| line.starts_with(beginning)) {
                return heard;
            }
        }
    }

    /// Waits for a line that starts with `beginning` and returns it.
    pub(crate) fn hear(&self, beginning: &str) -> String {
        self.hear_until(beginning).pop().expect("at least that line")
    }

    /// Returns what the session writes within `time`.
    pub(crate) fn hear_for(&self, time: Duration) -> Vec<String> {
        std::thread::sleep(time);
        self.output.try_iter().collect()
    }

    /// Closes the input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the session and returns its remaining output.
    pub(crate) fn end(self) -> Vec<String> {
        let (result, heard) = self.result();
        result.expect("memory can be written");
        heard
    }

    /// Waits for the end of the session and returns its result and its remaining output.
    pub(crate) fn result(mut self) -> (io::Result<()>, Vec<String>) {
        self.ended.recv_timeout(PATIENCE).expect("the session ends");
        let session = self.session.take().expect("ended once");
        (session.join().expect("no panic"), self.output.try_iter().collect())
    }
}

/// The input of a session, chunk by chunk.
pub(crate) struct Typed {
    typed: Receiver<Vec<u8>>,
    pending: VecDeque<u8>,
}

impl Read for Typed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.pending.is_empty() {
            self.pending.extend(self.typed.recv().unwrap_or_default());
        }
        self.pending.read(buffer)
    }
}

struct Lines {
    lines: Sender<String>,
    pending: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend(bytes);
        Ok(bytes.len())
    }

    /// Sends the complete lines written so far; nothing arrives before it is flushed.
    fn flush(&mut self) -> io::Result<()> {
        while let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
            let line = self.pending.drain(..=end).take(end).collect();
            let _ = self.lines.send(String::from_utf8(line).map_err(io::Error::other)?);
        }
        Ok(())
    }
}

/// A buffer for a session's output that can be read while the session runs.
#[derive(Clone, Default)]
pub(crate) struct Paper(Rc<RefCell<Vec<u8>>>);

impl Paper {
    /// Returns and removes what was written since the last call.
    pub(crate) fn take(&self) -> String {
        String::from_utf8(self.0.take()).expect("text")
    }

    /// As [`Paper::take`], split into lines.
    pub(crate) fn take_lines(&self) -> Vec<String> {
        self.take().lines().map(str::to_owned).collect()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
