//! Counts of game results, and estimates from them.

use std::f64::consts::{LN_10, SQRT_2};
use std::ops::AddAssign;

use game::{Color, Outcome};

/// Points of one player in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Points {
    /// A loss.
    Zero,
    /// A draw.
    Half,
    /// A win.
    One,
}

impl Points {
    /// Returns the points of the player of `color`.
    pub fn of(outcome: Outcome, color: Color) -> Points {
        match outcome.winner() {
            None => Points::Half,
            Some(winner) if winner == color => Points::One,
            Some(_) => Points::Zero,
        }
    }

    /// Returns the opponent's points in the same game.
    #[must_use]
    pub fn opposite(self) -> Points {
        match self {
            Points::Zero => Points::One,
            Points::Half => Points::Half,
            Points::One => Points::Zero,
        }
    }

    /// Returns the half points: 0, 1 or 2.
    pub fn halves(self) -> u32 {
        self as u32
    }
}

/// Counts of single games, from one player's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinDrawLoss {
    /// Number of wins.
    pub wins: u64,
    /// Number of draws.
    pub draws: u64,
    /// Number of losses.
    pub losses: u64,
}

impl WinDrawLoss {
    /// Adds a game.
    pub fn add(&mut self, points: Points) {
        match points {
            Points::Zero => self.losses += 1,
            Points::Half => self.draws += 1,
            Points::One => self.wins += 1,
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the half points won.
    pub fn halves(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Returns the share of drawn games; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// Returns the games as a statistical sample; `None` without games.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(&[self.losses, self.draws, self.wins], 1)
    }
}

impl AddAssign for WinDrawLoss {
    fn add_assign(&mut self, other: WinDrawLoss) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// Counts of game pairs (the same opening twice, with colours reversed), from one player's point of view.
///
/// The two games of a pair are not independent, since an opening that favours White favours each player once. In the
/// sum of a pair this effect cancels out, so fewer games prove the same difference (the pentanomial model).
///
/// Holds the numbers of pairs with 0, 1, 2, 3 and 4 half points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Adds a pair of games.
    pub fn add(&mut self, first: Points, second: Points) {
        self.0[(first.halves() + second.halves()) as usize] += 1;
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the pairs as a statistical sample; `None` without pairs.
    pub fn sample(&self) -> Option<Sample> {
        Sample::new(&self.0, 2)
    }
}

/// Half-width of a 95 % confidence interval, in standard errors.
const CONFIDENCE_95: f64 = 1.959_963_984_540_054;
/// Normalised Elo per standard deviation of one game. The factor makes it agree with logistic Elo for equal players who
/// never draw (Van den Bergh, "Normalized Elo").
pub(super) const NORMALISED_ELO_PER_SIGMA: f64 = 800.0 / LN_10;

/// Independent observations of a score between 0 and 1: games, or pairs of games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Mean score, from 0 to 1.
    pub mean: f64,
    /// Variance of one observation.
    pub variance: f64,
    pub(super) observations: f64,
    pub(super) games_each: f64,
}

/// An estimated value with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Most likely value; infinite if all games were won or all were lost.
    pub value: f64,
    /// Half-width of the 95 % confidence interval; infinite if the interval reaches a score of 0 or 1, or if all
    /// observations are equal, so that their spread is not known.
    pub error: f64,
}

impl Sample {
    /// Makes a sample with `counts[i]` observations of the score `i / (counts.len() - 1)`, each the mean of
    /// `games_each` games; `None` without observations.
    pub(super) fn new(counts: &[u64], games_each: u32) -> Option<Sample> {
        let observations = counts.iter().sum::<u64>() as f64;
        if observations == 0.0 {
            return None;
        }
        let scores = || (0..counts.len()).map(|i| i as f64 / (counts.len() - 1) as f64);
        let average = |of: &dyn Fn(f64) -> f64| {
            scores().zip(counts).map(|(score, &count)| of(score) * count as f64).sum::<f64>() / observations
        };
        let mean = average(&|score| score);
        let variance = average(&|score| (score - mean).powi(2));
        Some(Sample { mean, variance, observations, games_each: f64::from(games_each) })
    }

    /// Returns the standard error of the mean.
    fn standard_error(&self) -> f64 {
        (self.variance / self.observations).sqrt()
    }

    /// Returns the difference in strength in logistic Elo.
    pub fn elo(&self) -> Estimate {
        if self.variance == 0.0 {
            return Estimate { value: elo(self.mean), error: f64::INFINITY };
        }
        let margin = CONFIDENCE_95 * self.standard_error();
        let width = elo(self.mean + margin) - elo(self.mean - margin);
        let error = if width.is_finite() { width / 2.0 } else { f64::INFINITY };
        Estimate { value: elo(self.mean), error }
    }

