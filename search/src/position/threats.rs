//! Squares attacked by a side.

use shakmaty::{Bitboard, Color, Role};

use crate::{Position, attacks};

/// Squares that a side attacks, by the kind of the attacker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Attacked by pawns.
    pub by_pawns: Bitboard,
    /// Attacked by pawns, knights or bishops.
    pub by_minors: Bitboard,
    /// Attacked by pawns, knights, bishops or rooks.
    pub by_rooks: Bitboard,
    /// Attacked by any piece.
    pub any: Bitboard,
}

impl Threats {
    /// Returns the squares that a side attacks, those of its own pieces included. `pieces` returns its pieces of a kind.
    #[inline]
    pub(crate) fn by(side: Color, occupied: Bitboard, pieces: impl Fn(Role) -> Bitboard) -> Threats {
        let attacked = |role| {
            pieces(role)
                .into_iter()
                .fold(Bitboard::EMPTY, |all, from| all | attacks::of_piece(role, from, occupied))
        };
        let by_pawns = attacks::by_pawns(side, pieces(Role::Pawn));
        let by_minors = by_pawns | attacked(Role::Knight) | attacked(Role::Bishop);
        let by_rooks = by_minors | attacked(Role::Rook);
        let any = by_rooks | attacked(Role::Queen) | attacked(Role::King);
        Threats { by_pawns, by_minors, by_rooks, any }
    }

    /// Returns the squares on which a less valuable piece attacks a piece of this kind.
    #[inline]
    pub fn to(&self, role: Role) -> Bitboard {
        match role {
            Role::Pawn | Role::King => Bitboard::EMPTY,
            Role::Knight | Role::Bishop => self.by_pawns,
            Role::Rook => self.by_minors,
            Role::Queen => self.by_rooks,
        }
    }
}

impl Position {
    /// Returns the squares that the opponent of the side to move attacks, including those of its own pieces.
    pub fn threats(&self) -> Threats {
        let side = !self.turn;
        Threats::by(side, self.occupied(), |role| self.pieces(side, role))
    }
}
