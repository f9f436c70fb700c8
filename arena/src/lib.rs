//! Officials: the referee of a game, schedules, statistics and the runner of a match.

pub mod schedule;
pub mod statistics;
