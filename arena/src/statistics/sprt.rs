//! The generalised sequential probability ratio test on pairs of games, or on single games.
//!
//! Two hypotheses about a difference in strength are compared after every pair, and the test ends as soon as one of
//! them is accepted at the agreed error rates. The hypotheses do not determine the shares of draws or the effect of
//! openings. Each hypothesis is therefore represented by the distribution of pair scores that has the hypothetical
//! difference and makes the observed results most likely (M. Van den Bergh, "A practical introduction to the GSPRT" and
//! "Normalized Elo"). Models, scales and the treatment of results never seen are those of fastchess, so that the same
//! counts give the same ratio; `fastchess_ratios.txt` has a hundred of them.

use std::f64::consts::SQRT_2;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::likelihood::{Distribution, Frequencies};
use super::stopping::{StoppedEstimate, TestProgress};
use super::tally::{NORMALISED_ELO_PER_SIGMA, expected_score};
use super::{Pentanomial, Sample, WinDrawLoss};

/// A test of the hypothesis "stronger by `elo1`" against "stronger by `elo0`".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
    observations: Observations,
}

/// What a test takes for independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observations {
    /// Pairs of games with the same opening and both colours (the pentanomial model).
    Pairs,
    /// Single games (the trinomial model).
    Games,
}

/// The counts on which a test decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtCounts {
    /// Pairs of games.
    Pairs(Pentanomial),
    /// Single games.
    Games(WinDrawLoss),
}

impl SprtCounts {
    /// Returns the counts as a statistical sample; `None` without any.
    pub fn sample(&self) -> Option<Sample> {
        match self {
            SprtCounts::Pairs(pairs) => pairs.sample(),
            SprtCounts::Games(tally) => tally.sample(),
        }
    }
}

/// The scale of the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EloModel {
    /// Logistic Elo, as in rating lists: defined by the expected score.
    Logistic,
    /// Normalised Elo: in standard deviations of a game, so that the length of a test hardly depends on draws and
    /// openings.
    #[default]
    #[serde(alias = "normalized")]
    Normalised,
    /// The Elo of `BayesElo`, in which a draw needs an advantage below a threshold that is estimated from the results. It is
    /// defined for single games only.
    Bayesian,
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

