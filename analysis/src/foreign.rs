//! Files of other kinds than EPD, told by their first bytes.
//!
//! A file is never refused if one of its first lines is a record, whatever the others are: faulty lines are reported one by one.

use std::io::{self, Read};

use game::epd::{Escapes, Lexer, Severity, is_opcode};
use messages::epd::{Content, lines};

/// Number of bytes that are looked at.
const START: usize = 64 << 10;

/// A kind of file that is not EPD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForeignKind {
    /// A file of games.
    Pgn,
    /// Text of another kind.
    Text(&'static str),
    /// No text in an encoding that extends ASCII.
    NoText(&'static str),
}

/// Beginnings of files that are no text.
const MAGIC: [(&[u8], &str); 27] = [
    (b"\xff\xfe\0\0", UTF_32),
    (b"\0\0\xfe\xff", UTF_32),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"\x1f\x8b", PACKED),
    (b"PK\x03\x04", PACKED),
    (b"\x28\xb5\x2f\xfd", PACKED),
    (b"BZh1", PACKED),
    (b"BZh9", PACKED),
    (b"\xfd7zXZ", PACKED),
    (b"7z\xbc\xaf\x27\x1c", PACKED),
    (b"Rar!\x1a\x07", PACKED),
    (b"\x04\x22\x4d\x18", PACKED),
    (b"\x89PNG", PICTURE),
    (b"\xff\xd8\xff", PICTURE),
    (b"GIF87a", PICTURE),
    (b"GIF89a", PICTURE),
    (b"II*\0", PICTURE),
    (b"\x7fELF", PROGRAM),
    (b"\xfe\xed\xfa", PROGRAM),
    (b"\xcf\xfa\xed\xfe", PROGRAM),
    (b"\xca\xfe\xba\xbe", PROGRAM),
    (b"MZ\x90\0", PROGRAM),
    (b"\0asm", PROGRAM),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\0", "a database"),
    (b"\xd7\x66\x0c\xa5", "an endgame table"),
];

const UTF_16: &str = "UTF-16 text; convert it to UTF-8 first, for example with `iconv -f UTF-16 -t UTF-8`";
const UTF_32: &str = "UTF-32 text; convert it to UTF-8 first, for example with `iconv -f UTF-32 -t UTF-8`";
/// Text in units of several bytes without a mark of their order: the size of a unit, and the place of the byte that says the letter.
const WIDE: [(usize, usize, &str); 4] = [
    (4, 0, "UTF-32 text; convert it to UTF-8 first, for example with `iconv -f UTF-32LE -t UTF-8`"),
    (4, 3, "UTF-32 text; convert it to UTF-8 first, for example with `iconv -f UTF-32BE -t UTF-8`"),
    (2, 0, "UTF-16 text; convert it to UTF-8 first, for example with `iconv -f UTF-16LE -t UTF-8`"),
    (2, 1, "UTF-16 text; convert it to UTF-8 first, for example with `iconv -f UTF-16BE -t UTF-8`"),
];
const PACKED: &str = "compressed; unpack it first";
const PICTURE: &str = "a picture";
const PROGRAM: &str = "a program";
const POLYGLOT: &str = "a Polyglot opening book";
const BINARY: &str = "a binary file";

impl ForeignKind {
    /// What the first bytes of a file say about its kind; `None` if it may be EPD.
    pub(crate) fn of(start: &[u8]) -> Option<ForeignKind> {
        let magic = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
        if let Some((_, kind)) = magic {
            return Some(ForeignKind::NoText(kind));
        }
        if lines(1, start).any(|line| line.content() == Content::Record && is_record(&line.text)) {
            return None;
        }
        binary_kind(start).map(ForeignKind::NoText).or_else(|| text_kind(start))
    }

    /// What the file is, and what to do about it or what was expected.
    pub(crate) fn description(self, expected: &str) -> String {
        let kind = match self {
            ForeignKind::Pgn => "a PGN file",
            ForeignKind::Text(kind) | ForeignKind::NoText(kind) => kind,
        };
        if kind.contains(';') { kind.to_owned() } else { format!("{kind}; expected {expected}") }
    }
}

