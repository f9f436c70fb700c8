//! Herald as an engine by the Universal Chess Interface. The messages are in [`messages::uci`].
//!
//! One match over the command, in the order of the UCI document, and one handler a command (`session.rs`). A command that can't be
//! obeyed changes nothing and is answered with `info string`.

mod options;
mod session;

pub use session::serve;

#[cfg(test)]
mod tests;
