//! Statistics of the referee's overhead: the time between the arrival of a move and the message to the opponent.

use std::time::Duration;

/// A histogram of overheads with constant memory. There are 16 logarithmic bins to each factor of two.
#[derive(Clone, Debug, Default)]
pub struct Overheads {
    counts: Vec<u64>,
    /// The longest overhead.
    pub longest: Duration,
}

/// Number of bins for each factor of two.
const STEPS: f64 = 16.0;

impl Overheads {
    /// Adds overheads.
    pub fn extend(&mut self, times: impl IntoIterator<Item = Duration>) {
        for time in times {
            let step = ((time.as_nanos().max(1) as f64).log2() * STEPS) as usize;
            if self.counts.len() <= step {
                self.counts.resize(step + 1, 0);
            }
            self.counts[step] += 1;
            self.longest = self.longest.max(time);
        }
    }

    /// Returns the median, accurate to three per cent; `None` before the first move.
    pub fn median(&self) -> Option<Duration> {
        let mut left = self.counts.iter().sum::<u64>().div_ceil(2);
        let step = self.counts.iter().position(|&count| {
            left = left.saturating_sub(count);
            left == 0
        })?;
        Some(Duration::from_nanos(((step as f64 + 0.5) / STEPS).exp2() as u64).min(self.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overheads_have_a_median_and_a_longest() {
        let mut overheads = Overheads::default();
        assert_eq!(overheads.median(), None);
        overheads.extend([10, 20, 50, 100, 4000].map(Duration::from_micros));
        let median = overheads.median().unwrap().as_nanos() as f64;
        assert!((median / 50_000.0 - 1.0).abs() < 0.03, "{median}");
        assert_eq!(overheads.longest, Duration::from_millis(4));
    }
}
