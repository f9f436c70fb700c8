//! Records in canonical form (EPD specification, 7.1: "pfdn").

use messages::epd::{Content, RecordReader, TextLine};

use crate::process::{Interrupted, JobResult, LineHandler};

/// Writes each record in canonical form. What can't be put right is reported and stays as it is: operations that are not
/// understood, and whole records without a position. Blank lines are removed, those that begin with `#` stay.
#[derive(Clone, Debug)]
pub struct Normalize {
    /// How records are read.
    pub reader: RecordReader,
}

impl LineHandler for Normalize {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        match line.content() {
            Content::Blank => {}
            Content::Comment => keep(line, result),
            Content::Record => self.record(line, result),
        }
        Ok(())
    }
}

impl Normalize {
    fn record(&self, line: &TextLine<'_>, result: &mut JobResult) {
        let reading = self.reader.read(&line.text, line.number);
        result.counts.add_record(&reading.faults);
        result.tell_errors(&reading.faults);
        match reading.record {
            None => keep(line, result),
            Some(record) => {
                let mut text = String::with_capacity(line.text.len() + 16);
                record.write(&mut text);
                text.push('\n');
                result.output.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// Keeps the line, with an end as the others have it and without a byte order mark, which only files begin with. Carriage
/// returns that stand alone at its end would become part of the new one.
fn keep(line: &TextLine<'_>, result: &mut JobResult) {
    let text = line.text.trim_start_matches('\u{feff}').trim_end_matches('\r');
    line.copy(text, &mut result.output);
    result.output.push(b'\n');
}
