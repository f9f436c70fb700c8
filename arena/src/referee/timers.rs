//! What has to be looked at, and when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use super::fact::Side;

/// Something to be looked at. Whether anything has to be done is asked then: timers are never taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// The flag of a game's side to move may have fallen.
    Flag(u64),
    /// A program may be written to again.
    Quiet(usize),
    /// A program that is gone from a game may have been gone for too long.
    Patience(u64, Side),
    /// Nobody may have signed on over a connection.
    SignOn(u64),
}

/// Timers, the next one first.
#[derive(Default)]
pub(super) struct Timers(BinaryHeap<Reverse<(Instant, Timer)>>);

impl Timers {
    pub(super) fn set(&mut self, at: Instant, timer: Timer) {
        self.0.push(Reverse((at, timer)));
    }

    /// The moment of the next one.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.peek().map(|Reverse((at, _))| *at)
    }

    /// The next one whose moment has come.
    pub(super) fn take(&mut self, now: Instant) -> Option<Timer> {
        if self.next()? > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, timer))| timer)
    }
}
