//! A lexer for records: fields, opcodes and operands, borrowed from the line.

use std::borrow::Cow;

use super::{Findings, LONGEST_LINE, Repair, Rule, Severity};
use crate::{counted, excerpt};

/// Escapes in strings. EPD itself has none (EPD specification, 5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escapes {
    /// No escapes.
    #[default]
    None,
    /// `\"` and `\\`, as python-chess writes them.
    Backslash,
    /// The same in strings that have `\"` before their end; the others have none.
    Perhaps,
    /// `\s` for a semicolon, as `ChessDB` writes it.
    ChessDb,
}

impl Escapes {
    /// Decodes the escapes of a string.
    pub fn decode(self, text: &str) -> Cow<'_, str> {
        match self {
            Escapes::Backslash if text.contains('\\') => Cow::Owned(without_backslashes(text)),
            Escapes::Perhaps if text.contains("\\\"") => Cow::Owned(without_backslashes(text)),
            Escapes::ChessDb if text.contains("\\s") => Cow::Owned(text.replace("\\s", ";")),
            _ => Cow::Borrowed(text),
        }
    }

    /// Encodes a text for a string. EPD itself can't write a quotation mark in a string; it becomes an apostrophe.
    pub fn encode(self, text: &str) -> Cow<'_, str> {
        match self {
            Escapes::Backslash if text.contains(['"', '\\']) => {
                Cow::Owned(text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Escapes::ChessDb if text.contains(['"', ';']) => {
                Cow::Owned(text.replace('"', "'").replace(';', "\\s"))
            }
            Escapes::None | Escapes::Perhaps if text.contains('"') => Cow::Owned(text.replace('"', "'")),
            _ => Cow::Borrowed(text),
        }
    }

    /// Length of a string up to its closing quotation mark; `None` if it is not closed.
    fn end_of_string(self, bytes: &[u8]) -> Option<usize> {
        if self == Escapes::Perhaps {
            let escaped = Escapes::Backslash.end_of_string(bytes).filter(|end| is_end(bytes, *end));
            return escaped.or_else(|| Escapes::None.end_of_string(bytes));
        }
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => return Some(at),
                b'\\' if self == Escapes::Backslash => at += 2,
                _ => at += 1,
            }
        }
        None
    }
}

fn without_backslashes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let escaped = rest.next_if(|next| c == '\\' && matches!(next, '"' | '\\'));
        plain.push(escaped.unwrap_or(c));
    }
    plain
}

/// A field or an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The text of the word.
    pub text: &'a str,
    /// Byte offset in the line.
    pub at: usize,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// The text of the operand; of a string, the text between the quotation marks.
    pub text: &'a str,
    /// Whether the operand is in quotation marks.
    pub is_string: bool,
    /// Byte offset in the line.
    pub at: usize,
}

