//! Makes an operation of an opcode and its operands as they were read.

use std::borrow::Cow;
use std::iter;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use game::epd::{Escapes, Findings, Operand, Rule, Severity, Word};
use game::excerpt;
use shakmaty::ByColor;
use time::{Date, Month, PrimitiveDateTime, Time};

use super::moves::{EpdMove, MoveReader, printing};
use super::operation::{AnyOperand, Contact, Operation, Text, is_plain};
use super::values::{ClockTime, Evaluation, RefereeCommand, RefereeRequest, Register, numbers};

/// The range of integers that every program supports (EPD specification, 5.2.3).
const COUNT: RangeInclusive<i64> = 0..=i32::MAX as i64;
/// Counts of nodes outgrow it.
const LARGE_COUNT: RangeInclusive<i64> = 0..=i64::MAX;

/// The operands of one operation, with all that is needed to understand them.
pub(super) struct Operands<'a, 'f> {
    pub(super) opcode: Word<'a>,
    pub(super) given: &'f [Operand<'a>],
    pub(super) moves: MoveReader<'f>,
    /// Whether `bm #3` is read as `dm 3`.
    pub(super) mates: bool,
    pub(super) escapes: Escapes,
    pub(super) findings: &'f mut Findings<'a>,
}

impl<'a> Operands<'a, '_> {
    /// Reads the operation. If its operands can't be understood, that is an error, and the operation is kept as it is.
    pub(super) fn read(mut self) -> Operation<'a> {
        self.known().unwrap_or_else(|| self.raw())
    }

    fn known(&mut self) -> Option<Operation<'a>> {
        let text = self.opcode.text;
        Some(match text {
            "acd" => Operation::Acd(self.integer(LARGE_COUNT)? as u64),
            "acn" => Operation::Acn(self.integer(LARGE_COUNT)? as u64),
            "acs" => Operation::Acs(self.integer(LARGE_COUNT)? as u64),
            "am" => Operation::Am(self.move_set()?),
            "bm" => return self.best_moves(),
            "cc" => self.clocks()?,
            "ce" => Operation::Ce(Evaluation::new(self.integer(-32_768..=32_766)?)?),
            "dm" => Operation::Dm(self.positive()?),
            "draw_accept" => self.nothing(Operation::DrawAccept)?,
            "draw_claim" => self.nothing(Operation::DrawClaim)?,
            "draw_offer" => self.nothing(Operation::DrawOffer)?,
            "draw_reject" => self.nothing(Operation::DrawReject)?,
            "draw_decline" => {
                self.report(
                    self.opcode.at,
                    Rule::A8,
                    Severity::Warning,
                    "`draw_decline`; expected `draw_reject`",
                );
                self.nothing(Operation::DrawReject)?
            }
            "eco" => self.register(Operation::Eco)?,
            "fmvn" => Operation::Fmvn(self.positive()?),
            "hmvc" => Operation::Hmvc(self.integer(COUNT)? as u32),
            "id" => Operation::Id(self.only_string()?),
            "nic" => self.register(Operation::Nic)?,
            "noop" => Operation::Noop(self.any()),
            "pm" => Operation::Pm(self.only_move()?),
            "ptp" => self.tags()?,
            "pv" => Operation::Pv(self.line()?),
            "rc" => Operation::Rc(self.positive()?),
            "refcom" => Operation::Refcom(self.word("a command of a referee", RefereeCommand::read)?),
            "refreq" => Operation::Refreq(self.word("a request of a client", RefereeRequest::read)?),
            "resign" => self.nothing(Operation::Resign)?,
            "sm" => Operation::Sm(self.only_move()?),
            "sv" => Operation::Sv(self.line()?),
            "tcgs" => Operation::Tcgs(self.positive()?),
            "tcri" => Operation::Tcri(self.contact()?),
            "tcsi" => Operation::Tcsi(self.contact()?),
            "ts" => self.moment()?,
            _ => match text.as_bytes() {
                [b'c', digit @ b'0'..=b'9'] => {
                    let register = Register::new(digit - b'0')?;
                    self.register(|text| Operation::Comment(register, text))?
                }
                [b'v', digit @ b'0'..=b'9'] => {
                    let register = Register::new(digit - b'0')?;
                    self.register(|text| Operation::Variation(register, text))?
                }
                _ => {
                    self.unknown();
                    return None;
                }
            },
        })
    }

    fn raw(&self) -> Operation<'a> {
        Operation::Other { opcode: printing(self.opcode.text), operands: self.any() }
    }

    fn any(&self) -> Vec<AnyOperand<'a>> {
        let any = |operand: &Operand<'a>| {
            if operand.is_string {
                AnyOperand::String(self.text(*operand))
            } else {
                AnyOperand::Word(printing(operand.text))
            }
        };
        self.given.iter().map(any).collect()
    }

    /// Opcodes that nobody knows are no fault; those that look like a shared one may be a slip of the pen.
    fn unknown(&mut self) {
        let opcode = self.opcode.text;
        let is_private = opcode.starts_with(|c: char| c.is_ascii_uppercase());
        let is_opcode = opcode.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_private || !is_opcode {
            return;
        }
        let shown = excerpt(opcode);
        if opcode.len() < 2 || opcode.contains(|c: char| c.is_ascii_uppercase()) {
            let message =
                format!("`{shown}`; private opcodes begin with a capital, others have none and two letters");
            self.report(self.opcode.at, Rule::A18, Severity::Warning, message);
        } else {
            self.report(
                self.opcode.at,
                Rule::F15,
                Severity::Note,
                format!("`{shown}` is no opcode of the standard"),
            );
        }
    }

    fn report(&mut self, at: usize, rule: Rule, severity: Severity, message: impl Into<String>) {
        self.findings.report(at, rule, severity, message);
    }

    /// An error about the first operand, or about the operation if it has none.
    fn refuse<T>(&mut self, rule: Rule, expected: &str) -> Option<T> {
        let (at, found) = match self.given {
            [] => (self.opcode.at, "no operand".to_owned()),
            [operand, ..] => (operand.at, format!("`{}`", excerpt(operand.text))),
        };
        let opcode = excerpt(self.opcode.text);
        self.report(at, rule, Severity::Error, format!("`{opcode}` has {found}; expected {expected}"));
        None
    }

    fn nothing(&mut self, operation: Operation<'a>) -> Option<Operation<'a>> {
        if self.given.is_empty() { Some(operation) } else { self.refuse(Rule::O1, "no operand") }
    }

    /// The only operand, which is no string.
    fn only(&mut self, expected: &str) -> Option<&'a str> {
        match self.given {
            [Operand { text, is_string: false, .. }] => Some(text),
            [_] | [] => self.refuse(Rule::O1, expected),
            [_, second, ..] => {
                let message =
                    format!("`{}` has too many operands; expected {expected}", excerpt(self.opcode.text));
                self.report(second.at, Rule::O1, Severity::Error, message);
                None
            }
        }
    }

    fn integer(&mut self, range: RangeInclusive<i64>) -> Option<i64> {
        let expected = || match range.end() {
            &i64::MAX => format!("an integer from {} on", range.start()),
            end => format!("an integer from {} to {end}", range.start()),
        };
        let [Operand { text, is_string: false, .. }] = self.given else {
            return self.only(&expected()).and(None);
        };
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let Some(number) = text.parse().ok().filter(|number| is_integer && range.contains(number)) else {
            return self.refuse(Rule::T3, &expected());
        };
        let plain = digits.len() == 1 || !digits.starts_with('0');
        if text.starts_with('+') || !plain || *text == "-0" {
            let message = format!("`{}` is written {number}", excerpt(text));
            self.report(self.given[0].at, Rule::T3, Severity::Warning, message);
        }
        Some(number)
    }

    fn positive(&mut self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.integer(1..=*COUNT.end())? as u32)
    }

    fn word<T>(&mut self, expected: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.only(expected)?;
        read(text).or_else(|| self.refuse(Rule::O1, expected))
    }

    /// What an operand says, as a string can hold it: escapes undone, apostrophes for quotation marks.
    fn text(&self, operand: Operand<'a>) -> Text<'a> {
        match self.escapes.decode(operand.text) {
            Cow::Borrowed(text) if is_plain(text) => Cow::Borrowed(text),
            text => Cow::Owned(printing(&text.replace('"', "'")).into_owned()),
        }
    }

    /// An operand that should be a string. Many programs forget the quotation marks.
    fn string(&mut self, operand: Operand<'a>) -> Text<'a> {
        if !operand.is_string {
            let message = format!("`{}` stands without quotation marks", excerpt(operand.text));
            self.report(operand.at, Rule::T8, Severity::Warning, message);
        }
        self.text(operand)
    }

    /// A string or nothing.
    fn register(&mut self, make: impl FnOnce(Option<Text<'a>>) -> Operation<'a>) -> Option<Operation<'a>> {
        let text = if self.given.is_empty() { None } else { Some(self.only_string()?) };
        Some(make(text))
    }

    /// One string. Words without quotation marks are taken together.
    fn only_string(&mut self) -> Option<Text<'a>> {
        match self.given {
            [operand] => Some(self.string(*operand)),
            [first, ..] if self.given.iter().all(|operand| !operand.is_string) => {
                let words: Vec<&str> = self.given.iter().map(|operand| operand.text).collect();
                let message = format!("`{}` stands without quotation marks", excerpt(&words.join(" ")));
                self.report(first.at, Rule::T8, Severity::Warning, message);
                Some(Cow::Owned(printing(&words.join(" ").replace('"', "'")).into_owned()))
            }
            [] => self.refuse(Rule::O1, "a string"),
            [_, second, ..] => {
                let message =
                    format!("`{}` has too many operands; expected one string", excerpt(self.opcode.text));
                self.report(second.at, Rule::O1, Severity::Error, message);
                None
            }
        }
    }

    fn contact(&mut self) -> Option<Contact<'a>> {
        match *self.given {
            [address, name] => Some(Contact { address: self.string(address), name: self.string(name) }),
            _ => self.refuse(Rule::O1, "two strings: an address and a name"),
        }
    }

    fn tags(&mut self) -> Option<Operation<'a>> {
        let expected = "pairs of a tag's name and its value in quotation marks";
        let (pairs, []) = self.given.as_chunks::<2>() else { return self.refuse(Rule::O1, expected) };
        if pairs.is_empty() {
            return self.refuse(Rule::O1, expected);
        }
        let mut tags: Vec<(Text<'a>, Text<'a>)> = Vec::with_capacity(pairs.len());
        for [name, value] in pairs {
            if name.is_string || !is_identifier(name.text) {
                let message = format!("`{}` is no name of a tag", excerpt(name.text));
                self.report(name.at, Rule::T1, Severity::Error, message);
                return None;
            }
            if tags.iter().any(|(known, _)| known == name.text) {
                let message = format!("the tag `{}` is there twice", excerpt(name.text));
                self.report(name.at, Rule::X8, Severity::Error, message);
                return None;
            }
            let value = self.string(*value);
            tags.push((Cow::Borrowed(name.text), value));
        }
        Some(Operation::Ptp(tags))
    }

    fn clocks(&mut self) -> Option<Operation<'a>> {
        let expected = "two clocks, ddd:hh:mm:ss";
        let [white, black] = *self.given else { return self.refuse(Rule::O1, expected) };
        let mut read = |operand: Operand<'a>| {
            let clock = ClockTime::read(operand.text).filter(|_| !operand.is_string);
            if clock.is_none() {
                let message = format!("`{}` is no clock; expected ddd:hh:mm:ss", excerpt(operand.text));
                self.findings.report(operand.at, Rule::T7, Severity::Error, message);
            }
            clock
        };
        let (white, black) = (read(white), read(black));
        Some(Operation::Cc(ByColor { white: white?, black: black? }))
    }

    fn moment(&mut self) -> Option<Operation<'a>> {
        let [day, hour] = *self.given else { return self.refuse(Rule::O1, "YYYY.MM.DD hh:mm:ss") };
        let Some(date) = read_date(day.text).filter(|_| !day.is_string) else {
            let message = format!("`{}` is no date; expected YYYY.MM.DD", excerpt(day.text));
            self.report(day.at, Rule::T5, Severity::Error, message);
            return None;
        };
        let short = numbers(hour.text, ':', [2, 2]).map(|[hour, minute]| [hour, minute, 0]);
        if short.is_some() {
            let message = format!("`{}` has no seconds; they are taken for 00", excerpt(hour.text));
            self.report(hour.at, Rule::A1, Severity::Warning, message);
        }
        let time = short.or_else(|| numbers(hour.text, ':', [2, 2, 2])).filter(|_| !hour.is_string);
        let time = time
            .and_then(|[hour, minute, second]| Time::from_hms(hour as u8, minute as u8, second as u8).ok());
        let Some(time) = time else {
            let message = format!("`{}` is no time of day; expected hh:mm:ss", excerpt(hour.text));
            self.report(hour.at, Rule::T6, Severity::Error, message);
            return None;
        };
        Some(Operation::Ts(PrimitiveDateTime::new(date, time)))
    }
}

