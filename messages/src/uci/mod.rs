//! The Universal Chess Interface of Stefan Meyer-Kahlen (April 2006): the messages of both sides.

mod command;
mod message;
#[cfg(test)]
mod strategies;
mod words;

pub use command::{Command, GenFens, Go, StartPosition};
pub use message::{Check, CurrentLine, EMPTY, Info, InfoScore, Message};
pub use words::LineError;
