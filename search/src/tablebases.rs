//! The interface to endgame tables. They are read outside this crate.

use std::fmt;

use crate::position::Position;

/// The value of a position for the side to move with best play under the fifty-move rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// Loss.
    Loss,
    /// Draw, possibly only by the fifty-move rule.
    Draw,
    /// Win.
    Win,
}

/// Endgame tables, shared by all threads of a search.
pub trait Tablebases: fmt::Debug + Send + Sync {
    /// Returns the largest number of pieces, kings included, that the tables cover.
    fn max_pieces(&self) -> usize;

    /// Returns the value of a position without castling rights and with a halfmove clock of 0; `None` if the tables do not
    /// have it.
    fn probe_wdl(&self, position: &Position) -> Option<Wdl>;
}
