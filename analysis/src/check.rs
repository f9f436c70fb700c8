//! What is wrong with the records of a file.

use game::epd::{Fault, Severity};
use messages::epd::{Content, Line, RecordReader};
use serde::Serialize;

use crate::stream::{Done, Verb, tell};

/// Tells all faults. Blank lines and those that begin with `#` are passed over.
#[derive(Clone, Debug)]
pub struct Check {
    /// The name of the file.
    pub name: String,
    /// How records are read.
    pub reader: RecordReader,
    /// Faults that are less severe are counted, but not told.
    pub level: Severity,
    /// How faults are told.
    pub format: Format,
}

/// How faults are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `file:line:column: severity: message [rule]`
    Text,
    /// An object on each line.
    Json,
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

impl Check {
    fn tell(&self, fault: &Fault, output: &mut Vec<u8>) {
        if fault.severity < self.level {
            return;
        }
        match self.format {
            Format::Text => tell(&self.name, fault, output),
            Format::Json => {
                let fault = JsonFault {
                    file: &self.name,
                    line: fault.line,
                    column: fault.column,
                    severity: fault.severity.to_string(),
                    rule: fault.rule.label(),
                    opcode: fault.opcode.as_deref(),
                    message: &fault.message,
                };
                // Neither writing to memory nor these types can fail.
                let _ = serde_json::to_writer(&mut *output, &fault);
                output.push(b'\n');
            }
        }
    }
}

impl Verb for Check {
    fn line(&self, line: &Line<'_>, done: &mut Done) {
        if line.content() != Content::Record {
            return;
        }
        let reading = self.reader.read(&line.text, line.number);
        done.tally.count(&reading.faults);
        reading.faults.iter().for_each(|fault| self.tell(fault, &mut done.output));
    }

    fn passed_over(&self, fault: &Fault, done: &mut Done) {
        done.tally.count(std::slice::from_ref(fault));
        self.tell(fault, &mut done.output);
    }
}
