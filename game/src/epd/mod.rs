//! EPD records as text (Edwards, "Extended Position Description", 1995; sections 4 and 5): fields, opcodes and operands, found
//! and written. What the opcodes mean is known to `messages::epd`.
//!
//! This layer lies here because books and openings are read and written here, and nothing here may know a protocol.

mod fault;
mod lexer;
mod write;

pub use fault::{Fault, Findings, Rule, Severity};
pub use lexer::{Escapes, Lexer, Operand, Word, position_part};
pub use write::{LONGEST_STRING, fields, operand_text, quoted, record};

/// The longest line that every program has to read, in characters, without its end (EPD specification, 4).
pub const LONGEST_LINE: usize = 4095;
