//! The referee's source of time.

use std::time::Instant;

use platform::Source;

/// A source of time. Tests use a simulated one.
pub trait Time {
    /// Returns the present moment, which never decreases.
    fn now(&self) -> Instant;

    /// Yields the processor to the players, if they share it.
    fn give_way(&self) {}

    /// Waits until one of the sources (at most two) can be read or `until` is reached. May return early.
    fn wait(&self, sources: &[Source<'_>], until: Instant);
}

/// The monotonic clock of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealTime;

impl Time for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn give_way(&self) {
        std::thread::yield_now();
    }

    fn wait(&self, sources: &[Source<'_>], until: Instant) {
        platform::wait(sources, until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn real_time_waits_no_longer_than_told() {
        let began = RealTime.now();
        RealTime.wait(&[], began + Duration::from_millis(3));
        assert!(began.elapsed() >= Duration::from_millis(3));
        let (bell, mut ringer) = platform::bell().unwrap();
        ringer.ring().unwrap();
        let began = RealTime.now();
        RealTime.wait(&[bell.source()], began + Duration::from_mins(1));
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
