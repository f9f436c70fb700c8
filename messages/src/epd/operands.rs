//! Conversion of an opcode and its operands into an [`Operation`], with a report of every fault.

use std::borrow::Cow;
use std::iter;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use game::epd::{Escapes, Findings, Operand, Repair, Rule, Severity, Word, is_identifier};
use game::{Score, excerpt};
use shakmaty::ByColor;
use time::{Date, Month, PrimitiveDateTime, Time};

use super::moves::{EpdMove, MoveReader, cleaned, printing};
use super::operation::{AnyOperand, Contact, Operation, Text};
use super::repair::RepairSet;
use super::values::{ClockTime, EpdEvaluation, RefereeCommand, RefereeRequest, Register, numbers};

/// The range of integers that every program supports (EPD specification, 5.2.3).
const COUNT: RangeInclusive<i64> = 0..=i32::MAX as i64;
/// Range of node counts, which exceed [`COUNT`].
const LARGE_COUNT: RangeInclusive<i64> = 0..=i64::MAX;

/// Message about a string without quotation marks.
const BARE: &str = "has no quotation marks";

/// The operands of one operation with the context for reading them.
pub(super) struct Operands<'a, 'f> {
    pub(super) opcode: Word<'a>,
    pub(super) given: &'f [Operand<'a>],
    pub(super) moves: MoveReader<'f>,
    /// Whether `bm #3` is read as `dm 3`.
    pub(super) mates: bool,
    pub(super) escapes: Escapes,
    pub(super) repairs: RepairSet,
    pub(super) findings: &'f mut Findings<'a>,
}