/// Splits a record into tokens. Call [`Lexer::fields`] and [`Lexer::counters`] first, then [`Lexer::opcode`] for each operation
/// and [`Lexer::operand`] for each of its operands.
///
/// The lexer recovers from all faults and reports them in `findings`.
///
/// ```
/// use game::epd::{Escapes, Lexer};
///
/// let mut lexer = Lexer::new("4k3/8/8/8/8/8/8/4KQ2 w - - bm Qf7; id \"a; b\";", 1, Escapes::None);
/// assert_eq!(lexer.fields().unwrap()[1].text, "w");
/// assert_eq!(lexer.opcode().unwrap().text, "bm");
/// assert_eq!(lexer.operand().unwrap().text, "Qf7");
/// assert_eq!(lexer.operand(), None);
/// assert_eq!(lexer.opcode().unwrap().text, "id");
/// assert_eq!(lexer.operand().unwrap().text, "a; b");
/// assert!(lexer.findings.faults.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    escapes: Escapes,
    /// Whether the current operation has more text before its semicolon.
    is_open: bool,
    /// Whether the last operation ended with a semicolon.
    has_semicolon: bool,
    /// Whether a string without its closing quotation mark ends before the last semicolon of the line. By default it is an error.
    pub closes_strings: bool,
    /// Faults found so far.
    pub findings: Findings<'a>,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer for a line without its line end. `line` is its number, for faults.
    pub fn new(text: &'a str, line: u64, escapes: Escapes) -> Lexer<'a> {
        let mut lexer = Lexer {
            text,
            at: 0,
            escapes,
            is_open: false,
            has_semicolon: false,
            closes_strings: false,
            findings: Findings::new(text, line),
        };
        if text.len() > LONGEST_LINE {
            let length = text.len();
            let message = format!("the line has {length} characters; expected at most {LONGEST_LINE}");
            lexer.warn(LONGEST_LINE.min(length), Rule::F3, message);
        }
        if text.starts_with('\u{feff}') {
            lexer.at = '\u{feff}'.len_utf8();
            lexer.warn(0, Rule::F2, "a byte order mark begins the line");
        }
        if let Some(at) = text.trim_end().find('\r') {
            lexer.error(at, Rule::F1, "a carriage return within the line");
        }
        if lexer.skip_blanks() > 0 {
            lexer.warn(lexer.at, Rule::F2, "blanks begin the line");
        }
        lexer
    }

    /// The whole line.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Byte offset of the next token.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The text from byte offset `begin` to the next token, which is the whole of an operation that begins there and has been
    /// taken; `None` if no semicolon ends it.
    pub fn whole_operation(&self, begin: usize) -> Option<&'a str> {
        self.text.get(begin..self.at).filter(|_| !self.is_open && self.has_semicolon)
    }

    /// The four fields of the position; `None` if there are fewer.
    pub fn fields(&mut self) -> Option<[Word<'a>; 4]> {
        let mut fields = [Word { text: "", at: 0 }; 4];
        for (count, field) in fields.iter_mut().enumerate() {
            if count > 0 {
                self.gap(Rule::F2);
            }
            *field = self.word();
            if field.text.is_empty() {
                let fields = counted(count as u64, "field");
                let message = format!("{fields}; expected four: board, side to move, castling, en passant");
                self.error(self.at, Rule::F1, message);
                return None;
            }
        }
        Some(fields)
    }

    /// The counters of a FEN, which are not allowed in a record but common.
    pub fn counters(&mut self) -> [Option<Word<'a>>; 2] {
        let mut counters = [None; 2];
        let mut count = 0;
        loop {
            let before = self.at;
            let is_apart = self.skip_blanks() > 0;
            let word = self.word();
            let is_number = !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit());
            if is_apart && is_number && count < 2 {
                counters[count] = Some(word);
                count += 1;
                self.warn(word.at, Rule::F8, format!("`{}` is the counter of a FEN", excerpt(word.text)));
            } else if is_apart && word.text == "-" {
                self.warn(word.at, Rule::F1, "`-` is a fifth field");
            } else {
                self.at = before;
                return counters;
            }
        }
    }

    /// The opcode of the next operation. Skips the rest of the current operation.
    pub fn opcode(&mut self) -> Option<Word<'a>> {
        while self.operand().is_some() {}
        self.findings.opcode = None;
        self.skip_empty_operations();
        self.gap(Rule::F9);
        if self.at == self.text.len() {
            return None;
        }
        let word = self.word_before(|byte| ends_word(byte) || byte == b'"');
        self.findings.opcode = Some(word.text);
        (self.is_open, self.has_semicolon) = (true, false);
        self.check_opcode(word);
        Some(word)
    }

    /// The next operand of the current operation.
    pub fn operand(&mut self) -> Option<Operand<'a>> {
        if !self.is_open {
            return None;
        }
        let blank = self.at;
        let is_apart = self.skip_one_space();
        let blanks = if is_apart { 1 } else { self.skip_blanks() };
        match self.peek() {
            None => {
                self.is_open = false;
                self.warn(blank, Rule::F9, "no semicolon after the last operation");
                None
            }
            Some(b';') => {
                (self.is_open, self.has_semicolon) = (false, true);
                if blanks > 0 {
                    self.warn(blank, Rule::F9, "blanks before a semicolon");
                }
                self.at += 1;
                None
            }
            Some(first) => {
                if !is_apart {
                    self.warn(blank, Rule::F9, "expected one space before an operand");
                }
                Some(if first == b'"' { self.string() } else { self.bare() })
            }
        }
    }

    fn skip_empty_operations(&mut self) {
        while self.text.as_bytes()[self.at..].iter().find(|byte| !is_blank(**byte)) == Some(&b';') {
            self.skip_blanks();
            self.warn(self.at, Rule::F9, "a semicolon without an operation");
            self.at += 1;
        }
    }

    fn string(&mut self) -> Operand<'a> {
        let at = self.at;
        let rest = &self.text[at + 1..];
        let end = self.escapes.end_of_string(rest.as_bytes()).filter(|&end| end < rest.len());
        let text = match end {
            Some(end) => &rest[..end],
            None if self.closes_strings => rest.trim_end().trim_end_matches([';', ' ', '\t']),
            None => rest.trim_end(),
        };
        self.at = end.map_or(self.text.len(), |end| at + 1 + end + 1);
        if end.is_none() {
            let message = "a string without the quotation mark at its end";
            if self.closes_strings {
                self.findings.report_repaired(at, Rule::F11, Repair::Quotes, message);
            } else {
                self.error(at, Rule::F11, message);
            }
        } else if self.escapes == Escapes::None && text.ends_with('\\') && has_another_end(rest) {
            let message = "a string with `\\\"`, which would not end it if EPD had escapes";
            self.error(at, Rule::F11, message);
        } else if self.peek().is_some_and(|next| !ends_word(next)) {
            self.error(self.at, Rule::F11, "text directly behind a string; expected a space or a semicolon");
        }
        if text.len() > super::LONGEST_STRING {
            self.warn(at, Rule::F11, format!("a string of {} bytes; expected less than 256", text.len()));
        }
        self.check_characters(text, at, "a string");
        Operand { text, is_string: true, at }
    }

    fn bare(&mut self) -> Operand<'a> {
        let Word { text, at } = self.word();
        self.check_characters(text, at, "an operand");
        Operand { text, is_string: false, at }
    }

    /// Reports characters that are not printing ASCII. Control characters are errors, as they can't be written again.
    fn check_characters(&mut self, text: &str, at: usize, what: &str) {
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return;
        }
        if text.contains(char::is_control) {
            self.error(at, Rule::F11, format!("{what} with control characters"));
        } else {
            self.warn(at, Rule::F11, format!("{what} with characters that are not printing ASCII"));
        }
    }

    fn check_opcode(&mut self, word: Word<'a>) {
        if !is_opcode(word.text) {
            let text = excerpt(word.text);
            let message =
                format!("`{text}` is no opcode: a letter, then up to 14 letters, digits or underscores");
            self.error(word.at, Rule::F10, message);
        }
    }

    /// The text up to the next blank or semicolon; may be empty.
    fn word(&mut self) -> Word<'a> {
        self.word_before(ends_word)
    }

    /// The text before the first byte that `ends` accepts: a blank, a semicolon or a quotation mark.
    fn word_before(&mut self, ends: impl Fn(u8) -> bool) -> Word<'a> {
        let at = self.at;
        let rest = &self.text.as_bytes()[at..];
        let mut length = end_of_word(rest);
        while rest.get(length).is_some_and(|byte| !ends(*byte)) {
            length += 1 + end_of_word(&rest[length + 1..]);
        }
        self.at += length;
        Word { text: &self.text[at..self.at], at }
    }

    /// Skips the blanks before a field or an opcode. Expects one space, and none at the end of the line.
    fn gap(&mut self, rule: Rule) {
        let at = self.at;
        if self.skip_one_space() {
            return;
        }
        let blanks = self.skip_blanks();
        let is_end = self.at == self.text.len();
        if is_end && blanks > 0 {
            self.warn(at, rule, "blanks end the line");
        } else if !is_end && at > 0 {
            self.warn(at, rule, "expected one space");
        }
    }

    /// Skips a single space before a token. Other blanks are left to [`Lexer::skip_blanks`].
    fn skip_one_space(&mut self) -> bool {
        let is_one = matches!(self.text.as_bytes()[self.at..], [b' ', next, ..] if !is_blank(next));
        self.at += usize::from(is_one);
        is_one
    }

    fn skip_blanks(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let blanks = rest.iter().position(|byte| !is_blank(*byte)).unwrap_or(rest.len());
        self.at += blanks;
        blanks
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn warn(&mut self, at: usize, rule: Rule, message: impl Into<String>) {
        self.findings.report(at, rule, Severity::Warning, message);
    }

    fn error(&mut self, at: usize, rule: Rule, message: impl Into<String>) {
        self.findings.report(at, rule, Severity::Error, message);
    }
}

