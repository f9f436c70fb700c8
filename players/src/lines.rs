//! The output of a program, split into lines of limited length.

use std::collections::VecDeque;
use std::io;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use messages::input::MAX_LINE;
use platform::{PipeRead, PipeReader, Ringer};

use crate::log::{Recorder, Speaker};

/// Size of the read buffer, in bytes.
const CHUNK: usize = 64 * 1024;

/// Number of bytes kept of a line that is too long: enough to recognise it in the log.
const KEPT_OF_TOO_LONG: usize = 80;

/// Lines from a pipe, with the time at which each was read.
pub(crate) struct OutputLines {
    pub(crate) pipe: PipeReader,
    cutter: LineCutter,
    chunk: Box<[u8]>,
}

impl OutputLines {
    pub(crate) fn new(pipe: PipeReader) -> OutputLines {
        OutputLines { pipe, cutter: LineCutter::default(), chunk: vec![0; CHUNK].into_boxed_slice() }
    }

    /// Reads the pipe once, without blocking.
    pub(crate) fn read(&mut self) -> PipeRead {
        let read = self.pipe.read(&mut self.chunk);
        if let PipeRead::Bytes(bytes) = read {
            self.cutter.push(Instant::now(), &self.chunk[..bytes]);
        }
        read
    }

    /// Takes the next line that was read.
    pub(crate) fn next(&mut self) -> Option<(Instant, OutputLine)> {
        self.cutter.lines.pop_front()
    }

    /// Takes the text after the last line feed, at the end of the output.
    pub(crate) fn rest(&mut self) -> Option<String> {
        self.cutter.rest()
    }

    /// Number of bytes read after the last line feed.
    pub(crate) fn unfinished(&self) -> u64 {
        self.cutter.unfinished
    }

    /// Memory used by lines that were read but not yet taken, in bytes.
    pub(crate) fn backlog(&self) -> usize {
        let lines = self.cutter.lines.iter();
        lines.map(|(_, line)| line.text.len() + size_of::<(Instant, OutputLine)>()).sum()
    }
}

/// A line, without its end. Bytes that are not UTF-8 have become U+FFFD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputLine {
    pub(crate) text: String,
    /// The line had more than [`MAX_LINE`] bytes; `text` is its beginning.
    pub(crate) is_cut: bool,
}

/// Splits bytes into lines.
#[derive(Default)]
pub(crate) struct LineCutter {
    pub(crate) lines: VecDeque<(Instant, OutputLine)>,
    /// Beginning of an unfinished line; empty while a line that is too long is skipped.
    begun: Vec<u8>,
    /// The rest of a line that is too long is being skipped.
    skipping: bool,
    /// Number of bytes after the last line feed.
    unfinished: u64,
}

impl LineCutter {
    pub(crate) fn push(&mut self, at: Instant, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (piece, is_end) = piece.strip_suffix(b"\n").map_or((piece, false), |piece| (piece, true));
            self.unfinished = if is_end { 0 } else { self.unfinished + piece.len() as u64 };
            if !self.skipping {
                self.begun.extend_from_slice(piece);
                if is_end || self.begun.len() > MAX_LINE {
                    self.lines.push_back((at, output_line(&self.begun)));
                    self.begun.clear();
                    self.skipping = !is_end;
                }
            } else if is_end {
                self.skipping = false;
            }
        }
    }

    /// Takes the unfinished line.
    fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.begun);
        (!rest.is_empty()).then(|| text(&rest))
    }
}

fn output_line(bytes: &[u8]) -> OutputLine {
    let is_cut = bytes.len() > MAX_LINE;
    OutputLine { text: text(if is_cut { &bytes[..KEPT_OF_TOO_LONG] } else { bytes }), is_cut }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Removes control characters except tabs, among them a carriage return before the line feed.
pub(crate) fn clean(text: String) -> String {
    let is_bad = |c: char| c.is_control() && c != '\t';
    if text.contains(is_bad) { text.replace(is_bad, "") } else { text }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> OutputLine {
        OutputLine { text: text.into(), is_cut: false }
    }

    /// Adds bytes, and takes the lines that they complete.
    fn lines(cutter: &mut LineCutter, bytes: &[u8]) -> Vec<OutputLine> {
        cutter.push(Instant::now(), bytes);
        cutter.lines.drain(..).map(|(_, line)| line).collect()
    }

    #[test]
    fn lines_in_pieces() {
        let mut cutter = LineCutter::default();
        assert_eq!(lines(&mut cutter, b"on"), []);
        assert_eq!(lines(&mut cutter, b"e\n\ntwo\r\nth"), [whole("one"), whole(""), whole("two\r")]);
        assert_eq!(lines(&mut cutter, b"r\xFFe"), []);
        assert_eq!(cutter.rest().as_deref(), Some("thr\u{FFFD}e"));
        assert_eq!(cutter.rest(), None);
    }

    #[test]
    fn a_line_without_end_is_told_once_and_costs_no_memory() {
        let mut cutter = LineCutter::default();
        let mut told = Vec::new();
        for _ in 0..100 {
            told.extend(lines(&mut cutter, &[b'x'; 10_000]));
            assert!(cutter.begun.len() <= MAX_LINE + 10_000);
        }
        told.extend(lines(&mut cutter, b"xx\nnext\n"));
        let cut = OutputLine { text: "x".repeat(KEPT_OF_TOO_LONG), is_cut: true };
        assert_eq!(told, [cut.clone(), whole("next")]);

        // The same if it comes in one piece.
        let bytes = [&b"x".repeat(MAX_LINE + 1)[..], b"\nnext\n"].concat();
        assert_eq!(lines(&mut cutter, &bytes), [cut, whole("next")]);
    }

    #[test]
    fn control_characters_go_but_tabs_stay() {
        assert_eq!(clean("a\u{1b}[31mb\tc\r\u{0}\u{9b}".into()), "a[31mb\tc");
    }
}
