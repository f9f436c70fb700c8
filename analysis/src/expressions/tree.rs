//! Expressions as trees, and the names that they know.

use regex::Regex;

use super::ExpressionError;
use super::parser::Parser;

/// Something that is true or false of a record.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
    Compare(ComparisonSign, ValueTree, ValueTree),
    /// A text in which the regular expression is found.
    Fits(ValueTree, Regex),
    /// The record has this operation.
    Has(String),
    State(State),
}

/// A value of a record.
#[derive(Clone, Debug)]
pub(super) enum ValueTree {
    Number(f64),
    Text(Vec<TextPiece>),
    /// The operands of an operation.
    Operation(String, Kind),
    Feature(PositionFeature),
    Negative(Box<ValueTree>),
    Arithmetic(Arithmetic, Box<ValueTree>, Box<ValueTree>),
    Call(Function, Vec<ValueTree>),
    /// The part of a text that a regular expression fits: its first group, if it has one.
    Match(Box<ValueTree>, Regex),
    If(Box<Condition>, Box<ValueTree>, Box<ValueTree>),
}

/// A part of a text with fields.
#[derive(Clone, Debug)]
pub(super) enum TextPiece {
    Plain(String),
    Field(ValueTree),
}

/// Kind of a value, as far as it is known before a record is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    Moves,
    /// Text that may be a number: registers, private operations.
    Any,
}