impl<'a> Operands<'a, '_> {
    /// Reads the operation. If its operands are invalid, an error is reported and the operation is kept as
    /// [`Operation::Other`].
    pub(super) fn read(mut self) -> Operation<'a> {
        if self.repairs.contains(Repair::Escapes) {
            self.escapes_told();
        }
        let opcode = self.opcode.text;
        let distance = if opcode == "bm" { self.mate_distance() } else { None };
        let read = match distance {
            Some(distance) => self.mate(distance),
            None => Operation::read(&mut self),
        };
        read.unwrap_or_else(|| Operation::Other { opcode: printing(opcode), operands: self.any() })
    }

    /// Reports escapes in strings, which are decoded and not written again.
    fn escapes_told(&mut self) {
        for operand in self.given.iter().filter(|operand| operand.is_string) {
            let text = self.escapes.decode(operand.text);
            if text != operand.text {
                let message = format!("`{}` has escapes; write `{}`", excerpt(operand.text), excerpt(&text));
                self.findings.report_repaired(operand.at, Rule::F11, Repair::Escapes, message);
            }
        }
    }

    /// Reads an operation whose opcode is not in the table of [`Operation`].
    pub(super) fn read_unlisted(&mut self) -> Option<Operation<'a>> {
        match *self.opcode.text.as_bytes() {
            [kind @ (b'c' | b'v'), digit @ b'0'..=b'9'] => {
                let operation = if kind == b'c' { Operation::Comment } else { Operation::Variation };
                Some(operation(Register::new(digit - b'0')?, self.register()?))
            }
            _ if self.opcode.text == "noop" => Some(Operation::Noop(self.any())),
            _ if self.opcode.text == "draw_decline" => {
                let message = "`draw_decline`; expected `draw_reject`";
                self.report(self.opcode.at, Rule::A8, Severity::Warning, message);
                self.nothing().map(|()| Operation::DrawReject)
            }
            _ => {
                self.unknown();
                None
            }
        }
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

    /// Reports an unknown opcode. Private opcodes are allowed; one that looks like a shared opcode may be a typing
    /// error.
    fn unknown(&mut self) {
        let opcode = self.opcode.text;
        let is_private = opcode.starts_with(|c: char| c.is_ascii_uppercase());
        let is_opcode = opcode.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_private || !is_opcode {
            return;
        }
        let shown = excerpt(opcode);
        let (rule, severity, message) =
            if opcode.len() < 2 || opcode.contains(|c: char| c.is_ascii_uppercase()) {
                let expected = "private opcodes start with a capital, others have no capital and two letters";
                (Rule::A18, Severity::Warning, format!("`{shown}`; {expected}"))
            } else {
                (Rule::F15, Severity::Note, format!("`{shown}` is not an opcode of the standard"))
            };
        self.report(self.opcode.at, rule, severity, message);
    }

    fn report(&mut self, at: usize, rule: Rule, severity: Severity, message: impl Into<String>) {
        self.findings.report(at, rule, severity, message);
    }

    fn refuse<T>(&mut self, at: usize, rule: Rule, message: impl Into<String>) -> Option<T> {
        self.report(at, rule, Severity::Error, message);
        None
    }

    /// Reports a fault of an operand; the message starts with the operand.
    fn report_operand(&mut self, operand: Operand<'a>, rule: Rule, severity: Severity, message: &str) {
        self.report(operand.at, rule, severity, format!("`{}` {message}", excerpt(operand.text)));
    }

    fn refuse_operand<T>(&mut self, operand: Operand<'a>, rule: Rule, message: &str) -> Option<T> {
        self.report_operand(operand, rule, Severity::Error, message);
        None
    }

    /// Reports an error at the first operand, or at the opcode if there is none.
    fn refuse_first<T>(&mut self, rule: Rule, expected: &str) -> Option<T> {
        let (at, found) = match self.given {
            [] => (self.opcode.at, "no operand".to_owned()),
            [operand, ..] => (operand.at, format!("`{}`", excerpt(operand.text))),
        };
        self.refuse(at, rule, format!("`{}` has {found}; expected {expected}", excerpt(self.opcode.text)))
    }

    /// Reports an error at a superfluous operand.
    fn refuse_second<T>(&mut self, at: usize, expected: &str) -> Option<T> {
        let opcode = excerpt(self.opcode.text);
        self.refuse(at, Rule::O1, format!("`{opcode}` has too many operands; expected {expected}"))
    }

    pub(super) fn nothing(&mut self) -> Option<()> {
        if self.given.is_empty() { Some(()) } else { self.refuse_first(Rule::O1, "no operand") }
    }

    /// Returns the only operand, which must not be a string.
    fn only(&mut self, expected: &str) -> Option<&'a str> {
        match self.given {
            [Operand { text, is_string: false, .. }] => Some(text),
            [_] | [] => self.refuse_first(Rule::O1, expected),
            [_, second, ..] => self.refuse_second(second.at, expected),
        }
    }

    fn integer(&mut self, range: RangeInclusive<i64>) -> Option<i64> {
        let expected = || match range.end() {
            &i64::MAX => format!("an integer of at least {}", range.start()),
            end => format!("an integer from {} to {end}", range.start()),
        };
        let takes_strings = self.repairs.contains(Repair::Numbers);
        let [Operand { text, is_string, .. }] = self.given else {
            return self.only(&expected()).and(None);
        };
        if *is_string && !takes_strings {
            return self.only(&expected()).and(None);
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| is_integer && range.contains(number));
        let Some(number) = number else {
            let repairs = self.repairs.contains(Repair::Numbers);
            let repaired = repaired_number(text, self.opcode.text == "ce").filter(|_| repairs);
            let Some(number) = repaired.filter(|number| range.contains(number)) else {
                return self.refuse_first(Rule::T3, &expected());
            };
            self.repaired_number_told(number);
            return Some(number);
        };
        let plain = digits.len() == 1 || !digits.starts_with('0');
        if *is_string {
            self.repaired_number_told(number);
        } else if text.starts_with('+') || !plain || *text == "-0" {
            self.report_operand(self.given[0], Rule::T3, Severity::Warning, &format!("write {number}"));
        }
        Some(number)
    }

    fn repaired_number_told(&mut self, number: i64) {
        let Operand { text, at, .. } = self.given[0];
        let message = format!("`{}` write {number}", excerpt(text));
        self.findings.report_repaired(at, Rule::T3, Repair::Numbers, message);
    }

    pub(super) fn count(&mut self) -> Option<u32> {
        self.integer(COUNT).map(|count| count as u32)
    }

    pub(super) fn large_count(&mut self) -> Option<u64> {
        self.integer(LARGE_COUNT).map(|count| count as u64)
    }

    pub(super) fn positive(&mut self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.integer(1..=*COUNT.end())? as u32)
    }

    pub(super) fn evaluation(&mut self) -> Option<EpdEvaluation> {
        EpdEvaluation::new(self.integer(-32_768..=32_766)?)
    }

    pub(super) fn command(&mut self) -> Option<RefereeCommand> {
        self.word("a command of a referee", RefereeCommand::named)
    }

    pub(super) fn request(&mut self) -> Option<RefereeRequest> {
        self.word("a request of a client", RefereeRequest::named)
    }

    fn word<T>(&mut self, expected: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.only(expected)?;
        read(text).or_else(|| self.refuse_first(Rule::O1, expected))
    }

    /// Returns the text of an operand with its escapes decoded. Without escapes a quotation mark becomes an apostrophe.
    fn text(&self, operand: Operand<'a>) -> Text<'a> {
        match self.escapes.decode(operand.text) {
            Cow::Borrowed(text) if self.escapes == Escapes::None => cleaned(text),
            Cow::Borrowed(text) => printing(text),
            Cow::Owned(text) => Cow::Owned(printing(&text).into_owned()),
        }
    }

    /// Returns the text of a string operand. Missing quotation marks are a warning, because many programs omit them.
    fn string(&mut self, operand: Operand<'a>) -> Text<'a> {
        if !operand.is_string {
            self.report_operand(operand, Rule::T8, self.severity_of_bare(operand.text), BARE);
        }
        self.text(operand)
    }

    /// A text without quotation marks can be put in them, unless it has one inside: strings can't.
    fn severity_of_bare(&self, text: &str) -> Severity {
        if text.contains('"') && self.escapes == Escapes::None { Severity::Error } else { Severity::Warning }
    }

    /// Reads a string or no operand.
    #[expect(clippy::option_option, reason = "the outer `None` stands for invalid operands")]
    pub(super) fn register(&mut self) -> Option<Option<Text<'a>>> {
        if self.given.is_empty() { Some(None) } else { self.only_string().map(Some) }
    }

    /// Reads one string. Words without quotation marks are joined.
    pub(super) fn only_string(&mut self) -> Option<Text<'a>> {
        match self.given {
            [operand] => Some(self.string(*operand)),
            [first, ..] if self.given.iter().all(|operand| !operand.is_string) => {
                let words: Vec<&str> = self.given.iter().map(|operand| operand.text).collect();
                let words = words.join(" ");
                let message = format!("`{}` {BARE}", excerpt(&words));
                self.report(first.at, Rule::T8, self.severity_of_bare(&words), message);
                Some(Cow::Owned(cleaned(&words).into_owned()))
            }
            [] => self.refuse_first(Rule::O1, "a string"),
            [_, second, ..] => self.refuse_second(second.at, "one string"),
        }
    }

    pub(super) fn contact(&mut self) -> Option<Contact<'a>> {
        match *self.given {
            [address, name] => Some(Contact { address: self.string(address), name: self.string(name) }),
            _ => self.refuse_first(Rule::O1, "two strings: an address and a name"),
        }
    }

    pub(super) fn tags(&mut self) -> Option<Vec<(Text<'a>, Text<'a>)>> {
        let (pairs, rest) = self.given.as_chunks::<2>();
        if pairs.is_empty() || !rest.is_empty() {
            let expected = "pairs of a tag name and a value in quotation marks";
            return self.refuse_first(Rule::O1, expected);
        }
        let mut tags: Vec<(Text<'a>, Text<'a>)> = Vec::with_capacity(pairs.len());
        for [name, value] in pairs {
            if name.is_string || !is_identifier(name.text) {
                return self.refuse_operand(*name, Rule::T1, "is not a tag name");
            }
            if tags.iter().any(|(known, _)| known == name.text) {
                let message = format!("duplicate tag `{}`", excerpt(name.text));
                return self.refuse(name.at, Rule::X8, message);
            }
            tags.push((Cow::Borrowed(name.text), self.string(*value)));
        }
        Some(tags)
    }

    pub(super) fn clocks(&mut self) -> Option<ByColor<ClockTime>> {
        let [white, black] = *self.given else {
            return self.refuse_first(Rule::O1, "two clocks, ddd:hh:mm:ss");
        };
        // Both are read first, so that faults of both are reported.
        let (white, black) = (self.clock(white), self.clock(black));
        Some(ByColor { white: white?, black: black? })
    }

    fn clock(&mut self, operand: Operand<'a>) -> Option<ClockTime> {
        let clock = ClockTime::read(operand.text).filter(|_| !operand.is_string);
        clock.or_else(|| self.refuse_operand(operand, Rule::T7, "is not a clock time; expected ddd:hh:mm:ss"))
    }

    pub(super) fn moment(&mut self) -> Option<PrimitiveDateTime> {
        let [day, hour] = *self.given else {
            return self.refuse_first(Rule::O1, "YYYY.MM.DD hh:mm:ss");
        };
        let Some(date) = read_date(day.text).filter(|_| !day.is_string) else {
            return self.refuse_operand(day, Rule::T5, "is not a date; expected YYYY.MM.DD");
        };
        let short = numbers(hour.text, ':', [2, 2]).map(|[hour, minute]| [hour, minute, 0]);
        if short.is_some() {
            let message = "has no seconds; 00 is assumed";
            self.report_operand(hour, Rule::A1, Severity::Warning, message);
        }
        let time = short.or_else(|| numbers(hour.text, ':', [2, 2, 2])).filter(|_| !hour.is_string);
        let time = time.map(|time| time.map(|part| part as u8));
        let Some(time) = time.and_then(|[hour, minute, second]| Time::from_hms(hour, minute, second).ok())
        else {
            return self.refuse_operand(hour, Rule::T6, "is not a time of day; expected hh:mm:ss");
        };
        Some(PrimitiveDateTime::new(date, time))
    }
}

