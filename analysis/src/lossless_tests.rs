//! Every byte of a record is accounted for: it is written, or what was told says that its operation was repaired, or the record is
//! left as it is and reported.
//!
//! The tokens are found by code of the tests' own, so that a fault of the lexer does not excuse itself.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use game::epd::Escapes;
use messages::epd::{Content, MoveReading, RecordReader, Repair, RepairSet, lines};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::tests::{normalize, process, purge, run};
use crate::{LineEnds, Normalize, NormalizeOutput, Verb};

/// Number of mutated records, spread over the suites.
const MUTATED: usize = 100_000;

/// What became of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Account {
    /// Written byte for byte, without an error.
    same: usize,
    /// Every token is written; only white space and the order differ.
    rearranged: usize,
    /// Tokens are written in another way, and a repair of their operation was told.
    repaired: usize,
    /// Written byte for byte, with an error that was reported.
    reported: usize,
}

impl Account {
    fn records(self) -> usize {
        self.same + self.rearranged + self.repaired + self.reported
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// A token of a line with the number of its operation; 0 for the fields, which end with the fourth word.
struct Token<'a> {
    text: &'a str,
    at: usize,
    operation: usize,
}

fn is_counter(token: &Token<'_>) -> bool {
    token.text.bytes().all(|byte| byte.is_ascii_digit()) || token.text == "-"
}

/// Words, strings with their quotation marks, and semicolons. `has_escapes`: whether `\"` does not end a string.
fn tokens(line: &str, has_escapes: bool) -> Vec<Token<'_>> {
    let bytes = line.as_bytes();
    let (mut tokens, mut at, mut operation) = (Vec::<Token<'_>>::new(), 0, 0);
    while at < bytes.len() {
        let begin = at;
        if is_blank(bytes[at]) {
            at += 1;
            continue;
        }
        if bytes[at] == b';' {
            at += 1;
        } else if bytes[at] == b'"' && tokens.len() >= 4 {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if has_escapes && bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = bytes.len().min(at + 1);
        } else {
            // A quotation mark ends an opcode, but is a part of other words.
            let is_opcode = tokens.len() >= 4
                && (tokens.last().is_some_and(|last| last.text == ";") || tokens[4..].iter().all(is_counter));
            let ends = |byte: &u8| is_blank(*byte) || *byte == b';' || (is_opcode && *byte == b'"');
            at = bytes[at..].iter().position(ends).map_or(bytes.len(), |end| at + end);
        }
        tokens.push(Token { text: &line[begin..at], at: begin, operation });
        operation += usize::from(tokens.len() == 4 || (tokens.len() > 4 && bytes[begin] == b';'));
    }
    tokens
}

/// The texts of `tokens` that `others` do not have, each as often as it is missing.
fn missing<'t, 'a>(tokens: &'t [Token<'a>], others: &[Token<'_>]) -> Vec<&'t Token<'a>> {
    let mut there: HashMap<&str, usize> = HashMap::new();
    for token in others {
        *there.entry(token.text).or_default() += 1;
    }
    let is_missing = |token: &&Token<'_>| match there.get_mut(token.text) {
        Some(count @ 1..) => {
            *count -= 1;
            false
        }
        _ => true,
    };
    tokens.iter().filter(is_missing).collect()
}

/// The lines of messages by number: of errors, `file:line:...`; of changes, JSON.
fn numbered(messages: &str) -> HashMap<u64, String> {
    let mut numbered: HashMap<u64, String> = HashMap::new();
    for message in messages.lines() {
        let number = message.split(':').nth(1).and_then(|number| number.parse().ok()).expect("a line number");
        numbered.entry(number).or_default().push_str(message);
    }
    numbered
}

/// The columns at which repairs of each line were told, from 1.
fn told_columns(changes: &str) -> HashMap<u64, Vec<usize>> {
    let mut told = HashMap::new();
    for change in changes.lines() {
        let change: serde_json::Value = serde_json::from_str(change).expect("JSON");
        let columns = change["repairs"]
            .as_array()
            .expect("repairs")
            .iter()
            .filter(|repair| !["note", "order"].contains(&repair["kind"].as_str().expect("a kind")));
        let columns = columns.map(|repair| repair["column"].as_u64().expect("a column") as usize);
        told.insert(change["line"].as_u64().expect("a number"), columns.collect());
    }
    told
}

