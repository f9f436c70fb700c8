//! Records and the reader of records.
//!
//! Operations are kept in ASCII order of their opcodes, because the order in the line must not change the meaning (EPD
//! specification, 5.1). Of several operations with the same opcode the last one is kept.
//!
//! An operation that was read and not changed remembers its span of the line. It is written byte for byte if it is as it should be,
//! and if it was not understood; only an operation with a warning is written anew.

use std::fmt;
use std::num::NonZeroU32;

use game::epd::{Escapes, Fault, Findings, Lexer, Operand, Repair, Rule, Severity, Word, is_opcode};
use game::{FenError, Game};
use smallvec::SmallVec;

use super::moves::{EpdMove, MoveReader};
use super::operands::Operands;
use super::repair::{PieceLetters, RepairSet};
use super::rules::judge;
use super::{EpdPosition, Operation, Register};

/// A position with its operations, in ASCII order of their opcodes and without duplicates. The display form is the
/// canonical form of the specification.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The position.
    pub position: EpdPosition,
    operations: Vec<Operation<'a>>,
    /// The line that was read.
    line: &'a str,
    /// Where each operation stands in the line.
    places: Places,
}

/// The places of operations, in their order.
pub(super) type Places = SmallVec<[Place; 8]>;

/// Where an operation stands in the line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Byte offset.
    pub(super) at: usize,
    /// Length in bytes up to and with the semicolon, if the operation must be written as it stands there; otherwise 0.
    length: usize,
}

impl Place {
    /// The operation as it must be written; `None` if it is written anew.
    fn span(self, line: &str) -> Option<&str> {
        line.get(self.at..self.at + self.length).filter(|span| !span.is_empty())
    }
}

/// Records are equal if they mean the same.
impl PartialEq for Record<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.operations == other.operations
    }
}

impl Eq for Record<'_> {}

impl<'a> Record<'a> {
    /// Creates a record without operations.
    pub fn new(position: EpdPosition) -> Record<'a> {
        Record { position, operations: Vec::new(), line: "", places: Places::new() }
    }

    /// Returns the operations in their order.
    pub fn operations(&self) -> &[Operation<'a>] {
        &self.operations
    }

    /// Returns the operation with this opcode. It is [`Operation::Other`] if its operands are invalid.
    pub fn get(&self, opcode: &str) -> Option<&Operation<'a>> {
        self.find(opcode).ok().map(|at| &self.operations[at])
    }

    /// Returns the moves of an operation; empty if the operation is missing or was not understood.
    pub fn moves(&self, opcode: &str) -> &[EpdMove<'a>] {
        self.get(opcode).map_or(&[], Operation::moves)
    }

    /// Returns the comment in a register, if any.
    pub fn comment(&self, register: Register) -> Option<&str> {
        match self.get(register.comment_opcode())? {
            Operation::Comment(_, text) => text.as_deref(),
            _ => None,
        }
    }

    /// Adds an operation or replaces the one with the same opcode.
    pub fn set(&mut self, operation: Operation<'a>) {
        match self.find(operation.opcode()) {
            Ok(at) => (self.operations[at], self.places[at]) = (operation, Place::default()),
            Err(at) => {
                self.operations.insert(at, operation);
                self.places.insert(at, Place::default());
            }
        }
    }

    /// Removes an operation and returns it.
    pub fn remove(&mut self, opcode: &str) -> Option<Operation<'a>> {
        let at = self.find(opcode).ok()?;
        self.places.remove(at);
        Some(self.operations.remove(at))
    }

    fn find(&self, opcode: &str) -> Result<usize, usize> {
        self.operations.binary_search_by(|operation| operation.opcode().cmp(opcode))
    }

    /// Creates a game that starts in the position, with the counters of `hmvc` and `fmvn`, by default those of a new
    /// game.
    ///
    /// # Errors
    /// The position is illegal, or a counter is over 65535.
    pub fn game(&self) -> Result<Game, FenError> {
        let halfmoves = self.hmvc().copied().unwrap_or_default();
        let fullmoves = self.fmvn().copied().unwrap_or(NonZeroU32::MIN);
        self.position.game(halfmoves, fullmoves)
    }

    /// Appends the record to a text, without a line end. `escapes` are those of strings that are not written as they were read.
    pub fn write(&self, out: &mut String, escapes: Escapes) {
        self.position.write(out);
        for (operation, place) in self.operations.iter().zip(&self.places) {
            out.push(' ');
            match place.span(self.line) {
                Some(span) => out.push_str(span),
                None => operation.write(out, escapes),
            }
        }
    }
}

