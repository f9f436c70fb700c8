//! Statistics of suite results.

use serde::{Deserialize, Serialize};

use super::SuiteAttempt;

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

impl Quantiles {
    pub(super) fn of(mut values: Vec<u64>) -> Option<Quantiles> {
        values.sort_unstable();
        let at = |part: f64| {
            let number = (values.len() as f64 * part).ceil() as usize;
            values.get(number.saturating_sub(1)).copied()
        };
        Some(Quantiles {
            least: at(0.0)?,
            quarter: at(0.25)?,
            median: at(0.5)?,
            three_quarters: at(0.75)?,
            nine_tenths: at(0.9)?,
            greatest: at(1.0)?,
        })
    }
}

/// Comparison of two runs on the same problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// Problems solved by both runs.
    pub both: u64,
    /// Problems solved by the first run only.
    pub first_only: u64,
    /// Problems solved by the second run only.
    pub second_only: u64,
    /// Problems solved by neither run.
    pub neither: u64,
    /// Significance level of the difference (McNemar's test, exact and two-sided).
    pub p: f64,
    /// Mean difference in points per problem, positive if the first run is better; `None` if moves are not graded.
    pub points: Option<Mean>,
}

/// A mean with its error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval.
    pub error: f64,
}

impl Comparison {
    pub(super) fn of<'a>(attempts: impl Iterator<Item = (&'a SuiteAttempt, &'a SuiteAttempt)>) -> Comparison {
        let mut comparison = Comparison::default();
        let mut differences = Vec::new();
        for (first, second) in attempts {
            let count = match (first.is_solved(), second.is_solved()) {
                (true, true) => &mut comparison.both,
                (true, false) => &mut comparison.first_only,
                (false, true) => &mut comparison.second_only,
                (false, false) => &mut comparison.neither,
            };
            *count += 1;
            differences.extend(
                first.points.zip(second.points).map(|(one, other)| f64::from(one) - f64::from(other)),
            );
        }
        comparison.p = mcnemar(comparison.first_only, comparison.second_only);
        comparison.points = Mean::of(&differences);
        comparison
    }

    /// Whether the difference in problems solved is significant at the 5 % level.
    pub fn is_significant(&self) -> bool {
        self.p < 0.05
    }
}

impl Mean {
    /// `None` for less than two values, whose variance is undefined.
    pub(crate) fn of(values: &[f64]) -> Option<Mean> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (values.len() > 1).then(|| Mean { mean, error: Z * (variance / n).sqrt() })
    }
}

/// The two-sided p-value of McNemar's exact test, from the numbers of problems that only one of the runs has solved.
fn mcnemar(one: u64, other: u64) -> f64 {
    let n = (one + other) as f64;
    let few = one.min(other);
    let ways = |k: f64| libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    let tail: f64 = (0..=few).map(|k| (ways(k as f64) - n * std::f64::consts::LN_2).exp()).sum();
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 5e-4 * expected.abs().max(1e-3), "{value}, expected {expected}");
    }

    #[test]
    fn chances_agree_with_those_worked_out_by_hand() {
        close(mcnemar(0, 0), 1.0);
        close(mcnemar(3, 3), 1.0);
        // 2 (1 + 6) / 2^6 and 2 / 2^5
        close(mcnemar(1, 5), 0.218_75);
        close(mcnemar(5, 0), 0.0625);
        // 2 (1 + 12 + 66) / 2^12
        close(mcnemar(10, 2), 0.038_574);
        assert!(mcnemar(100_000, 101_000) > 0.02 && mcnemar(100_000, 102_000) < 1e-4);
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
        let quantiles = Quantiles::of((1..=10).rev().collect()).expect("values");
        assert_eq!((quantiles.least, quantiles.quarter, quantiles.median), (1, 3, 5));
        assert_eq!((quantiles.three_quarters, quantiles.nine_tenths, quantiles.greatest), (8, 9, 10));
        assert_eq!(Quantiles::of(vec![7]).expect("a value").nine_tenths, 7);
        assert_eq!(Quantiles::of(Vec::new()), None);
    }

    #[test]
    fn differences_have_an_error() {
        let difference = Mean::of(&[1.0, 2.0, 3.0, 2.0]).expect("values");
        close(difference.mean, 2.0);
        close(difference.error, 1.96 * (2.0f64 / 3.0 / 4.0).sqrt());
        assert_eq!(Mean::of(&[1.0]), None);
    }
}
