//! The quick verbs: canonical form (EPD specification, 7.1: "pfdn"), check, and purge of an operation.

use game::epd::{Escapes, Fault, Findings, Lexer, Repair, Rule, Severity, is_opcode};
use messages::epd::{BYTE_ORDER_MARK, Content, RecordReader, TextLine, doubtful_end};
use serde::Serialize;

use crate::process::{Interrupted, JobResult, LineHandler, is_malformed};

/// Writes each record in canonical form. A record with errors is reported and kept unchanged, as are blank lines and comments (lines
/// that begin with `#`).
#[derive(Clone, Debug)]
pub struct Normalize {
    /// How records are parsed.
    pub reader: RecordReader,
    /// Escapes in the strings that are written.
    pub escapes: Escapes,
    /// What is written.
    pub output: NormalizeOutput,
}

/// What [`Normalize`] writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalizeOutput {
    /// The file with its records in canonical form.
    #[default]
    Records,
    /// Each record that would change, before and after, with the faults that are repaired.
    Differences,
    /// The same as JSON objects, one per line.
    Json,
}

impl LineHandler for Normalize {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        match line.content() {
            Content::Record => self.record(line, result),
            Content::Blank | Content::Comment if self.output == NormalizeOutput::Records => result.keep(line),
            Content::Blank | Content::Comment => self.tell(line, &line.text, Vec::new(), result),
        }
        Ok(())
    }

    fn piece(&mut self, bytes: &[u8], result: &mut JobResult) {
        if self.output == NormalizeOutput::Records {
            result.output.extend_from_slice(bytes);
        }
    }
}

impl Normalize {
    fn record(&self, line: &TextLine<'_>, result: &mut JobResult) {
        let reading = self.reader.read(&line.text, line.number);
        result.counts.add_record(&reading.faults);
        result.report_errors(&reading.faults);
        let is_right = reading.faults.iter().all(|fault| fault.severity < Severity::Error);
        let text = reading.record.filter(|_| is_right).map(|record| {
            let mut text = String::with_capacity(line.text.len() + 16);
            record.write(&mut text, self.escapes);
            text
        });
        match (self.output, text) {
            (NormalizeOutput::Records, None) => result.keep(line),
            (NormalizeOutput::Records, Some(text)) => result.replace(line, &text),
            (_, None) => self.tell(line, &line.text, Vec::new(), result),
            (_, Some(text)) => {
                // A byte order mark stays.
                let mark = if line.text.starts_with(BYTE_ORDER_MARK) { "\u{feff}" } else { "" };
                self.tell(line, &(mark.to_owned() + &text), reading.faults, result);
            }
        }
    }

    /// Writes the difference between a line and what would be written instead, if there is one.
    fn tell(&self, line: &TextLine<'_>, text: &str, mut faults: Vec<Fault>, result: &mut JobResult) {
        let is_same = text == line.text;
        if is_same {
            faults.clear();
        }
        faults.extend(end_repairs(line, result.end_of(line)));
        if is_same && faults.is_empty() {
            return;
        }
        let told = if self.output == NormalizeOutput::Json {
            let repairs = faults.iter().map(JsonRepair::of).collect();
            let change = JsonChange {
                file: &result.file,
                line: line.number,
                before: &line.text,
                after: text,
                repairs,
            };
            // Serializing these types doesn't fail.
            serde_json::to_string(&change).unwrap_or_default() + "\n"
        } else {
            let told = |fault: &Fault| {
                let Fault { line, column, rule, message, .. } = fault;
                format!("{}:{line}:{column}: {}: {message} [{rule}]\n", result.file, kind_of_repair(fault))
            };
            let difference = if is_same { String::new() } else { format!("-{}\n+{text}\n", line.text) };
            faults.iter().map(told).collect::<String>() + &difference
        };
        result.output.extend_from_slice(told.as_bytes());
    }
}

/// The repairs that change the end of a line to `end`.
fn end_repairs(line: &TextLine<'_>, end: &str) -> Vec<Fault> {
    let name = |end: &str| match end {
        "\n" => "LF",
        "\r\n" => "CR LF",
        "\r" => "CR",
        _ => "no line end",
    };
    let bare = line.end.trim_start_matches('\0');
    let nuls = line.end.len() - bare.len();
    let mut findings = Findings::new(&line.text, line.number);
    if nuls > 0 && !end.contains('\0') {
        let message = format!("{} at the end of the line left out", game::counted(nuls as u64, "NUL byte"));
        findings.report_repaired(line.text.len(), Rule::F1, Repair::Nul, message);
    }
    if end != line.end && end != bare {
        let message = format!("{} becomes {}", name(bare), name(end));
        findings.report_repaired(line.text.len(), Rule::F1, Repair::LineEnds, message);
    }
    findings.faults
}

/// A record before and after, as JSON.
#[derive(Serialize)]
struct JsonChange<'a> {
    file: &'a str,
    line: u64,
    before: &'a str,
    after: &'a str,
    repairs: Vec<JsonRepair<'a>>,
}

/// A fault that was repaired, as JSON.
#[derive(Serialize)]
struct JsonRepair<'a> {
    kind: &'static str,
    rule: &'a str,
    column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    opcode: Option<&'a str>,
    message: &'a str,
}

impl JsonRepair<'_> {
    fn of(fault: &Fault) -> JsonRepair<'_> {
        let Fault { rule, column, opcode, message, .. } = fault;
        JsonRepair {
            kind: kind_of_repair(fault),
            rule: rule.label(),
            column: *column,
            opcode: opcode.as_deref(),
            message,
        }
    }
}

