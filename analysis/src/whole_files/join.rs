//! The verb that merges the records of one position from several files.

use std::collections::{BTreeMap, HashMap};
use std::io;

use messages::epd::{Escapes, MoveReading, RecordReader, TextLine};
use serde::Deserialize;

use super::{RecordVerb, position_key, written_operations};
use crate::expressions::Subject;
use crate::process::JobResult;
use crate::selection::{Changes, Unmatched, spliced};

/// Number of records that are written at a time.
const PART: usize = 1000;

/// Which record wins where two have one operation with different operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precedence {
    /// The one that comes first.
    #[default]
    First,
    /// The one that comes last.
    Last,
}

/// Merges the records of one position from several files: the first one stays where it is and gets the operations that the others
/// have. Where they differ, one wins and the other is reported. Several records of one position in a file are no copies: the second
/// is merged with the second of other files, and so on.
///
/// All records are kept in memory until the end.
#[derive(Debug, Default)]
pub struct JoinFiles {
    precedence: Precedence,
    reader: RecordReader,
    rows: Vec<JoinedRecord>,
    /// Index of the record of a position, the how-manieth of its file.
    places: HashMap<(String, u32), usize>,
    /// How many records of a position the present file had.
    occurrences: HashMap<String, u32>,
    written: usize,
}

#[derive(Debug)]
struct JoinedRecord {
    /// Text of the first record.
    text: String,
    is_latin_1: bool,
    end: String,
    operations: HashMap<String, JoinedOperation>,
    changes: Changes,
}

#[derive(Debug)]
struct JoinedOperation {
    text: String,
    /// File and line.
    origin: String,
}

/// The operations of an analysis.
const ANALYSIS: [&str; 10] = ["Analyzer", "Dm", "Target", "acd", "acn", "acs", "ce", "dm", "pm", "pv"];

impl JoinFiles {
    /// Creates the verb.
    pub fn new(precedence: Precedence, reader: RecordReader) -> JoinFiles {
        JoinFiles { precedence, reader, ..JoinFiles::default() }
    }

    /// An analysis is one whole, with its author: of two that differ the record that gives way loses all of its own. One that has
    /// all of the other and more does not differ from it.
    fn merge_analysis(
        &mut self,
        place: usize,
        operations: &mut Vec<(String, String)>,
        origin: &str,
        result: &mut JobResult,
    ) {
        let row = &mut self.rows[place];
        let is_analysis = |opcode: &str| ANALYSIS.contains(&opcode);
        let own: BTreeMap<&String, &String> = operations
            .iter()
            .filter(|(opcode, _)| is_analysis(opcode))
            .map(|(opcode, text)| (opcode, text))
            .collect();
        let known: BTreeMap<&String, &String> = row
            .operations
            .iter()
            .filter(|(opcode, _)| is_analysis(opcode))
            .map(|(opcode, joined)| (opcode, &joined.text))
            .collect();
        let Some(before) = known.keys().next().map(|opcode| row.operations[*opcode].origin.clone()) else {
            return;
        };
        let has_all = |more: &BTreeMap<&String, &String>, less: &BTreeMap<&String, &String>| {
            less.iter().all(|(opcode, text)| more.get(opcode) == Some(text))
        };
        if has_all(&own, &known) || has_all(&known, &own) {
            return;
        }
        let (kept, dropped, lost) = match self.precedence {
            Precedence::First => (before.as_str(), origin, &own),
            Precedence::Last => (origin, before.as_str(), &known),
        };
        result.counts.missed += lost.len() as u64;
        let lost = lost.keys().map(|opcode| opcode.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!("{dropped}: note: its analysis ({lost}) gives way to that of {kept}\n");
        result.messages.extend_from_slice(message.as_bytes());
        match self.precedence {
            Precedence::First => operations.retain(|(opcode, _)| !is_analysis(opcode)),
            Precedence::Last => {
                for opcode in known.into_keys().cloned().collect::<Vec<_>>() {
                    row.operations.remove(&opcode);
                    row.changes.insert(opcode, None);
                }
            }
        }
    }

    /// Merges a record into the one at `place`.
    fn merge(&mut self, place: usize, subject: &Subject<'_>, result: &mut JobResult) {
        let origin = format!("{}:{}", subject.file, subject.line);
        let mut operations = written_operations(subject);
        self.merge_analysis(place, &mut operations, &origin, result);
        let row = &mut self.rows[place];
        for (opcode, text) in operations {
            let Some(known) = row.operations.get_mut(&opcode) else {
                row.changes.insert(opcode.clone(), Some(text.clone()));
                row.operations.insert(opcode, JoinedOperation { text, origin: origin.clone() });
                continue;
            };
            if known.text == text {
                continue;
            }
            result.counts.missed += 1;
            let (kept, dropped) = match self.precedence {
                Precedence::First => (&*known, (&text, &origin)),
                Precedence::Last => {
                    row.changes.insert(opcode.clone(), Some(text.clone()));
                    let before = std::mem::replace(known, JoinedOperation { text, origin: origin.clone() });
                    let message = conflict(known, &before.text, &before.origin);
                    result.messages.extend_from_slice(message.as_bytes());
                    continue;
                }
            };
            let message = conflict(kept, dropped.0, dropped.1);
            result.messages.extend_from_slice(message.as_bytes());
        }
    }
}

fn conflict(kept: &JoinedOperation, dropped: &str, origin: &str) -> String {
    let (kept, from) = (game::excerpt(&kept.text), &kept.origin);
    format!("{origin}: note: `{}` gives way to `{kept}` of {from}\n", game::excerpt(dropped))
}

impl RecordVerb for JoinFiles {
    const OTHER_LINES: Unmatched = Unmatched::Kept;
    const WRITES_LAST: bool = true;

