//! A file with those records only for which a condition holds, for readers of whole files.

use std::io::{self, Read};

use messages::epd::{Blocks, Content, FileBlock, RecordReader};

use crate::expressions::{Filter, with_subject};

/// Reads a file without the records for which a condition does not hold. All other lines are there, also those that can't be read.
pub struct SelectedRecords<R> {
    blocks: Blocks<R>,
    name: String,
    filter: Filter,
    reader: RecordReader,
    /// Bytes that are read next, and the number of those that have been read.
    bytes: Vec<u8>,
    taken: usize,
}

impl<R: Read> SelectedRecords<R> {
    /// Selects records of a file with this name. `reader`: how they are parsed.
    pub fn new(input: R, name: &str, filter: Filter, reader: RecordReader) -> SelectedRecords<R> {
        let reader = filter.reader(reader);
        let (blocks, name) = (Blocks::new(input), name.to_owned());
        SelectedRecords { blocks, name, filter, reader, bytes: Vec::new(), taken: 0 }
    }

    /// Takes the bytes of the next block. Returns false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let Some(block) = self.blocks.next().transpose()? else { return Ok(false) };
        self.bytes.clear();
        self.taken = 0;
        if let FileBlock::TooLong { bytes, .. } = &block {
            self.bytes.extend_from_slice(bytes);
        }
        for line in block.lines() {
            let place = (&*self.name, line.number);
            let is_record = line.content() == Content::Record;
            let holds = || with_subject(self.reader, &line.text, place, |subject| self.filter.holds(subject));
            if !is_record || holds() != Some(false) {
                line.copy(&line.text, &mut self.bytes);
                self.bytes.extend_from_slice(line.end.as_bytes());
            }
        }
        Ok(true)
    }
}

impl<R: Read> Read for SelectedRecords<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.bytes.len() {
            if !self.advance()? {
                return Ok(0);
            }
        }
        let rest = &self.bytes[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}
