//! What an expression is about: a record with its position and its place.

use std::borrow::Cow;
use std::cell::OnceCell;

use game::epd::{Fault, Severity};
use game::{CastlingMode, Chess, Color};
use messages::epd::{AnyOperand, Operation, Record, RecordReader};
use shakmaty::{Position as _, Role};

use super::ExpressionValue;
use super::tree::{PositionFeature, State};
use crate::process::is_malformed;

/// A record as expressions see it.
#[derive(Debug)]
pub struct Subject<'s> {
    /// The record.
    pub record: &'s Record<'s>,
    /// Name of its file.
    pub file: &'s str,
    /// Its line in the file, from 1.
    pub line: u64,
    /// The faults that were found in it.
    pub faults: &'s [Fault],
    /// The position if it is legal; made when it is first needed.
    legal: OnceCell<Option<(Chess, CastlingMode)>>,
}

/// Values of pieces in pawns.
const VALUES: [(Role, i32); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

impl<'s> Subject<'s> {
    /// A record with the faults that were found in it.
    pub fn new(record: &'s Record<'s>, faults: &'s [Fault], file: &'s str, line: u64) -> Subject<'s> {
        Subject { record, file, line, faults, legal: OnceCell::new() }
    }

    /// Whether the record has an error of syntax, so that it may differ from what was meant.
    pub(crate) fn is_malformed(&self) -> bool {
        is_malformed(self.faults)
    }

    /// The position; `None` if it is illegal.
    pub(crate) fn legal(&self) -> Option<&(Chess, CastlingMode)> {
        self.legal.get_or_init(|| self.record.position.legal().ok()).as_ref()
    }

    pub(super) fn is(&self, state: State) -> bool {
        let Some((chess, _)) = self.legal() else { return false };
        match state {
            State::Check => chess.is_check(),
            State::Checkmate => chess.is_checkmate(),
            State::Stalemate => chess.is_stalemate(),
        }
    }

    pub(super) fn feature(&self, feature: PositionFeature) -> Option<ExpressionValue<'_>> {
        let board = &self.record.position.board;
        let count = |role| Some(ExpressionValue::Number(board.by_role(role).count() as f64));
        let text = |text: String| Some(ExpressionValue::Text(text.into()));
        let faults = |severity| {
            let count = self.faults.iter().filter(|fault| fault.severity == severity).count();
            Some(ExpressionValue::Number(count as f64))
        };
        let opening = || self.legal().and_then(|(chess, _)| game::opening_at(chess));
        match feature {
            PositionFeature::Turn => {
                Some(ExpressionValue::Text(self.record.position.turn.fold_wb("w", "b").into()))
            }
            PositionFeature::Board => self.field(0),
            PositionFeature::Castling => self.field(2),
            PositionFeature::Position => text(self.position_text()),
            PositionFeature::Men => text(self.men()),
            PositionFeature::Pieces => Some(ExpressionValue::Number(board.occupied().count() as f64)),
            PositionFeature::Pawns => count(Role::Pawn),
            PositionFeature::Knights => count(Role::Knight),
            PositionFeature::Bishops => count(Role::Bishop),
            PositionFeature::Rooks => count(Role::Rook),
            PositionFeature::Queens => count(Role::Queen),
            PositionFeature::Material => Some(ExpressionValue::Number(self.material())),
            PositionFeature::Legal => {
                self.legal().map(|(chess, _)| ExpressionValue::Number(chess.legal_moves().len() as f64))
            }
            PositionFeature::Opening => opening().map(|opening| ExpressionValue::Text(opening.eco.into())),
            PositionFeature::OpeningName => {
                opening().map(|opening| ExpressionValue::Text(opening.name.into()))
            }
            PositionFeature::File => Some(ExpressionValue::Text(self.file.into())),
            PositionFeature::Line => Some(ExpressionValue::Number(self.line as f64)),
            PositionFeature::Errors => faults(Severity::Error),
            PositionFeature::Warnings => faults(Severity::Warning),
        }
    }

    /// The four fields of the position.
    fn position_text(&self) -> String {
        Record::new(self.record.position.clone()).to_string()
    }

    fn field(&self, number: usize) -> Option<ExpressionValue<'_>> {
        let text = self.position_text();
        text.split(' ').nth(number).map(|field| ExpressionValue::Text(Cow::Owned(field.to_owned())))
    }

    /// White's and Black's men in the notation of endings: `KRPvKR`.
    fn men(&self) -> String {
        let board = &self.record.position.board;
        let side = |color: Color| {
            let roles = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
            let men = |role: Role| {
                let count = (board.by_color(color) & board.by_role(role)).count();
                role.upper_char().to_string().repeat(count)
            };
            roles.map(men).concat()
        };
        format!("{}v{}", side(Color::White), side(Color::Black))
    }

    /// Material of the side to move less that of the other, in pawns.
    fn material(&self) -> f64 {
        let board = &self.record.position.board;
        let turn = self.record.position.turn;
        let of = |color: Color| {
            let count = |role| (board.by_color(color) & board.by_role(role)).count() as i32;
            VALUES.iter().map(|(role, value)| value * count(*role)).sum::<i32>()
        };
        f64::from(of(turn) - of(!turn))
    }

    /// The operands of an operation.
    pub(super) fn operation(&self, opcode: &str) -> Option<ExpressionValue<'_>> {
        let number = |number: f64| Some(ExpressionValue::Number(number));
        let operation = self.record.get(opcode)?;
        match operation {
            Operation::Acd(count) | Operation::Acn(count) | Operation::Acs(count) => number(*count as f64),
            Operation::Ce(evaluation) => number(evaluation.value().into()),
            Operation::Hmvc(count) => number((*count).into()),
            Operation::Dm(count) | Operation::Fmvn(count) | Operation::Rc(count) | Operation::Tcgs(count) => {
                number(count.get().into())
            }
            Operation::Comment(_, text)
            | Operation::Variation(_, text)
            | Operation::Eco(text)
            | Operation::Nic(text) => Some(ExpressionValue::Text(text.as_deref().unwrap_or_default().into())),
            Operation::Id(text) => Some(ExpressionValue::Text(text.as_ref().into())),
            Operation::Other { operands, .. } | Operation::Noop(operands) => {
                let text = |operand: &AnyOperand<'_>| match operand {
                    AnyOperand::Word(text) | AnyOperand::String(text) => text.to_string(),
                };
                let texts: Vec<String> = operands.iter().map(text).collect();
                Some(ExpressionValue::Text(texts.join(" ").into()))
            }
            _ if !operation.moves().is_empty() => Some(ExpressionValue::Moves(operation.moves())),
            _ => Some(ExpressionValue::Text(self.written(operation).into())),
        }
    }

    /// The operands of an operation as they are written.
    fn written(&self, operation: &Operation<'s>) -> String {
        let mut record = Record::new(self.record.position.clone());
        record.set(operation.clone());
        let text = record.to_string();
        let operands = text[self.position_text().len()..].trim_start().strip_prefix(operation.opcode());
        operands.unwrap_or_default().trim_start().trim_end_matches(';').to_owned()
    }
}

/// Reads the record in a line for expressions: `read` gets it with its place. `None` if it can't be read.
pub(crate) fn with_subject<T>(
    reader: RecordReader,
    text: &str,
    (file, line): (&str, u64),
    read: impl FnOnce(&Subject<'_>) -> T,
) -> Option<T> {
    let reading = reader.read(text, line);
    let record = reading.record?;
    Some(read(&Subject::new(&record, &reading.faults, file, line)))
}
