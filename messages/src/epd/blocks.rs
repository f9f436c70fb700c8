//! Files of any size, taken apart into lines: some at a time, so that threads can share them.
//!
//! A block is what the input gives at once, up to a megabyte of whole lines: memory is flat, and nobody at the end of a pipe
//! waits for a block to be full. Longer lines than 16 MiB are passed over. Bytes that are no UTF-8 are taken for ISO 8859-1.

use std::borrow::Cow;
use std::io::{self, BufRead as _, BufReader, Read};

use memchr::{memchr, memchr_iter, memrchr};

/// The longest line that is looked at, in bytes with its end. Longer ones are passed over.
pub const LONGEST_READ: usize = 16 << 20;

/// How much is asked of the input at once, in bytes.
const BLOCK: usize = 1 << 20;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileBlock {
    /// Whole lines. Only the last one of a file may have no end.
    Lines {
        /// The number of the first one, from 1.
        first: u64,
        /// All of them, with their ends.
        bytes: Vec<u8>,
    },
    /// A line that is longer than [`LONGEST_READ`], and was passed over.
    TooLong {
        /// Its number, from 1.
        line: u64,
    },
}

/// Reads blocks, in the order of the file. A block is there as soon as the input has given a whole line, so that nobody
/// waits for more of it. Memory is used for one block at a time.
///
/// An error of the input is the last thing that comes.
pub struct Blocks<R> {
    input: BufReader<R>,
    /// No block has a whole line more than it needs to be so long.
    size: usize,
    /// The beginning of a line. Not all of it, if it is too long.
    rest: Vec<u8>,
    /// The number of that line.
    line: u64,
    has_ended: bool,
}

impl<R: Read> Blocks<R> {
    /// Reads from the beginning of a file, as much at once as the input gives.
    pub fn new(input: R) -> Blocks<R> {
        Blocks::of_size(input, BLOCK)
    }

    /// The same in blocks that are only as long as whole lines need to be at least so many bytes.
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

    /// Gives out what was read, or passes over the one line that it is.
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
    /// Its lines; one that is too long is there without its text.
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
    /// Its number, from 1.
    pub number: u64,
    /// What stands in it, without its end. Bytes that are no UTF-8 are taken for ISO 8859-1.
    pub text: Cow<'a, str>,
    /// Its end: LF, CR LF, or nothing.
    pub end: &'a str,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Blank,
    /// Something after a `#`. EPD knows no comments, but no record begins so.
    Comment,
    /// A record.
    Record,
}

impl TextLine<'_> {
    /// What the line is.
    pub fn content(&self) -> Content {
        match self.text.trim_start_matches('\u{feff}').trim_start().bytes().next() {
            None => Content::Blank,
            Some(b'#') => Content::Comment,
            Some(_) => Content::Record,
        }
    }

    /// Adds a part of its text to `bytes`, as it stood in the file.
    pub fn copy(&self, text: &str, bytes: &mut Vec<u8>) {
        match self.text {
            Cow::Borrowed(_) => bytes.extend(text.bytes()),
            Cow::Owned(_) => bytes.extend(text.chars().map(|c| c as u8)),
        }
    }
}

/// The lines in `bytes`, the first of which has that number.
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

    /// Gives so many bytes at a time.
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
