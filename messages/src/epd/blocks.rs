//! Streaming reader that splits files of any size into blocks of lines, so that threads can share the work.
//!
//! A block holds the whole lines of one read, up to a megabyte. Memory use is bounded, and input from a pipe is
//! processed without waiting for a full block. Lines longer than 16 MiB are skipped. Bytes that are not UTF-8 are read
//! as ISO 8859-1.

use std::borrow::Cow;
use std::io::{self, BufRead as _, BufReader, Read};

use memchr::{memchr, memchr_iter, memrchr};

/// Maximal length of a line in bytes, with its end. Longer lines are skipped.
pub const LONGEST_READ: usize = 16 << 20;

/// Size of the read buffer in bytes.
const BLOCK: usize = 1 << 20;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileBlock {
    /// Whole lines. Only the last line of a file may lack a line end.
    Lines {
        /// Number of the first line, from 1.
        first: u64,
        /// The lines with their ends.
        bytes: Vec<u8>,
    },
    /// A line that is longer than [`LONGEST_READ`] and was skipped.
    TooLong {
        /// Line number, from 1.
        line: u64,
    },
}

/// Iterator over the blocks of a file, in order. A block is returned as soon as the input has provided a whole line.
/// One block is held in memory at a time.
///
/// After an error of the input the iterator ends.
pub struct Blocks<R> {
    input: BufReader<R>,
    /// A block ends at the first line end at or after this number of bytes.
    size: usize,
    /// Start of an incomplete line; truncated if the line is too long.
    rest: Vec<u8>,
    /// Number of this line.
    line: u64,
    has_ended: bool,
}

impl<R: Read> Blocks<R> {
    /// Creates a reader whose blocks are as large as the input provides.
    pub fn new(input: R) -> Blocks<R> {
        Blocks::of_size(input, BLOCK)
    }

    /// Creates a reader whose blocks end with the line that reaches `size` bytes.
    pub fn of_size(input: R, size: usize) -> Blocks<R> {
        let input = BufReader::with_capacity(BLOCK, input);
        Blocks { input, size, rest: Vec::new(), line: 1, has_ended: false }
    }

    fn read(&mut self) -> io::Result<Option<FileBlock>> {
        loop {
            let read = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read.is_empty() {
                self.has_ended = true;
                let is_too_long = self.rest.len() > LONGEST_READ;
                return Ok((!self.rest.is_empty()).then(|| self.give(is_too_long)));
            }
            let length = read.len();
            let Some(first) = memchr(b'\n', read) else {
                if self.rest.len() <= LONGEST_READ {
                    self.rest.extend_from_slice(read);
                }
                self.input.consume(length);
                continue;
            };
            let is_too_long = self.rest.len() + first >= LONGEST_READ;
            let enough = if is_too_long { first } else { self.size.clamp(1, length) - 1 };
            let behind = memchr(b'\n', &read[enough..]).map(|end| enough + end);
            let end = behind.or_else(|| memrchr(b'\n', read)).unwrap_or(first) + 1;
            self.rest.extend_from_slice(&read[..end]);
            self.input.consume(end);
            return Ok(Some(self.give(is_too_long)));
        }
    }

    /// Returns the lines read so far, or skips the line that is too long.
    fn give(&mut self, is_too_long: bool) -> FileBlock {
        let (bytes, first) = (std::mem::take(&mut self.rest), self.line);
        self.line += memchr_iter(b'\n', &bytes).count() as u64;
        if is_too_long { FileBlock::TooLong { line: first } } else { FileBlock::Lines { first, bytes } }
    }
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = io::Result<FileBlock>;

    fn next(&mut self) -> Option<io::Result<FileBlock>> {
        if self.has_ended {
            return None;
        }
        let block = self.read();
        self.has_ended |= block.is_err();
        block.transpose()
    }
}

impl FileBlock {
    /// Returns the lines; the text of a line that is too long is empty.
    pub fn lines(&self) -> impl Iterator<Item = TextLine<'_>> {
        match self {
            FileBlock::Lines { first, bytes } => lines(*first, bytes),
            FileBlock::TooLong { line } => lines(*line, b"\n"),
        }
    }
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Line number, from 1.
    pub number: u64,
    /// Text without the line end. Bytes that are not UTF-8 are read as ISO 8859-1.
    pub text: Cow<'a, str>,
    /// Line end: LF, CR LF, or empty.
    pub end: &'a str,
}

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Only white space.
    Blank,
    /// A line that starts with `#`. EPD has no comments, but no record starts with this character.
    Comment,
    /// A record.
    Record,
}

impl TextLine<'_> {
    /// Returns the kind of the line.
    pub fn content(&self) -> Content {
        match self.text.trim_start_matches('\u{feff}').trim_start().bytes().next() {
            None => Content::Blank,
            Some(b'#') => Content::Comment,
            Some(_) => Content::Record,
        }
    }

    /// Appends a part of the text to `bytes`, encoded as in the file.
    pub fn copy(&self, text: &str, bytes: &mut Vec<u8>) {
        match self.text {
            Cow::Borrowed(_) => bytes.extend(text.bytes()),
            Cow::Owned(_) => bytes.extend(text.chars().map(|c| c as u8)),
        }
    }
}

