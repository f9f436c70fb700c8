//! Statistics of suite results.

use serde::{Deserialize, Serialize};

/// The 97.5 % quantile of the normal distribution, for 95 % confidence intervals.
pub(crate) const Z: f64 = 1.959_963_985;

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// At most `whole`.
    pub part: u64,
    /// May be zero.
    pub whole: u64,
}

impl Share {
    /// The share in percent; 0 if the whole is 0.
    pub fn percent(self) -> f64 {
        100.0 * self.part as f64 / self.whole.max(1) as f64
    }

    /// The 95 % confidence interval in percent (Wilson, 1927).
    pub fn interval(self) -> (f64, f64) {
        if self.whole == 0 {
            return (0.0, 100.0);
        }
        let n = self.whole as f64;
        let share = self.part as f64 / n;
        let center = share + Z * Z / (2.0 * n);
        let error = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 100.0 / (1.0 + Z * Z / n);
        (scale * (center - error).max(0.0), (scale * (center + error)).min(100.0))
    }
}

/// Quantiles of a quantity. Each is a value of the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Quantiles {
    /// Minimum.
    pub least: u64,
    /// 25 % quantile.
    pub quarter: u64,
    /// Median.
    pub median: u64,
    /// 75 % quantile.
    pub three_quarters: u64,
    /// 90 % quantile.
    pub nine_tenths: u64,
    /// Maximum.
    pub greatest: u64,
}

/// Finds the quantiles of values that come in ascending order.
#[derive(Clone, Debug)]
pub(super) struct QuantileFinder {
    at: u64,
    /// Places of the quantiles, from 0, in the order of the fields.
    places: [u64; 6],
    found: [Option<u64>; 6],
}

impl QuantileFinder {
    /// There will be `count` values.
    pub(super) fn new(count: u64) -> QuantileFinder {
        let place = |part: f64| ((count as f64 * part).ceil() as u64).clamp(1, count.max(1)) - 1;
        QuantileFinder { at: 0, places: [0.0, 0.25, 0.5, 0.75, 0.9, 1.0].map(place), found: [None; 6] }
    }

    pub(super) fn add(&mut self, value: u64) {
        for (place, found) in self.places.iter().zip(&mut self.found) {
            if *place == self.at {
                *found = Some(value);
            }
        }
        self.at += 1;
    }

    /// `None` if there were no values.
    pub(super) fn finish(self) -> Option<Quantiles> {
        let [least, quarter, median, three_quarters, nine_tenths, greatest] = self.found;
        Some(Quantiles {
            least: least?,
            quarter: quarter?,
            median: median?,
            three_quarters: three_quarters?,
            nine_tenths: nine_tenths?,
            greatest: greatest?,
        })
    }
}

/// Comparison of two runs on the problems that both have tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The counts from which the rest follows.
    #[serde(flatten)]
    pub counts: Paired,
    /// Difference in problems solved, in percentage points; positive if the first run is better.
    pub difference: Estimate,
    /// Difference in strength on the scale of Elo; `None` if no problem was solved by one of them only. Rasch's model: a run has a
    /// strength and a problem a difficulty, and the chance of a solution is that of a win against a problem of that strength. The
    /// difficulties cancel out, and what is left is 400 log10 of `first_only` to `second_only`. It says nothing about games.
    pub elo: Option<Estimate>,
    /// Mean difference in points for each problem, positive if the first run is better; `None` if moves are not graded.
    pub points: Option<Mean>,
    /// Chance of so great a difference if the runs are alike: McNemar's test, exact and two-sided.
    pub p: f64,
    /// `p` for all comparisons of a table together (Holm, 1979): the chance that any of them is called significant by accident
    /// stays below the level, whether or not they depend on each other.
    pub corrected_p: f64,
}

/// Problems by which of two runs have solved them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Paired {
    /// Solved by both runs.
    pub both: u64,
    /// Solved by the first run only.
    pub first_only: u64,
    /// Solved by the second run only.
    pub second_only: u64,
    /// Solved by neither run.
    pub neither: u64,
}

