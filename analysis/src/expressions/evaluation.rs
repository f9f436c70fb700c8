//! Values of expressions.
//!
//! A record may lack what an expression asks for. Then a value is missing: what is made of it is missing as well, and a comparison
//! with it is false.

use std::borrow::Cow;
use std::cmp::Ordering;

use messages::epd::EpdMove;

use super::Subject;
use super::tree::{Arithmetic, ComparisonSign, Condition, Function, TextPiece, ValueTree};

/// A value of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionValue<'v> {
    /// A finite number.
    Number(f64),
    /// A text.
    Text(Cow<'v, str>),
    /// Moves.
    Moves(&'v [EpdMove<'v>]),
}

/// A number as text: without a fraction if it has none, else with up to six decimals.
pub fn number_text(number: f64) -> String {
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The order of two values: numbers, and texts that are numbers, by size, other texts by their characters.
pub fn in_order(one: &ExpressionValue<'_>, other: &ExpressionValue<'_>) -> Ordering {
    match (one.number(), other.number()) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.text().cmp(&other.text()),
    }
}

impl ExpressionValue<'_> {
    /// The value as a number; `None` if it is not one.
    pub fn number(&self) -> Option<f64> {
        match self {
            ExpressionValue::Number(number) => Some(*number),
            ExpressionValue::Text(text) => read_number(text),
            ExpressionValue::Moves(_) => None,
        }
    }

    /// The value as text; moves with spaces between them.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            ExpressionValue::Number(number) => number_text(*number).into(),
            ExpressionValue::Text(text) => text.as_ref().into(),
            ExpressionValue::Moves(moves) => {
                moves.iter().map(EpdMove::text).collect::<Vec<_>>().join(" ").into()
            }
        }
    }

    /// The value without a record.
    pub fn into_owned(self) -> ExpressionValue<'static> {
        match self {
            ExpressionValue::Number(number) => ExpressionValue::Number(number),
            other => ExpressionValue::Text(other.text().into_owned().into()),
        }
    }
}

/// Reads a number as EPD and programs write it; no `inf` or `NaN`.
fn read_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.'));
    text.parse().ok().filter(|number: &f64| is_number && number.is_finite())
}

impl Condition {
    pub(super) fn holds(&self, subject: &Subject<'_>) -> bool {
        match self {
            Condition::And(one, other) => one.holds(subject) && other.holds(subject),
            Condition::Or(one, other) => one.holds(subject) || other.holds(subject),
            Condition::Not(condition) => !condition.holds(subject),
            Condition::Has(opcode) => subject.record.get(opcode).is_some(),
            Condition::State(state) => subject.is(*state),
            Condition::Fits(term, regex) => {
                term.value(subject).is_some_and(|value| regex.is_match(&value.text()))
            }
            Condition::Compare(comparison, left, right) => {
                let values = left.value(subject).zip(right.value(subject));
                values.is_some_and(|(left, right)| comparison.holds(&left, &right, subject))
            }
        }
    }
}

impl ComparisonSign {
    fn holds(self, left: &ExpressionValue<'_>, right: &ExpressionValue<'_>, subject: &Subject<'_>) -> bool {
        use ExpressionValue::{Moves, Number, Text};
        let order = match (left, right) {
            (Moves(moves), other) => {
                let is_equal = share_a_move(moves, other, subject);
                return is_equal == (self == ComparisonSign::Equal);
            }
            (Number(_), _) | (_, Number(_)) => {
                let numbers = left.number().zip(right.number());
                numbers.map(|(left, right)| left.total_cmp(&right))
            }
            (Text(one), Text(other)) if matches!(self, ComparisonSign::Equal | ComparisonSign::Unequal) => {
                Some(one.cmp(other))
            }
            _ => Some(in_order(left, right)),
        };
        // A number is neither equal to a text nor before or behind it.
        let Some(order) = order else { return self == ComparisonSign::Unequal };
        match self {
            ComparisonSign::Equal => order.is_eq(),
            ComparisonSign::Unequal => order.is_ne(),
            ComparisonSign::Less => order.is_lt(),
            ComparisonSign::AtMost => order.is_le(),
            ComparisonSign::Greater => order.is_gt(),
            ComparisonSign::AtLeast => order.is_ge(),
        }
    }
}

