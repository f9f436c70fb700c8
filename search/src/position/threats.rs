//! Squares attacked by the opponent.

use shakmaty::{Bitboard, Role};

use crate::{Position, attacks};

/// Squares that the opponent of the side to move attacks, by the kind of the attacker.
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
        let (them, occupied) = (self.them(), self.occupied());
        let by_pawns = attacks::by_pawns(!self.turn, them & self.by_role(Role::Pawn));
        let attacked = |role| {
            (them & self.by_role(role))
                .into_iter()
                .fold(Bitboard::EMPTY, |all, from| all | attacks::of_piece(role, from, occupied))
        };
        let by_minors = by_pawns | attacked(Role::Knight) | attacked(Role::Bishop);
        let by_rooks = by_minors | attacked(Role::Rook);
        let any = by_rooks | attacked(Role::Queen) | attacks::king(self.king(!self.turn));
        Threats { by_pawns, by_minors, by_rooks, any }
    }
}
