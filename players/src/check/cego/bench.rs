//! A program that speaks CEGO, with the game that it plays.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use game::{CastlingMode, Game};
use messages::cego::{EngineMessage, LongMove};

use crate::cego::Cego;
use crate::check::conversation::{Conversation, seen};
use crate::check::{Candidate, Miss};
use crate::log::{Entry, Log, Speaker};

/// How long something may take that takes no time.
pub(super) const AT_ONCE: Duration = Duration::from_secs(2);

pub(super) const SECOND: u64 = 1_000_000_000;

pub(super) struct Bench {
    pub(super) talk: Conversation<Cego>,
    pub(super) game: Game,
    /// How long the program may take for a move on a short clock, on a busy machine.
    patience: Duration,
    complaints: Arc<Complaints>,
}

impl Bench {
    /// The program after `ready`.
    pub(super) fn start(candidate: &Candidate) -> Result<Bench, Miss> {
        let complaints = Arc::new(Complaints { next: candidate.log.clone(), ..Complaints::default() });
        let log: Arc<dyn Log> = complaints.clone();
        let mut talk = Conversation::start(&Candidate { spec: candidate.spec, log: Some(log) })?;
        let heard = talk.hear_until("`ready`", candidate.spec.patience, |_| true)?;
        match heard.last().map(|said| &said.message) {
            Some(Ok(EngineMessage::Ready)) => {
                Ok(Bench { talk, game: Game::default(), patience: candidate.spec.patience, complaints })
            }
            _ => Err(Miss::failed("`ready` as the first line", seen(&heard))),
        }
    }

    /// The program has made its first move in a position, with a second for the game.
    pub(super) fn playing(candidate: &Candidate, fen: &str) -> Result<Bench, Miss> {
        let mut bench = Bench::start(candidate)?;
        bench.first_move(fen)?;
        bench.hear_move()?;
        Ok(bench)
    }

    /// Asks for a first move.
    pub(super) fn first_move(&mut self, fen: &str) -> Result<(), Miss> {
        self.game = Game::from_fen(fen, CastlingMode::Standard).expect("the rules have legal positions");
        self.tell(&format!("{SECOND} 0 {SECOND} 0 {fen}"))
    }

    /// Plays a move against it, and asks for the next.
    pub(super) fn play(&mut self, text: &str) -> Result<(), Miss> {
        let m = self.game.parse_move(text).expect("the rules have legal moves");
        self.game.play(m).expect("a legal move");
        self.tell(&format!("{SECOND} {SECOND} {text}"))
    }

    pub(super) fn tell(&mut self, line: &str) -> Result<(), Miss> {
        self.talk.tell(&[line])
    }

    /// It makes a legal move, and says nothing else.
    pub(super) fn hear_move(&mut self) -> Result<LongMove, Miss> {
        let expected = format!("a move within {} ms", self.patience.as_millis());
        let heard = self.talk.hear_until(&expected, self.patience, |_| true)?;
        let said = heard.last().expect("the wanted message");
        let legal = match &said.message {
            Ok(EngineMessage::Move(mv)) => self.game.parse_move(&mv.to_string()).ok().map(|m| (*mv, m)),
            _ => None,
        };
        let Some((mv, m)) = legal else {
            return Err(Miss::failed(format!("a legal move in {}", self.game.fen()), seen(&heard)));
        };
        self.game.play(m).expect("a legal move");
        Ok(mv)
    }

    /// It makes a legal move or forfeits.
    pub(super) fn hear_move_or_forfeit(&mut self) -> Result<(), Miss> {
        let heard = self.talk.hear_until("a move or `forfeit`", self.patience, |_| true)?;
        let is_fine = heard.last().is_some_and(|said| match &said.message {
            Ok(EngineMessage::Move(mv)) => self.game.parse_move(&mv.to_string()).is_ok(),
            Ok(EngineMessage::Forfeit) => true,
            _ => false,
        });
        if is_fine { Ok(()) } else { Err(Miss::failed("a legal move or `forfeit`", seen(&heard))) }
    }

    /// It says nothing for a time.
    pub(super) fn hear_nothing(&mut self, time: Duration) -> Result<(), Miss> {
        let heard = self.talk.hear_for(time)?;
        if heard.is_empty() { Ok(()) } else { Err(Miss::failed("nothing", seen(&heard))) }
    }

    /// Breaks the protocol: the program ends without a word, with a status other than 0, and says why on standard
    /// error.
    pub(super) fn ends_at(mut self, breach: &str) -> Result<(), Miss> {
        let said_before = self.complaints.count.load(Ordering::Relaxed);
        let expected = format!("that it ends at `{}`", game::excerpt(breach));
        self.tell(breach)?;
        let since = Instant::now();
        self.hear_nothing_until_its_end(&expected)?;
        let departure = self.talk.departure(AT_ONCE);
        if since.elapsed() >= 2 * AT_ONCE || departure.killed {
            return Err(Miss::failed(expected, "it runs on"));
        }
        if departure.status.is_none_or(|status| status.success()) {
            return Err(Miss::failed(format!("{expected} with a status other than 0"), "status 0"));
        }
        if self.complaints.count.load(Ordering::Relaxed) == said_before {
            return Err(Miss::failed(format!("{expected} with a message on standard error"), "no message"));
        }
        Ok(())
    }

    fn hear_nothing_until_its_end(&mut self, expected: &str) -> Result<(), Miss> {
        match self.talk.hear_for(AT_ONCE) {
            Err(_) => Ok(()),
            Ok(heard) if heard.is_empty() => Err(Miss::failed(expected, "it runs on")),
            Ok(heard) => Err(Miss::failed(expected, seen(&heard))),
        }
    }
}

/// Counts what is said on standard error; everything goes on to another log.
#[derive(Default)]
struct Complaints {
    count: AtomicUsize,
    next: Option<Arc<dyn Log>>,
}

impl Log for Complaints {
    fn record(&self, entry: &Entry) {
        if entry.speaker == Speaker::StandardError {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(next) = &self.next {
            next.record(entry);
        }
    }
}