impl Sprt {
    /// Makes a test that wrongly accepts H1 with probability `alpha` if the difference is `elo0`, and wrongly accepts
    /// H0 with probability `beta` if it is `elo1`.
    ///
    /// # Errors
    /// `elo0` is not less than `elo1`, one of them is not finite, or an error rate is out of range.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Sprt, String> {
        // Beyond 1000 Elo the scores expected under the hypotheses can hardly be distinguished.
        let plausible = |elo: f64| elo.abs() <= 1000.0;
        if !(plausible(elo0) && plausible(elo1) && elo0 < elo1) {
            Err(format!(
                "hypotheses {elo0} and {elo1} of the SPRT: expected two differences in Elo, the lesser \
                 first, as in 0 and 5"
            ))
        } else if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            Err(format!(
                "error rates alpha {alpha} and beta {beta} of the SPRT: expected both above 0 and together \
                 below 1"
            ))
        } else {
            let bayesian = model == EloModel::Bayesian;
            let observations = if bayesian { Observations::Games } else { Observations::Pairs };
            Ok(Sprt { elo0, elo1, alpha, beta, model, observations })
        }
    }

    /// Returns the same test on single games instead of pairs. Without reversed colours there are no pairs to count.
    #[must_use]
    pub fn of_games(self) -> Sprt {
        Sprt { observations: Observations::Games, ..self }
    }

    /// Returns the scale of the hypotheses.
    pub fn model(&self) -> EloModel {
        self.model
    }

    /// Returns what the test counts: pairs, unless the model or [`Sprt::of_games`] demands games.
    pub fn observations(&self) -> Observations {
        self.observations
    }

    /// Returns the bounds of the test (Wald's bounds).
    pub fn bounds(&self) -> SprtBounds {
        SprtBounds {
            lower: (self.beta / (1.0 - self.alpha)).ln(),
            upper: ((1.0 - self.beta) / self.alpha).ln(),
        }
    }

    /// Returns the log-likelihood ratio of H1 to H0 given these results; 0 without any. With the Bayesian model pairs are
    /// compared by logistic Elo.
    pub fn llr(&self, counts: &SprtCounts) -> f64 {
        match counts {
            SprtCounts::Pairs(Pentanomial([0, 0, 0, 0, 0])) => 0.0,
            // The mean of two games has the standard deviation of one game divided by the square root of 2.
            SprtCounts::Pairs(pairs) => self.ratio(&Frequencies::new(pairs.0), SQRT_2, expected_score),
            SprtCounts::Games(tally) if tally.games() == 0 => 0.0,
            SprtCounts::Games(WinDrawLoss { wins, draws, losses }) => {
                let observed = Frequencies::new([*losses, *draws, *wins]);
                if self.model == EloModel::Bayesian {
                    let draw_elo = draw_elo(&observed.shares);
                    self.ratio(&observed, 1.0, |elo| bayesian_score(elo, draw_elo))
                } else {
                    self.ratio(&observed, 1.0, expected_score)
                }
            }
        }
    }

    /// Compares the hypotheses. `lead_of_games` is the lead of an observation, in its standard deviations, for each
    /// standard deviation of a game.
    fn ratio<const N: usize>(
        &self,
        observed: &Frequencies<N>,
        lead_of_games: f64,
        score: impl Fn(f64) -> f64,
    ) -> f64 {
        let most_likely = |elo: f64| -> Distribution<N> {
            match self.model {
                EloModel::Logistic | EloModel::Bayesian => observed.shares.with_mean(score(elo)),
                EloModel::Normalised => {
                    observed.shares.with_lead(elo / NORMALISED_ELO_PER_SIGMA * lead_of_games)
                }
            }
        };
        observed.log_ratio(&most_likely(self.elo0), &most_likely(self.elo1))
    }

    /// Estimates the difference in strength from these results, with the stopping taken into account. They are those with
    /// which the test ended, or those of a test that goes on. `None` while all results are equal.
    pub fn estimate(&self, counts: &SprtCounts) -> Option<StoppedEstimate> {
        let sample = counts.sample().filter(|sample| sample.variance > 0.0)?;
        let bounds = self.bounds();
        let progress = TestProgress {
            hypotheses: self.leads(&sample),
            bounds: [bounds.lower, bounds.upper],
            decision: self.decision(counts),
            lead: (sample.mean - 0.5) / sample.variance.sqrt(),
            observations: sample.observations,
            deviation: sample.variance.sqrt(),
            games_each: sample.games_each,
        };
        Some(progress.estimate())
    }

    /// Returns the leads that an observation has under the hypotheses, in standard deviations of this sample.
    fn leads(&self, sample: &Sample) -> [f64; 2] {
        let deviation = sample.variance.sqrt();
        [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => (expected_score(elo) - 0.5) / deviation,
            EloModel::Normalised => elo / NORMALISED_ELO_PER_SIGMA * sample.games_each.sqrt(),
            EloModel::Bayesian => {
                // Of games with this mean and variance: wins + draws / 2 = mean, wins + draws / 4 = variance + mean^2.
                let draws = 4.0 * (sample.mean - sample.variance - sample.mean.powi(2));
                let wins = sample.mean - draws / 2.0;
                let losses = 1.0 - wins - draws;
                let shares = Distribution([losses, draws, wins].map(|share| share.max(1e-6)));
                (bayesian_score(elo, draw_elo(&shares)) - 0.5) / deviation
            }
        })
    }

    /// Returns the accepted hypothesis; `None` as long as more results are needed.
    pub fn decision(&self, counts: &SprtCounts) -> Option<Hypothesis> {
        let (llr, bounds) = (self.llr(counts), self.bounds());
        let h1 = (llr >= bounds.upper).then_some(Hypothesis::H1);
        h1.or((llr <= bounds.lower).then_some(Hypothesis::H0))
    }
}

/// Returns the threshold of draws (`BayesElo`) that these shares of losses, draws and wins show. Results never seen are
/// regularised here as everywhere, so that a program that loses every game is found out; fastchess gives no ratio then.
fn draw_elo(shares: &Distribution<3>) -> f64 {
    let [losses, _, wins] = shares.0;
    200.0 * ((1.0 - losses) / losses * (1.0 - wins) / wins).log10()
}

/// Returns the expected score at a difference in Bayesian Elo.
fn bayesian_score(elo: f64, draw_elo: f64) -> f64 {
    let (wins, losses) = (expected_score(elo - draw_elo), expected_score(-elo - draw_elo));
    wins + (1.0 - wins - losses) / 2.0
}

