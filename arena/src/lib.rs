//! Officials: the referee of a game, schedules, statistics and the runner of a match.

pub mod simulated;
mod table;

pub use table::{
    Adjudication, DrawByScore, DrawRule, GameRecord, GameSetup, Incident, MoveRecord, Overhead, RealTime,
    ResignByScore, Rules, Seat, Time, Variations, play, play_by,
};
