//! What both sides do to make sense of a record.

use std::num::NonZeroU32;

use game::epd::Fault;
use game::excerpt;

use crate::epd::{AnyOperand, EpdMove, MoveReading, Operation, Record, RecordReader, Register, Text};

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
pub(super) struct Reading<'a> {
    pub(super) record: Record<'a>,
    faults: Vec<Fault>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(line: &'a str) -> Result<Reading<'a>, MessageError> {
        let reading = READER.read(line, 1);
        let Some(record) = reading.record else {
            let first = reading.faults.into_iter().next();
            let reason = first.map_or_else(|| "empty line".to_owned(), |fault| excerpt(&fault.message));
            return Err(MessageError::NoRecord(reason));
        };
        Ok(Reading { record, faults: reading.faults })
    }

    /// What an operation says; `None` if it is not there.
    pub(super) fn find<T>(
        &self,
        opcode: &'static str,
        read: impl FnOnce(&Operation<'a>) -> Option<T>,
    ) -> Result<Option<T>, MessageError> {
        let Some(operation) = self.record.get(opcode) else { return Ok(None) };
        read(operation).map(Some).ok_or_else(|| self.unreadable(opcode))
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

    pub(super) fn supplied_move(&self) -> Result<Option<EpdMove<'static>>, MessageError> {
        self.find("sm", |operation| match operation {
            Operation::Sm(mv) => Some(mv.to_owned_move()),
            _ => None,
        })
    }

    pub(super) fn line(&self, opcode: &'static str) -> Result<Option<Vec<EpdMove<'static>>>, MessageError> {
        self.find(opcode, |operation| match operation {
            Operation::Sv(moves) | Operation::Pv(moves) => {
                Some(moves.iter().map(EpdMove::to_owned_move).collect())
            }
            _ => None,
        })
    }

    /// The comment of the highest rank: the reason of a fault.
    pub(super) fn reason(&self) -> Result<Option<String>, MessageError> {
        let reason = self.find("c0", |operation| match operation {
            Operation::Comment(_, text) => Some(text.as_ref().map(|text| text.clone().into_owned())),
            _ => None,
        })?;
        Ok(reason.flatten())
    }

    pub(super) fn epoch(&self) -> Result<Option<u64>, MessageError> {
        self.private("Epoch", "a number", |operands| match operands {
            [AnyOperand::Word(word)] => word.parse().ok(),
            _ => None,
        })
    }
}

/// Adds operations to a record that is to be sent.
pub(super) struct Writing(pub(super) Record<'static>);

impl Writing {
    pub(super) fn set(&mut self, operation: Operation<'static>) {
        self.0.set(operation);
    }

    pub(super) fn set_if(&mut self, condition: bool, operation: Operation<'static>) {
        if condition {
            self.set(operation);
        }
    }

    pub(super) fn private(&mut self, opcode: &'static str, operands: Vec<AnyOperand<'static>>) {
        self.set(Operation::Other { opcode: Text::Borrowed(opcode), operands });
    }

    pub(super) fn reason(&mut self, reason: Option<&String>) {
        if let (Some(reason), Some(register)) = (reason, Register::new(0)) {
            self.set(Operation::Comment(register, Some(text(reason))));
        }
    }

    pub(super) fn epoch(&mut self, epoch: Option<u64>) {
        if let Some(epoch) = epoch {
            self.private("Epoch", vec![AnyOperand::Word(epoch.to_string().into())]);
        }
    }
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

/// A number that counts from 1.
pub(super) fn number(operation: &Operation<'_>) -> Option<NonZeroU32> {
    match operation {
        Operation::Fmvn(number) | Operation::Tcgs(number) => Some(*number),
        _ => None,
    }
}
