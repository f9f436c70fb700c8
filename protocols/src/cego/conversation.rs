//! The state of the conversation, as the engine sees it: whose turn it is, on what board and with how much time. It
//! neither thinks nor reads or writes.

use std::time::Duration;

use engine::TimeLimit;
use game::{Game, Move};

use messages::cego::quoted;
use messages::cego::{EngineMessage, ImpossiblePosition, LongMove, MediatorMessage, MessageError};
use messages::input::MAX_LINE;

/// How a mediator broke the protocol, which ends the conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// A line is no message.
    #[error(transparent)]
    Malformed(#[from] MessageError),
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

/// A conversation with a mediator.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    stage: Stage,
    game: Game,
    /// The engine's time: as the mediator said, or as it should be by now.
    remaining: Duration,
    increment: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The first move message must come next.
    #[default]
    Starting,
    /// The engine must move.
    OwnTurn,
    /// A subsequent move message must come next.
    OpponentsTurn,
}

impl Stage {
    /// What may come now.
    fn expected(self) -> &'static str {
        match self {
            Stage::Starting => "the first move message",
            Stage::OwnTurn => "nothing before Herald's move",
            Stage::OpponentsTurn => "both times and the opponent's move",
        }
    }
}

impl Conversation {
    /// Takes a line with its end. Unless that breaks the protocol, it is the engine's turn now.
    pub(super) fn hear(&mut self, line: &str) -> Result<(), Breach> {
        let text = line.strip_suffix('\n').ok_or_else(|| Breach::CutShort(quoted(line)))?;
        match (self.stage, text.parse()?) {
            (Stage::Starting, MediatorMessage::FirstMove(first)) => {
                self.game = first.position.game()?;
                self.remaining = first.own.time.into();
                self.increment = first.own.increment.into();
            }
            (Stage::OpponentsTurn, MediatorMessage::SubsequentMove(subsequent)) => {
                self.play(subsequent.played)?;
                self.remaining = subsequent.own_time.into();
            }
            (stage, _) => {
                return Err(Breach::OutOfTurn { expected: stage.expected(), found: quoted(text) });
            }
        }
        if self.game.legal_moves().is_empty() {
            return Err(Breach::NoMove(self.game.fen()));
        }
        self.stage = Stage::OwnTurn;
        Ok(())
    }

    fn play(&mut self, played: LongMove) -> Result<(), Breach> {
        let legal = played.find(&self.game).filter(|&m| self.game.play(m).is_ok());
        legal.map(|_| ()).ok_or_else(|| Breach::IllegalMove { played, fen: self.game.fen() })
    }

    /// What the engine says in its turn, for which it has used so much time: the move it chose, or that it forfeits.
    pub(super) fn answer(&mut self, choice: Option<Move>, used: Duration) -> EngineMessage {
        self.stage = Stage::OpponentsTurn;
        self.remaining = self.remaining.saturating_sub(used).saturating_add(self.increment);
        let played = choice.filter(|&m| self.game.play(m).is_ok());
        played.and_then(LongMove::of).map_or(EngineMessage::Forfeit, EngineMessage::Move)
    }

    /// The game so far.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// What the engine may use for its next move.
    pub(super) fn time_limit(&self) -> TimeLimit {
        TimeLimit::Clock { remaining: self.remaining, increment: self.increment, moves_to_go: None }
    }

    /// The engine's time.
    pub(super) fn remaining(&self) -> Duration {
        self.remaining
    }
}