/// The kind of repair that was asked for, or what the canonical form asks for by itself.
fn kind_of_repair(fault: &Fault) -> &'static str {
    match (fault.repair, fault.rule) {
        (Some(repair), _) => repair.name(),
        (None, _) if fault.severity == Severity::Note && !matches!(fault.rule, Rule::F13 | Rule::F14) => {
            "note"
        }
        (None, Rule::F13 | Rule::F14) => "order",
        (None, Rule::F8) => "counters",
        (None, Rule::T2 | Rule::A24) => "san",
        (None, _) => "form",
    }
}

/// Reports all faults of records. Blank lines and comments (lines that begin with `#`) are skipped.
#[derive(Clone, Debug)]
pub struct CheckRecords {
    /// How records are parsed.
    pub reader: RecordReader,
    /// Least severity to report. Other faults are only counted.
    pub level: Severity,
    /// Whether faults are written as JSON objects instead of `file:line:column: severity: message [rule]`.
    pub json: bool,
}

/// A fault as JSON.
#[derive(Serialize)]
struct JsonFault<'a> {
    file: &'a str,
    line: u64,
    column: usize,
    severity: String,
    rule: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    opcode: Option<&'a str>,
    message: &'a str,
}

impl CheckRecords {
    fn report(&self, fault: &Fault, result: &mut JobResult) {
        if fault.severity < self.level {
            return;
        }
        let line = if self.json {
            let fault = JsonFault {
                file: &result.file,
                line: fault.line,
                column: fault.column,
                severity: fault.severity.to_string(),
                rule: fault.rule.label(),
                opcode: fault.opcode.as_deref(),
                message: &fault.message,
            };
            // Serializing these types doesn't fail.
            serde_json::to_string(&fault).unwrap_or_default() + "\n"
        } else {
            result.located(fault)
        };
        result.output.extend_from_slice(line.as_bytes());
    }
}

impl LineHandler for CheckRecords {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        if line.content() == Content::Record {
            let reading = self.reader.read(&line.text, line.number);
            result.counts.add_record(&reading.faults);
            reading.faults.iter().for_each(|fault| self.report(fault, result));
            if line.is_latin_1() {
                let mut findings = Findings::new(&line.text, line.number);
                findings.report(
                    0,
                    Rule::F2,
                    Severity::Note,
                    "the line is not UTF-8; it is read as ISO 8859-1",
                );
                result.counts.notes += 1;
                findings.faults.iter().for_each(|fault| self.report(fault, result));
            }
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        self.report(fault, result);
    }

    fn piece(&mut self, _: &[u8], _: &mut JobResult) {}
}

/// Removes an operation from each record. All other bytes are kept.
#[derive(Clone, Debug)]
pub struct Purge {
    opcode: String,
    escapes: Escapes,
}

/// Error: a text is not an opcode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an opcode; expected a letter, then up to 14 letters, digits or underscores")]
pub struct InvalidOpcode(String);

impl Purge {
    /// Creates the verb that removes `opcode`. Strings are written with these escapes.
    ///
    /// # Errors
    /// `opcode` is not an opcode.
    pub fn new(opcode: &str, escapes: Escapes) -> Result<Purge, InvalidOpcode> {
        let purge = is_opcode(opcode).then(|| Purge { opcode: opcode.to_owned(), escapes });
        purge.ok_or_else(|| InvalidOpcode(game::excerpt(opcode)))
    }

    /// Copies a record without the operation and the separator before it. A record in which the end of an operation is in doubt is
    /// reported and kept unchanged.
    fn copy(&self, line: &TextLine<'_>, result: &mut JobResult) {
        let mut lexer = Lexer::new(&line.text, line.number, self.escapes);
        let (mut kept, mut kept_to) = (Vec::with_capacity(line.text.len()), 0);
        if lexer.fields().is_some() {
            lexer.counters();
            while let Some(opcode) = lexer.opcode() {
                if opcode.text == self.opcode {
                    let operands: Vec<_> = std::iter::from_fn(|| lexer.operand()).collect();
                    if let Some(place) = doubtful_end(opcode, &operands) {
                        let text = game::excerpt(operands[place].text);
                        let message = format!("a semicolon seems to be missing before `{text}`");
                        lexer.findings.report(operands[place].at, Rule::F9, Severity::Error, message);
                    }
                    // What follows without a blank of its own needs the one before the opcode.
                    let next = line.text.as_bytes().get(lexer.position());
                    let has_blank = next.is_none_or(|next| next.is_ascii_whitespace() || *next == 0x0b);
                    let before = &line.text[kept_to..opcode.at];
                    let blanks = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
                    line.copy(if has_blank { before.trim_end_matches(blanks) } else { before }, &mut kept);
                    kept_to = lexer.position();
                }
            }
        }
        let is_named = || kept_to > 0 || line.text.contains(&*self.opcode);
        let is_doubtful = is_malformed(&lexer.findings.faults) && is_named();
        if is_doubtful {
            result.counts.add_record(&lexer.findings.faults);
            result.report_errors(&lexer.findings.faults);
            return line.copy(&line.text, &mut result.output);
        }
        result.counts.records += 1;
        result.output.append(&mut kept);
        line.copy(&line.text[kept_to..], &mut result.output);
    }
}

impl LineHandler for Purge {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        if line.content() == Content::Record {
            self.copy(line, result);
        } else {
            line.copy(&line.text, &mut result.output);
        }
        result.end_line(line);
        Ok(())
    }
}
