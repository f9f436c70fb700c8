//! Test harness for CEGO.

use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use game::{CastlingMode, Game, Move};
use messages::cego::{EngineMessage, MalformedMessage};

use crate::check::harness::{AT_ONCE, CheckedProtocol, Harness, demand};
use crate::check::{Candidate, Checked, Failure};
use crate::{Cego, Log, LogEntry, Speaker};

pub(super) const SECOND: u64 = 1_000_000_000;

/// The announced data are the number of lines on standard error.
pub(in crate::check) type CegoHarness = Harness<Cego>;

type CegoLine = Result<EngineMessage, MalformedMessage>;

/// State of a program when its check begins.
#[derive(Clone, Copy)]
pub(in crate::check) enum CegoStart {
    /// After `ready`.
    Ready,
    /// After its first move in a position, with a second for the game.
    Moved(&'static str),
}

impl CegoStart {
    pub(in crate::check) fn reach(self, candidate: &Candidate) -> Checked<CegoHarness> {
        let errors = Arc::new(ErrorCounter { next: candidate.next_log(), ..ErrorCounter::default() });
        let mut program = CegoHarness::launch_with(candidate, Some(errors.clone()))?;
        program.announced = errors;
        let heard = program.hear_until("`ready`", program.patience, |_| true)?;
        heard.has("`ready` as the first line", |line| *line == Ok(EngineMessage::Ready))?;
        if let CegoStart::Moved(fen) = self {
            program.first_move(fen)?;
            program.hear_move(program.patience)?;
        }
        Ok(program)
    }
}

impl CheckedProtocol for Cego {
    type Announced = Arc<ErrorCounter>;

    fn ping(_announced: &Arc<ErrorCounter>, _n: i64) -> Option<(String, CegoLine)> {
        None
    }

    /// Besides a move, `forfeit` is the only message that a program to move may send.
    fn is_move(_line: &CegoLine) -> bool {
        true
    }

    fn legal_move(line: &CegoLine, game: &Game) -> Option<Move> {
        match line {
            Ok(EngineMessage::Move(mv)) => game.parse_move(&mv.to_string()).ok(),
            _ => None,
        }
    }
}

impl CegoHarness {
    /// Asks for a first move.
    pub(super) fn first_move(&mut self, fen: &str) -> Checked {
        self.set_board(fen, CastlingMode::Standard);
        self.tell([format!("{SECOND} 0 {SECOND} 0 {fen}")])
    }

    /// Plays a move against the program, and waits for its reply.
    pub(super) fn play(&mut self, text: &str) -> Checked {
        self.follow(&[text]);
        self.ask(&format!("{SECOND} {SECOND} {text}")).map(drop)
    }

    /// Fails if the program sends anything within a period.
    pub(super) fn hear_nothing(&mut self, time: Duration) -> Checked {
        self.hear_for(time)?.has_no("nothing", |_| true)
    }

    /// Breaks the protocol. Fails unless the program ends and sends nothing. Returns its exit status, and whether it has written to
    /// standard error.
    pub(super) fn ends_at(mut self, breach: &str) -> Checked<(Option<ExitStatus>, bool)> {
        let said_before = self.announced.count.load(Ordering::Relaxed);
        let expected = format!("that it ends at `{}`", game::excerpt(breach));
        self.tell([breach])?;
        let since = Instant::now();
        if let Ok(heard) = self.hear_for(AT_ONCE) {
            heard.has_no(&expected, |_| true)?;
            return Err(Failure::new(expected, "it runs on"));
        }
        let errors = Arc::clone(&self.announced);
        let departure = self.stream.quit(AT_ONCE);
        demand(since.elapsed() < 2 * AT_ONCE && !departure.killed, &expected, "it runs on")?;
        Ok((departure.status, errors.count.load(Ordering::Relaxed) > said_before))
    }

    /// As [`CegoHarness::ends_at`]. Fails unless the status is not 0 and there is a message on standard error.
    pub(super) fn explains_its_end_at(self, breach: &str) -> Checked {
        let (status, has_explained) = self.ends_at(breach)?;
        let has_failed = status.is_some_and(|status| !status.success());
        demand(has_failed, "a status other than 0", "status 0")?;
        demand(has_explained, "a message on standard error", "no message")
    }
}

/// Counts the lines of standard error, and passes all lines on to another log.
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
