//! A program that speaks UCI, with the position that it was told.

use std::time::{Duration, Instant};

use game::{CastlingMode, Game};
use messages::uci::{Info, Message, MessageError, OptionKind};
use shakmaty::uci::UciMove;

use crate::check::conversation::{Conversation, none, seen};
use crate::check::{Candidate, Miss};
use crate::stream::Said;
use crate::uci::Uci;

pub(super) type Heard = Vec<Said<Result<Message, MessageError>>>;
type Read = Result<Message, MessageError>;

/// How long something may take that takes no time.
pub(super) const AT_ONCE: Duration = Duration::from_secs(2);

/// For what should not be said.
pub(super) const QUIET: Duration = Duration::from_millis(500);

pub(super) struct Bench {
    pub(super) talk: Conversation<Uci>,
    pub(super) options: Vec<(String, OptionKind)>,
    pub(super) game: Game,
    /// How long the program may take for a short search, on a busy machine.
    patience: Duration,
}

impl Bench {
    /// The program after `uciok`.
    pub(super) fn start(candidate: &Candidate) -> Result<Bench, Miss> {
        let mut talk = Conversation::start(candidate)?;
        talk.tell(&["uci"])?;
        let heard =
            talk.hear_until("`uciok`", candidate.spec.patience, |read| *read == Ok(Message::UciOk))?;
        let option = |said: Said<Read>| match said.message {
            Ok(Message::Option { name, kind }) => Some((name, kind)),
            _ => None,
        };
        let options = heard.into_iter().filter_map(option).collect();
        Ok(Bench { talk, options, game: Game::default(), patience: candidate.spec.patience })
    }

    /// With a position.
    pub(super) fn at(candidate: &Candidate, fen: &str) -> Result<Bench, Miss> {
        let mut bench = Bench::start(candidate)?;
        bench.set_up(fen)?;
        bench.settle()?;
        Ok(bench)
    }

    /// Searching without a limit.
    pub(super) fn searching(candidate: &Candidate, fen: &str) -> Result<Bench, Miss> {
        let mut bench = Bench::at(candidate, fen)?;
        bench.tell(&["go infinite"])?;
        bench.hear_no_move(QUIET)?;
        Ok(bench)
    }

    pub(super) fn tell(&mut self, lines: &[&str]) -> Result<(), Miss> {
        self.talk.tell(lines)
    }

    pub(super) fn set_up(&mut self, fen: &str) -> Result<(), Miss> {
        self.game = Game::from_fen(fen, CastlingMode::Standard).expect("the rules have legal positions");
        self.tell(&[&format!("position fen {fen}")])
    }

    /// The option of this name.
    pub(super) fn needs(&self, name: &str) -> Result<(), Miss> {
        if self.options.iter().any(|(known, _)| known == name) {
            Ok(())
        } else {
            Err(Miss::NotSupported(format!("the option {name}")))
        }
    }

    /// All that is said until everything is dealt with.
    pub(super) fn settle(&mut self) -> Result<Heard, Miss> {
        self.tell(&["isready"])?;
        let mut heard =
            self.talk.hear_until("`readyok`", self.patience, |read| *read == Ok(Message::ReadyOk))?;
        heard.pop();
        Ok(heard)
    }

    /// It answers with a legal move; nothing is played.
    pub(super) fn hear_move(&mut self, time: Duration) -> Result<(UciMove, Heard), Miss> {
        let heard = self.hear_answer(time)?;
        match heard.last().map(|said| &said.message) {
            Some(Ok(Message::BestMove { best, .. })) if best.to_move(self.game.position()).is_ok() => {
                Ok((*best, heard))
            }
            _ => {
                let last = &heard[heard.len() - 1..];
                Err(Miss::failed(format!("a legal move in {}", self.game.fen()), seen(last)))
            }
        }
    }

    /// All that it says up to its answer.
    pub(super) fn hear_answer(&mut self, time: Duration) -> Result<Heard, Miss> {
        self.talk.hear_until(&format!("`bestmove` within {} ms", time.as_millis()), time, is_best_move)
    }

    /// It doesn't answer for a time.
    pub(super) fn hear_no_move(&mut self, time: Duration) -> Result<Heard, Miss> {
        let heard = self.talk.hear_for(time)?;
        none(&heard, "no `bestmove`", is_best_move)?;
        Ok(heard)
    }

    /// Goes, and gets a legal move.
    pub(super) fn go(&mut self, how: &str) -> Result<(UciMove, Heard), Miss> {
        self.tell(&[&format!("go {how}")])?;
        self.hear_move(self.patience)
    }

    /// The same within a time in seconds.
    pub(super) fn go_within(&mut self, how: &str, seconds: f64) -> Result<(UciMove, Heard), Miss> {
        let since = Instant::now();
        let (best, heard) = self.go(how)?;
        let taken = since.elapsed().as_secs_f64();
        if taken > seconds {
            return Err(Miss::failed(
                format!("a move within {seconds} s"),
                format!("one after {taken:.2} s"),
            ));
        }
        Ok((best, heard))
    }

    /// It takes part in a game as if nothing had happened.
    pub(super) fn still_plays(&mut self) -> Result<(), Miss> {
        self.game = Game::default();
        self.tell(&["ucinewgame", "position startpos"])?;
        self.settle()?;
        self.go("movetime 100").map(drop)
    }
}

/// An answer, whether it can be read or not.
pub(super) fn is_best_move(read: &Read) -> bool {
    matches!(read, Ok(Message::BestMove { .. }) | Err(MessageError::Malformed { message: "bestmove", .. }))
}

/// The news of the search among what was heard.
pub(super) fn infos(heard: &Heard) -> impl Iterator<Item = &Info> {
    heard.iter().filter_map(|said| match &said.message {
        Ok(Message::Info(info)) => Some(&**info),
        _ => None,
    })
}
