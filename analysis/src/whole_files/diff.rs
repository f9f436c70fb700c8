//! The difference of two files, by position.

use std::collections::{BTreeMap, HashMap};
use std::io;

use messages::epd::{MoveReading, RecordReader, TextLine};

use super::{RecordVerb, position_key, written_operations};
use crate::expressions::Subject;
use crate::process::JobResult;
use crate::selection::Unmatched;

/// Compares the records of two files by their positions: which are only in one of them, and which operations differ. The order of
/// records and of operations does not matter, nor does white space. Several records of one position are compared in their order.
///
/// The records of the first file are kept in memory. In `counts`, `found` are equal records, `missed` differ, `undecided` are only
/// in one of the files.
#[derive(Debug, Default)]
pub struct DiffFiles {
    /// Opcodes that are not compared.
    pub ignored: Vec<String>,
    /// How records are parsed.
    pub reader: RecordReader,
    /// Number of the present file.
    file: u32,
    rows: Vec<Option<ComparedRecord>>,
    places: HashMap<(String, u32), usize>,
    occurrences: HashMap<String, u32>,
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
        self.occurrences.clear();
    }

    fn record(
        &mut self,
        line: &TextLine<'_>,
        subject: &Subject<'_>,
        result: &mut JobResult,
    ) -> io::Result<()> {
        let position = position_key(subject);
        let occurrence = self.occurrences.entry(position.clone()).or_default();
        *occurrence += 1;
        let key = (position, *occurrence);
        let operations = self.operations(subject);
        if self.file == 1 {
            self.places.insert(key, self.rows.len());
            self.rows.push(Some(ComparedRecord { text: line.text.to_string(), operations }));
            return Ok(());
        }
        let here = self.places.get(&key).and_then(|place| self.rows[*place].take());
        let told = match here {
            None => {
                result.counts.undecided += 1;
                format!("+ {}\n", line.text)
            }
            Some(here) => match compare(&here.operations, &operations) {
                differences if differences.is_empty() => {
                    result.counts.found += 1;
                    return Ok(());
                }
                differences => {
                    result.counts.missed += 1;
                    let name = operations.get("id").map_or_else(String::new, |id| format!(" {id}"));
                    format!("= {}{name}\n{differences}", key.0)
                }
            },
        };
        result.output.extend_from_slice(told.as_bytes());
        Ok(())
    }

    fn finish(&mut self, result: &mut JobResult) -> io::Result<bool> {
        for here in self.rows.drain(..).flatten() {
            result.counts.undecided += 1;
            result.output.extend_from_slice(format!("- {}\n", here.text).as_bytes());
        }
        Ok(false)
    }
}
