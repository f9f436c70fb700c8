//! The generalised sequential probability ratio test on pairs of games.
//!
//! Two hypotheses about a difference in strength are compared after every pair, and the test ends as soon as one of
//! them is accepted at the agreed error rates. The hypotheses do not determine the shares of draws or the effect of
//! openings. Each hypothesis is therefore represented by the distribution of pair scores that has the hypothetical
//! difference and makes the observed results most likely (M. Van den Bergh, "A practical introduction to the GSPRT" and
//! "Normalized Elo").

use std::f64::consts::SQRT_2;
use std::fmt;

use super::Pentanomial;
use super::tally::{NORMALISED_ELO_PER_SIGMA, expected_score};

/// A test of the hypothesis "stronger by `elo1`" against "stronger by `elo0`".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

/// The scale of the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EloModel {
    /// Logistic Elo, as in rating lists: defined by the expected score.
    Logistic,
    /// Normalised Elo: in standard deviations of a game, so that the length of a test hardly depends on draws and
    /// openings.
    #[default]
    Normalised,
}

/// A hypothesis of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// The difference is `elo0`.
    H0,
    /// The difference is `elo1`.
    H1,
}

/// Bounds of the log-likelihood ratio at which a test ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtBounds {
    /// At or below this value H0 is accepted.
    pub lower: f64,
    /// At or above this value H1 is accepted.
    pub upper: f64,
}

/// Why a test is impossible.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses are not two finite numbers in ascending order.
    #[error(
        "hypotheses {0} and {1} of the SPRT: expected two differences in Elo, the lesser first, as in 0 and 5"
    )]
    Hypotheses(f64, f64),
    /// The error rates are out of range.
    #[error("error rates alpha {0} and beta {1} of the SPRT: expected both above 0 and together below 1")]
    ErrorRates(f64, f64),
}

impl Sprt {
    /// Makes a test that wrongly accepts H1 with probability `alpha` if the difference is `elo0`, and wrongly accepts
    /// H0 with probability `beta` if it is `elo1`.
    ///
    /// # Errors
    /// `elo0` is not less than `elo1`, one of them is not finite, or an error rate is out of range.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Sprt, SprtError> {
        // Beyond 1000 Elo the scores expected under the hypotheses can hardly be distinguished.
        let plausible = |elo: f64| elo.abs() <= 1000.0;
        if !(plausible(elo0) && plausible(elo1) && elo0 < elo1) {
            Err(SprtError::Hypotheses(elo0, elo1))
        } else if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            Err(SprtError::ErrorRates(alpha, beta))
        } else {
            Ok(Sprt { elo0, elo1, alpha, beta, model })
        }
    }

    /// Returns the bounds of the test (Wald's bounds).
    pub fn bounds(&self) -> SprtBounds {
        SprtBounds {
            lower: (self.beta / (1.0 - self.alpha)).ln(),
            upper: ((1.0 - self.beta) / self.alpha).ln(),
        }
    }

    /// Returns the log-likelihood ratio of H1 to H0 given these pairs; 0 without pairs.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let observed = Distribution::observed(pairs);
        let h0 = self.most_likely(&observed, self.elo0);
        let h1 = self.most_likely(&observed, self.elo1);
        let ratio = |i: usize| observed.0[i] * (h1.0[i] / h0.0[i]).ln();
        pairs.pairs() as f64 * (0..PAIR_SCORES.len()).map(ratio).sum::<f64>()
    }

    /// Returns the accepted hypothesis; `None` as long as more pairs are needed.
    pub fn decision(&self, pairs: &Pentanomial) -> Option<Hypothesis> {
        let (llr, bounds) = (self.llr(pairs), self.bounds());
        let h1 = (llr >= bounds.upper).then_some(Hypothesis::H1);
        h1.or((llr <= bounds.lower).then_some(Hypothesis::H0))
    }

    /// Returns the distribution with a difference of `elo` that makes the observation most likely.
    fn most_likely(&self, observed: &Distribution, elo: f64) -> Distribution {
        match self.model {
            EloModel::Logistic => observed.with_mean(expected_score(elo)),
            // The mean of two games has the standard deviation of one game divided by the square root of 2.
            EloModel::Normalised => observed.with_lead(elo / NORMALISED_ELO_PER_SIGMA * SQRT_2),
        }
    }
}

/// Formats the test as `0 to 5 normalised Elo, alpha 0.05, beta 0.05`.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = match self.model {
            EloModel::Logistic => "logistic",
            EloModel::Normalised => "normalised",
        };
        let Sprt { elo0, elo1, alpha, beta, .. } = self;
        write!(f, "{elo0} to {elo1} {model} Elo, alpha {alpha}, beta {beta}")
    }
}

