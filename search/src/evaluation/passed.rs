//! Passed pawns among the pieces: how far they are, and who can stop them.

use shakmaty::{Bitboard, Role, Square};

use super::Sink;
use super::army::Army;
use super::features as f;
use super::geometry::{ahead, path, rank_for};
use crate::position::Position;

/// Books the passed pawns of `us`.
#[inline]
pub(super) fn book<S: Sink>(position: &Position, us: &Army, them: &Army, sink: &mut S) {
    for pawn in us.passed {
        book_one(position, us, them, pawn, sink);
    }
}

fn book_one<S: Sink>(position: &Position, us: &Army, them: &Army, pawn: Square, sink: &mut S) {
    let rank = rank_for(us.color, pawn.rank());
    let path = path(us.color, pawn);
    let Some(next) = ahead(us.color, Bitboard::from_square(pawn)).first() else { return };
    let occupied = position.occupied();
    sink.add(f::PASSED.at(rank), 1);
    sink.add(f::PASSED_OWN_KING.at(rank), us.king.distance(next) as i32);
    sink.add(f::PASSED_ENEMY_KING.at(rank), them.king.distance(next) as i32);
    if !occupied.contains(next) {
        sink.add(f::PASSED_FREE.at(rank), 1);
        if !them.attacked.contains(next) {
            sink.add(f::PASSED_SAFE.at(rank), 1);
        }
        if (path & occupied).is_empty() {
            sink.add(f::PASSED_OPEN_ROAD.at(rank), 1);
        }
    }
    let behind = super::geometry::path(!us.color, pawn);
    for rook in behind & position.by_role(Role::Rook) {
        sink.add(f::PASSED_ROOK_BEHIND.at(usize::from(them.men.contains(rook))), 1);
    }
    if !position.has_pieces(them.color) && is_unstoppable(position, us, them, pawn, path) {
        sink.add(f::PASSED_UNSTOPPABLE.only(), 1);
    }
}

/// The rule of the square: whether the pawn, its path being empty, promotes before the enemy's king can be there.
fn is_unstoppable(position: &Position, us: &Army, them: &Army, pawn: Square, path: Bitboard) -> bool {
    let Some(goal) = (if us.color.is_white() { path.last() } else { path.first() }) else { return false };
    let steps = path.count() as u32 - u32::from(rank_for(us.color, pawn.rank()) == 1);
    let lost = u32::from(position.turn() == them.color);
    (path & position.occupied()).is_empty() && them.king.distance(goal) > steps + lost
}
