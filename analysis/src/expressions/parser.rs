//! A Pratt parser: operators have powers, and an operator takes what stands to its right up to the next one of less power.

use messages::epd::MoveReading;
use regex::{Regex, RegexBuilder};

use super::ExpressionError;
use super::scanner::{Scanner, Sign, Symbol, leading_word};
use super::tree::{
    Arithmetic, ComparisonSign, Condition, Function, Kind, Part, PartNode, PositionFeature,
    SPECIAL_FUNCTIONS, State, TextPiece, ValueTree, all_names, is_flag, is_known, kind_of,
};

type Parsed<T> = Result<T, ExpressionError>;

/// Maximum length of an expression in bytes. It also bounds the depth of its tree.
const LONGEST: usize = 10_000;
/// Maximum number of parentheses, signs and the like inside one another.
const DEEPEST: usize = 100;
/// Maximum size of a compiled regular expression in bytes.
const LARGEST_REGEX: usize = 1 << 20;

/// Powers of operators. `not` takes comparisons, but neither `and` nor `or`.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const NEGATION: u8 = 7;

pub(super) struct Parser<'t> {
    scanner: Scanner<'t>,
    depth: usize,
    /// How moves must be read for the expression.
    needs: MoveReading,
}

/// Reads a whole text with `read`. Returns what was read, and how moves of records must be read for it.
pub(super) fn whole<T>(
    text: &str,
    read: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
) -> Parsed<(T, MoveReading)> {
    let mut parser = Parser { scanner: Scanner { text, at: 0 }, depth: 0, needs: MoveReading::Syntax };
    if text.len() > LONGEST {
        return Err(parser.error(LONGEST, format!("an expression has at most {LONGEST} bytes")));
    }
    let tree = read(&mut parser)?;
    parser.end()?;
    Ok((tree, parser.needs))
}

