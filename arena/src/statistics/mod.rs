//! Statistics of match results: points, Elo with its error, likelihood of superiority, the pentanomial model of game
//! pairs, and the sequential probability ratio test.

mod estimate;
mod sprt;
mod tally;

pub use estimate::{Estimate, Sample};
pub use sprt::{EloModel, Hypothesis, Sprt, SprtBounds, SprtError};
pub use tally::{Pentanomial, Points, WinDrawLoss};
