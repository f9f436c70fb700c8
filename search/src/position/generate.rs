//! Generation of legal moves, in the two stages that the search wants: tactical (captures and promotions), then quiet.

#![expect(clippy::inline_always, reason = "one piece of code: docs/EXPERIMENTS.md, move generation")]

use shakmaty::{Bitboard, Color, File, Rank, Role, Square};

use super::{Position, castling_squares, promotion_rank};
use crate::attacks;
use crate::moves::{Move, MoveList};

/// What a pawn may become, best first.
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

    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
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
        self.king_moves(wanted, list);
        if self.checkers.more_than_one() {
            return;
        }
        // In check, other moves must take the checker or step between.
        let rescue = match self.checkers.first() {
            Some(checker) => attacks::between(self.king(self.turn), checker) | Bitboard::from_square(checker),
            None => Bitboard::FULL,
        };
        self.piece_moves(wanted & rescue, list);
        self.pawn_moves::<TACTICAL, QUIET>(rescue, list);
        if TACTICAL {
            self.en_passant_captures(list);
        }
        if QUIET && self.checkers.is_empty() {
            self.castling_moves(list);
        }
    }

    #[inline(always)]
    fn king_moves(&self, wanted: Bitboard, list: &mut MoveList) {
        let king = self.king(self.turn);
        let occupied = self.occupied().without(king);
        for to in attacks::king(king) & wanted {
            if !self.is_attacked(to, occupied) {
                list.push(Move::new(king, to));
            }
        }
    }

    #[inline(always)]
    fn piece_moves(&self, wanted: Bitboard, list: &mut MoveList) {
        let (us, occupied) = (self.us(), self.occupied());
        let free = us & !self.pinned;
        for from in free & self.by_role(Role::Knight) {
            list.extend_from(from, attacks::knight(from) & wanted);
        }
        for from in free & self.by_role(Role::Bishop) {
            list.extend_from(from, attacks::bishop(from, occupied) & wanted);
        }
        for from in free & self.by_role(Role::Rook) {
            list.extend_from(from, attacks::rook(from, occupied) & wanted);
        }
        for from in free & self.by_role(Role::Queen) {
            list.extend_from(from, attacks::queen(from, occupied) & wanted);
        }
        // A pinned knight never moves; the others stay on the line of the pin.
        for from in us & self.pinned & (self.diagonal_sliders() | self.straight_sliders()) {
            let role = self.role_at(from).unwrap_or(Role::Queen);
            list.extend_from(from, attacks::of_piece(role, from, occupied) & wanted & self.pin_line(from));
        }
    }

    /// The line on which a pinned piece may move.
    #[inline(always)]
    pub(super) fn pin_line(&self, from: Square) -> Bitboard {
        attacks::line(self.king(self.turn), from)
    }

    /// Pawn moves to `rescue`, en passant aside: first of the free pawns, all at once, then of each pinned one.
    #[inline(always)]
    fn pawn_moves<const TACTICAL: bool, const QUIET: bool>(&self, rescue: Bitboard, list: &mut MoveList) {
        let pawns = self.us() & self.by_role(Role::Pawn);
        self.moves_of_pawns::<TACTICAL, QUIET>(pawns & !self.pinned, rescue, list);
        for pinned in pawns & self.pinned {
            let allowed = rescue & self.pin_line(pinned);
            self.moves_of_pawns::<TACTICAL, QUIET>(Bitboard::from_square(pinned), allowed, list);
        }
    }

    #[inline(always)]
    fn moves_of_pawns<const TACTICAL: bool, const QUIET: bool>(
        &self,
        pawns: Bitboard,
        allowed: Bitboard,
        list: &mut MoveList,
    ) {
        let (empty, up) = (!self.occupied(), forward(self.turn));
        let promoting = promotion_rank(self.turn);
        let single = rotate(pawns, up) & empty;
        if TACTICAL {
            let targets = self.them() & allowed;
            for (sideways, edge) in [(1, File::H), (63, File::A)] {
                let offset = (up + sideways) % 64;
                let captures = rotate(pawns & !Bitboard::from_file(edge), offset) & targets;
                list.extend_pawns(captures & !promoting, offset);
                push_promotions(captures & promoting, offset, list);
            }
            push_promotions(single & promoting & allowed, up, list);
        }
        if QUIET {
            let third = Bitboard::from_rank(self.turn.fold_wb(Rank::Third, Rank::Sixth));
            list.extend_pawns(single & !promoting & allowed, up);
            list.extend_pawns(rotate(single & third, up) & empty & allowed, up * 2 % 64);
        }
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

    /// Whether the king stands safe when the pawn on `from` has captured en passant on `to`. Two pawns leave the rank
    /// at once, which no pin shows.
    pub(super) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let captured = to.xor(Square::A2);
        let occupied = self.occupied() ^ from ^ to ^ captured;
        let other_checkers =
            self.checkers.without(captured) & !self.diagonal_sliders() & !self.straight_sliders();
        other_checkers.is_empty() && !self.is_attacked_by_sliders(self.king(self.turn), occupied, self.them())
    }

    #[inline(always)]
    fn castling_moves(&self, list: &mut MoveList) {
        for rook in self.castling_rooks & self.us() {
            if self.may_castle_with(rook) {
                list.push(Move::new(self.king(self.turn), rook));
            }
        }
    }

    /// Whether castling with a rook that has kept its right is legal now.
    pub(super) fn may_castle_with(&self, rook: Square) -> bool {
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
            && !king_path.into_iter().any(|square| self.is_attacked(square, others.with(rook)))
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

/// The square `offset` (modulo 64) before `to`.
#[inline(always)]
fn origin(to: Square, offset: u32) -> Square {
    Square::new((to as u32).wrapping_sub(offset) % 64)
}

/// The rotation by which `color`'s pawns advance one rank.
#[inline(always)]
fn forward(color: Color) -> u32 {
    color.fold_wb(8, 56)
}

/// Moves every square up by `offset` squares, modulo 64, so that one instruction serves both directions.
#[inline(always)]
fn rotate(bitboard: Bitboard, offset: u32) -> Bitboard {
    Bitboard(bitboard.0.rotate_left(offset))
}
