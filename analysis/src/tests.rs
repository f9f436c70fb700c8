//! Tests of verbs on files.

use std::io::Cursor;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use game::epd::{Escapes, Lexer, Severity};
use game::{Game, Move};
use messages::epd::{MoveReading, RecordReader, TextLine};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::{
    AnalysisError, AnalysisListener, AnalysisResult, Analyzer, AnalyzerFactory, CheckRecords, Counts,
    Interrupted, JobResult, LineHandler, MateSearch, Normalize, NormalizeOutput, PositionAnalysis,
    ProcessError, Purge, Verb, WorkerPool,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// Output, messages and counters of a verb.
pub(crate) type Told = (String, String, Counts);

/// Runs a verb on a file that is text.
pub(crate) fn process(verb: &Verb, threads: usize, input: &str) -> Told {
    let (output, messages, counts) = process_bytes(verb, threads, input.as_bytes());
    (text(output), messages, counts)
}

fn process_bytes(verb: &Verb, threads: usize, input: &[u8]) -> (Vec<u8>, String, Counts) {
    let (mut output, mut messages, mut counts) = (Vec::new(), Vec::new(), Counts::default());
    let input = Cursor::new(input.to_vec());
    let processed = verb.process(&pool(threads), "a.epd", input, 0, |result| {
        output.extend(result.output);
        messages.extend(result.messages);
        counts += result.counts;
        Ok(())
    });
    processed.expect("memory can be read and written");
    (output, text(messages), counts)
}

/// Runs a quick verb on a file. Returns output, messages and counters.
pub(crate) fn run(
    handler: impl LineHandler + Clone + Send + Sync + 'static,
    input: &[u8],
) -> (Vec<u8>, String, Counts) {
    process_bytes(&Verb::quick(handler), 2, input)
}

pub(crate) fn pool(threads: usize) -> WorkerPool {
    let threads = NonZeroUsize::new(threads).expect("threads");
    WorkerPool { threads, interrupt: Arc::default(), grace: Duration::ZERO }
}

/// Makes analyzers that answer as `analyze` does, and are interrupted when they look for mates.
pub(crate) fn factory<F>(analyze: F) -> AnalyzerFactory
where
    F: Fn(&Game, AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> + Clone + Send + Sync + 'static,
{
    Arc::new(move || Ok(Box::new(Answering(analyze.clone()))))
}

struct Answering<F>(F);

impl<F: Fn(&Game, AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis>> Analyzer for Answering<F> {
    fn begin_game(&mut self) {}

    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> {
        (self.0)(game, goes_on)
    }

    fn find_mate(&mut self, _: &Game, _: u32) -> AnalysisResult<MateSearch> {
        Err(AnalysisError::Interrupted)
    }
}

pub(crate) fn moves(game: &Game, words: &str) -> Vec<Move> {
    let mut end = game.clone();
    words.split_whitespace().map(|word| end.play_text(word).expect("a legal move")).collect()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

fn check(json: bool, level: Severity) -> CheckRecords {
    CheckRecords { reader: RecordReader::default(), level, json }
}

pub(crate) fn normalize(reader: RecordReader) -> Normalize {
    Normalize { reader, escapes: reader.escapes, output: NormalizeOutput::Records }
}

pub(crate) fn purge(opcode: &str) -> Purge {
    Purge::new(opcode, Escapes::None).expect("an opcode")
}

#[test]
fn check_tells_faults_with_their_place() {
    let input = format!("# suite\n\n{START} bm e5; xyz 1;\nnothing\n{START} acd  5;\n");
    let (output, messages, counts) = run(check(false, Severity::Note), input.as_bytes());
    let expected = "a.epd:3:57: error: illegal move `e5`: no such piece can go there [X9]\n\
        a.epd:3:61: note: `xyz` is not an opcode of the standard [F15]\n\
        a.epd:4:8: error: 1 field; expected four: board, side to move, castling, en passant [F1]\n\
        a.epd:5:57: warning: expected one space before an operand [F9]\n";
    assert_eq!((text(output).as_str(), messages.as_str()), (expected, ""));
    assert_eq!(
        counts,
        Counts { records: 3, faulty: 2, errors: 2, warnings: 1, notes: 1, ..Counts::default() }
    );
    let (output, _, _) = run(check(false, Severity::Error), input.as_bytes());
    assert_eq!(text(output).lines().count(), 2);
}

#[test]
fn check_writes_json() {
    let input = format!("{START} bm \x1b[31m\"e5;\n");
    let (output, _, _) = run(check(true, Severity::Warning), input.as_bytes());
    let faults: Vec<serde_json::Value> =
        text(output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((faults[0]["file"].as_str(), faults[0]["opcode"].as_str()), (Some("a.epd"), Some("bm")));
    assert_eq!((faults[0]["line"].as_u64(), faults[0]["column"].as_u64()), (Some(1), Some(57)));
    assert!(faults.iter().all(|fault| !fault["message"].as_str().expect("a message").contains('\x1b')));
}

#[test]
fn normalize_puts_right_and_keeps_what_it_can_t() {
    let input =
        format!("\u{feff}# suite\r\n{START}  id \"x\"; bm Ng1f3 ;\r\n\r\nnothing \n{START} dm 0; bm e2e4");
    let (output, messages, counts) = run(normalize(RecordReader::default()), input.as_bytes());
    let expected =
        format!("\u{feff}# suite\r\n{START} bm Nf3; id \"x\";\r\n\r\nnothing \n{START} dm 0; bm e2e4");
    assert_eq!(text(output), expected);
    assert_eq!(messages.lines().count(), 3, "{messages}");
    assert!(messages.starts_with("a.epd:4:9: error: "), "{messages}");
    assert_eq!((counts.records, counts.faulty, counts.errors), (3, 2, 3));
    let repairing = RecordReader { moves: MoveReading::Repair, ..RecordReader::default() };
    let (output, _, _) = run(normalize(repairing), input.as_bytes());
    assert_eq!(text(output), expected, "`dm 0` is an error yet");
}

/// Records that can't be rewritten without loss.
pub(crate) const MALFORMED: [&str; 7] = [
    "c0 \"say \\\"e4\\\"\";",
    "c0 \"a\"b;",
    "id \"unclosed; c0 \"x\" y\";",
    "id \"unclosed",
    "c0 \"a\u{1}b\";",
    "bm e4\u{7f}x;",
    "bm e4; id \"x\"; bm d4;",
];

#[test]
fn records_that_can_not_be_rewritten_without_loss_stay_as_they_are() {
    for operations in MALFORMED {
        let input = format!("{START}  acd  1; {operations}\n{START}  acd 1;\n");
        let (output, messages, counts) = run(normalize(RecordReader::default()), input.as_bytes());
        assert_eq!(text(output), format!("{START}  acd  1; {operations}\n{START} acd 1;\n"));
        assert_eq!((counts.faulty, messages.is_empty()), (1, false), "{operations}");
    }
    let again = format!("{START} bm e4; bm e4;\n");
    assert_eq!(
        text(run(normalize(RecordReader::default()), again.as_bytes()).0),
        format!("{START} bm e4;\n")
    );
}

#[test]
fn latin_1_stays_so() {
    let input = format!("{START} c0 \"caf\u{e9}\";\n");
    let latin_1: Vec<u8> = input.chars().map(|c| c as u8).collect();
    assert_eq!(run(normalize(RecordReader::default()), &latin_1).0, latin_1);
    let (told, _, _) = run(check(false, Severity::Note), &latin_1);
    assert!(text(told).contains("the line is not UTF-8; it is read as ISO 8859-1"));
    assert_eq!(text(run(normalize(RecordReader::default()), input.as_bytes()).0), input);
    assert_eq!(run(purge("pv"), &latin_1).0, latin_1);
}

#[test]
fn purge_leaves_all_the_rest_as_it_is() {
    for (operations, left) in [
        (" bm e4;", ""),
        (" bm e4; id \"x\";", " id \"x\";"),
        (" id \"x\"; bm e4", " id \"x\";"),
        ("  id \"x; bm d4;\" ;  bm e4 ;; acd 5;\t", "  id \"x; bm d4;\" ;  ; acd 5;\t"),
        (" bm e4;;id \"x\";", " ;id \"x\";"),
        (" bm c4 c5; c5 \"x\";", " c5 \"x\";"),
        (" bm e4; acd 1; bm d4;", " acd 1;"),
        (" 0 1;bm e4;", " 0 1;"),
        (" acd 1;; bm e4;", " acd 1;;"),
        (" bm e4;\u{b}acd 1;", "\u{b}acd 1;"),
        (" bm e4;acd 1;", " acd 1;"),
        (" bmx e4; Bm d4;", " bmx e4; Bm d4;"),
    ] {
        for end in ["\n", "\r\n", ""] {
            let (output, _, counts) = run(purge("bm"), format!("{START}{operations}{end}").as_bytes());
            assert_eq!(text(output), format!("{START}{left}{end}"), "{operations:?}");
            assert_eq!(counts.records, 1);
        }
    }
    for doubtful in [" bm e4 id \"x\";", " acd 3; bm e4 c0 one;", " pv e4; bm d4 ce 5; id \"y\";"] {
        let line = format!("{START}{doubtful}\n");
        let (output, messages, counts) = run(purge("bm"), line.as_bytes());
        assert_eq!((text(output), counts.errors), (line, 1));
        assert!(messages.contains("a semicolon seems to be missing"), "{messages}");
    }
    for (opcode, doubtful) in [
        ("ce", "ce 5 Target \"missed\";"),
        ("bm", "bm e4 theme fork;"),
        ("pv", "pv e4 Kd7 Sx 5;"),
        ("ce", "ce 5 # comment"),
        ("c9", "c9 \"x\" Ae \"y\";"),
        ("resign", "resign c0 \"why\";"),
        ("draw_offer", "draw_offer sm e4;"),
        ("c1", "c1 c2 \"x\";"),
        ("nic", "nic eco \"B00\";"),
        ("Own", "Own 1 id \"x\";"),
    ] {
        let line = format!("{START} {doubtful}\n");
        let (output, _, counts) = run(purge(opcode), line.as_bytes());
        assert_eq!((text(output), counts.errors), (line, 1), "{doubtful}");
    }
    let other = "\n# bm e4;\r\nbm e4; x\n";
    assert_eq!(text(run(purge("bm"), other.as_bytes()).0), other);
    assert!(["b m", ""].iter().all(|text| Purge::new(text, Escapes::None).is_err()));
}

#[test]
fn the_order_is_kept_and_memory_is_not_filled() {
    let record = |number: u64| format!("{START} acn {number}; id \"{number}\";\n");
    let input: String = (0..100_000).map(record).collect();
    let (mut next, mut largest) = (0_u64, 0);
    let verb = Verb::quick(normalize(RecordReader::default()));
    let taken = verb.process(&pool(2), "a.epd", Cursor::new(input), 0, |result| {
        largest = largest.max(result.output.len());
        for line in text(result.output).lines() {
            assert_eq!(format!("{line}\n"), record(next));
            next += 1;
        }
        Ok(())
    });
    taken.expect("memory can be read");
    assert_eq!(next, 100_000);
    assert!(largest < 100_000, "{largest} bytes at a time");
}

#[test]
fn errors_say_on_which_side_they_are() {
    struct Broken(u64);
    impl std::io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            buffer[0] = b'\n';
            if self.0 < 3 { Ok(1) } else { Err(std::io::ErrorKind::ConnectionReset.into()) }
        }
    }
    let verb = Verb::quick(purge("bm"));
    let taken = verb.process(&pool(2), "a.epd", Broken(0), 0, |_| Ok(()));
    assert!(matches!(taken, Err(ProcessError::Read(_))));
    let full = |_| Err(std::io::ErrorKind::StorageFull.into());
    assert!(matches!(verb.process(&pool(2), "a.epd", Broken(0), 0, full), Err(ProcessError::Write(_))));
}

#[test]
fn an_interruption_ends_the_work_although_the_input_is_silent() {
    struct Silent(mpsc::Receiver<()>, bool);
    impl std::io::Read for Silent {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if std::mem::replace(&mut self.1, true) {
                // Until the test has ended.
                let _ = self.0.recv();
                return Ok(0);
            }
            buffer[0] = b'\n';
            Ok(1)
        }
    }
    let (_end, silent) = mpsc::channel();
    let (pool, mut taken) = (pool(2), 0);
    let interrupt = Arc::clone(&pool.interrupt);
    let result = Verb::quick(Copy).process(&pool, "a.epd", Silent(silent, false), 0, |_| {
        taken += 1;
        interrupt.store(true, Ordering::Relaxed);
        Ok(())
    });
    assert!(matches!(result, Err(ProcessError::Interrupted)));
    assert_eq!(taken, 1, "what was done before is taken");
}

#[test]
fn a_line_that_is_too_long_is_told_and_counted() {
    let input = [vec![b'x'; 17 << 20], format!("\n{START}\n").into_bytes()].concat();
    let (output, messages, counts) = run(normalize(RecordReader::default()), &input);
    assert!(output == input);
    assert_eq!(messages, "a.epd:1:1: error: the line is longer than 16 MiB and stays as it is [F3]\n");
    assert_eq!((counts.records, counts.errors), (2, 1));
}

/// Copies lines, to see that nothing is lost on the way.
#[derive(Clone)]
struct Copy;

impl LineHandler for Copy {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        line.copy(&line.text, &mut result.output);
        result.output.extend(line.end.bytes());
        Ok(())
    }
}

/// The words of a text without their semicolons, in ASCII order; strings are words.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut lexer = Lexer::new(text, 1, Escapes::None);
    words.extend(lexer.fields().into_iter().flatten().map(|field| field.text.to_owned()));
    words.extend(lexer.counters().into_iter().flatten().map(|counter| counter.text.to_owned()));
    while let Some(opcode) = lexer.opcode() {
        words.push(opcode.text.to_owned());
        while let Some(operand) = lexer.operand() {
            words.push(operand.text.to_owned());
        }
    }
    words.sort();
    words.dedup();
    words
}

