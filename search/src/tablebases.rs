//! What the search asks of endgame tables; who reads them is no matter of its own.

use std::fmt;

use crate::position::Position;

/// What a position is worth to the side to move, with best play and the rule of fifty moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// It loses.
    Loss,
    /// It is a draw, perhaps by the fifty-move rule alone.
    Draw,
    /// It wins.
    Win,
}

/// Endgame tables. All threads of a search share them.
pub trait Tablebases: fmt::Debug + Send + Sync {
    /// The most pieces, kings included, of a position that may be worth asking for.
    fn max_pieces(&self) -> usize;

    /// The value of a position without castling rights that a capture or pawn move has just brought about; `None` if
    /// the tables don't know.
    fn probe_wdl(&self, position: &Position) -> Option<Wdl>;
}
