//! The inputs of the network: one for each piece and square, from one side's view.

use shakmaty::{Color, File, Role, Square};

/// Number of inputs: pieces of two sides and six kinds on 64 squares.
pub const INPUTS: usize = 768;

/// Whether a side whose king is on this square sees the board mirrored, file h in place of file a. Its king is then
/// always on the files a to d, so what is learnt for one wing holds for the other.
#[inline]
pub fn is_mirrored(king: Square) -> bool {
    king.file() >= File::E
}

/// Returns the input of a piece on a square as `perspective` sees it: its own pieces come first, and its first rank is
/// rank 1.
#[inline]
pub fn input(perspective: Color, mirrored: bool, color: Color, role: Role, square: Square) -> usize {
    let side = usize::from(color != perspective);
    let square = square as usize ^ perspective.fold_wb(0, 56) ^ if mirrored { 7 } else { 0 };
    (side * 6 + role as usize - 1) * 64 + square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_and_both_wings_look_alike() {
        let white = input(Color::White, is_mirrored(Square::G1), Color::White, Role::Rook, Square::F1);
        let black = input(Color::Black, is_mirrored(Square::G8), Color::Black, Role::Rook, Square::F8);
        let other_wing = input(Color::White, is_mirrored(Square::B1), Color::White, Role::Rook, Square::C1);
        assert_eq!([white, black], [other_wing; 2]);
        assert_eq!(input(Color::White, false, Color::White, Role::Pawn, Square::A1), 0);
        assert_eq!(input(Color::White, false, Color::Black, Role::King, Square::H8), INPUTS - 1);
        assert_eq!(input(Color::Black, true, Color::White, Role::King, Square::A1), INPUTS - 1);
    }
}
