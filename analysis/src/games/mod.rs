//! Games as records of positions, and records as games.

mod from_games;
#[cfg(test)]
mod tests;
mod to_games;

pub use from_games::{GameOperation, GamePositions, PositionChoice};
pub use to_games::{GamesOfRecords, RecordGame, record_as_game};
