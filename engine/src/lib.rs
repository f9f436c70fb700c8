//! The game state that every adapter shares: positions and moves, rules and outcomes, time controls and clocks, PGN.

mod fen;
mod game;
mod notation;
mod outcome;
mod text;

pub use fen::FenError;
pub use game::{Game, IllegalMove};
pub use notation::{IllegalReason, MoveError};
pub use outcome::{DrawReason, Outcome, WinReason};

pub use shakmaty::{CastlingMode, Chess, Color, Move};
