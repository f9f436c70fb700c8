//! How hard to think about each record.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use game::{Phase, Phases, TimeControl, TimeControlError};
use search::{Limits, TimeLimit};

/// A soft limit is an equal share of a clock for so many moves, as in a game.
const SHARES: u32 = 40;

/// The effort for each record (EPD specification, 7.2). As a time control every program understands it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort(TimeControl);

impl Effort {
    /// So many nodes.
    pub fn nodes(nodes: NonZeroU64) -> Effort {
        Effort(TimeControl::Nodes(nodes))
    }

    /// So many plies.
    pub fn depth(plies: NonZeroU32) -> Effort {
        Effort(TimeControl::Depth(plies))
    }

    /// A hard limit: so much time and no more.
    pub fn at_most(time: Duration) -> Effort {
        Effort(TimeControl::PerMove(time))
    }

    /// A soft limit: about so much time, more or less as the position demands. The thinker is told that it plays the first
    /// of forty moves with forty times that on its clock.
    ///
    /// # Errors
    /// The time is zero.
    pub fn about(time: Duration) -> Result<Effort, TimeControlError> {
        let phase =
            Phase { moves: Some(SHARES), time: time.saturating_mul(SHARES), increment: Duration::ZERO };
        Ok(Effort(TimeControl::Clock(Phases::new(vec![phase])?)))
    }

    /// As a program is told.
    pub(super) fn control(&self) -> &TimeControl {
        &self.0
    }

    /// The longest that an answer may take; `None` if it isn't measured in time.
    pub(super) fn longest(&self) -> Option<Duration> {
        match &self.0 {
            TimeControl::PerMove(time) => Some(*time),
            control => control.initial(),
        }
    }

    /// As the search is told.
    pub(super) fn limits(&self) -> Limits {
        match &self.0 {
            TimeControl::Nodes(nodes) => Limits { nodes: Some(nodes.get()), ..Limits::default() },
            TimeControl::Depth(plies) => Limits { depth: Some(plies.get()), ..Limits::default() },
            TimeControl::PerMove(time) => Limits { time: TimeLimit::PerMove(*time), ..Limits::default() },
            control => {
                let time = control.initial().map_or(TimeLimit::Unlimited, |remaining| TimeLimit::Clock {
                    remaining,
                    increment: Duration::ZERO,
                    moves_to_go: Some(SHARES),
                });
                Limits { time, ..Limits::default() }
            }
        }
    }
}
