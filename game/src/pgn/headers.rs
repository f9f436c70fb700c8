//! A fast scanner for the tags of games: who played whom and how it ended, without reading the moves.
//!
//! It finds the tags that stand at the beginnings of lines, and jumps over everything else. Only where moves stand behind tags on
//! their line are further tags looked for between the moves. Ten million games take less than a minute. Only one block of the
//! input is kept in memory.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};

use memchr::{memchr, memchr2, memmem, memrchr};

use super::ResultMarker;

/// Size of the block of input in memory.
const BLOCK: usize = 256 << 10;
/// Number of bytes of a line that are looked at for a tag. Tags that are longer are passed over.
const LONGEST_TAG: usize = 16 << 10;
/// Number of plies by which openings are told apart if no position is set up.
const OPENING_PLIES: usize = 8;
/// Number of bytes of a game's moves that are looked at for its opening.
const OPENING_BYTES: usize = 1024;
/// Number of bytes at the end of a game's moves that are looked at for its result.
const ENDING_BYTES: usize = 1024;

/// What the tags of a game tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnHeader {
    /// Name of White; empty if there is no such tag.
    pub white: String,
    /// Name of Black; empty if there is no such tag.
    pub black: String,
    /// The result of the tag, or if that is missing or unreadable at the end of the moves; open without either.
    pub result: ResultMarker,
    /// The last number in the tag `Round`.
    pub round: Option<u64>,
    /// A fingerprint of the opening: of the tag `FEN`, or else of the first eight plies.
    pub opening: u64,
}

/// A scanner over the games of a file.
///
/// ```
/// let pgn = "[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n1. e4 {[White \"x\"]} e5 1-0\n";
/// let mut scanner = game::PgnScanner::new(pgn.as_bytes());
/// let header = scanner.next().unwrap().unwrap();
/// assert_eq!((&*header.white, &*header.black), ("Ann", "Bob"));
/// assert!(scanner.next().unwrap().is_none());
/// ```
pub struct PgnScanner<R> {
    input: R,
    block: Box<[u8]>,
    /// The part of the block that is still to be read; it begins at the beginning of a line or behind tags.
    begin: usize,
    end: usize,
    is_over: bool,
    header: PgnHeader,
    /// The result of the tag.
    told: Option<ResultMarker>,
    /// The result at the end of the moves.
    ending: ResultMarker,
    /// Whether a position is set up.
    has_position: bool,
    /// Whether the moves stand behind tags on their line, as other games may.
    shares_line: bool,
}

/// The kind of a line.
enum ScannedLine {
    /// Tags, and where the next line begins in the block.
    Tags { end: usize },
    /// Moves, comments or a broken tag.
    Moves,
    /// Nothing, or a line that is passed over, and where the next one begins.
    Empty { end: usize },
}

impl<R: Read> PgnScanner<R> {
    /// Scans the games in `input`.
    pub fn new(input: R) -> PgnScanner<R> {
        PgnScanner {
            input,
            block: vec![0; BLOCK].into(),
            begin: 0,
            end: 0,
            is_over: false,
            header: PgnHeader::default(),
            told: None,
            ending: ResultMarker::Open,
            has_position: false,
            shares_line: false,
        }
    }

    /// Returns the next game; `None` after the last one.
    ///
    /// # Errors
    /// The input cannot be read.
    #[expect(clippy::should_implement_trait, reason = "it lends the header, so that nothing is allocated")]
    pub fn next(&mut self) -> io::Result<Option<&PgnHeader>> {
        self.header.white.clear();
        self.header.black.clear();
        (self.header.round, self.header.opening) = (None, 0);
        (self.told, self.has_position) = (None, false);
        let (mut has_tags, mut has_moves) = (false, false);
        while let Some(line) = self.line()? {
            match line {
                ScannedLine::Tags { end } => {
                    if has_tags && (has_moves || self.begins_game()) {
                        break;
                    }
                    has_tags = true;
                    self.take_tags(end);
                }
                ScannedLine::Empty { end } => self.begin = end,
                ScannedLine::Moves => {
                    if has_tags && !has_moves {
                        has_moves = true;
                        self.take_opening()?;
                    }
                    self.pass_over_moves()?;
                }
            }
        }
        self.header.result = self.told.unwrap_or(self.ending);
        Ok(has_tags.then_some(&self.header))
    }

