//! Detection of repetitions that are one move away.
//!
//! Two positions with different sides to move differ by one reversible move if and only if their keys differ by the
//! keys of one piece on two squares and of the side to move. A table of all these differences finds the move with one
//! look-up (M. van Kervinck, "The design and implementation of the Rookie 2.0 chess engine", 2017).

use std::sync::LazyLock;

use shakmaty::{Bitboard, Color, Role, Square};

use super::{Position, keys};
use crate::attacks;

/// Slots of the table: a power of two, more than twice the 3668 reversible moves.
const SLOTS: usize = 8192;

/// A reversible move of a piece between two squares, in either direction.
#[derive(Clone, Copy)]
struct Way {
    difference: u64,
    ends: (Square, Square),
}

/// All reversible moves, each in one of its two slots (R. Pagh and F. Rodler, "Cuckoo hashing", 2001).
static WAYS: LazyLock<Box<[Option<Way>; SLOTS]>> = LazyLock::new(|| {
    let mut ways = Box::new([None; SLOTS]);
    for color in Color::ALL {
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
            for from in Square::ALL {
                let later = attacks::of_piece(role, from, Bitboard::EMPTY) & Bitboard(!0 << from as u32);
                for to in later {
                    let difference =
                        keys::piece(color, role, from) ^ keys::piece(color, role, to) ^ keys::TURN;
                    insert(&mut ways, Way { difference, ends: (from, to) });
                }
            }
        }
    }
    ways
});

fn slots(difference: u64) -> [usize; 2] {
    [difference as usize % SLOTS, (difference >> 16) as usize % SLOTS]
}

/// Inserts a move into its first slot. A move that was there is moved to its other slot, and so on.
fn insert(ways: &mut [Option<Way>; SLOTS], way: Way) {
    let (mut way, mut slot) = (way, slots(way.difference)[0]);
    while let Some(homeless) = ways[slot].replace(way) {
        let [first, second] = slots(homeless.difference);
        way = homeless;
        slot = if slot == first { second } else { first };
    }
}

impl Position {
    /// Whether the side to move can reach, by one reversible move, the position whose full key is `earlier` (an odd
    /// number of plies ago).
    pub(crate) fn reaches(&self, earlier: u64) -> bool {
        let difference = self.keys.full ^ earlier;
        slots(difference).iter().any(|&slot| {
            WAYS[slot].is_some_and(|way| {
                way.difference == difference
                    && (attacks::between(way.ends.0, way.ends.1) & self.occupied()).is_empty()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::Move;

    #[test]
    fn all_reversible_moves_are_in_the_table() {
        assert_eq!(WAYS.iter().flatten().count(), 3668);
    }

    #[test]
    fn a_knight_that_can_go_back_is_seen() {
        let start = Position::default();
        let out = start.make(Move::new(Square::G1, Square::F3));
        let replied = out.make(Move::new(Square::G8, Square::F6));
        let back = replied.make(Move::new(Square::F3, Square::G1));
        assert!(back.reaches(start.keys().full), "Ng8 repeats the start position");
        assert!(!replied.reaches(start.keys().full), "both knights are out");
        assert!(!back.reaches(out.keys().full));
    }
}
