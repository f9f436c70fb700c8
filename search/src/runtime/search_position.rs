//! The interface between the runtime and the position of a variant.

use shakmaty::Color;

use crate::{Move, Score};

/// A position that can be searched.
pub trait SearchPosition: Sized + Sync {
    /// Whether captured pieces can return to the board, so that positions may repeat across a capture.
    const CAPTURES_COME_BACK: bool = false;

    /// Returns the key that identifies the position for the repetition rule.
    fn repetition_key(&self) -> u64;

    /// Returns the key of the position in the hash table.
    fn table_key(&self) -> u64;

    /// The side to move.
    fn turn(&self) -> Color;

    /// Plies since the last capture or pawn move, exact up to 100 at least.
    fn halfmoves(&self) -> u32;

    /// Whether the side to move is in check.
    fn is_check(&self) -> bool;

    /// Whether the position is drawn because neither side has enough material to win.
    fn has_insufficient_material(&self) -> bool {
        false
    }

    /// Returns the legal moves; none if the game is over.
    fn moves(&self) -> Vec<Move>;

    /// Returns the position after a move. May return `None` if the move is illegal; not every implementation checks this.
    fn after(&self, m: Move) -> Option<Self>;

    /// Returns the score of a finished game for the side to move.
    fn final_score(&self) -> Score;
}
