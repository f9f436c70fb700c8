//! The two varieties of the protocol.

use game::Game;
use shakmaty::Move;

use super::output::move_text;
use messages::cecp::GameResult;
use messages::cecp::Message;

/// Which variety an engine speaks. It understands both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// That of XBoard, as the specification has it.
    XBoard,
    /// That of R. Hyatt's proposal for autoplayers (1998): the interface knows no rules, so that engines judge the game
    /// themselves and tell each other their clocks.
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

    /// What is said to a move that can't be played. To an autoplayer it is the end of the game, for the other engine has
    /// another position on its board.
    pub(super) fn illegal_move(self, reason: String, mv: String) -> Message {
        match self {
            Dialect::XBoard => Message::IllegalMove { reason: Some(reason), mv },
            Dialect::Autoplayer => Message::Result {
                result: GameResult::Unfinished,
                comment: Some(format!("illegal move from other engine: {mv}")),
            },
        }
    }
}
