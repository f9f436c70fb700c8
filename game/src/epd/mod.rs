//! EPD records as text (Edwards, "Extended Position Description", 1995; sections 4 and 5): fields, opcodes and operands, read
//! and written. The meaning of opcodes is defined in `messages::epd`.
//!
//! This layer is part of this crate because opening books, openings and match records use EPD without depending on a protocol.

mod fault;
mod lexer;
mod write;

pub use fault::{Fault, Findings, Repair, Rule, Severity};
pub use lexer::{Escapes, Lexer, Operand, Word, is_identifier, is_opcode, position_part};
pub use write::{LONGEST_STRING, fields, operand_text, quoted, record};

/// Maximum length of a line in characters, without its line end (EPD specification, 4).
pub const LONGEST_LINE: usize = 4095;
