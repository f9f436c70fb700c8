//! The verb that selects records.

use game::epd::Fault;
use messages::epd::{Content, RecordReader, TextLine};

use crate::expressions::{Filter, Subject};
use crate::process::{Interrupted, JobResult, LineHandler};

/// Copies the records for which a condition holds, byte for byte. Blank lines and comments are left out. Records that can't be read
/// are reported and left out.
#[derive(Clone, Debug)]
pub struct Select {
    /// The condition; `None` for all records that can be read.
    pub filter: Option<Filter>,
    /// How records are parsed.
    pub reader: RecordReader,
    /// Number of the line that follows the last record if it was selected and ends with LF: perhaps it is odd bytes of that end.
    odd: Option<u64>,
}

impl Select {
    /// Creates the verb.
    pub fn new(filter: Option<Filter>, reader: RecordReader) -> Select {
        Select { filter, reader, odd: None }
    }

    /// Keeps NUL or CR behind the LF of a selected record, where line ends are kept.
    fn keep_odd(&mut self, line: &TextLine<'_>, result: &mut JobResult) {
        let is_odd = self.odd.take() == Some(line.number) && line.text.is_empty();
        if is_odd && result.end_of(line) == line.end {
            let length = match line.end {
                "\r" => 1,
                end => end.bytes().take_while(|byte| *byte == 0).count(),
            };
            result.output.extend_from_slice(&line.end.as_bytes()[..length]);
        }
    }
}

impl LineHandler for Select {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        if line.content() != Content::Record {
            self.keep_odd(line, result);
            return Ok(());
        }
        self.odd = None;
        let reader = self.filter.as_ref().map_or(self.reader, |filter| filter.reader(self.reader));
        let reading = reader.read(&line.text, line.number);
        result.counts.records += 1;
        let Some(record) = reading.record else {
            result.counts.failed += 1;
            result.report_errors(&reading.faults);
            return Ok(());
        };
        let subject = Subject::new(&record, &reading.faults, &result.file, line.number);
        if self.filter.as_ref().is_none_or(|filter| filter.holds(&subject)) {
            result.counts.found += 1;
            result.keep(line);
            self.odd = line.end.ends_with('\n').then_some(line.number + 1);
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.counts.failed += 1;
        let message = "the line is too long to be read and is left out".to_owned();
        result.report(&Fault { message, ..fault.clone() });
    }

    fn piece(&mut self, _: &[u8], _: &mut JobResult) {}
}
