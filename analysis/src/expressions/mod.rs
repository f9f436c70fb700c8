//! Expressions about records: conditions (`acd > 20 and not has dm`), values (`acn / acs`), assignments (`v0 = acd * 2`) and keys
//! of order (`ce desc`). docs/EPD-FILTERS.md is their manual.
//!
//! [`scanner`] makes symbols of the text, [`parser`] a tree (Pratt's method), [`evaluation`] a value of the tree and a [`Subject`].
//! The types of the tree keep conditions and values apart, and the parser checks the kinds of values, so that what can be known
//! to be wrong without a record is an [`ExpressionError`] with its place.

mod error;
mod evaluation;
mod parser;
mod scanner;
mod subject;
#[cfg(test)]
mod tests;
mod tree;

pub use error::ExpressionError;
pub use evaluation::{ExpressionValue, in_order, number_text};
pub use subject::Subject;
pub(crate) use subject::with_subject;
pub(crate) use tree::is_written_as_string;

use std::fmt;

use messages::epd::{MoveReading, RecordReader};
use tree::{Condition, Part, ValueTree};

/// A condition that a record fulfils or not.
#[derive(Clone, Debug)]
pub struct Filter {
    condition: Condition,
    needs: MoveReading,
    /// As the user has written it.
    text: String,
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A value that a record has or lacks.
#[derive(Clone, Debug)]
pub struct Formula {
    term: ValueTree,
    needs: MoveReading,
}

/// Gives an operation of a record the value of an expression.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The operation to be set.
    pub opcode: String,
    value: Assigned,
    needs: MoveReading,
}

/// What is assigned to an operation.
#[derive(Clone, Debug)]
enum Assigned {
    Value(ValueTree),
    /// Sets an operation without operands, or removes it.
    Flag(Condition),
}

/// What an assignment asks to be done to its operation.
#[derive(Clone, Debug)]
pub enum AssignedValue<'v> {
    /// To be set to this value.
    Value(ExpressionValue<'v>),
    /// To be set without operands.
    Flag,
    /// To be removed.
    Removed,
    /// The record lacks something that the value is made of.
    Missing,
}

/// A value by which records are put in order.
#[derive(Clone, Debug)]
pub struct OrderKey {
    /// The value.
    pub formula: Formula,
    /// Whether the largest value comes first.
    pub is_descending: bool,
}

impl Filter {
    /// Reads a condition.
    ///
    /// # Errors
    /// The text is not a condition.
    pub fn parse(text: &str) -> Result<Filter, ExpressionError> {
        let (condition, needs) = parser::whole(text, |parser| parser.expression()?.condition(parser))?;
        Ok(Filter { condition, needs, text: text.to_owned() })
    }

    /// Whether the condition holds for a record that was read by [`Filter::reader`].
    pub fn holds(&self, subject: &Subject<'_>) -> bool {
        self.condition.holds(subject)
    }

    /// How records must be read. `base`: the other settings.
    pub fn reader(&self, base: RecordReader) -> RecordReader {
        RecordReader { moves: self.needs, ..base }
    }
}

impl Formula {
    /// Reads a value.
    ///
    /// # Errors
    /// The text is not a value.
    pub fn parse(text: &str) -> Result<Formula, ExpressionError> {
        let (term, needs) = parser::whole(text, |parser| parser.expression()?.term(parser))?;
        Ok(Formula { term, needs })
    }

    /// The value of a record that was read by [`Formula::reader`]; `None` if the record lacks something that it is made of.
    pub fn value<'v>(&'v self, subject: &'v Subject<'_>) -> Option<ExpressionValue<'v>> {
        self.term.value(subject)
    }

    /// How records must be read. `base`: the other settings.
    pub fn reader(&self, base: RecordReader) -> RecordReader {
        RecordReader { moves: self.needs, ..base }
    }
}

impl OrderKey {
    /// Reads a value, followed by `asc` (the default) or `desc`.
    ///
    /// # Errors
    /// The text is not a value.
    pub fn parse(text: &str) -> Result<OrderKey, ExpressionError> {
        let read = |parser: &mut parser::Parser<'_>| {
            let term = parser.expression()?.term(parser)?;
            Ok((term, parser.direction()?))
        };
        let ((term, is_descending), needs) = parser::whole(text, read)?;
        Ok(OrderKey { formula: Formula { term, needs }, is_descending })
    }
}

impl Assignment {
    /// Reads assignments with semicolons between them: an opcode, `=` and a value; for an operation without operands, a
    /// condition.
    ///
    /// # Errors
    /// The text is not a list of assignments, or a value is of another kind than the operation's.
    pub fn parse_all(text: &str) -> Result<Vec<Assignment>, ExpressionError> {
        let read_one = |parser: &mut parser::Parser<'_>| {
            let (opcode, part): (String, Part) = parser.assignment()?;
            let value = if tree::is_flag(&opcode) {
                Assigned::Flag(part.condition(parser)?)
            } else {
                Assigned::Value(part.term(parser)?)
            };
            Ok((opcode, value))
        };
        let (assignments, needs) = parser::whole(text, |parser| {
            let mut assignments = vec![read_one(parser)?];
            while parser.semicolon()? {
                assignments.push(read_one(parser)?);
            }
            Ok(assignments)
        })?;
        let with_needs = |(opcode, value)| Assignment { opcode, value, needs };
        Ok(assignments.into_iter().map(with_needs).collect())
    }

    /// What is to be done to the operation of a record that was read by [`Assignment::reader`].
    pub fn value<'v>(&'v self, subject: &'v Subject<'_>) -> AssignedValue<'v> {
        match &self.value {
            Assigned::Flag(condition) if condition.holds(subject) => AssignedValue::Flag,
            Assigned::Flag(_) => AssignedValue::Removed,
            Assigned::Value(term) => term.value(subject).map_or(AssignedValue::Missing, AssignedValue::Value),
        }
    }

    /// How records must be read. `base`: the other settings.
    pub fn reader(&self, base: RecordReader) -> RecordReader {
        RecordReader { moves: self.needs, ..base }
    }
}

/// The reader that reads moves as the most demanding of several expressions needs it. `base`: the other settings.
pub(crate) fn widest(readers: impl Iterator<Item = RecordReader>, base: RecordReader) -> RecordReader {
    let legal = readers.filter(|reader| reader.moves == MoveReading::Legal).last();
    legal.unwrap_or(RecordReader { moves: MoveReading::Syntax, ..base })
}
