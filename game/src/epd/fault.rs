//! Faults of records.
//!
//! Each fault breaks a [`Rule`], whose label `herald epd check --rules` explains, and has a [`Severity`]. An error can't
//! be repaired, a warning is repaired by writing the record again, a note is allowed. A strict reader rejects records with errors
//! or warnings; a lenient one rejects only records without a position.

use std::fmt;

use serde::Deserialize;

use crate::texts::enum_with_texts;

/// Severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The record is valid, but violates a recommendation or probably contains a mistake.
    Note,
    /// The record violates the specification, but its meaning is clear. Writing it again repairs it.
    Warning,
    /// The meaning is unknown, impossible or contradictory.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["note", "warning", "error"][*self as usize])
    }
}

enum_with_texts! {
    /// A rule that a record can break. F: the form of a record; T: the types of operands; O: the operands of an opcode;
    /// X: opcodes together; A: where the specification is silent or contradicts itself, the reading adopted; V: the
    /// position.
    Rule(label, statement)
    F1 "F1" "A record is one line: four fields, then operations (EPD specification, 4)."
    F2 "F2" "Fields are printing ASCII, with exactly one space between them (4)."
    F3 "F3" "A line has at most 4095 characters (4)."
    F4 "F4" "The first field is the board: eight ranks of eight squares, with seven `/` between them (4.1)."
    F5 "F5" "The second field is the side to move: `w` or `b` (4.2)."
    F6 "F6" "The third field is `-` or some of `KQkq` in that order, each for a king and a rook that could castle (4.3)."
    F7 "F7" "The fourth field is `-` or the square that a pawn has just skipped in a double step (4.4)."
    F8 "F8" "A record has no counters; `hmvc` and `fmvn` hold them (6.14, 6.15)."
    F9 "F9" "One space before opcodes and operands, `;` directly after the last (5)."
    F10 "F10" "An opcode is a letter, then up to 14 letters, digits or underscores (5.1)."
    F11 "F11" "An operand is printing characters without blanks, or a string of less than 256 bytes in quotation marks (5.1)."
    F12 "F12" "An opcode appears at most once in a record (5.1)."
    F13 "F13" "Operations should be in ASCII order (5.1)."
    F14 "F14" "Moves that have no order of their own should be in ASCII order (5.1)."
    F15 "F15" "Unknown opcodes are ignored (5.3)."
    T1 "T1" "An identifier has 1 to 15 letters, digits or underscores (5.2.1)."
    T2 "T2" "A move is written in SAN (5.2.2)."
    T3 "T3" "An integer is an optional minus sign and digits, within the range of its opcode (5.2.3)."
    T5 "T5" "A date is written YYYY.MM.DD (5.2.5)."
    T6 "T6" "A time of day is written hh:mm:ss (5.2.6)."
    T7 "T7" "A clock is written ddd:hh:mm:ss (5.2.7)."
    T8 "T8" "A string stands in quotation marks (5.1)."
    O1 "O1" "Each opcode has its own number and kinds of operands (6)."
    X1 "X1" "`draw_claim` and `draw_offer` need `sm` (6.10, 6.11)."
    X2 "X2" "`draw_accept` excludes `draw_reject` (6.9)."
    X3 "X3" "`draw_claim` excludes `draw_offer` (6.10)."
    X4 "X4" "`resign` excludes `draw_accept`, `draw_claim`, `draw_offer` and `draw_reject` (6.25)."
    X5 "X5" "`pm` is the first move of `pv` (6.19)."
    X6 "X6" "`sm` is the first move of `sv` (6.26)."
    X7 "X7" "A record comes from a referee (`refcom`) or from a client (`refreq`), never from both (8)."
    X8 "X8" "`ptp` names each tag once (6.20)."
    X9 "X9" "Moves can be played: in a variation one after the other, otherwise all at once (5.2.2)."
    X10 "X10" "No move should be both in `am` and in `bm`."
    X11 "X11" "`dm` and `ce` should describe the same mate (6.7, 6.8)."
    A1 "A1" "`ts` has seconds; hh:mm is read as hh:mm:00."
    A4 "A4" "The distance to mate in `ce` should be odd for the winner and even for the loser (6.7)."
    A6 "A6" "`draw_claim` without `sm` claims the present position."
    A8 "A8" "`draw_decline` means `draw_reject` (6.25)."
    A18 "A18" "Opcodes that programs share have at least two characters and no upper case (5.3)."
    A24 "A24" "A move should be named once in `am` and once in `bm`."
    V1 "V1" "The position is legal (7.1)."
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// A kind of repair that a user can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Line ends become those that were asked for.
    LineEnds,
    /// NUL bytes at the ends of lines are left out.
    Nul,
    /// Quotation marks and backslashes behind a backslash in a string, which EPD does not have, are decoded.
    Escapes,
    /// Moves in another notation become SAN.
    Moves,
    /// `bm #3` becomes `dm 3`, and `bm #-3` the `ce` of that mate.
    Mates,
    /// A known opcode among the operands begins the next operation.
    Semicolons,
    /// Of several operations with one opcode and different operands the moves of `am` and `bm` are joined; of others the last one is
    /// kept.
    Duplicates,
    /// A string without its closing quotation mark ends at the end of the line, before the semicolon.
    Quotes,
    /// Numbers with decimals, with commas between thousands, or in quotation marks. `ce` with decimals is read as pawns.
    Numbers,
}

