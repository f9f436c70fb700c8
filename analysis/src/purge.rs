//! An operation taken out of all records (EPD specification, 7.4: "pfop").

use game::epd::{Escapes, Fault, Lexer};
use messages::epd::{Content, Line};

use crate::stream::{Done, Verb, tell};

/// Takes an operation out of each record that has it. All the rest stays as it is, to the byte.
#[derive(Clone, Debug)]
pub struct Purge {
    name: String,
    opcode: String,
}

/// A text is no opcode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no opcode; expected a letter, then up to 14 letters, digits or underscores")]
pub struct InvalidOpcode(String);

impl Purge {
    /// Takes that opcode out of the file of that name.
    ///
    /// # Errors
    /// The opcode is none.
    pub fn new(name: String, opcode: &str) -> Result<Purge, InvalidOpcode> {
        let of_opcode = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = opcode.starts_with(|c: char| c.is_ascii_alphabetic());
        if !begins || opcode.len() > 15 || !opcode.chars().all(of_opcode) {
            return Err(InvalidOpcode(game::excerpt(opcode)));
        }
        Ok(Purge { name, opcode: opcode.to_owned() })
    }

    /// Copies a record without the operation and what stands between it and the one before.
    fn copy(&self, line: &Line<'_>, done: &mut Done) {
        let mut lexer = Lexer::new(&line.text, line.number, Escapes::None);
        let mut kept_to = 0;
        if lexer.fields().is_some() {
            lexer.counters();
            let mut end = lexer.position();
            while let Some(opcode) = lexer.opcode() {
                while lexer.operand().is_some() {}
                if opcode.text == self.opcode {
                    line.copy(&line.text[kept_to..end], &mut done.output);
                    kept_to = lexer.position();
                }
                end = lexer.position();
            }
        }
        line.copy(&line.text[kept_to..], &mut done.output);
    }
}

impl Verb for Purge {
    fn line(&self, line: &Line<'_>, done: &mut Done) {
        if line.content() == Content::Record {
            done.tally.records += 1;
            self.copy(line, done);
        } else {
            line.copy(&line.text, &mut done.output);
        }
        done.output.extend_from_slice(line.end.as_bytes());
    }

    fn passed_over(&self, fault: &Fault, done: &mut Done) {
        done.tally.count(std::slice::from_ref(fault));
        tell(&self.name, fault, &mut done.messages);
    }
}
