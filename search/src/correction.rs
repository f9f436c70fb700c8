//! Correction histories: average errors of the static evaluation in similar positions.
//!
//! The error found by a search is a hint for all positions with the same pawns, with the same pieces of one side, or after
//! the same moves. The idea came up as "correction history" in Caissa and Stockfish (2023-24).

use crate::history::{PieceTo, Previous};
use crate::parameters::{self as p, step};
use crate::prefetch::prefetch;
use crate::{Position, Score};

/// Entries of each table, a power of two.
const KINDS: usize = 16_384;

/// Entries by side to move and key.
type ByKind = [[i16; KINDS]; 2];

/// The corrections of one thread, from the view of the side to move.
pub(crate) struct Corrections {
    /// By the pieces of each colour (`Color as usize`), then by the pawns.
    by_pieces: Box<[ByKind; 3]>,
    /// By our last move and the opponent's answer.
    continuation: Vec<[i16; PieceTo::COUNT]>,
}

impl Corrections {
    pub(crate) fn new() -> Corrections {
        // By way of the heap: the array is too large for the stack.
        let by_pieces = vec![[[0; KINDS]; 2]; 3].try_into().expect("three tables");
        Corrections { by_pieces, continuation: vec![[0; PieceTo::COUNT]; PieceTo::COUNT] }
    }

    /// Returns the places of a position's entries in the three tables.
    #[inline]
    fn kinds(position: &Position) -> [usize; 3] {
        let keys = position.keys();
        [keys.non_pawn[0], keys.non_pawn[1], keys.pawn].map(|key| key as usize % KINDS)
    }

    /// Returns the correction of the static evaluation, in centipawns.
    pub(crate) fn get(&self, position: &Position, previous: &Previous) -> i32 {
        let (turn, kinds) = (position.turn() as usize, Corrections::kinds(position));
        let [black, white, pawns] =
            std::array::from_fn(|table| i32::from(self.by_pieces[table][turn][kinds[table]]));
        let by_moves = moves(previous).map_or(0, |(last, before)| self.continuation[before][last]);
        let sum = step!(pawn_correction, pawns)
            + step!(non_pawn_correction, white + black)
            + step!(continuation_correction, i32::from(by_moves));
        sum / p::correction_entries_per_centipawn()
    }

    /// Prefetches the entries of a position.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position) {
        let turn = position.turn() as usize;
        for (table, kind) in self.by_pieces.iter().zip(Corrections::kinds(position)) {
            prefetch(&table[turn][kind]);
        }
    }

    /// Updates the entries after a search of this depth found a score `error` centipawns above the static evaluation.
    pub(crate) fn update(&mut self, position: &Position, previous: &Previous, depth: i32, error: i32) {
        let largest = p::correction_largest_step();
        let step = (error * depth / p::correction_divisor()).clamp(-largest, largest);
        let turn = position.turn() as usize;
        for (table, kind) in self.by_pieces.iter_mut().zip(Corrections::kinds(position)) {
            pull(&mut table[turn][kind], step);
        }
        if let Some((last, before)) = moves(previous) {
            pull(&mut self.continuation[before][last], step);
        }
    }

    /// Returns the corrected static evaluation, clamped to the range of evaluations.
    pub(crate) fn correct(&self, position: &Position, previous: &Previous, evaluation: Score) -> Score {
        Score::centipawns(evaluation.value() + self.get(position, previous))
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

    #[test]
    fn corrections_follow_the_errors_and_stay_bounded() {
        let (position, mut corrections) = (Position::default(), Corrections::new());
        let previous = Previous::default();
        for _ in 0..1000 {
            corrections.update(&position, &previous, 20, 500);
        }
        let correction = corrections.get(&position, &previous);
        assert!(
            (80..=3 * p::correction_limit() / p::correction_entries_per_centipawn()).contains(&correction),
            "{correction}"
        );
        corrections.update(&position, &previous, 20, -500);
        assert!(corrections.get(&position, &previous) < correction);
    }
}
