//! Making moves on a copy of the position.

use shakmaty::{Bitboard, Color, Role, Square};

use super::{Position, castling_squares, keys};
use crate::{Move, attacks};

impl Position {
    /// Returns the position after a legal move.
    ///
    /// # Panics
    /// If the origin square is empty. Other illegal moves give a meaningless position.
    #[must_use]
    #[inline]
    pub fn make(&self, m: Move) -> Position {
        let mut next = self.clone();
        next.play(m);
        next
    }

    /// Plays a legal move. Apart from [`Position::make`], so that the copy is made where the caller wants it.
    #[inline]
    pub(crate) fn play(&mut self, m: Move) {
        let (us, from, to, en_passant) = (self.turn, m.from(), m.to(), self.en_passant);
        let role = self.role_at(from).expect("a legal move starts on a piece");
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.clear_en_passant();
        if role == Role::King {
            let is_castling = self.is_castling(m);
            self.drop_castling_rights(self.us());
            if is_castling {
                self.castle(from, to);
                return self.pass_turn();
            }
        }
        if let Some(captured) = self.role_at(to) {
            self.remove(!us, captured, to);
            self.drop_castling_rights(Bitboard::from_square(to));
            self.halfmoves = 0;
        }
        self.remove(us, role, from);
        self.put(us, m.promotion().unwrap_or(role), to);
        match role {
            Role::Pawn => {
                self.halfmoves = 0;
                if en_passant == Some(to) {
                    self.remove(!us, Role::Pawn, to.xor(Square::A2));
                } else if from as u8 ^ to as u8 == 16 {
                    let skipped = Square::new((from as u32).midpoint(to as u32));
                    self.offer_en_passant(skipped, to);
                }
            }
            Role::Rook => self.drop_castling_rights(Bitboard::from_square(from)),
            _ => {}
        }
        self.pass_turn();
    }

    /// Returns the position after a null move. The side to move must not be in check.
    #[must_use]
    pub fn make_null(&self) -> Position {
        debug_assert!(!self.is_check());
        let mut next = self.clone();
        next.halfmoves = self.halfmoves.saturating_add(1);
        next.clear_en_passant();
        next.pass_turn();
        next
    }

    /// Returns the hash table key after a move, ignoring castling rights, promotions and en passant. It is exact for
    /// most moves, which is enough for prefetching.
    #[inline]
    pub fn approximate_table_key_after(&self, m: Move) -> u64 {
        let Some(role) = self.role_at(m.from()) else { return self.keys.full };
        let is_reversible = role != Role::Pawn && self.role_at(m.to()).is_none();
        let halfmoves = if is_reversible { self.halfmoves.saturating_add(1) } else { 0 };
        self.plain_key_after(role, m) ^ keys::halfmoves(halfmoves)
    }

    /// Returns the full key after a plain move or capture by a piece of this kind.
    #[inline]
    fn plain_key_after(&self, role: Role, m: Move) -> u64 {
        let key = self.keys.full
            ^ keys::TURN
            ^ keys::piece(self.turn, role, m.from())
            ^ keys::piece(self.turn, role, m.to());
        self.role_at(m.to()).map_or(key, |captured| key ^ keys::piece(!self.turn, captured, m.to()))
    }

    /// Returns the full key after a legal move if it can be computed without making the move: `None` for promotions,
    /// double pushes, en passant captures and moves that change castling rights.
    #[inline]
    pub(crate) fn full_key_after(&self, m: Move) -> Option<u64> {
        let (from, to) = (m.from(), m.to());
        let role = self.role_at(from)?;
        let ends = Bitboard::from_square(from).with(to);
        let touches_rights = match role {
            Role::King => (self.castling_rooks & (self.us() | ends)).any(),
            _ => (self.castling_rooks & ends).any(),
        };
        let is_special = role == Role::Pawn
            && (m.promotion().is_some() || self.is_en_passant(m) || from as u8 ^ to as u8 == 16);
        if touches_rights || is_special {
            return None;
        }
        Some(self.plain_key_after(role, m) ^ self.en_passant.map_or(0, keys::en_passant))
    }

    #[inline]
    fn put(&mut self, color: Color, role: Role, square: Square) {
        self.mailbox[square as usize] = Some(role);
        self.toggle(color, role, square);
    }

    #[inline]
    fn remove(&mut self, color: Color, role: Role, square: Square) {
        self.mailbox[square as usize] = None;
        self.toggle(color, role, square);
    }

    /// Adds a piece to the bitboards and keys, or removes it.
    #[inline]
    fn toggle(&mut self, color: Color, role: Role, square: Square) {
        let bit = Bitboard::from_square(square);
        self.roles[role as usize - 1] ^= bit;
        self.colors[color as usize] ^= bit;
        let key = keys::piece(color, role, square);
        self.keys.full ^= key;
        match role {
            Role::Pawn => self.keys.pawn ^= key,
            _ => self.keys.non_pawn[color as usize] ^= key,
        }
    }

    fn castle(&mut self, king: Square, rook: Square) {
        let us = self.turn;
        let (king_to, rook_to) = castling_squares(king, rook);
        // Both are removed before either is placed: in Chess960 one may move to the other's square.
        self.remove(us, Role::King, king);
        self.remove(us, Role::Rook, rook);
        self.put(us, Role::King, king_to);
        self.put(us, Role::Rook, rook_to);
    }

    #[inline]
    fn drop_castling_rights(&mut self, rooks: Bitboard) {
        for rook in self.castling_rooks & rooks {
            self.keys.full ^= keys::castling_rook(rook);
            self.castling_rooks.discard(rook);
        }
    }

    #[inline]
    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.keys.full ^= keys::en_passant(square);
        }
    }

    /// Sets the en passant square after a double push, but only if an en passant capture is legal, so that positions
    /// with the same legal moves have equal keys, as the repetition rule requires.
    fn offer_en_passant(&mut self, square: Square, pushed: Square) {
        let (us, them) = (self.turn, !self.turn);
        let king = self.king(them);
        for capturer in attacks::pawn(us, square) & self.pieces(them, Role::Pawn) {
            let occupied = self.occupied() ^ capturer ^ pushed ^ square;
            if !self.is_attacked_by_sliders(king, occupied, self.by_color(us)) {
                self.en_passant = Some(square);
                self.keys.full ^= keys::en_passant(square);
                return;
            }
        }
    }

    #[inline]
    fn pass_turn(&mut self) {
        self.turn = !self.turn;
        self.keys.full ^= keys::TURN;
        self.update_checkers_and_pins();
    }
}
