//! A tokenizer for PGN (PGN standard, 7), which reads line by line.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use memchr::memchr2;

use crate::lines::{LONGEST_LINE, LineRead, NumberedLines};
use crate::{PgnFault, excerpt};

/// A token. Periods, ellipses, move numbers before a period and the mark of DOS for the end of a file are skipped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Tag {
        name: String,
        value: String,
    },
    /// A comment as it is written; line ends are line feeds.
    Comment(String),
    /// An annotation glyph: `$13`, or `!?` and its like.
    Glyph(u8),
    VariationBegin,
    VariationEnd,
    /// A move or a result.
    Word(String),
    /// A number without a period: of a move, if it is the right one. The null move `0000` is a word.
    Number(String),
    /// Text that is not PGN, or that PGN leaves to programs: an escaped line, which begins with `%`, or a reserved token, `<x>`.
    Other(String),
    /// Like `Other`, but a fault.
    Faulty(PgnFault, String),
}

/// Splits a text into tokens.
pub(super) struct Tokenizer<R> {
    lines: NumberedLines<R>,
    /// Lines that were read ahead.
    ahead: VecDeque<(LineRead, String)>,
    /// The line, or a part of one that is longer than [`LONGEST_LINE`].
    line: String,
    /// The number of this line, from 1.
    number: u64,
    /// Byte offset in the line at which the next token is searched.
    at: usize,
    /// The line on which the latest token began.
    pub(super) token_line: u64,
}

