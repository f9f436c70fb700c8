//! CEGO, the Chess Engine Game Operation protocol, revision 1: the messages of both sides.
//!
//! The protocol is strict: a message that is not exactly as in the document ends the session. It has no
//! options, no draw offers and no Chess960; where the document is silent, the readings here are those of its letter.

mod message;
mod notation;
mod position;

pub use message::{EngineMessage, MalformedMessage, MediatorMessage, SideClock, quoted};
pub use notation::LongMove;
pub use position::{ImpossiblePosition, StrictFen};

/// The revision of the protocol that is spoken here, for both ends to disclose.
pub const REVISION: u32 = 1;
