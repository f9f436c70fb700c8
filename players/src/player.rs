//! What an official sees of a player, whatever protocol it speaks and whatever carries its words.

use std::process::ExitStatus;
use std::str::FromStr;
use std::time::{Duration, Instant};

use game::Score;
use game::{CastlingMode, Clock, Color, Game, Move, Outcome, TimeControl};
use platform::{Resources, Source};
use serde::{Deserialize, Serialize};
use shakmaty::ByColor;

/// Somebody who plays: a program behind a protocol, or a scripted one in tests and benches.
///
/// Everything a player says comes out of [`Player::take`], in order and with the moment of its arrival. The methods
/// that speak to it don't wait for an answer, [`Player::new_game`] excepted. After a [`PlayerFault`] the player takes part in
/// nothing more; only [`Player::quit`] is left.
pub trait Player {
    /// Its name, as it calls itself; control characters are gone. Empty if it gave none.
    #[expect(clippy::unnecessary_literal_bound, reason = "players with a name lend theirs")]
    fn name(&self) -> &str {
        ""
    }

    /// Sets up a game and waits until the player is ready for it.
    ///
    /// # Errors
    /// The player died, kept silent for too long or cannot play this game.
    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault>;

    /// It is the player's turn: tells the opponent's last move, if there is one, and the clocks, and asks for a move.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault>;

    /// The player's move was accepted and the opponent's clock runs: a chance to ponder, for a protocol in which a player
    /// has to be told.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn wait(&mut self, _turn: &Turn) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// The opponent offers a draw. A protocol without draw offers says nothing.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// The game is over; a thinking player stops. What it still says about this game no longer counts.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault>;

    /// The next thing the player said, if it has said anything; never blocks.
    fn take(&mut self) -> Option<Arrival>;

    /// What becomes readable when the player speaks; `None` if [`Player::take`] always answers at once. Ask `take`
    /// first: it may hold back what was read together.
    fn source(&self) -> Option<Source<'_>>;

    /// Sends the player away, by force if it doesn't go.
    fn quit(self: Box<Self>) -> Departure;
}

/// A protocol that programs play by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The protocol of XBoard and WinBoard.
    Cecp,
    /// The Universal Chess Interface.
    Uci,
    /// Chess Engine Game Operation, revision 1.
    Cego,
}

/// Its usual names, in capitals or not.
impl FromStr for Protocol {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Protocol, &'static str> {
        match text.to_ascii_lowercase().as_str() {
            "cecp" | "xboard" | "winboard" => Ok(Protocol::Cecp),
            "uci" => Ok(Protocol::Uci),
            "cego" => Ok(Protocol::Cego),
            _ => Err("expected uci, cecp or cego"),
        }
    }
}

/// A game that is about to begin.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// The position on the board, before any move of the match; opening moves are in it as moves.
    pub game: Game,
    /// The side the player has.
    pub color: Color,
    /// The time each side has.
    pub controls: ByColor<TimeControl>,
    /// The opponent's name.
    pub opponent: String,
    /// Whether the player may think in the opponent's time.
    pub ponder: bool,
}

impl NewGame {
    /// Whether castling is written as in standard chess or as in Chess960.
    pub fn mode(&self) -> CastlingMode {
        self.game.mode()
    }
}

/// The moment at which a player has to move or begins to wait.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// Both sides' time.
    pub clock: &'a Clock,
    /// When it is.
    pub at: Instant,
}

impl Turn<'_> {
    /// What a side has left; `None` if no time is kept.
    pub(crate) fn remaining(&self, color: Color) -> Option<Duration> {
        self.clock.remaining(color, self.at)
    }
}

/// Something a player said.
#[derive(Debug)]
pub struct Arrival {
    /// When its last byte was read.
    pub at: Instant,
    /// What it was.
    pub event: PlayerEvent,
}

/// What a player can say in a game.
#[derive(Debug)]
pub enum PlayerEvent {
    /// It makes a move, in whatever notation it uses; the official reads it and judges it.
    Move(String),
    /// It tells what it is thinking.
    Thinking(Thinking),
    /// It offers a draw, or accepts the one that was offered to it.
    DrawOffer,
    /// It resigns.
    Resignation,
    /// It says that the game is over and how, in its own words: a claim that the official checks. The result is one of
    /// `1-0`, `0-1`, `1/2-1/2` and `*`.
    Claim {
        /// The result.
        result: String,
        /// The reason given; may be empty.
        reason: String,
    },
    /// It says something to persons, whom an official has not at hand: whom and what, in words, as in "tells the
    /// opponent: good luck". A question is not answered, as if a user had closed the dialogue.
    Remark(String),
    /// It refuses what it was told, such as the opponent's move.
    Complaint(String),
    /// It can no longer play.
    Fault(PlayerFault),
}

/// What a player thinks of the position, as far as it told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thinking {
    /// In plies.
    pub depth: Option<u32>,
    /// From the player's own point of view.
    pub score: Option<Score>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Time spent.
    pub time: Option<Duration>,
    /// The line it expects, in its own notation; control characters are gone.
    pub line: String,
}

impl Thinking {
    /// The moves of the line in this position, as far as they are legal; numbers of moves in it are passed over.
    pub fn moves(&self, game: &Game) -> Vec<Move> {
        let mut game = game.clone();
        let words =
            self.line.split_whitespace().map(|word| word.rsplit_once('.').map_or(word, |(_, text)| text));
        let moves = words.filter(|word| !word.is_empty()).map_while(|word| {
            let mv = game.parse_move(word).ok()?;
            game.play(mv).ok().map(|()| mv)
        });
        moves.collect()
    }
}

/// Why a player can no longer play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerFault {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It did not answer in time; says to what.
    #[error("gave no answer to {0} in time")]
    Silence(&'static str),
    /// It ended by itself.
    #[error("ended unexpectedly ({0})")]
    Died(String),
    /// It said something that its protocol forbids, in a protocol that forgives nothing (CEGO), or a line without end.
    #[error("broke the protocol: {0}")]
    Malformed(String),
    /// It cannot play a game of this kind (Chess960, a set-up position).
    #[error("cannot play {0}")]
    Unsupported(String),
}

/// How a player left.
#[derive(Clone, Debug)]
pub struct Departure {
    /// How its process ended; `None` if it has none.
    pub status: Option<ExitStatus>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// What it used, if that is known.
    pub resources: Option<Resources>,
}

/// The score that a program tells, with estimates as large as Herald's own at most.
pub(crate) fn score(told: Score) -> Score {
    match told {
        Score::Centipawns(centipawns) => {
            Score::Centipawns(centipawns.clamp(-Score::LARGEST_ESTIMATE, Score::LARGEST_ESTIMATE))
        }
        mate => mate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds_of_programs() {
        let game = Game::default();
        let read = |line: &str| Thinking { line: line.into(), ..Thinking::default() }.moves(&game);
        let expected = read("e2e4 e7e5 g1f3");
        assert_eq!(expected.len(), 3);
        for line in ["1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3 <HT>", "e4 e7-e5 Nf3 Ke5", "1. ... e4 e5 Nf3"] {
            assert_eq!(read(line), expected, "{line}");
        }
        assert_eq!(read("Ke5 e4"), []);
    }
}
