//! CECP, the Chess Engine Communication Protocol of XBoard and WinBoard.
//!
//! [`Command`] is what a GUI says to an engine, [`Message`] what an engine says to a GUI; both can be read and
//! written, so that either end of the line can be built with them. [`serve`] is Herald at the engine's end.

mod announcement;
mod board;
mod clock;
mod command;
mod dialect;
mod feature;
mod markers;
mod message;
mod notation;
mod option;
mod output;
mod session;
mod state;
#[cfg(test)]
mod tests;
mod thinking;
mod variants;
mod work;

pub use command::{Command, CommandError, EditLine, Place, RootMoves, TimeSession};
pub use dialect::Dialect;
pub use feature::{Feature, Switch};
pub use message::{Audience, Message, Status};
pub use notation::GameResult;
pub use option::{OptionDefinition, OptionKind};
pub use session::serve;
pub use thinking::{Bound, ThinkingLine};