/// A value with its 95 % confidence interval, whose ends may be infinite; in JSON they are then null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Low end.
    pub low: f64,
    /// High end.
    pub high: f64,
}

impl Comparison {
    /// Compares by counts; `points` as in the field. The p-value is not corrected.
    pub fn of(counts: Paired, points: Option<Mean>) -> Comparison {
        let p = counts.p();
        Comparison { counts, difference: counts.difference(), elo: counts.elo(), points, p, corrected_p: p }
    }

    /// Corrects the p-values of all comparisons of a table (Holm, 1979).
    pub fn correct(comparisons: &mut [Comparison]) {
        let mut order: Vec<usize> = (0..comparisons.len()).collect();
        order.sort_by(|one, other| comparisons[*one].p.total_cmp(&comparisons[*other].p));
        let mut least = 0.0f64;
        for (rank, place) in order.iter().enumerate() {
            let factor = (order.len() - rank) as f64;
            least = least.max((factor * comparisons[*place].p).min(1.0));
            comparisons[*place].corrected_p = least;
        }
    }

    /// Whether the difference in problems solved is significant at the 5 % level.
    pub fn is_significant(&self) -> bool {
        self.corrected_p < 0.05
    }
}

impl Paired {
    /// Counts a problem.
    pub fn count(&mut self, is_solved_by_first: bool, is_solved_by_second: bool) {
        let count = match (is_solved_by_first, is_solved_by_second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.first_only,
            (false, true) => &mut self.second_only,
            (false, false) => &mut self.neither,
        };
        *count += 1;
    }

    /// Number of problems.
    pub fn problems(self) -> u64 {
        self.both + self.first_only + self.second_only + self.neither
    }

    /// McNemar's exact test, two-sided: the chance of a split at least as uneven when each problem that only one run has solved
    /// is a toss of a coin.
    fn p(self) -> f64 {
        let (few, many) = (self.first_only.min(self.second_only), self.first_only.max(self.second_only));
        // The chance of at most `few` heads.
        let tail = incomplete_beta(many as f64, few as f64 + 1.0, 0.5);
        (2.0 * tail).min(1.0)
    }

    /// The difference of two paired shares in percentage points, by Newcombe's method 10 (Statistics in Medicine 17, 1998): Wilson's
    /// intervals of both, and their correlation.
    fn difference(self) -> Estimate {
        let [a, b, c, d] =
            [self.both, self.first_only, self.second_only, self.neither].map(|count| count as f64);
        let whole = self.problems();
        let value = 100.0 * (b - c) / whole.max(1) as f64;
        if whole == 0 {
            return Estimate { value, low: -100.0, high: 100.0 };
        }
        let [first, second] =
            [self.first_only, self.second_only].map(|only| Share { part: self.both + only, whole });
        let margins = |share: Share| {
            let (low, high) = share.interval();
            (share.percent() - low, high - share.percent())
        };
        let ((down1, up1), (down2, up2)) = (margins(first), margins(second));
        let product = (a + b) * (c + d) * (a + c) * (b + d);
        let excess = a * d - b * c;
        let excess = if excess > 0.0 { (excess - whole as f64 / 2.0).max(0.0) } else { excess };
        let phi = if product > 0.0 { excess / product.sqrt() } else { 0.0 };
        let joint =
            |one: f64, other: f64| (one * one - 2.0 * phi * one * other + other * other).max(0.0).sqrt();
        Estimate { value, low: value - joint(down1, up2), high: value + joint(up1, down2) }
    }

    /// See [`Comparison::elo`]. The interval is that of Clopper and Pearson for the share of `first_only`, so that it excludes 0 when
    /// [`Paired::p`] is less than 5 %.
    fn elo(self) -> Option<Estimate> {
        let (one, other) = (self.first_only as f64, self.second_only as f64);
        let elo = |share: f64| 400.0 * (share / (1.0 - share)).log10();
        let low = if one > 0.0 { elo(beta_quantile(one, other + 1.0, 0.025)) } else { f64::NEG_INFINITY };
        let high = if other > 0.0 { elo(beta_quantile(one + 1.0, other, 0.975)) } else { f64::INFINITY };
        (one + other > 0.0).then(|| Estimate { value: elo(one / (one + other)), low, high })
    }
}

