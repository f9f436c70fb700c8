//! The two dialects of the protocol. Hyatt's differs in the form of a few messages and in two duties: the engine ends
//! the game on an illegal move and adjudicates its own moves.

use game::Game;
use shakmaty::Move;

use super::output::move_text;
use messages::cecp::{GameResult, Message};

/// The dialect that an engine writes. Both are understood as input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// XBoard's dialect, as in the specification.
    XBoard,
    /// The dialect of R. Hyatt's proposal for autoplayers (1998). The interface does not know the rules, so the
    /// engines determine the result themselves and send each other their clocks.
    Autoplayer,
}

impl Dialect {
    /// Returns the offer or the acceptance of a draw.
    pub(super) const fn draw(self) -> Message {
        match self {
            Dialect::XBoard => Message::OfferDraw,
            Dialect::Autoplayer => Message::Draw,
        }
    }

    /// Returns the message for the engine's own move, in SAN for autoplayers as Hyatt suggests.
    pub(super) fn own_move(self, game: &Game, mv: Move) -> Message {
        Message::Move(match self {
            Dialect::XBoard => move_text(game, mv),
            Dialect::Autoplayer => game.san(mv),
        })
    }

    /// Returns the answer to an illegal move. With an autoplayer the game ends, because the two engines no longer have
    /// the same position.
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
