//! Winning chances, losses and grades of moves.
//!
//! The winning chance of a score of `c` centipawns is `100 / (1 + exp(-c / scale))` percent: half of it for an equal position, 100
//! for a mate. What a move loses is the chance before it, with the best move, less the chance after it, in points of percent.

use serde::{Deserialize, Serialize};

use crate::Score;

/// How moves are judged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgingRules {
    /// Centipawns for a winning chance of 73 %.
    pub scale: f64,
    /// Least loss of an inaccuracy, in points of percent.
    pub inaccuracy: f64,
    /// Least loss of a mistake.
    pub mistake: f64,
    /// Least loss of a blunder. An only move is better than the second best by as much.
    pub blunder: f64,
}

impl Default for JudgingRules {
    fn default() -> JudgingRules {
        JudgingRules { scale: 250.0, inaccuracy: 6.0, mistake: 12.0, blunder: 20.0 }
    }
}

/// A move that loses some winning chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveGrade {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl MoveGrade {
    /// Its annotation glyph.
    pub fn glyph(self) -> u8 {
        match self {
            MoveGrade::Inaccuracy => 6,
            MoveGrade::Mistake => 2,
            MoveGrade::Blunder => 4,
        }
    }

    /// Its name, at the beginning of a sentence.
    pub fn name(self) -> &'static str {
        match self {
            MoveGrade::Inaccuracy => "Inaccuracy",
            MoveGrade::Mistake => "Mistake",
            MoveGrade::Blunder => "Blunder",
        }
    }
}

impl JudgingRules {
    /// The winning chance of the side to move, in percent.
    pub fn chance(&self, score: Score) -> f64 {
        match score {
            Score::MateIn(_) => 100.0,
            Score::MatedIn(_) => 0.0,
            Score::Centipawns(centipawns) => 100.0 / (1.0 + libm::exp(-f64::from(centipawns) / self.scale)),
        }
    }

    /// The grade of a move; `None` for a good one.
    pub fn grade(&self, loss: f64) -> Option<MoveGrade> {
        match loss {
            _ if loss >= self.blunder => Some(MoveGrade::Blunder),
            _ if loss >= self.mistake => Some(MoveGrade::Mistake),
            _ if loss >= self.inaccuracy => Some(MoveGrade::Inaccuracy),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_formula() {
        let rules = JudgingRules::default();
        let hundredths = |score| (rules.chance(score) * 100.0).round() as u32;
        let chances = [0, 100, 250, -250, 1000].map(|value| hundredths(Score::Centipawns(value)));
        assert_eq!(chances, [5000, 5987, 7311, 2689, 9820]);
        assert_eq!([Score::MateIn(9), Score::MatedIn(0)].map(hundredths), [10_000, 0]);
    }

    #[test]
    fn grades_begin_at_their_thresholds() {
        let rules = JudgingRules::default();
        let grades = [5.9, 6.0, 12.0, 20.0].map(|loss| rules.grade(loss).map(MoveGrade::glyph));
        assert_eq!(grades, [None, Some(6), Some(2), Some(4)]);
    }
}
