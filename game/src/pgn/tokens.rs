//! A tokenizer for PGN (PGN standard, 7), which reads line by line.

use std::io::{self, BufRead};

use crate::lines::{LONGEST_LINE, LineRead, NumberedLines};
use crate::{PgnFault, excerpt};

/// A token. Periods and move numbers are skipped.
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
    /// Text that is not PGN, or that PGN leaves to programs: an escaped line, which begins with `%`, or a reserved token, `<x>`.
    Other(String),
    /// Like `Other`, but a fault.
    Faulty(PgnFault, String),
}

/// Splits a text into tokens.
pub(super) struct Tokenizer<R> {
    lines: NumberedLines<R>,
    line: String,
    /// Byte offset in the line at which the next token is searched.
    at: usize,
    /// The line on which the latest token began.
    pub(super) token_line: u64,
}

impl<R: BufRead> Tokenizer<R> {
    pub(super) fn new(input: R) -> Tokenizer<R> {
        Tokenizer { lines: NumberedLines::new(input), line: String::new(), at: 0, token_line: 0 }
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Token>> {
        loop {
            let rest = &self.line[self.at..];
            let rest_length = rest.len();
            let Some(first) = rest.chars().next() else {
                let read = self.next_line()?;
                self.token_line = self.lines.number;
                match read {
                    // A line that begins with `%` is an escape (PGN standard, 6).
                    LineRead::Line if self.line.starts_with('%') => {
                        return Ok(Some(Token::Other(self.rest_of_line().to_owned())));
                    }
                    LineRead::Line => continue,
                    LineRead::TooLong => return Ok(Some(Token::Faulty(PgnFault::TooLong, String::new()))),
                    LineRead::End => return Ok(None),
                }
            };
            self.token_line = self.lines.number;
            return Ok(Some(match first {
                '{' => return self.comment().map(Some),
                ';' => Token::Comment(self.take(rest_length)[1..].to_owned()),
                '[' => self.tag(),
                '(' => self.single(Token::VariationBegin),
                ')' => self.single(Token::VariationEnd),
                '$' => self.numbered_glyph(),
                '!' | '?' => self.glyph(),
                '<' | '>' => {
                    let length = reserved_length(rest);
                    Token::Other(self.take(length).to_owned())
                }
                // An old mark of en passant captures.
                'e' if rest.starts_with("e.p.") => {
                    self.at += 4;
                    continue;
                }
                skipped if skipped == '.' || skipped.is_whitespace() => {
                    self.at += skipped.len_utf8();
                    continue;
                }
                _ => {
                    let length = word_length(rest);
                    let word = self.take(length);
                    if word.bytes().all(|byte| byte.is_ascii_digit()) {
                        continue;
                    }
                    Token::Word(word.to_owned())
                }
            }));
        }
    }

    fn take(&mut self, bytes: usize) -> &str {
        let from = self.at;
        self.at += bytes;
        &self.line[from..self.at]
    }

    fn rest_of_line(&mut self) -> &str {
        self.take(self.line.len() - self.at).trim_end()
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
    fn tag(&mut self) -> Token {
        let rest = &self.line[self.at..];
        if let Some((name, value, length)) = tag_pair(rest) {
            self.at += length;
            return Token::Tag { name, value };
        }
        let fault = PgnFault::Tag { text: excerpt(rest) };
        Token::Faulty(fault, self.rest_of_line().to_owned())
    }

    /// Reads a comment in braces.
    fn comment(&mut self) -> io::Result<Token> {
        self.at += 1;
        let (mut text, mut is_too_long) = (String::new(), false);
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
                LineRead::Line if tag_pair(&self.line).is_none() => text.push('\n'),
                _ if is_too_long => return Ok(Token::Faulty(PgnFault::TooLong, String::new())),
                _ if is_closed => return Ok(Token::Comment(text)),
                LineRead::TooLong => return Ok(Token::Faulty(PgnFault::TooLong, text)),
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
        loop {
            let length = nesting.pass(&self.line[self.at..], self.at == 0);
            is_too_long |= text.len() + length > LONGEST_LINE;
            let part = self.take(length);
            if !is_too_long {
                text.push_str(part);
            }
            let next = if nesting.open == 0 { LineRead::End } else { self.next_line()? };
            match next {
                LineRead::Line if tag_pair(&self.line).is_none() => text.push('\n'),
                LineRead::TooLong => is_too_long = true,
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

    fn next_line(&mut self) -> io::Result<LineRead> {
        self.at = 0;
        self.lines.read(&mut self.line)
    }
}

/// The marks of the glyphs `$1` to `$6`, in their order. Those of two characters come after their first character.
pub(super) const MARKS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// The open parentheses and the comment of a variation that is read as text.
struct Nesting {
    open: usize,
    is_in_comment: bool,
}

impl Default for Nesting {
    fn default() -> Nesting {
        Nesting { open: 1, is_in_comment: false }
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
                '}' => self.is_in_comment = false,
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

/// The length of the word that `text` begins with, at least one character.
fn word_length(text: &str) -> usize {
    let ends = |(_, c): &(usize, char)| c.is_whitespace() || "{}()[];$.!?<>*".contains(*c);
    text.char_indices().skip(1).find(ends).map_or(text.len(), |(at, _)| at)
}

/// Name, value and length of the tag pair that `text` begins with.
fn tag_pair(text: &str) -> Option<(String, String, usize)> {
    let rest = text.strip_prefix('[')?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|&end| end > 0)?;
    let (name, rest) = rest.split_at(end);
    let rest = rest.trim_start().strip_prefix('"')?;
    let pair = quoted(rest).and_then(|(value, rest)| Some((value, rest.trim_start().strip_prefix(']')?)));
    // Some programs write quotation marks without an escape.
    let (value, rest) = pair.or_else(|| Some((rest.trim_end().strip_suffix("\"]")?.to_owned(), "")))?;
    Some((name.to_owned(), value, text.len() - rest.len()))
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
            ["e4", "e5", "Nf3", "Glyph(13)", "Nc6", "Glyph(6)", "d4", "exd6", "1/2-1/2", "*"]
        );
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
    fn overlong_lines_are_faults_of_their_own() {
        let mut text = vec![b'x'; LONGEST_LINE + 1];
        text.extend(b"\n*");
        let long = Token::Faulty(PgnFault::TooLong, String::new());
        assert_eq!(tokens(&text), [(1, long), (2, Token::Word("*".into()))]);
    }
}
