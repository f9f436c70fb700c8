//! A tokenizer for PGN (PGN standard, 7), which reads line by line.

use std::io::{self, BufRead};

use crate::lines::{LONGEST_LINE, LineRead, NumberedLines};
use crate::{PgnFault, excerpt};

/// A token. Move numbers are words; periods, `!`, `?`, `$1` and `<...>` are skipped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Tag {
        name: String,
        value: String,
    },
    Comment(String),
    VariationBegin,
    VariationEnd,
    /// A move, a move number or a result.
    Word(String),
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

/// A token or a fault, after which reading can continue.
type Lexed = Result<Token, PgnFault>;

impl<R: BufRead> Tokenizer<R> {
    pub(super) fn new(input: R) -> Tokenizer<R> {
        Tokenizer { lines: NumberedLines::new(input), line: String::new(), at: 0, token_line: 0 }
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Lexed>> {
        loop {
            let rest = &self.line[self.at..];
            let Some(first) = rest.chars().next() else {
                let read = self.next_line()?;
                self.token_line = self.lines.number;
                match read {
                    LineRead::Line => continue,
                    LineRead::TooLong => return Ok(Some(Err(PgnFault::TooLong))),
                    LineRead::End => return Ok(None),
                }
            };
            self.token_line = self.lines.number;
            match first {
                '{' => return self.comment().map(Some),
                ';' => return Ok(Some(Ok(Token::Comment(self.take(rest.len())[1..].trim().to_owned())))),
                '[' => return Ok(Some(self.tag())),
                '(' => return Ok(Some(Ok(self.single(Token::VariationBegin)))),
                ')' => return Ok(Some(Ok(self.single(Token::VariationEnd)))),
                '$' => self.at += 1 + rest[1..].bytes().take_while(u8::is_ascii_digit).count(),
                '.' | '!' | '?' | '<' | '>' => self.at += 1,
                // An old mark of en passant captures.
                'e' if rest.starts_with("e.p.") => self.at += 4,
                space if space.is_whitespace() => self.at += space.len_utf8(),
                _ => {
                    let length = word_length(rest);
                    return Ok(Some(Ok(Token::Word(self.take(length).to_owned()))));
                }
            }
        }
    }

    fn take(&mut self, bytes: usize) -> &str {
        let from = self.at;
        self.at += bytes;
        &self.line[from..self.at]
    }

    fn single(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    /// Reads a tag pair. If there is none, skips the rest of the line.
    fn tag(&mut self) -> Lexed {
        let rest = &self.line[self.at..];
        if let Some((name, value, length)) = tag_pair(rest) {
            self.at += length;
            return Ok(Token::Tag { name, value });
        }
        let fault = PgnFault::Tag { text: excerpt(rest) };
        self.at = self.line.len();
        Err(fault)
    }

    /// Reads a comment in braces. Line ends become spaces.
    fn comment(&mut self) -> io::Result<Lexed> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.line[self.at..];
            let end = rest.find('}');
            let part = rest[..end.unwrap_or(rest.len())].trim();
            if text.len() + part.len() > LONGEST_LINE {
                self.at += end.map_or(rest.len(), |end| end + 1);
                return Ok(Err(PgnFault::TooLong));
            }
            if !text.is_empty() && !part.is_empty() {
                text.push(' ');
            }
            text.push_str(part);
            if let Some(end) = end {
                self.at += end + 1;
                return Ok(Ok(Token::Comment(text)));
            }
            match self.next_line()? {
                LineRead::Line if tag_pair(&self.line).is_none() => {}
                LineRead::TooLong => return Ok(Err(PgnFault::TooLong)),
                // The end of the input or the beginning of the next game.
                LineRead::End | LineRead::Line => return Ok(Err(PgnFault::UnclosedComment)),
            }
        }
    }

    /// Reads the next line. Lines that begin with `%` count as empty (PGN standard, 6).
    fn next_line(&mut self) -> io::Result<LineRead> {
        self.at = 0;
        let read = self.lines.read(&mut self.line)?;
        if self.line.starts_with('%') {
            self.line.clear();
        }
        Ok(read)
    }
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
    let (value, rest) = quoted(rest.trim_start().strip_prefix('"')?)?;
    let rest = rest.trim_start().strip_prefix(']')?;
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

    fn tokens(text: &[u8]) -> Vec<(u64, Lexed)> {
        let mut lexer = Tokenizer::new(text);
        std::iter::from_fn(|| lexer.next().unwrap().map(|token| (lexer.token_line, token))).collect()
    }

    fn words(text: &str) -> Vec<String> {
        let word = |(_, token)| match token {
            Ok(Token::Word(word)) => word,
            other => format!("{other:?}"),
        };
        tokens(text.as_bytes()).into_iter().map(word).collect()
    }

    #[test]
    fn words_end_where_the_standard_says() {
        assert_eq!(
            words("1.e4 e5! 2 . Nf3$13Nc6?!3. d4 exd6 e.p. 1/2-1/2*"),
            ["1", "e4", "e5", "2", "Nf3", "Nc6", "3", "d4", "exd6", "1/2-1/2", "*"]
        );
        assert_eq!(words("} ]\n% 1. e4\n *"), ["}", "]", "*"]);
    }

    #[test]
    fn comments_tags_and_variations_know_their_lines() {
        let text = b"\xef\xbb\xbf[ White \"a \\\"b\\\" \\\\\"][Black\"c\"]\n{one\n two }(;rest ] \n)[x]";
        let tag = |name: &str, value: &str| Token::Tag { name: name.into(), value: value.into() };
        let expected = [
            (1, Ok(tag("White", "a \"b\" \\"))),
            (1, Ok(tag("Black", "c"))),
            (2, Ok(Token::Comment("one two".into()))),
            (3, Ok(Token::VariationBegin)),
            (3, Ok(Token::Comment("rest ]".into()))),
            (4, Ok(Token::VariationEnd)),
            (4, Err(PgnFault::Tag { text: "[x]".into() })),
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn other_character_sets_are_taken_for_latin_1() {
        let read = |bytes: &[u8]| tokens(bytes).remove(0).1.unwrap();
        assert_eq!(read(b"{M\xfcller}"), Token::Comment("Müller".into()));
        assert_eq!(read("{Müller}".as_bytes()), Token::Comment("Müller".into()));
    }

    #[test]
    fn what_is_not_closed_ends_before_the_next_tag() {
        let found = tokens(b"{a\n[%clk 0:01]\n[Event \"x\"]");
        assert_eq!(found[0], (1, Err(PgnFault::UnclosedComment)));
        assert!(matches!(&found[1..], [(3, Ok(Token::Tag { .. }))]), "{found:?}");
        assert_eq!(tokens(b"{a"), [(1, Err(PgnFault::UnclosedComment))]);
    }

    #[test]
    fn overlong_lines_are_faults_of_their_own() {
        let mut text = vec![b'x'; LONGEST_LINE + 1];
        text.extend(b"\n*");
        assert_eq!(tokens(&text), [(1, Err(PgnFault::TooLong)), (2, Ok(Token::Word("*".into())))]);
    }
}
