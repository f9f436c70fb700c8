//! Estimates of a difference in strength from a sequential test, with the stopping taken into account.
//!
//! A test that stops as soon as the results look good enough stops too often after good luck, so that the plain estimate
//! from its games exaggerates, and its error bounds are wrong. Here outcomes of the test are put in the order in which
//! they speak for the player: from a quick acceptance of H0 over a slow one and an open test to a slow and a quick
//! acceptance of H1. The estimate is the difference at which better and worse outcomes are equally probable (a
//! median-unbiased estimate), and the bounds are the differences at which an outcome as good or as bad has a
//! probability of 2.5 % (D. Siegmund, "Sequential Analysis", 1985, section III.5, the ordering by stages).
//!
//! For these probabilities the log-likelihood ratio is a Brownian motion with drift between two absorbing barriers,
//! which is solved by reflection.

use std::f64::consts::{PI, SQRT_2};

use super::Hypothesis;
use super::tally::{NORMALISED_ELO_PER_SIGMA, elo, normal_distribution};

/// A value with the bounds of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub lower: f64,
    /// The estimate.
    pub value: f64,
    /// Upper bound.
    pub upper: f64,
}

/// Estimates of the difference in strength from a sequential test. Values are infinite where the score would be beyond 0
/// or 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppedEstimate {
    /// In logistic Elo.
    pub elo: Interval,
    /// In normalised Elo.
    pub normalised_elo: Interval,
}

/// How far a test has come. Leads are in standard deviations of an observation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestProgress {
    /// Leads under the two hypotheses.
    pub(super) hypotheses: [f64; 2],
    /// The bounds of the log-likelihood ratio.
    pub(super) bounds: [f64; 2],
    pub(super) decision: Option<Hypothesis>,
    /// The observed lead.
    pub(super) lead: f64,
    /// Number of observations.
    pub(super) observations: f64,
    /// Standard deviation of an observation.
    pub(super) deviation: f64,
    /// Number of games in an observation.
    pub(super) games_each: f64,
}

impl TestProgress {
    pub(super) fn estimate(&self) -> StoppedEstimate {
        let lead = |below: f64| self.lead_with_worse_outcomes(below);
        // The better the player is, the fewer outcomes are worse than this one.
        let leads = [lead(0.975), lead(0.5), lead(0.025)];
        let interval = |scale: &dyn Fn(f64) -> f64| {
            let [lower, value, upper] = leads.map(scale);
            Interval { lower, value, upper }
        };
        StoppedEstimate {
            elo: interval(&|lead| elo(0.5 + lead * self.deviation)),
            normalised_elo: interval(&|lead| lead / self.games_each.sqrt() * NORMALISED_ELO_PER_SIGMA),
        }
    }

    /// Returns the lead with which an outcome worse than this one has the probability `wanted`.
    fn lead_with_worse_outcomes(&self, wanted: f64) -> f64 {
        let [lead0, lead1] = self.hypotheses;
        let (middle, difference) = (f64::midpoint(lead0, lead1), lead1 - lead0);
        // The ratio as a linear function of the lead. A step to a bound may go beyond it, and far from the hypotheses the
        // ratio is not linear: the bound is taken to be where this one is.
        let ratio = self.observations * difference * (self.lead - middle);
        let [mut lower, mut upper] = self.bounds;
        match self.decision {
            Some(Hypothesis::H0) if ratio < 0.0 => lower = ratio,
            Some(Hypothesis::H1) if ratio > 0.0 => upper = ratio,
            _ => {}
        }
        let width = upper - lower;
        let motion = Motion {
            start: -lower / width,
            time: self.observations * (difference / width).powi(2),
            end: match self.decision {
                Some(accepted) => End::Decided(accepted),
                None => End::Open { place: ((ratio - lower) / width).clamp(0.0, 1.0) },
            },
        };
        let drift = motion.drift_with_worse_outcomes(wanted);
        middle + drift * difference / width
    }
}

/// A Brownian motion from `start` between absorbing barriers at 0 and 1, with the variance 1 in a unit of time.
struct Motion {
    start: f64,
    time: f64,
    end: End,
}

/// Where a motion is after its time.
#[derive(Clone, Copy)]
enum End {
    /// At a barrier, just now.
    Decided(Hypothesis),
    /// Between the barriers.
    Open { place: f64 },
}

/// Drift beyond which all motions look alike.
const STRONGEST_DRIFT: f64 = 1e5;

