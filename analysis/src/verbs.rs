//! The quick verbs: canonical form (EPD specification, 7.1: "pfdn"), check, and purge of an operation.

use game::epd::{Escapes, Fault, Lexer, Severity, is_opcode};
use messages::epd::{Content, RecordReader, TextLine};
use serde::Serialize;

use crate::process::{Interrupted, JobResult, LineHandler};

/// Writes each record in canonical form. A record with errors is reported and kept unchanged. Blank lines are removed, comments
/// (lines that begin with `#`) are kept.
#[derive(Clone, Debug)]
pub struct Normalize {
    /// How records are parsed.
    pub reader: RecordReader,
}

impl LineHandler for Normalize {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        match line.content() {
            Content::Blank => {}
            Content::Comment => result.keep(line),
            Content::Record => self.record(line, result),
        }
        Ok(())
    }
}

impl Normalize {
    fn record(&self, line: &TextLine<'_>, result: &mut JobResult) {
        let reading = self.reader.read(&line.text, line.number);
        result.counts.add_record(&reading.faults);
        result.report_errors(&reading.faults);
        let is_right = reading.faults.iter().all(|fault| fault.severity < Severity::Error);
        match reading.record.filter(|_| is_right) {
            None => result.keep(line),
            Some(record) => {
                let mut text = String::with_capacity(line.text.len() + 16);
                record.write(&mut text);
                text.push('\n');
                result.output.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// Reports all faults of records. Blank lines and comments (lines that begin with `#`) are skipped.
#[derive(Clone, Debug)]
pub struct CheckRecords {
    /// How records are parsed.
    pub reader: RecordReader,
    /// Least severity to report. Other faults are only counted.
    pub level: Severity,
    /// Whether faults are written as JSON objects instead of `file:line:column: severity: message [rule]`.
    pub json: bool,
}

/// A fault as JSON.
#[derive(Serialize)]
struct JsonFault<'a> {
    file: &'a str,
    line: u64,
    column: usize,
    severity: String,
    rule: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    opcode: Option<&'a str>,
    message: &'a str,
}

impl CheckRecords {
    fn report(&self, fault: &Fault, result: &mut JobResult) {
        if fault.severity < self.level {
            return;
        }
        let line = if self.json {
            let fault = JsonFault {
                file: &result.file,
                line: fault.line,
                column: fault.column,
                severity: fault.severity.to_string(),
                rule: fault.rule.label(),
                opcode: fault.opcode.as_deref(),
                message: &fault.message,
            };
            // Serializing these types doesn't fail.
            serde_json::to_string(&fault).unwrap_or_default() + "\n"
        } else {
            result.located(fault)
        };
        result.output.extend_from_slice(line.as_bytes());
    }
}

impl LineHandler for CheckRecords {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        if line.content() == Content::Record {
            let reading = self.reader.read(&line.text, line.number);
            result.counts.add_record(&reading.faults);
            reading.faults.iter().for_each(|fault| self.report(fault, result));
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        self.report(fault, result);
    }
}

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
