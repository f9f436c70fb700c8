//! A line reader for text files of any length.

use std::io::{self, BufRead, Read as _};

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

/// Reads lines and counts them.
pub(crate) struct NumberedLines<R> {
    input: R,
    bytes: Vec<u8>,
    pub(crate) number: u64,
}

impl<R: BufRead> NumberedLines<R> {
    pub(crate) fn new(input: R) -> NumberedLines<R> {
        NumberedLines { input, bytes: Vec::new(), number: 0 }
    }

    /// Reads the next line into `line`. A line that is not UTF-8 is read as ISO 8859-1, the character set of the PGN standard.
    pub(crate) fn read(&mut self, line: &mut String) -> io::Result<LineRead> {
        line.clear();
        self.bytes.clear();
        let limit = LONGEST_LINE as u64 + 1;
        if self.input.by_ref().take(limit).read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(LineRead::End);
        }
        self.number += 1;
        if self.bytes.len() > LONGEST_LINE {
            if self.bytes.last() != Some(&b'\n') {
                self.input.skip_until(b'\n')?;
            }
            return Ok(LineRead::TooLong);
        }
        let byte_order_mark: &[u8] = if self.number == 1 { b"\xef\xbb\xbf" } else { b"" };
        let bytes = self.bytes.strip_prefix(byte_order_mark).unwrap_or(&self.bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => line.push_str(text),
            Err(_) => line.extend(bytes.iter().copied().map(char::from)),
        }
        Ok(LineRead::Line)
    }
}