/// Text of a record that some program might write, more or less.
fn operations() -> impl Strategy<Value = String> {
    let operation = prop_oneof![
        "(bm|am|pv|sm|pm) (e4|Nf3|d4|e2e4|Sf3|e4!|,|\\+|1\\.|x){0,3}",
        "(acd|acn|ce|dm|hmvc|fmvn|D1) (-|\\+)?[0-9]{0,4}(\\.5|,000)?",
        "(id|c0|c1|v3|eco|Xx) \"[a-z \\\\;.']{0,6}\"?( \"b\\\\\"\"| z)?",
        "[a-zA-Z0-9 \"\\\\;\u{1}\u{e9}-]{0,8}",
    ];
    let operation =
        (operation, "(;| ;|;;|; |;  )?").prop_map(|(operation, end)| format!(" {operation}{end}"));
    vec(operation, 0..5).prop_map(|operations| operations.concat())
}

proptest! {
    #[test]
    fn any_file_is_copied(bytes in vec(any::<u8>(), 0..500)) {
        prop_assert_eq!(run(Copy, &bytes).0, bytes.clone());
        prop_assert_eq!(run(purge("bm"), &bytes).0, bytes);
    }

    #[test]
    fn every_word_of_a_record_is_written_or_the_record_stays(operations in operations()) {
        let line = format!("{START}{operations}");
        let normal = text(run(normalize(RecordReader::default()), line.as_bytes()).0);
        let (before, after) = (words(&line), words(&normal));
        // What a warning says may be written in another way: moves, numbers, counters of a FEN, the fifth field and commas.
        let is_respelled = |word: &String| {
            word.contains([',', '+']) || word == "-" || word.contains("e4") || word == "0"
                || word.trim_start_matches(['+', '-']).parse::<u64>().is_ok_and(|number| after.contains(&number.to_string())
                    || after.contains(&format!("-{number}")))
                // Strings without quotation marks are joined.
                || after.iter().any(|other| other.split(' ').any(|part| part == word))
        };
        let lost: Vec<&String> = before.iter().filter(|word| !after.contains(word) && !is_respelled(word)).collect();
        prop_assert!(normal == line || lost.is_empty(), "{lost:?}: {line} -> {normal}");
    }

    #[test]
    fn purge_takes_the_operation_alone(operations in operations()) {
        let line = format!("{START}{operations}");
        let purged = text(run(purge("bm"), line.as_bytes()).0);
        // What is left is what was there, in its order.
        let mut rest = line.chars();
        prop_assert!(purged.chars().all(|c| rest.any(|other| other == c)));
        let taken = words(&line).into_iter().filter(|word| !words(&purged).contains(word));
        let of_bm = |word: &String| line.split(';').any(|part| part.contains("bm") && part.contains(word.as_str()));
        let has_strings = line.contains('"');
        prop_assert!(has_strings || taken.into_iter().all(|word| of_bm(&word)), "{line} -> {purged}");
    }

    #[test]
    fn any_file_is_normalized_once_and_for_all(bytes in vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b' ')], 0..300)) {
        let file = [format!("{START} c0 \"").into_bytes(), bytes].concat();
        let normal = run(normalize(RecordReader::default()), &file).0;
        prop_assert_eq!(run(normalize(RecordReader::default()), &normal).0, normal);
    }
}
