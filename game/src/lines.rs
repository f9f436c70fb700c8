//! A line reader for text files of any length.

use std::io::{self, BufRead};

use memchr::memchr2;

/// Length of a line in bytes from which on it is read in parts, far above what programs write.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// Result of reading a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineRead {
    /// A line was read, or the first part of one that is longer than [`LONGEST_LINE`].
    Line,
    /// The next part of such a line was read.
    Rest,
    /// End of the input.
    End,
}

/// Reads lines and counts them. They end with a line feed, a carriage return or both.
pub(crate) struct NumberedLines<R> {
    input: R,
    bytes: Vec<u8>,
    /// Whether the last line ended with a carriage return, so that a line feed may belong to it.
    is_after_return: bool,
    /// Bytes of the next part of the line.
    rest: Vec<u8>,
    /// Whether the line has another part.
    pub(crate) is_cut: bool,
    pub(crate) number: u64,
}

impl<R: BufRead> NumberedLines<R> {
    pub(crate) fn new(input: R) -> NumberedLines<R> {
        let (bytes, rest) = (Vec::new(), Vec::new());
        NumberedLines { input, bytes, is_after_return: false, rest, is_cut: false, number: 0 }
    }

    /// Reads the next line or part of a line into `line`, without its end. What is not UTF-8 is read as ISO 8859-1, the character
    /// set of the PGN standard.
    pub(crate) fn read(&mut self, line: &mut String) -> io::Result<LineRead> {
        line.clear();
        let is_rest = self.is_cut;
        if !self.next_bytes()? {
            return Ok(LineRead::End);
        }
        self.number += u64::from(!is_rest);
        let byte_order_mark: &[u8] = if self.number == 1 && !is_rest { b"\xef\xbb\xbf" } else { b"" };
        let bytes = self.bytes.strip_prefix(byte_order_mark).unwrap_or(&self.bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => line.push_str(text),
            Err(_) => line.extend(bytes.iter().copied().map(char::from)),
        }
        Ok(if is_rest { LineRead::Rest } else { LineRead::Line })
    }

    /// Reads the bytes of the next line or part of a line, at most one more than [`LONGEST_LINE`]. Returns false at the end.
    fn next_bytes(&mut self) -> io::Result<bool> {
        self.bytes.clear();
        self.bytes.append(&mut self.rest);
        let mut is_end = self.bytes.is_empty();
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
            let block = &block[..block.len().min(LONGEST_LINE + 1 - self.bytes.len())];
            let end = memchr2(b'\n', b'\r', block);
            let part = &block[..end.unwrap_or(block.len())];
            self.bytes.extend_from_slice(part);
            self.is_after_return = end.is_some_and(|end| block[end] == b'\r');
            let (read, is_over) =
                (part.len() + usize::from(end.is_some()), block.is_empty() || end.is_some());
            self.input.consume(read);
            self.is_cut = self.bytes.len() > LONGEST_LINE;
            if self.is_cut {
                // Before the last character, of which more may come.
                let cut = self.bytes.iter().rposition(|byte| byte & 0xc0 != 0x80).filter(|&cut| cut > 0);
                self.rest = self.bytes.split_off(cut.unwrap_or(self.bytes.len()));
            }
            if is_over || self.is_cut {
                return Ok(!is_end);
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

    #[test]
    fn long_lines_come_in_parts_of_whole_characters() {
        let long = "é".repeat(LONGEST_LINE);
        let text = format!("{long}\nb");
        let (mut lines, mut line, mut read) =
            (NumberedLines::new(text.as_bytes()), String::new(), Vec::new());
        let kinds = [LineRead::Line, LineRead::Rest, LineRead::Line].map(|kind| {
            assert_eq!(lines.read(&mut line).unwrap(), kind);
            read.push(line.clone());
            lines.number
        });
        assert_eq!((kinds, lines.read(&mut line).unwrap()), ([1, 1, 2], LineRead::End));
        assert!(read[0].clone() + &read[1] == long && read[2] == "b");
    }
}
