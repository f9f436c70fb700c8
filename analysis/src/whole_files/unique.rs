//! The verb that keeps one record of each position.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io;

use messages::epd::{MoveReading, RecordReader, TextLine};

use super::{RecordVerb, position_key, written_operations};
use crate::expressions::Subject;
use crate::process::JobResult;
use crate::selection::Unmatched;

/// Keeps the first record of each position and leaves out the others. All other lines are kept.
///
/// Of each position 24 bytes are kept in memory: a key of 128 bits, which two positions share with a probability of less than
/// 10^-20 in ten million, and one of the operations.
#[derive(Debug, Default)]
pub struct UniquePositions {
    /// Whether positions with different `hmvc` or `fmvn` are different.
    pub with_counters: bool,
    /// How records are parsed.
    pub reader: RecordReader,
    hashers: [RandomState; 2],
    /// Operations of the positions so far.
    seen: HashMap<[u64; 2], u64>,
}

impl UniquePositions {
    /// Creates the verb.
    pub fn new(with_counters: bool, reader: RecordReader) -> UniquePositions {
        UniquePositions { with_counters, reader, ..UniquePositions::default() }
    }
}

impl RecordVerb for UniquePositions {
    const OTHER_LINES: Unmatched = Unmatched::Kept;

    fn reader(&self) -> RecordReader {
        RecordReader { moves: MoveReading::Legal, ..self.reader }
    }

    fn record(
        &mut self,
        line: &TextLine<'_>,
        subject: &Subject<'_>,
        result: &mut JobResult,
    ) -> io::Result<()> {
        let counters = self.with_counters.then(|| (subject.record.hmvc(), subject.record.fmvn()));
        let key = (position_key(subject), counters);
        let key = self.hashers.each_ref().map(|hasher| hasher.hash_one(&key));
        let operations = self.hashers[0].hash_one(written_operations(subject));
        let mut is_first = false;
        let known = *self.seen.entry(key).or_insert_with(|| {
            is_first = true;
            operations
        });
        if is_first {
            result.counts.found += 1;
            result.keep(line);
        } else if known != operations {
            result.counts.missed += 1;
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut JobResult) -> io::Result<bool> {
        Ok(false)
    }
}
