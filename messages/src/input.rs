//! Line input with a length limit. Bytes that are not UTF-8 are replaced, and the rest of a line that is too long is
//! skipped.

use std::io::{BufRead as _, BufReader, Read};

/// Maximal length of a line in bytes: enough for a game of 10,000 moves on one line.
pub const MAX_LINE: usize = 64 * 1024;

/// Result of reading a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line without its end, or with it from [`LineReader::exact`]. Bytes that are not UTF-8 are replaced by U+FFFD.
    Line(String),
    /// The start of a line of more than [`MAX_LINE`] bytes.
    TooLong(String),
    /// End of the input.
    End,
}

/// Number of bytes kept of a line that is too long, for an error message.
const KEPT_OF_TOO_LONG: usize = 40;

/// Reads lines, ended by LF, CR LF or the end of the input.
pub struct LineReader<R> {
    input: BufReader<R>,
    /// Whether lines keep their ends.
    is_exact: bool,
}

impl<R: Read> LineReader<R> {
    /// Creates a reader that removes line ends.
    pub fn new(input: R) -> LineReader<R> {
        LineReader { input: BufReader::new(input), is_exact: false }
    }

    /// Creates a reader that keeps line ends, for protocols that check them.
    pub fn exact(input: R) -> LineReader<R> {
        LineReader { input: BufReader::new(input), is_exact: true }
    }

    /// Reads the next line. An input error counts as the end.
    pub fn read(&mut self) -> Input {
        let mut line = Vec::new();
        let most = MAX_LINE as u64 + 1;
        if !matches!(self.input.by_ref().take(most).read_until(b'\n', &mut line), Ok(1..)) {
            return Input::End;
        }
        if line.len() > MAX_LINE {
            if !line.ends_with(b"\n") {
                // If this fails, so does the next read.
                let _ = self.input.skip_until(b'\n');
            }
            return Input::TooLong(String::from_utf8_lossy(&line[..KEPT_OF_TOO_LONG]).into_owned());
        }
        while !self.is_exact && matches!(line.last(), Some(b'\n' | b'\r')) {
            line.pop();
        }
        Input::Line(String::from_utf8_lossy(&line).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Input> {
        let mut reader = LineReader::new(bytes);
        std::iter::from_fn(|| Some(reader.read()).filter(|input| *input != Input::End)).collect()
    }

    #[test]
    fn line_ends_of_all_systems_and_none_at_the_end() {
        let expected = ["a", "b", "", "c"].map(|line| Input::Line(line.into()));
        assert_eq!(lines(b"a\r\nb\n\nc"), expected);
    }

    #[test]
    fn exact_lines_keep_their_ends() {
        let mut reader = LineReader::exact(&b"a\r\n\nb"[..]);
        let expected = ["a\r\n", "\n", "b"].map(|line| Input::Line(line.into()));
        assert_eq!([reader.read(), reader.read(), reader.read()], expected);
        assert_eq!(reader.read(), Input::End);
    }

    #[test]
    fn a_line_that_is_too_long_does_not_cost_the_next() {
        let mut bytes = vec![b'x'; 1_000_000];
        bytes.extend(b"\nping 1\n");
        assert_eq!(lines(&bytes), [Input::TooLong("x".repeat(40)), Input::Line("ping 1".into())]);
    }

    #[test]
    fn foreign_bytes_become_replacement_characters() {
        assert_eq!(lines(b"e2\xFFe4\n"), [Input::Line("e2\u{FFFD}e4".into())]);
    }
}