impl Parser<'_> {
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> ExpressionError {
        self.scanner.error(at, message)
    }

    fn end(&mut self) -> Parsed<()> {
        let at = self.scanner.next_place();
        match self.scanner.next()? {
            Symbol::End => Ok(()),
            Symbol::Sign(Sign::Close) => Err(self.error(at, "`)` without `(`")),
            _ => Err(self.error(at, "expected an operator, such as `and`, or the end")),
        }
    }

    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Parsed<Part> {
        self.part(OR)
    }

    /// Reads `asc`, `desc` or nothing. Returns true for `desc`.
    pub(super) fn direction(&mut self) -> Parsed<bool> {
        match self.scanner.peek()? {
            Symbol::Word(word @ ("asc" | "desc")) => self.scanner.next().map(|_| word == "desc"),
            _ => Ok(false),
        }
    }

    /// Reads a semicolon with something behind it. Returns false at the end.
    pub(super) fn semicolon(&mut self) -> Parsed<bool> {
        if !matches!(self.scanner.peek()?, Symbol::Sign(Sign::Semicolon)) {
            return Ok(false);
        }
        self.scanner.next()?;
        Ok(!matches!(self.scanner.peek()?, Symbol::End))
    }

    /// Reads an opcode, `=` and an expression of the opcode's kind.
    pub(super) fn assignment(&mut self) -> Parsed<(String, Part)> {
        let opcode = self.opcode()?;
        let at = self.scanner.next_place();
        if !matches!(self.scanner.next()?, Symbol::Sign(Sign::Equal)) {
            return Err(self.error(at, format!("expected `=` and the new value of `{opcode}`")));
        }
        if is_flag(&opcode) {
            return Ok((opcode, self.expression()?));
        }
        let kind = kind_of(&opcode).unwrap_or(Kind::Any);
        let part = self.right_side(kind, OR)?;
        let given = match &part.node {
            PartNode::ValueTree(term) => term.kind(),
            PartNode::Condition(_) => return Ok((opcode, part)),
        };
        let fits = match kind {
            Kind::Number => matches!(given, Kind::Number | Kind::Any),
            Kind::Moves => given != Kind::Number,
            Kind::Text | Kind::Any => true,
        };
        let wrong = || format!("`{opcode}` has {} as its operand, not {}", kind.noun(), given.noun());
        if fits { Ok((opcode, part)) } else { Err(self.error(part.at, wrong())) }
    }

    /// Reads an expression whose operators have at least this power.
    fn part(&mut self, power: u8) -> Parsed<Part> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(
                self.error(self.scanner.next_place(), "too many parentheses or signs inside one another")
            );
        }
        let mut left = self.prefix()?;
        loop {
            let place = self.scanner.next_place();
            let Symbol::Sign(sign) = self.scanner.peek()? else { break };
            let Some(found) = power_of(sign).filter(|found| *found >= power) else { break };
            self.scanner.next()?;
            left = self.infix(left, sign, found, place)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Reads what an expression can begin with.
    fn prefix(&mut self) -> Parsed<Part> {
        let at = self.scanner.next_place();
        let node = match self.scanner.next()? {
            Symbol::Number(number) => PartNode::ValueTree(ValueTree::Number(number)),
            Symbol::Quoted(text, begin) => PartNode::ValueTree(ValueTree::Text(self.pieces(text, begin)?)),
            Symbol::Word("has") => PartNode::Condition(Condition::Has(self.opcode_in_parentheses()?)),
            Symbol::Word(word) if matches!(self.scanner.peek()?, Symbol::Sign(Sign::Open)) => {
                PartNode::ValueTree(self.call(word, at)?)
            }
            Symbol::Word(word) => self.name(word, at)?,
            Symbol::Sign(Sign::Not) => {
                let condition = self.part(NOT)?.condition(self)?;
                PartNode::Condition(Condition::Not(Box::new(condition)))
            }
            Symbol::Sign(Sign::Minus) => {
                PartNode::ValueTree(ValueTree::Negative(Box::new(self.number(NEGATION)?)))
            }
            Symbol::Sign(Sign::Open) => {
                let inner = self.expression()?.node;
                self.close(at)?;
                inner
            }
            Symbol::End => {
                return Err(self.error(at, "expected a value or a condition; the expression ends here"));
            }
            Symbol::Sign(_) => return Err(self.error(at, "expected a value or a condition")),
        };
        Ok(Part { at, node })
    }

    fn infix(&mut self, left: Part, sign: Sign, power: u8, place: usize) -> Parsed<Part> {
        let at = left.at;
        let node = match sign {
            Sign::And | Sign::Or => {
                let one = Box::new(left.condition(self)?);
                let other = Box::new(self.part(power + 1)?.condition(self)?);
                let make = if sign == Sign::And { Condition::And } else { Condition::Or };
                PartNode::Condition(make(one, other))
            }
            Sign::Fits | Sign::FitsNot => {
                let term = left.term(self)?;
                let fits = Condition::Fits(term, self.regex()?);
                let is_negative = sign == Sign::FitsNot;
                PartNode::Condition(if is_negative { Condition::Not(Box::new(fits)) } else { fits })
            }
            _ => match (comparison(sign), arithmetic(sign)) {
                (Some(comparison), _) => PartNode::Condition(self.compare(left, comparison, place)?),
                (_, Some(arithmetic)) => {
                    self.expect_number(&left)?;
                    let one = Box::new(left.term(self)?);
                    let other = Box::new(self.number(power + 1)?);
                    PartNode::ValueTree(ValueTree::Arithmetic(arithmetic, one, other))
                }
                _ => return Err(self.error(place, "expected an operator")),
            },
        };
        if power == COMPARISON
            && matches!(self.scanner.peek()?, Symbol::Sign(next) if power_of(next) == Some(power))
        {
            let message = "a comparison has two sides; join comparisons with `and`";
            return Err(self.error(self.scanner.next_place(), message));
        }
        Ok(Part { at, node })
    }

    fn compare(&mut self, left: Part, comparison: ComparisonSign, place: usize) -> Parsed<Condition> {
        let left = left.term(self)?;
        let right = self.right_side(left.kind(), COMPARISON + 1)?;
        let at = right.at;
        let mut right = right.term(self)?;
        if let (ValueTree::Feature(PositionFeature::Turn), ValueTree::Text(pieces)) = (&left, &mut right) {
            let text = match &pieces[..] {
                [TextPiece::Plain(text)] => text.as_str(),
                _ => "",
            };
            let turn = match text {
                "w" | "white" | "White" => "w",
                "b" | "black" | "Black" => "b",
                _ => return Err(self.error(at, "expected `w` or `b`")),
            };
            *pieces = vec![TextPiece::Plain(turn.to_owned())];
        }
        let is_order = !matches!(comparison, ComparisonSign::Equal | ComparisonSign::Unequal);
        match (left.kind(), right.kind()) {
            (Kind::Number, Kind::Text) => Err(self.error(at, "a number is compared with a text")),
            (Kind::Text, Kind::Number) => Err(self.error(at, "a text is compared with a number")),
            (Kind::Moves, _) | (_, Kind::Moves) if is_order => {
                Err(self.error(place, "moves have no order; compare them with `=` or `!=`"))
            }
            (Kind::Moves, Kind::Number) | (Kind::Number, Kind::Moves) => {
                Err(self.error(at, "moves are compared with a number; `count` gives their number"))
            }
            (Kind::Text | Kind::Any, Kind::Moves) => {
                Err(self.error(at, "write the moves first: `bm = Qh5`, `bm = pm`"))
            }
            _ => Ok(Condition::Compare(comparison, left, right)),
        }
    }

    /// Reads what a value of this kind is compared with. Moves and texts need no quotation marks.
    fn right_side(&mut self, kind: Kind, power: u8) -> Parsed<Part> {
        let (at, rest) = (self.scanner.next_place(), self.scanner.rest());
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | ',' | '(' | ';'))
            .unwrap_or(rest.len());
        let (run, word) = (&rest[..end], leading_word(rest));
        let is_call = rest[end..].trim_start().starts_with('(') && word == run;
        let is_value = run.is_empty() || run.starts_with(['"', '\'']) || is_call;
        let is_bare = !is_value
            && match kind {
                Kind::Number => false,
                Kind::Moves => kind_of(run) != Some(Kind::Moves),
                Kind::Text => !is_known(word),
                Kind::Any => !word.is_empty() && !is_known(word),
            };
        if !is_bare {
            return self.part(power);
        }
        self.scanner.at = at + end;
        Ok(Part { at, node: PartNode::ValueTree(ValueTree::Text(vec![TextPiece::Plain(run.to_owned())])) })
    }

    /// The meaning of a word.
    fn name(&mut self, word: &str, at: usize) -> Parsed<PartNode> {
        if let Some(state) = State::of(word) {
            return Ok(PartNode::Condition(Condition::State(state)));
        }
        if is_flag(word) {
            return Ok(PartNode::Condition(Condition::Has(word.to_owned())));
        }
        if let Some(feature) = PositionFeature::of(word) {
            if matches!(feature, PositionFeature::Errors | PositionFeature::Warnings) {
                self.needs = MoveReading::Legal;
            }
            return Ok(PartNode::ValueTree(ValueTree::Feature(feature)));
        }
        let is_private = word.starts_with(|c: char| c.is_ascii_uppercase());
        match kind_of(word) {
            None if !is_private => {
                let similar = all_names().find(|name| is_similar(name, word));
                let hint = similar.map_or_else(
                    || format!("; an opcode that is not of the standard is written `op({word})`"),
                    |name| format!("; is it `{name}`?"),
                );
                Err(self.error(at, format!("`{word}` is not known{hint}")))
            }
            kind => Ok(PartNode::ValueTree(self.operation(word, kind.unwrap_or(Kind::Any)))),
        }
    }

    fn operation(&mut self, opcode: &str, kind: Kind) -> ValueTree {
        if kind == Kind::Moves {
            self.needs = MoveReading::Legal;
        }
        ValueTree::Operation(opcode.to_owned(), kind)
    }

    /// Reads the arguments of a function.
    fn call(&mut self, word: &str, at: usize) -> Parsed<ValueTree> {
        let open = self.scanner.next_place();
        self.scanner.next()?;
        let term = match word {
            "op" => {
                let opcode = self.opcode()?;
                let kind = kind_of(&opcode).unwrap_or(Kind::Any);
                self.operation(&opcode, kind)
            }
            "match" => {
                let text = self.expression()?.term(self)?;
                self.comma()?;
                ValueTree::Match(Box::new(text), self.regex()?)
            }
            "if" => {
                let condition = self.expression()?.condition(self)?;
                self.comma()?;
                let one = self.expression()?.term(self)?;
                self.comma()?;
                let other = self.expression()?.term(self)?;
                ValueTree::If(Box::new(condition), Box::new(one), Box::new(other))
            }
            _ => {
                let Some(function) = Function::of(word) else {
                    let names = Function::NAMES.iter().chain(&SPECIAL_FUNCTIONS).copied();
                    let names = names.collect::<Vec<_>>().join(", ");
                    return Err(self.error(at, format!("`{word}` is not a function; there are {names}")));
                };
                ValueTree::Call(function, self.arguments(function, word, at)?)
            }
        };
        self.close(open)?;
        Ok(term)
    }

    fn arguments(&mut self, function: Function, word: &str, at: usize) -> Parsed<Vec<ValueTree>> {
        let mut terms = Vec::new();
        loop {
            let part = self.expression()?;
            let place = part.at;
            let term = part.term(self)?;
            if !function.takes(term.kind()) {
                return Err(self.error(place, format!("`{word}` takes {}", function.expected())));
            }
            terms.push(term);
            if !matches!(self.scanner.peek()?, Symbol::Sign(Sign::Comma)) {
                break;
            }
            self.scanner.next()?;
        }
        let (least, most) = function.arity();
        if (least..=most).contains(&terms.len()) {
            return Ok(terms);
        }
        let more = if most > least { " or more" } else { "" };
        let count = game::counted(least as u64, "argument");
        Err(self.error(at, format!("`{word}` takes {count}{more}")))
    }

    /// Reads a value that is or may be a number.
    fn number(&mut self, power: u8) -> Parsed<ValueTree> {
        let part = self.part(power)?;
        self.expect_number(&part)?;
        part.term(self)
    }

    fn expect_number(&self, part: &Part) -> Parsed<()> {
        match &part.node {
            PartNode::ValueTree(term) if matches!(term.kind(), Kind::Text | Kind::Moves) => {
                Err(self.error(part.at, format!("expected a number, not {}", term.kind().noun())))
            }
            _ => Ok(()),
        }
    }

    /// Reads an opcode of any kind.
    fn opcode(&mut self) -> Parsed<String> {
        let at = self.scanner.next_place();
        match self.scanner.next()? {
            Symbol::Word(word) if game::epd::is_opcode(word) => Ok(word.to_owned()),
            _ => {
                Err(self
                    .error(at, "expected an opcode: a letter, then up to 14 letters, digits or underscores"))
            }
        }
    }

    /// Reads an opcode, perhaps in parentheses.
    fn opcode_in_parentheses(&mut self) -> Parsed<String> {
        let open = self.scanner.next_place();
        if !matches!(self.scanner.peek()?, Symbol::Sign(Sign::Open)) {
            return self.opcode();
        }
        self.scanner.next()?;
        let opcode = self.opcode()?;
        self.close(open)?;
        Ok(opcode)
    }

    /// Reads a regular expression in quotation marks.
    fn regex(&mut self) -> Parsed<Regex> {
        let at = self.scanner.next_place();
        let Symbol::Quoted(text, _) = self.scanner.next()? else {
            return Err(self.error(at, "expected a regular expression in quotation marks"));
        };
        let built = RegexBuilder::new(text).size_limit(LARGEST_REGEX).build();
        built.map_err(|error| {
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            self.error(at, format!("not a regular expression: {}", game::excerpt(reason)))
        })
    }

    /// Cuts a text with fields in braces into its pieces. `begin`: its byte offset.
    fn pieces(&mut self, text: &str, begin: usize) -> Parsed<Vec<TextPiece>> {
        let (mut pieces, mut plain, mut at) = (Vec::new(), String::new(), 0);
        while let Some(brace) = text[at..].find(['{', '}']).map(|found| at + found) {
            plain.push_str(&text[at..brace]);
            let mark = &text[brace..=brace];
            if text[brace + 1..].starts_with(mark) {
                plain.push_str(mark);
                at = brace + 2;
                continue;
            }
            let end = text[brace..].find('}').map(|end| brace + end).filter(|end| *end > brace);
            let Some(end) = end else {
                let message = "a brace without its partner; `{{` and `}}` stand for braces in a text";
                return Err(self.error(begin + brace, message));
            };
            let inner = Scanner { text: &self.scanner.text[..begin + end], at: begin + brace + 1 };
            let mut parser = Parser { scanner: inner, depth: self.depth, needs: self.needs };
            let read = parser.expression().and_then(|part| part.term(&parser));
            let read = read.and_then(|term| parser.end().map(|()| term));
            // Errors show the whole text.
            let term = read.map_err(|error| self.error(self.offset(error.column), error.message))?;
            self.needs = parser.needs;
            pieces.push(TextPiece::Plain(std::mem::take(&mut plain)));
            pieces.push(TextPiece::Field(term));
            at = end + 1;
        }
        plain.push_str(&text[at..]);
        pieces.push(TextPiece::Plain(plain));
        pieces.retain(|piece| !matches!(piece, TextPiece::Plain(text) if text.is_empty()));
        Ok(pieces)
    }

    /// Byte offset of a column.
    fn offset(&self, column: usize) -> usize {
        let text = self.scanner.text;
        text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at)
    }

    fn comma(&mut self) -> Parsed<()> {
        let at = self.scanner.next_place();
        match self.scanner.next()? {
            Symbol::Sign(Sign::Comma) => Ok(()),
            _ => Err(self.error(at, "expected a comma and the next argument")),
        }
    }

    /// Reads the parenthesis that closes the one at `open`.
    fn close(&mut self, open: usize) -> Parsed<()> {
        match (self.scanner.next_place(), self.scanner.next()?) {
            (_, Symbol::Sign(Sign::Close)) => Ok(()),
            (_, Symbol::End) => Err(self.error(open, "`(` without `)`")),
            (at, _) => Err(self.error(at, "expected an operator or `)`")),
        }
    }
}

