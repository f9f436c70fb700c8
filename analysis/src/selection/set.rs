//! The verb that sets operations to the values of expressions.

use game::epd::{Fault, LONGEST_STRING, Severity};
use messages::epd::{Content, MoveReading, Operation, Record, RecordReader, TextLine};

use super::splice::{Changes, spliced};
use crate::expressions::{
    AssignedValue, Assignment, ExpressionValue, Subject, is_written_as_string, number_text,
};
use crate::process::{Interrupted, JobResult, LineHandler, is_malformed};

/// Sets operations of each record. All other bytes of the file are kept. All values are made of the record as it was.
///
/// An operation for whose value the record lacks something is left as it is. A record with an error of syntax, and one for which a
/// value is no operand of its opcode, is reported and kept unchanged.
#[derive(Clone, Debug)]
pub struct SetOperations {
    /// The operations with their new values.
    pub assignments: Vec<Assignment>,
    /// How records are parsed, and how strings are written.
    pub reader: RecordReader,
}

impl LineHandler for SetOperations {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        match (line.content() == Content::Record).then(|| self.changed(line, result)).flatten() {
            Some(text) => {
                line.copy(&text, &mut result.output);
                result.end_line(line);
            }
            None => result.keep(line),
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.counts.failed += 1;
        result.report(fault);
    }
}

impl SetOperations {
    /// The new text of a record; `None` if it stays as it is.
    fn changed(&self, line: &TextLine<'_>, result: &mut JobResult) -> Option<String> {
        // The assignments of a list need the same.
        let reader = self.assignments.first().map_or(self.reader, |first| first.reader(self.reader));
        let reading = reader.read(&line.text, line.number);
        result.counts.records += 1;
        let Some(record) = reading.record.filter(|_| !is_malformed(&reading.faults)) else {
            result.counts.failed += 1;
            result.report_errors(&reading.faults);
            return None;
        };
        let subject = Subject::new(&record, &reading.faults, &result.file, line.number);
        let changes = self.changes(&subject);
        let written = changes.and_then(|(changes, missing)| {
            let text = self.written(&line.text, &changes)?;
            // Characters that the file's encoding lacks would become others.
            let is_lost = line.is_latin_1() && text.contains(|c: char| u32::from(c) > 0xff);
            let lost = "a new value has characters that the line's encoding, ISO 8859-1, lacks";
            if is_lost { Err(lost.to_owned()) } else { Ok((text, missing)) }
        });
        match written {
            Ok((text, missing)) => {
                result.counts.missed += u64::from(missing > 0);
                result.counts.found += u64::from(text != line.text);
                Some(text)
            }
            Err(reason) => {
                result.counts.failed += 1;
                let message = format!("{}:{}: error: {reason}\n", result.file, line.number);
                result.messages.extend_from_slice(message.as_bytes());
                None
            }
        }
    }

    /// The changes of a record, and the number of values that it lacks.
    fn changes(&self, subject: &Subject<'_>) -> Result<(Changes, usize), String> {
        let (mut changes, mut missing) = (Changes::new(), 0);
        for assignment in &self.assignments {
            let opcode = &assignment.opcode;
            let operation = match assignment.value(subject) {
                AssignedValue::Missing => {
                    missing += 1;
                    continue;
                }
                AssignedValue::Removed => None,
                AssignedValue::Flag => Some(format!("{opcode};")),
                AssignedValue::Value(value) => Some(self.operation(subject, opcode, &value)?),
            };
            changes.insert(opcode.clone(), operation);
        }
        Ok((changes, missing))
    }

    /// An operation with a value as it is written in this record.
    fn operation(
        &self,
        subject: &Subject<'_>,
        opcode: &str,
        value: &ExpressionValue<'_>,
    ) -> Result<String, String> {
        if value.text().contains(char::is_control) {
            let shown = game::excerpt(&value.text());
            return Err(format!(
                "`{opcode}` can't be `{shown}`: it has a line end or another control character"
            ));
        }
        let operand = match value {
            _ if is_written_as_string(opcode) => self.string(opcode, &value.text())?,
            ExpressionValue::Text(text) if !Operation::is_listed(opcode) => self.string(opcode, text)?,
            ExpressionValue::Number(number) => number_text(*number),
            other => other.text().into_owned(),
        };
        let shown = game::excerpt(&operand);
        if !operand.starts_with('"') && operand.contains(';') {
            return Err(format!("`{opcode}` can't be `{shown}`: a semicolon ends an operation"));
        }
        let mut plain = Record::new(subject.record.position.clone());
        let fields = plain.to_string();
        let line = format!("{fields} {opcode} {operand};");
        let reader = RecordReader { moves: MoveReading::Repair, ..self.reader };
        let reading = reader.read(&line, 1);
        // Faults of the position are not the value's.
        let is_fatal =
            |fault: &&Fault| fault.severity == Severity::Error && fault.opcode.as_deref() == Some(opcode);
        if let Some(fault) = reading.faults.iter().find(is_fatal) {
            return Err(format!("`{opcode}` can't be `{shown}`: {}", fault.message));
        }
        let operation = reading.record.as_ref().and_then(|record| record.get(opcode));
        plain.set(operation.ok_or_else(|| format!("`{opcode}` can't be `{shown}`"))?.clone());
        let mut written = String::new();
        plain.write(&mut written, self.reader.escapes);
        Ok(written[fields.len()..].trim_start().to_owned())
    }

    /// A text as a string operand.
    fn string(&self, opcode: &str, text: &str) -> Result<String, String> {
        let encoded = self.reader.escapes.encode(text);
        if encoded.len() > LONGEST_STRING {
            let length = encoded.len();
            return Err(format!(
                "`{opcode}` would have {length} bytes; a string has at most {LONGEST_STRING}"
            ));
        }
        Ok(format!("\"{encoded}\""))
    }

    /// The text of a record with changes.
    fn written(&self, text: &str, changes: &Changes) -> Result<String, String> {
        spliced(text, self.reader.escapes, changes).ok_or_else(|| "the record can't be changed".to_owned())
    }
}
