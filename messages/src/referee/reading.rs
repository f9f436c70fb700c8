//! What both sides do to make sense of a record.

use game::epd::Fault;
use game::excerpt;

use crate::epd::{AnyOperand, MoveReading, Operation, Record, RecordReader, Register, Text};

/// Why a line is no message of the protocol. The text is what `c0` of a fault tells the other side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The line is no EPD record. Carries what was expected where.
    #[error("no EPD record: {0}")]
    NoRecord(String),
    /// The record has not the opcode that says what it is about.
    #[error("no `{0}` in the record")]
    Missing(&'static str),
    /// The record has an opcode that only the other side may use.
    #[error("`{0}` is not for this side to send")]
    WrongSide(&'static str),
    /// The operands of an opcode make no sense. Carries the opcode and what was expected.
    #[error("`{opcode}`: {reason}")]
    Operand {
        /// The opcode.
        opcode: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Operations exclude or need each other. Carries what is wrong.
    #[error("{0}")]
    Contradiction(String),
}

/// The reader for both sides. Coordinates and other ways to write a move are understood: there is no doubt what they mean.
const READER: RecordReader = RecordReader {
    strictness: crate::epd::Strictness::Lenient,
    moves: MoveReading::Repair,
    mates: false,
    escapes: game::epd::Escapes::None,
};

/// A record, and what was wrong with it.
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
            return Err(MessageError::NoRecord(reason));
        };
        Ok(ParsedRecord { record, faults: reading.faults })
    }

    /// What an operation says; `None` if it is not there.
    pub(super) fn find<'r, T>(
        &'r self,
        opcode: &'static str,
        read: impl FnOnce(&'r Record<'a>) -> Option<&'r T>,
    ) -> Result<Option<&'r T>, MessageError> {
        match read(&self.record) {
            None if self.has(opcode) => Err(self.unreadable(opcode)),
            found => Ok(found),
        }
    }

    pub(super) fn has(&self, opcode: &str) -> bool {
        self.record.get(opcode).is_some()
    }

    fn unreadable(&self, opcode: &'static str) -> MessageError {
        let mut faults = self.faults.iter();
        let fault = faults.find(|fault| fault.opcode.as_deref() == Some(opcode));
        let reason = fault.map_or_else(|| "unexpected operands".to_owned(), |fault| excerpt(&fault.message));
        MessageError::Operand { opcode, reason }
    }

    /// The operations of a private opcode, as words or strings.
    pub(super) fn private<T>(
        &self,
        opcode: &'static str,
        expected: &str,
        read: impl FnOnce(&[AnyOperand<'a>]) -> Option<T>,
    ) -> Result<Option<T>, MessageError> {
        let Some(Operation::Other { operands, .. }) = self.record.get(opcode) else { return Ok(None) };
        let reason = format!("expected {expected}");
        read(operands).map(Some).ok_or(MessageError::Operand { opcode, reason })
    }

    /// The comment of the highest rank: the reason of a fault.
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

/// An operation that the specification doesn't have.
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

/// Text as a string operand can hold it.
pub(super) fn text(text: &str) -> Text<'static> {
    let mut end = text.len().min(game::epd::LONGEST_STRING);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let printing = text[..end].chars().map(|c| match c {
        '"' => '\'',
        c if c.is_control() => '?',
        c => c,
    });
    Text::Owned(printing.collect())
}