impl<R: BufRead> Tokenizer<R> {
    pub(super) fn new(input: R) -> Tokenizer<R> {
        Tokenizer {
            lines: NumberedLines::new(input),
            ahead: VecDeque::new(),
            line: String::new(),
            number: 0,
            at: 0,
            token_line: 0,
        }
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Token>> {
        loop {
            self.complete()?;
            let rest = &self.line[self.at..];
            let Some(first) = rest.chars().next() else {
                let read = self.next_line()?;
                self.token_line = self.number;
                match read {
                    // A line that begins with `%` is an escape (PGN standard, 6).
                    LineRead::Line if self.line.starts_with('%') => {
                        return self.rest_of_line(|text| Token::Other(text.trim_end().to_owned())).map(Some);
                    }
                    LineRead::Line | LineRead::Rest => continue,
                    LineRead::End => return Ok(None),
                }
            };
            self.token_line = self.number;
            return Ok(Some(match first {
                '{' => return self.comment().map(Some),
                ';' => return self.rest_of_line(|text| Token::Comment(text[1..].to_owned())).map(Some),
                '[' => return self.tag().map(Some),
                '(' => self.single(Token::VariationBegin),
                ')' => self.single(Token::VariationEnd),
                '$' => self.numbered_glyph(),
                '!' | '?' => self.glyph(),
                '<' | '>' => {
                    let length = reserved_length(rest);
                    Token::Other(self.take(length).to_owned())
                }
                'e' if rest.starts_with(EN_PASSANT) => {
                    let after = &rest[EN_PASSANT.len()..];
                    let mark = &after[..word_length(after)];
                    let length = if ["+", "#"].contains(&mark) { mark.len() } else { 0 };
                    Token::Other(self.take(EN_PASSANT.len() + length).to_owned())
                }
                skipped
                    if ['.', '…', DOS_END, BYTE_ORDER_MARK].contains(&skipped) || skipped.is_whitespace() =>
                {
                    self.at += skipped.len_utf8();
                    continue;
                }
                _ => match self.word() {
                    Some(token) => token,
                    None => continue,
                },
            }));
        }
    }

    /// Adds the next part of a line, so that no token is cut that is shorter than half a part.
    fn complete(&mut self) -> io::Result<()> {
        if self.is_cut() && self.line.len() - self.at < LONGEST_LINE / 2 {
            let rest = self.line.split_off(self.at);
            self.next_line()?;
            self.line.insert_str(0, &rest);
        }
        Ok(())
    }

    /// Whether the line has another part.
    fn is_cut(&self) -> bool {
        self.ahead.front().map_or(self.lines.is_cut, |(read, _)| *read == LineRead::Rest)
    }

    fn take(&mut self, bytes: usize) -> &str {
        let from = self.at;
        self.at += bytes;
        &self.line[from..self.at]
    }

    /// Reads a token that the line ends.
    fn rest_of_line(&mut self, token: impl FnOnce(&str) -> Token) -> io::Result<Token> {
        let (mut text, mut is_too_long) = (self.line.split_off(self.at), false);
        while self.is_cut() {
            self.next_line()?;
            is_too_long |= text.len() + self.line.len() > LONGEST_LINE;
            if !is_too_long {
                text.push_str(&self.line);
            }
            self.at = self.line.len();
        }
        Ok(if is_too_long { Token::Faulty(PgnFault::TooLong, String::new()) } else { token(&text) })
    }

    /// Reads a word or a number; `None` if it is the number of a move, with a period.
    fn word(&mut self) -> Option<Token> {
        let rest = &self.line[self.at..];
        let length = points_length(rest).unwrap_or_else(|| without_symbols(&rest[..word_length(rest)]));
        let is_before_period = rest[length..].trim_start().starts_with(['.', '…']);
        let word = self.take(length);
        if let Some(glyph) = glyph_of(word) {
            return Some(Token::Glyph(glyph));
        }
        if is_signs(word) {
            return Some(Token::Other(word.to_owned()));
        }
        if word == "0000" || !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Token::Word(word.to_owned()));
        }
        (!is_before_period).then(|| Token::Number(word.to_owned()))
    }

    fn single(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    /// Reads `$` and a number.
    fn numbered_glyph(&mut self) -> Token {
        let digits = self.line[self.at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let text = self.take(1 + digits);
        text[1..].parse().map_or_else(|_| Token::Other(text.to_owned()), Token::Glyph)
    }

    /// Reads one of the marks `!`, `?`, `!!`, `??`, `!?` and `?!` (PGN standard, 8.2.3.8).
    fn glyph(&mut self) -> Token {
        let rest = &self.line[self.at..];
        let number = MARKS.iter().rposition(|mark| rest.starts_with(mark)).unwrap_or(0);
        self.at += MARKS[number].len();
        Token::Glyph(number as u8 + 1)
    }

    /// Reads a tag pair. If there is none, takes the rest of the line.
    fn tag(&mut self) -> io::Result<Token> {
        if let Some((name, value, length)) = tag_pair(&self.line[self.at..]) {
            self.at += length;
            return Ok(Token::Tag { name, value });
        }
        self.rest_of_line(|text| {
            Token::Faulty(PgnFault::Tag { text: excerpt(text) }, text.trim_end().to_owned())
        })
    }

    /// Reads a comment in braces.
    fn comment(&mut self) -> io::Result<Token> {
        self.at += 1;
        let (mut text, mut is_too_long, mut is_surely_closed) = (String::new(), false, false);
        loop {
            let rest = &self.line[self.at..];
            let end = rest.find('}');
            let part = &rest[..end.unwrap_or(rest.len())];
            is_too_long |= text.len() + part.len() > LONGEST_LINE;
            if !is_too_long {
                text.push_str(part);
            }
            self.at += end.map_or(rest.len(), |end| end + 1);
            let is_closed = end.is_some();
            let next = if is_closed { LineRead::End } else { self.next_line()? };
            match next {
                LineRead::Rest => {}
                LineRead::Line if self.goes_on(&mut is_surely_closed)? => text.push('\n'),
                _ if is_too_long => return Ok(Token::Faulty(PgnFault::TooLong, String::new())),
                _ if is_closed => return Ok(Token::Comment(text)),
                // The end of the input or the beginning of the next game.
                LineRead::End | LineRead::Line => {
                    text.truncate(text.trim_end().len());
                    return Ok(Token::Faulty(PgnFault::UnclosedComment, text));
                }
            }
        }
    }

    /// Reads the rest of a variation that is nested too deeply, as text, after its opening parenthesis. One that is not closed is
    /// closed before the next game.
    pub(super) fn deep_variation(&mut self) -> io::Result<Token> {
        let (mut text, mut nesting, mut is_too_long) = ("(".to_owned(), Nesting::default(), false);
        let mut next = LineRead::Rest;
        loop {
            let length = nesting.pass(&self.line[self.at..], next == LineRead::Line);
            is_too_long |= text.len() + length > LONGEST_LINE;
            let part = self.take(length);
            if !is_too_long {
                text.push_str(part);
            }
            next = if nesting.open == 0 { LineRead::End } else { self.next_line()? };
            match next {
                LineRead::Rest => {}
                LineRead::Line if nesting.is_in_comment && self.goes_on(&mut nesting.is_surely_closed)? => {
                    text.push('\n');
                }
                LineRead::Line if !nesting.is_in_comment && tag_pair(&self.line).is_none() => text.push('\n'),
                LineRead::Line | LineRead::End if is_too_long => {
                    return Ok(Token::Faulty(PgnFault::TooLong, String::new()));
                }
                LineRead::Line | LineRead::End => {
                    nesting.close(&mut text);
                    return Ok(Token::Faulty(PgnFault::TooDeep, text));
                }
            }
        }
    }

    /// Whether a comment goes on in the current line: what looks like a tag may belong to it if it `is_surely_closed`.
    fn goes_on(&mut self, is_surely_closed: &mut bool) -> io::Result<bool> {
        if !*is_surely_closed && tag_pair(&self.line).is_some() {
            *is_surely_closed = self.is_closed_ahead()?;
            return Ok(*is_surely_closed);
        }
        Ok(true)
    }

    /// Whether a comment is closed in the current line or later: the next brace closes it. If it opens one, it is that of the next
    /// game. A brace that is further away than a comment is long closes nothing.
    fn is_closed_ahead(&mut self) -> io::Result<bool> {
        let closes = |line: &str| {
            let at = memchr2(b'{', b'}', line.as_bytes())?;
            Some(line.as_bytes()[at] == b'}')
        };
        let (mut answer, mut length, mut place) = (closes(&self.line), self.line.len(), 0);
        while answer.is_none() && length <= LONGEST_LINE {
            if place == self.ahead.len() {
                let mut line = String::new();
                let read = self.lines.read(&mut line)?;
                self.ahead.push_back((read, line));
            }
            let (read, line) = &self.ahead[place];
            if *read == LineRead::End {
                break;
            }
            answer = closes(line);
            length += line.len() + 1;
            place += 1;
        }
        Ok(answer.unwrap_or(false))
    }

    fn next_line(&mut self) -> io::Result<LineRead> {
        self.at = 0;
        let read = match self.ahead.pop_front() {
            Some((read, line)) => {
                self.line = line;
                read
            }
            None => self.lines.read(&mut self.line)?,
        };
        self.number += u64::from(read == LineRead::Line);
        Ok(read)
    }
}

/// The marks of the glyphs `$1` to `$6`, in their order. Those of two characters come after their first character.
pub(super) const MARKS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Symbols of printed games, with their glyphs (PGN standard, 10). None of them is a move.
const SYMBOLS: [(&[&str], u8); 27] = [
    (&["‼"], 3),
    (&["⁇"], 4),
    (&["⁉"], 5),
    (&["⁈"], 6),
    (&["□"], 7),
    (&["="], 10),
    (&["∞"], 13),
    (&["⩲", "+=", "+/="], 14),
    (&["⩱", "=+", "=/+"], 15),
    (&["±", "+/-"], 16),
    (&["∓", "-/+"], 17),
    (&["+-", "+−"], 18),
    (&["-+", "−+"], 19),
    (&["+--", "+−−"], 20),
    (&["--+", "−−+"], 21),
    (&["⊙", "⨀"], 22),
    (&["○"], 26),
    (&["⟳", "↻"], 32),
    (&["↑"], 36),
    (&["→"], 40),
    (&["=∞", "=/∞"], 44),
    (&["⇆", "⇄"], 132),
    (&["⊕"], 138),
    (&["∆", "Δ", "△"], 140),
    (&["⌓"], 142),
    (&["N"], 146),
    (&["D"], 220),
];

/// The open parentheses and the comment of a variation that is read as text.
struct Nesting {
    open: usize,
    is_in_comment: bool,
    /// Whether the end of the comment has been seen.
    is_surely_closed: bool,
}

impl Default for Nesting {
    fn default() -> Nesting {
        Nesting { open: 1, is_in_comment: false, is_surely_closed: false }
    }
}

impl Nesting {
    /// The length of the part of a line that belongs to the variation.
    fn pass(&mut self, line: &str, is_whole: bool) -> usize {
        if is_whole && line.starts_with('%') && !self.is_in_comment {
            return line.len();
        }
        for (at, c) in line.char_indices() {
            match c {
                '}' => (self.is_in_comment, self.is_surely_closed) = (false, false),
                _ if self.is_in_comment => {}
                '{' => self.is_in_comment = true,
                ';' => break,
                '(' => self.open += 1,
                ')' => self.open -= 1,
                _ => {}
            }
            if self.open == 0 {
                return at + 1;
            }
        }
        line.len()
    }

    /// Closes what is open. A comment that ends with its line may be the last one.
    fn close(&self, text: &mut String) {
        if self.open == 0 {
            return;
        }
        text.truncate(text.trim_end().len());
        text.push_str(if self.is_in_comment { "}\n" } else { "\n" });
        text.push_str(&")".repeat(self.open));
    }
}

/// The length of a reserved token, `<` up to `>` without white space, or of a reserved character.
fn reserved_length(text: &str) -> usize {
    let end = text[1..].find(|c: char| c.is_whitespace() || "<>{}();".contains(c)).map(|at| at + 1);
    end.filter(|end| text[*end..].starts_with('>') && text.starts_with('<')).map_or(1, |end| end + 1)
}

/// Ctrl-Z, with which DOS ended text files.
const DOS_END: char = '\u{1a}';

/// Begins some files, and stands within those that were joined.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// An old mark of en passant captures.
const EN_PASSANT: &str = "e.p.";

/// Characters besides white space that end a word. A period or an ellipsis does, too.
const WORD_ENDS: &str = "{}()[];$!?<>*\u{1a}";

/// The length of the word that `text` begins with, at least one character.
fn word_length(text: &str) -> usize {
    let ends = |&(at, c): &(usize, char)| {
        c.is_whitespace()
            || matches!(c, '.' | '…')
            || WORD_ENDS.contains(c)
            || text[at..].starts_with(EN_PASSANT)
    };
    text.char_indices().skip(1).find(ends).map_or(text.len(), |(at, _)| at)
}

/// The glyph of a symbol.
fn glyph_of(word: &str) -> Option<u8> {
    // Most words are moves.
    if word.len() > 1 && word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    SYMBOLS.iter().find(|(symbols, _)| symbols.contains(&word)).map(|(_, glyph)| *glyph)
}

/// Whether a character is a symbol that no move has.
fn is_sign(c: char) -> bool {
    c == '~' || !c.is_ascii() && !c.is_alphanumeric()
}

/// Whether a word is no move: signs, or those of a check behind a mark, as in `e4!+`.
fn is_signs(word: &str) -> bool {
    word.chars().all(|c| is_sign(c) || matches!(c, '+' | '#'))
}

/// The length of the move or symbol before the symbols that a word ends with, as in `Nf6-+`; that of the word if it is neither.
fn without_symbols(word: &str) -> usize {
    let mut length = word.len();
    while let symbol = symbol_length(&word[..length])
        && symbol > 0
        && symbol < length
    {
        length -= symbol;
    }
    let is_move = word.starts_with(|c: char| c.is_alphabetic() || c == '0');
    let is_symbol = glyph_of(&word[..length]).is_some() || is_signs(&word[..length]);
    if is_move || is_symbol { length } else { word.len() }
}

/// The length of the longest symbol that a word ends with; 0 without one. `N` and `D` may be promotions of pawns on the last ranks.
fn symbol_length(word: &str) -> usize {
    if word.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        let before = word.strip_suffix(['N', 'D']).unwrap_or_default().trim_end_matches(['+', '#']);
        let is_of_piece = word.starts_with(['K', 'Q', 'R', 'B', 'N', 'O']);
        return usize::from(before.ends_with(|c| match c {
            '2'..='7' => true,
            '1' | '8' | 'O' => is_of_piece,
            _ => false,
        }));
    }
    let symbols = SYMBOLS.iter().flat_map(|(symbols, _)| *symbols);
    let longest = symbols.filter(|symbol| word.ends_with(**symbol)).map(|symbol| symbol.len()).max();
    let sign = word.chars().next_back().filter(|c| is_sign(*c)).map_or(0, char::len_utf8);
    longest.unwrap_or(sign)
}

