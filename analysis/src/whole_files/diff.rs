//! The difference of two files, by position.

use std::collections::{BTreeMap, HashMap};
use std::io;

use messages::epd::{MoveReading, RecordReader, TextLine};

use super::{RecordVerb, position_key, written_operations};
use crate::expressions::Subject;
use crate::process::JobResult;
use crate::selection::Unmatched;

/// Compares the records of two files by their positions: which are only in one of them, and which operations differ. The order of
/// records and of operations does not matter, nor does white space. Of several records of one position those that are equal belong
/// together, the others in their order.
///
/// The records of the first file are kept in memory, and those of the second that are in no way equal. In `counts`, `found` are equal records, `missed` differ, `undecided` are only
/// in one of the files.
#[derive(Debug, Default)]
pub struct DiffFiles {
    /// Opcodes that are not compared.
    pub ignored: Vec<String>,
    /// How records are parsed.
    pub reader: RecordReader,
    /// Number of the present file.
    file: u32,
    /// Records of the first file that have no partner yet.
    rows: Vec<Option<ComparedRecord>>,
    /// Their places by position.
    places: HashMap<String, Vec<usize>>,
    /// Records of the second file without an equal one, by their positions.
    others: Vec<(String, ComparedRecord)>,
}

#[derive(Debug)]
struct ComparedRecord {
    text: String,
    operations: BTreeMap<String, String>,
}

impl DiffFiles {
    /// Creates the verb, for exactly two files.
    pub fn new(ignored: Vec<String>, reader: RecordReader) -> DiffFiles {
        DiffFiles { ignored, reader, ..DiffFiles::default() }
    }

    fn operations(&self, subject: &Subject<'_>) -> BTreeMap<String, String> {
        let operations = written_operations(subject).into_iter();
        operations.filter(|(opcode, _)| !self.ignored.contains(opcode)).collect()
    }
}

/// Writes what differs in the operations of a record; nothing if they are equal.
fn compare(here: &BTreeMap<String, String>, there: &BTreeMap<String, String>) -> String {
    let opcodes = here.keys().chain(there.keys().filter(|opcode| !here.contains_key(*opcode)));
    let mut opcodes: Vec<&String> = opcodes.collect();
    opcodes.sort();
    let mut differences = String::new();
    for opcode in opcodes {
        let (one, other) = (here.get(opcode), there.get(opcode));
        if one != other {
            let line = |sign: char, text: &String| format!("  {sign} {text}\n");
            differences.extend(one.map(|text| line('-', text)));
            differences.extend(other.map(|text| line('+', text)));
        }
    }
    differences
}

impl RecordVerb for DiffFiles {
    const OTHER_LINES: Unmatched = Unmatched::LeftOut;

    fn reader(&self) -> RecordReader {
        RecordReader { moves: MoveReading::Legal, ..self.reader }
    }

    fn begin_file(&mut self) {
        self.file += 1;
    }

    fn record(
        &mut self,
        line: &TextLine<'_>,
        subject: &Subject<'_>,
        result: &mut JobResult,
    ) -> io::Result<()> {
        let position = position_key(subject);
        let record = ComparedRecord { text: line.text.to_string(), operations: self.operations(subject) };
        let places = self.places.entry(position.clone()).or_default();
        if self.file == 1 {
            places.push(self.rows.len());
            self.rows.push(Some(record));
            return Ok(());
        }
        let is_equal = |place: &usize| {
            self.rows[*place].as_ref().is_some_and(|here| here.operations == record.operations)
        };
        match places.iter().position(is_equal) {
            Some(at) => {
                self.rows[places.remove(at)] = None;
                result.counts.found += 1;
            }
            None => self.others.push((position, record)),
        }
        Ok(())
    }

    fn finish(&mut self, result: &mut JobResult) -> io::Result<bool> {
        for (position, there) in std::mem::take(&mut self.others) {
            let places = self.places.get_mut(&position).filter(|places| !places.is_empty());
            let here = places.and_then(|places| self.rows[places.remove(0)].take());
            let told = if let Some(here) = here {
                result.counts.missed += 1;
                let name = there.operations.get("id").map_or_else(String::new, |id| format!(" {id}"));
                format!("= {position}{name}\n{}", compare(&here.operations, &there.operations))
            } else {
                result.counts.undecided += 1;
                format!("+ {}\n", there.text)
            };
            result.output.extend_from_slice(told.as_bytes());
        }
        for here in self.rows.drain(..).flatten() {
            result.counts.undecided += 1;
            result.output.extend_from_slice(format!("- {}\n", here.text).as_bytes());
        }
        Ok(false)
    }
}
