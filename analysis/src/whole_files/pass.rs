//! A pass over the records of files.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use messages::epd::{Blocks, Content, FileBlock, MoveReading, RecordReader, TextLine};

use super::ends::{WholeEnds, lines_with_ends, refusal};
use crate::expressions::{Filter, Subject};
use crate::process::{JobResult, LineEnds, ProcessError};
use crate::selection::Unmatched;

/// A verb that looks at the records of whole files.
pub trait RecordVerb {
    /// What becomes of blank lines, comments, records that can't be read, and records for which the condition does not hold.
    const OTHER_LINES: Unmatched;
    /// Whether records are written behind the other lines of all files, so that no output is needed before the end of the input.
    const WRITES_LAST: bool = false;

    /// How records must be read.
    fn reader(&self) -> RecordReader;

    /// Takes note that the records of another file follow.
    fn begin_file(&mut self) {}

    /// Takes a record.
    ///
    /// # Errors
    /// An output can't be written.
    fn record(
        &mut self,
        line: &TextLine<'_>,
        subject: &Subject<'_>,
        result: &mut JobResult,
    ) -> io::Result<()>;

    /// Writes the next part of what could not be written before. Returns false after the last part.
    ///
    /// # Errors
    /// An output can't be written.
    fn finish(&mut self, result: &mut JobResult) -> io::Result<bool>;

    /// Number of files that the verb has written itself; `None` for a verb with one output.
    fn files(&self) -> Option<usize> {
        None
    }
}

/// A pass over the records of files.
#[derive(Clone, Debug)]
pub struct RecordPass {
    /// Condition of the records that the verb gets; `None` for all.
    pub filter: Option<Filter>,
    /// Line ends of the output.
    pub line_ends: LineEnds,
    /// Flag that ends the work when set.
    pub interrupt: Arc<AtomicBool>,
}

impl RecordPass {
    /// Gives a verb the records of a file. `take` receives the results in the order of the lines; each begins a line. In
    /// `counts`, `records` are those of the file, `failed` those that can't be read, `skipped` those that the condition leaves out.
    ///
    /// # Errors
    /// The input can't be read or has a line that is too long ([`io::ErrorKind::InvalidData`]), an output can't be written, the work
    /// was interrupted, or `take` failed.
    pub fn feed<V: RecordVerb>(
        &self,
        verb: &mut V,
        name: &str,
        input: impl Read,
        mut take: impl FnMut(JobResult) -> io::Result<()>,
    ) -> Result<(), ProcessError> {
        let (file, reader): (Arc<str>, _) = (name.into(), self.reader(verb.reader()));
        verb.begin_file();
        let mut usual_end = None;
        for block in WholeEnds::new(Blocks::of_size(input, 64 << 10)) {
            let block = block.map_err(ProcessError::Read)?;
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(ProcessError::Interrupted);
            }
            let mut result = JobResult::new(Arc::clone(&file), self.line_ends);
            let FileBlock::Lines { bytes, .. } = &block else {
                return Err(ProcessError::Read(unmovable(&block)));
            };
            result.length = bytes.len() as u64;
            let first_end = || lines_with_ends(&block).next().map_or("", |line| line.end).into();
            result.usual_end = Arc::clone(usual_end.get_or_insert_with(first_end));
            let mut lines = lines_with_ends(&block);
            let done = lines.try_for_each(|line| self.line(verb, reader, &line, &mut result));
            done.and_then(|()| take(result)).map_err(ProcessError::Write)?;
        }
        Ok(())
    }

    /// Lets a verb write what it could not write before.
    ///
    /// # Errors
    /// An output can't be written, the work was interrupted, or `take` failed.
    pub fn finish<V: RecordVerb>(
        &self,
        verb: &mut V,
        mut take: impl FnMut(JobResult) -> io::Result<()>,
    ) -> Result<(), ProcessError> {
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(ProcessError::Interrupted);
            }
            let mut result = JobResult::new("".into(), self.line_ends);
            let goes_on = verb.finish(&mut result).map_err(ProcessError::Write)?;
            take(result).map_err(ProcessError::Write)?;
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// How records are read for the verb and the condition.
    fn reader(&self, reader: RecordReader) -> RecordReader {
        let filters = self.filter.as_ref().map(|filter| filter.reader(reader));
        filters.filter(|filters| filters.moves == MoveReading::Legal).unwrap_or(reader)
    }

    fn line<V: RecordVerb>(
        &self,
        verb: &mut V,
        reader: RecordReader,
        line: &TextLine<'_>,
        result: &mut JobResult,
    ) -> io::Result<()> {
        let is_record = line.content() == Content::Record;
        let reading = is_record.then(|| reader.read(&line.text, line.number));
        result.counts.records += u64::from(is_record);
        if let Some(reading) = &reading {
            if let Some(record) = &reading.record {
                let file = Arc::clone(&result.file);
                let subject = Subject::new(record, &reading.faults, &file, line.number);
                if self.filter.as_ref().is_none_or(|filter| filter.holds(&subject)) {
                    return verb.record(line, &subject, result);
                }
                result.counts.skipped += 1;
            } else {
                result.counts.failed += 1;
                result.report_errors(&reading.faults);
            }
        }
        if V::OTHER_LINES == Unmatched::Kept {
            if V::WRITES_LAST {
                result.keep_between(line);
            } else {
                result.keep(line);
            }
        }
        Ok(())
    }
}

/// The error of a line that is too long to be a record that moves.
fn unmovable(block: &FileBlock) -> io::Error {
    let line = match block {
        FileBlock::TooLong { line, .. } | FileBlock::Lines { first: line, .. } => *line,
    };
    io::Error::new(io::ErrorKind::InvalidData, refusal(line))
}
