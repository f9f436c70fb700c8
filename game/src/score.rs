//! What a position is worth, as programs tell one another.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Neg;

/// The value of a position for the side to move.
///
/// Ordered: mates for the side to move, quicker ones first, are greater than all estimates; mates against it are less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// An estimate in centipawns.
    Centipawns(i32),
    /// The side to move mates in so many of its own moves (1 = at once).
    MateIn(u32),
    /// The side to move is mated in so many moves of the opponent (0 = it is mate).
    MatedIn(u32),
}

/// What a score says about the true value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// The score is the value.
    Exact,
    /// The value is this or more.
    Lower,
    /// The value is this or less.
    Upper,
}

impl Score {
    /// An even position.
    pub const DRAW: Score = Score::Centipawns(0);

    /// The score as one number, for thresholds in centipawns: mates are beyond every estimate.
    pub const fn value(self) -> i64 {
        /// Greater than every estimate and every distance to a mate.
        const MATE: i64 = 1 << 40;
        match self {
            Score::Centipawns(centipawns) => centipawns as i64,
            Score::MateIn(moves) => MATE - moves as i64,
            Score::MatedIn(moves) => moves as i64 - MATE,
        }
    }

    /// The largest estimate of Herald in centipawns; what is beyond is a win or loss by the endgame tables. Below 9,900, so
    /// that a GUI which takes large values for mates is not misled (cutechess reads magnitudes above 9,900 as mates).
    pub const LARGEST_ESTIMATE: i32 = 9_800;

    /// Whether the side to move gets mated, or loses by the endgame tables.
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
    /// Pawns with two decimals, or the moves to the mate: `+0.42`, `-M3`.
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
