//! The log of a program: every line in both directions, and its standard error.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// Herald, to the program.
    Us,
    /// The program, on its standard output.
    Program,
    /// The program, on its standard error.
    StandardError,
    /// A remark of this library about the program.
    Note,
}

/// A line of the log. Lines that are too long are cut.
#[derive(Clone, Copy, Debug)]
pub struct LogEntry<'a> {
    /// Time when it was sent or read.
    pub at: Instant,
    /// Author of the line.
    pub speaker: Speaker,
    /// The line without its end, unchanged: it may contain control characters. Bytes that are not UTF-8 are U+FFFD.
    pub text: &'a str,
}

/// Receives log entries. Called from several threads during a game, so it should return quickly.
pub trait Log: Send + Sync {
    /// Records an entry.
    fn record(&self, entry: &LogEntry);
}

/// Writes a log as text: seconds since the start, a name, a sign for the speaker, the line. Control characters are escaped.
/// Write errors are ignored: a full disk must not end a game.
pub struct TextLog<W> {
    name: String,
    began: Instant,
    output: Mutex<W>,
}

impl<W: Write + Send> TextLog<W> {
    /// Writes to `output`, with one call for each line. Times are relative to `began`.
    pub fn new(name: impl Into<String>, began: Instant, output: W) -> TextLog<W> {
        TextLog { name: name.into(), began, output: Mutex::new(output) }
    }
}

impl<W: Write + Send> Log for TextLog<W> {
    fn record(&self, entry: &LogEntry) {
        let seconds = entry.at.saturating_duration_since(self.began).as_secs_f64();
        let sign = match entry.speaker {
            Speaker::Us => '<',
            Speaker::Program => '>',
            Speaker::StandardError => '!',
            Speaker::Note => '#',
        };
        let line = format!("{seconds:.6} {} {sign} {}\n", self.name, escaped(entry.text));
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = output.write_all(line.as_bytes());
    }
}

/// Escapes the control characters of a text, except tabs.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\t' { escaped.extend(c.escape_default()) } else { escaped.push(c) }
    }
    escaped
}

/// An optional log.
#[derive(Clone, Default)]
pub(crate) struct Recorder(pub(crate) Option<Arc<dyn Log>>);

impl Recorder {
    pub(crate) fn record(&self, at: Instant, speaker: Speaker, text: &str) {
        if let Some(log) = &self.0 {
            log.record(&LogEntry { at, speaker, text });
        }
    }

    pub(crate) fn note(&self, text: &str) {
        self.record(Instant::now(), Speaker::Note, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_call_with_its_control_characters_escaped() {
        let began = Instant::now();
        let log = TextLog::new("Anna", began, Vec::new());
        let at = began + std::time::Duration::from_millis(1500);
        log.record(&LogEntry { at, speaker: Speaker::Program, text: "move e2e4\u{1b}[31m\tx" });
        log.record(&LogEntry { at, speaker: Speaker::Us, text: "quit" });
        let text = String::from_utf8(log.output.into_inner().unwrap()).unwrap();
        assert_eq!(text, "1.500000 Anna > move e2e4\\u{1b}[31m\tx\n1.500000 Anna < quit\n");
    }
}
