//! Streaming reader that splits files of any size into blocks of lines, so that threads can share the work.
//!
//! A block holds the whole lines of one read, up to a megabyte. Memory use is bounded, and input from a pipe is processed without
//! waiting for a full block. A line longer than 16 MiB comes in pieces, which can be copied but not read as a record.
//!
//! A line ends with LF, CR LF or CR. NUL bytes before it, or without it, belong to the line end: several programs write the
//! terminator of a C string into the file. Bytes that are not UTF-8 are read as ISO 8859-1.

use std::borrow::Cow;
use std::io::{self, BufRead as _, BufReader, Read};

use memchr::{memchr3, memchr3_iter};

/// Maximal length of a line in bytes, with its end. Longer lines come in pieces of about this length.
pub const LONGEST_READ: usize = 16 << 20;

/// Size of the read buffer in bytes.
const BLOCK: usize = 1 << 20;

/// A part of a file. The bytes of all parts are those of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileBlock {
    /// Whole lines. Only the last line of a file may lack a line end.
    Lines {
        /// Number of the first line, from 1.
        first: u64,
        /// The lines with their ends.
        bytes: Vec<u8>,
    },
    /// A piece of a line that is longer than [`LONGEST_READ`].
    TooLong {
        /// Line number, from 1.
        line: u64,
        /// Whether this is the first piece of the line.
        is_first: bool,
        /// The piece; the last one contains the line end.
        bytes: Vec<u8>,
    },
}

/// Iterator over the blocks of a file, in order. A block is returned as soon as the input has provided a whole line, which it has
/// behind CR and NUL only when it has also provided the next byte. One block is held in memory at a time.
///
/// After an error of the input the iterator ends.
pub struct Blocks<R> {
    input: BufReader<R>,
    /// A block ends at the first line end at or after this number of bytes.
    size: usize,
    /// Start of an incomplete line.
    rest: Vec<u8>,
    /// Number of this line.
    line: u64,
    /// Whether pieces of this line were returned already.
    is_in_piece: bool,
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
        Blocks { input, size, rest: Vec::new(), line: 1, is_in_piece: false, has_ended: false }
    }

    fn read(&mut self) -> io::Result<Option<FileBlock>> {
        loop {
            let read = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read.is_empty() {
                self.has_ended = true;
                let is_long = self.is_in_piece || self.rest.len() > LONGEST_READ;
                return Ok((!self.rest.is_empty()).then(|| self.give(is_long, true)));
            }
            let length = read.len();
            let before = self.rest.last().copied();
            let Some(first) = next_line_end(before, read, 0) else {
                self.rest.extend_from_slice(read);
                self.input.consume(length);
                if self.rest.len() > LONGEST_READ {
                    return Ok(Some(self.give(true, false)));
                }
                continue;
            };
            let is_long = self.is_in_piece || self.rest.len() + first > LONGEST_READ;
            let end = if is_long {
                first
            } else {
                let enough = next_line_end(before, read, self.size.min(length));
                enough.or_else(|| last_line_end(read)).unwrap_or(first)
            };
            self.rest.extend_from_slice(&read[..end]);
            self.input.consume(end);
            return Ok(Some(self.give(is_long, true)));
        }
    }

    /// Returns the bytes read so far. `is_long`: they are of a line that is too long. `is_whole`: they end with a line end or the
    /// file.
    fn give(&mut self, is_long: bool, is_whole: bool) -> FileBlock {
        let (bytes, first) = (std::mem::take(&mut self.rest), self.line);
        if !is_long {
            self.line += count_line_ends(&bytes);
            return FileBlock::Lines { first, bytes };
        }
        let is_first = !std::mem::replace(&mut self.is_in_piece, !is_whole);
        self.line += u64::from(is_whole);
        FileBlock::TooLong { line: first, is_first, bytes }
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
    /// Returns the lines; there are none in a piece of a line that is too long.
    pub fn lines(&self) -> impl Iterator<Item = TextLine<'_>> {
        match self {
            FileBlock::Lines { first, bytes } => lines(*first, bytes),
            FileBlock::TooLong { line, .. } => lines(*line, b""),
        }
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0)
}

/// Whether a line end whose last byte is `last` goes on with `next`.
fn goes_on(last: u8, next: u8) -> bool {
    matches!((last, next), (b'\r', b'\n') | (0, b'\n' | b'\r' | 0))
}

/// First index from `from` on, directly behind a line end that is known to be complete. `before` is the byte before `bytes`.
fn next_line_end(before: Option<u8>, bytes: &[u8], from: usize) -> Option<usize> {
    let is_behind = |at: usize| {
        let last = if at == 0 { before } else { Some(bytes[at - 1]) };
        last.filter(|last| is_line_end(*last)).is_some_and(|last| match bytes.get(at) {
            Some(next) => !goes_on(last, *next),
            None => last == b'\n',
        })
    };
    if is_behind(from) {
        return Some(from);
    }
    let mut at = from;
    while let Some(end) = memchr3(b'\n', b'\r', 0, &bytes[at..]) {
        at += end + 1;
        if is_behind(at) {
            return Some(at);
        }
    }
    None
}

