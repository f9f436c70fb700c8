//! The interface between the search and a variant, besides the rules implemented by shakmaty.

mod antichess;
mod atomic;
pub(crate) mod bughouse;
mod chess;
mod crazyhouse;
mod horde;
mod king_of_the_hill;
mod racing_kings;
mod three_check;

use search::Score;
use shakmaty::variant::Variant;
use shakmaty::{FromSetup, Move, Outcome, Position, Role, attacks};

use crate::evaluation::CHESS_VALUES;
use crate::exchange::{self, Values};

/// A variant that can be searched. Each is implemented in a file of its own.
pub(crate) trait Rules: Position + Pass + Clone + Sync {
    /// The variant.
    const VARIANT: Variant;

    /// Piece values in exchanges.
    const VALUES: Values = CHESS_VALUES;

    /// Change of the evaluation by a quiet move, in centipawns: the margin per ply of all pruning by evaluation.
    const SWING: i32 = 90;

    /// Whether captures are compulsory. Quiescence then has to search all captures.
    const CAPTURES_ARE_FORCED: bool = false;

    /// Whether checks are so dangerous that quiescence searches them at its first ply.
    const CHECKS_ARE_URGENT: bool = false;

    /// Whether captured pieces can return to the board, so that positions may repeat across a capture.
    const CAPTURES_COME_BACK: bool = false;

    /// Returns the static evaluation for the side to move, in centipawns. Not called if the game is over.
    fn evaluate(&self) -> i32;

    /// Whether null moves are sound: whether moving is usually better than passing for the side to move.
    fn may_pass(&self) -> bool {
        let turn = self.turn();
        (self.board().by_color(turn) & !self.board().pawns() & !self.board().kings()).any()
    }

    /// Returns the immediate gain of a capture or promotion, in centipawns.
    fn gain(&self, m: Move) -> i32 {
        let promotion = m.promotion().map_or(0, |role| Self::VALUES.get(role) - Self::VALUES.pawn);
        m.capture().map_or(0, |role| *Self::VALUES.get(role)) + promotion
    }

    /// Whether a move wins at least `threshold` centipawns after all exchanges on its target square.
    fn wins_at_least(&self, m: Move, threshold: i32) -> bool {
        exchange::wins_at_least(self, m, &Self::VALUES, threshold)
    }

    /// Whether quiescence also searches this quiet move because it ends the game.
    fn is_urgent(&self, _m: Move) -> bool {
        false
    }
}

/// Null moves.
pub(crate) trait Pass: Sized {
    /// Returns the position with the other side to move; `None` if the side to move is in check.
    fn pass(self) -> Option<Self>;
}

impl<P: Position + FromSetup> Pass for P {
    fn pass(self) -> Option<P> {
        self.swap_turn().ok()
    }
}

/// Whether a move changes the material.
pub(crate) fn is_tactical(m: Move) -> bool {
    m.is_capture() || matches!(m.promotion(), Some(Role::Queen | Role::King))
}

/// Whether the moved or dropped piece gives check. Discovered checks are not detected.
pub(crate) fn gives_direct_check(position: &impl Position, m: Move) -> bool {
    let board = position.board();
    let Some(king) = board.king_of(!position.turn()) else { return false };
    let occupied = m.from().map_or(board.occupied(), |from| board.occupied().without(from));
    let piece = m.promotion().unwrap_or(m.role()).of(position.turn());
    !m.is_castle() && attacks::attacks(m.to(), piece, occupied).contains(king)
}

/// Whether the game is over by the rules of the variant or because there is no legal move.
pub(crate) fn is_over(position: &impl Rules) -> bool {
    position.is_variant_end() || position.legal_moves().is_empty()
}

/// Returns the score of a finished game at a ply for the side to move; `None` for a draw.
pub(crate) fn decision(position: &impl Rules, ply: usize) -> Option<Score> {
    let is_won = match position.variant_outcome() {
        Outcome::Known(outcome) => outcome.winner()? == position.turn(),
        Outcome::Unknown => position.is_check().then_some(false)?,
    };
    Some(if is_won { Score::mate_at(ply) } else { Score::mated_at(ply) })
}