/// Formats the test as `0 to 5 normalised Elo, alpha 0.05, beta 0.05`; a test of single games says so.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = match self.model {
            EloModel::Logistic => "logistic",
            EloModel::Normalised => "normalised",
            EloModel::Bayesian => "Bayesian",
        };
        let Sprt { elo0, elo1, alpha, beta, .. } = self;
        write!(f, "{elo0} to {elo1} {model} Elo, alpha {alpha}, beta {beta}")?;
        match self.observations {
            Observations::Pairs => Ok(()),
            Observations::Games => f.write_str(", on single games"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Points;

    fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    fn pairs(counts: [u64; 5]) -> SprtCounts {
        SprtCounts::Pairs(Pentanomial(counts))
    }

    #[track_caller]
    fn assert_llr(test: Sprt, counts: [u64; 5], expected: f64) {
        let llr = test.llr(&pairs(counts));
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

    /// The table was made with fastchess' own function. It ends its iterations early, at a change of 1e-4 in a probability,
    /// which is much if nothing but draws was seen: hence the tolerances.
    #[test]
    fn ratios_agree_with_those_of_fastchess() {
        let lines = include_str!("fastchess_ratios.txt").lines().filter(|line| !line.starts_with('#'));
        let is_drawn = |counts: &SprtCounts| match *counts {
            SprtCounts::Pairs(Pentanomial([a, b, _, c, d])) => a + b + c + d == 0,
            SprtCounts::Games(WinDrawLoss { wins, losses, .. }) => wins + losses == 0,
        };
        let mut compared = 0;
        for line in lines {
            let mut words = line.split(' ');
            let model = match words.next().unwrap() {
                "normalized" => EloModel::Normalised,
                "logistic" => EloModel::Logistic,
                _ => EloModel::Bayesian,
            };
            let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
            let [elo0, elo1, counts @ .., expected] = numbers.as_slice() else { panic!("{line}") };
            let counts: Vec<u64> = counts.iter().map(|&count| count as u64).collect();
            let counts = match counts[..] {
                [losses, draws, wins] => SprtCounts::Games(WinDrawLoss { wins, draws, losses }),
                _ => pairs(counts.try_into().unwrap()),
            };
            let llr = sprt(*elo0, *elo1, model).llr(&counts);
            let tolerance = 0.0015 + expected.abs() * if is_drawn(&counts) { 0.005 } else { 0.000_25 };
            assert!((llr - expected).abs() <= tolerance, "{line}: here {llr}");
            compared += 1;
        }
        assert_eq!(compared, 105);
    }

    /// Where fastchess gives no ratio: a program that loses or wins every game is found out in the Bayesian model, too.
    #[test]
    fn the_bayesian_model_judges_one_sided_results() {
        let test = sprt(0.0, 5.0, EloModel::Bayesian);
        let games = |losses, draws, wins| SprtCounts::Games(WinDrawLoss { wins, draws, losses });
        assert_eq!(test.decision(&games(2000, 0, 0)), Some(Hypothesis::H0));
        assert_eq!(test.decision(&games(0, 0, 2000)), Some(Hypothesis::H1));
        assert!(test.llr(&games(2000, 3, 0)) < -1.0 && test.llr(&games(0, 3, 2000)) > 1.0);
        assert_eq!(test.decision(&games(0, 2000, 0)), None, "nothing but draws tell nothing on this scale");
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
            assert!(test.llr(&pairs([0; 5])).abs() < 1e-9);
            for counts in [[0, 0, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 500, 0, 0], [0, 0, 0, 0, 10_000]] {
                assert!(test.llr(&pairs(counts)).is_finite(), "{counts:?}");
            }
            assert_eq!(test.decision(&pairs([0, 0, 10, 300, 300])), Some(Hypothesis::H1));
            assert_eq!(test.decision(&pairs([300, 300, 10, 0, 0])), Some(Hypothesis::H0));
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
                    let llr = |counts: [u64; 5]| test.llr(&pairs(counts));
                    let won = [lost[4], lost[3], lost[2], lost[1], lost[0]];
                    let twice = |pairs: [u64; 5]| pairs.map(|count| 2 * count);
                    let name = format!("{model:?} {elo0} {elo1} {lost:?}");
                    assert!(llr(twice(lost)) < llr(lost) && llr(lost) < 0.0, "{name}: {}", llr(lost));
                    assert!(llr(twice(won)) > llr(won) && llr(won) > 0.0, "{name}: {}", llr(won));
                    assert_ne!(test.decision(&pairs(lost)), Some(Hypothesis::H1), "{name}");
                    assert_ne!(test.decision(&pairs(won)), Some(Hypothesis::H0), "{name}");
                }
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
                EloModel::Logistic | EloModel::Bayesian => expected_score(elo),
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
                if let Some(decision) = test.decision(&SprtCounts::Pairs(pairs)) {
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
    fn decide(test: Sprt, truth: &Distribution<5>, seed: u64) -> Hypothesis {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut counts = [0; 5];
        loop {
            let mut left = random.f64();
            let place = truth.0.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            counts[place.unwrap_or(4)] += 1;
            if let Some(decision) = test.decision(&pairs(counts)) {
                return decision;
            }
        }
    }

    /// Returns the distribution next to a shape that has a difference of `elo`.
    fn truth(model: EloModel, shape: [f64; 5], elo: f64) -> Distribution<5> {
        match model {
            EloModel::Normalised => Distribution(shape).with_lead(elo / NORMALISED_ELO_PER_SIGMA * SQRT_2),
            _ => Distribution(shape).with_mean(expected_score(elo)),
        }
    }

    /// The error rates hold whatever pairs look like: few draws, next to nothing but draws, openings that one colour
    /// wins, programs that win or lose everything. If one test in twenty errs, more than 27 in 300 do so once in 500 times.
    #[test]
    fn error_rates_hold_for_unusual_pairs() {
        let errors = |test: Sprt, truth: &Distribution<5>, wrong: Hypothesis| {
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
                    let count = errors(test, &truth(model, shape, elo), wrong);
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
