//! Statistics of match results: points, Elo with its error, likelihood of superiority, the pentanomial model of game
//! pairs, and the sequential probability ratio test.

mod likelihood;
mod sequence;
mod sprt;
mod stopping;
mod tally;

pub use sequence::SequentialTest;
pub use sprt::{EloModel, Hypothesis, Observations, Sprt, SprtBounds, SprtCounts};
pub use stopping::{Interval, StoppedEstimate};
pub use tally::{Estimate, Pentanomial, Points, Sample, WinDrawLoss};

pub(crate) use tally::normal_distribution;
