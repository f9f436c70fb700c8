//! Canonical form of records (EPD specification, 7.1: "pfdn").

use game::epd::Severity;
use messages::epd::{Content, RecordReader, TextLine};

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
