//! What is wrong with the records of a file.

use game::epd::{Fault, Severity};
use messages::epd::{Content, RecordReader, TextLine};
use serde::Serialize;

use crate::process::{Interrupted, JobResult, LineHandler};

/// Tells all faults. Blank lines and those that begin with `#` are passed over.
#[derive(Clone, Debug)]
pub struct CheckRecords {
    /// How records are read.
    pub reader: RecordReader,
    /// Faults that are less severe are counted, but not told.
    pub level: Severity,
    /// Whether a fault is told as an object of JSON, and not as `file:line:column: severity: message [rule]`.
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
    fn tell(&self, fault: &Fault, result: &mut JobResult) {
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
            // These types can't fail.
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
            reading.faults.iter().for_each(|fault| self.tell(fault, result));
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        self.tell(fault, result);
    }
}
