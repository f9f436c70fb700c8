//! EPD, the Extended Position Description: annotated positions, one record per line (Edwards, 1995).
//!
//! A [`Record`] has a [`Position`] and [`Operation`]s with typed operands. [`RecordReader`] reads it from a line,
//! strictly or leniently, and reports each [`Fault`] with its column and [`Rule`]. Written records are in canonical
//! form (the specification's "pfdn", 7.1). [`Blocks`] splits files of any size into lines.
//!
//! The lexer is in [`game::epd`], because books and openings use it too.

mod blocks;
mod board;
mod moves;
mod operands;
mod operation;
mod position;
mod record;
mod repair;
mod rules;
#[cfg(test)]
mod tests;
mod values;

pub use blocks::{BYTE_ORDER_MARK, Blocks, Content, FileBlock, LONGEST_READ, TextLine, lines};
pub use game::epd::{Escapes, Fault, Repair, Rule, Severity};
pub use moves::EpdMove;
pub(crate) use moves::cleaned;
pub use operation::{AnyOperand, Contact, Operation, Text};
pub use position::{Castling, EpdPosition, EpdPosition as Position};
pub use record::{MoveReading, Reading, Record, RecordReader, Strictness, doubtful_end};
pub use repair::{PieceLetters, RepairSet};
pub use values::{
    ClockTime, EpdEvaluation, EpdEvaluation as Evaluation, RefereeCommand, RefereeRequest, Register,
};
