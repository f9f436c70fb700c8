//! The inputs of the network: one for each place of a side's king (its bucket), each piece and each square, from that side's view.

use shakmaty::{Color, File, Role, Square};

/// Number of inputs of a king bucket: pieces of two sides and six kinds on 64 squares.
pub const PIECE_INPUTS: usize = 768;

/// Number of places of a king that have inputs of their own.
const KING_BUCKETS: usize = 5;

/// The buckets of a king on the files a to d, from its first rank on.
#[rustfmt::skip]
const BUCKET_OF_KING: [[u8; 4]; 8] = [
    [0, 0, 1, 1],
    [2, 2, 2, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [4, 4, 4, 4],
    [4, 4, 4, 4],
    [4, 4, 4, 4],
    [4, 4, 4, 4],
];

/// Number of inputs.
pub const INPUTS: usize = KING_BUCKETS * PIECE_INPUTS;

/// Number of views that a side can have.
pub(super) const VIEWS: usize = 2 * KING_BUCKETS;

/// How a side sees the board: its own pieces come first, and its first rank is rank 1. If its king stands on the files e to
/// h, it sees the board mirrored, so that what is learnt for one wing holds for the other. The king's place selects the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    perspective: Color,
    /// First input of the king's bucket.
    pub first: u16,
    /// What the indices of squares are combined with, by exclusive or.
    pub flip: u8,
}

impl View {
    /// Returns the view of a side with a king on this square.
    #[inline]
    pub fn of(perspective: Color, king: Square) -> View {
        let mirrored = if king.file() >= File::E { 7 } else { 0 };
        let flip = perspective.fold_wb(0, 56) ^ mirrored;
        let seen = king as u8 ^ flip;
        let bucket = BUCKET_OF_KING[usize::from(seen / 8)][usize::from(seen % 4)];
        View { perspective, first: u16::from(bucket) * PIECE_INPUTS as u16, flip }
    }

    /// Returns the input of a piece on a square.
    #[inline]
    pub fn input(self, color: Color, role: Role, square: Square) -> usize {
        let side = usize::from(color != self.perspective);
        usize::from(self.first) + (side * 6 + role as usize - 1) * 64 + usize::from(square as u8 ^ self.flip)
    }

    /// Returns the number of this one of the side's views, below [`VIEWS`].
    pub(super) fn index(self) -> usize {
        2 * usize::from(self.first) / PIECE_INPUTS + usize::from(self.flip & 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_and_both_wings_look_alike() {
        let white = View::of(Color::White, Square::G1).input(Color::White, Role::Rook, Square::F1);
        let black = View::of(Color::Black, Square::G8).input(Color::Black, Role::Rook, Square::F8);
        let other_wing = View::of(Color::White, Square::B1).input(Color::White, Role::Rook, Square::C1);
        assert_eq!([white, black], [other_wing; 2]);
        assert_eq!(View::of(Color::White, Square::B1).input(Color::White, Role::Pawn, Square::A1), 0);
        let far = View::of(Color::White, Square::A8);
        assert_eq!(far.input(Color::Black, Role::King, Square::H8), INPUTS - 1);
        let mirrored = View::of(Color::Black, Square::H1);
        assert_eq!(mirrored.input(Color::White, Role::King, Square::A1), INPUTS - 1);
    }

    #[test]
    fn each_place_of_a_king_has_its_inputs() {
        for color in Color::ALL {
            let mut views = [None; VIEWS];
            for king in Square::ALL {
                let view = View::of(color, king);
                assert_eq!(*views[view.index()].get_or_insert(view), view);
                assert!(usize::from(view.first) + PIECE_INPUTS <= INPUTS);
            }
            assert!(views.iter().all(Option::is_some));
        }
    }
}
