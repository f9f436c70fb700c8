//! Verbs that look at whole files: sort, sample, unique, split, join, and the difference of two files.
//!
//! A [`RecordVerb`] gets the readable records of one or more files in their order and writes when it can: at once, or at the end.
//! A [`RecordPass`] gives it the records. What a verb keeps in memory, its own documentation says; the pass keeps one block.

mod diff;
mod ends;
mod join;
mod pass;
mod sample;
mod sort;
mod split;
#[cfg(test)]
mod tests;
mod unique;

pub use diff::DiffFiles;
pub(crate) use ends::WholeEnds;
pub use ends::{first_too_long, refusal};
pub use join::{JoinFiles, Precedence};
pub use pass::{RecordPass, RecordVerb};
pub use sample::SampleRecords;
pub use sort::SortRecords;
pub use split::{SplitFiles, SplitInto};
pub use unique::UniquePositions;

use messages::epd::Record;
use shakmaty::{EnPassantMode, Position as _};

use crate::expressions::Subject;

/// The text by which records of one position are known: its four fields. An en passant square counts if a pawn can capture there.
fn position_key(subject: &Subject<'_>) -> String {
    let mut position = subject.record.position.clone();
    if position.en_passant.is_some()
        && let Some((chess, _)) = subject.legal()
    {
        position.en_passant = chess.ep_square(EnPassantMode::Legal);
    }
    Record::new(position).to_string()
}

/// The operations of a record as they are written: opcodes with whole operations, semicolons included.
fn written_operations(subject: &Subject<'_>) -> Vec<(String, String)> {
    let empty = Record::new(subject.record.position.clone());
    let fields = empty.to_string().len();
    let written = subject.record.operations().iter().map(|operation| {
        let mut one = empty.clone();
        one.set(operation.clone());
        (operation.opcode().to_owned(), one.to_string()[fields..].trim_start().to_owned())
    });
    written.collect()
}
