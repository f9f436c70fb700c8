//! A record, read and written.
//!
//! Operations are in ASCII order, each opcode once; of several with one opcode the last one holds. Registers are set in that
//! order too: the order in the line must not change the meaning (EPD specification, 5.1).

use std::fmt;
use std::num::NonZeroU32;

use game::epd::{Escapes, Fault, Findings, Lexer, Operand, Rule, Severity, Word};
use game::{FenError, Game};
use smallvec::SmallVec;

use super::moves::{EpdMove, MoveReader};
use super::operands::Operands;
use super::operation::Operation;
use super::position::EpdPosition;
use super::rules::judge;
use super::values::Register;

/// A position and what is known about it. The operations are in ASCII order of their opcodes, each of which is there
/// once; displayed, the record is in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The position.
    pub position: EpdPosition,
    operations: Vec<Operation<'a>>,
}

impl<'a> Record<'a> {
    /// A record without operations.
    pub fn new(position: EpdPosition) -> Record<'a> {
        Record { position, operations: Vec::new() }
    }

    /// The operations in their order.
    pub fn operations(&self) -> &[Operation<'a>] {
        &self.operations
    }

    /// The operation with that opcode. It is [`Operation::Other`] if its operands could not be understood.
    pub fn get(&self, opcode: &str) -> Option<&Operation<'a>> {
        self.find(opcode).ok().map(|at| &self.operations[at])
    }

    /// The moves that an operation names; none if there is no such operation, or if they could not be understood.
    pub fn moves(&self, opcode: &str) -> &[EpdMove<'a>] {
        self.get(opcode).map_or(&[], Operation::moves)
    }

    /// The comment of that rank, if there is one.
    pub fn comment(&self, register: Register) -> Option<&str> {
        match self.get(register.comment_opcode())? {
            Operation::Comment(_, text) => text.as_deref(),
            _ => None,
        }
    }

    /// Adds an operation; one with the same opcode is replaced.
    pub fn set(&mut self, operation: Operation<'a>) {
        match self.find(operation.opcode()) {
            Ok(at) => self.operations[at] = operation,
            Err(at) => self.operations.insert(at, operation),
        }
    }

    /// Takes an operation out.
    pub fn remove(&mut self, opcode: &str) -> Option<Operation<'a>> {
        self.find(opcode).ok().map(|at| self.operations.remove(at))
    }

    fn find(&self, opcode: &str) -> Result<usize, usize> {
        self.operations.binary_search_by(|operation| operation.opcode().cmp(opcode))
    }

    /// A game that begins in the position, with the counters of `hmvc` and `fmvn`; if there are none, those of a new game.
    ///
    /// # Errors
    /// The position is illegal, or a counter is over 65535.
    pub fn game(&self) -> Result<Game, FenError> {
        let halfmoves = self.hmvc().copied().unwrap_or_default();
        let fullmoves = self.fmvn().copied().unwrap_or(NonZeroU32::MIN);
        self.position.game(halfmoves, fullmoves)
    }

    /// Writes the record at the end of a text, without an end of line.
    pub fn write(&self, out: &mut String) {
        self.position.write(out);
        for operation in &self.operations {
            out.push(' ');
            operation.write(out);
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
        self.write(&mut text);
        f.write_str(&text)
    }
}

/// What becomes of a record that is not as the specification demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// It is understood as far as possible, what is not understood is kept, and the faults are told.
    #[default]
    Lenient,
    /// It is refused, but not for what is only noted.
    Strict,
}

/// What is done about moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveReading {
    /// They have to look like SAN. Nothing is asked of the position.
    Syntax,
    /// They are found in the position, which has to be legal, and are written in SAN as it should be.
    #[default]
    Legal,
    /// So are coordinates and whatever else can be understood.
    Repair,
}

/// How records are read. By default: leniently, with all moves found in the position.
///
/// A lenient reader puts right, with a warning: blanks and semicolons too many or too few, counters of a FEN (they become
/// `hmvc` and `fmvn`), castling rights out of order, commas between moves, strings without quotation marks, SAN with
/// more or less than is needed, opcodes that come twice with the same operands. Of several operations with
/// one opcode and different operands the last one holds, which is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordReader {
    /// What becomes of faulty records.
    pub strictness: Strictness,
    /// What is done about moves.
    pub moves: MoveReading,
    /// Whether `bm #3` is read as `dm 3`, and `bm #-2`, by which the side to move is mated, as the `ce` that says so.
    pub mates: bool,
    /// How strings write what they can't hold.
    pub escapes: Escapes,
}

