//! Pieces that are attacked and could be lost.

use shakmaty::{Bitboard, Rank, Role};

use super::Sink;
use super::army::Army;
use super::features as f;
use super::geometry::{ahead, pawn_attacks};
use crate::position::Position;

/// Books what `us` threaten.
#[inline]
pub(super) fn book<S: Sink>(position: &Position, us: &Army, them: &Army, sink: &mut S) {
    let kind = |square| position.role_at(square).unwrap_or(Role::Pawn) as usize - 1;
    let pieces = them.men & !them.pawns.with(them.king);
    for square in pieces & us.attacks_of(Role::Pawn) {
        sink.add(f::ATTACKED_BY_PAWN.at(kind(square) - 1), 1);
    }

    let well_guarded = them.attacks_of(Role::Pawn) | them.attacked_twice & !us.attacked_twice;
    let weak = them.men.without(them.king) & us.attacked & !well_guarded;
    for square in weak & (us.attacks_of(Role::Knight) | us.attacks_of(Role::Bishop)) {
        sink.add(f::ATTACKED_BY_MINOR.at(kind(square)), 1);
    }
    for square in weak & us.attacks_of(Role::Rook) {
        sink.add(f::ATTACKED_BY_ROOK.at(kind(square)), 1);
    }
    sink.add(f::ATTACKED_BY_KING.only(), (weak & us.attacks_of(Role::King)).count() as i32);
    let hanging = weak & !them.attacked;
    sink.add(f::HANGING.at(0), (hanging & them.pawns).count() as i32);
    sink.add(f::HANGING.at(1), (hanging & !them.pawns).count() as i32);

    let steps = safe_pawn_steps(position, us, them);
    let newly = pawn_attacks(us.color, steps) & pieces & !us.attacks_of(Role::Pawn);
    sink.add(f::PAWN_STEP.only(), newly.count() as i32);
}

/// Where pawns can go in one move without being lost there.
fn safe_pawn_steps(position: &Position, us: &Army, them: &Army) -> Bitboard {
    let empty = !position.occupied();
    let third = Bitboard::from_rank(us.color.fold_wb(Rank::Third, Rank::Sixth));
    let single = ahead(us.color, us.pawns) & empty;
    let double = ahead(us.color, single & third) & empty;
    (single | double) & !them.attacks_of(Role::Pawn) & (us.attacked | !them.attacked)
}
