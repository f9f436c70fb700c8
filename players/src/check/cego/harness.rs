//! The test stand for CEGO.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use game::CastlingMode;
use messages::cego::{EngineMessage, MalformedMessage};

use crate::cego::Cego;
use crate::check::harness::{AT_ONCE, CheckedProtocol, Harness, Transcript, demand};
use crate::check::{Candidate, Failure};
use crate::log::{Log, LogEntry, Speaker};

pub(super) const SECOND: u64 = 1_000_000_000;

/// What is announced are the lines on standard error.
pub(super) type CegoHarness = Harness<Cego>;

impl CheckedProtocol for Cego {
    type Announced = Arc<ErrorCounter>;

    fn is_move(line: &Result<EngineMessage, MalformedMessage>) -> bool {
        matches!(line, Ok(EngineMessage::Move(_)))
    }
}

impl CegoHarness {
    /// The program after `ready`.
    pub(super) fn start(candidate: &Candidate) -> Result<CegoHarness, Failure> {
        let errors = Arc::new(ErrorCounter { next: candidate.log.clone(), ..ErrorCounter::default() });
        let mut harness =
            CegoHarness::launch(&Candidate { spec: candidate.spec, log: Some(errors.clone()) })?;
        harness.announced = errors;
        let heard = harness.hear_until("`ready`", harness.patience, |_| true)?;
        let is_ready = heard.contains(|line| *line == Ok(EngineMessage::Ready));
        demand(is_ready, "`ready` as the first line", heard.shown())?;
        Ok(harness)
    }

    /// The program has made its first move in a position, with a second for the game.
    pub(super) fn playing(candidate: &Candidate, fen: &str) -> Result<CegoHarness, Failure> {
        let mut harness = CegoHarness::start(candidate)?;
        harness.first_move(fen)?;
        harness.hear_move()?;
        Ok(harness)
    }

    /// Asks for a first move.
    pub(super) fn first_move(&mut self, fen: &str) -> Result<(), Failure> {
        self.set_board(fen, CastlingMode::Standard);
        self.tell(&[&format!("{SECOND} 0 {SECOND} 0 {fen}")])
    }

    /// Plays a move against it, and asks for the next.
    pub(super) fn play(&mut self, text: &str) -> Result<(), Failure> {
        self.follow(&[text]);
        self.tell(&[&format!("{SECOND} {SECOND} {text}")])
    }

    /// Its next line: a legal move if it is a move.
    fn hear_answer(&mut self, expected: &str) -> Result<Transcript<CegoLine>, Failure> {
        let heard = self.hear_until(expected, self.patience, |_| true)?;
        if let Some(Ok(EngineMessage::Move(mv))) = heard.messages().next() {
            let is_legal = self.game.parse_move(&mv.to_string()).is_ok();
            demand(is_legal, format!("a legal move in {}", self.game.fen()), heard.shown())?;
            self.follow(&[&mv.to_string()]);
        }
        Ok(heard)
    }

    /// It makes a legal move, and says nothing else.
    pub(super) fn hear_move(&mut self) -> Result<(), Failure> {
        let heard = self.hear_answer(&format!("a move within {} ms", self.patience.as_millis()))?;
        heard.has(&format!("a legal move in {}", self.game.fen()), Cego::is_move)
    }

    /// It makes a legal move or forfeits.
    pub(super) fn hear_move_or_forfeit(&mut self) -> Result<(), Failure> {
        let heard = self.hear_answer("a move or `forfeit`")?;
        let is_fine = |line: &CegoLine| Cego::is_move(line) || *line == Ok(EngineMessage::Forfeit);
        heard.has("a legal move or `forfeit`", is_fine)
    }

    /// It says nothing for a time.
    pub(super) fn hear_nothing(&mut self, time: Duration) -> Result<(), Failure> {
        self.hear_for(time)?.has_no("nothing", |_| true)
    }

    /// Breaks the protocol: the program ends without a word, with a status other than 0, and says why on standard
    /// error.
    pub(super) fn ends_at(mut self, breach: &str) -> Result<(), Failure> {
        let said_before = self.announced.count.load(Ordering::Relaxed);
        let expected = format!("that it ends at `{}`", game::excerpt(breach));
        self.tell(&[breach])?;
        let since = Instant::now();
        if let Ok(heard) = self.hear_for(AT_ONCE) {
            heard.has_no(&expected, |_| true)?;
            return Err(Failure::new(expected, "it runs on"));
        }
        let errors = Arc::clone(&self.announced);
        let departure = self.departure(AT_ONCE);
        demand(since.elapsed() < 2 * AT_ONCE && !departure.killed, &expected, "it runs on")?;
        let has_failed = departure.status.is_some_and(|status| !status.success());
        demand(has_failed, format!("{expected} with a status other than 0"), "status 0")?;
        let has_explained = errors.count.load(Ordering::Relaxed) > said_before;
        demand(has_explained, format!("{expected} with a message on standard error"), "no message")
    }
}

type CegoLine = Result<EngineMessage, MalformedMessage>;

/// Counts what is said on standard error; everything goes on to another log.
#[derive(Default)]
pub(crate) struct ErrorCounter {
    count: AtomicUsize,
    next: Option<Arc<dyn Log>>,
}

impl Log for ErrorCounter {
    fn record(&self, entry: &LogEntry) {
        if entry.speaker == Speaker::StandardError {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(next) = &self.next {
            next.record(entry);
        }
    }
}
