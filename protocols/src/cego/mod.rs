//! Herald as an engine under CEGO. The messages are in [`messages::cego`].
//!
//! CEGO tolerates no deviation. Lines are therefore read with their line ends, and a FEN that `Game` would correct is
//! refused. The protocol's state (`state.rs`) is separate from thinking, so that the example in the CEGO document can
//! be replayed byte for byte.

mod session;
mod state;
#[cfg(test)]
mod tests;

pub use session::{CegoOptions, SessionError, serve};
pub use state::MediatorError;