/// Reads the first bytes of a file: up to the end of the first line that a pipe has, or more if they come at once.
///
/// # Errors
/// The file can't be read.
pub(crate) fn first_bytes(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = vec![0; START];
    let mut length = 0;
    while length < START {
        match input.read(&mut start[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if start[..length].iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0)) {
            break;
        }
    }
    start.truncate(length);
    Ok(start)
}

/// Whether a line has a position and then nothing, a counter or an opcode.
fn is_record(text: &str) -> bool {
    let mut lexer = Lexer::new(text, 1, Escapes::None);
    let Some([board, turn, castling, en_passant]) = lexer.fields() else { return false };
    let is_board = board.text.split('/').count() == 8
        && board.text.bytes().all(|byte| b"12345678/KQRBNPkqrbnp".contains(&byte));
    let is_castling = castling.text.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphabetic());
    let is_square = en_passant.text == "-" || en_passant.text.len() == 2;
    lexer.counters();
    let is_followed = lexer.opcode().is_none_or(|opcode| is_opcode(opcode.text));
    is_board && matches!(turn.text, "w" | "b" | "W" | "B") && is_castling && is_square && is_followed
        // A whole position, but for what can be put right.
        && lexer.findings.faults.iter().all(|fault| fault.severity < Severity::Error)
}

/// The kind of a file that is no text.
fn binary_kind(start: &[u8]) -> Option<&'static str> {
    if let Some((.., kind)) = WIDE.iter().find(|(size, place, _)| is_wide(start, *size, *place)) {
        return Some(kind);
    }
    // Line ends with NUL bytes are EPD; other control characters are in no text, but for a few by mistake.
    let is_control = |byte: &&u8| matches!(byte, 1..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = start.iter().filter(is_control).count();
    let nuls = memchr::memchr_iter(0, start).count();
    if controls * 50 <= start.len() && (controls == 0 || nuls * 10 <= start.len()) {
        return None;
    }
    let entries = start.as_chunks::<16>().0;
    let key = |entry: &[u8; 16]| u64::from_be_bytes(*entry.first_chunk().expect("sixteen bytes"));
    let is_book = !entries.is_empty()
        && entries.is_sorted_by_key(key)
        && (start.len() == START || start.len().is_multiple_of(16));
    Some(if is_book { POLYGLOT } else { BINARY })
}

/// Whether most units of a text have a letter of ASCII at this place, and nothing else.
fn is_wide(start: &[u8], size: usize, place: usize) -> bool {
    let units = start.chunks_exact(size);
    let is_letter = |unit: &&[u8]| {
        unit[place] >= b' ' && unit.iter().enumerate().all(|(at, byte)| at == place || *byte == 0)
    };
    units.len() >= 4 && units.clone().filter(is_letter).count() * 4 > units.len() * 3
}

/// The kind of a text without a record.
fn text_kind(start: &[u8]) -> Option<ForeignKind> {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins = |begin: &[u8]| text.get(..begin.len()).is_some_and(|text| text.eq_ignore_ascii_case(begin));
    let behind = text.get(1..).unwrap_or_default().trim_ascii_start().first().copied().unwrap_or(b' ');
    match text.first()? {
        b'[' if text.get(1).is_some_and(u8::is_ascii_alphabetic) && is_tag(text) => Some(ForeignKind::Pgn),
        b'{' if matches!(behind, b'"' | b'}') => Some(ForeignKind::Text("JSON")),
        b'[' if matches!(behind, b'"' | b'{' | b'[' | b']') => Some(ForeignKind::Text("JSON")),
        b'<' if begins(b"<!doctype") || begins(b"<html") || begins(b"<head") || begins(b"<body") => {
            Some(ForeignKind::Text("HTML"))
        }
        b'<' if begins(b"<?xml") || begins(b"<svg") => Some(ForeignKind::Text("XML")),
        _ if is_table(text) => Some(ForeignKind::Text("a table (CSV)")),
        _ => None,
    }
}

/// Whether a text begins with a tag of PGN.
fn is_tag(text: &[u8]) -> bool {
    let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let name = line[1..].iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    name.is_some_and(|end| line[1 + end..].trim_ascii_start().starts_with(b"\""))
}

