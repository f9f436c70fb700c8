//! Whether a record was solved, as an operation of it.
//!
//! The result stands in the record, so that a report needs nothing but the file.

use std::borrow::Cow;

use messages::epd::{AnyOperand, Operation, Record};
use serde::Serialize;

/// The opcode under which it stands. The capital makes it a private one.
pub(crate) const OPCODE: &str = "Target";

/// Whether a record was solved. In a record it is the private operation `Target`, with one operand or with four:
///
/// ```text
/// Target missed;
/// Target solved DEPTH NODES MILLISECONDS;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetResult {
    /// A wrong move was played.
    Missed,
    /// A right one was.
    Solved(Cost),
}

/// From when on a right move was held to, to the end, as far as that was told. What was not is `-` in a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// The depth at which it was the best first, in plies.
    pub depth: Option<u64>,
    /// The nodes until then.
    pub nodes: Option<u64>,
    /// The time until then.
    pub millis: Option<u64>,
}

impl TargetResult {
    /// Reads what stands in a record; `None` if nothing does that could be understood.
    pub(crate) fn of(record: &Record<'_>) -> Option<TargetResult> {
        let Some(Operation::Other { operands, .. }) = record.get(OPCODE) else { return None };
        let words: Option<Vec<&str>> = operands
            .iter()
            .map(|operand| match operand {
                AnyOperand::Word(word) => Some(&**word),
                AnyOperand::String(_) => None,
            })
            .collect();
        match words?[..] {
            ["missed"] => Some(TargetResult::Missed),
            ["solved", depth, nodes, millis] => Some(TargetResult::Solved(Cost {
                depth: number(depth)?,
                nodes: number(nodes)?,
                millis: number(millis)?,
            })),
            _ => None,
        }
    }

    /// Writes it into a record.
    pub(crate) fn write_to(self, record: &mut Record<'_>) {
        let text = |number: Option<u64>| number.map_or("-".into(), |number| number.to_string().into());
        let words: Vec<Cow<'static, str>> = match self {
            TargetResult::Missed => vec!["missed".into()],
            TargetResult::Solved(Cost { depth, nodes, millis }) => {
                vec!["solved".into(), text(depth), text(nodes), text(millis)]
            }
        };
        let operands = words.into_iter().map(AnyOperand::Word).collect();
        record.set(Operation::Other { opcode: OPCODE.into(), operands });
    }
}

/// The outer `None` if it is neither a number nor `-`.
#[expect(clippy::option_option, reason = "not told, and not understood")]
fn number(text: &str) -> Option<Option<u64>> {
    if text == "-" { Some(None) } else { text.parse().ok().map(Some) }
}
