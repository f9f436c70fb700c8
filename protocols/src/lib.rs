//! Herald's side of each protocol, one folder per protocol. A session owns a game and an engine and reads messages.
//!
//! Each session has three threads: one reads the input, one thinks, and the session's own thread writes. A session
//! never looks inside the search: input lines and the engine's reports arrive as events of one queue ([`host`]). The
//! settings are defined in `engine`, and each protocol presents them in its own way. Saved settings are loaded by the
//! sessions only, so that tools are not affected by them.

mod agreements;
pub mod browser;
pub mod cecp;
pub mod cego;
pub mod detect;
pub mod host;
mod output;
mod person;
mod pondering;
pub mod referee;
#[cfg(test)]
mod scripted;
pub mod terminal;
pub mod uci;

use std::time::SystemTime;

use time::OffsetDateTime;

/// Today's date for PGN, in UTC as in the records of matches.
pub(crate) fn today() -> String {
    OffsetDateTime::from(SystemTime::now()).date().to_string().replace('-', ".")
}
