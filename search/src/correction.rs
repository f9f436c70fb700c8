//! Correction histories: average errors of the static evaluation in similar positions.
//!
//! The error found by a search is a hint for all positions with the same pawns, with the same pieces of one side, or after
//! the same moves. The idea came up as "correction history" in Caissa and Stockfish (2023-24).

use std::array;

use bytemuck::{Pod, Zeroable};

use crate::Position;
use crate::history::{PieceTo, Previous};
use crate::parameters::{self as p, step};
use crate::prefetch::prefetch;

/// Entries of each table, a power of two.
const KINDS: usize = 16_384;

/// The corrections of one thread, from the view of the side to move.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Corrections {
    /// Three tables, each by side to move and key: by Black's pieces, by White's, and by the pawns.
    by_pieces: [i16; 3 * 2 * KINDS],
    /// By our last move and the opponent's answer.
    continuation: [[i16; PieceTo::COUNT]; PieceTo::COUNT],
}

impl Corrections {
    /// Returns the places of a position's entries in the three tables.
    #[inline]
    fn places(position: &Position) -> [usize; 3] {
        let (turn, keys) = (position.turn() as usize, position.keys());
        let kinds = [keys.non_pawn[0], keys.non_pawn[1], keys.pawn].map(|key| key as usize % KINDS);
        array::from_fn(|table| (2 * table + turn) * KINDS + kinds[table])
    }

    /// Returns the correction of the static evaluation, in centipawns.
    pub(crate) fn get(&self, position: &Position, previous: &Previous) -> i32 {
        let [black, white, pawns] =
            Corrections::places(position).map(|place| i32::from(self.by_pieces[place]));
        let by_moves = moves(previous).map_or(0, |(last, before)| self.continuation[before][last]);
        let sum = p::pawn_correction_weight() * step!(pawn_correction, pawns)
            + p::non_pawn_correction_weight() * step!(non_pawn_correction, white + black)
            + p::continuation_correction_weight() * step!(continuation_correction, i32::from(by_moves));
        sum / 1000
    }

    /// Prefetches the entries of a position.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position) {
        for place in Corrections::places(position) {
            prefetch(&self.by_pieces[place]);
        }
    }

    /// Updates the entries after a search of this depth found a score `error` centipawns above the static evaluation.
    pub(crate) fn update(&mut self, position: &Position, previous: &Previous, depth: i32, error: i32) {
        let largest = p::correction_largest_step();
        let step = (error * depth * p::correction_rate() / 1024).clamp(-largest, largest);
        for place in Corrections::places(position) {
            pull(&mut self.by_pieces[place], step);
        }
        if let Some((last, before)) = moves(previous) {
            pull(&mut self.continuation[before][last], step);
        }
    }
}

fn moves(previous: &Previous) -> Option<(usize, usize)> {
    Some((previous[0]?.index(), previous[1]?.index()))
}

/// Changes an entry by a step that shrinks as the entry approaches its limit.
fn pull(entry: &mut i16, step: i32) {
    let value = i32::from(*entry);
    *entry = (value + step - value * step.abs() / p::correction_limit()) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Zeroed;

    #[test]
    fn corrections_follow_the_errors_and_stay_bounded() {
        let (position, mut corrections) = (Position::default(), Zeroed::<Corrections>::new());
        let previous = Previous::default();
        for _ in 0..1000 {
            corrections.update(&position, &previous, 20, 500);
        }
        let correction = corrections.get(&position, &previous);
        assert!((80..=3 * p::correction_limit() / 20).contains(&correction), "{correction}");
        corrections.update(&position, &previous, 20, -500);
        assert!(corrections.get(&position, &previous) < correction);
    }
}
