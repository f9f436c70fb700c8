//! What has to be looked at, and when.

use std::collections::BTreeSet;
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

/// Timers by their moments.
pub(super) type Timers = BTreeSet<(Instant, Timer)>;
