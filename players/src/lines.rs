//! The output of a program, cut into lines, with a limit to what is kept.

use std::collections::VecDeque;
use std::time::Instant;

use messages::input::MAX_LINE;
use platform::{PipeRead, PipeReader};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// How much of a line that is too long is kept, in bytes: enough to recognise it in the log.
const KEPT_OF_TOO_LONG: usize = 80;

/// A pipe from a program, as lines with the moments at which they were read.
pub(crate) struct OutputLines {
    pub(crate) pipe: PipeReader,
    cutter: LineCutter,
    unread: VecDeque<(Instant, OutputLine)>,
    chunk: Box<[u8]>,
}

impl OutputLines {
    pub(crate) fn new(pipe: PipeReader) -> OutputLines {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        OutputLines { pipe, cutter: LineCutter::default(), unread: VecDeque::new(), chunk }
    }

    /// Reads the pipe once, without blocking.
    pub(crate) fn read(&mut self) -> PipeRead {
        let read = self.pipe.read(&mut self.chunk);
        if let PipeRead::Bytes(bytes) = read {
            let at = Instant::now();
            self.cutter.push(&self.chunk[..bytes]);
            self.unread.extend(std::iter::from_fn(|| self.cutter.next()).map(|line| (at, line)));
        }
        read
    }

    /// The next line of those that were read.
    pub(crate) fn next(&mut self) -> Option<(Instant, OutputLine)> {
        self.unread.pop_front()
    }

    /// What was not finished by a line feed at the end of the output.
    pub(crate) fn rest(&mut self) -> Option<String> {
        self.cutter.rest()
    }

    /// How much memory the lines take that were read and not asked for.
    pub(crate) fn backlog(&self) -> usize {
        let lines = self.unread.iter().map(|(_, line)| line.text.len() + size_of::<(Instant, OutputLine)>());
        lines.sum()
    }
}

/// A line, without its end. Bytes that are not UTF-8 have become U+FFFD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputLine {
    pub(crate) text: String,
    /// It had more than [`MAX_LINE`] bytes: this is its beginning, the rest of it is passed over.
    pub(crate) is_cut: bool,
}

/// Cuts bytes into lines. Holds at most one line that is not finished, and what was pushed last.
#[derive(Default)]
struct LineCutter {
    bytes: Vec<u8>,
    /// Where the next line begins.
    begin: usize,
    /// Up to where there is no line feed after `begin`.
    searched: usize,
    /// Inside a line that was too long.
    skipping: bool,
}

impl LineCutter {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.begin);
        self.searched -= self.begin;
        self.begin = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next line, if its end has come or it is too long.
    fn next(&mut self) -> Option<OutputLine> {
        loop {
            let end = self.bytes[self.searched..].iter().position(|&byte| byte == b'\n');
            let Some(end) = end.map(|at| self.searched + at) else { return self.unfinished() };
            let line = &self.bytes[self.begin..end];
            self.begin = end + 1;
            self.searched = self.begin;
            if !std::mem::take(&mut self.skipping) {
                return Some(output_line(line));
            }
        }
    }

    /// What was not finished by a line feed; the cutter is empty afterwards.
    fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.bytes).split_off(self.begin);
        let was_skipping = self.skipping;
        *self = LineCutter::default();
        (!rest.is_empty() && !was_skipping).then(|| text(&rest))
    }

    fn unfinished(&mut self) -> Option<OutputLine> {
        self.searched = self.bytes.len();
        let begun = &self.bytes[self.begin..];
        if begun.len() <= MAX_LINE && !self.skipping {
            return None;
        }
        let line = (!self.skipping).then(|| output_line(begun));
        self.skipping = true;
        self.begin = self.searched;
        line
    }
}

fn output_line(bytes: &[u8]) -> OutputLine {
    let is_cut = bytes.len() > MAX_LINE;
    OutputLine { text: text(if is_cut { &bytes[..KEPT_OF_TOO_LONG] } else { bytes }), is_cut }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The text without its control characters; tabs stay. A carriage return before the line feed is one of them.
pub(crate) fn clean(text: String) -> String {
    let is_bad = |c: char| c.is_control() && c != '\t';
    if text.contains(is_bad) { text.replace(is_bad, "") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "to be compared with what a cutter gives")]
    fn whole(text: &str) -> Option<OutputLine> {
        Some(OutputLine { text: text.into(), is_cut: false })
    }

    #[test]
    fn lines_in_pieces() {
        let mut cutter = LineCutter::default();
        cutter.push(b"on");
        assert_eq!(cutter.next(), None);
        cutter.push(b"e\n\ntwo\r\nth");
        assert_eq!(cutter.next(), whole("one"));
        assert_eq!(cutter.next(), whole(""));
        assert_eq!(cutter.next(), whole("two\r"));
        assert_eq!(cutter.next(), None);
        cutter.push(b"r\xFFe");
        assert_eq!(cutter.next(), None);
        assert_eq!(cutter.rest().as_deref(), Some("thr\u{FFFD}e"));
        assert_eq!(cutter.rest(), None);
    }

    #[test]
    fn a_line_without_end_is_told_once_and_costs_no_memory() {
        let mut cutter = LineCutter::default();
        let mut told = Vec::new();
        for _ in 0..100 {
            cutter.push(&[b'x'; 10_000]);
            told.extend(cutter.next());
            assert!(cutter.bytes.len() <= MAX_LINE + 10_000);
        }
        cutter.push(b"xx\nnext\n");
        told.extend(std::iter::from_fn(|| cutter.next()));
        let cut = OutputLine { text: "x".repeat(KEPT_OF_TOO_LONG), is_cut: true };
        assert_eq!(told, [cut.clone(), whole("next").unwrap()]);

        // The same if it comes in one piece.
        cutter.push(&[&b"x".repeat(MAX_LINE + 1)[..], b"\nnext\n"].concat());
        assert_eq!(cutter.next(), Some(cut));
        assert_eq!(cutter.next(), whole("next"));
    }

    #[test]
    fn control_characters_go_but_tabs_stay() {
        assert_eq!(clean("a\u{1b}[31mb\tc\r\u{0}\u{9b}".into()), "a[31mb\tc");
    }
}
