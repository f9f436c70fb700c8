//! CECP, the Chess Engine Communication Protocol of XBoard and WinBoard.
//!
//! A GUI sends a [`Command`], an engine a [`Message`]. Both can be parsed and written, for use at either end.

mod board;
mod command;
mod feature;
mod mate_form;
mod message;
mod notation;
mod option;
mod state;
mod thinking;
pub mod variants;

pub use board::{CecpBoard, PositionRefusal};
pub use command::{Command, CommandError, EditLine, Place, RootMoves, TimeSession};
pub use feature::{Feature, Switch};
pub use mate_form::MateForm;
pub use message::{Audience, Message, Status};
pub use notation::{NULL_MOVE, PREPARING_MOVE, centiseconds, first_word, illegality, move_text};
pub use option::{OptionDefinition, OptionPurpose};
/// Result of a game. `*` is not in the specification, but XBoard sends it when it closes.
pub use shakmaty::Outcome as GameResult;
pub use state::{EngineMode, Occupation, SessionState, StateChange};
pub use thinking::ThinkingLine;