/// A mean with its error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval.
    pub error: f64,
}

impl Mean {
    /// `None` for less than two values, whose variance is undefined.
    pub(crate) fn of(values: &[f64]) -> Option<Mean> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        (values.len() > 1).then(|| Mean { mean, error: Z * (squares / (n - 1.0) / n).sqrt() })
    }
}

/// A sum of whole numbers and of their squares, from which the mean follows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Sums {
    pub(super) fn add(&mut self, value: i64) {
        let value = i128::from(value);
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    pub(super) fn join(&mut self, other: Sums) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// As [`Mean::of`].
    pub(super) fn mean(self) -> Option<Mean> {
        let n = self.count as f64;
        let mean = self.sum as f64 / n;
        // In whole numbers nothing is lost in the difference.
        let squares = (i128::from(self.count) * self.squares - self.sum * self.sum) as f64 / n;
        (self.count > 1).then(|| Mean { mean, error: Z * (squares / (n - 1.0) / n).sqrt() })
    }
}

/// The regularized incomplete beta function, the chance that a beta-distributed number is at most `x`, for positive `a` and `b`. With
/// whole numbers it is the chance of at least `a` successes in `a + b - 1` trials. 1 if `a` is 0.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if a <= 0.0 || x >= 1.0 {
        return 1.0;
    }
    if x <= 0.0 {
        return 0.0;
    }
    // The fraction converges quickly on the near side of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (-x).ln_1p();
    (scale.exp() / a * beta_fraction(a, b, x)).min(1.0)
}

/// The continued fraction of the incomplete beta function, evaluated by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut above = 1.0;
    let mut below = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = below;
    for step in 1..100_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = value;
        for term in [even, odd] {
            below = 1.0 / away_from_zero(1.0 + term * below);
            above = away_from_zero(1.0 + term / above);
            value *= above * below;
        }
        if (value - before).abs() <= 1e-15 * value.abs() {
            break;
        }
    }
    value
}