/// What came of reading a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading<'a> {
    /// The record; `None` if its position could not be read, if a bare number stands where an opcode should be, or if it was
    /// refused.
    pub record: Option<Record<'a>>,
    /// What was wrong, in the order in which it was found.
    pub faults: Vec<Fault>,
}

impl RecordReader {
    /// Reads the record in that line of a file.
    pub fn read(self, text: &str, line: u64) -> Reading<'_> {
        let mut lexer = Lexer::new(text, line, self.escapes);
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
        let moves = MoveReader { position: legal.as_ref(), repairs: self.moves == MoveReading::Repair };
        // Records of suites have so many operations and operands; growing would cost more than a little room.
        let mut operations = Operations { list: Vec::with_capacity(4), places: SmallVec::new() };
        let counters = lexer.counters();
        for (opcode, counter) in ["hmvc", "fmvn"].into_iter().zip(counters) {
            if let Some(counter) = counter {
                let operation = self.read_counter(opcode, counter, moves, &mut lexer.findings);
                operations.push(operation, counter.at);
            }
        }
        let first = operations.list.len();
        let mut operands = SmallVec::<[Operand<'a>; 4]>::new();
        let mut is_garbled = false;
        while let Some(opcode) = lexer.opcode() {
            is_garbled |= is_like_a_field(opcode.text);
            operands.clear();
            operands.extend(std::iter::from_fn(|| lexer.operand()));
            let operation = self.read_operation(opcode, &operands, moves, &mut lexer.findings);
            operations.push(operation, opcode.at);
        }
        lexer.findings.opcode = None;
        if is_garbled {
            return None;
        }
        operations.sort(first, &mut lexer.findings);
        let record = Record { position, operations: operations.list };
        judge(&record, &operations.places, &mut lexer.findings);
        Some(record)
    }

    fn read_operation<'a>(
        self,
        opcode: Word<'a>,
        given: &[Operand<'a>],
        moves: MoveReader<'_>,
        findings: &mut Findings<'a>,
    ) -> Operation<'a> {
        Operands { opcode, given, moves, mates: self.mates, escapes: self.escapes, findings }.read()
    }

    /// A counter of a FEN. Several programs number the first move 0.
    fn read_counter<'a>(
        self,
        opcode: &'a str,
        counter: Word<'a>,
        moves: MoveReader<'_>,
        findings: &mut Findings<'a>,
    ) -> Operation<'a> {
        let Word { text, at } = counter;
        let text = if opcode == "fmvn" && text == "0" { "1" } else { text };
        let operand = Operand { text, is_string: false, at };
        self.read_operation(Word { text: opcode, at }, &[operand], moves, findings)
    }
}

/// Whether something that stands where an opcode should be would be taken for the counter of a FEN or for a fifth field if it
/// were written first. A record with such a thing can't be kept in canonical form.
fn is_like_a_field(opcode: &str) -> bool {
    opcode == "-" || (!opcode.is_empty() && opcode.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The operations of a record as they are read.
struct Operations<'a> {
    list: Vec<Operation<'a>>,
    /// At which byte of the line each of them begins.
    places: SmallVec<[usize; 8]>,
}

impl<'a> Operations<'a> {
    fn push(&mut self, operation: Operation<'a>, at: usize) {
        self.list.push(operation);
        self.places.push(at);
    }

    /// Puts them in their order. Of several with the same opcode the last one is kept. Those before `first` stood in the
    /// line as counters, not as operations.
    fn sort(&mut self, first: usize, findings: &mut Findings<'a>) {
        if self.list.is_sorted_by(|one, next| one.opcode() < next.opcode()) {
            return;
        }
        if !self.list[first..].is_sorted_by(|one, next| one.opcode() <= next.opcode()) {
            let message = "the operations are not in ASCII order";
            findings.report(self.places[first], Rule::F13, Severity::Note, message);
        }
        let first = self.places.get(first).copied();
        let mut placed: Vec<_> = self.places.drain(..).zip(self.list.drain(..)).collect();
        placed.sort_by(|(_, one), (_, other)| one.opcode().cmp(other.opcode()));
        // `dedup_by` keeps the first of equals, and the last is the one that holds.
        placed.dedup_by(|next, kept| {
            let is_double = next.1.opcode() == kept.1.opcode();
            if is_double {
                let message =
                    format!("`{}` is there twice; the last one holds", game::excerpt(kept.1.opcode()));
                // An operation overrides a counter of a FEN.
                let is_lost = next.1 != kept.1 && Some(kept.0.min(next.0)) >= first;
                let severity = if is_lost { Severity::Error } else { Severity::Warning };
                findings.report(kept.0, Rule::F12, severity, message);
                std::mem::swap(next, kept);
            }
            is_double
        });
        (self.places, self.list) = placed.into_iter().unzip();
    }
}
