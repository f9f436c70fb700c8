//! What pawns and kings alone decide: pawn structure, shelter, their placement. It changes seldom, so it is remembered.

use shakmaty::{Bitboard, ByColor, Color, Role, Square};

use super::army::mirror;
use super::features as f;
use super::geometry::{ahead, beside, flanks, path, pawn_attacks, rank_for};
use super::{Sink, Sum, Tapered, king};
use crate::position::Position;

/// What is known of a structure of pawns and kings.
#[derive(Clone, Copy, Default)]
pub(super) struct Pawns {
    /// The value of everything booked here, for White.
    pub(super) value: Tapered,
    /// Passed pawns of both sides.
    pub(super) passed: Bitboard,
}

/// Pawn structures met before, by key; a newer one displaces an older one.
#[derive(Clone)]
pub(super) struct PawnTable {
    entries: Box<[(u64, Pawns)]>,
}

/// Entries: so few that they stay in the second-level cache.
const ENTRIES: usize = 1 << 13;

impl Default for PawnTable {
    fn default() -> PawnTable {
        // No structure has this key but by the same rare chance by which two structures share one.
        PawnTable { entries: vec![(0, Pawns::default()); ENTRIES].into_boxed_slice() }
    }
}

impl PawnTable {
    /// What is known of the pawns and kings of a position.
    #[inline]
    pub(super) fn of(&mut self, position: &Position) -> Pawns {
        let key = key(position);
        let entry = &mut self.entries[key as usize % ENTRIES];
        if entry.0 != key {
            let mut sums = ByColor::<Sum>::default();
            let mut pawns = book(position, &mut sums);
            pawns.value = sums.white.value - sums.black.value;
            *entry = (key, pawns);
        }
        entry.1
    }
}

/// Identifies the pawns and the squares of the kings.
#[inline]
fn key(position: &Position) -> u64 {
    let kings = 64 * position.king(Color::White) as u64 + position.king(Color::Black) as u64;
    // An odd multiplier keeps different pairs different, and spreads them over the key.
    position.keys().pawn ^ (kings + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32)
}

/// Books both sides' pawns and kings; the value is left to the sinks.
pub(super) fn book<S: Sink>(position: &Position, sinks: &mut ByColor<S>) -> Pawns {
    let mut passed = Bitboard::EMPTY;
    for color in [Color::White, Color::Black] {
        let sink = sinks.get_mut(color);
        passed |= book_structure(position, color, sink);
        book_placement(position, color, sink);
        king::book_shelter(position, color, sink);
    }
    Pawns { value: Tapered::default(), passed }
}

/// Books one side's pawns among the other pawns, and returns the passed ones.
fn book_structure<S: Sink>(position: &Position, color: Color, sink: &mut S) -> Bitboard {
    let (ours, theirs) = (position.pieces(color, Role::Pawn), position.pieces(!color, Role::Pawn));
    let (guarded, attacked) = (pawn_attacks(color, ours), pawn_attacks(!color, theirs));
    let mut passed = Bitboard::EMPTY;
    for pawn in ours {
        let rank = rank_for(color, pawn.rank());
        let (path, flanks) = (path(color, pawn), flanks(color, pawn));
        let opposed = usize::from((path & theirs).is_empty());
        let neighbours = beside(Bitboard::from_file(pawn.file())) & ours;
        let next = ahead(color, Bitboard::from_square(pawn));
        if guarded.contains(pawn) {
            sink.add(f::GUARDED.at(rank), 1);
        }
        if (beside(Bitboard::from_square(pawn)) & ours).any() {
            sink.add(f::PHALANX.at(rank), 1);
        }
        if neighbours.is_empty() {
            sink.add(f::ISOLATED.at(opposed), 1);
        } else if (neighbours & !flanks).is_empty() && (next & (attacked | theirs)).any() {
            sink.add(f::BACKWARD.at(opposed), 1);
        }
        if (path & ours).any() {
            sink.add(f::DOUBLED.only(), 1);
        } else if ((path | flanks) & theirs).is_empty() {
            passed |= Bitboard::from_square(pawn);
        }
    }
    passed
}

/// Books where pawns and king stand.
fn book_placement<S: Sink>(position: &Position, color: Color, sink: &mut S) {
    let king = position.king(color);
    let by_own_king = mirror(color, king);
    let by_enemy_king = mirror(color, position.king(!color));
    let place =
        |role: Role, square: Square, mirror: usize| 64 * (role as usize - 1) + (square as usize ^ mirror);
    for pawn in position.pieces(color, Role::Pawn) {
        sink.add(f::BY_OWN_KING.at(place(Role::Pawn, pawn, by_own_king)), 1);
        sink.add(f::BY_ENEMY_KING.at(place(Role::Pawn, pawn, by_enemy_king)), 1);
    }
    sink.add(f::BY_OWN_KING.at(place(Role::King, king, by_own_king)), 1);
}
