//! Removal of an operation from all records (EPD specification, 7.4: "pfop").

use game::epd::{Escapes, Lexer, is_opcode};
use messages::epd::{Content, TextLine};

use crate::process::{Interrupted, JobResult, LineHandler};

/// Removes an operation from each record. All other bytes are kept.
#[derive(Clone, Debug)]
pub struct Purge {
    opcode: String,
}

/// Error: a text is not an opcode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an opcode; expected a letter, then up to 14 letters, digits or underscores")]
pub struct InvalidOpcode(String);

impl Purge {
    /// Creates the verb that removes `opcode`.
    ///
    /// # Errors
    /// `opcode` is not an opcode.
    pub fn new(opcode: &str) -> Result<Purge, InvalidOpcode> {
        let purge = is_opcode(opcode).then(|| Purge { opcode: opcode.to_owned() });
        purge.ok_or_else(|| InvalidOpcode(game::excerpt(opcode)))
    }

    /// Copies a record without the operation and the separator before it.
    fn copy(&self, line: &TextLine<'_>, result: &mut JobResult) {
        let mut lexer = Lexer::new(&line.text, line.number, Escapes::None);
        let mut kept_to = 0;
        if lexer.fields().is_some() {
            lexer.counters();
            let mut end = lexer.position();
            while let Some(opcode) = lexer.opcode() {
                while lexer.operand().is_some() {}
                if opcode.text == self.opcode {
                    line.copy(&line.text[kept_to..end], &mut result.output);
                    kept_to = lexer.position();
                }
                end = lexer.position();
            }
        }
        line.copy(&line.text[kept_to..], &mut result.output);
    }
}

impl LineHandler for Purge {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        if line.content() == Content::Record {
            result.counts.records += 1;
            self.copy(line, result);
        } else {
            line.copy(&line.text, &mut result.output);
        }
        result.output.extend_from_slice(line.end.as_bytes());
        Ok(())
    }
}
