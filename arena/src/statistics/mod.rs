//! What results say about strength: points, Elo with its error, likelihood of superiority, the pentanomial model of
//! games in pairs, and the sequential probability ratio test.

mod estimate;
mod sprt;
mod tally;

pub use estimate::{Estimate, Sample};
pub use sprt::{EloModel, Hypothesis, Sprt, SprtBounds, SprtError};
pub use tally::{Pentanomial, Points, WinDrawLoss};