impl Kind {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Kind::Number => "a number",
            Kind::Text | Kind::Any => "a text",
            Kind::Moves => "moves",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparisonSign {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

/// Defines an enum with the names of its variants.
macro_rules! named {
    ($(#[$about:meta])* $name:ident { $($variant:ident $word:literal)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $($variant,)* }

        impl $name {
            pub(super) const NAMES: &[&str] = &[$($word,)*];

            pub(super) fn of(word: &str) -> Option<$name> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

named! {
    /// What is true or false of a position.
    State { Check "check" Checkmate "checkmate" Stalemate "stalemate" }
}

named! {
    /// A value of a position or of the line in which a record stands.
    PositionFeature {
        Turn "turn"
        Board "board"
        Position "position"
        Castling "castling"
        Men "men"
        Pieces "pieces"
        Pawns "pawns"
        Knights "knights"
        Bishops "bishops"
        Rooks "rooks"
        Queens "queens"
        Material "material"
        Legal "legal"
        Opening "opening"
        OpeningName "opening_name"
        File "file"
        Line "line"
        Errors "errors"
        Warnings "warnings"
    }
}

named! {
    /// A function of values.
    Function {
        Abs "abs"
        Count "count"
        Default "default"
        First "first"
        Last "last"
        Lower "lower"
        Max "max"
        Min "min"
        Number "number"
        Round "round"
    }
}

/// Functions whose arguments are not only values.
pub(super) const SPECIAL_FUNCTIONS: [&str; 3] = ["if", "match", "op"];

impl PositionFeature {
    fn kind(self) -> Kind {
        use PositionFeature::{Board, Castling, File, Men, Opening, OpeningName, Position, Turn};
        match self {
            Turn | Board | Position | Castling | Men | Opening | OpeningName | File => Kind::Text,
            _ => Kind::Number,
        }
    }
}

impl Function {
    /// Least and greatest number of arguments.
    pub(super) fn arity(self) -> (usize, usize) {
        match self {
            Function::Max | Function::Min => (2, usize::MAX),
            Function::Default => (2, 2),
            _ => (1, 1),
        }
    }

    /// Whether it takes a value of this kind.
    pub(super) fn takes(self, kind: Kind) -> bool {
        match self {
            Function::Abs | Function::Max | Function::Min | Function::Round => {
                matches!(kind, Kind::Number | Kind::Any)
            }
            Function::Count | Function::First | Function::Last => kind == Kind::Moves,
            Function::Default | Function::Lower | Function::Number => true,
        }
    }

    /// What it takes, for messages.
    pub(super) fn expected(self) -> &'static str {
        if matches!(self, Function::Count | Function::First | Function::Last) { "moves" } else { "a number" }
    }
}

/// Opcodes of the standard whose operand is a number.
const NUMBERS: [&str; 9] = ["acd", "acn", "acs", "ce", "dm", "fmvn", "hmvc", "rc", "tcgs"];
/// Opcodes whose operands are moves.
const MOVES: [&str; 6] = ["am", "bm", "pm", "pv", "sm", "sv"];
/// Opcodes whose operands are strings or have a form of their own.
const TEXTS: [&str; 10] = ["cc", "eco", "id", "nic", "ptp", "refcom", "refreq", "tcri", "tcsi", "ts"];
/// Opcodes without operands.
const FLAGS: [&str; 5] = ["draw_accept", "draw_claim", "draw_offer", "draw_reject", "resign"];

/// Whether an operation has no operands.
pub(super) fn is_flag(opcode: &str) -> bool {
    FLAGS.contains(&opcode)
}

/// Whether the operand of an opcode is a string.
pub(crate) fn is_written_as_string(opcode: &str) -> bool {
    matches!(opcode, "eco" | "id" | "nic") || matches!(opcode.as_bytes(), [b'c' | b'v', b'0'..=b'9'])
}

/// Kind of the operands of an opcode that programs share; `None` for others and for those without operands.
pub(super) fn kind_of(opcode: &str) -> Option<Kind> {
    let is_register = matches!(opcode.as_bytes(), [b'c' | b'v', b'0'..=b'9']) || opcode == "noop";
    match opcode {
        _ if is_register => Some(Kind::Any),
        _ if NUMBERS.contains(&opcode) => Some(Kind::Number),
        _ if MOVES.contains(&opcode) => Some(Kind::Moves),
        _ if TEXTS.contains(&opcode) => Some(Kind::Text),
        _ => None,
    }
}

/// Whether a word has a meaning of its own where a value or a condition is expected.
pub(super) fn is_known(word: &str) -> bool {
    kind_of(word).is_some()
        || is_flag(word)
        || PositionFeature::of(word).is_some()
        || State::of(word).is_some()
}

/// All names of values, for suggestions.
pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
    let lists: [&'static [&'static str]; 7] = [
        &NUMBERS,
        &MOVES,
        &TEXTS,
        &FLAGS,
        PositionFeature::NAMES,
        State::NAMES,
        &["has", "not", "and", "or"],
    ];
    lists.into_iter().flatten().copied()
}

impl ValueTree {
    pub(super) fn kind(&self) -> Kind {
        match self {
            ValueTree::Number(_) | ValueTree::Negative(_) | ValueTree::Arithmetic(..) => Kind::Number,
            ValueTree::Text(_) => Kind::Text,
            ValueTree::Operation(_, kind) => *kind,
            ValueTree::Feature(feature) => feature.kind(),
            ValueTree::Match(..) => Kind::Any,
            ValueTree::If(_, one, other) => joint(one.kind(), other.kind()),
            ValueTree::Call(function, terms) => match (function, &terms[..]) {
                (Function::First | Function::Last, _) => Kind::Moves,
                (Function::Lower, _) => Kind::Text,
                (Function::Default, [one, other]) => joint(one.kind(), other.kind()),
                _ => Kind::Number,
            },
        }
    }
}

fn joint(one: Kind, other: Kind) -> Kind {
    if one == other { one } else { Kind::Any }
}

/// A part of an expression with its place.
pub(super) struct Part {
    pub(super) at: usize,
    pub(super) node: PartNode,
}

pub(super) enum PartNode {
    Condition(Condition),
    ValueTree(ValueTree),
}

impl Part {
    /// The part as a condition.
    pub(super) fn condition(self, parser: &Parser<'_>) -> Result<Condition, ExpressionError> {
        match self.node {
            PartNode::Condition(condition) => Ok(condition),
            PartNode::ValueTree(ValueTree::Operation(opcode, _)) => {
                let message = format!(
                    "expected a condition; compare `{opcode}` with something, or write `has {opcode}`"
                );
                Err(parser.error(self.at, message))
            }
            PartNode::ValueTree(_) => {
                Err(parser.error(self.at, "expected a condition; compare the value with another"))
            }
        }
    }

    /// The part as a value.
    pub(super) fn term(self, parser: &Parser<'_>) -> Result<ValueTree, ExpressionError> {
        match self.node {
            PartNode::ValueTree(term) => Ok(term),
            PartNode::Condition(_) => Err(parser.error(
                self.at,
                "expected a value, not a condition; `if(condition, 1, 0)` makes a value of one",
            )),
        }
    }
}