/// Power of an operator; `None` for other signs.
fn power_of(sign: Sign) -> Option<u8> {
    Some(match sign {
        Sign::Or => OR,
        Sign::And => AND,
        Sign::Plus | Sign::Minus => SUM,
        Sign::Times | Sign::Over | Sign::Modulo => PRODUCT,
        Sign::Fits | Sign::FitsNot => COMPARISON,
        _ => return comparison(sign).map(|_| COMPARISON),
    })
}

fn comparison(sign: Sign) -> Option<ComparisonSign> {
    Some(match sign {
        Sign::Equal => ComparisonSign::Equal,
        Sign::Unequal => ComparisonSign::Unequal,
        Sign::Less => ComparisonSign::Less,
        Sign::AtMost => ComparisonSign::AtMost,
        Sign::Greater => ComparisonSign::Greater,
        Sign::AtLeast => ComparisonSign::AtLeast,
        _ => return None,
    })
}

fn arithmetic(sign: Sign) -> Option<Arithmetic> {
    Some(match sign {
        Sign::Plus => Arithmetic::Plus,
        Sign::Minus => Arithmetic::Minus,
        Sign::Times => Arithmetic::Times,
        Sign::Over => Arithmetic::Over,
        Sign::Modulo => Arithmetic::Modulo,
        _ => return None,
    })
}

/// Whether two words differ by one letter, or by two that have changed places.
fn is_similar(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let before = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[before..], &other[before..]);
    let is_swapped =
        matches!((one, other), ([a, b, rest @ ..], [c, d, more @ ..]) if a == d && b == c && rest == more);
    let behind = |text: &[u8]| text.get(1..).map(<[u8]>::to_vec);
    is_swapped
        || behind(one).as_deref() == Some(other)
        || behind(other).as_deref() == Some(one)
        || behind(one).is_some_and(|rest| Some(rest) == behind(other))
}