/// The length of the numbers with points that `text` begins with, such as `0.5-0.5`; `None` if it begins with something else, or
/// with the number of a move before the result or castling with zeros.
fn points_length(text: &str) -> Option<usize> {
    let end = text.find(|c: char| c.is_whitespace() || WORD_ENDS.contains(c)).unwrap_or(text.len());
    let numbers = text[..end].trim_end_matches('.');
    let (number, rest) = numbers.split_once('.')?;
    // Of an evaluation.
    let number = number.strip_prefix(['+', '-']).unwrap_or(number);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b".-/".contains(&byte));
    let rest = rest.trim_start_matches('.');
    let is_of_move = ["1-0", "0-1", "1/2-1/2", "0-0", "0-0-0"].contains(&rest);
    let begins = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (begins && is_number(rest) && !is_of_move).then_some(numbers.len())
}

/// Name, value and length of the tag pair that `text` begins with.
fn tag_pair(text: &str) -> Option<(String, String, usize)> {
    let rest = text.strip_prefix('[')?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|&end| end > 0)?;
    let (name, rest) = rest.split_at(end);
    let rest = rest.trim_start().strip_prefix('"')?;
    let pair = quoted(rest).and_then(|(value, rest)| Some((value, rest.trim_start().strip_prefix(']')?)));
    // Some programs write quotation marks without an escape.
    let whole = || rest.trim_end().strip_suffix("\"]").filter(|value| !has_tag(value));
    let (value, rest) = pair.or_else(|| Some((whole()?.to_owned(), "")))?;
    Some((name.to_owned(), value, text.len() - rest.len()))
}

