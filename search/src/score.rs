//! Scores of positions.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// Maximum distance from the root that a search reaches, in plies.
pub const MAX_PLY: usize = 128;

/// A score for the side to move: an evaluation in centipawns, a tablebase win or loss, or a distance to mate.
///
/// The order is: mate > tablebase win > evaluation > tablebase loss > being mated. Faster wins are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

/// The meaning of a [`Score`], for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// An evaluation in centipawns, in -[`Score::MAX_EVALUATION`] ..= [`Score::MAX_EVALUATION`]; up to 99 beyond that, a
    /// tablebase win or loss.
    Centipawns(i32),
    /// The side to move mates in this number of its own moves (1: with the next move).
    MateIn(u32),
    /// The side to move is mated in this number of the opponent's moves (0: it is checkmate).
    MatedIn(u32),
}

impl Score {
    /// An equal position.
    pub const DRAW: Score = Score(0);
    /// Greater than any score of a position.
    pub const INFINITE: Score = Score(32_001);
    /// The largest evaluation. Below 9,900, so that no GUI reads it as a mate
    /// (reference: cutechess reads magnitudes above 9,900 as mates).
    pub const MAX_EVALUATION: i32 = 9_800;

    const MATE: i32 = 32_000;
    const LEAST_MATE: i32 = Score::MATE - 2 * MAX_PLY as i32;
    const TABLEBASE_WIN: i32 = Score::LEAST_MATE - 1;
    const LEAST_WIN: i32 = Score::TABLEBASE_WIN - 2 * MAX_PLY as i32;

    /// Returns an evaluation, clamped to its range.
    pub fn centipawns(value: i32) -> Score {
        Score(value.clamp(-Score::MAX_EVALUATION, Score::MAX_EVALUATION))
    }

    /// Returns the score of a side to move that is checkmated `ply` plies from the root.
    pub const fn mated_at(ply: usize) -> Score {
        Score(ply as i32 - Score::MATE)
    }

    /// Returns the score of a side to move that mates with the move that leads to `ply`.
    pub const fn mate_at(ply: usize) -> Score {
        Score(Score::MATE - ply as i32)
    }

    /// Returns the score of a tablebase win for the side to move, found `ply` plies from the root.
    pub const fn tablebase_win_at(ply: usize) -> Score {
        Score(Score::TABLEBASE_WIN - ply as i32)
    }

    /// Returns the raw number, for arithmetic on margins and for packing.
    pub const fn value(self) -> i32 {
        self.0
    }

    /// Returns the score with this raw number.
    pub const fn from_value(value: i32) -> Score {
        Score(value)
    }

    /// Whether a mate has been found, for either side.
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= Score::LEAST_MATE
    }

    /// Whether the score is a mate or tablebase win for the side to move.
    pub const fn is_win(self) -> bool {
        self.0 >= Score::LEAST_WIN
    }

    /// Whether the score is a mate or tablebase loss against the side to move.
    pub const fn is_loss(self) -> bool {
        self.0 <= -Score::LEAST_WIN
    }

    /// Converts distances from the root into distances from the node at `ply`, as the hash table stores them.
    #[must_use]
    pub const fn relative_to_node(self, ply: usize) -> Score {
        self.moved_away(ply as i32)
    }

    /// The inverse of [`Score::relative_to_node`].
    #[must_use]
    pub const fn relative_to_root(self, ply: usize) -> Score {
        self.moved_away(-(ply as i32))
    }

    const fn moved_away(self, plies: i32) -> Score {
        if self.is_win() {
            Score(self.0 + plies)
        } else if self.is_loss() {
            Score(self.0 - plies)
        } else {
            self
        }
    }

    /// Returns the meaning of the score.
    pub const fn verdict(self) -> Verdict {
        let plies = (Score::MATE - self.0.abs()) as u32;
        match (self.is_mate(), self.0 > 0) {
            (true, true) => Verdict::MateIn(plies.div_ceil(2)),
            (true, false) => Verdict::MatedIn(plies / 2),
            (false, _) if self.is_win() => Verdict::Centipawns(Score::tablebase_centipawns(self.0)),
            (false, _) if self.is_loss() => Verdict::Centipawns(-Score::tablebase_centipawns(-self.0)),
            (false, _) => Verdict::Centipawns(self.0),
        }
    }

    /// Returns the displayed centipawns of a tablebase win: above all evaluations, less for more distant wins.
    const fn tablebase_centipawns(win: i32) -> i32 {
        let plies = Score::TABLEBASE_WIN - win;
        Score::MAX_EVALUATION + if plies < 98 { 99 - plies } else { 1 }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    fn add(self, margin: i32) -> Score {
        Score(self.0 + margin)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    fn sub(self, margin: i32) -> Score {
        Score(self.0 - margin)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.verdict())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_count_full_moves() {
        assert_eq!(Score::mate_at(1).verdict(), Verdict::MateIn(1));
        assert_eq!(Score::mate_at(3).verdict(), Verdict::MateIn(2));
        assert_eq!(Score::mated_at(0).verdict(), Verdict::MatedIn(0));
        assert_eq!(Score::mated_at(2).verdict(), Verdict::MatedIn(1));
        assert_eq!(Score::centipawns(20_000).verdict(), Verdict::Centipawns(Score::MAX_EVALUATION));
        assert_eq!(Score::mate_at(MAX_PLY).verdict(), Verdict::MateIn(MAX_PLY as u32 / 2));
    }

    #[test]
    fn wins_by_the_tables_lie_between_evaluations_and_mates() {
        let (near, far) = (Score::tablebase_win_at(3), Score::tablebase_win_at(MAX_PLY));
        assert!(Score::mate_at(MAX_PLY) > near && near > far && far > Score::centipawns(20_000));
        assert!(far.is_win() && (-far).is_loss() && !near.is_mate() && !(-near).is_mate());
        assert_eq!(near.verdict(), Verdict::Centipawns(Score::MAX_EVALUATION + 96));
        assert_eq!((-far).verdict(), Verdict::Centipawns(-Score::MAX_EVALUATION - 1));
        assert_eq!(far.relative_to_node(MAX_PLY), Score::tablebase_win_at(0));
    }

    #[test]
    fn node_and_root_distances_are_inverse() {
        for score in [Score::mate_at(9), Score::mated_at(12), Score::centipawns(-37), Score::DRAW] {
            assert_eq!(score.relative_to_node(7).relative_to_root(7), score);
        }
        assert_eq!(Score::mate_at(9).relative_to_node(4), Score::mate_at(5));
    }
}
