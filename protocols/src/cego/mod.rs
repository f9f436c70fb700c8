//! Herald as an engine by CEGO. The vocabulary is in [`messages::cego`].

mod conversation;
mod session;
#[cfg(test)]
mod tests;

pub use conversation::Breach;
pub use session::{Habits, SessionError, serve};