/// Whether another tag pair begins in what seems to be the value of one.
fn has_tag(value: &str) -> bool {
    value.split(']').skip(1).any(|text| {
        let tag = text.trim_start().strip_prefix('[').unwrap_or_default().trim_start();
        let rest = tag.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        rest.len() < tag.len() && rest.trim_start().starts_with('"')
    })
}

/// The text before the closing quote and the text after it. A backslash escapes the next character.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.chars();
    loop {
        match letters.next()? {
            '"' => return Some((value, letters.as_str())),
            '\\' => value.push(letters.next()?),
            c => value.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &[u8]) -> Vec<(u64, Token)> {
        let mut lexer = Tokenizer::new(text);
        std::iter::from_fn(|| lexer.next().unwrap().map(|token| (lexer.token_line, token))).collect()
    }

    fn words(text: &str) -> Vec<String> {
        let word = |(_, token)| match token {
            Token::Word(word) => word,
            other => format!("{other:?}"),
        };
        tokens(text.as_bytes()).into_iter().map(word).collect()
    }

    #[test]
    fn words_end_where_the_standard_says() {
        assert_eq!(
            words("1.e4 e5 2 . Nf3$13Nc6?!3. d4 exd6 e.p. 1/2-1/2*"),
            [
                "e4",
                "e5",
                "Nf3",
                "Glyph(13)",
                "Nc6",
                "Glyph(6)",
                "d4",
                "exd6",
                "Other(\"e.p.\")",
                "1/2-1/2",
                "*"
            ]
        );
        assert_eq!(
            words("0.5-0.5 3.14. 1.0-0 2.1-0 1.e4 12 0000"),
            ["0.5-0.5", "3.14", "0-0", "1-0", "e4", "Number(\"12\")", "0000"]
        );
        assert_eq!(words("exd6e.p. +0.3 -1.25 e4"), ["exd6", "Other(\"e.p.\")", "+0.3", "-1.25", "e4"]);
        assert_eq!(
            words("Nf6-+ 0-0+- e4= Qh5+∞ e8D exd8=N+ 0-1 -1.25"),
            [
                "Nf6",
                "Glyph(19)",
                "0-0",
                "Glyph(18)",
                "e4",
                "Glyph(10)",
                "Qh5+",
                "Glyph(13)",
                "e8D",
                "exd8=N+",
                "0-1",
                "-1.25"
            ]
        );
        assert_eq!(
            words("e4=∞ e4== Nf3±= Nf3+/= exd6e.p.+ exd6 e.p.#"),
            [
                "e4",
                "Glyph(44)",
                "e4",
                "Glyph(10)",
                "Glyph(10)",
                "Nf3",
                "Glyph(16)",
                "Glyph(10)",
                "Nf3",
                "Glyph(14)",
                "exd6",
                "Other(\"e.p.+\")",
                "exd6",
                "Other(\"e.p.#\")"
            ]
        );
        assert_eq!(
            words("Nb1N O-OD bxa8N e4□ e4N e4+D e8N Nc6⟳ e4≅□ e4--+ Qxe7#N ♘f3□ 1…c5… e4!+"),
            [
                "Nb1",
                "Glyph(146)",
                "O-O",
                "Glyph(220)",
                "bxa8N",
                "e4",
                "Glyph(7)",
                "e4",
                "Glyph(146)",
                "e4+",
                "Glyph(220)",
                "e8N",
                "Nc6",
                "Glyph(32)",
                "e4",
                "Other(\"≅\")",
                "Glyph(7)",
                "e4",
                "Glyph(21)",
                "Qxe7#",
                "Glyph(146)",
                "♘f3□",
                "c5",
                "e4",
                "Glyph(1)",
                "Other(\"+\")"
            ]
        );
        assert_eq!(words("≅= ~ -- @@@@"), ["Other(\"≅\")", "Glyph(10)", "Other(\"~\")", "--", "@@@@"]);
        assert_eq!(words("1. e4\x1a 1-0\x1a\n\x1a"), ["e4", "1-0"]);
        assert_eq!(words("} ]\n% 1. e4 \n *"), ["}", "]", "Other(\"% 1. e4\")", "*"]);
    }

    #[test]
    fn marks_are_glyphs() {
        let glyphs =
            |text: &str| tokens(text.as_bytes()).into_iter().map(|(_, token)| token).collect::<Vec<_>>();
        let numbers = |text: &str| {
            let number = |token| if let Token::Glyph(number) = token { number } else { panic!("{token:?}") };
            glyphs(text).into_iter().map(number).collect::<Vec<_>>()
        };
        assert_eq!(numbers("! ? !! ?? !? ?! $0 $255 $007"), [1, 2, 3, 4, 5, 6, 0, 255, 7]);
        assert_eq!(numbers("!!!"), [3, 1]);
        assert_eq!(
            numbers("+- !-+ = =+ += +/- -/+ ± ∓ ∞ ⁈ N D =/+ =∞ =+- ±⁉ □⊙→ ↑ ⇆ ∆ ⌓"),
            [
                18, 1, 19, 10, 15, 14, 16, 17, 16, 17, 13, 6, 146, 220, 15, 44, 10, 18, 16, 5, 7, 22, 40, 36,
                132, 140, 142
            ]
        );
        let other = ["$", "$256", "<", "<a1.b>", ">", "<"].map(|text| Token::Other(text.to_owned()));
        assert_eq!(glyphs("$ $256 <<a1.b>> <"), other);
    }

    #[test]
    fn comments_tags_and_variations_know_their_lines() {
        let text = b"\xef\xbb\xbf[ White \"a \\\"b\\\" \\\\\"][Black\"c\"]\n{one\n two }(;rest ] \n)[x]";
        let tag = |name: &str, value: &str| Token::Tag { name: name.into(), value: value.into() };
        let expected = [
            (1, tag("White", "a \"b\" \\")),
            (1, tag("Black", "c")),
            (2, Token::Comment("one\n two ".into())),
            (3, Token::VariationBegin),
            (3, Token::Comment("rest ] ".into())),
            (4, Token::VariationEnd),
            (4, Token::Faulty(PgnFault::Tag { text: "[x]".into() }, "[x]".into())),
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn quotation_marks_without_an_escape_end_with_the_line() {
        let tag = Token::Tag { name: "White".into(), value: "A \"b\" c".into() };
        assert_eq!(tokens(b"[White \"A \"b\" c\"] \n"), [(1, tag)]);
    }

    #[test]
    fn a_faulty_tag_takes_no_other_one() {
        for line in ["[Event \"E\" foo] [White \"z\"]", "[Event \"E\"x][ White\"z\"]"] {
            let fault = Token::Faulty(PgnFault::Tag { text: line.into() }, line.into());
            assert_eq!(tokens(line.as_bytes()), [(1, fault)]);
        }
        let tag = Token::Tag { name: "Event".into(), value: "an \"open\" [A] x".into() };
        assert_eq!(tokens(b"[Event \"an \"open\" [A] x\"]"), [(1, tag)]);
    }

    #[test]
    fn a_comment_that_is_closed_may_have_tags() {
        let comment = |text: &str| (1, Token::Comment(text.into()));
        let text = "see\n[Event \"in\"]\n\n[White \"x\"]\nthere";
        let found = tokens(format!("{{{text}}}\ne4").as_bytes());
        assert_eq!(found, [comment(text), (6, Token::Word("e4".into()))]);
        // The next brace opens a comment of the next game, or is too far away.
        let unclosed = (1, Token::Faulty(PgnFault::UnclosedComment, "a".into()));
        assert_eq!(tokens(b"{a\n[Event \"x\"]\n\n{b}")[0], unclosed);
        let far = format!("{{a\n[Event \"x\"]\n{}}}", "x\n".repeat(LONGEST_LINE / 2));
        let found = tokens(far.as_bytes());
        assert_eq!((&found[0], found[1].0, found[2].0), (&unclosed, 2, 3));
        assert_eq!(found.last().map(|(line, _)| *line), Some(LONGEST_LINE as u64 / 2 + 3));
    }

    #[test]
    fn other_character_sets_are_taken_for_latin_1() {
        let read = |bytes: &[u8]| tokens(bytes).remove(0).1;
        assert_eq!(read(b"{M\xfcller}"), Token::Comment("Müller".into()));
        assert_eq!(read("{Müller}".as_bytes()), Token::Comment("Müller".into()));
    }

    #[test]
    fn what_is_not_closed_ends_before_the_next_tag() {
        let found = tokens(b"{a\n[%clk 0:01]\n[Event \"x\"]");
        let unclosed = |text: &str| (1, Token::Faulty(PgnFault::UnclosedComment, text.into()));
        assert_eq!(found[0], unclosed("a\n[%clk 0:01]"));
        assert!(matches!(&found[1..], [(3, Token::Tag { .. })]), "{found:?}");
        assert_eq!(tokens(b"{a"), [unclosed("a")]);
    }

    #[test]
    fn lines_of_any_length_are_read() {
        let game = "[White \"Ä b\"] {see [Event \"x\"]} 1. e4 (1. é4) e5 <x> 1-0 ";
        let count = 3 * LONGEST_LINE / game.len();
        let mut found = tokens((game.repeat(count) + "{to\nthe end}").as_bytes());
        assert_eq!(found.pop(), Some((1, Token::Comment("to\nthe end".into()))));
        let expected = tokens(game.as_bytes());
        assert_eq!(found.len(), count * expected.len());
        assert!(found.chunks(expected.len()).all(|game| game == expected));
        // No comment of a game is as long as this, nor a word.
        let long = "x ".repeat(LONGEST_LINE);
        let found = tokens(format!("e4 {{{long}}} e5\n*").as_bytes());
        let word = |line: u64, text: &str| (line, Token::Word(text.into()));
        let fault = (1, Token::Faulty(PgnFault::TooLong, String::new()));
        assert_eq!(found, [word(1, "e4"), fault, word(1, "e5"), word(2, "*")]);
        for begin in [";", "[", "\n%"] {
            let found =
                tokens(format!("e4 {begin}{}\n*", "[White \"q\"] ".repeat(LONGEST_LINE / 5)).as_bytes());
            assert!(matches!(&found[..], [_, (_, Token::Faulty(PgnFault::TooLong, _)), _]), "{begin}");
        }
        let kept = tokens("x".repeat(LONGEST_LINE + 1).as_bytes());
        assert_eq!(kept, [word(1, &"x".repeat(LONGEST_LINE)), word(1, "x")]);
    }
}
