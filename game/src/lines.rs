//! A line reader for text files of any length.

use std::io::{self, BufRead};

use memchr::memchr2;

/// Maximum length of a line in bytes, far above what programs write.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// Result of reading a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineRead {
    /// A line was read.
    Line,
    /// The line is longer than [`LONGEST_LINE`] and was skipped.
    TooLong,
    /// End of the input.
    End,
}

/// Reads lines and counts them. They end with a line feed, a carriage return or both.
pub(crate) struct NumberedLines<R> {
    input: R,
    bytes: Vec<u8>,
    /// Whether the last line ended with a carriage return, so that a line feed may belong to it.
    is_after_return: bool,
    pub(crate) number: u64,
}

impl<R: BufRead> NumberedLines<R> {
    pub(crate) fn new(input: R) -> NumberedLines<R> {
        NumberedLines { input, bytes: Vec::new(), is_after_return: false, number: 0 }
    }

    /// Reads the next line into `line`, without its end. A line that is not UTF-8 is read as ISO 8859-1, the character set of the
    /// PGN standard.
    pub(crate) fn read(&mut self, line: &mut String) -> io::Result<LineRead> {
        line.clear();
        match self.next_bytes()? {
            LineRead::Line => self.number += 1,
            LineRead::TooLong => {
                self.number += 1;
                return Ok(LineRead::TooLong);
            }
            LineRead::End => return Ok(LineRead::End),
        }
        let byte_order_mark: &[u8] = if self.number == 1 { b"\xef\xbb\xbf" } else { b"" };
        let bytes = self.bytes.strip_prefix(byte_order_mark).unwrap_or(&self.bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => line.push_str(text),
            Err(_) => line.extend(bytes.iter().copied().map(char::from)),
        }
        Ok(LineRead::Line)
    }

    /// Reads the bytes of the next line, at most [`LONGEST_LINE`].
    fn next_bytes(&mut self) -> io::Result<LineRead> {
        self.bytes.clear();
        let (mut is_end, mut is_too_long) = (true, false);
        loop {
            let block = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                block => block?,
            };
            let skipped = usize::from(self.is_after_return && block.first() == Some(&b'\n'));
            self.is_after_return &= block.is_empty();
            if skipped > 0 {
                self.input.consume(skipped);
                continue;
            }
            is_end &= block.is_empty();
            let end = memchr2(b'\n', b'\r', block);
            let part = &block[..end.unwrap_or(block.len())];
            is_too_long |= self.bytes.len() + part.len() > LONGEST_LINE;
            if !is_too_long {
                self.bytes.extend_from_slice(part);
            }
            self.is_after_return = end.is_some_and(|end| block[end] == b'\r');
            let (read, is_over) =
                (part.len() + usize::from(end.is_some()), block.is_empty() || end.is_some());
            self.input.consume(read);
            if is_over {
                return Ok(match (is_end, is_too_long) {
                    (true, _) => LineRead::End,
                    (_, true) => LineRead::TooLong,
                    _ => LineRead::Line,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn lines_end_as_every_system_ends_them() {
        for size in 1..8 {
            let text = BufReader::with_capacity(size, &b"a\nb\r\nc\rd\r\r\n\ne"[..]);
            let (mut lines, mut line, mut read) = (NumberedLines::new(text), String::new(), Vec::new());
            while lines.read(&mut line).unwrap() != LineRead::End {
                read.push(line.clone());
            }
            assert_eq!((read.join("|"), lines.number), ("a|b|c|d|||e".to_owned(), 7), "{size}");
        }
    }
}