/// Moves.
impl<'a, 'f> Operands<'a, 'f> {
    /// Returns the operands as texts of moves. Commas between moves are skipped.
    fn move_texts(&mut self) -> Option<impl Iterator<Item = (&'a str, usize)> + Clone + use<'a, 'f>> {
        for operand in self.given {
            if operand.is_string {
                return self.refuse_operand(*operand, Rule::T2, "is a string; expected a move");
            }
            if self.moves.passes_over(operand.text) {
                let message = format!("`{}` is not a move; it is left out", excerpt(operand.text));
                self.findings.report_repaired(operand.at, Rule::T2, Repair::Moves, message);
            }
            if operand.text.contains(',') {
                self.report(operand.at, Rule::F9, Severity::Warning, "commas between moves");
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
        let moves = self.moves;
        let texts = self.given.iter().flat_map(between_commas);
        Some(texts.filter(move |(text, _)| !text.is_empty() && !moves.passes_over(text)))
    }

    pub(super) fn only_move(&mut self) -> Option<EpdMove<'a>> {
        let mut texts = self.move_texts()?;
        match (texts.next(), texts.next()) {
            (Some((text, at)), None) => Some(self.moves.one(text, at, self.findings)),
            (None, _) => self.refuse_first(Rule::O1, "one move"),
            (_, Some((_, at))) => self.refuse_second(at, "one move"),
        }
    }

    pub(super) fn line(&mut self) -> Option<Vec<EpdMove<'a>>> {
        let texts = self.move_texts()?;
        Some(self.moves.line(texts, self.findings))
    }

