//! What the search asks of endgame tables; who reads them is no matter of its own.

use std::fmt;
use std::ops::Neg;
use std::sync::atomic::Ordering;

use crate::position::Position;
use crate::score::Score;
use crate::worker::Worker;

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

impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::Draw => Wdl::Draw,
            Wdl::Win => Wdl::Loss,
        }
    }
}

/// Endgame tables. All threads of a search share them.
pub trait Tablebases: fmt::Debug + Send + Sync {
    /// The most men, kings included, of a position that may be worth asking for.
    fn most_men(&self) -> usize;

    /// The value of a position without castling rights that a capture or pawn move has just brought about; `None` if
    /// the tables don't know.
    fn probe_wdl(&self, position: &Position) -> Option<Wdl>;
}

impl Worker<'_> {
    /// The value of a node by the endgame tables. They count from the last capture or pawn move, so that they are asked
    /// right after one only, where the fifty-move rule can't interfere.
    #[inline]
    pub(crate) fn probe_tablebases(&self, position: &Position, ply: usize) -> Option<Score> {
        let tables = self.shared.root.tablebases.as_deref()?;
        if position.halfmoves() > 0
            || position.has_castling_rights()
            || position.occupied().count() > tables.most_men()
        {
            return None;
        }
        let value = tables.probe_wdl(position)?;
        self.shared.tablebase_hits.fetch_add(1, Ordering::Relaxed);
        Some(match value {
            Wdl::Loss => -Score::tablebase_win_at(ply),
            Wdl::Draw => self.draw(position),
            Wdl::Win => Score::tablebase_win_at(ply),
        })
    }
}