/// Last index directly behind a line end that is known to be complete.
fn last_line_end(bytes: &[u8]) -> Option<usize> {
    let is_end = |pair: &[u8]| is_line_end(pair[0]) && !goes_on(pair[0], pair[1]);
    if bytes.last() == Some(&b'\n') {
        return Some(bytes.len());
    }
    bytes.windows(2).rposition(is_end).map(|at| at + 1)
}

/// Number of line ends.
fn count_line_ends(bytes: &[u8]) -> u64 {
    let is_last = |at: &usize| bytes.get(at + 1).is_none_or(|next| !goes_on(bytes[*at], *next));
    memchr3_iter(b'\n', b'\r', 0, bytes).filter(is_last).count() as u64
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Line number, from 1.
    pub number: u64,
    /// Text without the line end. Bytes that are not UTF-8 are read as ISO 8859-1.
    pub text: Cow<'a, str>,
    /// Line end: LF, CR LF or CR, with NUL bytes before it or alone; empty at the end of a file.
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

/// The byte order mark, which some editors write at the beginning of a file.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

impl TextLine<'_> {
    /// Returns the kind of the line.
    pub fn content(&self) -> Content {
        match self.text.trim_start_matches(BYTE_ORDER_MARK).trim_start().bytes().next() {
            None => Content::Blank,
            Some(b'#') => Content::Comment,
            Some(_) => Content::Record,
        }
    }

    /// Whether the line was read as ISO 8859-1 because it is not UTF-8.
    pub fn is_latin_1(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// Appends a part of the text to `bytes`, encoded as in the file. Characters outside ISO 8859-1 are possible in UTF-8 only.
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
        let length = memchr3(b'\n', b'\r', 0, rest).unwrap_or(rest.len());
        let (line, behind) = rest.split_at(length);
        let nuls = behind.iter().position(|byte| *byte != 0).unwrap_or(behind.len());
        let end = nuls
            + match behind[nuls..] {
                [b'\r', b'\n', ..] => 2,
                [b'\r' | b'\n', ..] => 1,
                _ => 0,
            };
        let (end, behind) = behind.split_at(end);
        rest = behind;
        let text = match std::str::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(line.iter().copied().map(char::from).collect()),
        };
        // A line end is ASCII.
        Some(TextLine { number, text, end: std::str::from_utf8(end).unwrap_or_default() })
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
                FileBlock::TooLong { line, is_first: true, .. } => {
                    read.push((line, "too long".into(), String::new()));
                }
                FileBlock::TooLong { .. } => {}
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
        let bytes = b"a\r\n\n\xe9\nb\rc\n\0\n\0x\0\0\r\n\r\r\xc3\xa9";
        let line = |number, text: &str, end: &str| (number, text.to_owned(), end.to_owned());
        let expected = [
            line(1, "a", "\r\n"),
            line(2, "", "\n"),
            line(3, "é", "\n"),
            line(4, "b", "\r"),
            line(5, "c", "\n"),
            line(6, "", "\0\n"),
            line(7, "", "\0"),
            line(8, "x", "\0\0\r\n"),
            line(9, "", "\r"),
            line(10, "", "\r"),
            line(11, "é", ""),
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
        for at_a_time in [BLOCK / 3, usize::MAX] {
            let bytes = [b"a\n", &*vec![b'x'; 40 << 20], b"\r\nb\n"].concat();
            let pieces = Blocks::new(Slowly(&bytes, at_a_time)).map(|block| match block.expect("no error") {
                FileBlock::Lines { bytes, .. } | FileBlock::TooLong { bytes, .. } => bytes,
            });
            assert!(pieces.flatten().collect::<Vec<u8>>() == bytes, "nothing is lost");
        }
        let endless = vec![b'x'; LONGEST_READ + BLOCK + 1];
        assert_eq!(read(&endless, usize::MAX), [(1, "too long".into(), String::new())]);
    }

    #[test]
    fn parts_are_the_whole() {
        let bytes = b"1\n22\n333\n\n4444".to_vec();
        // A NUL that ends a line is one end with the next, so that blank lines have other ends.
        for end in ["\n", "\r\n", "\r", "\0\n", "\0\0\r\n"] {
            parts_with(end, &bytes);
        }
        let mixed = b"\r\n\n\r\0\r\0\0\nx\r".repeat(9);
        for size in 1..20 {
            let parts = Blocks::of_size(Slowly(&mixed, size), 5).map(|part| match part {
                Ok(FileBlock::Lines { bytes, .. }) => bytes,
                other => panic!("{other:?}"),
            });
            assert_eq!(parts.flatten().collect::<Vec<u8>>(), mixed);
        }
    }

    fn parts_with(end: &str, bytes: &[u8]) {
        let bytes = String::from_utf8_lossy(bytes).replace('\n', end).into_bytes();
        for size in 1..20 {
            let parts: Vec<FileBlock> =
                Blocks::of_size(&bytes[..], size).map(|part| part.expect("no error")).collect();
            let mut whole = Vec::new();
            for part in &parts {
                let FileBlock::Lines { bytes, .. } = part else { panic!("too long") };
                assert!(bytes.len() <= size + 4 + end.len(), "{size}");
                whole.extend_from_slice(bytes);
            }
            assert_eq!(whole, bytes);
            let numbers = parts.iter().flat_map(FileBlock::lines).map(|line| line.number);
            assert_eq!(numbers.collect::<Vec<_>>(), [1, 2, 3, 4, 5], "{size} {end:?}");
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