    /// Returns the distance to mate of `bm #3` or `bm #-2`, in moves: negative if the side to move is mated. Commas
    /// around it are skipped.
    fn mate_distance(&self) -> Option<&'a str> {
        // The first operand excludes nearly all records.
        if !self.given.first().is_some_and(|first| !first.is_string && first.text.starts_with(['#', ','])) {
            return None;
        }
        let mut texts =
            self.given.iter().flat_map(|operand| operand.text.split(',')).filter(|text| !text.is_empty());
        texts.next().filter(|text| text.starts_with('#') && texts.next().is_none())
    }

    /// Converts a distance to mate into `dm` or `ce`.
    fn mate(&mut self, text: &str) -> Option<Operation<'a>> {
        let moves: Option<i64> = text[1..].parse().ok();
        let operation = match moves {
            Some(moves @ 1..=383) => NonZeroU32::new(moves as u32).map(Operation::Dm),
            Some(moves @ -383..=-1) => EpdEvaluation::of(Score::MatedIn(-moves as u32)).map(Operation::Ce),
            _ => None,
        };
        let read = operation.filter(|_| self.mates);
        let at = self.given[0].at;
        let message = |instead: &str| format!("`{}` is not a move; {instead}", excerpt(text));
        match (&read, moves) {
            (Some(operation), _) => {
                let message = message(&format!("read as `{}`", operation.opcode()));
                self.findings.report_repaired(at, Rule::T2, Repair::Mates, message);
            }
            (None, Some(-383..=-1)) => {
                let message = message("expected moves; a mate of the side to move belongs in `ce`");
                self.report(at, Rule::T2, Severity::Error, message);
            }
            _ => {
                let message = message("expected moves; a distance to mate belongs in `dm`");
                self.report(at, Rule::T2, Severity::Error, message);
            }
        }
        read
    }

    /// Reads a set of moves, which is kept in ASCII order without duplicates.
    pub(super) fn move_set(&mut self) -> Option<Vec<EpdMove<'a>>> {
        let texts = self.move_texts()?;
        let (reader, findings) = (self.moves, &mut *self.findings);
        let mut moves: Vec<_> = texts.clone().map(|(text, at)| reader.one(text, at, findings)).collect();
        if moves.len() > 1 {
            if !texts.is_sorted_by_key(|(text, _)| text) {
                let at = self.given[0].at;
                self.report(at, Rule::F14, Severity::Note, "the moves are not in ASCII order");
            }
            let count = moves.len();
            moves.sort_by_cached_key(EpdMove::text);
            moves.dedup();
            if moves.len() < count {
                self.report(self.given[0].at, Rule::A24, Severity::Warning, "duplicate move");
            }
        }
        Some(moves)
    }
}

