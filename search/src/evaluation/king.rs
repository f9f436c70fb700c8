//! The kings: the pawns before the own one, and the danger to the enemy's.

use shakmaty::{Bitboard, Color, File, Role, Square};

use super::Sink;
use super::army::Army;
use super::features as f;
use super::geometry::{rank_for, ranks_ahead};
use crate::attacks;
use crate::position::Position;

/// Books the own and the enemy's pawns on the king's file and the two beside it; for a king on the edge, on the three
/// files next to the edge.
pub(super) fn book_shelter<S: Sink>(position: &Position, color: Color, sink: &mut S) {
    let king = position.king(color);
    let (ours, theirs) = (position.pieces(color, Role::Pawn), position.pieces(!color, Role::Pawn));
    let beyond = ranks_ahead(color, king.rank()) | Bitboard::from_rank(king.rank());
    let middle = (king.file() as u32).clamp(1, 6);
    for file in [middle - 1, middle, middle + 1].map(File::new) {
        let on_file = Bitboard::from_file(file) & beyond;
        let edge = (file as usize).min(7 - file as usize);
        let own = nearest(color, ours & on_file);
        let own_rank = own.map_or(0, |pawn| rank_for(color, pawn.rank()));
        sink.add(f::SHELTER.at(8 * edge + own_rank), 1);
        let Some(enemy) = nearest(color, theirs & on_file) else { continue };
        let rank = rank_for(color, enemy.rank());
        if own.is_some() && own_rank + 1 == rank {
            sink.add(f::STOPPED_STORM.at(rank), 1);
        } else {
            sink.add(f::STORM.at(8 * edge + rank), 1);
        }
    }
}

/// The pawn nearest to `color`'s first rank.
fn nearest(color: Color, pawns: Bitboard) -> Option<Square> {
    if color.is_white() { pawns.first() } else { pawns.last() }
}

/// Books the danger that `us` are to the enemy's king, beside what the pieces' own attacks make.
#[inline]
pub(super) fn book_danger<S: Sink>(position: &Position, us: &Army, them: &Army, sink: &mut S) {
    let guarded_by_king_alone =
        !them.attacked_twice & (them.attacks_of(Role::King) | them.attacks_of(Role::Queen) | !them.attacked);
    let weak = us.attacked & guarded_by_king_alone;
    sink.add(f::DANGER.only(), 1);
    sink.add(f::DANGER_WEAK.only(), (weak & them.king_zone).count() as i32);
    if position.pieces(us.color, Role::Queen).is_empty() {
        sink.add(f::DANGER_NO_QUEEN.only(), 1);
    }
    let safe = !us.men & (!them.attacked | weak & us.attacked_twice);
    let occupied = position.occupied();
    let straight = attacks::rook(them.king, occupied);
    let diagonal = attacks::bishop(them.king, occupied);
    for (role, lines) in [
        (Role::Knight, attacks::knight(them.king)),
        (Role::Bishop, diagonal),
        (Role::Rook, straight),
        (Role::Queen, straight | diagonal),
    ] {
        let checks = us.attacks_of(role) & lines & safe;
        sink.add(f::DANGER_CHECK.at(role as usize - 2), checks.count() as i32);
    }
}
