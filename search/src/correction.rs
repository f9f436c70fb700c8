//! Correction histories: average errors of the static evaluation in similar positions.
//!
//! The error found by a search is a hint for all positions with the same pawns, with the same pieces of one side, or after
//! the same moves. The idea came up as "correction history" in Caissa and Stockfish (2023-24).

use shakmaty::Color;

use crate::history::{PieceTo, Previous};
use crate::parameters::{self as p, step};
use crate::prefetch::prefetch;
use crate::{Position, Score};

/// Entries of each table, a power of two.
const KINDS: usize = 16_384;

/// Entries by side to move and key.
type ByKind = [Vec<i16>; 2];

/// The corrections of one thread, from the view of the side to move.
pub(crate) struct Corrections {
    pawn: ByKind,
    /// By the colour of the pieces.
    non_pawn: [ByKind; 2],
    /// By our last move and the opponent's answer.
    continuation: Vec<[i16; PieceTo::COUNT]>,
}

impl Corrections {
    pub(crate) fn new() -> Corrections {
        let by_kind = || [vec![0; KINDS], vec![0; KINDS]];
        Corrections {
            pawn: by_kind(),
            non_pawn: [by_kind(), by_kind()],
            continuation: vec![[0; PieceTo::COUNT]; PieceTo::COUNT],
        }
    }

    /// Returns the correction of the static evaluation, in centipawns.
    pub(crate) fn get(&self, position: &Position, previous: &Previous) -> i32 {
        let (turn, keys) = (position.turn() as usize, position.keys());
        let by_pieces = |color: Color| {
            self.non_pawn[color as usize][turn][keys.non_pawn[color as usize] as usize % KINDS]
        };
        let by_moves = moves(previous).map_or(0, |(last, before)| self.continuation[before][last]);
        let by_pawns = self.pawn[turn][keys.pawn as usize % KINDS];
        let sum = step!(pawn_correction, i32::from(by_pawns))
            + step!(
                non_pawn_correction,
                i32::from(by_pieces(Color::White)) + i32::from(by_pieces(Color::Black))
            )
            + step!(continuation_correction, i32::from(by_moves));
        sum / p::correction_entries_per_centipawn()
    }

    /// Prefetches the entries of a position.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position) {
        let (turn, keys) = (position.turn() as usize, position.keys());
        prefetch(&self.pawn[turn][keys.pawn as usize % KINDS]);
        for color in Color::ALL {
            prefetch(&self.non_pawn[color as usize][turn][keys.non_pawn[color as usize] as usize % KINDS]);
        }
    }

    /// Updates the entries after a search of this depth found a score `error` centipawns above the static evaluation.
    pub(crate) fn update(&mut self, position: &Position, previous: &Previous, depth: i32, error: i32) {
        let largest = p::correction_largest_step();
        let step = (error * depth / p::correction_divisor()).clamp(-largest, largest);
        let (turn, keys) = (position.turn() as usize, position.keys());
        pull(&mut self.pawn[turn][keys.pawn as usize % KINDS], step);
        for color in Color::ALL {
            let kind = keys.non_pawn[color as usize] as usize % KINDS;
            pull(&mut self.non_pawn[color as usize][turn][kind], step);
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
