//! Line ends of files whose lines move: each line has its own end with the odd bytes behind it.
//!
//! Some programs end lines with LF NUL or LF CR. Line by line the odd bytes are blank lines; here they belong to the line before.

use std::borrow::Cow;
use std::io::{self, Read};
use std::iter;

use messages::epd::{Blocks, FileBlock, LONGEST_READ, TextLine, lines};

/// Length of the NUL bytes, or of the lone CR, behind an LF.
fn odd_length(behind: &[u8]) -> usize {
    let nuls = behind.iter().take_while(|byte| **byte == 0).count();
    let is_lone_cr = behind.first() == Some(&b'\r') && behind.get(1) != Some(&b'\n');
    if nuls > 0 { nuls } else { usize::from(is_lone_cr) }
}

/// Whether odd bytes of this length are a line of their own, line by line, and not the beginning of the end of another.
fn are_a_line(behind: &[u8], odd: usize) -> bool {
    odd > 0 && (behind[0] == b'\r' || !matches!(behind.get(odd), Some(b'\n' | b'\r')))
}

/// The lines of a block with their own ends. Their numbers are those of the file line by line.
pub(super) fn lines_with_ends(block: &FileBlock) -> impl Iterator<Item = TextLine<'_>> {
    let (mut number, mut rest) = match block {
        FileBlock::Lines { first, bytes } => (*first, &bytes[..]),
        FileBlock::TooLong { line, .. } => (*line, &b""[..]),
    };
    iter::from_fn(move || {
        let line = lines(number, rest).next()?;
        let text = match &line.text {
            Cow::Borrowed(text) => text.len(),
            Cow::Owned(latin_1) => latin_1.chars().count(),
        };
        let (whole, behind) = rest.split_at(text + line.end.len());
        let odd = if whole.ends_with(b"\n") { odd_length(behind) } else { 0 };
        // A line end is ASCII.
        let end = std::str::from_utf8(&rest[text..whole.len() + odd]).unwrap_or_default();
        number += 1 + u64::from(are_a_line(behind, odd));
        rest = &behind[odd..];
        Some(TextLine { end, ..line })
    })
}

/// Blocks that end with whole line ends: odd bytes at the beginning of a block become the end of the one before. Two blocks are held
/// in memory at a time.
pub(crate) struct WholeEnds<R> {
    blocks: Blocks<R>,
    held: Option<FileBlock>,
}

impl<R: Read> WholeEnds<R> {
    pub(crate) fn new(blocks: Blocks<R>) -> WholeEnds<R> {
        WholeEnds { blocks, held: None }
    }
}

impl<R: Read> Iterator for WholeEnds<R> {
    type Item = io::Result<FileBlock>;

    fn next(&mut self) -> Option<io::Result<FileBlock>> {
        loop {
            let mut next = match self.blocks.next() {
                Some(Ok(block)) => block,
                Some(Err(error)) => return Some(Err(error)),
                None => return self.held.take().map(Ok),
            };
            if let (Some(FileBlock::Lines { bytes: before, .. }), FileBlock::Lines { first, bytes: behind }) =
                (&mut self.held, &mut next)
                && before.ends_with(b"\n")
            {
                let odd = odd_length(behind);
                *first += u64::from(are_a_line(behind, odd));
                before.extend(behind.drain(..odd));
                if behind.is_empty() {
                    continue;
                }
            }
            if let Some(held) = self.held.replace(next) {
                return Some(Ok(held));
            }
        }
    }
}

/// Number of the first line that is longer than [`LONGEST_READ`], so that a file with it can't be put in another order.
///
/// # Errors
/// The input can't be read.
pub fn first_too_long(input: impl Read) -> io::Result<Option<u64>> {
    for block in Blocks::new(input) {
        if let FileBlock::TooLong { line, .. } = block? {
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// Why a file with a line that is too long is refused.
pub fn refusal(line: u64) -> String {
    format!("line {line} is longer than {} MiB, too long to be moved or left out", LONGEST_READ >> 20)
}
