//! The timers of an event.

use std::collections::BTreeSet;
use std::time::Instant;

use super::fact::Side;

/// A reason to look at something. Timers are never cancelled: when one fires, the handler checks whether there is
/// anything to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// The flag of the side to move may have fallen. Carries the game.
    Flag(u64),
    /// The quiet period of a program may be over. Carries the program.
    Quiet(usize),
    /// A program may have been absent from its game for too long. Carries the game and the side.
    Patience(u64, Side),
    /// A connection may have passed its time limit for signing on. Carries the connection.
    SignOn(u64),
}

/// Timers in the order in which they fire.
pub(super) type Timers = BTreeSet<(Instant, Timer)>;