/// Whether one of the moves is one of the others, which may be a text in any notation.
fn share_a_move(moves: &[EpdMove<'_>], others: &ExpressionValue<'_>, subject: &Subject<'_>) -> bool {
    let bare = |text: &str| text.trim_end_matches(['+', '#', '!', '?']).to_owned();
    let wanted: Vec<String> = match others {
        ExpressionValue::Moves(others) => others.iter().map(|mv| bare(&mv.text())).collect(),
        other => {
            let text = other.text();
            let legal = subject.legal().and_then(|(chess, mode)| {
                let mv = game::read_move(chess, *mode, &text).ok()?;
                Some(bare(&EpdMove::new(chess, mv).text()))
            });
            legal.into_iter().chain([bare(&text)]).collect()
        }
    };
    moves.iter().any(|mv| wanted.contains(&bare(&mv.text())))
}

impl ValueTree {
    pub(super) fn value<'v>(&'v self, subject: &'v Subject<'_>) -> Option<ExpressionValue<'v>> {
        match self {
            ValueTree::Number(number) => Some(ExpressionValue::Number(*number)),
            ValueTree::Text(pieces) => text_of(pieces, subject).map(ExpressionValue::Text),
            ValueTree::Operation(opcode, _) => subject.operation(opcode),
            ValueTree::Feature(feature) => subject.feature(*feature),
            ValueTree::Negative(term) => Some(ExpressionValue::Number(-term.value(subject)?.number()?)),
            ValueTree::Arithmetic(arithmetic, one, other) => {
                let (one, other) = (one.value(subject)?.number()?, other.value(subject)?.number()?);
                finite(arithmetic.of(one, other))
            }
            ValueTree::Call(function, terms) => function.value(terms, subject),
            ValueTree::Match(term, regex) => {
                let value = term.value(subject)?;
                let text = value.text();
                let found = regex.captures(&text)?;
                let part = found.get(1).or_else(|| found.get(0))?.as_str().to_owned();
                Some(ExpressionValue::Text(part.into()))
            }
            ValueTree::If(condition, one, other) => {
                if condition.holds(subject) {
                    one.value(subject)
                } else {
                    other.value(subject)
                }
            }
        }
    }
}

/// A text with its fields filled in; `None` if one of them is missing.
fn text_of<'v>(pieces: &'v [TextPiece], subject: &'v Subject<'_>) -> Option<Cow<'v, str>> {
    if let [TextPiece::Plain(text)] = pieces {
        return Some(text.as_str().into());
    }
    let texts = pieces.iter().map(|piece| match piece {
        TextPiece::Plain(text) => Some(text.clone()),
        TextPiece::Field(term) => Some(term.value(subject)?.text().into_owned()),
    });
    texts.collect::<Option<String>>().map(Cow::Owned)
}

fn finite<'v>(number: f64) -> Option<ExpressionValue<'v>> {
    number.is_finite().then_some(ExpressionValue::Number(number))
}

impl Arithmetic {
    /// The result; not finite if it has none.
    fn of(self, one: f64, other: f64) -> f64 {
        match self {
            Arithmetic::Plus => one + other,
            Arithmetic::Minus => one - other,
            Arithmetic::Times => one * other,
            Arithmetic::Over => one / other,
            Arithmetic::Modulo => one % other,
        }
    }
}

impl Function {
    fn value<'v>(self, terms: &'v [ValueTree], subject: &'v Subject<'_>) -> Option<ExpressionValue<'v>> {
        let values = || terms.iter().map(|term| term.value(subject));
        let first = || values().next().flatten();
        let number = || first()?.number();
        match self {
            Function::Abs => finite(number()?.abs()),
            Function::Round => finite(number()?.round()),
            Function::Number => finite(number()?),
            Function::Max | Function::Min => {
                let numbers: Option<Vec<f64>> = values().map(|value| value?.number()).collect();
                let pick = if self == Function::Max { f64::max } else { f64::min };
                numbers?.into_iter().reduce(pick).and_then(finite)
            }
            Function::Default => values().flatten().next(),
            Function::Lower => Some(ExpressionValue::Text(first()?.text().to_lowercase().into())),
            Function::Count | Function::First | Function::Last => {
                let ExpressionValue::Moves(moves) = first()? else { return None };
                match self {
                    Function::Count => Some(ExpressionValue::Number(moves.len() as f64)),
                    Function::First => Some(ExpressionValue::Moves(moves.get(..1)?)),
                    _ => Some(ExpressionValue::Moves(moves.get(moves.len().checked_sub(1)?..)?)),
                }
            }
        }
    }
}
