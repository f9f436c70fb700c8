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
}

impl LineHandler for Select {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        if line.content() != Content::Record {
            return Ok(());
        }
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
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.counts.failed += 1;
        result.report(fault);
    }

    fn piece(&mut self, _: &[u8], _: &mut JobResult) {}
}
