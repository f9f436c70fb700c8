//! Endgames that the sum of terms misjudges: leads that hardly win, and wins that need a direction.

use shakmaty::{Bitboard, Color, File, Role, Square};

use super::geometry::{DARK, of_same_color};
use crate::position::Position;

/// The scale of an ordinary endgame.
pub(super) const FULL_SCALE: i32 = 64;

/// How much of its lead in the endgame `strong` can count on, in 0 ..= 64.
#[inline]
pub(super) fn scale(position: &Position, strong: Color) -> i32 {
    let pawns = position.pieces(strong, Role::Pawn);
    if pawns.is_empty() {
        return scale_without_pawns(position, strong);
    }
    let bishops = position.by_role(Role::Bishop);
    if bishops.any() {
        if is_wrong_bishop(position, strong) {
            return 0;
        }
        if are_opposite_bishops(position) {
            let only_bishops = pieces_of(position, Color::White) | pieces_of(position, Color::Black);
            return if only_bishops == bishops { 32 } else { 50 };
        }
    }
    // The fewer pawns there are, the easier they are given up for.
    (40 + 6 * pawns.count() as i32).min(FULL_SCALE)
}

/// Without pawns, a lead of less than a rook seldom wins, and two knights never do.
fn scale_without_pawns(position: &Position, strong: Color) -> i32 {
    let (ours, theirs) = (force(position, strong), force(position, !strong));
    let only_knights = pieces_of(position, strong) == position.pieces(strong, Role::Knight);
    if ours <= 3 || only_knights && ours <= 6 {
        0
    } else if ours - theirs <= 3 {
        8
    } else {
        FULL_SCALE
    }
}

/// Bishop and rook pawns that promote on squares of the other colour, against a king in the corner, cannot win.
fn is_wrong_bishop(position: &Position, strong: Color) -> bool {
    let (pawns, bishops) = (position.pieces(strong, Role::Pawn), position.pieces(strong, Role::Bishop));
    let file = [File::A, File::H].into_iter().find(|&file| (pawns & !Bitboard::from_file(file)).is_empty());
    let (Some(file), true) = (file, pieces_of(position, strong) == bishops) else { return false };
    let corner = Square::from_coords(file, strong.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First));
    (bishops & of_same_color(corner)).is_empty() && position.king(!strong).distance(corner) <= 1
}

/// Each side has one bishop, on squares of different colours.
fn are_opposite_bishops(position: &Position) -> bool {
    let (white, black) =
        (position.pieces(Color::White, Role::Bishop), position.pieces(Color::Black, Role::Bishop));
    white.count() == 1 && black.count() == 1 && (white & DARK).is_empty() != (black & DARK).is_empty()
}

/// More than king and pawns.
fn pieces_of(position: &Position, color: Color) -> Bitboard {
    position.by_color(color) & !position.by_role(Role::Pawn) & !position.by_role(Role::King)
}

/// The pieces of a side as the usual numbers: 3, 3, 5, 9.
fn force(position: &Position, color: Color) -> i32 {
    let count = |role| position.pieces(color, role).count() as i32;
    3 * (count(Role::Knight) + count(Role::Bishop)) + 5 * count(Role::Rook) + 9 * count(Role::Queen)
}

/// For `color` against a bare king: centipawns for driving it to the edge (with bishop and knight, to a corner that the
/// bishop attacks) and for the own king to come near. Nothing in other positions.
#[inline]
pub(super) fn drive(position: &Position, color: Color) -> i32 {
    if position.by_color(!color).more_than_one() || !can_mate(position, color) {
        return 0;
    }
    let (own, bare) = (position.king(color), position.king(!color));
    let near = 14 - 2 * own.distance(bare) as i32;
    let bishops = position.pieces(color, Role::Bishop);
    let to_edge = if pieces_of(position, color).count() == 2 && bishops.count() == 1 {
        let corners =
            if (bishops & DARK).any() { [Square::A1, Square::H8] } else { [Square::A8, Square::H1] };
        // The way along the edge is long, and leads away from it for a while.
        2 * (7 - corners.map(|corner| steps_apart(bare, corner)).into_iter().min().unwrap_or(0))
    } else {
        off_center(bare)
    };
    WON + 10 * near + 20 * to_edge
}

/// A bonus for the material to mate with, so that pawns and pieces are not kept for their own sake.
const WON: i32 = 300;

/// Whether the pieces of a side, pawns aside, can force mate on a bare king.
fn can_mate(position: &Position, color: Color) -> bool {
    let bishops = position.pieces(color, Role::Bishop);
    let both_colors = (bishops & DARK).any() && (bishops & !DARK).any();
    let knights = position.pieces(color, Role::Knight);
    let major = position.pieces(color, Role::Rook) | position.pieces(color, Role::Queen);
    major.any() || both_colors || bishops.any() && knights.any()
}

/// Steps from the four squares in the middle, along file and rank, in 0 ..= 6.
fn off_center(square: Square) -> i32 {
    let off = |coordinate: i32| if coordinate < 4 { 3 - coordinate } else { coordinate - 4 };
    off(square.file() as i32) + off(square.rank() as i32)
}

/// Steps along file and rank together.
fn steps_apart(a: Square, b: Square) -> i32 {
    (a.file() as i32 - b.file() as i32).abs() + (a.rank() as i32 - b.rank() as i32).abs()
}
