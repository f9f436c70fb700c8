//! What the search must know of a variant, beyond the rules that shakmaty has for it.

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

/// A variant as the search sees it. One file each says what the variant is about.
pub(crate) trait Rules: Position + Pass + Clone + Sync {
    /// Which it is.
    const VARIANT: Variant;

    /// What pieces are worth in exchanges.
    const VALUES: Values = CHESS_VALUES;

    /// By how many centipawns a quiet move may change the evaluation: the margin, per ply, of all pruning by evaluation.
    const SWING: i32 = 90;

    /// Whether who can capture must. Then captures are no choice and quiescence has to play them all.
    const CAPTURES_ARE_FORCED: bool = false;

    /// Whether checks are so dangerous that quiescence begins with them, too.
    const CHECKS_ARE_URGENT: bool = false;

    /// Whether captured pieces come back, so that a capture does not rule out a repetition.
    const CAPTURES_COME_BACK: bool = false;

    /// What the position is worth for the side to move, in centipawns. Not asked of games that are over.
    fn evaluate(&self) -> i32;

    /// Whether the side to move would rather move than pass, so that passing proves something (null move).
    fn may_pass(&self) -> bool {
        let turn = self.turn();
        (self.board().by_color(turn) & !self.board().pawns() & !self.board().kings()).any()
    }

    /// What a capture or promotion gains at first sight, in centipawns.
    fn gain(&self, m: Move) -> i32 {
        let promotion = m.promotion().map_or(0, |role| Self::VALUES.get(role) - Self::VALUES.pawn);
        m.capture().map_or(0, |role| *Self::VALUES.get(role)) + promotion
    }

    /// Whether a move wins at least so many centipawns, the exchange on its target square played out.
    fn wins_at_least(&self, m: Move, threshold: i32) -> bool {
        exchange::wins_at_least(self, m, &Self::VALUES, threshold)
    }

    /// Whether quiescence looks at a move as well, although it takes nothing, because it ends the game.
    fn is_urgent(&self, _m: Move) -> bool {
        false
    }
}

/// Passing, which no rules allow, but which proves something in a search.
pub(crate) trait Pass: Sized {
    /// The same position with the other side to move; `None` if the side to move is in check.
    fn pass(self) -> Option<Self>;
}

impl<P: Position + FromSetup> Pass for P {
    fn pass(self) -> Option<P> {
        self.swap_turn().ok()
    }
}

/// Whether a move changes the material at once.
pub(crate) fn is_tactical(m: Move) -> bool {
    m.is_capture() || matches!(m.promotion(), Some(Role::Queen | Role::King))
}

/// Whether a move gives check by the piece that it brings to its target square; discovered checks are not looked for.
pub(crate) fn gives_direct_check(position: &impl Position, m: Move) -> bool {
    let board = position.board();
    let Some(king) = board.king_of(!position.turn()) else { return false };
    let occupied = m.from().map_or(board.occupied(), |from| board.occupied().without(from));
    let piece = m.promotion().unwrap_or(m.role()).of(position.turn());
    !m.is_castle() && attacks::attacks(m.to(), piece, occupied).contains(king)
}

/// Whether the game has ended by the rules of the variant, or for want of a legal move.
pub(crate) fn is_over(position: &impl Rules) -> bool {
    position.is_variant_end() || position.legal_moves().is_empty()
}

/// What a game that is over, at a ply of the search, is worth to the side to move; `None` if it is a draw.
pub(crate) fn decision(position: &impl Rules, ply: usize) -> Option<Score> {
    let is_won = match position.variant_outcome() {
        Outcome::Known(outcome) => outcome.winner()? == position.turn(),
        Outcome::Unknown => position.is_check().then_some(false)?,
    };
    Some(if is_won { Score::mate_at(ply) } else { Score::mated_at(ply) })
}
