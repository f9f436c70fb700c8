//! The verb that draws records at random.

use std::io;

use fastrand::Rng;
use messages::epd::{MoveReading, RecordReader, TextLine};

use super::RecordVerb;
use crate::expressions::Subject;
use crate::process::JobResult;
use crate::selection::Unmatched;

/// Draws a number of records, each with the same probability (Vitter's algorithm R), and writes them in their order. Only the sample
/// is kept in memory.
#[derive(Debug)]
pub struct SampleRecords {
    count: usize,
    random: Rng,
    reader: RecordReader,
    seen: u64,
    /// Numbers of the records that are drawn so far, and their lines.
    drawn: Vec<(u64, Vec<u8>)>,
}

impl SampleRecords {
    /// Creates the verb. The same seed draws the same records of the same files.
    pub fn new(count: usize, seed: u64, reader: RecordReader) -> SampleRecords {
        SampleRecords { count, random: Rng::with_seed(seed), reader, seen: 0, drawn: Vec::new() }
    }
}

impl RecordVerb for SampleRecords {
    const OTHER_LINES: Unmatched = Unmatched::LeftOut;

    fn reader(&self) -> RecordReader {
        RecordReader { moves: MoveReading::Syntax, ..self.reader }
    }

    fn record(&mut self, line: &TextLine<'_>, _: &Subject<'_>, result: &mut JobResult) -> io::Result<()> {
        let number = self.seen;
        self.seen += 1;
        if self.drawn.len() < self.count {
            self.drawn.push((number, result.whole_line(line)));
        } else if let Some(place) = self.drawn.get_mut(self.random.u64(..=number) as usize) {
            *place = (number, result.whole_line(line));
        }
        Ok(())
    }

    fn finish(&mut self, result: &mut JobResult) -> io::Result<bool> {
        self.drawn.sort_unstable_by_key(|(number, _)| *number);
        result.counts.found += self.drawn.len() as u64;
        for (_, mut bytes) in self.drawn.drain(..) {
            result.output.append(&mut bytes);
        }
        Ok(false)
    }
}