/// Whether the rest of a line behind the beginning of a string has an end of the string if `\"` does not end it.
fn has_another_end(rest: &str) -> bool {
    Escapes::Backslash.end_of_string(rest.as_bytes()).is_some_and(|end| is_end(rest.as_bytes(), end))
}

/// Whether what is behind the beginning of a string can end it at a quotation mark: with a blank, a semicolon or the end of the line.
fn is_end(rest: &[u8], mark: usize) -> bool {
    mark < rest.len() && rest.get(mark + 1).is_none_or(|next| ends_word(*next))
}

/// Whether a text has the form of an opcode: a letter, then up to 14 letters, digits or underscores (EPD specification, 5.1).
pub fn is_opcode(text: &str) -> bool {
    is_identifier(text) && text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Whether a text is 1 to 15 letters, digits or underscores (EPD specification, 5.2.1).
pub fn is_identifier(text: &str) -> bool {
    let of_identifier = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=15).contains(&text.len()) && text.bytes().all(of_identifier)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c | b'\r' | b'\n')
}

fn ends_word(byte: u8) -> bool {
    is_blank(byte) || byte == b';'
}

/// Index of the first byte that can end a word: a blank or another control character, a semicolon, a quotation mark. Tests eight
/// bytes at a time, as the lexer spends most of its time here.
fn end_of_word(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x80 * ONES;
    // Only the lowest marked byte is exact; a borrow may mark bytes above it.
    let less = |bytes: u64, than: u8| bytes.wrapping_sub(ONES * u64::from(than)) & !bytes & HIGHS;
    let equal = |bytes: u64, to: u8| less(bytes ^ (ONES * u64::from(to)), 1);
    let first = |eight: [u8; 8]| {
        let eight = u64::from_le_bytes(eight);
        let ends = less(eight, b' ' + 1) | equal(eight, b';') | equal(eight, b'"');
        ends.trailing_zeros() as usize / 8
    };
    let (chunks, rest) = bytes.as_chunks();
    for (count, chunk) in chunks.iter().enumerate() {
        let length = first(*chunk);
        if length < 8 {
            return 8 * count + length;
        }
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    8 * chunks.len() + first(last)
}

/// The position part of an EPD or FEN line: four fields, and the counters if there are any.
pub fn position_part(line: &str) -> &str {
    let mut lexer = Lexer::new(line, 0, Escapes::None);
    let begin = lexer.position();
    if lexer.fields().is_none() {
        return line[begin..lexer.position()].trim_end();
    }
    let counters = lexer.counters();
    let end = counters.iter().flatten().last().map_or(lexer.position(), |word| word.at + word.text.len());
    &line[begin..end]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EMPTY: &str = "8/8/8/8/8/8/8/8 w - -";

    /// The operations of a record as text, and the rules that it breaks.
    fn taken(rest: &str, escapes: Escapes) -> (Vec<String>, Vec<&'static str>) {
        let line = format!("{EMPTY}{rest}");
        let mut lexer = Lexer::new(&line, 1, escapes);
        lexer.fields().expect("four fields");
        let mut operations = Vec::new();
        lexer.counters().iter().flatten().for_each(|word| operations.push(format!("counter {}", word.text)));
        while let Some(opcode) = lexer.opcode() {
            let mut operation = opcode.text.to_owned();
            while let Some(operand) = lexer.operand() {
                let text = escapes.decode(operand.text);
                let shown = if operand.is_string { format!("|\"{text}\"") } else { format!("|{text}") };
                operation.push_str(&shown);
            }
            operations.push(operation);
        }
        (operations, lexer.findings.faults.iter().map(|fault| fault.rule.label()).collect())
    }

    fn expect(rest: &str, operations: &[&str], rules: &[&str]) {
        let (taken, broken) = taken(rest, Escapes::None);
        assert_eq!(
            (taken, broken),
            (operations.iter().map(ToString::to_string).collect(), rules.to_vec()),
            "{rest:?}"
        );
    }

    #[test]
    fn records_as_they_should_be() {
        expect("", &[], &[]);
        expect(" resign;", &["resign"], &[]);
        expect(" bm Qg6 Qh7; id \"a; b\";", &["bm|Qg6|Qh7", "id|\"a; b\""], &[]);
        expect(" noop \"\" 1 - a\"b x;", &["noop|\"\"|1|-|a\"b|x"], &[]);
    }

    proptest! {
        #[test]
        fn words_end_where_the_first_of_such_bytes_is(text in "[a-z\u{0}-\u{3f}é\u{7f}\u{80}]{0,30}") {
            let ends = |byte: u8| byte <= b' ' || byte == b';' || byte == b'"';
            let first = text.bytes().position(ends).unwrap_or(text.len());
            prop_assert_eq!(end_of_word(text.as_bytes()), first);
        }
    }

    #[test]
    fn what_is_found_in_the_wild() {
        expect(" bm e4", &["bm|e4"], &["F9"]);
        expect(";bm e4;", &["bm|e4"], &["F9", "F9"]);
        expect(" bm e4;id \"x\";", &["bm|e4", "id|\"x\""], &["F9"]);
        expect("  bm  e4 ;\t", &["bm|e4"], &["F9", "F9", "F9", "F9"]);
        expect(" ;; bm e4;;", &["bm|e4"], &["F9", "F9", "F9"]);
        expect(" 0 1", &["counter 0", "counter 1"], &["F8", "F8"]);
        expect(" - 0 1; bm e4;", &["counter 0", "counter 1", "bm|e4"], &["F1", "F8", "F8", "F9"]);
        expect(" 3 ;D1 20 ;D2 400", &["counter 3", "D1|20", "D2|400"], &["F8", "F9", "F9", "F9", "F9", "F9"]);
    }

    #[test]
    fn strings_that_do_not_end() {
        expect(" id \"x; y", &["id|\"x; y\""], &["F11", "F9"]);
        expect(" id \"", &["id|\"\""], &["F11", "F9"]);
        expect(" id \"a\"\"b\";", &["id|\"a\"|\"b\""], &["F11", "F9"]);
        expect(" \"a\" b;", &["|\"a\"|b"], &["F10", "F9"]);
    }

    #[test]
    fn a_carriage_return_within_a_line_is_an_error() {
        let errors = |text: &str| {
            let faults = Lexer::new(text, 1, Escapes::None).findings.faults;
            faults.iter().map(ToString::to_string).collect::<Vec<_>>().concat()
        };
        let message = "1:22: error: a carriage return within the line [F1]";
        assert_eq!(errors(&format!("{EMPTY}\r{EMPTY}\r")), message);
        assert_eq!(errors(&format!("{EMPTY} \r\r")), "");
    }

    #[test]
    fn escapes_are_read_on_request() {
        let text = r#" c0 "a \"b\" \\ \s"; c1 "\";"#;
        assert_eq!(taken(text, Escapes::Backslash).0, [r#"c0|"a "b" \ \s""#, r#"c1|"";""#]);
        assert_eq!(taken(r#" c0 "a\s b";"#, Escapes::ChessDb).0, [r#"c0|"a; b""#]);
        assert_eq!(taken(r#" c0 "a\";"#, Escapes::None).0, [r#"c0|"a\""#]);
        let text = r#" c0 "a \"b\" \\"; c1 "\\"; c2 "\"; c3 "x";"#;
        let perhaps = [r#"c0|"a "b" \""#, r#"c1|"\\""#, r#"c2|"\""#, r#"c3|"x""#];
        assert_eq!(taken(text, Escapes::Perhaps).0, perhaps);
    }

    #[test]
    fn fields_and_opcodes_that_are_none() {
        let broken = |line: &str| {
            let mut lexer = Lexer::new(line, 1, Escapes::None);
            let fields = lexer.fields();
            (
                fields.is_some(),
                lexer.findings.faults.iter().map(|fault| fault.rule.label()).collect::<Vec<_>>(),
            )
        };
        assert_eq!(broken(""), (false, vec!["F1"]));
        assert_eq!(broken("8 w; -"), (false, vec!["F2", "F1"]));
        assert_eq!(broken("\u{feff} 8  w - -"), (true, vec!["F2", "F2", "F2"]));
        assert_eq!(broken(&format!("{EMPTY}{}", " ".repeat(5000))), (true, vec!["F3"]));
        expect(" 8x; é 1; abcdefghijklmnop;", &["8x", "é|1", "abcdefghijklmnop"], &["F10", "F10", "F10"]);
    }

    #[test]
    fn the_position_alone() {
        assert_eq!(position_part("8/8 w - - 3 40 \r"), "8/8 w - - 3 40");
        assert_eq!(position_part("\u{feff}8/8 w - - id \"7 8\";"), "8/8 w - -");
        assert_eq!(position_part("8/8  w; x"), "8/8  w");
    }
}