/// Mean score of a game in a pair with 0 to 4 half points.
const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Largest lead (in standard deviations) that is fitted in one step, and the factor between successive leads.
const FIRST_LEAD: f64 = 0.5;
const LEAD_STEP: f64 = 1.1;
/// Maximum number of linear fits; usually about five are enough.
const MOST_FITS: usize = 50;

/// Probabilities of the scores of a pair.
#[derive(Clone, Copy, Debug)]
struct Distribution([f64; 5]);

impl Distribution {
    /// Returns the relative frequencies. A score that never occurred counts as a thousandth of a pair, because it may
    /// be rare but not impossible (regularised counts, as in fishtest's LLR).
    fn observed(pairs: &Pentanomial) -> Distribution {
        let counts = pairs.0.map(|count| (count as f64).max(1e-3));
        let total: f64 = counts.iter().sum();
        Distribution(counts.map(|count| count / total))
    }

    fn mean(&self) -> f64 {
        PAIR_SCORES.iter().zip(self.0).map(|(score, p)| score * p).sum()
    }

    fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        PAIR_SCORES.iter().zip(self.0).map(|(score, p)| (score - mean).powi(2) * p).sum::<f64>().sqrt()
    }

    /// Returns the distribution with that mean under which this one is most likely to be observed.
    fn with_mean(&self, mean: f64) -> Distribution {
        let fit = self.with_zero_expectation(PAIR_SCORES.map(|score| score - mean));
        fit.expect("a mean between the lowest and the highest score")
    }

    /// Returns the distribution whose mean is `lead` of its own standard deviations above one half, and under which
    /// this one is most likely to be observed.
    ///
    /// The constraint is not linear, so a linear approximation to it is solved repeatedly: `mean - lead * deviation =
    /// 1/2` holds where the expectation of its influence function is zero. The first approximation is made at the
    /// uniform distribution, not at this one, whose deviation may be nearly zero. A large lead is approached in steps,
    /// because otherwise no distribution might satisfy the linear constraint.
    fn with_lead(&self, lead: f64) -> Distribution {
        let mut fit = Distribution([0.2; 5]);
        let mut reached = lead.clamp(-FIRST_LEAD, FIRST_LEAD);
        loop {
            for _ in 0..MOST_FITS {
                let (mean, deviation) = (fit.mean(), fit.standard_deviation());
                let influence = PAIR_SCORES.map(|score| {
                    score - 0.5 - reached * deviation * (1.0 + ((score - mean) / deviation).powi(2)) / 2.0
                });
                // Only a lead of hundreds of Elo may be out of reach; it is replaced by the largest one that is not.
                let Some(next) = self.with_zero_expectation(influence) else { return fit };
                let change = fit.0.iter().zip(next.0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                fit = next;
                if change < 1e-9 {
                    break;
                }
            }
            if reached.abs() >= lead.abs() {
                return fit;
            }
            reached = (reached * LEAD_STEP).clamp(-lead.abs(), lead.abs());
        }
    }

    /// Returns the distribution under which `values` have the expectation zero and this one is most likely to be
    /// observed: `p / (1 + x * value)`, where `x` is a Lagrange multiplier. `None` if no distribution gives these
    /// values that expectation.
    fn with_zero_expectation(&self, values: [f64; 5]) -> Option<Distribution> {
        let least = values.into_iter().fold(f64::INFINITY, f64::min);
        let greatest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
        if least >= 0.0 || greatest <= 0.0 {
            return None;
        }
        // The expectation falls from plus to minus infinity between these poles.
        let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
        let mut x = 0.0;
        for _ in 0..100 {
            let (mut expectation, mut slope) = (0.0, 0.0);
            for (value, p) in values.into_iter().zip(self.0) {
                let term = value / (1.0 + x * value);
                expectation += p * term;
                slope -= p * term * term;
            }
            if expectation > 0.0 {
                low = x;
            } else {
                high = x;
            }
            // Newton's step, or bisection if it would leave the interval.
            let newton = x - expectation / slope;
            let next = if low < newton && newton < high { newton } else { f64::midpoint(low, high) };
            let settled = (next - x).abs() < 1e-12;
            x = next;
            if settled {
                break;
            }
        }
        let mut fit = *self;
        for (p, value) in fit.0.iter_mut().zip(values) {
            *p /= 1.0 + x * value;
        }
        Some(fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Points;

    fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    #[track_caller]
    fn assert_llr(test: Sprt, pairs: [u64; 5], expected: f64) {
        let llr = test.llr(&Pentanomial(pairs));
        assert!((llr - expected).abs() <= 0.006, "{llr} is not {expected}");
    }

    /// The expected ratios were published by Stockfish's test system with its pull requests.
    #[test]
    fn ratios_agree_with_published_ones() {
        // #2493, January 2020, logistic Elo.
        assert_llr(sprt(-1.0, 3.0, EloModel::Logistic), [424, 2948, 5832, 3045, 460], 2.94);
        assert_llr(sprt(0.0, 2.0, EloModel::Logistic), [1284, 17_437, 55_536, 18_085, 1292], 2.94);
        // #5712, December 2024, normalised Elo.
        assert_llr(sprt(0.0, 2.0, EloModel::Normalised), [831, 31_795, 68_460, 32_448, 834], 2.93);
        assert_llr(sprt(0.5, 2.5, EloModel::Normalised), [307, 54_901, 140_959, 56_230, 281], 2.95);
    }

    #[test]
    fn bounds_are_walds() {
        let bounds = sprt(0.0, 5.0, EloModel::Normalised).bounds();
        assert!((bounds.upper - 2.944).abs() < 0.001 && (bounds.lower + 2.944).abs() < 0.001);
    }

    #[test]
    fn few_and_one_sided_results_give_finite_ratios() {
        for model in [EloModel::Logistic, EloModel::Normalised] {
            let test = sprt(0.0, 5.0, model);
            assert!(test.llr(&Pentanomial::default()).abs() < 1e-9);
            for counts in [[0, 0, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 500, 0, 0], [0, 0, 0, 0, 10_000]] {
                assert!(test.llr(&Pentanomial(counts)).is_finite(), "{counts:?}");
            }
            assert_eq!(test.decision(&Pentanomial([0, 0, 10, 300, 300])), Some(Hypothesis::H1));
            assert_eq!(test.decision(&Pentanomial([300, 300, 10, 0, 0])), Some(Hypothesis::H0));
        }
    }

    /// Losses support the lower hypothesis and wins the upper one, and more games support it more strongly.
    #[test]
    fn one_sided_results_speak_for_their_side() {
        let one_sided = [
            [5, 0, 0, 0, 0],
            [0, 10, 0, 0, 0],
            [50, 1, 0, 0, 0],
            [300, 1, 0, 0, 0],
            [1, 0, 0, 0, 0],
            [0, 1, 0, 0, 0],
            [10, 10, 0, 0, 0],
            [10, 0, 1, 0, 0],
        ];
        for model in [EloModel::Logistic, EloModel::Normalised] {
            for (elo0, elo1) in [(0.0, 5.0), (-5.0, 0.0), (-3.0, 3.0), (0.0, 60.0), (-1000.0, 1000.0)] {
                let test = sprt(elo0, elo1, model);
                for lost in one_sided {
                    let llr = |pairs: [u64; 5]| test.llr(&Pentanomial(pairs));
                    let won = [lost[4], lost[3], lost[2], lost[1], lost[0]];
                    let twice = |pairs: [u64; 5]| pairs.map(|count| 2 * count);
                    let name = format!("{model:?} {elo0} {elo1} {lost:?}");
                    assert!(llr(twice(lost)) < llr(lost) && llr(lost) < 0.0, "{name}: {}", llr(lost));
                    assert!(llr(twice(won)) > llr(won) && llr(won) > 0.0, "{name}: {}", llr(won));
                    assert_ne!(test.decision(&Pentanomial(lost)), Some(Hypothesis::H1), "{name}");
                    assert_ne!(test.decision(&Pentanomial(won)), Some(Hypothesis::H0), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_fit_has_the_lead_that_it_was_fitted_to() {
        for pairs in [[5, 0, 0, 0, 0], [0, 0, 500, 0, 0], [424, 2948, 5832, 3045, 460], [0, 1, 0, 0, 700]] {
            let observed = Distribution::observed(&Pentanomial(pairs));
            for lead in [-2.0, -0.7, -0.02, 0.0, 0.01, 0.3, 1.5] {
                let fit = observed.with_lead(lead);
                let (off, sum) =
                    (fit.mean() - 0.5 - lead * fit.standard_deviation(), fit.0.iter().sum::<f64>());
                assert!(off.abs() < 1e-6 && (sum - 1.0).abs() < 1e-4, "{pairs:?} {lead}: {off}, {sum}");
            }
        }
    }

    #[test]
    fn impossible_tests_are_refused() {
        for (elo0, elo1, alpha, beta) in [
            (5.0, 5.0, 0.05, 0.05),
            (f64::NAN, 5.0, 0.05, 0.05),
            (0.0, f64::INFINITY, 0.05, 0.05),
            (0.0, 5.0, 0.0, 0.05),
            (0.0, 5.0, 0.5, 0.5),
        ] {
            assert!(
                Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic).is_err(),
                "{elo0} {elo1} {alpha} {beta}"
            );
        }
    }

    /// A simulated match of players of known strength who draw two games in five.
    struct Match {
        random: fastrand::Rng,
        win: f64,
    }

    const DRAWS: f64 = 0.4;

    impl Match {
        /// Makes a match with a difference of `elo` on the scale of `model`.
        fn new(elo: f64, model: EloModel, seed: u64) -> Match {
            let score = match model {
                EloModel::Logistic => expected_score(elo),
                EloModel::Normalised => {
                    // lead = t * deviation, with deviation^2 = (win + draws / 4) - score^2 = variance - lead^2.
                    let t = elo / NORMALISED_ELO_PER_SIGMA;
                    let variance = (1.0 - DRAWS) / 4.0;
                    0.5 + t * (variance / (1.0 + t * t)).sqrt()
                }
            };
            Match { random: fastrand::Rng::with_seed(seed), win: score - DRAWS / 2.0 }
        }

        fn game(&mut self) -> Points {
            let random = self.random.f64();
            if random < self.win {
                Points::One
            } else if random < self.win + DRAWS {
                Points::Half
            } else {
                Points::Zero
            }
        }

        fn decide(&mut self, test: Sprt) -> Hypothesis {
            let mut pairs = Pentanomial::default();
            loop {
                pairs.add(self.game(), self.game());
                if let Some(decision) = test.decision(&pairs) {
                    return decision;
                }
            }
        }
    }

    /// If one test in twenty errs, more than 66 in a thousand do so only once in a hundred times. (Of 10,000 tests at
    /// each hypothesis 443 to 471 were wrong.)
    #[test]
    fn a_thousand_tests_at_each_hypothesis_keep_their_error_rates() {
        for model in [EloModel::Logistic, EloModel::Normalised] {
            let test = sprt(0.0, 30.0, model);
            for (elo, wrong) in [(0.0, Hypothesis::H1), (30.0, Hypothesis::H0)] {
                let wrongly = |seed| Match::new(elo, model, seed).decide(test) == wrong;
                let errors = (0..1000).filter(|&seed| wrongly(seed)).count();
                println!("{model:?}, {elo} Elo: {errors} of 1000 tests were wrong");
                assert!((30..=66).contains(&errors), "{model:?}, {elo} Elo: {errors} errors");
            }
        }
    }

    /// Draws pairs by their probabilities until the test decides.
    fn decide(test: Sprt, truth: &Distribution, seed: u64) -> Hypothesis {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut counts = [0; 5];
        loop {
            let mut left = random.f64();
            let place = truth.0.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            counts[place.unwrap_or(4)] += 1;
            if let Some(decision) = test.decision(&Pentanomial(counts)) {
                return decision;
            }
        }
    }

    /// The error rates hold whatever pairs look like: few draws, next to nothing but draws, openings that one colour
    /// wins, programs that win or lose everything. If one test in twenty errs, more than 27 in 300 do so once in 500 times.
    #[test]
    fn error_rates_hold_for_unusual_pairs() {
        let errors = |test: Sprt, truth: &Distribution, wrong: Hypothesis| {
            (0..300).filter(|&seed| decide(test, truth, seed) == wrong).count()
        };
        let shapes = [
            [0.15, 0.2, 0.3, 0.2, 0.15],
            [0.0001, 0.0149, 0.97, 0.0149, 0.0001],
            [0.01, 0.04, 0.9, 0.04, 0.01],
            [0.4, 0.04, 0.12, 0.04, 0.4],
        ];
        for model in [EloModel::Logistic, EloModel::Normalised] {
            for (shape, logistic) in shapes.into_iter().zip([60.0, 8.0, 20.0, 80.0]) {
                let elo1 = if model == EloModel::Logistic { logistic } else { 60.0 };
                let test = sprt(0.0, elo1, model);
                for (elo, wrong) in [(0.0, Hypothesis::H1), (elo1, Hypothesis::H0)] {
                    let count = errors(test, &test.most_likely(&Distribution(shape), elo), wrong);
                    assert!(count <= 27, "{model:?}, {shape:?}, {elo} Elo: {count} of 300 were wrong");
                }
            }
            let test = sprt(0.0, 60.0, model);
            let lost = Distribution([1.0, 0.0, 0.0, 0.0, 0.0]);
            let won = Distribution([0.0, 0.0, 0.0, 0.0, 1.0]);
            let nearly = Distribution([0.9, 0.1, 0.0, 0.0, 0.0]);
            assert_eq!(errors(test, &lost, Hypothesis::H1), 0);
            assert_eq!(errors(test, &nearly, Hypothesis::H1), 0);
            assert_eq!(errors(test, &won, Hypothesis::H0), 0);
            let drawn = Distribution([0.0, 0.0, 1.0, 0.0, 0.0]);
            assert_eq!(errors(test, &drawn, Hypothesis::H1), 0);
        }
    }
}
