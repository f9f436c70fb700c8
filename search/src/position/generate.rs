//! Generation of legal moves in the two stages of the search: tactical (captures and promotions), then quiet.

#![expect(clippy::inline_always, reason = "one piece of code: docs/EXPERIMENTS.md, move generation")]

use shakmaty::{Bitboard, Color, File, Rank, Role, Square};

use super::{Position, castling_squares};
use crate::{Move, MoveList, attacks};

/// Promotion pieces, best first.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

impl Position {
    /// Appends all legal captures and promotions.
    pub fn generate_tactical(&self, list: &mut MoveList) {
        self.generate_stages::<true, false>(list);
    }

    /// Appends all legal moves that are neither captures nor promotions.
    pub fn generate_quiet(&self, list: &mut MoveList) {
        self.generate_stages::<false, true>(list);
    }

    /// Appends all legal moves.
    pub fn generate(&self, list: &mut MoveList) {
        self.generate_stages::<true, true>(list);
    }

    /// Returns all legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::default();
        self.generate(&mut list);
        list
    }

    #[inline(always)]
    fn generate_stages<const TACTICAL: bool, const QUIET: bool>(&self, list: &mut MoveList) {
        let wanted = match (TACTICAL, QUIET) {
            (true, true) => !self.us(),
            (true, false) => self.them(),
            _ => !self.occupied(),
        };
        let safe = self.king_moves(wanted, list);
        if self.checkers.more_than_one() {
            return;
        }
        // In check, moves of other pieces must capture the checker or block the check.
        let rescue = match self.checkers.first() {
            Some(checker) => attacks::between(self.king(self.turn), checker) | Bitboard::from_square(checker),
            None => Bitboard::FULL,
        };
        self.piece_moves(wanted & rescue, list);
        let pawns = self.us() & self.by_role(Role::Pawn);
        self.pawn_moves::<TACTICAL, QUIET>(pawns & !self.pinned, rescue, list);
        if self.pinned.any() {
            self.pinned_moves::<TACTICAL, QUIET>(wanted, rescue, list);
        }
        if TACTICAL {
            self.en_passant_captures(list);
        }
        if QUIET && self.checkers.is_empty() {
            self.castling_moves(safe, list);
        }
    }

    /// Appends the king's moves and returns their target squares.
    #[inline(always)]
    fn king_moves(&self, wanted: Bitboard, list: &mut MoveList) -> Bitboard {
        let king = self.king(self.turn);
        let occupied = self.occupied().without(king);
        let mut safe = Bitboard::EMPTY;
        for to in attacks::king(king) & wanted {
            if !self.is_attacked(to, occupied) {
                list.push(Move::new(king, to));
                safe.add(to);
            }
        }
        safe
    }

    #[inline(always)]
    fn piece_moves(&self, wanted: Bitboard, list: &mut MoveList) {
        let (us, occupied) = (self.us(), self.occupied());
        let free = us & !self.pinned;
        for from in free & self.by_role(Role::Knight) {
            list.extend_from(from, attacks::knight(from) & wanted);
        }
        for from in free & self.diagonal_sliders() {
            list.extend_from(from, attacks::bishop(from, occupied) & wanted);
        }
        for from in free & self.straight_sliders() {
            list.extend_from(from, attacks::rook(from, occupied) & wanted);
        }
    }

    /// Appends the moves of pinned pieces, which stay on the line of the pin. A pinned knight has none.
    fn pinned_moves<const TACTICAL: bool, const QUIET: bool>(
        &self,
        wanted: Bitboard,
        rescue: Bitboard,
        list: &mut MoveList,
    ) {
        for from in self.pinned {
            let allowed = rescue & self.pin_line(from);
            match self.role_at(from) {
                Some(Role::Pawn) => {
                    self.pawn_moves::<TACTICAL, QUIET>(Bitboard::from_square(from), allowed, list);
                }
                Some(role @ (Role::Bishop | Role::Rook | Role::Queen)) => {
                    list.extend_from(from, attacks::of_piece(role, from, self.occupied()) & wanted & allowed);
                }
                _ => {}
            }
        }
    }

    /// Returns the line on which a pinned piece may move.
    #[inline(always)]
    pub(super) fn pin_line(&self, from: Square) -> Bitboard {
        attacks::line(self.king(self.turn), from)
    }

    /// Appends the moves of all `pawns` to `allowed` squares, except en passant captures.
    #[inline(always)]
    fn pawn_moves<const TACTICAL: bool, const QUIET: bool>(
        &self,
        pawns: Bitboard,
        allowed: Bitboard,
        list: &mut MoveList,
    ) {
        let (empty, up) = (!self.occupied(), forward(self.turn));
        let seventh = Bitboard::from_rank(self.turn.fold_wb(Rank::Seventh, Rank::Second));
        if TACTICAL {
            for (targets, offset) in self.pawn_captures(pawns & !seventh, allowed) {
                list.extend_pawns(targets, offset);
            }
            if (pawns & seventh).any() {
                self.promotions(pawns & seventh, allowed, list);
            }
        }
        if QUIET {
            let third = Bitboard::from_rank(self.turn.fold_wb(Rank::Third, Rank::Sixth));
            let single = rotate(pawns & !seventh, up) & empty;
            list.extend_pawns(single & allowed, up);
            list.extend_pawns(rotate(single & third, up) & empty & allowed, up * 2 % 64);
        }
    }

    /// Returns the target squares of pawn captures for each direction, and their offset from the pawns.
    #[inline(always)]
    fn pawn_captures(&self, pawns: Bitboard, allowed: Bitboard) -> [(Bitboard, u32); 2] {
        [(1, File::H), (63, File::A)].map(|(sideways, edge)| {
            let offset = (forward(self.turn) + sideways) % 64;
            (rotate(pawns & !Bitboard::from_file(edge), offset) & self.them() & allowed, offset)
        })
    }

    fn promotions(&self, pawns: Bitboard, allowed: Bitboard, list: &mut MoveList) {
        let up = forward(self.turn);
        for (targets, offset) in self.pawn_captures(pawns, allowed) {
            push_promotions(targets, offset, list);
        }
        push_promotions(rotate(pawns, up) & !self.occupied() & allowed, up, list);
    }

    #[inline(always)]
    fn en_passant_captures(&self, list: &mut MoveList) {
        let Some(to) = self.en_passant else { return };
        for from in attacks::pawn(!self.turn, to) & self.us() & self.by_role(Role::Pawn) {
            if self.en_passant_is_safe(from, to) {
                list.push(Move::new(from, to));
            }
        }
    }

    /// Whether an en passant capture from `from` to `to` leaves the king safe. Both pawns leave their rank at once,
    /// which `pinned` does not cover.
    pub(super) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let captured = to.xor(Square::A2);
        let occupied = self.occupied() ^ from ^ to ^ captured;
        let other_checkers =
            self.checkers.without(captured) & !self.diagonal_sliders() & !self.straight_sliders();
        other_checkers.is_empty() && !self.is_attacked_by_sliders(self.king(self.turn), occupied, self.them())
    }

    #[inline(always)]
    fn castling_moves(&self, safe: Bitboard, list: &mut MoveList) {
        for rook in self.castling_rooks & self.us() {
            if self.may_castle_with(rook, safe) {
                list.push(Move::new(self.king(self.turn), rook));
            }
        }
    }

    /// Whether castling with a rook that has the right to castle is legal now. The squares `safe` are known not to be
    /// attacked.
    #[inline(always)]
    pub(super) fn may_castle_with(&self, rook: Square, safe: Bitboard) -> bool {
        let king = self.king(self.turn);
        if (attacks::between(king, rook) & self.occupied()).any() {
            return false; // the usual case, and cheap to see
        }
        let (king_to, rook_to) = castling_squares(king, rook);
        let others = self.occupied() ^ king ^ rook;
        let king_path = attacks::between(king, king_to).with(king_to);
        let rook_path = attacks::between(rook, rook_to).with(rook_to);
        // In Chess960 the castling rook can shield the king from an attack along the first rank; it is pinned then.
        self.checkers.is_empty()
            && ((king_path | rook_path) & others).is_empty()
            && !self.pinned.contains(rook)
            && !(king_path & !safe).into_iter().any(|square| self.is_attacked(square, others.with(rook)))
    }
}

