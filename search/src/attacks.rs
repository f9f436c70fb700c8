//! Attack tables. They are shakmaty's; only this module names them, so that they can be replaced here.

use shakmaty::attacks;
pub use shakmaty::attacks::{
    bishop_attacks as bishop, king_attacks as king, knight_attacks as knight, pawn_attacks as pawn,
    queen_attacks as queen, ray as line, rook_attacks as rook,
};
use shakmaty::{Bitboard, Color, File, Role, Square};

/// Returns the squares that a piece other than a pawn attacks from `square`. Empty for pawns, whose attacks depend on
/// their colour (see [`pawn`]).
pub fn of_piece(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => Bitboard::EMPTY,
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}

/// Squares strictly between two squares of a line.
static BETWEEN: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut pair = 0;
    while pair < 64 * 64 {
        let (a, b) = (Square::new(pair / 64), Square::new(pair % 64));
        table[a as usize][b as usize] = attacks::between(a, b);
        pair += 1;
    }
    table
};

/// Returns the squares strictly between `a` and `b`; empty if they share no line.
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a as usize][b as usize]
}

/// Attacks of bishops and rooks on an empty board.
static EMPTY_BOARD: [[Bitboard; 64]; 2] = {
    let mut table = [[Bitboard::EMPTY; 64]; 2];
    let mut i = 0;
    while i < 64 {
        table[0][i] = attacks::bishop_attacks(Square::new(i as u32), Bitboard::EMPTY);
        table[1][i] = attacks::rook_attacks(Square::new(i as u32), Bitboard::EMPTY);
        i += 1;
    }
    table
};

/// Returns the diagonals through a square, without the square itself.
pub fn diagonals(square: Square) -> Bitboard {
    EMPTY_BOARD[0][square as usize]
}

/// Returns the rank and the file of a square, without the square itself.
pub fn straights(square: Square) -> Bitboard {
    EMPTY_BOARD[1][square as usize]
}

/// Returns the squares that a set of pawns attacks.
pub fn by_pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let (west, east) = (pawns & !Bitboard::from_file(File::A), pawns & !Bitboard::from_file(File::H));
    match color {
        Color::White => Bitboard(west.0 << 7 | east.0 << 9),
        Color::Black => Bitboard(west.0 >> 9 | east.0 >> 7),
    }
}
