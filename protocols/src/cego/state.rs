//! The state of the protocol, as the engine sees it: whose turn it is, on what board and with how much time. It
//! neither thinks nor reads or writes.

use std::time::{Duration, Instant};

use game::{Clock, Color, Game, Move, MoveTime, Phase, TimeControl};
use shakmaty::ByColor;

use messages::cego::{
    EngineMessage, ImpossiblePosition, LongMove, MalformedMessage, MediatorMessage, SideClock, quoted,
};
use messages::input::MAX_LINE;

/// How a mediator broke the protocol, which ends the session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediatorError {
    /// A line is no message.
    #[error(transparent)]
    Malformed(#[from] MalformedMessage),
    /// A line is longer than any message. Carries its beginning.
    #[error("malformed message: more than {limit} bytes, beginning with `{0}`", limit = MAX_LINE)]
    TooLong(String),
    /// The input ended in the middle of a message. Carries what came of it.
    #[error("malformed message: `{0}` does not end with a newline")]
    CutShort(String),
    /// A message came when there was none to come, or one of the other kind. Carries the message.
    #[error("`{found}` came out of turn: expected {expected}")]
    OutOfTurn {
        /// What may come now.
        expected: &'static str,
        /// The message that came.
        found: String,
    },
    /// There is no playing from the position of the first move message.
    #[error(transparent)]
    Position(#[from] ImpossiblePosition),
    /// The opponent's move is not legal.
    #[error("illegal move `{played}` in `{fen}`")]
    IllegalMove {
        /// The move.
        played: LongMove,
        /// The position in which it can't be played.
        fen: String,
    },
    /// A move is asked for although the game is over by checkmate or stalemate. Carries the position.
    #[error("there is no legal move in `{0}`")]
    NoMove(String),
}

/// The game as both sides know it from the messages.
#[derive(Debug, Default)]
pub(super) struct ProtocolState {
    /// The engine's colour; `None` before the first move message. On its turn the mediator must be silent.
    own: Option<Color>,
    pub(super) game: Game,
    /// Both sides' time: as last told by the mediator, and counted on from there. Only the engine's own runs.
    clock: Clock,
}

impl ProtocolState {
    /// Takes a line with its end. Unless that breaks the protocol, it is the engine's turn now.
    pub(super) fn hear(&mut self, line: &str, at: Instant) -> Result<(), MediatorError> {
        let text = line.strip_suffix('\n').ok_or_else(|| MediatorError::CutShort(quoted(line)))?;
        match (self.own, text.parse()?) {
            (None, MediatorMessage::FirstMove { own, opponent, position }) => {
                self.game = position.game()?;
                let control = |clock: SideClock| {
                    // Refused is only a control without any time.
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
                    Some(own) if own == self.game.turn() => "nothing before Herald's move",
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

    /// Sets the clocks at the beginning of the engine's turn.
    fn set_times(&mut self, own: Duration, opponent: Duration, at: Instant) {
        let color = self.game.turn();
        self.clock.set_remaining(color, own, at);
        self.clock.set_remaining(!color, opponent, at);
    }

    /// The engine's message in its turn: the move it chose, or that it forfeits.
    pub(super) fn answer(&mut self, choice: Option<Move>, at: Instant) -> EngineMessage {
        self.clock.end_turn(at);
        let played = choice.filter(|&m| self.game.play(m).is_ok());
        played.and_then(LongMove::of).map_or(EngineMessage::Forfeit, EngineMessage::Move)
    }

    fn own(&self) -> Color {
        self.own.unwrap_or(self.game.turn())
    }

    /// What the engine may use for its next move.
    pub(super) fn move_time(&self, at: Instant) -> MoveTime {
        self.clock.move_time(self.own(), at)
    }

    /// The engine's time.
    pub(super) fn remaining(&self, at: Instant) -> Duration {
        self.clock.remaining(self.own(), at).unwrap_or_default()
    }
}
