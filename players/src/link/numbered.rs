//! Numbered messages over a line that loses, damages and repeats them.
//!
//! Each message has a number. The receiver takes them in order, and every line that it writes tells the last number that it has
//! taken. What was not acknowledged is kept, and written again: after a time without news, when the other end asks for it, and on
//! the next connection. So a broken line costs no message, and none arrives twice. There is no I/O here, and no source of time.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use messages::autoplayer::LinkFrame;

/// Time without an acknowledgement after which messages are written again. It doubles each time.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);
const LONGEST_PATIENCE: Duration = Duration::from_secs(8);
/// An acknowledgement waits this long for a message that can carry it.
const ACKNOWLEDGING: Duration = Duration::from_millis(20);
/// Time between two requests to repeat.
const ASKING: Duration = Duration::from_millis(500);
/// Time without output after which a line is written that says nothing, so that the other end knows that the line holds.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// Number of messages that are kept. A game in progress has a few at a time.
const MOST_KEPT: usize = 200;

/// Both directions of a line.
#[derive(Debug)]
pub(crate) struct NumberedStream {
    /// Messages that were not acknowledged. The first has the number `acknowledged + 1`.
    kept: VecDeque<String>,
    acknowledged: u64,
    /// How many of them were written over this connection.
    written: usize,
    /// Lines without a number that are still to be written.
    asides: Vec<String>,
    /// Number of the last message received.
    received: u64,
    /// When an acknowledgement is due.
    owes: Option<Instant>,
    /// Whether a repetition is to be asked for, and when it was asked for last.
    asks: bool,
    asked: Option<Instant>,
    /// Whether the other end asks for a repetition, and when it was given one last.
    is_asked: bool,
    answered: Option<Instant>,
    patience: Duration,
    repeats_at: Option<Instant>,
    /// When the last line was written.
    wrote: Instant,
    /// Lines that were damaged, and messages that were written again.
    pub(crate) damaged: u64,
    pub(crate) repeated: u64,
}

/// What a line was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The next message.
    Message(String),
    /// A line without a number.
    Aside(String),
    /// An acknowledgement, a message that had come before, a damaged line.
    Nothing,
}

impl NumberedStream {
    pub(crate) fn new(now: Instant) -> NumberedStream {
        NumberedStream {
            kept: VecDeque::new(),
            acknowledged: 0,
            written: 0,
            asides: Vec::new(),
            received: 0,
            owes: None,
            asks: false,
            asked: None,
            is_asked: false,
            answered: None,
            patience: FIRST_PATIENCE,
            repeats_at: None,
            wrote: now,
            damaged: 0,
            repeated: 0,
        }
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, text: String) {
        self.kept.push_back(text);
    }

    /// Returns a line without a number that is written at once, to whomever.
    pub(crate) fn aside(&self, text: String) -> String {
        format!("{}\n", LinkFrame { number: 0, received: self.received, text })
    }

    /// Sends a line without a number, which may be lost.
    pub(crate) fn say(&mut self, text: String) {
        self.asides.push(text);
    }

    /// Whether everything that was sent has arrived.
    pub(crate) fn is_settled(&self) -> bool {
        self.kept.is_empty()
    }

    /// Number of messages that were not acknowledged.
    pub(crate) fn unacknowledged(&self) -> usize {
        self.kept.len()
    }

    /// Whether more messages are kept than an other end would leave unacknowledged that follows the protocol.
    pub(crate) fn is_overfull(&self) -> bool {
        self.kept.len() > MOST_KEPT
    }

    /// Whether nothing has to be written or is awaited.
    pub(crate) fn is_quiet(&self) -> bool {
        self.kept.is_empty() && self.asides.is_empty() && self.owes.is_none()
    }

    /// A connection begins: what was not acknowledged is written again as soon as the other end has told what it has.
    pub(crate) fn connect(&mut self, now: Instant) {
        self.written = 0;
        self.asides.clear();
        (self.owes, self.asks, self.asked, self.repeats_at) = (None, false, None, None);
        (self.is_asked, self.answered) = (false, None);
        self.patience = FIRST_PATIENCE;
        self.wrote = now;
    }

