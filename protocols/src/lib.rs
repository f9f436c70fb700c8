//! Herald's side of the protocols that it speaks, a folder each: a session owns a game and an engine and reads messages.

mod agreements;
pub mod cecp;
pub mod cego;
pub mod detect;
pub mod host;
pub mod referee;
#[cfg(test)]
mod scripted;
pub mod terminal;
pub mod uci;