impl<'a> Extend<Operation<'a>> for Record<'a> {
    fn extend<T: IntoIterator<Item = Operation<'a>>>(&mut self, operations: T) {
        operations.into_iter().for_each(|operation| self.set(operation));
    }
}

impl fmt::Display for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text, Escapes::None);
        f.write_str(&text)
    }
}

/// Treatment of records that violate the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Records are read as far as possible; operations that are not understood are kept, and faults are reported.
    #[default]
    Lenient,
    /// Records with a warning or an error are refused; notes are allowed.
    Strict,
}

/// Treatment of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveReading {
    /// Moves must have the syntax of SAN. The position is not used.
    Syntax,
    /// Moves must be legal in the position and are written in canonical SAN.
    #[default]
    Legal,
    /// Like `Legal`; coordinate notation and other readable spellings are accepted and corrected.
    Repair,
}

/// Settings for reading records. By default a reader is lenient and looks up all moves in the position.
///
/// A lenient reader corrects the following, with a warning: missing or superfluous blanks and semicolons, counters of a
/// FEN (they become `hmvc` and `fmvn`), castling rights out of order, commas between moves, strings without quotation
/// marks, SAN with too much or too little disambiguation, duplicate opcodes with the same operands. Of several
/// operations with one opcode and different operands the last one is kept, with an error. [`RepairSet`] has more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordReader {
    /// Treatment of faulty records.
    pub strictness: Strictness,
    /// Treatment of moves.
    pub moves: MoveReading,
    /// Whether `bm #3` is read as `dm 3`, and `bm #-2` (the side to move is mated) as the corresponding `ce`.
    pub mates: bool,
    /// Escapes inside strings.
    pub escapes: Escapes,
    /// Further faults that are repaired.
    pub repairs: RepairSet,
    /// Letters of the pieces in moves that are repaired.
    pub letters: PieceLetters,
}

/// Result of reading a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading<'a> {
    /// The record; `None` if its position is unreadable, if a bare number stands in place of an opcode, or if it was
    /// refused.
    pub record: Option<Record<'a>>,
    /// Faults in the order of their detection.
    pub faults: Vec<Fault>,
}

