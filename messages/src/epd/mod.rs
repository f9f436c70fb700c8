//! EPD, the Extended Position Description: positions with what is known about them, one record a line (Edwards, 1995).
//!
//! A [`Record`] has a [`Position`] and [`Operation`]s with typed operands. A [`RecordReader`] makes it from a line, strictly
//! or leniently, and tells each [`Fault`] with its place and [`Rule`]; writing it again is canonical (the specification's
//! "pfdn", 7.1). [`Blocks`] take files of any size apart into lines.
//!
//! How records look as text is known to [`game::epd`], which books and openings share.

mod blocks;
mod board;
mod moves;
mod operands;
mod operation;
mod position;
mod record;
mod rules;
#[cfg(test)]
mod tests;
mod values;

pub use blocks::{Blocks, Content, FileBlock, LONGEST_READ, TextLine, lines};
pub use game::epd::{Escapes, Fault, Rule, Severity};
pub use moves::EpdMove;
pub use operation::{AnyOperand, Contact, Operation, Text};
pub use position::{Castling, EpdPosition, EpdPosition as Position};
pub use record::{MoveReading, Reading, Record, RecordReader, Strictness};
pub use values::{
    ClockTime, EpdEvaluation, EpdEvaluation as Evaluation, RefereeCommand, RefereeRequest, Register,
};
