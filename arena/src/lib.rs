//! Officials: the referee of a game, schedules, statistics and the runner of a match.

mod openings;
mod runner;
pub mod schedule;
mod standings;
pub mod statistics;
mod store;

pub use openings::{Format as OpeningsFormat, Openings, OpeningsError, Order};
pub use runner::{Board, End, Event, Match, MatchError, Overheads, Played, Usage, Workers};
pub use standings::{Faults, Standing, Standings};
pub use store::{Entry, RecordedOutcome, Store, StoreError};
