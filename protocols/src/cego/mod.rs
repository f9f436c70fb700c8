//! Herald as an engine by CEGO. The messages are in [`messages::cego`].
//!
//! The protocol forgives nothing, so its lines are read with their ends, and a FEN that `Game` would put right is refused. The state of the protocol (`state.rs`) is kept apart from
//! thinking, so that the document's example can be replayed byte for byte.

mod session;
mod state;
#[cfg(test)]
mod tests;

pub use session::{CegoOptions, SessionError, serve};
pub use state::MediatorError;
