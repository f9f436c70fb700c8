//! Where a referee's time comes from.

use std::os::fd::BorrowedFd;
use std::time::Instant;

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Where a referee gets its time from. Tests put their own here.
pub trait Time {
    /// The present moment; never goes back.
    fn now(&self) -> Instant;

    /// Lets the players have the processor first, if they share it.
    fn give_way(&self) {}

    /// Waits until one of the sources (at most two) can be read or `until` has come. May return early.
    fn wait(&self, sources: &[BorrowedFd<'_>], until: Instant);
}

/// The computer's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealTime;

impl Time for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn give_way(&self) {
        std::thread::yield_now();
    }

    fn wait(&self, sources: &[BorrowedFd<'_>], until: Instant) {
        let mut watched: ArrayVec<PollFd<'_>, 2> =
            sources.iter().map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN)).collect();
        // Never fails: the referee waits a fraction of a second at a time.
        let timeout = Timespec::try_from(until.saturating_duration_since(self.now())).ok();
        // An interrupted call is a wait that ended early; other errors cannot come from open descriptors.
        let _ = poll(&mut watched, timeout.as_ref());
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
        let (readable, writable) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writable, b"x").unwrap();
        let began = RealTime.now();
        RealTime.wait(&[std::os::fd::AsFd::as_fd(&readable)], began + Duration::from_mins(1));
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
