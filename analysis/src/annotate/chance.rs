//! Accuracy, and chances beyond those of a score. What a move loses and its grade: [`game::JudgingRules`].

use game::{Score, SyzygyValue};

/// What becomes of the game with a winning chance of White.
pub(super) fn prospect(chance_of_white: f64) -> Prospect {
    match chance_of_white {
        chance if chance >= 75.0 => Prospect::WhiteWins,
        chance if chance <= LOST => Prospect::BlackWins,
        _ => Prospect::Even,
    }
}

/// Below this winning chance in percent nothing is saved by a move.
pub(super) const LOST: f64 = 25.0;

/// What becomes of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prospect {
    WhiteWins,
    Even,
    BlackWins,
}

/// The winning chance by the endgame tables.
pub(super) fn table_chance(value: SyzygyValue) -> f64 {
    match value {
        SyzygyValue::Win => 100.0,
        SyzygyValue::Draw => 50.0,
        SyzygyValue::Loss => 0.0,
    }
}

/// The accuracy of a move, in percent: 100 without a loss, 67 with one of 10 points, 45 with one of 20.
pub(super) fn accuracy(loss: f64) -> f64 {
    100.0 * libm::exp(-loss / 25.0)
}

/// A score for the calculation of average losses: at most ten pawns, which a mate is worth, too.
pub(super) fn bounded(score: Score) -> i32 {
    const MOST: i32 = 1000;
    match score {
        Score::MateIn(_) => MOST,
        Score::MatedIn(_) => -MOST,
        Score::Centipawns(centipawns) => centipawns.clamp(-MOST, MOST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_falls_with_the_loss() {
        assert_eq!([0.0, 10.0, 20.0].map(|loss| accuracy(loss).round() as i32), [100, 67, 45]);
    }
}
