//! Officials: the referee of a game, schedules, statistics and the runner of a match.

mod board;
mod openings;
pub mod referee;
mod runner;
pub mod schedule;
pub mod simulated;
mod standings;
pub mod statistics;
mod store;
mod table;

pub use board::{Entrant, Hall, ProgramBoard};
pub use openings::{Format as OpeningsFormat, Openings, OpeningsError, Order};
pub use runner::{Board, End, Event, Match, MatchError, Overheads, Played, Usage, Workers};
pub use standings::{Faults, Standing, Standings};
pub use store::{Entry, RecordedOutcome, Store, StoreError};
pub use table::{
    Adjudication, DrawByScore, DrawRule, GameRecord, GameSetup, Incident, MoveRecord, Overhead, RealTime,
    ResignByScore, Rules, Seat, Time, Variations, play, play_by,
};