    /// Looks at the line that begins now; `None` at the end of the input.
    fn line(&mut self) -> io::Result<Option<ScannedLine>> {
        loop {
            let rest = &self.block[self.begin..self.end];
            let Some(&first) = rest.first() else {
                if self.is_over {
                    return Ok(None);
                }
                self.fill()?;
                continue;
            };
            if !matches!(first, b'[' | b'%' | b'\n' | b'\r' | b' ' | b'\t' | 0xef) {
                return Ok(Some(ScannedLine::Moves));
            }
            let Some(text) = line(rest, self.is_over) else {
                self.fill()?;
                continue;
            };
            let end = self.begin + text.len();
            return Ok(Some(if first == b'%' || text.trim_ascii().is_empty() {
                ScannedLine::Empty { end }
            } else if tag(beginning(text)).is_some() {
                ScannedLine::Tags { end }
            } else {
                ScannedLine::Moves
            }));
        }
    }

    /// Reads more of the input behind the rest of the block.
    fn fill(&mut self) -> io::Result<()> {
        self.block.copy_within(self.begin..self.end, 0);
        self.end -= self.begin;
        self.begin = 0;
        let read = loop {
            match self.input.read(&mut self.block[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.is_over = read == 0;
        // Lines may end with carriage returns alone.
        for byte in &mut self.block[self.end..self.end + read] {
            if *byte == b'\r' {
                *byte = b'\n';
            }
        }
        self.end += read;
        Ok(())
    }

    /// Whether the tags at the beginning of this line belong to a new game: `Event` is the first tag of a game, and no
    /// game has two white players.
    fn begins_game(&self) -> bool {
        match tag(beginning(&self.block[self.begin..self.end])) {
            Some((b"Event", ..)) => true,
            Some((b"White", ..)) => !self.header.white.is_empty(),
            _ => false,
        }
    }

    /// Takes the tags of a line and goes to what stands behind them.
    fn take_tags(&mut self, end: usize) {
        self.ending = ResultMarker::Open;
        let mut rest = beginning(&self.block[self.begin..end]);
        while let Some((name, value, after)) = tag(rest) {
            match name {
                b"White" => set_text(&mut self.header.white, value),
                b"Black" => set_text(&mut self.header.black, value),
                b"Result" => self.told = marker(value),
                b"Round" => self.header.round = last_number(value),
                b"FEN" => {
                    self.has_position = true;
                    self.header.opening = fingerprint(value);
                }
                _ => {}
            }
            rest = after.trim_ascii_start();
        }
        if rest.starts_with(b";") || rest.starts_with(b"%") {
            rest = b"";
        }
        self.shares_line = !rest.is_empty();
        self.begin = end - rest.len();
    }

    /// Takes the opening from the first moves, which begin now.
    fn take_opening(&mut self) -> io::Result<()> {
        if self.has_position {
            return Ok(());
        }
        while self.end - self.begin < OPENING_BYTES && !self.is_over {
            self.fill()?;
        }
        let moves = &self.block[self.begin..self.end.min(self.begin + OPENING_BYTES)];
        self.header.opening = opening(moves);
        Ok(())
    }

    /// Goes to the beginning of the next line that may have a tag, or to the next tag in a line that began with tags.
    fn pass_over_moves(&mut self) -> io::Result<()> {
        loop {
            let rest = &self.block[self.begin..self.end];
            let next = if self.shares_line {
                next_tag(rest, self.is_over)
            } else {
                memmem::find(rest, b"\n[").map(|at| at + 1).ok_or(rest.len().saturating_sub(ENDING_BYTES))
            };
            let passed = match next {
                Ok(at) => at,
                Err(_) if self.is_over => rest.len(),
                Err(at) => {
                    // A comment that fills the block hides nothing.
                    self.begin += at.max(usize::from(rest.len() == self.block.len()));
                    self.fill()?;
                    continue;
                }
            };
            if self.told.is_none() {
                self.ending = ending(&rest[..passed]);
            }
            self.begin += passed;
            return Ok(());
        }
    }
}

/// The text of a line without white space and a byte order mark before it.
fn beginning(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii_start()
}

/// The line that `text` begins with, with its end, or as much of it as a tag is long; `None` if more of it has to be read.
fn line(text: &[u8], is_over: bool) -> Option<&[u8]> {
    let part = &text[..text.len().min(LONGEST_TAG)];
    match memchr(b'\n', part) {
        Some(at) => Some(&part[..=at]),
        None => (is_over || part.len() == LONGEST_TAG).then_some(part),
    }
}

/// Where the next tag outside a comment begins in a line of moves, or the next line. The error is the beginning of what is still
/// needed when more of the text has been read: a tag or comment, or the end of the moves.
fn next_tag(text: &[u8], is_over: bool) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(passed) = text[at..].iter().position(|byte| b"\n[{;".contains(byte)) {
        at += passed;
        let rest = &text[at..];
        at += match rest[0] {
            b'\n' => return Ok(at + 1),
            b';' => match memchr(b'\n', rest) {
                None if !is_over => return Err(at),
                end => end.unwrap_or(rest.len()),
            },
            b'[' => match line(rest, is_over) {
                Some(line) if tag(line).is_some() => return Ok(at),
                Some(_) => 1,
                None => return Err(at),
            },
            _ => match memchr2(b'}', b'\n', rest) {
                None if !is_over => return Err(at),
                end => end.unwrap_or(1),
            },
        };
    }
    Err(text.len().saturating_sub(ENDING_BYTES).max(at))
}

/// The result at the end of moves, before comments in braces. A comment that is not closed, and one up to the end of its line, has none.
fn ending(moves: &[u8]) -> ResultMarker {
    let mut moves = moves.trim_ascii_end();
    while let Some(commented) = moves.strip_suffix(b"}")
        && let Some(at) = memrchr(b'{', commented)
    {
        moves = moves[..at].trim_ascii_end();
    }
    let line = &moves[memrchr(b'\n', moves).map_or(0, |at| at + 1)..];
    let outside = &line[memrchr(b'}', line).map_or(0, |at| at + 1)..];
    let is_unclosed = memrchr(b'{', moves) > memrchr(b'}', moves);
    if is_unclosed || line.starts_with(b"%") || outside.contains(&b';') {
        return ResultMarker::Open;
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"})".contains(byte);
    marker(moves.rsplit(ends).next().unwrap_or_default()).unwrap_or_default()
}

/// The result that a text is. What is not UTF-8 is read as ISO 8859-1.
fn marker(text: &[u8]) -> Option<ResultMarker> {
    match std::str::from_utf8(text) {
        Ok(text) => ResultMarker::of(text),
        Err(_) => ResultMarker::of(&text.iter().copied().map(char::from).collect::<String>()),
    }
}

/// Name and raw value of the tag that `text` begins with, and the text behind it.
fn tag(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let text = text.strip_prefix(b"[")?.trim_ascii_start();
    let length = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
    let (name, rest) = text.split_at(length);
    let value = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let mut end = 0;
    loop {
        end += memchr2(b'"', b'\\', &value[end..])?;
        match value[end] {
            b'"' => break,
            // A backslash escapes the next character.
            _ => end += 2,
        }
        if end >= value.len() {
            return None;
        }
    }
    let after = value[end + 1..].trim_ascii_start().strip_prefix(b"]")?;
    (!name.is_empty()).then_some((name, &value[..end], after))
}

/// Sets the text of a tag: escapes are resolved, and what is not UTF-8 is read as ISO 8859-1, the character set of the PGN
/// standard.
fn set_text(text: &mut String, value: &[u8]) {
    text.clear();
    let mut value = Cow::Borrowed(value);
    if value.contains(&b'\\') {
        let mut escaped = false;
        value.to_mut().retain(|&byte| {
            escaped = byte == b'\\' && !escaped;
            !escaped
        });
    }
    match std::str::from_utf8(&value) {
        Ok(value) => text.push_str(value.trim()),
        Err(_) => text.extend(value.iter().copied().map(char::from)),
    }
}

/// Returns the last number in a text: of `3.2` it is 2.
fn last_number(text: &[u8]) -> Option<u64> {
    let digits = text.rsplit(|byte| !byte.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Returns a fingerprint of the first moves, without comments, glyphs and move numbers.
fn opening(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut plies = 0;
    let mut rest = text.trim_ascii_start();
    while let (Some(&first), true) = (rest.first(), plies < OPENING_PLIES) {
        if first == b'{' {
            let Some(end) = memchr(b'}', rest) else { break };
            rest = rest[end + 1..].trim_ascii_start();
            continue;
        }
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'.' | b'(' | b')');
        let length = rest.iter().position(ends).unwrap_or(rest.len()).max(1);
        let (word, after) = rest.split_at(length);
        if word[0].is_ascii_alphabetic() {
            word.hash(&mut hasher);
            plies += 1;
        } else if word[0] == b'[' {
            break;
        }
        rest = after.trim_ascii_start();
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;
    use crate::PgnReader;

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let Some((&first, rest)) = self.0.split_first() else { return Ok(0) };
            (to[0], self.0) = (first, rest);
            Ok(1)
        }
    }

    fn scan(pgn: &[u8]) -> Vec<PgnHeader> {
        let mut scanner = PgnScanner::new(pgn);
        let headers: Vec<PgnHeader> = std::iter::from_fn(|| scanner.next().unwrap().cloned()).collect();
        let mut scanner = PgnScanner::new(Slow(pgn));
        let slowly: Vec<PgnHeader> = std::iter::from_fn(|| scanner.next().unwrap().cloned()).collect();
        assert_eq!(headers, slowly);
        headers
    }

    #[test]
    fn tags_are_read_and_moves_passed_over() {
        let pgn = b"\xef\xbb\xbf[Event \"?\"]\r\n[White \"M\xfcller, \\\"Hans\\\"\"]\r\n[Black \"B\\\\o\"]\r\n[Round \"3.12\"]\r\n\
            [Result \"1/2-1/2\"]\r\n\r\n1. e4 {a comment\n[%clk 0:01]\n[White \"x} e5 1/2-1/2\r\n\r\n\
            [White \"Ann\"] [Black \"Bob\"][Result \"0-1\"]\n% no tag\n\n1-0\n[Event \"only tags\"]\n[White \"C\"]\n\
            [Black \"D\"]\n[Result \"1-0\"]\n[Event \"next\"]\n[White \"E\"]\n[Result \"*\"]\n";
        let headers = scan(pgn);
        let names: Vec<(&str, &str)> = headers.iter().map(|h| (&*h.white, &*h.black)).collect();
        assert_eq!(names, [("Müller, \"Hans\"", "B\\o"), ("Ann", "Bob"), ("C", "D"), ("E", "")]);
        let results: Vec<ResultMarker> = headers.iter().map(|h| h.result).collect();
        let expected =
            [ResultMarker::Draw, ResultMarker::BlackWins, ResultMarker::WhiteWins, ResultMarker::Open];
        assert_eq!((results.as_slice(), headers[0].round), (&expected[..], Some(12)));
    }

    #[test]
    fn a_result_that_no_tag_has_is_that_of_the_moves() {
        let result = |tag: &str, moves: &str| {
            let pgn = format!("1. c4 1-0\n\n[White \"a\"]\n{tag}\n\n{moves}\n\n[White \"b\"]\n");
            let headers = scan(pgn.as_bytes());
            let [first, second] = &headers[..] else { panic!("{headers:?}") };
            assert_eq!(second.result, ResultMarker::Open);
            first.result.as_str()
        };
        assert_eq!(result("", "1. e4 {a comment\n[%clk 0:01]}\ne5 0-1"), "0-1");
        assert_eq!(result("[Result \"?\"]", &format!("1. e4 {}1/2", "{x}".repeat(BLOCK / 3))), "1/2-1/2");
        assert_eq!(result("[Result \"½-½\"]", "1. e4 0-1"), "1/2-1/2");
        assert_eq!(result("", "1. e4 e5 0-1 {resigned; good}"), "0-1");
        for open in ["1. e4 e5", "1. e4 ; my guess is 0-1", "1. e4 {a}\n% 0-1", "1. e4 {White lost 0-1"] {
            assert_eq!(result("", open), "*");
        }
        assert_eq!(result("[Result \"*\"]", "1. e4 1-0"), "*");
        assert_eq!(result("[Round \"1\"] ; a comment\n[Black \"d\"]", "1. e4 1-0"), "1-0");
        let latin = scan(b"[White \"a\"]\n[Result \"\xbd-\xbd\"]\n\n*\n[White \"b\"]\n\n1\x960\n");
        assert_eq!([latin[0].result, latin[1].result], [ResultMarker::Draw, ResultMarker::WhiteWins]);
    }

    #[test]
    fn lines_may_end_with_carriage_returns() {
        let pgn = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5\n2. d4 1-0\n\n".repeat(3);
        let headers = scan(pgn.as_bytes());
        assert_eq!(headers.len(), 3);
        assert_eq!(headers, scan(pgn.replace('\n', "\r").as_bytes()));
        assert_eq!(headers, scan(pgn.replace('\n', "\r\n").as_bytes()));
    }

    #[test]
    fn openings_are_told_apart_by_position_or_first_moves() {
        let game = |moves: &str| scan(format!("[White \"a\"]\n\n{moves}\n").as_bytes())[0].opening;
        let plain = game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O 1-0");
        assert_eq!(plain, game("1.e4 {+0.3/8 0.1s} e5 {book}\n2.Nf3 Nc6 3.Bb5 a6 4. Ba4 Nf6 5. d3 *"));
        assert_ne!(plain, game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 d6 5. O-O 1-0"));
        let set_up = |fen: &str, moves: &str| {
            scan(format!("[White \"a\"]\n[FEN \"{fen}\"]\n\n{moves}\n").as_bytes())[0].opening
        };
        assert_eq!(set_up("8/8", "1. e4 *"), set_up("8/8", "1. d4 *"));
        assert_ne!(set_up("8/8", "1. e4 *"), set_up("9/9", "1. e4 *"));
    }

    #[test]
    fn games_may_share_a_line() {
        let game = |white: &str, moves: &str| {
            format!("[Event \"x\"] [White \"{white}\"][Black \"z\"] [Result \"0-1\"] {moves}")
        };
        let quoting = "1. e4 e5 {[%clk 0:01] [White \"q\"]} (1... c5 [x]) 0-1 ";
        let noted = scan(b"[White \"a\"] 1. e4 ; [White \"q\"] 1. d4\n e5 1-0\n[White \"b\"] *");
        assert_eq!(noted.iter().map(|header| &*header.white).collect::<String>(), "ab");
        let pgn =
            [game("a", quoting), game("b", "1. d4\nd5 *"), game("c", "* {"), game("d", "1-0\n")].concat();
        let headers = scan(format!("{pgn}{}", game("e", "0-1")).as_bytes());
        assert_eq!(headers.iter().map(|header| &*header.white).collect::<String>(), "abce");
        // The opening is that of the moves on the line.
        assert_ne!(headers[0].opening, headers[1].opening);
        let many = game("a", quoting).repeat(3 * BLOCK / 100);
        let mut scanner = PgnScanner::new(many.as_bytes());
        let read = std::iter::from_fn(|| scanner.next().unwrap().map(|header| header.result.as_str()));
        assert_eq!(read.filter(|result| *result == "0-1").count(), 3 * BLOCK / 100);
        // A comment as long as the block is no comment.
        let long = game("a", "{") + &"x".repeat(BLOCK) + &game("b", "1-0");
        let mut scanner = PgnScanner::new(long.as_bytes());
        assert_eq!(std::iter::from_fn(|| scanner.next().unwrap().map(|_| ())).count(), 2);
    }

    #[test]
    fn lines_longer_than_the_block_are_passed_over() {
        let mut pgn = b"[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n".to_vec();
        pgn.extend(vec![b'x'; 3 * BLOCK]);
        pgn.extend(b"\n[White \"");
        pgn.extend(vec![b'y'; 3 * BLOCK]);
        pgn.extend(b"\"]\n\n[White \"c\"]\n[Black \"d\"]\n[Result \"0-1\"]\n\n0-1\n");
        let mut scanner = PgnScanner::new(&pgn[..]);
        let names: Vec<String> =
            std::iter::from_fn(|| scanner.next().unwrap().map(|header| header.white.clone())).collect();
        assert_eq!(names, ["a", "c"]);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_scanned(pgn in proptest::collection::vec(any::<u8>(), 0..400)) {
            scan(&pgn);
        }

        /// What the reader of whole games takes for White and Black is what the scanner finds.
        #[test]
        fn the_scanner_agrees_with_the_reader(
            games in proptest::collection::vec(("[a-zA-Z\"\\\\ ]{1,9}", "[a-zé]{1,9}", 0..3_usize), 1..8),
            end in proptest::sample::select(vec!["\n", " "]),
        ) {
            let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
            let mut pgn = String::new();
            for (white, black, result) in &games {
                let (white, black, result) = (escaped(white), escaped(black), ["1-0", "0-1", "1/2-1/2"][*result]);
                let tags = [("Event", "x"), ("White", &white), ("Black", &black), ("Result", result)];
                for (name, value) in tags {
                    pgn.extend(["[", name, " \"", value, "\"]", end]);
                }
                pgn.extend([end, "1. e4 e5 ", result, end, end]);
            }
            let read: Vec<(String, String)> = PgnReader::new(BufReader::new(pgn.as_bytes()))
                .filter_map(Result::ok)
                .map(|game| (game.tags["White"].trim().to_owned(), game.tags["Black"].trim().to_owned()))
                .collect();
            let scanned: Vec<(String, String)> =
                scan(pgn.as_bytes()).into_iter().map(|header| (header.white, header.black)).collect();
            prop_assert_eq!(read, scanned);
        }
    }
}