    /// Returns the difference in strength in normalised Elo: in standard deviations of one game, scaled like Elo. It
    /// measures how many games prove the difference, independent of draws and openings. `None` if all observations are
    /// equal.
    pub fn normalised_elo(&self) -> Option<Estimate> {
        let sigma = (self.variance * self.games_each).sqrt();
        let games = self.observations * self.games_each;
        (sigma > 0.0).then(|| Estimate {
            value: (self.mean - 0.5) / sigma * NORMALISED_ELO_PER_SIGMA,
            error: CONFIDENCE_95 / games.sqrt() * NORMALISED_ELO_PER_SIGMA,
        })
    }

    /// Returns the likelihood that the player is the stronger one, from 0 to 1; `None` if all observations are equal.
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        (self.variance > 0.0).then(|| normal_distribution((self.mean - 0.5) / self.standard_error()))
    }
}

/// Returns the Elo difference with the expected score `score`; infinite for scores up to 0 and from 1.
pub(super) fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// Returns the expected score at an Elo difference.
pub(super) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Returns the probability that a standard normal variable is below `x`.
pub(crate) fn normal_distribution(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::super::{Pentanomial, WinDrawLoss};
    use super::*;

    #[track_caller]
    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
    }

    /// A score of 60 % in 250 games with 100 draws. By hand: 400 log10(1.5) = 70.44; variance 125/250 - 0.36 = 0.14;
    /// 1.96 standard errors are 0.04638, so that the interval is from 37.40 to 104.78; the lead is 4.2258 standard
    /// errors.
    #[test]
    fn games_one_by_one() {
        let tally = WinDrawLoss { wins: 100, draws: 100, losses: 50 };
        let sample = tally.sample().unwrap();
        assert_near(sample.mean, 0.6, 1e-12);
        assert_near(sample.variance, 0.14, 1e-12);
        assert_near(sample.elo().value, 70.44, 0.005);
        assert_near(sample.elo().error, 33.69, 0.005);
        assert_near(sample.likelihood_of_superiority().unwrap(), 0.999_988, 1e-6);
        // 0.1 / sqrt(0.14) * 347.436 = 92.856; 1.96 / sqrt(250) * 347.436 = 43.068.
        assert_near(sample.normalised_elo().unwrap().value, 92.856, 0.001);
        assert_near(sample.normalised_elo().unwrap().error, 43.068, 0.001);
        assert_eq!((tally.games(), tally.halves(), tally.draw_ratio()), (250, 300, Some(0.4)));
    }

    /// 200 pairs. By hand: mean (20 + 2 * 100 + 3 * 60 + 4 * 10) / 4 / 200 = 0.55; mean of the squares (20 / 16 +
    /// 100 / 4 + 60 * 9 / 16 + 10) / 200 = 0.35, hence the variance 0.0475; the lead is 3.2444 standard errors.
    #[test]
    fn games_in_pairs() {
        let sample = Pentanomial([10, 20, 100, 60, 10]).sample().unwrap();
        assert_near(sample.mean, 0.55, 1e-12);
        assert_near(sample.variance, 0.0475, 1e-12);
        assert_near(sample.elo().value, 34.86, 0.005);
        assert_near(sample.elo().error, 21.23, 0.005);
        assert_near(sample.likelihood_of_superiority().unwrap(), 0.999_412, 1e-6);
        // 0.05 / sqrt(0.095) * 347.436; 1.96 / sqrt(400) * 347.436.
        assert_near(sample.normalised_elo().unwrap().value, 56.361, 0.001);
        assert_near(sample.normalised_elo().unwrap().error, 34.048, 0.001);
    }

    #[test]
    fn the_ends_of_the_scale() {
        assert_eq!(WinDrawLoss::default().sample(), None);
        let lost = WinDrawLoss { losses: 7, ..WinDrawLoss::default() }.sample().unwrap();
        assert_eq!(lost.elo(), Estimate { value: f64::NEG_INFINITY, error: f64::INFINITY });
        assert_eq!((lost.normalised_elo(), lost.likelihood_of_superiority()), (None, None));
        let drawn = WinDrawLoss { draws: 7, ..WinDrawLoss::default() }.sample().unwrap();
        assert_eq!(drawn.elo(), Estimate { value: 0.0, error: f64::INFINITY });
        assert_eq!(drawn.likelihood_of_superiority(), None);
        let pair = Pentanomial([0, 0, 0, 1, 0]).sample().unwrap();
        assert_eq!((pair.elo().error, pair.likelihood_of_superiority()), (f64::INFINITY, None));
    }
}
