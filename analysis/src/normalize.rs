//! Records in canonical form (EPD specification, 7.1: "pfdn").

use game::epd::{Fault, Severity};
use messages::epd::{Content, Line, RecordReader};

use crate::stream::{Done, Verb, tell};

/// Writes each record in canonical form. What can't be put right is told and stays as it is: operations that are not
/// understood, and whole records without a position. Blank lines go, those that begin with `#` stay.
#[derive(Clone, Debug)]
pub struct Normalize {
    /// The name of the file.
    pub name: String,
    /// How records are read.
    pub reader: RecordReader,
}

impl Verb for Normalize {
    fn line(&self, line: &Line<'_>, done: &mut Done) {
        match line.content() {
            Content::Blank => {}
            Content::Comment => self.keep(line, done),
            Content::Record => self.record(line, done),
        }
    }

    fn passed_over(&self, fault: &Fault, done: &mut Done) {
        done.tally.count(std::slice::from_ref(fault));
        tell(&self.name, fault, &mut done.messages);
    }
}

impl Normalize {
    fn record(&self, line: &Line<'_>, done: &mut Done) {
        let reading = self.reader.read(&line.text, line.number);
        done.tally.count(&reading.faults);
        for fault in reading.faults.iter().filter(|fault| fault.severity == Severity::Error) {
            tell(&self.name, fault, &mut done.messages);
        }
        match reading.record {
            None => self.keep(line, done),
            Some(record) => {
                let mut text = String::with_capacity(line.text.len() + 16);
                record.write(&mut text);
                text.push('\n');
                done.output.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// Keeps the line, with an end as the others have it and without a byte order mark, which only files begin with. Carriage
    /// returns that stand alone at its end would become part of the new one.
    #[expect(clippy::unused_self, reason = "beside its sibling")]
    fn keep(&self, line: &Line<'_>, done: &mut Done) {
        let text = line.text.trim_start_matches('\u{feff}').trim_end_matches('\r');
        line.copy(text, &mut done.output);
        done.output.push(b'\n');
    }
}
