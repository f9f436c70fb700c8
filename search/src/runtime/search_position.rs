//! What the runtime asks of a position, whatever the rules.

use shakmaty::Color;

use crate::moves::Move;
use crate::score::Score;

/// A position that can be searched.
pub trait SearchPosition: Sized + Sync {
    /// Whether captured pieces come back, so that a capture does not rule out a repetition.
    const CAPTURES_COME_BACK: bool = false;

    /// Identifies the position for the rules of repetition.
    fn repetition_key(&self) -> u64;

    /// Identifies the position in the hash table.
    fn table_key(&self) -> u64;

    /// The side to move.
    fn turn(&self) -> Color;

    /// Plies since the last capture or pawn move, exact up to 100 at least.
    fn halfmoves(&self) -> u32;

    /// Whether the side to move is in check.
    fn is_check(&self) -> bool;

    /// Whether neither side has the material to win, where that makes a draw.
    fn has_insufficient_material(&self) -> bool {
        false
    }

    /// The legal moves; none if the game is over.
    fn moves(&self) -> Vec<Move>;

    /// The position after a move; `None`, where that is looked at, if it is not legal.
    fn after(&self, m: Move) -> Option<Self>;

    /// What a game that is over is worth to the side to move.
    fn final_score(&self) -> Score;
}
