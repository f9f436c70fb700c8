//! The test stand for UCI.

use std::time::{Duration, Instant};

use game::{CastlingMode, Game};
use messages::OptionKind;
use messages::uci::{Info, LineError, Message};
use shakmaty::uci::UciMove;

use crate::check::harness::{CheckedProtocol, Harness, QUIET, Transcript, require, within};
use crate::check::{Candidate, Failure};
use crate::uci::Uci;

/// A line of the program, as far as it can be read.
type UciLine = Result<Message, LineError>;

pub(super) type UciTranscript = Transcript<UciLine>;

/// What is announced are the options.
pub(super) type UciHarness = Harness<Uci>;

impl CheckedProtocol for Uci {
    type Announced = Vec<(String, OptionKind)>;

    fn is_move(line: &UciLine) -> bool {
        let is_unreadable = || matches!(line, Err(LineError::Malformed { message: "bestmove", .. }));
        matches!(line, Ok(Message::BestMove { .. })) || is_unreadable()
    }
}

impl UciHarness {
    /// The program after `uciok`.
    pub(super) fn start(candidate: &Candidate) -> Result<UciHarness, Failure> {
        let mut harness = UciHarness::launch(candidate)?;
        let heard = harness.greet()?;
        harness.announced = heard
            .messages()
            .filter_map(|line| match line {
                Ok(Message::Option { name, kind }) => Some((name.clone(), kind.clone())),
                _ => None,
            })
            .collect();
        Ok(harness)
    }

    /// All that it says up to `uciok`.
    pub(super) fn greet(&mut self) -> Result<UciTranscript, Failure> {
        self.tell(&["uci"])?;
        self.hear_until("`uciok`", self.patience, |line| *line == Ok(Message::UciOk))
    }

    /// With a position.
    pub(super) fn at(candidate: &Candidate, fen: &str) -> Result<UciHarness, Failure> {
        let mut harness = UciHarness::start(candidate)?;
        harness.set_up(fen)?;
        harness.settle()?;
        Ok(harness)
    }

    /// Searching without a limit.
    pub(super) fn searching(candidate: &Candidate, fen: &str) -> Result<UciHarness, Failure> {
        let mut harness = UciHarness::at(candidate, fen)?;
        harness.tell(&["go infinite"])?;
        harness.hear_no_move(QUIET)?;
        Ok(harness)
    }

    pub(super) fn set_up(&mut self, fen: &str) -> Result<(), Failure> {
        self.set_board(fen, CastlingMode::Standard);
        self.tell(&[&format!("position fen {fen}")])
    }

    /// Sets up a position and plays moves in it.
    pub(super) fn set_up_and_play(
        &mut self,
        fen: &str,
        mode: CastlingMode,
        moves: &[&str],
    ) -> Result<(), Failure> {
        self.set_board(fen, mode);
        self.follow(moves);
        self.tell(&[&format!("position fen {fen} moves {}", moves.join(" "))])
    }

    /// The program has the option of this name.
    pub(super) fn needs(&self, name: &str) -> Result<(), Failure> {
        require(self.announced.iter().any(|(known, _)| known == name), format!("the option {name}"))
    }

    /// All that is said until everything is dealt with.
    pub(super) fn settle(&mut self) -> Result<UciTranscript, Failure> {
        self.tell(&["isready"])?;
        let mut heard = self.hear_until("`readyok`", self.patience, |line| *line == Ok(Message::ReadyOk))?;
        heard.0.pop();
        Ok(heard)
    }

    /// It answers with a legal move; nothing is played.
    pub(super) fn hear_move(&mut self, time: Duration) -> Result<(UciMove, UciTranscript), Failure> {
        let heard = self.hear_answer(time)?;
        match heard.last() {
            Some(Ok(Message::BestMove { best, .. })) if best.to_move(self.game.position()).is_ok() => {
                Ok((*best, heard))
            }
            _ => Err(Failure::new(format!("a legal move in {}", self.game.fen()), heard.last_shown())),
        }
    }

    /// All that it says up to its answer.
    pub(super) fn hear_answer(&mut self, time: Duration) -> Result<UciTranscript, Failure> {
        self.hear_until(&format!("`bestmove` within {} ms", time.as_millis()), time, Uci::is_move)
    }

    /// No second answer comes.
    pub(super) fn hear_no_more(&mut self) -> Result<(), Failure> {
        self.hear_for(QUIET)?.has_no("one `bestmove`", Uci::is_move)
    }

    /// Goes, and gets a legal move.
    pub(super) fn go(&mut self, how: &str) -> Result<(UciMove, UciTranscript), Failure> {
        self.tell(&[&format!("go {how}")])?;
        self.hear_move(self.patience)
    }

    /// The same within a time in seconds.
    pub(super) fn go_within(&mut self, how: &str, seconds: f64) -> Result<(), Failure> {
        let since = Instant::now();
        self.go(how)?;
        within(seconds, since.elapsed())
    }

    /// It takes part in a game as if nothing had happened.
    pub(super) fn still_plays(&mut self) -> Result<(), Failure> {
        self.game = Game::default();
        self.tell(&["ucinewgame", "position startpos"])?;
        self.settle()?;
        self.go("movetime 100").map(drop)
    }
}

/// The news of the search among what was heard.
pub(super) fn infos(heard: &UciTranscript) -> impl Iterator<Item = &Info> {
    heard.messages().filter_map(|line| match line {
        Ok(Message::Info(info)) => Some(&**info),
        _ => None,
    })
}
