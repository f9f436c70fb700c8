//! The referee protocol of EPD (Edwards, "Extended Position Description", 1995; section 8): the referee of a tournament
//! and the playing programs exchange records, one per line.
//!
//! The referee sends a [`Directive`], a client a [`ClientRecord`]. [`ClientState`] is a client's view of its game and
//! [`ClientConnection`] its end of a connection. docs/REFEREE.md describes the readings adopted where the
//! specification is silent. Extensions (exact clocks, secrets, epochs) use private opcodes and are sent only to
//! clients that ask for them.

mod client_connection;
mod client_state;
mod directive;
mod reading;
mod request;
#[cfg(test)]
mod tests;

pub use client_connection::{ClientConfig, ClientConnection, DisconnectReason, HEARTBEAT, SILENCE};
pub use client_state::{ClientState, ClientTask, ProtocolError, answer_with};
pub use directive::{Counters, Directive, ExactClock, Moves};
pub use reading::MessageError;
pub use request::{
    Analysis, ClientRecord, ClientReply, Remark, Request, Response, Secret, SignOn, without_secret,
};