/// Whether a text is a table: a head of names, and two lines or more with as many cells.
fn is_table(text: &[u8]) -> bool {
    let mut rows =
        text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|row| !row.is_empty());
    let Some(head) = rows.next() else { return false };
    let is_name = |cell: &[u8]| {
        let cell =
            cell.trim_ascii().strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell);
        !cell.is_empty() && cell.iter().all(|byte| byte.is_ascii_alphanumeric() || b" _-.()%#".contains(byte))
    };
    let cells = |row: &[u8], separator: u8| memchr::memchr_iter(separator, row).count() + 1;
    b",;\t".iter().any(|separator| {
        let count = cells(head, *separator);
        let mut rows = rows.clone().take(20);
        count > 1
            && head.split(|byte| byte == separator).all(is_name)
            && rows.next().is_some_and(|row| cells(row, *separator) >= count)
            // The last row may be cut.
            && rows.filter(|row| cells(row, *separator) < count).count() <= 1
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START_RECORD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"x\";";

    fn told(bytes: &[u8]) -> String {
        let kind = ForeignKind::of(bytes).map(|kind| kind.description("records"));
        kind.unwrap_or_default().split(';').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn kinds_are_told_by_their_first_bytes() {
        let wide: Vec<u8> = START_RECORD.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = START_RECORD.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let long: Vec<u8> = START_RECORD.chars().flat_map(|letter| u32::from(letter).to_be_bytes()).collect();
        let entry = |key: u64| [&key.to_be_bytes()[..], b"\x03\x1c\0\x01\0\0\0\0"].concat();
        let book = [entry(0x0102_0304_0506_0708), entry(0x463b_9618_1691_fc9c), entry(u64::MAX)].concat();
        let mut noise: u32 = 1;
        let bytes = std::iter::repeat_with(|| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        });
        let binary: Vec<u8> = bytes.take(1000).collect();
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "a picture"),
            (b"\x7fELF\x02\x01", "a program"),
            (b"\x1f\x8b\x08\0", "compressed"),
            (b"[Event \"x\"]\n\n1. e4 *\n", "a PGN file"),
            (b"{\"a\": 1}\n", "JSON"),
            (b"[{\"fen\": \"8/8 w\"}]", "JSON"),
            (b"[\n  \"x\"\n]", "JSON"),
            (b"<!DOCTYPE html>\n<html>", "HTML"),
            (b"\xef\xbb\xbf<?xml version=\"1.0\"?>", "XML"),
            (
                b"FEN,Evaluation\n8/8/8/8/8/8/8/8 w - - 0 1,+5\n8/8/8/8/8/8/8/8 b - - 0 1,-5\n",
                "a table (CSV)",
            ),
            (b"\"id\";\"fen\"\n1;x\n2;y\n", "a table (CSV)"),
            (&wide, "UTF-16 text"),
            (&big, "UTF-16 text"),
            (&long, "UTF-32 text"),
            (&[&b"\xff\xfe\0\0"[..], &long].concat(), "UTF-32 text"),
            (&book, "a Polyglot opening book"),
            (&binary, "a binary file"),
        ] {
            assert_eq!(told(bytes), kind, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn epd_is_never_refused() {
        let faulty = [
            "",
            "\n\n",
            "# comment\n",
            "[Event \"x\"]\n",
            "{\"a\": 1}\n",
            "<html>\n",
            "a,b\n1,2\n3,4\n",
            "\x01\x02\x03\x04\n",
            "\0\0\0",
            "nothing\n",
            "8/8 w\n",
        ];
        for before in faulty {
            for record in
                [START_RECORD.to_owned(), format!("\u{feff}  {START_RECORD}"), format!("{START_RECORD}\0")]
            {
                assert_eq!(told(format!("{before}{record}\n").as_bytes()), "", "{before:?}");
            }
        }
        for text in [
            "",
            "\n",
            "# only a comment\n",
            "nothing at all\n",
            "8/8/8/8/8/8/8/8 w - - bm e4;\n",
            "r,n b q\nx\n",
        ] {
            assert_eq!(told(text.as_bytes()), "", "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_record_among_any_bytes_is_enough(before in "[ -~\\n\\x00-\\x08\u{e9}]{0,200}", end in "\n|\r\n|\r|\\x00\n|\\x00") {
            let begins = MAGIC.iter().any(|(magic, _)| before.as_bytes().starts_with(magic));
            prop_assume!(!begins);
            prop_assert_eq!(told(format!("{before}\n{START_RECORD}{end}").as_bytes()), "");
        }
    }
}
