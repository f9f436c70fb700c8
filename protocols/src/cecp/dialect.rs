//! The two dialects of the protocol. Hyatt's differs in the form of a few messages and in two duties: the engine ends
//! the game on an illegal move and adjudicates its own moves.

use game::Game;
use shakmaty::Move;

use messages::autoplayer::MoveNotation;
use messages::cecp::move_text;
use messages::cecp::{CommandError, GameResult, Message};

/// The dialect that an engine writes. Both are understood as input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// XBoard's dialect, as in the specification.
    XBoard,
    /// The dialect of R. Hyatt's proposal for autoplayers (1998). The interface does not know the rules, so the
    /// engines determine the result themselves and send each other their clocks. The interface chooses the notation of
    /// the moves.
    Autoplayer(MoveNotation),
}

impl Dialect {
    /// Whether it is that of autoplayers.
    pub(super) const fn is_autoplayer(self) -> bool {
        matches!(self, Dialect::Autoplayer(_))
    }

    /// Returns the offer or the acceptance of a draw.
    pub(super) const fn draw(self) -> Message {
        match self {
            Dialect::XBoard => Message::OfferDraw,
            Dialect::Autoplayer(_) => Message::Draw,
        }
    }

    /// Returns the message for the engine's own move.
    pub(super) fn own_move(self, game: &Game, mv: Move) -> Message {
        Message::Move(match self {
            Dialect::Autoplayer(MoveNotation::San) => game.san(mv),
            Dialect::XBoard | Dialect::Autoplayer(MoveNotation::Coordinates) => move_text(mv, game.mode()),
        })
    }

    /// Returns the answer to an illegal move. With an autoplayer the game ends, because the two engines no longer have
    /// the same position.
    pub(super) fn illegal_move(self, reason: String, mv: String) -> Message {
        match self {
            Dialect::XBoard => Message::IllegalMove { reason: Some(reason), mv },
            Dialect::Autoplayer(_) => break_off(&format!("illegal move from other engine: {mv}")),
        }
    }

    /// Returns the answer to a line that can't be obeyed. A command of Hyatt's proposal with wrong parameters ends the
    /// game, because the two engines would no longer play the same one; other commands are those of CECP.
    pub(super) fn refusal(self, kind: &str, line: String) -> Message {
        let word = line.split_whitespace().next().unwrap_or_default();
        let is_proposed = COMMANDS.contains(&word) && kind != CommandError::Unknown.to_string();
        if self.is_autoplayer() && is_proposed {
            break_off(&format!("{kind}: {line}"))
        } else {
            Message::Error { kind: kind.to_owned(), command: line }
        }
    }

    /// Returns the answer to a position that is illegal.
    pub(super) fn illegal_position(self, fen: &str, reason: &str) -> Message {
        match self {
            // Contains the whole position, because pychess recognises its own position by it.
            Dialect::XBoard => Message::TellUserError(format!("Illegal position {fen} ({reason})")),
            Dialect::Autoplayer(_) => break_off(&format!("illegal position {fen}: {reason}")),
        }
    }

    /// Returns the position of a command, whose FEN may be incomplete in Hyatt's dialect.
    pub(super) fn fen(self, text: &str) -> String {
        match self {
            Dialect::XBoard => text.to_owned(),
            Dialect::Autoplayer(_) => messages::autoplayer::dialect::complete_fen(text),
        }
    }
}

/// The commands of the proposal that have parameters.
const COMMANDS: [&str; 7] = ["level", "name", "rating", "result", "setpos", "time", "otim"];

/// Ends the game without a result.
fn break_off(reason: &str) -> Message {
    // Braces would end the comment.
    let reason = reason.replace('{', "(").replace('}', ")");
    Message::Result { result: GameResult::Unknown, comment: Some(reason) }
}