impl RecordReader {
    /// Reads a record. `line` is its line number in the file, for the faults.
    pub fn read(self, text: &str, line: u64) -> Reading<'_> {
        let mut lexer = Lexer::new(text, line, self.escapes);
        lexer.closes_strings = self.repairs.contains(Repair::Quotes);
        let record = self.read_record(&mut lexer);
        let faults = lexer.findings.faults;
        let is_strict = self.strictness == Strictness::Strict;
        let is_refused = is_strict && faults.iter().any(|fault| fault.severity > Severity::Note);
        Reading { record: record.filter(|_| !is_refused), faults }
    }

    fn read_record<'a>(self, lexer: &mut Lexer<'a>) -> Option<Record<'a>> {
        let fields = lexer.fields()?;
        let position = EpdPosition::read(&fields, &mut lexer.findings)?;
        let legal = match self.moves {
            MoveReading::Syntax => None,
            MoveReading::Legal | MoveReading::Repair => position.judge(&fields, &mut lexer.findings),
        };
        let is_repaired = self.moves == MoveReading::Repair;
        let moves = MoveReader { position: legal.as_ref(), repairs: is_repaired, letters: self.letters };
        let read = |opcode, given: &[Operand<'a>], findings: &mut Findings<'a>| {
            let RecordReader { mates, escapes, repairs, .. } = self;
            Operands { opcode, given, moves, mates, escapes, repairs, findings }.read()
        };
        // Capacities fit the records of test suites, so that the lists rarely grow.
        let mut operations = Operations { list: Vec::with_capacity(4), places: Places::new() };
        let counters = lexer.counters();
        for (opcode, counter) in ["hmvc", "fmvn"].into_iter().zip(counters) {
            if let Some(Word { text, at }) = counter {
                // Several programs number the first move 0.
                let text = if opcode == "fmvn" && text == "0" { "1" } else { text };
                let operand = Operand { text, is_string: false, at };
                operations.push(read(Word { text: opcode, at }, &[operand], &mut lexer.findings), at, 0);
            }
        }
        let first = operations.list.len();
        let mut operands = SmallVec::<[Operand<'a>; 4]>::new();
        let mut is_garbled = false;
        loop {
            let before = lexer.findings.faults.len();
            let Some(opcode) = lexer.opcode() else { break };
            is_garbled |= is_like_a_field(opcode.text);
            // Faults of the gap before the opcode are not the operation's; one of the opcode is the last of them.
            let faults = &lexer.findings.faults;
            let is_opcode = faults[before..].last().is_none_or(|fault| fault.rule != Rule::F10);
            let (begin, known) = (opcode.at, faults.len() - usize::from(!is_opcode));
            operands.clear();
            operands.extend(std::iter::from_fn(|| lexer.operand()));
            let mut rest = &operands[..];
            let mut opcode = opcode;
            let repairs = self.repairs.contains(Repair::Semicolons);
            while let Some(next) = repairs.then(|| forgotten_semicolon(rest)).flatten() {
                let message = format!("no semicolon before `{}`", rest[next].text);
                lexer.findings.report_repaired(rest[next].at, Rule::F9, Repair::Semicolons, message);
                operations.push(read(opcode, &rest[..next], &mut lexer.findings), opcode.at, 0);
                opcode = Word { text: rest[next].text, at: rest[next].at };
                rest = &rest[next + 1..];
            }
            let operation = read(opcode, rest, &mut lexer.findings);
            let span = lexer.whole_operation(begin).filter(|_| opcode.at == begin);
            let span = span.filter(|span| is_kept(span, &lexer.findings, known));
            operations.push(operation, opcode.at, span.map_or(0, str::len));
        }
        lexer.findings.opcode = None;
        if is_garbled {
            return None;
        }
        let repairs = self.repairs.contains(Repair::Duplicates).then(|| lexer.text());
        operations.sort(first, repairs, &mut lexer.findings);
        let record =
            Record { position, operations: operations.list, line: lexer.text(), places: operations.places };
        judge(&record, &record.places, &mut lexer.findings);
        Some(record)
    }
}

/// Place of an opcode among operands, before which a semicolon was forgotten. `c4` is a move, too: a register is meant only before a
/// string.
fn forgotten_semicolon(operands: &[Operand<'_>]) -> Option<usize> {
    operands.iter().enumerate().position(|(place, operand)| {
        let is_text = || operands.get(place + 1).is_some_and(|next| next.is_string);
        let is_register = matches!(operand.text.as_bytes(), [b'c' | b'v', b'0'..=b'9']);
        !operand.is_string && Operation::is_listed(operand.text) && (!is_register || is_text())
    })
}

/// Place of an operand that may be the opcode of another operation, so that the end of this one is in doubt.
pub fn doubtful_end(opcode: Word<'_>, operands: &[Operand<'_>]) -> Option<usize> {
    let is_listed = Operation::is_listed(opcode.text);
    if let Some(place) = forgotten_semicolon(operands).filter(|&place| is_listed || place > 0) {
        return Some(place);
    }
    let is_wrong = || {
        let mut findings = Findings::new("", 0);
        let moves = MoveReader { position: None, repairs: false, letters: PieceLetters::English };
        let (escapes, repairs) = (Escapes::None, RepairSet::NONE);
        let findings = &mut findings;
        Operands { opcode, given: operands, moves, mates: false, escapes, repairs, findings }.read();
        findings.worst_since(0) == Some(Severity::Error)
    };
    let is_like_an_opcode = |operand: &Operand<'_>| !operand.is_string && is_opcode(operand.text);
    let place = operands.iter().skip(1).position(is_like_an_opcode).map(|place| place + 1);
    place.filter(|_| is_listed && is_wrong())
}