/// Normalizes a file and accounts for every byte.
fn account(verb: &Normalize, bytes: &[u8]) -> Account {
    let (written, messages, counts) = run(verb.clone(), bytes);
    let (changes, _, _) = run(Normalize { output: NormalizeOutput::Json, ..verb.clone() }, bytes);
    let errors = numbered(&messages);
    let told = told_columns(std::str::from_utf8(&changes).expect("JSON"));
    let mut account = Account::default();
    let (mut before, mut after) = (lines(1, bytes), lines(1, &written));
    for line in before.by_ref() {
        let normal = after.next().expect("as many lines");
        assert_eq!(line.end, normal.end);
        let is_told = errors.contains_key(&line.number);
        if line.text == normal.text {
            assert_eq!(line.is_latin_1(), normal.is_latin_1());
            match line.content() {
                Content::Record if is_told => account.reported += 1,
                Content::Record => account.same += 1,
                Content::Blank | Content::Comment => {}
            }
            continue;
        }
        assert!(!is_told, "an error leaves the record alone: {line:?}");
        let has_escapes = verb.reader.escapes == Escapes::Backslash;
        let (given, made) = (tokens(&line.text, has_escapes), tokens(&normal.text, false));
        let lost = missing(&given, &made);
        let columns = told.get(&line.number).unwrap_or_else(|| panic!("told: {line:?}"));
        let told: Vec<usize> = columns
            .iter()
            .map(|column| line.text.char_indices().nth(column - 1).map_or(line.text.len(), |(at, _)| at))
            .map(|at| given.iter().rev().find(|token| token.at <= at).map_or(0, |token| token.operation))
            .collect();
        // A blank that is told stands between two operations.
        let is_told =
            |token: &Token<'_>| told.iter().any(|told| [*told, told + 1].contains(&token.operation));
        for token in &lost {
            let is_alike = |other: &Token<'_>| other.text == token.text;
            let count = lost.iter().filter(|other| is_alike(other)).count();
            let may_be_lost = given.iter().filter(|other| is_alike(other) && is_told(other)).count();
            assert!(count <= may_be_lost, "`{}` is lost: {line:?} -> {normal:?}, {columns:?}", token.text);
        }
        let is_grown = !missing(&made, &given).is_empty();
        assert!(!is_grown || !columns.is_empty(), "{line:?} -> {normal:?}");
        if lost.is_empty() && !is_grown { account.rearranged += 1 } else { account.repaired += 1 }
    }
    assert_eq!(after.next(), None);
    assert_eq!(account.records() as u64, counts.records);
    account
}

/// What is left of a line without the operations of this opcode: those between two semicolons that begin with it.
fn without(line: &str, opcode: &str) -> Option<String> {
    let tokens = tokens(line, false);
    let first = 4 + tokens.get(4..)?.iter().take_while(|token| is_counter(token)).count();
    let mut left = String::new();
    let (mut kept_to, mut end, mut at) = (0, tokens[first - 1].at + tokens[first - 1].text.len(), first);
    while at < tokens.len() {
        let last = (at..tokens.len()).find(|at| tokens[*at].text == ";").unwrap_or(tokens.len() - 1);
        let behind = tokens[last].at + tokens[last].text.len();
        if tokens[at].text == opcode {
            let needs_blank = line.as_bytes().get(behind).is_some_and(|next| !is_blank(*next));
            left.push_str(&line[kept_to..if needs_blank { tokens[at].at } else { end }]);
            kept_to = behind;
        }
        (end, at) = (behind, last + 1);
    }
    Some(left + &line[kept_to..])
}

/// Takes an operation out of all records and accounts for every byte; returns the number of records that had it.
fn account_for_purge(opcode: &str, bytes: &[u8]) -> usize {
    let (written, messages, _) = run(purge(opcode), bytes);
    let errors = numbered(&messages);
    let mut changed = 0;
    let mut after = lines(1, &written);
    for line in lines(1, bytes) {
        let left = after.next().expect("as many lines");
        assert_eq!(line.end, left.end);
        if left.text == line.text {
            let is_there = line.content() == Content::Record
                && without(&line.text, opcode).is_some_and(|left| left != line.text);
            assert!(!is_there || errors.contains_key(&line.number), "purge {opcode} is silent: {line:?}");
        } else {
            changed += 1;
            // White space behind an operation without a semicolon goes with it.
            let expected = without(&line.text, opcode).expect("an operation");
            let is_ended = line.text.trim_end().ends_with(';');
            let trimmed = |text| if is_ended { text } else { str::trim_end(text) };
            // What is left of a line in ISO 8859-1 can be UTF-8.
            let (mut there, mut wanted) = (Vec::new(), Vec::new());
            left.copy(trimmed(&left.text), &mut there);
            line.copy(trimmed(&expected), &mut wanted);
            assert!(there == wanted, "purge {opcode}: {line:?} -> {left:?}");
        }
    }
    assert_eq!(after.next(), None);
    changed
}