impl Motion {
    /// Returns the drift with which worse outcomes than this one have the probability `wanted`.
    fn drift_with_worse_outcomes(&self, wanted: f64) -> f64 {
        let (mut low, mut high) = (-1.0, 1.0);
        while self.worse_outcomes(low) < wanted && low > -STRONGEST_DRIFT {
            low *= 2.0;
        }
        while self.worse_outcomes(high) > wanted && high < STRONGEST_DRIFT {
            high *= 2.0;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if self.worse_outcomes(middle) > wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }

    /// Returns the probability of a worse outcome at this drift.
    fn worse_outcomes(&self, drift: f64) -> f64 {
        let &Motion { start, time, end } = self;
        match end {
            End::Decided(Hypothesis::H0) => absorbed(start, drift, time),
            End::Decided(Hypothesis::H1) => 1.0 - absorbed(1.0 - start, -drift, time),
            End::Open { place } => absorbed(start, drift, time) + below(start, drift, time, place),
        }
    }
}

/// Returns the number of reflections to each side that matter.
fn reflections(time: f64) -> i32 {
    (2.0 + 5.0 * time.sqrt()) as i32
}

/// Returns the probability that the motion from `start` has been absorbed by the lower barrier, and not by the upper one
/// before.
fn absorbed(start: f64, drift: f64, time: f64) -> f64 {
    let root = time.sqrt();
    let reflected = |n: i32| {
        let image = start + f64::from(2 * n);
        let distance = image.abs();
        let reached = weighted(-drift * (start + distance), (drift * time - distance) / root)
            + weighted(drift * (distance - start), (-drift * time - distance) / root);
        image.signum() * reached
    };
    let n = reflections(time);
    (-n..=n).map(reflected).sum::<f64>().clamp(0.0, 1.0)
}

/// Returns the probability that the motion from `start` has not been absorbed and is below `place`.
fn below(start: f64, drift: f64, time: f64, place: f64) -> f64 {
    let root = time.sqrt();
    let reflected = |n: i32| {
        let shift = f64::from(2 * n);
        let between = |exponent: f64, centre: f64| {
            let ends = [-centre, place - centre].map(|end| (end - drift * time) / root);
            // The smaller tails, so that a large weight meets a small probability.
            let [low, high] = if ends[0] > 0.0 { [-ends[1], -ends[0]] } else { ends };
            weighted(exponent, high) - weighted(exponent, low)
        };
        between(drift * shift, start + shift) - between(drift * (shift - 2.0 * start), shift - start)
    };
    let n = reflections(time);
    (-n..=n).map(reflected).sum::<f64>().clamp(0.0, 1.0)
}

/// Returns `exp(exponent)` times the probability that a standard normal variable is below `x`, without overflow of the
/// one or underflow of the other.
fn weighted(exponent: f64, x: f64) -> f64 {
    if x > -30.0 {
        let probability = normal_distribution(x);
        return if probability > 0.0 { (exponent + probability.ln()).exp() } else { 0.0 };
    }
    // The tail of the normal distribution.
    let square = x * x;
    let factor = (1.0 - 1.0 / square) / (-x * SQRT_2 * PI.sqrt());
    (exponent - square / 2.0).exp() * factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_of_all_ends_add_up() {
        for start in [0.1, 0.5, 0.8] {
            for drift in [-30.0, -3.0, 0.0, 0.4, 8.0, 200.0] {
                for time in [1e-4, 0.01, 0.2, 1.0, 7.0, 60.0] {
                    let ends = [
                        absorbed(start, drift, time),
                        absorbed(1.0 - start, -drift, time),
                        below(start, drift, time, 1.0),
                    ];
                    let sum: f64 = ends.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-6, "{start} {drift} {time}: {ends:?}");
                }
            }
        }
    }

    /// Wald's formula for the end of all motions: `(e^(-2dx) - e^(-2d)) / (1 - e^(-2d))`.
    #[test]
    fn in_the_end_the_barriers_have_walds_probabilities() {
        for (start, drift) in [(0.5, 1.0), (0.2, -2.0), (0.7, 3.0)] {
            let wald =
                ((-2.0_f64 * drift * start).exp() - (-2.0 * drift).exp()) / (1.0 - (-2.0 * drift).exp());
            assert!((absorbed(start, drift, 50.0) - wald).abs() < 1e-9);
        }
        assert!((absorbed(0.3, 0.0, 50.0) - 0.7).abs() < 1e-9, "without drift the nearer barrier wins");
    }

    /// With the other barrier far away: the first passage of a motion with drift (inverse Gaussian distribution).
    #[test]
    fn a_short_motion_sees_one_barrier() {
        let (start, drift, time) = (0.05, 1.5, 0.01_f64);
        let near = normal_distribution((-start - drift * time) / time.sqrt())
            + (-2.0 * drift * start).exp() * normal_distribution((-start + drift * time) / time.sqrt());
        assert!((absorbed(start, drift, time) - near).abs() < 1e-12);
    }
}