    fn reader(&self) -> RecordReader {
        RecordReader { moves: MoveReading::Legal, ..self.reader }
    }

    fn begin_file(&mut self) {
        self.occurrences.clear();
    }

    fn record(
        &mut self,
        line: &TextLine<'_>,
        subject: &Subject<'_>,
        result: &mut JobResult,
    ) -> io::Result<()> {
        if subject.is_malformed() {
            result.counts.failed += 1;
            result.report_errors(subject.faults);
            result.keep_between(line);
            return Ok(());
        }
        let position = position_key(subject);
        let occurrence = self.occurrences.entry(position.clone()).or_default();
        *occurrence += 1;
        let key = (position, *occurrence);
        if let Some(place) = self.places.get(&key) {
            result.counts.found += 1;
            self.merge(*place, subject, result);
            return Ok(());
        }
        let origin = format!("{}:{}", subject.file, subject.line);
        let with_origin = |(opcode, text)| (opcode, JoinedOperation { text, origin: origin.clone() });
        self.places.insert(key, self.rows.len());
        self.rows.push(JoinedRecord {
            text: line.text.trim_start_matches(messages::epd::BYTE_ORDER_MARK).to_owned(),
            is_latin_1: line.is_latin_1(),
            end: result.end_between(line).to_owned(),
            operations: written_operations(subject).into_iter().map(with_origin).collect(),
            changes: Changes::new(),
        });
        Ok(())
    }

    fn finish(&mut self, result: &mut JobResult) -> io::Result<bool> {
        let rows = &self.rows[self.written..];
        let part = &rows[..rows.len().min(PART)];
        for row in part {
            row.write(self.reader.escapes, &mut result.output);
        }
        self.written += part.len();
        Ok(self.written < self.rows.len())
    }
}

impl JoinedRecord {
    /// Writes the record with its changes.
    fn write(&self, escapes: Escapes, out: &mut Vec<u8>) {
        // The counters of a FEN that are no numbers can't be changed.
        let text = spliced(&self.text, escapes, &self.changes).unwrap_or_else(|| self.text.clone());
        if self.is_latin_1 && text.chars().all(|c| u32::from(c) < 0x100) {
            out.extend(text.chars().map(|c| c as u8));
        } else {
            out.extend_from_slice(text.as_bytes());
        }
        out.extend_from_slice(self.end.as_bytes());
    }
}
