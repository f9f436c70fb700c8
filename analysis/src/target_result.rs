//! The result of a target search, stored in the record as an operation, so that a report needs nothing but the file.

use game::Move;
use messages::epd::{AnyOperand, EpdMove, Operation, Record};
use serde::Serialize;

/// Opcode of the result. The capital letter makes it a private opcode.
pub(crate) const OPCODE: &str = "Target";

/// Result of a target search, stored as the private operation `Target` with a string:
///
/// ```text
/// Target "missed";
/// Target "solved DEPTH NODES MILLISECONDS";
/// ```
///
/// Without quotation marks, as Herald wrote it once, it is read as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetResult {
    /// The final move was wrong.
    Missed,
    /// The final move was right.
    Solved(Cost),
}

/// Point from which on the best move was right until the end. Unknown values are written as `-`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// Depth in plies.
    pub depth: Option<u64>,
    /// Nodes searched until then.
    pub nodes: Option<u64>,
    /// Milliseconds until then.
    pub millis: Option<u64>,
}

impl TargetResult {
    /// Reads the result from a record; `None` if it is missing or can't be parsed.
    pub(crate) fn of(record: &Record<'_>) -> Option<TargetResult> {
        let Some(Operation::Other { operands, .. }) = record.get(OPCODE) else { return None };
        let words = operands.iter().flat_map(|operand| match operand {
            AnyOperand::Word(text) | AnyOperand::String(text) => text.split(' '),
        });
        match words.collect::<Vec<_>>()[..] {
            ["missed"] => Some(TargetResult::Missed),
            ["solved", depth, nodes, millis] => Some(TargetResult::Solved(Cost {
                depth: number(depth)?,
                nodes: number(nodes)?,
                millis: number(millis)?,
            })),
            _ => None,
        }
    }

    /// Writes the result into a record.
    pub(crate) fn write_to(self, record: &mut Record<'_>) {
        let text = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        let result = match self {
            TargetResult::Missed => "missed".to_owned(),
            TargetResult::Solved(Cost { depth, nodes, millis }) => {
                format!("solved {} {} {}", text(depth), text(nodes), text(millis))
            }
        };
        let operands = vec![AnyOperand::String(result.into())];
        record.set(Operation::Other { opcode: OPCODE.into(), operands });
    }
}

/// Parses a number or `-`. The outer `None` is a syntax error.
#[expect(clippy::option_option, reason = "unknown value, and syntax error")]
fn number(text: &str) -> Option<Option<u64>> {
    if text == "-" { Some(None) } else { text.parse().ok().map(Some) }
}

/// The right and wrong moves of a record, as far as they are legal; at least one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyMoves {
    /// Legal moves of `bm`. If there are none, every move that is not in `avoided` is right.
    pub(crate) best: Vec<EpdMove<'static>>,
    /// Legal moves of `am`.
    pub(crate) avoided: Vec<EpdMove<'static>>,
}

impl KeyMoves {
    /// Reads `bm` and `am`; `None` if neither has a legal move.
    pub(crate) fn of(record: &Record<'_>) -> Option<KeyMoves> {
        let legal = |opcode| record.moves(opcode).iter().filter_map(EpdMove::to_legal).collect::<Vec<_>>();
        let (best, avoided) = (legal("bm"), legal("am"));
        (!best.is_empty() || !avoided.is_empty()).then_some(KeyMoves { best, avoided })
    }

    /// Whether a move solves the record.
    pub(crate) fn is_right(&self, mv: Move) -> bool {
        let among = |moves: &[EpdMove<'_>]| moves.iter().any(|one| one.legal() == Some(mv));
        !among(&self.avoided) && (self.best.is_empty() || among(&self.best))
    }
}
