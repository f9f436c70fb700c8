//! Herald as an engine under the Universal Chess Interface. The messages are in [`messages::uci`].
//!
//! `session.rs` matches each command once, in the order of the UCI document, and calls one handler per command. A
//! command that can't be obeyed changes nothing and is answered with `info string`. A `go` is always obeyed: what can't be read of
//! it is told so and left out.

mod options;
mod session;

pub use session::{obey_all, serve};

#[cfg(test)]
mod tests;