    /// The other end is a new program: numbers begin again, and what the former one did not get is dropped.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
        (self.acknowledged, self.received, self.written) = (0, 0, 0);
    }

    /// Takes an acknowledgement.
    pub(crate) fn acknowledge(&mut self, received: u64) {
        let news = received.saturating_sub(self.acknowledged).min(self.kept.len() as u64);
        if news == 0 {
            return;
        }
        self.kept.drain(..news as usize);
        self.acknowledged += news;
        self.written = self.written.saturating_sub(news as usize);
        (self.patience, self.repeats_at) = (FIRST_PATIENCE, None);
    }

    /// Takes a line without its end.
    pub(crate) fn hear(&mut self, line: &str, now: Instant) -> Heard {
        if line.trim().is_empty() {
            return Heard::Nothing;
        }
        let Some(frame) = LinkFrame::read(line) else {
            self.damaged += 1;
            self.ask(now);
            return Heard::Nothing;
        };
        match frame.number {
            0 => self.hear_aside(frame),
            number if number == self.received + 1 => {
                self.acknowledge(frame.received);
                self.received = number;
                self.owes.get_or_insert(now + ACKNOWLEDGING);
                Heard::Message(frame.text)
            }
            number => {
                self.acknowledge(frame.received);
                // An old message was repeated because its acknowledgement was lost; a later one tells of a gap.
                if number > self.received {
                    self.ask(now);
                } else {
                    self.owes.get_or_insert(now);
                }
                Heard::Nothing
            }
        }
    }

    /// Reads a line of somebody who has not said who it is: only its hello counts.
    pub(crate) fn hear_stranger(line: &str) -> Heard {
        match LinkFrame::read(line) {
            Some(frame) if frame.number == 0 && frame.text.len() > 1 => Heard::Aside(frame.text),
            _ => Heard::Nothing,
        }
    }

    fn hear_aside(&mut self, frame: LinkFrame) -> Heard {
        if frame.text.is_empty() {
            self.acknowledge(frame.received);
            Heard::Nothing
        } else if frame.text == LinkFrame::AGAIN {
            self.acknowledge(frame.received);
            self.is_asked = true;
            Heard::Nothing
        } else {
            Heard::Aside(frame.text)
        }
    }

    fn ask(&mut self, now: Instant) {
        if self.asked.is_none_or(|asked| now.saturating_duration_since(asked) >= ASKING) {
            (self.asks, self.asked) = (true, Some(now));
        }
    }

    fn repeat(&mut self) {
        self.repeated += self.written as u64;
        (self.written, self.repeats_at) = (0, None);
    }

    /// Returns the lines that are to be written now. `is_open`: the other end is known, so that messages may be written;
    /// `is_busy`: earlier lines are still being written, so that the other end cannot have answered them.
    pub(crate) fn output(&mut self, now: Instant, is_open: bool, is_busy: bool) -> String {
        let mut lines = String::new();
        let mut write = |number, received, text: &str| {
            let frame = LinkFrame { number, received, text: text.to_owned() };
            let _ = writeln!(lines, "{frame}");
        };
        for text in self.asides.drain(..) {
            write(0, self.received, &text);
        }
        if is_busy {
            self.repeats_at = self.repeats_at.map(|at| at.max(now + self.patience));
        }
        if is_open {
            let may_answer = self.answered.is_none_or(|at| now.saturating_duration_since(at) >= ASKING);
            if self.is_asked && may_answer && !is_busy {
                (self.is_asked, self.answered) = (false, Some(now));
                self.repeat();
            }
            if self.repeats_at.is_some_and(|at| now >= at) {
                self.patience = (self.patience * 2).min(LONGEST_PATIENCE);
                self.repeat();
            }
            let first = self.acknowledged + 1 + self.written as u64;
            for (number, text) in (first..).zip(self.kept.iter().skip(self.written)) {
                write(number, self.received, text);
                self.owes = None;
            }
            self.written = self.kept.len();
            if self.written > 0 {
                self.repeats_at.get_or_insert(now + self.patience);
            }
            if std::mem::take(&mut self.asks) {
                write(0, self.received, LinkFrame::AGAIN);
                self.owes = None;
            }
            let is_silent = now.saturating_duration_since(self.wrote) >= SIGN_OF_LIFE;
            if self.owes.is_some_and(|at| now >= at) || (is_silent && lines.is_empty() && !is_busy) {
                let frame = LinkFrame { number: 0, received: self.received, text: String::new() };
                let _ = writeln!(lines, "{frame}");
                self.owes = None;
            }
        }
        if !lines.is_empty() {
            self.wrote = now;
        }
        lines
    }

    /// When [`NumberedStream::output`] has to be called again, if nothing happens before.
    pub(crate) fn due(&self) -> Instant {
        let answer = self.answered.filter(|_| self.is_asked).map(|at| at + ASKING);
        let dues = [self.owes, self.repeats_at, answer, Some(self.wrote + SIGN_OF_LIFE)];
        dues.into_iter().flatten().min().unwrap_or(self.wrote)
    }
}
