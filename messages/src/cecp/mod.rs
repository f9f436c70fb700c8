//! CECP, the Chess Engine Communication Protocol of XBoard and WinBoard.
//!
//! [`Command`] goes from a GUI to an engine, [`Message`] from an engine to a GUI; both can be read and
//! written, so that either end of the line can be built with them.

mod command;
mod feature;
mod message;
mod notation;
mod option;
mod thinking;

pub use command::{Command, CommandError, EditLine, Place, RootMoves, TimeSession};
pub use feature::{Feature, Switch};
pub use message::{Audience, Message, Status};
pub use notation::first_word;
pub use option::{OptionDefinition, OptionPurpose};
/// How a game ended. `*` is not in the specification, but XBoard sends it when it closes.
pub use shakmaty::Outcome as GameResult;
pub use thinking::ThinkingLine;
