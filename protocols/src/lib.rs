//! The protocols that Herald speaks. In each room: the vocabulary (typed messages in both directions, read and
//! written, for use at either end) and the session (the engine's side of the conversation).

mod agreements;
pub mod board;
pub mod cecp;
pub mod cego;
pub mod detect;
pub mod epd;
pub mod host;
pub mod input;
pub mod referee;
#[cfg(test)]
mod scripted;
pub mod terminal;
pub mod uci;