/// The number that was meant: with commas between thousands, with decimals (rounded), or an evaluation in pawns with decimals.
fn repaired_number(text: &str, is_evaluation: bool) -> Option<i64> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (sign, unsigned) = match text.strip_prefix(['+', '-']) {
        Some(unsigned) => (if text.starts_with('-') { -1.0 } else { 1.0 }, unsigned),
        None => (1.0, text),
    };
    let mut groups = unsigned.split(',');
    let is_grouped = groups.next().is_some_and(|first| first.len() <= 3 && digits(first))
        && groups.all(|group| group.len() == 3 && digits(group));
    if is_grouped && unsigned.contains(',') {
        return text.replace([',', '+'], "").parse().ok();
    }
    let (whole, part) = unsigned.split_once('.')?;
    if !(digits(whole) && (part.is_empty() || digits(part))) {
        return None;
    }
    // Only an evaluation in pawns has decimals.
    if !is_evaluation && part.bytes().any(|byte| byte != b'0') {
        return None;
    }
    let number: f64 = unsigned.parse().ok()?;
    let number = sign * number * if is_evaluation { 100.0 } else { 1.0 };
    (number.abs() < 1e15).then_some(number.round() as i64)
}

fn read_date(text: &str) -> Option<Date> {
    let [year, month, day] = numbers(text, '.', [4, 2, 2])?;
    let month = Month::try_from(month as u8).ok()?;
    (year > 0).then(|| Date::from_calendar_date(year as i32, month, day as u8).ok())?
}
