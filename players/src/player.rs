//! A participant of a game as an official sees it, independent of protocol and transport.

use std::process::ExitStatus;
use std::str::FromStr;
use std::time::{Duration, Instant};

use game::Score;
use game::{Clock, Color, Game, Move, Outcome, TimeControl};
use platform::{Resources, Source};
use serde::{Deserialize, Serialize};
use shakmaty::ByColor;

/// A participant: a program driven by a protocol, or a scripted one in tests and benchmarks.
///
/// All events of a player come from [`Player::take`], in order and with the time of arrival. The other methods send and
/// don't wait for an answer, except [`Player::check_ready`] and [`Player::new_game`]. After a [`PlayerFault`] only [`Player::quit`] may be called.
pub trait Player {
    /// The name that it gives itself, without control characters. Empty if it gives none.
    #[expect(clippy::unnecessary_literal_bound, reason = "players with a name lend theirs")]
    fn name(&self) -> &str {
        ""
    }

    /// Between games: checks that the player can be given another one. Waits for its answer if the protocol has a question for
    /// that.
    ///
    /// # Errors
    /// The player ended or didn't answer in time.
    fn check_ready(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Sets up a game and waits until the player is ready for it.
    ///
    /// # Errors
    /// The player ended, didn't answer in time or cannot play this game.
    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault>;

    /// It is the player's turn: sends the opponent's last move, if any, and the clocks, and asks for a move.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault>;

    /// The player's move was accepted and the opponent's clock runs: the player may ponder. Only some protocols need to be
    /// told.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn wait(&mut self, _turn: &Turn) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// The opponent offers a draw. Protocols without draw offers send nothing.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// The game is over; a search is stopped. Further messages about this game are ignored.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault>;

    /// The next event, if there is one; never blocks.
    fn take(&mut self) -> Option<Arrival>;

    /// Ready when the player has sent something; `None` if [`Player::take`] always answers at once. Call `take` first: it
    /// may have events of an earlier read.
    fn source(&self) -> Option<Source<'_>>;

    /// Ends the player, by force if necessary.
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

/// From its usual names, case-insensitive.
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

/// The state of the game when a player has to move or begins to wait.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// Both sides' time.
    pub clock: &'a Clock,
    /// The present moment.
    pub at: Instant,
}

/// An event of a player.
#[derive(Debug)]
pub struct Arrival {
    /// When its last byte was read.
    pub at: Instant,
    /// The event.
    pub event: PlayerEvent,
}

/// What a player can do in a game.
#[derive(Debug)]
pub enum PlayerEvent {
    /// It makes a move, in its own notation; the official parses and judges it.
    Move(String),
    /// Thinking output.
    Thinking(Thinking),
    /// It offers a draw, or accepts the one that was offered to it.
    DrawOffer,
    /// It resigns.
    Resignation,
    /// It claims a result, which the official checks: `1-0`, `0-1`, `1/2-1/2` or `*`.
    Claim {
        /// The result.
        result: String,
        /// The reason given; may be empty.
        reason: String,
    },
    /// It has a message for persons: recipient and text, as in "tells the opponent: good luck". A question gets no answer,
    /// as if the user had closed the dialogue.
    Remark(String),
    /// It rejects what it was sent, such as the opponent's move.
    Complaint(String),
    /// It can no longer play.
    Fault(PlayerFault),
}

/// Thinking output; only what the player sent.
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
    /// The principal variation in its own notation, without control characters.
    pub line: String,
}

impl Thinking {
    /// The moves of the line in this position, as far as they are legal; move numbers are skipped.
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
    /// It did not answer this in time.
    #[error("gave no answer to {0} in time")]
    Silence(&'static str),
    /// It ended by itself: how.
    #[error("ended unexpectedly ({0})")]
    Died(String),
    /// It broke a protocol that demands to end the conversation then (CEGO), or sent a line without end.
    #[error("broke the protocol: {0}")]
    Malformed(String),
    /// It cannot play a game of this kind (Chess960, a set-up position).
    #[error("cannot play {0}")]
    Unsupported(String),
}

/// How a player ended.
#[derive(Clone, Debug)]
pub struct Departure {
    /// How its process ended; `None` if it has none.
    pub status: Option<ExitStatus>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// Its use of processor and memory, if known.
    pub resources: Option<Resources>,
}

/// The score of a program, with estimates clamped to the range of Herald's own.
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
