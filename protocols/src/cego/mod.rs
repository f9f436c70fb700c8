//! CEGO, the Chess Engine Game Operation protocol, revision 1: the vocabulary of both sides, and the engine's side of
//! the conversation.
//!
//! The protocol forgives nothing: a message that is not exactly as the document has it ends the conversation. It has no
//! options, no draw offers and no Chess960; where the document is silent, the readings here are those of its letter.

mod conversation;
mod message;
mod notation;
mod position;
mod session;
#[cfg(test)]
mod tests;

pub use conversation::Breach;
pub use message::{Account, EngineMessage, FirstMove, MediatorMessage, MessageError, Nanos, SubsequentMove};
pub use notation::LongMove;
pub use position::{ImpossiblePosition, StrictFen};
pub use session::{Habits, SessionError, serve};

/// The revision of the protocol that is spoken here, for both ends to disclose.
pub const REVISION: u32 = 1;
