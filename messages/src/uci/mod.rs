//! The Universal Chess Interface of Stefan Meyer-Kahlen (April 2006): the vocabulary of both sides.

mod command;
mod message;
#[cfg(test)]
mod strategies;
mod words;

pub use command::{Command, CommandError, Go, Registration, Start};
pub use message::{
    Bound, Check, CurrentLine, EMPTY, Info, InfoScore, Message, MessageError, OptionKind, Value,
};
