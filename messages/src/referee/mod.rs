//! The referee protocol of EPD (Edwards, "Extended Position Description", 1995; section 8): a tournament's referee and the
//! programs that play in it exchange records, one a line.
//!
//! A [`Directive`] goes from the referee to a client, a [`ClientRecord`] the other way. A [`ClientState`] is what a client
//! knows of its game, a [`ClientConnection`] its end of a connection. Where the specification is silent, docs/REFEREE.md tells what is
//! done here; what it doesn't have (exact clocks, secrets, epochs) goes by private opcodes, to those who ask for it.

mod client_connection;
mod client_state;
mod directive;
mod reading;
mod request;
#[cfg(test)]
mod tests;

pub use client_connection::{ClientConfig, ClientConnection, DisconnectReason};
pub use client_state::{ClientState, ClientTask, ProtocolError, answer_with};
pub use directive::{Counters, Directive, ExactClock, Moves};
pub use reading::MessageError;
pub use request::{
    Analysis, ClientRecord, ClientReply, Remark, Request, Response, Secret, SignOn, without_secret,
};