impl MoveList {
    /// Appends the moves of the piece on `from` to `targets`.
    #[inline(always)]
    fn extend_from(&mut self, from: Square, targets: Bitboard) {
        self.extend(targets.into_iter().map(|to| Move::new(from, to)));
    }

    /// Appends the pawn moves that arrive at `targets`, each from the square `offset` (modulo 64) before it.
    #[inline(always)]
    fn extend_pawns(&mut self, targets: Bitboard, offset: u32) {
        self.extend(targets.into_iter().map(|to| Move::new(origin(to, offset), to)));
    }
}

#[inline(always)]
fn push_promotions(targets: Bitboard, offset: u32, list: &mut MoveList) {
    for to in targets {
        list.extend(PROMOTIONS.map(|role| Move::promoting(origin(to, offset), to, role)));
    }
}

/// Returns the square `offset` (modulo 64) before `to`.
#[inline(always)]
fn origin(to: Square, offset: u32) -> Square {
    Square::new((to as u32).wrapping_sub(offset) % 64)
}

/// Returns the rotation by which `color`'s pawns advance one rank.
#[inline(always)]
fn forward(color: Color) -> u32 {
    color.fold_wb(8, 56)
}

/// Shifts all squares by `offset`, modulo 64. A rotation serves both directions with one instruction.
#[inline(always)]
fn rotate(bitboard: Bitboard, offset: u32) -> Bitboard {
    Bitboard(bitboard.0.rotate_left(offset))
}
