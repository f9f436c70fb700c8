//! The referee protocol of EPD (Edwards, "Extended Position Description", 1995; section 8): a tournament's referee and the
//! programs that play in it exchange records, one a line.
//!
//! A [`Directive`] goes from the referee to a client, a [`ClientRecord`] the other way. A [`Conversation`] is what a client
//! knows of its game, a [`Link`] its end of a connection. Where the specification is silent, docs/REFEREE.md tells what is
//! done here; what it doesn't have (exact clocks, secrets, epochs) goes by private opcodes, to those who ask for it.

mod conversation;
mod directive;
mod link;
mod reading;
mod request;
#[cfg(test)]
mod tests;

pub use conversation::{Breach, Conversation, Task, answer_with};
pub use directive::{Counters, Directive, ExactClock, Moves};
pub use link::{Habits, Heard, Link, Parting};
pub use reading::MessageError;
pub use request::{Analysis, Answer, ClientRecord, Remark, Reply, Request, Secret, SignOn, without_secret};
