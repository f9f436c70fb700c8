//! The state of the protocol as the engine knows it: side to move, position and clocks. It neither thinks nor does any
//! input or output.

use std::time::{Duration, Instant};

use game::{Clock, Color, Game, Move, MoveTime, Phase, TimeControl};
use shakmaty::ByColor;

use messages::cego::{EngineMessage, LongMove, MalformedMessage, MediatorMessage, SideClock, quoted};
use messages::input::MAX_LINE;

/// A violation of the protocol by the mediator, which ends the session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediatorError {
    /// A line is not a message.
    #[error(transparent)]
    Malformed(#[from] MalformedMessage),
    /// A line is longer than any message. Contains its beginning.
    #[error("malformed message: more than {limit} bytes, beginning with `{0}`", limit = MAX_LINE)]
    TooLong(String),
    /// The input ended within a message. Contains the part that was read.
    #[error("malformed message: `{0}` does not end with a newline")]
    CutShort(String),
    /// A message of a kind that was not expected at this point.
    #[error("`{found}` came out of turn: expected {expected}")]
    OutOfTurn {
        /// The expected kind of message.
        expected: &'static str,
        /// The received message.
        found: String,
    },
    /// The position of the first move message can't be played from. Contains the reason.
    #[error("{0}")]
    Position(String),
    /// The opponent's move is not legal.
    #[error("illegal move `{played}` in `{fen}`")]
    IllegalMove {
        /// The illegal move.
        played: LongMove,
        /// The position in which it was played.
        fen: String,
    },
    /// A move is requested although the game is over by checkmate or stalemate. Contains the position.
    #[error("no legal move in `{0}`")]
    NoMove(String),
}

/// The game, as both sides know it from the messages.
#[derive(Debug, Default)]
pub(super) struct ProtocolState {
    /// The engine's colour; `None` before the first move message. On the engine's turn the mediator must not send
    /// anything.
    own: Option<Color>,
    pub(super) game: Game,
    /// Both clocks, set to the values that the mediator has sent last. Only the engine's clock runs.
    clock: Clock,
}

impl ProtocolState {
    /// Handles a line with its line end. Afterwards it is the engine's turn.
    pub(super) fn hear(&mut self, line: &str, at: Instant) -> Result<(), MediatorError> {
        let text = line.strip_suffix('\n').ok_or_else(|| MediatorError::CutShort(quoted(line)))?;
        match (self.own, text.parse()?) {
            (None, MediatorMessage::FirstMove { own, opponent, position }) => {
                self.game = position.game().map_err(MediatorError::Position)?;
                let control = |clock: SideClock| {
                    // Only a control without any time is refused.
                    let phase = Phase { moves: None, time: clock.time, increment: clock.increment };
                    TimeControl::of_phase(phase).unwrap_or_default()
                };
                let turn = self.game.turn();
                self.own = Some(turn);
                let controls = ByColor::new_with(|color| control(if color == turn { own } else { opponent }));
                self.clock = Clock::with_controls(controls);
                self.set_times(own.time, opponent.time, at);
            }
            (Some(own), MediatorMessage::SubsequentMove { own_time, opponent_time, played })
                if own != self.game.turn() =>
            {
                self.play(played)?;
                self.set_times(own_time, opponent_time, at);
            }
            (own, _) => {
                let expected = match own {
                    None => "the first move message",
                    Some(own) if own == self.game.turn() => "no message before Herald's move",
                    Some(_) => "both times and the opponent's move",
                };
                return Err(MediatorError::OutOfTurn { expected, found: quoted(text) });
            }
        }
        if self.game.legal_moves().is_empty() {
            return Err(MediatorError::NoMove(self.game.fen()));
        }
        self.clock.start_turn(self.own(), at);
        Ok(())
    }

    fn play(&mut self, played: LongMove) -> Result<(), MediatorError> {
        let legal = played.find(&self.game).filter(|&m| self.game.play(m).is_ok());
        legal.map(|_| ()).ok_or_else(|| MediatorError::IllegalMove { played, fen: self.game.fen() })
    }

    /// Sets the clocks at the start of the engine's turn.
    fn set_times(&mut self, own: Duration, opponent: Duration, at: Instant) {
        let color = self.game.turn();
        self.clock.set_remaining(color, own, at);
        self.clock.set_remaining(!color, opponent, at);
    }

    /// Returns the engine's message on its turn: the chosen move, or a forfeit.
    pub(super) fn answer(&mut self, choice: Option<Move>, at: Instant) -> EngineMessage {
        self.clock.end_turn(at);
        let played = choice.filter(|&m| self.game.play(m).is_ok());
        played.and_then(LongMove::of).map_or(EngineMessage::Forfeit, EngineMessage::Move)
    }

    fn own(&self) -> Color {
        self.own.unwrap_or(self.game.turn())
    }

    /// Returns the time available for the engine's next move.
    pub(super) fn move_time(&self, at: Instant) -> MoveTime {
        self.clock.move_time(self.own(), at)
    }

    /// Returns the engine's remaining time.
    pub(super) fn remaining(&self, at: Instant) -> Duration {
        self.clock.remaining(self.own(), at).unwrap_or_default()
    }
}