/// Moves.
impl<'a, 'f> Operands<'a, 'f> {
    /// The operands as texts of moves. Commas between them are passed over.
    fn move_texts(&mut self) -> Option<impl Iterator<Item = (&'a str, usize)> + Clone + use<'a, 'f>> {
        for operand in self.given {
            if operand.is_string {
                let message = format!("`{}` is a string; expected a move", excerpt(operand.text));
                self.findings.report(operand.at, Rule::T2, Severity::Error, message);
                return None;
            }
            if operand.text.contains(',') {
                self.findings.report(operand.at, Rule::F9, Severity::Warning, "commas between moves");
            }
        }
        let between_commas = |operand: &Operand<'a>| {
            let (mut rest, mut at) = (Some(operand.text), operand.at);
            iter::from_fn(move || {
                let (text, begins) = (rest?, at);
                let end = text.bytes().position(|byte| byte == b',');
                rest = end.map(|end| &text[end + 1..]);
                at += end.map_or(0, |end| end + 1);
                Some((&text[..end.unwrap_or(text.len())], begins))
            })
        };
        Some(self.given.iter().flat_map(between_commas).filter(|(text, _)| !text.is_empty()))
    }

    fn only_move(&mut self) -> Option<EpdMove<'a>> {
        let mut texts = self.move_texts()?;
        match (texts.next(), texts.next()) {
            (Some((text, at)), None) => Some(self.moves.one(text, at, self.findings)),
            (None, _) => self.refuse(Rule::O1, "one move"),
            (_, Some((_, at))) => {
                let message =
                    format!("`{}` has too many operands; expected one move", excerpt(self.opcode.text));
                self.report(at, Rule::O1, Severity::Error, message);
                None
            }
        }
    }

    fn line(&mut self) -> Option<Vec<EpdMove<'a>>> {
        let texts = self.move_texts()?;
        Some(self.moves.line(texts, self.findings))
    }

    fn best_moves(&mut self) -> Option<Operation<'a>> {
        // With commas before or behind it, too: they are not written again.
        if self.given.first().is_some_and(|first| !first.is_string && first.text.starts_with(['#', ','])) {
            let texts = self.given.iter().flat_map(|operand| operand.text.split(','));
            let mut texts = texts.filter(|text| !text.is_empty());
            if let (Some(text), None) = (texts.next(), texts.next())
                && let Some(distance) = text.strip_prefix('#')
            {
                return self.mate(text, distance, self.given[0].at);
            }
        }
        self.move_set().map(Operation::Bm)
    }

    /// `bm #3`, `bm #-2`: no move, but how far away mate is, in moves; negative if it is the side to move that is mated.
    fn mate(&mut self, text: &str, distance: &str, at: usize) -> Option<Operation<'a>> {
        let moves: Option<i64> = distance.parse().ok();
        let operation = match moves {
            Some(moves @ 1..=383) => NonZeroU32::new(moves as u32).map(Operation::Dm),
            Some(moves @ -383..=-1) => Evaluation::mated_in(-moves as u32).map(Operation::Ce),
            _ => None,
        };
        let read = operation.filter(|_| self.mates);
        let (severity, instead) = match (&read, moves) {
            (Some(operation), _) => (Severity::Warning, format!("it is read as `{}`", operation.opcode())),
            (None, Some(-383..=-1)) => {
                (Severity::Error, "expected moves; mates against the mover belong in `ce`".into())
            }
            _ => (Severity::Error, "expected moves; the distance of a mate belongs in `dm`".into()),
        };
        self.report(at, Rule::T2, severity, format!("`{}` is no move; {instead}", excerpt(text)));
        read
    }

    /// Moves without an order of their own: in ASCII order, each once.
    fn move_set(&mut self) -> Option<Vec<EpdMove<'a>>> {
        let texts = self.move_texts()?;
        let mut moves = self.moves.moves(texts.clone(), self.findings);
        if moves.len() > 1 {
            if !texts.is_sorted_by_key(|(text, _)| text) {
                let at = self.given[0].at;
                self.report(at, Rule::F14, Severity::Note, "the moves are not in ASCII order");
            }
            let count = moves.len();
            moves.sort_by_cached_key(EpdMove::text);
            moves.dedup();
            if moves.len() < count {
                self.report(self.given[0].at, Rule::A24, Severity::Warning, "a move is there twice");
            }
        }
        Some(moves)
    }
}

fn is_identifier(text: &str) -> bool {
    let of_identifier = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=15).contains(&text.len()) && text.bytes().all(of_identifier)
}

fn read_date(text: &str) -> Option<Date> {
    let [year, month, day] = numbers(text, '.', [4, 2, 2])?;
    let month = Month::try_from(month as u8).ok()?;
    (year > 0).then(|| Date::from_calendar_date(year as i32, month, day as u8).ok())?
}