/// The quantile of the beta distribution, by bisection.
fn beta_quantile(a: f64, b: f64, chance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if incomplete_beta(a, b, middle) < chance { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 5e-4 * expected.abs().max(1e-3), "{value}, expected {expected}");
    }

    fn paired(both: u64, first_only: u64, second_only: u64, neither: u64) -> Paired {
        Paired { both, first_only, second_only, neither }
    }

    #[test]
    fn chances_agree_with_those_worked_out_by_hand() {
        let p = |one, other| paired(9, one, other, 9).p();
        close(p(0, 0), 1.0);
        close(p(3, 3), 1.0);
        // 2 (1 + 6) / 2^6 and 2 / 2^5
        close(p(1, 5), 0.218_75);
        close(p(5, 0), 0.0625);
        // 2 (1 + 12 + 66) / 2^12
        close(p(10, 2), 0.038_574);
    }

    #[test]
    fn comparisons_agree_with_those_of_scipy() {
        // First only, second only: p by scipy.stats.binomtest, then 400 log10(x / (1 - x)) of its exact interval.
        for (one, other, p, low, high) in [
            (5, 0, 0.0625, -15.174_336, f64::INFINITY),
            (0, 1, 1.0, f64::NEG_INFINITY, 636.425_843),
            (37, 21, 0.047_940_324_07, 0.819_240_39, 200.316_360),
            (3, 14, 0.012_725_830_08, -561.427_562, -45.905_902),
            (1200, 1100, 0.038_966_852_68, 0.757_621_75, 29.486_230),
            (100_000, 101_000, 0.025_862_392_44, -3.249_188_75, -0.207_926_64),
            (100_000, 102_000, 8.677_399_89e-6, -4.956_998_72, -1.923_171_10),
        ] {
            let counts = paired(50, one, other, 7);
            let elo = counts.elo().expect("a difference");
            let is_close = |value: f64, expected: f64| {
                (value.is_infinite() && value.total_cmp(&expected).is_eq())
                    || (value / expected - 1.0).abs() < 1e-6
            };
            assert!(is_close(counts.p(), p), "{one} {other}: {} is not {p}", counts.p());
            assert!(is_close(elo.low, low) && is_close(elo.high, high), "{one} {other}: {elo:?}");
        }
        assert_eq!(paired(5, 0, 0, 5).elo(), None);
    }

    #[test]
    fn holm_corrects_as_statsmodels_does() {
        let p = [0.01, 0.04, 0.03, 0.005, 0.8];
        let mut comparisons = p.map(|p| Comparison { p, ..Comparison::of(Paired::default(), None) });
        Comparison::correct(&mut comparisons);
        for (comparison, expected) in comparisons.iter().zip([0.04, 0.09, 0.09, 0.025, 0.8]) {
            close(comparison.corrected_p, expected);
        }
    }

    #[test]
    fn differences_of_paired_shares_are_those_of_newcombe() {
        // The first is an example of his article: 0.0569 to 0.3404. The others were computed from his formula with Wilson's intervals
        // of statsmodels.
        for (both, one, other, neither, low, high) in [
            (36, 12, 2, 0, 5.692_958, 34.042_760),
            (212, 144, 69, 75, 9.366_428, 20.496_052),
            (0, 5, 0, 5, 11.736_747, 76.340_691),
            (250, 20, 8, 22, 0.488_506, 7.680_177),
            (0, 0, 0, 7, -35.433_043, 35.433_043),
            (53, 0, 1, 0, -9.771_437, 4.962_166),
        ] {
            let estimate = paired(both, one, other, neither).difference();
            assert!((estimate.low - low).abs() < 1e-5 && (estimate.high - high).abs() < 1e-5, "{estimate:?}");
        }
        let none = Paired::default().difference();
        assert_eq!((none.value, none.low, none.high), (0.0, -100.0, 100.0));
    }

    #[test]
    fn intervals_agree_with_those_of_the_literature() {
        // Newcombe (1998): 81 of 263, 15 of 148, 0 of 20, 1 of 29
        for (part, whole, low, high) in
            [(81, 263, 25.53, 36.62), (15, 148, 6.24, 16.05), (0, 20, 0.0, 16.11), (1, 29, 0.61, 17.18)]
        {
            let (least, greatest) = Share { part, whole }.interval();
            assert!((least - low).abs() < 0.006 && (greatest - high).abs() < 0.006, "{least} {greatest}");
        }
        assert_eq!(Share { part: 0, whole: 0 }.interval(), (0.0, 100.0));
    }

    #[test]
    fn quantiles_are_values_that_occur() {
        let of = |values: &[u64]| {
            let mut finder = QuantileFinder::new(values.len() as u64);
            for value in values {
                finder.add(*value);
            }
            finder.finish()
        };
        let quantiles = of(&(1..=10).collect::<Vec<_>>()).expect("values");
        assert_eq!((quantiles.least, quantiles.quarter, quantiles.median), (1, 3, 5));
        assert_eq!((quantiles.three_quarters, quantiles.nine_tenths, quantiles.greatest), (8, 9, 10));
        assert_eq!(of(&[7]).expect("a value").nine_tenths, 7);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn differences_have_an_error() {
        let difference = Mean::of(&[1.0, 2.0, 3.0, 2.0]).expect("values");
        close(difference.mean, 2.0);
        close(difference.error, 1.96 * (2.0f64 / 3.0 / 4.0).sqrt());
        assert_eq!(Mean::of(&[1.0]), None);
        let mut sums = Sums::default();
        for value in [1, 2, 3, 2] {
            sums.add(value);
        }
        let same = sums.mean().expect("values");
        close(same.mean, difference.mean);
        close(same.error, difference.error);
    }
}
