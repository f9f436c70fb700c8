//! One side, and what its men attack.

use shakmaty::{Bitboard, Color, Role, Square};

use super::geometry::{ahead, double_pawn_attacks, pawn_attacks};
use super::pawns::Pawns;
use crate::attacks;
use crate::position::Position;

/// One side's pieces and what they attack, as far as that has been found out.
pub(super) struct Army {
    pub(super) color: Color,
    pub(super) king: Square,
    pub(super) men: Bitboard,
    pub(super) pawns: Bitboard,
    /// Own pawns that no pawn can stop.
    pub(super) passed: Bitboard,
    /// The squares around the king, and those before them.
    pub(super) king_zone: Bitboard,
    /// What each kind of piece attacks, pawn to king.
    attacks: [Bitboard; 6],
    /// What any of them attacks, and what at least two of them attack.
    pub(super) attacked: Bitboard,
    pub(super) attacked_twice: Bitboard,
    /// To be combined with a square, so that it is seen from this side and with a king on the files e to h: the own
    /// one, or the enemy's.
    pub(super) mirror_by_own_king: usize,
    pub(super) mirror_by_enemy_king: usize,
}

impl Army {
    /// A side with the attacks of its pawns and king.
    #[inline]
    pub(super) fn new(position: &Position, color: Color, all_pawns: &Pawns) -> Army {
        let (king, pawns) = (position.king(color), position.pieces(color, Role::Pawn));
        let (by_pawns, by_king) = (pawn_attacks(color, pawns), attacks::king(king));
        let near = by_king.with(king);
        let mut attacks = [Bitboard::EMPTY; 6];
        attacks[Role::Pawn as usize - 1] = by_pawns;
        attacks[Role::King as usize - 1] = by_king;
        Army {
            color,
            king,
            men: position.by_color(color),
            pawns,
            passed: all_pawns.passed & pawns,
            king_zone: near | ahead(color, near),
            attacks,
            attacked: by_pawns | by_king,
            attacked_twice: by_pawns & by_king | double_pawn_attacks(color, pawns),
            mirror_by_own_king: mirror(color, king),
            mirror_by_enemy_king: mirror(color, position.king(!color)),
        }
    }

    /// What the pieces of one kind attack.
    #[inline]
    pub(super) fn attacks_of(&self, role: Role) -> Bitboard {
        self.attacks[role as usize - 1]
    }

    /// Adds what one more piece attacks.
    #[inline]
    pub(super) fn add_attacks(&mut self, role: Role, targets: Bitboard) {
        self.attacked_twice |= self.attacked & targets;
        self.attacked |= targets;
        self.attacks[role as usize - 1] |= targets;
    }
}

/// What turns a square into the one seen from `color`'s side, with `king` on the files e to h.
#[inline]
pub(super) fn mirror(color: Color, king: Square) -> usize {
    let ranks = color.fold_wb(0, 0o70);
    let files = if (king as usize & 7) < 4 { 7 } else { 0 };
    ranks | files
}
