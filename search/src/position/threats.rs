//! What the opponent attacks.

use shakmaty::{Bitboard, Role};

use crate::{Position, attacks};

/// Squares that the opponent of the side to move attacks, by the least of the attackers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// By pawns.
    pub by_pawns: Bitboard,
    /// By pawns, knights and bishops.
    pub by_minors: Bitboard,
    /// By all pieces but the queen and the king.
    pub by_rooks: Bitboard,
    /// By any piece.
    pub any: Bitboard,
}

impl Threats {
    /// The squares where a piece of this kind is attacked by something worth less.
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
    /// What the opponent of the side to move attacks, its own defended pieces included.
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
