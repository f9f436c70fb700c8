//! The symbols of an expression.

use super::ExpressionError;

/// A symbol of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Symbol<'t> {
    Number(f64),
    /// A name or a keyword.
    Word(&'t str),
    /// Text between quotation marks or apostrophes, with the byte offset of its beginning.
    Quoted(&'t str, usize),
    Sign(Sign),
    End,
}

/// An operator or a punctuation mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    And,
    Or,
    Not,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Fits,
    FitsNot,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Open,
    Close,
    Comma,
    Semicolon,
}

/// Signs with their spellings, longer ones before those that they begin with.
const SIGNS: [(&str, Sign); 24] = [
    ("&&", Sign::And),
    ("||", Sign::Or),
    ("==", Sign::Equal),
    ("!=", Sign::Unequal),
    ("<>", Sign::Unequal),
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("=~", Sign::Fits),
    ("!~", Sign::FitsNot),
    ("=", Sign::Equal),
    ("!", Sign::Not),
    ("<", Sign::Less),
    (">", Sign::Greater),
    ("~", Sign::Fits),
    ("+", Sign::Plus),
    ("-", Sign::Minus),
    ("*", Sign::Times),
    ("/", Sign::Over),
    ("%", Sign::Modulo),
    ("(", Sign::Open),
    (")", Sign::Close),
    (",", Sign::Comma),
    (";", Sign::Semicolon),
    ("\u{2212}", Sign::Minus),
];

/// Keywords, in small or in capital letters.
const KEYWORDS: [(&str, Sign); 3] = [("and", Sign::And), ("or", Sign::Or), ("not", Sign::Not)];

/// Reads symbols of a text, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'t> {
    /// The text up to the end of the expression.
    pub(super) text: &'t str,
    /// Byte offset behind the last symbol.
    pub(super) at: usize,
}

impl<'t> Scanner<'t> {
    /// Byte offset of the next symbol.
    pub(super) fn next_place(&self) -> usize {
        let rest = &self.text[self.at..];
        self.at + rest.len() - rest.trim_start().len()
    }

    /// The text from the next symbol on.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.next_place()..]
    }

    /// The next symbol, which stays the next one.
    pub(super) fn peek(&self) -> Result<Symbol<'t>, ExpressionError> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Reads the next symbol.
    pub(super) fn next(&mut self) -> Result<Symbol<'t>, ExpressionError> {
        let begin = self.next_place();
        let rest = self.rest();
        let (symbol, length) = match rest.chars().next() {
            None => (Symbol::End, 0),
            Some(mark @ ('"' | '\'')) => {
                let length =
                    rest[1..].find(mark).ok_or_else(|| self.error(begin, "a text without its end"))?;
                (Symbol::Quoted(&rest[1..=length], begin + 1), length + 2)
            }
            Some(c) if c.is_ascii_digit() => number(rest).ok_or_else(|| self.no_number(begin))?,
            Some(c) if is_letter(c) => {
                let word = leading_word(rest);
                let is_keyword = |keyword: &str| {
                    word == keyword
                        || (word.eq_ignore_ascii_case(keyword) && word == word.to_ascii_uppercase())
                };
                let keyword = KEYWORDS.iter().find(|(keyword, _)| is_keyword(keyword));
                (keyword.map_or(Symbol::Word(word), |(_, sign)| Symbol::Sign(*sign)), word.len())
            }
            Some(c) => {
                let sign = SIGNS.iter().find(|(spelling, _)| rest.starts_with(spelling));
                let unknown =
                    || self.error(begin, format!("`{}` has no meaning here", game::excerpt(&c.to_string())));
                let (spelling, sign) = sign.ok_or_else(unknown)?;
                (Symbol::Sign(*sign), spelling.len())
            }
        };
        self.at = begin + length;
        Ok(symbol)
    }

    fn no_number(&self, at: usize) -> ExpressionError {
        let text = self.text[at..].split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').next();
        let text = game::excerpt(text.unwrap_or_default());
        self.error(at, format!("`{text}` is no number; write a text in quotation marks"))
    }

    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> ExpressionError {
        ExpressionError::new(self.text, at, message)
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// The name that a text begins with; may be empty.
pub(super) fn leading_word(text: &str) -> &str {
    let is_of_word = |c: char| is_letter(c) || c.is_ascii_digit();
    if !text.starts_with(is_letter) {
        return "";
    }
    &text[..text.find(|c| !is_of_word(c)).unwrap_or(text.len())]
}

/// The number that a text begins with, and its length: digits, a decimal point with digits, `e` with digits. `None` if a letter
/// follows.
fn number(text: &str) -> Option<(Symbol<'_>, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(text);
    if text[length..].starts_with('.') {
        length += 1 + digits(&text[length + 1..]);
    }
    if text[length..].starts_with(['e', 'E']) {
        length += 1 + digits(&text[length + 1..]);
    }
    let number: f64 = text[..length].parse().ok()?;
    let is_ended = !text[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (is_ended && number.is_finite()).then_some((Symbol::Number(number), length))
}
