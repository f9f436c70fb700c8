//! The Universal Chess Interface of Stefan Meyer-Kahlen (April 2006): the vocabulary of both sides, and the engine's
//! side of the conversation.

mod command;
mod message;
mod options;
mod session;
#[cfg(test)]
mod strategies;
mod words;

pub use command::{Command, CommandError, Go, Registration, Start};
pub use message::{Bound, Check, CurrentLine, Info, InfoScore, Message, MessageError, OptionKind, Value};
pub use session::serve;

#[cfg(test)]
mod tests;
