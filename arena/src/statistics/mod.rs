//! Statistics of match results: points, Elo with its error, likelihood of superiority, the pentanomial model of game
//! pairs, and the sequential probability ratio test.

mod sprt;
mod tally;

pub use sprt::{EloModel, Hypothesis, Sprt, SprtBounds, SprtError};
pub use tally::{Estimate, Pentanomial, Points, Sample, WinDrawLoss};