/// Readers without and with all repairs.
fn verbs() -> [Normalize; 2] {
    let plain = normalize(RecordReader::default());
    let repairing = RecordReader {
        moves: MoveReading::Repair,
        mates: true,
        escapes: Escapes::Backslash,
        repairs: Repair::ALL.into_iter().fold(RepairSet::NONE, RepairSet::with),
        ..RecordReader::default()
    };
    [plain, Normalize { reader: repairing, escapes: Escapes::None, output: NormalizeOutput::Records }]
}

/// The files of the folder `$HERALD_EPD`, or of the suites beside the repository, and the openings that are part of Herald.
fn suites() -> Vec<(String, Vec<u8>)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/epd");
    let folder = std::env::var_os("HERALD_EPD").map_or_else(beside, PathBuf::from);
    let mut suites: Vec<_> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("a file")))
        .collect();
    if suites.is_empty() {
        eprintln!("{} has no files: the openings only", folder.display());
    }
    suites.sort();
    suites.push(("openings".to_owned(), game::openings::EMBEDDED.as_bytes().to_vec()));
    suites.push(("all operations".to_owned(), ALL_OPERATIONS.as_bytes().to_vec()));
    suites
}

const ALL_OPERATIONS: &str = r#"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - Private x "y" -1; acd 12; acn 12345678901; acs 20; am e4 f3;
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 bm e4 d4; c0 "a; b"; cc 000:00:03:20 012:23:59:59; ce 32766; id "x";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm Ng1f3; bm d4; c1 "say \"e4\""; c2 "C:\\"; v0 "unclosed;
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e2e4 1. e4 e5 2.Nf3!, acd 1,000; ce +0.35 id WAC 001; sv e4 e5;
r3k2r/8/8/8/8/8/8/R3K2R b KQkq - eco "C65"; hmvc 3; fmvn 30; ptp Event "A; B" White "x"; pv O-O 0-0-0; noop 1 "x"; resign;
6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm #1; dm 1; pm Ra8; tcgs 7; tcri "a@b.org" "J D"; ts 1995.11.26 23:59; draw_decline; nic "RL 11";
"#;

#[test]
fn suites_are_accounted_for_with_each_line_end() {
    for (name, bytes) in suites() {
        for end in ["\n", "\r\n", "\r", "\0\n", "\0"] {
            let ended: Vec<u8> = lines(1, &bytes)
                .flat_map(|line| {
                    let mut copy = Vec::new();
                    line.copy(&line.text, &mut copy);
                    copy.extend(end.bytes());
                    copy
                })
                .collect();
            for verb in verbs() {
                let account = account(&verb, &ended);
                if end == "\n" {
                    println!("{name}: {} records, {account:?}", account.records());
                }
            }
        }
        for opcode in ["bm", "id", "c0", "pv"] {
            account_for_purge(opcode, &bytes);
        }
    }
}

/// A source of numbers that is the same in every run.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn throw(&mut self, sides: usize) -> usize {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    fn choose<'c, T>(&mut self, among: &'c [T]) -> &'c T {
        &among[self.throw(among.len())]
    }
}

/// Bytes and texts that are put into records.
const INSERTED: [&[u8]; 22] = [
    b"\"",
    b"\\\"",
    b"\\",
    b";",
    b" ",
    b"  ",
    b"\t",
    b"\0",
    b"\r",
    b"\x01",
    b"\x7f",
    b"\xe9",
    b"\xff\xfe",
    b"\xc3\xa9",
    b",",
    b"+",
    b"#",
    b" - ",
    b" 0 1 ",
    b" bm e4;",
    b" id \"x\"; ",
    b" c0 \"a\\\"; b\";",
];

