//! Limits of what may happen in a second.

use std::time::Instant;

/// A token bucket: it holds up to `burst` tokens and is filled with `per_second`.
#[derive(Debug)]
pub(super) struct RateLimiter {
    left: f64,
    per_second: f64,
    burst: f64,
    since: Option<Instant>,
}

impl RateLimiter {
    /// A full bucket.
    pub(super) fn new(per_second: f64, burst: f64) -> RateLimiter {
        RateLimiter { left: burst, per_second, burst, since: None }
    }

    /// Takes tokens; `false` if there are not enough, and then takes none.
    pub(super) fn take(&mut self, tokens: f64, at: Instant) -> bool {
        self.fill(at);
        let is_enough = self.left >= tokens;
        if is_enough {
            self.left -= tokens;
        }
        is_enough
    }

    /// Whether nothing was taken lately.
    pub(super) fn is_full(&mut self, at: Instant) -> bool {
        self.fill(at);
        self.left >= self.burst
    }

    fn fill(&mut self, at: Instant) {
        let passed = self.since.map_or(0.0, |since| at.saturating_duration_since(since).as_secs_f64());
        self.since = Some(at);
        self.left = (self.left + passed * self.per_second).min(self.burst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_and_then_so_many_in_a_second() {
        let (mut rate, begin) = (RateLimiter::new(10.0, 20.0), Instant::now());
        assert_eq!((0..100).filter(|_| rate.take(1.0, begin)).count(), 20);
        let later = |tenths: u32| begin + Duration::from_millis(100) * tenths;
        assert_eq!((1..=50).filter(|tenths| rate.take(1.0, later(*tenths))).count(), 50);
        assert!(!rate.is_full(later(51)) && rate.is_full(later(100)));
        assert!(!rate.take(20.5, later(100)) && rate.take(20.0, later(100)));
    }
}