/// Whether an operation is written as it stands in the line: it has no fault that writing it anew would repair, or it was not
/// understood. `known`: number of faults before the operation was read.
fn is_kept(span: &str, findings: &Findings<'_>, known: usize) -> bool {
    match findings.worst_since(known) {
        None => true,
        // Moves out of order are put in order.
        Some(Severity::Note) => findings.faults[known..].iter().all(|fault| fault.rule != Rule::F14),
        Some(Severity::Warning) => false,
        Some(Severity::Error) => !span.contains(['\n', '\r']),
    }
}

/// Returns true if text in place of an opcode would be read as the counter of a FEN or as a fifth field if it were
/// written first. Such a record has no canonical form.
fn is_like_a_field(opcode: &str) -> bool {
    opcode == "-" || (!opcode.is_empty() && opcode.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Operations of a record while it is read.
struct Operations<'a> {
    list: Vec<Operation<'a>>,
    places: Places,
}

impl<'a> Operations<'a> {
    fn push(&mut self, operation: Operation<'a>, at: usize, length: usize) {
        self.list.push(operation);
        self.places.push(Place { at, length });
    }

    /// Sorts the operations by opcode and keeps the last one of duplicates. Those before `first` are counters of a FEN,
    /// which may be in any order. `repairs`: the line, if duplicates are repaired.
    fn sort(&mut self, first: usize, repairs: Option<&str>, findings: &mut Findings<'a>) {
        if self.list.is_sorted_by(|one, next| one.opcode() < next.opcode()) {
            return;
        }
        if !self.list[first..].is_sorted_by(|one, next| one.opcode() <= next.opcode()) {
            let message = "the operations are not in ASCII order";
            findings.report(self.places[first].at, Rule::F13, Severity::Note, message);
        }
        let mut placed: Vec<_> = self.places.drain(..).zip(self.list.drain(..)).collect();
        placed.sort_by(|(_, one), (_, other)| one.opcode().cmp(other.opcode()));
        // `dedup_by` keeps the first of equal elements; swapping keeps the last one instead.
        placed.dedup_by(|next, kept| {
            let is_double = next.1.opcode() == kept.1.opcode();
            if is_double {
                let opcode = game::excerpt(kept.1.opcode());
                let at = kept.0.at;
                // A mate that stands in `bm`.
                let is_converted = |line: &str| {
                    opcode == "ce" && [at, next.0.at].iter().any(|at| !line[*at..].starts_with("ce"))
                };
                if next.1 == kept.1 {
                    let message = format!("duplicate `{opcode}` with the same operands");
                    findings.report(at, Rule::F12, Severity::Warning, message);
                } else if repairs.is_some_and(|line| opcode != "dm" && !is_converted(line)) {
                    // Of two different mates one is wrong, and nobody can say which.
                    let is_joined = next.1.join(&kept.1);
                    if is_joined {
                        next.0.length = 0;
                    }
                    let what = if is_joined { "both are joined" } else { "the last one is kept" };
                    let message = format!("duplicate `{opcode}`; {what}");
                    findings.report_repaired(at, Rule::F12, Repair::Duplicates, message);
                } else {
                    let message = format!("duplicate `{opcode}` with other operands");
                    findings.report(at, Rule::F12, Severity::Error, message);
                }
                std::mem::swap(next, kept);
            }
            is_double
        });
        (self.places, self.list) = placed.into_iter().unzip();
    }
}
