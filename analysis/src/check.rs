//! Reports of faulty records.

use game::epd::{Fault, Severity};
use messages::epd::{Content, RecordReader, TextLine};
use serde::Serialize;

use crate::process::{Interrupted, JobResult, LineHandler};

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
