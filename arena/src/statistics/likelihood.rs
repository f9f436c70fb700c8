//! Distributions of results that make observed ones most likely, under a condition on their mean.
//!
//! The method is that of M. Van den Bergh, "Comments on normalized Elo": the condition is met by dividing each frequency
//! by `1 + x * value`, where `x` is a Lagrange multiplier, the root of a secular equation.

/// Count that stands for a result that never occurred: it may be rare but not impossible. Without it one result could
/// rule out a hypothesis (regularised counts, as in fishtest and fastchess).
const NEVER_SEEN: f64 = 1e-3;

/// Largest lead (in standard deviations) that is fitted in one step, and the factor between successive leads.
const FIRST_LEAD: f64 = 0.5;
const LEAD_STEP: f64 = 1.1;
/// Maximum number of linear fits; usually about five are enough.
const MOST_FITS: usize = 50;

/// Probabilities of `N` results, whose scores are evenly spaced from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distribution<const N: usize>(pub(super) [f64; N]);

/// Observed results as relative frequencies, with the number of observations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frequencies<const N: usize> {
    pub(super) shares: Distribution<N>,
    /// Number of observations, with the counts that stand for results never seen.
    pub(super) total: f64,
}

impl<const N: usize> Frequencies<N> {
    pub(super) fn new(counts: [u64; N]) -> Frequencies<N> {
        let counts = counts.map(|count| if count == 0 { NEVER_SEEN } else { count as f64 });
        let total: f64 = counts.iter().sum();
        Frequencies { shares: Distribution(counts.map(|count| count / total)), total }
    }

    /// Returns the logarithm of how much more likely these results are under `upper` than under `lower`.
    pub(super) fn log_ratio(&self, lower: &Distribution<N>, upper: &Distribution<N>) -> f64 {
        let ratio = |i: usize| self.shares.0[i] * (upper.0[i] / lower.0[i]).ln();
        self.total * (0..N).map(ratio).sum::<f64>()
    }
}

impl<const N: usize> Distribution<N> {
    fn scores() -> [f64; N] {
        std::array::from_fn(|i| i as f64 / (N - 1) as f64)
    }

    pub(super) fn mean(&self) -> f64 {
        Self::scores().iter().zip(self.0).map(|(score, p)| score * p).sum()
    }

    pub(super) fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        Self::scores().iter().zip(self.0).map(|(score, p)| (score - mean).powi(2) * p).sum::<f64>().sqrt()
    }

    /// Returns the distribution with that mean under which this one is most likely to be observed.
    pub(super) fn with_mean(&self, mean: f64) -> Distribution<N> {
        let fit = self.with_zero_expectation(Self::scores().map(|score| score - mean));
        fit.expect("a mean between the lowest and the highest score")
    }

    /// Returns the distribution whose mean is `lead` of its own standard deviations above one half, and under which
    /// this one is most likely to be observed.
    ///
    /// The constraint is not linear, so a linear approximation to it is solved repeatedly: `mean - lead * deviation =
    /// 1/2` holds where the expectation of its influence function is zero. The first approximation is made at the
    /// uniform distribution, not at this one, whose deviation may be nearly zero. A large lead is approached in steps,
    /// because otherwise no distribution might satisfy the linear constraint.
    pub(super) fn with_lead(&self, lead: f64) -> Distribution<N> {
        let mut fit = Distribution([1.0 / N as f64; N]);
        let mut reached = lead.clamp(-FIRST_LEAD, FIRST_LEAD);
        loop {
            for _ in 0..MOST_FITS {
                let (mean, deviation) = (fit.mean(), fit.standard_deviation());
                let influence = Self::scores().map(|score| {
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
    fn with_zero_expectation(&self, values: [f64; N]) -> Option<Distribution<N>> {
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

    #[test]
    fn a_fit_has_the_lead_that_it_was_fitted_to() {
        for counts in [[5, 0, 0, 0, 0], [0, 0, 500, 0, 0], [424, 2948, 5832, 3045, 460], [0, 1, 0, 0, 700]] {
            let observed = Frequencies::new(counts).shares;
            for lead in [-2.0, -0.7, -0.02, 0.0, 0.01, 0.3, 1.5] {
                let fit = observed.with_lead(lead);
                let (off, sum) =
                    (fit.mean() - 0.5 - lead * fit.standard_deviation(), fit.0.iter().sum::<f64>());
                assert!(off.abs() < 1e-6 && (sum - 1.0).abs() < 1e-4, "{counts:?} {lead}: {off}, {sum}");
            }
        }
    }

    #[test]
    fn a_fit_has_the_mean_that_it_was_fitted_to() {
        for counts in [[5, 0, 0], [0, 70, 0], [424, 2948, 5832], [0, 1, 0]] {
            let observed = Frequencies::new(counts).shares;
            for mean in [0.01, 0.4, 0.5, 0.507, 0.99] {
                let fit = observed.with_mean(mean);
                let sum: f64 = fit.0.iter().sum();
                assert!(
                    (fit.mean() - mean).abs() < 1e-6 && (sum - 1.0).abs() < 1e-4,
                    "{counts:?} {mean}: {fit:?}"
                );
            }
        }
    }
}