/// Iterates over the lines in `bytes`. `first` is the number of the first line.
pub fn lines(first: u64, bytes: &[u8]) -> impl Iterator<Item = TextLine<'_>> {
    let mut rest = bytes;
    (first..).map_while(move |number| {
        if rest.is_empty() {
            return None;
        }
        let (line, behind) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
        rest = behind;
        let (line, end) = match line {
            [line @ .., b'\r', b'\n'] => (line, "\r\n"),
            [line @ .., b'\n'] => (line, "\n"),
            _ => (line, ""),
        };
        let text = match std::str::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(line.iter().copied().map(char::from).collect()),
        };
        Some(TextLine { number, text, end })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns at most this number of bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            let (given, rest) = self.0.split_at(count);
            buffer[..count].copy_from_slice(given);
            self.0 = rest;
            Ok(count)
        }
    }

    fn read(bytes: &[u8], at_a_time: usize) -> Vec<(u64, String, String)> {
        let mut read = Vec::new();
        for block in Blocks::new(Slowly(bytes, at_a_time)) {
            match block.expect("no error") {
                FileBlock::TooLong { line } => read.push((line, "too long".into(), String::new())),
                block @ FileBlock::Lines { .. } => {
                    let owned =
                        |line: TextLine<'_>| (line.number, line.text.into_owned(), line.end.to_owned());
                    read.extend(block.lines().map(owned));
                }
            }
        }
        read
    }

    #[test]
    fn lines_of_every_kind_however_they_come() {
        let bytes = b"a\r\n\n\xe9\nb\rc\n\xc3\xa9";
        let line = |number, text: &str, end: &str| (number, text.to_owned(), end.to_owned());
        let expected = [
            line(1, "a", "\r\n"),
            line(2, "", "\n"),
            line(3, "é", "\n"),
            line(4, "b\rc", "\n"),
            line(5, "é", ""),
        ];
        for at_a_time in [1, 2, 3, 5, 100] {
            assert_eq!(read(bytes, at_a_time), expected);
        }
        assert_eq!(read(b"", 1), []);
        assert_eq!(read(b"\n", 1), [line(1, "", "\n")]);
    }

    #[test]
    fn a_line_that_is_too_long_does_not_cost_the_next() {
        let told = |length: usize, at_a_time| {
            let bytes = [b"a\n", &*vec![b'x'; length - 1], b"\nb\n"].concat();
            let short = |(number, text, _): (u64, String, String)| {
                (number, if text.len() > 9 { "x".into() } else { text })
            };
            read(&bytes, at_a_time).into_iter().map(short).collect::<Vec<_>>()
        };
        let expected = |text: &str| [(1, "a".to_owned()), (2, text.to_owned()), (3, "b".to_owned())];
        for at_a_time in [BLOCK / 2 + 7, usize::MAX] {
            assert!(told(10 << 20, at_a_time) == expected("x"), "ten megabytes are no obstacle");
            assert!(told(LONGEST_READ, at_a_time) == expected("x"));
            assert!(told(LONGEST_READ + 1, at_a_time) == expected("too long"));
            assert!(told(LONGEST_READ + 3 * BLOCK, at_a_time) == expected("too long"));
        }
        let endless = vec![b'x'; LONGEST_READ + BLOCK + 1];
        assert_eq!(read(&endless, usize::MAX), [(1, "too long".into(), String::new())]);
    }

    #[test]
    fn parts_are_the_whole() {
        let bytes = b"1\n22\n333\n\n4444".to_vec();
        for size in 1..20 {
            let parts: Vec<FileBlock> =
                Blocks::of_size(&bytes[..], size).map(|part| part.expect("no error")).collect();
            let mut whole = Vec::new();
            for part in &parts {
                let FileBlock::Lines { bytes, .. } = part else { panic!("too long") };
                assert!(bytes.len() <= size + 5, "{size}");
                whole.extend_from_slice(bytes);
            }
            assert_eq!(whole, bytes);
            let numbers = parts.iter().flat_map(FileBlock::lines).map(|line| line.number);
            assert_eq!(numbers.collect::<Vec<_>>(), [1, 2, 3, 4, 5], "{size}");
        }
    }

    #[test]
    fn an_error_is_the_end() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        assert_eq!(Blocks::new(Broken).map(|block| block.is_err()).collect::<Vec<_>>(), [true]);
    }

    #[test]
    fn what_is_copied_is_as_it_was() {
        for bytes in [&b"caf\xe9"[..], b"caf\xc3\xa9", b"\xef\xbb\xbf#"] {
            let line = lines(1, bytes).next().expect("a line");
            let mut copy = Vec::new();
            line.copy(&line.text, &mut copy);
            assert_eq!(copy, bytes);
        }
        let content = |bytes: &'static [u8]| lines(1, bytes).next().expect("a line").content();
        assert_eq!(
            (content(b"\xef\xbb\xbf# x"), content(b" \t\r\n"), content(b"8/8")),
            (Content::Comment, Content::Blank, Content::Record)
        );
    }
}
