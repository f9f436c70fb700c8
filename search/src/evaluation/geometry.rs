//! Sets of squares that the terms have in common, each as one side sees it.

use shakmaty::{Bitboard, Color, File, Rank, Square};

/// The squares a step ahead of `squares`; what leaves the board comes in on the other side, where no pawn stands.
#[inline]
pub(super) fn ahead(color: Color, squares: Bitboard) -> Bitboard {
    Bitboard(squares.0.rotate_left(color.fold_wb(8, 56)))
}

/// The squares beside `squares`, to the left and to the right.
#[inline]
pub(super) fn beside(squares: Bitboard) -> Bitboard {
    (squares & !Bitboard::from_file(File::H)).shift(1) | (squares & !Bitboard::from_file(File::A)).shift(-1)
}

/// All squares that `color`'s pawns attack.
#[inline]
pub(super) fn pawn_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    beside(ahead(color, pawns))
}

/// All squares that two of `color`'s pawns attack.
#[inline]
pub(super) fn double_pawn_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    let pushed = ahead(color, pawns);
    (pushed & !Bitboard::from_file(File::H)).shift(1) & (pushed & !Bitboard::from_file(File::A)).shift(-1)
}

/// All ranks beyond `rank`.
#[inline]
pub(super) fn ranks_ahead(color: Color, rank: Rank) -> Bitboard {
    match color {
        Color::White => Bitboard((!0u64 << 8) << (8 * rank as u32)),
        Color::Black => Bitboard((1u64 << (8 * rank as u32)) - 1),
    }
}

/// The squares ahead of a square on its file.
#[inline]
pub(super) fn path(color: Color, square: Square) -> Bitboard {
    Bitboard::from_file(square.file()) & ranks_ahead(color, square.rank())
}

/// The squares ahead of a square on the files beside it.
#[inline]
pub(super) fn flanks(color: Color, square: Square) -> Bitboard {
    beside(Bitboard::from_file(square.file())) & ranks_ahead(color, square.rank())
}

/// The number of a rank from `color`'s side, from 0.
#[inline]
pub(super) fn rank_for(color: Color, rank: Rank) -> usize {
    color.fold_wb(rank as usize, 7 - rank as usize)
}

/// Squares of the colour of a1.
pub(super) const DARK: Bitboard = Bitboard(0xAA55_AA55_AA55_AA55);

/// The squares of the same colour.
#[inline]
pub(super) fn of_same_color(square: Square) -> Bitboard {
    if DARK.contains(square) { DARK } else { !DARK }
}