/// Changes a record in one or two places, mostly in its operations.
fn mutate(record: &mut Vec<u8>, others: &[&[u8]], dice: &mut Dice) {
    for _ in 0..=dice.throw(2) {
        let blanks = (0..record.len()).filter(|at| record[*at] == b' ');
        let first = blanks.take(4).last().filter(|_| dice.throw(8) > 0).unwrap_or(0);
        let at = first + dice.throw(record.len() + 1 - first);
        let rest = record.len() - at;
        match dice.throw(8) {
            0 if rest > 0 => record[at] = dice.throw(256) as u8,
            1 if rest > 0 => record[at] = *dice.choose(b" ;\"\\-+#=xO0KQRBNabcdefgh12345678"),
            2 => drop(record.splice(at..at, dice.choose(&INSERTED).iter().copied())),
            3 => drop(record.drain(at..at + rest.min(1 + dice.throw(3)))),
            4 => record.truncate(at),
            5 => {
                let other = dice.choose(others);
                record.truncate(at);
                record.extend(&other[dice.throw(other.len() + 1)..]);
            }
            6 => {
                // A part of the record again: opcodes that are there twice.
                let part = record[at..at + rest.min(5 + dice.throw(40))].to_vec();
                let to = first + dice.throw(record.len() + 1 - first);
                record.splice(to..to, part);
            }
            _ => {
                let semicolons: Vec<usize> = (0..record.len()).filter(|at| record[*at] == b';').collect();
                if let [_, ..] = semicolons[..] {
                    record.remove(*dice.choose(&semicolons));
                }
            }
        }
    }
}

#[test]
fn mutated_records_are_accounted_for() {
    let suites = suites();
    let records: Vec<Vec<&[u8]>> = suites
        .iter()
        .map(|(_, bytes)| bytes.split(|byte| *byte == b'\n').filter(|record| !record.is_empty()).collect())
        .collect();
    let (mut dice, mut file) = (Dice(30), Vec::new());
    for number in 0..MUTATED {
        let suite = &records[number % records.len()];
        let mut record = dice.choose(suite).to_vec();
        mutate(&mut record, suite, &mut dice);
        file.extend(record);
        file.extend(*dice.choose(&[&b"\n"[..], b"\n", b"\r\n", b"\r", b"\0\n", b"\0"]));
    }
    for verb in verbs() {
        let account = account(&verb, &file);
        println!("{MUTATED} mutated records, {} lines with text: {account:?}", account.records());
        assert!(account.records() > MUTATED * 9 / 10);
        assert!(
            [account.same, account.rearranged, account.repaired, account.reported]
                .iter()
                .all(|count| *count > 1000)
        );
    }
    for opcode in ["bm", "id", "c0", "acd"] {
        let changed = account_for_purge(opcode, &file);
        println!("purge {opcode}: {changed} records");
        assert!(changed > 100);
    }
}

#[test]
fn line_ends_are_kept_or_changed_with_nothing_else() {
    let record = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -  acd 1;";
    let ends = ["\n", "\r\n", "\r", "\0\n", "\0\r\n", "\0", "\n", "\r", ""];
    let file: String = ends.iter().flat_map(|end| [record, end]).collect();
    let with = |normal: &str, line_ends: LineEnds, of: &dyn Fn(&str) -> String| {
        let expected: String = ends.iter().flat_map(|end| [normal.to_owned(), of(end)]).collect();
        for verb in [Verb::quick(verbs()[0].clone()), Verb::quick(purge("pv"))] {
            let (written, _, _) = process(&verb.with_line_ends(line_ends), 2, &file);
            assert_eq!(written.replace("-  acd", "- acd"), expected, "{line_ends:?}");
        }
    };
    let normal = record.replace("  ", " ");
    let bare = |end: &str| end.trim_start_matches('\0').to_owned();
    let is_end = |end: &str, new: &str| if end.is_empty() { String::new() } else { new.to_owned() };
    with(&normal, LineEnds::Keep, &|end| end.to_owned());
    with(&normal, LineEnds::WithoutNul, &|end| if end == "\0" { "\n".to_owned() } else { bare(end) });
    with(&normal, LineEnds::Lf, &|end| is_end(end, "\n"));
    with(&normal, LineEnds::CrLf, &|end| is_end(end, "\r\n"));
}

proptest! {
    #[test]
    fn any_bytes_are_accounted_for(
        bytes in vec(prop_oneof![any::<u8>(), prop::sample::select(b" ;\"\\\n\r\0 be4c0id1".to_vec())], 0..300),
        is_record in any::<bool>(),
    ) {
        let begin: &[u8] = if is_record { b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; c0 " } else { b"" };
        let file = [begin, &bytes].concat();
        for verb in verbs() {
            account(&verb, &file);
        }
        for opcode in ["bm", "c0"] {
            account_for_purge(opcode, &file);
        }
    }
}
