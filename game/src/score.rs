//! Scores of positions, as programs exchange them.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Neg;

/// The value of a position for the side to move.
///
/// Ordering: a mate for the side to move is greater than all estimates, and a shorter mate is greater than a longer one; a mate
/// against it is less than all estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// An estimate in centipawns.
    Centipawns(i32),
    /// The side to move mates in this number of its own moves; 1 is a mate in one.
    MateIn(u32),
    /// The side to move is mated in this number of the opponent's moves; 0 is checkmate.
    MatedIn(u32),
}

/// Relation of a score to the true value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// The score is the value.
    Exact,
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

impl Score {
    /// An even position.
    pub const DRAW: Score = Score::Centipawns(0);

    /// The score as a number for thresholds in centipawns. Mates exceed every estimate.
    pub const fn value(self) -> i64 {
        /// Greater than every estimate and every distance to a mate.
        const MATE: i64 = 1 << 40;
        match self {
            Score::Centipawns(centipawns) => centipawns as i64,
            Score::MateIn(moves) => MATE - moves as i64,
            Score::MatedIn(moves) => moves as i64 - MATE,
        }
    }

    /// Largest estimate of Herald in centipawns; greater magnitudes are wins or losses by the endgame tables. It is below 9,900
    /// because cutechess reads greater magnitudes as mates.
    pub const LARGEST_ESTIMATE: i32 = 9_800;

    /// Whether the side to move is mated or loses by the endgame tables.
    pub const fn is_loss(self) -> bool {
        match self {
            Score::Centipawns(centipawns) => centipawns < -Score::LARGEST_ESTIMATE,
            Score::MateIn(_) => false,
            Score::MatedIn(_) => true,
        }
    }

    /// Whether a mate has been found, for either side.
    pub const fn is_mate(self) -> bool {
        !matches!(self, Score::Centipawns(_))
    }
}

impl fmt::Display for Score {
    /// Writes pawns with two decimals, or the distance to mate: `+0.42`, `-M3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(value) => write!(f, "{:+.2}", f64::from(*value) / 100.0),
            Score::MateIn(moves) => write!(f, "+M{moves}"),
            Score::MatedIn(moves) => write!(f, "-M{moves}"),
        }
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Score) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Score) -> Ordering {
        self.value().cmp(&other.value())
    }
}

impl Neg for Score {
    type Output = Score;

    /// The score for the other side.
    fn neg(self) -> Score {
        match self {
            Score::Centipawns(centipawns) => Score::Centipawns(centipawns.saturating_neg()),
            Score::MateIn(moves) => Score::MatedIn(moves),
            Score::MatedIn(moves) => Score::MateIn(moves),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quicker_mates_are_greater_than_slower_ones_and_all_estimates() {
        let ascending = [
            Score::MatedIn(0),
            Score::MatedIn(7),
            Score::Centipawns(i32::MIN),
            Score::Centipawns(-1),
            Score::DRAW,
            Score::Centipawns(i32::MAX),
            Score::MateIn(u32::MAX),
            Score::MateIn(1),
        ];
        assert!(ascending.is_sorted());
        assert_eq!(-Score::MateIn(3), Score::MatedIn(3));
    }

    #[test]
    fn scores_are_written_in_pawns_or_moves_to_the_mate() {
        let written = [Score::Centipawns(42), Score::Centipawns(-5), Score::MateIn(5), Score::MatedIn(0)];
        assert_eq!(written.map(|score| score.to_string()), ["+0.42", "-0.05", "+M5", "-M0"]);
    }
}
