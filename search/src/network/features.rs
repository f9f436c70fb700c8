//! The inputs of the network, from a side's view: one for each place of its king (its bucket), each piece and each square; and one
//! for each danger, each piece and each square, whatever the place of the king.

use shakmaty::{Bitboard, Color, File, Role, Square};

use crate::position::Threats;

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

/// Number of inputs of pieces on squares, which come first.
pub const PLACED_INPUTS: usize = KING_BUCKETS * PIECE_INPUTS;

/// Number of dangers ([`in_danger`]).
pub(super) const DANGERS: usize = 2;

/// Number of inputs.
pub const INPUTS: usize = PLACED_INPUTS + DANGERS * PIECE_INPUTS;

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

    /// Returns the input of a piece that is in a danger (a number below [`DANGERS`]) on a square.
    #[inline]
    pub fn danger_input(self, danger: usize, color: Color, role: Role, square: Square) -> usize {
        let first = (PLACED_INPUTS + danger * PIECE_INPUTS) as u16;
        View { first, ..self }.input(color, role, square)
    }

    /// Returns the number of this one of the side's views, below [`VIEWS`].
    pub(super) fn index(self) -> usize {
        2 * usize::from(self.first) / PIECE_INPUTS + usize::from(self.flip & 1)
    }
}

/// Returns the pieces of both sides in each danger: those that a less valuable piece attacks, and the others that are attacked and not
/// defended. Kings are in none. `pieces` returns the pieces of a colour and kind.
#[inline]
pub fn in_danger(pieces: impl Fn(Color, Role) -> Bitboard) -> [Bitboard; DANGERS] {
    let all = |color| Role::ALL.into_iter().fold(Bitboard::EMPTY, |all, role| all | pieces(color, role));
    let sides = [all(Color::Black), all(Color::White)];
    let threats = Color::ALL.map(|side| Threats::by(side, sides[0] | sides[1], |role| pieces(side, role)));
    let [by_white, by_black] = &threats;
    let mut dangers = [Bitboard::EMPTY; DANGERS];
    for (color, attacks, defence) in [(Color::White, by_black, by_white), (Color::Black, by_white, by_black)]
    {
        let threatened = Role::ALL.into_iter().map(|role| pieces(color, role) & attacks.to(role));
        let threatened = threatened.fold(Bitboard::EMPTY, |all, set| all | set);
        let hanging = sides[color as usize] & attacks.any & !defence.any & !pieces(color, Role::King);
        dangers[0] |= threatened;
        dangers[1] |= hanging & !threatened;
    }
    dangers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::position;

    #[test]
    fn pieces_are_in_danger_if_attacked_by_lesser_ones_or_undefended() {
        // A pawn attacks the defended knight on e6, a rook the bishop on e3, which nothing defends, and two pawns each other, one of
        // which is defended.
        let position = position("6k1/5p2/4n3/3P4/p7/1P2b3/P7/4R2K w - - 0 1");
        let dangers = in_danger(|color, role| position.pieces(color, role));
        let set = |squares: &[Square]| squares.iter().copied().collect::<Bitboard>();
        assert_eq!(dangers, [set(&[Square::E6]), set(&[Square::E3, Square::A4])]);
    }

    #[test]
    fn both_sides_and_both_wings_look_alike() {
        let white = View::of(Color::White, Square::G1).input(Color::White, Role::Rook, Square::F1);
        let black = View::of(Color::Black, Square::G8).input(Color::Black, Role::Rook, Square::F8);
        let other_wing = View::of(Color::White, Square::B1).input(Color::White, Role::Rook, Square::C1);
        assert_eq!([white, black], [other_wing; 2]);
        assert_eq!(View::of(Color::White, Square::B1).input(Color::White, Role::Pawn, Square::A1), 0);
        let far = View::of(Color::White, Square::A8);
        assert_eq!(far.input(Color::Black, Role::King, Square::H8), PLACED_INPUTS - 1);
        assert_eq!(far.danger_input(1, Color::Black, Role::King, Square::H8), INPUTS - 1);
        let mirrored = View::of(Color::Black, Square::H1);
        assert_eq!(mirrored.input(Color::White, Role::King, Square::A1), PLACED_INPUTS - 1);
    }

    #[test]
    fn each_place_of_a_king_has_its_inputs() {
        for color in Color::ALL {
            let mut views = [None; VIEWS];
            for king in Square::ALL {
                let view = View::of(color, king);
                assert_eq!(*views[view.index()].get_or_insert(view), view);
                assert!(usize::from(view.first) + PIECE_INPUTS <= PLACED_INPUTS);
            }
            assert!(views.iter().all(Option::is_some));
        }
    }
}
