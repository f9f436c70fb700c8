//! CEGO, the Chess Engine Game Operation protocol, revision 1: the messages of both sides.
//!
//! The protocol is strict: a message that deviates from the document ends the session. It has no options, no draw
//! offers and no Chess960. Where the document is silent, the most literal reading is implemented.

mod message;
mod notation;
mod position;

pub use message::{EngineMessage, MalformedMessage, MediatorMessage, SideClock, quoted};
pub use notation::LongMove;
pub use position::StrictFen;

/// Implemented revision of the protocol, which both ends disclose.
pub const REVISION: u32 = 1;
