//! The two dialects of the protocol. Hyatt's differs in the form of a few messages and in two duties: the engine ends the game
//! on an illegal move, and judges its own moves.

use game::Game;
use shakmaty::Move;

use super::output::move_text;
use messages::cecp::{GameResult, Message};

/// The dialect that an engine writes. It reads both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// XBoard's, as in the specification.
    XBoard,
    /// That of R. Hyatt's proposal for autoplayers (1998): the interface knows no rules, so the engines judge the game
    /// themselves and send each other their clocks.
    Autoplayer,
}

impl Dialect {
    /// An offer of a draw, or the acceptance of one.
    pub(super) const fn draw(self) -> Message {
        match self {
            Dialect::XBoard => Message::OfferDraw,
            Dialect::Autoplayer => Message::Draw,
        }
    }

    /// The engine's own move; SAN is what Hyatt suggests.
    pub(super) fn own_move(self, game: &Game, mv: Move) -> Message {
        Message::Move(match self {
            Dialect::XBoard => move_text(game, mv),
            Dialect::Autoplayer => game.san(mv),
        })
    }

    /// The answer to an illegal move. For an autoplayer it ends the game, as the other engine has another position on its
    /// board.
    pub(super) fn illegal_move(self, reason: String, mv: String) -> Message {
        match self {
            Dialect::XBoard => Message::IllegalMove { reason: Some(reason), mv },
            Dialect::Autoplayer => Message::Result {
                result: GameResult::Unknown,
                comment: Some(format!("illegal move from other engine: {mv}")),
            },
        }
    }
}
