//! The evaluation by a neural network.

mod fingerprint;

pub use fingerprint::fingerprint;
