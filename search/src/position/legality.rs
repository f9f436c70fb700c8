//! Tests of a single move: whether it is legal and whether it gives check.

use shakmaty::{Bitboard, Rank, Role, Square};

use super::{Position, castling_squares};
use crate::{Move, attacks};

impl Position {
    /// Whether a move from the hash table or from another position is legal.
    pub fn is_legal(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let Some(role) = self.role_at(from) else { return false };
        if !self.us().contains(from) || !m.is_well_formed() {
            return false;
        }
        if role == Role::King && self.castling_rooks.contains(to) && self.us().contains(to) {
            return m.promotion().is_none() && self.may_castle_with(to, Bitboard::EMPTY);
        }
        let promotes = role == Role::Pawn && to.rank() == self.turn.fold_wb(Rank::Eighth, Rank::First);
        if self.us().contains(to) || m.promotion().is_some() != promotes {
            return false;
        }
        match role {
            Role::King => {
                attacks::king(from).contains(to) && !self.is_attacked(to, self.occupied().without(from))
            }
            Role::Pawn if self.en_passant == Some(to) => {
                attacks::pawn(self.turn, from).contains(to) && self.en_passant_is_safe(from, to)
            }
            Role::Pawn => self.pawn_reaches(from, to) && self.keeps_king_safe(m),
            _ => attacks::of_piece(role, from, self.occupied()).contains(to) && self.keeps_king_safe(m),
        }
    }

    /// Whether a pawn on `from` can capture on `to` or be pushed there; en passant is not considered.
    fn pawn_reaches(&self, from: Square, to: Square) -> bool {
        if self.them().contains(to) {
            return attacks::pawn(self.turn, from).contains(to);
        }
        let steps = self.turn.fold_wb(1, -1) * (to as i32 - from as i32);
        let home = self.turn.fold_wb(Rank::Second, Rank::Seventh);
        let free = !self.occupied().contains(to) && (attacks::between(from, to) & self.occupied()).is_empty();
        free && (steps == 8 || steps == 16 && from.rank() == home)
    }

    /// Whether a move of a piece other than the king respects pins and answers checks.
    fn keeps_king_safe(&self, m: Move) -> bool {
        let king = self.king(self.turn);
        if self.pinned.contains(m.from()) && !self.pin_line(m.from()).contains(m.to()) {
            return false;
        }
        match self.checkers.first() {
            None => true,
            Some(_) if self.checkers.more_than_one() => false,
            Some(checker) => checker == m.to() || attacks::between(king, checker).contains(m.to()),
        }
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, m: Move) -> bool {
        let (us, from, to) = (self.turn, m.from(), m.to());
        let king = self.king(!us);
        let Some(role) = self.role_at(from) else { return false };
        if self.is_castling(m) {
            let (king_to, rook_to) = castling_squares(from, to);
            let occupied = (self.occupied() ^ from ^ to).with(king_to).with(rook_to);
            return attacks::rook(rook_to, occupied).contains(king)
                || self.is_attacked_by_sliders(king, occupied, self.us().without(to));
        }
        let mut occupied = self.occupied().without(from).with(to);
        if self.is_en_passant(m) {
            occupied.discard(to.xor(Square::A2));
        }
        let direct = match m.promotion().unwrap_or(role) {
            Role::Pawn => attacks::pawn(us, to),
            Role::King => Bitboard::EMPTY,
            piece => attacks::of_piece(piece, to, occupied),
        };
        // A discovered check needs a piece that leaves a line to the king: the moved one or a pawn captured en passant.
        direct.contains(king)
            || (attacks::line(king, from).any() || self.is_en_passant(m))
                && self.is_attacked_by_sliders(king, occupied, self.us().without(from))
    }
}
