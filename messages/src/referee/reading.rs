//! Reading and writing of records, shared by both sides.

use game::epd::{Fault, Rule, Severity};
use game::excerpt;

use crate::epd::{AnyOperand, MoveReading, Operation, Record, RecordReader, Register, Text, cleaned};

/// Reason why a line is not a message of the protocol. The text is sent to the other side as `c0` of a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MessageError(pub(super) String);

/// Reader of both sides. Coordinate notation and other unambiguous spellings of moves are accepted.
const READER: RecordReader = RecordReader {
    strictness: crate::epd::Strictness::Lenient,
    moves: MoveReading::Repair,
    mates: false,
    escapes: game::epd::Escapes::None,
    repairs: crate::epd::RepairSet::NONE,
    letters: crate::epd::PieceLetters::English,
};

/// A record with its faults.
pub(super) struct ParsedRecord<'a> {
    pub(super) record: Record<'a>,
    pub(super) faults: Vec<Fault>,
}

impl<'a> ParsedRecord<'a> {
    pub(super) fn new(line: &'a str) -> Result<ParsedRecord<'a>, MessageError> {
        let reading = READER.read(line, 1);
        let Some(record) = reading.record else {
            let first = reading.faults.into_iter().next();
            let reason = first.map_or_else(|| "empty line".to_owned(), |fault| excerpt(&fault.message));
            return Err(MessageError(format!("not an EPD record: {reason}")));
        };
        Ok(ParsedRecord { record, faults: reading.faults })
    }

    /// Returns the value of an operation; `None` if the record has no such operation.
    pub(super) fn find<'r, T>(
        &'r self,
        opcode: &'static str,
        read: impl FnOnce(&'r Record<'a>) -> Option<&'r T>,
    ) -> Result<Option<&'r T>, MessageError> {
        self.check_single(opcode)?;
        match read(&self.record) {
            None if self.has(opcode) => Err(self.unreadable(opcode)),
            found => Ok(found),
        }
    }

    pub(super) fn has(&self, opcode: &str) -> bool {
        self.record.get(opcode).is_some()
    }

    /// Refuses an opcode that the record has twice with different operands: nobody can say which of them hold. Opcodes that the
    /// message does not use may be there twice.
    fn check_single(&self, opcode: &str) -> Result<(), MessageError> {
        let name = format!("`{opcode}`");
        let is_double = |fault: &&Fault| {
            fault.rule == Rule::F12 && fault.severity == Severity::Error && fault.message.contains(&name)
        };
        match self.faults.iter().find(is_double) {
            Some(fault) => Err(MessageError(fault.message.clone())),
            None => Ok(()),
        }
    }

    fn unreadable(&self, opcode: &'static str) -> MessageError {
        let mut faults = self.faults.iter();
        let fault = faults.find(|fault| fault.opcode.as_deref() == Some(opcode));
        let reason = fault.map_or_else(|| "unexpected operands".to_owned(), |fault| excerpt(&fault.message));
        MessageError(format!("`{opcode}`: {reason}"))
    }

    /// Reads the operands of a private opcode.
    pub(super) fn private<T>(
        &self,
        opcode: &'static str,
        expected: &str,
        read: impl FnOnce(&[AnyOperand<'a>]) -> Option<T>,
    ) -> Result<Option<T>, MessageError> {
        let Some(Operation::Other { operands, .. }) = self.record.get(opcode) else { return Ok(None) };
        self.check_single(opcode)?;
        read(operands).map(Some).ok_or_else(|| MessageError(format!("`{opcode}`: expected {expected}")))
    }

    /// Returns the comment `c0`: the reason of a fault.
    pub(super) fn reason(&self) -> Result<Option<String>, MessageError> {
        match self.record.get("c0") {
            Some(Operation::Comment(_, text)) => Ok(text.as_ref().map(ToString::to_string)),
            Some(_) => Err(self.unreadable("c0")),
            None => Ok(None),
        }
    }

    pub(super) fn epoch(&self) -> Result<Option<u64>, MessageError> {
        self.private("Epoch", "a number", |operands| match operands {
            [AnyOperand::Word(word)] => word.parse().ok(),
            _ => None,
        })
    }
}

/// Creates an operation with a private opcode.
pub(super) fn private(
    opcode: &'static str,
    operands: impl IntoIterator<Item = AnyOperand<'static>>,
) -> Operation<'static> {
    Operation::Other { opcode: Text::Borrowed(opcode), operands: operands.into_iter().collect() }
}

pub(super) fn reason(reason: &str) -> Option<Operation<'static>> {
    Register::new(0).map(|register| Operation::Comment(register, Some(text(reason))))
}

pub(super) fn epoch(epoch: u64) -> Operation<'static> {
    private("Epoch", [AnyOperand::Word(epoch.to_string().into())])
}

/// Converts text for a string operand.
pub(super) fn text(text: &str) -> Text<'static> {
    Text::Owned(game::epd::operand_text(text))
}

/// A secret as a string operand. Other letters would be another secret, so that only what can't stand in a string is replaced.
pub(super) fn secret_text(secret: &str) -> Text<'static> {
    let end = secret.floor_char_boundary(game::epd::LONGEST_STRING);
    Text::Owned(cleaned(&secret[..end]).into_owned())
}