impl Repair {
    /// All kinds.
    pub const ALL: [Repair; 9] = [
        Repair::LineEnds,
        Repair::Nul,
        Repair::Escapes,
        Repair::Moves,
        Repair::Mates,
        Repair::Semicolons,
        Repair::Duplicates,
        Repair::Quotes,
        Repair::Numbers,
    ];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Repair::LineEnds => "line-ends",
            Repair::Nul => "nul",
            Repair::Escapes => "escapes",
            Repair::Moves => "moves",
            Repair::Mates => "mates",
            Repair::Semicolons => "semicolons",
            Repair::Duplicates => "duplicates",
            Repair::Quotes => "quotes",
            Repair::Numbers => "numbers",
        }
    }
}

/// A fault of a record. Displayed in the format of compilers: `3:40: error: illegal move ... [X9]`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {severity}: {message} [{rule}]")]
pub struct Fault {
    /// The line of the file, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: usize,
    /// Opcode of the faulty operation; `None` for the fields and the line as a whole.
    pub opcode: Option<Box<str>>,
    /// The broken rule.
    pub rule: Rule,
    /// Severity.
    pub severity: Severity,
    /// The kind of repair that was asked for and mends the fault.
    pub repair: Option<Repair>,
    /// Description without control characters.
    pub message: String,
}

/// Maximum number of faults stored per record. A line of ten megabytes can have millions.
const MOST_FAULTS: usize = 64;

/// Collects the faults of one record.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    text: &'a str,
    line: u64,
    /// Opcode of the current operation.
    pub opcode: Option<&'a str>,
    /// The faults found so far.
    pub faults: Vec<Fault>,
}

impl<'a> Findings<'a> {
    /// Creates an empty collection for the record `text` in line number `line`.
    pub fn new(text: &'a str, line: u64) -> Findings<'a> {
        Findings { text, line, opcode: None, faults: Vec::new() }
    }

    /// Adds a fault at a byte offset of the line.
    pub fn report(&mut self, at: usize, rule: Rule, severity: Severity, message: impl Into<String>) {
        if let Some(last) = self.faults.get_mut(MOST_FAULTS) {
            last.severity = last.severity.max(severity);
            "there are more faults in this record".clone_into(&mut last.message);
            return;
        }
        let before = self.text.get(..at).unwrap_or(self.text);
        self.faults.push(Fault {
            repair: None,
            line: self.line,
            column: before.chars().count() + 1,
            opcode: self.opcode.map(|opcode| crate::excerpt(opcode).into()),
            rule,
            severity,
            message: message.into(),
        });
    }

    /// Adds a warning about a fault that is mended because a user asked for this kind of repair.
    pub fn report_repaired(&mut self, at: usize, rule: Rule, repair: Repair, message: impl Into<String>) {
        self.report(at, rule, Severity::Warning, message);
        let is_stored = self.faults.len() <= MOST_FAULTS;
        if let Some(fault) = self.faults.last_mut().filter(|_| is_stored) {
            fault.repair = Some(repair);
        }
    }

    /// The worst fault since there were `known` faults. When there are too many faults to be stored it is the worst of all that
    /// were not.
    pub fn worst_since(&self, known: usize) -> Option<Severity> {
        let since = if self.faults.len() > MOST_FAULTS { MOST_FAULTS } else { known };
        self.faults.get(since..)?.iter().map(|fault| fault.severity).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_where_it_is() {
        let mut findings = Findings::new("é w", 7);
        findings.report(3, Rule::F5, Severity::Error, "no side");
        assert_eq!(findings.faults[0].to_string(), "7:3: error: no side [F5]");
    }

    #[test]
    fn many_faults_become_a_few() {
        let mut findings = Findings::new("", 1);
        (0..1000).for_each(|_| findings.report(0, Rule::F9, Severity::Note, "again"));
        findings.report(0, Rule::F9, Severity::Error, "worse");
        let faults = findings.faults;
        assert_eq!((faults.len(), faults[MOST_FAULTS].severity), (MOST_FAULTS + 1, Severity::Error));
        assert_eq!(faults[MOST_FAULTS].message, "there are more faults in this record");
    }

    #[test]
    fn labels_are_the_names() {
        assert!(
            Rule::ALL
                .iter()
                .all(|rule| format!("{rule:?}") == rule.label() && rule.statement().ends_with('.'))
        );
    }
}
