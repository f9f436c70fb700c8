//! Herald's side of the protocols that it speaks, a folder each: a session owns a game and an engine and reads messages.
//!
//! One thread reads, one thinks, and the session's own writes. A session never looks inside the search: what it reads and what the
//! engine says arrive as events of one queue ([`host`]). Settings are defined in `engine`; each protocol shows them in its own way,
//! and what the user has saved is loaded by the sessions, so that tools never see it.

mod agreements;
pub mod cecp;
pub mod cego;
pub mod detect;
pub mod host;
mod output;
mod pondering;
pub mod referee;
#[cfg(test)]
mod scripted;
pub mod terminal;
pub mod uci;
