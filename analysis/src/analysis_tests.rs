//! Verbs that need an analyzer: with one that follows a script, and with Herald.

use std::io::Cursor;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use game::{Game, Score, TimeControl};
use messages::epd::{MoveReading, RecordReader};

use crate::tests::{Told, factory, moves, pool, process};
use crate::{
    AnalysisError, AnalysisJob, AnalysisListener, Analyze, Analyzer, AnalyzerFactory, Counts, FindMates,
    Herald, MateSearch, MateVerdict, PositionAnalysis, ProcessError, Target, Verb,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const MATE_IN_1: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - -";
const MATE_IN_2: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - -";
const MATED: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - -";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - -";

/// Tells one line after the other; the last one is the decision. The depth grows by one, nodes by a hundred and the time by
/// ten milliseconds from line to line.
fn script(lines: &'static [&'static str]) -> AnalyzerFactory {
    factory(move |game, goes_on| {
        let mut last = Err(AnalysisError::NoMove("nothing".into()));
        for (depth, line) in (1..).zip(lines) {
            let analysis = PositionAnalysis {
                line: moves(game, line),
                score: Some(Score::Centipawns(depth as i32)),
                depth: Some(depth),
                nodes: Some(u64::from(depth) * 100),
                time: Duration::from_millis(u64::from(depth) * 10),
                others: Vec::new(),
            };
            let is_enough = !goes_on(&analysis);
            last = Ok(analysis);
            if is_enough {
                break;
            }
        }
        last
    })
}

/// Runs a job on a file.
fn run(job: impl AnalysisJob + 'static, new_analyzer: AnalyzerFactory, threads: usize, input: &str) -> Told {
    let reader = RecordReader { moves: MoveReading::Repair, ..RecordReader::default() };
    process(&Verb::analysis(reader, job, new_analyzer, None), threads, input)
}

fn scripted(job: impl AnalysisJob + 'static, lines: &'static [&'static str], input: &str) -> Told {
    run(job, script(lines), 1, input)
}

fn by_herald(job: impl AnalysisJob + 'static, nodes: u64, threads: usize, input: &str) -> Told {
    let limit = TimeControl::Nodes(NonZeroU64::new(nodes).expect("nodes"));
    run(job, Arc::new(move || Ok(Box::new(Herald::new(&limit, 1)?))), threads, input)
}

const ANALYZE: Analyze = Analyze { times: true, supplies_move: false };
const TARGET: Target = Target { times: true, early_stop: None };

/// The value of `Target`, and all that was written.
fn target(target: Target, operations: &str, lines: &'static [&'static str]) -> (String, String) {
    let (output, messages, _) = scripted(target, lines, &format!("{START} {operations}\n"));
    assert_eq!(messages, "");
    let verdict = output.split("Target \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("");
    (verdict.to_owned(), output)
}

#[test]
fn a_record_is_solved_from_when_on_a_right_move_is_held_to() {
    let (verdict, output) = target(TARGET, "bm e4; id \"x\";", &["d4", "e4 e5", "e4 c5 Nf3"]);
    assert_eq!(verdict, "solved 2 200 20");
    let expected = format!(
        "{START} Target \"solved 2 200 20\"; acd 3; acn 300; acs 0; bm e4; ce 3; id \"x\"; pm e4; pv e4 c5 Nf3;\n"
    );
    assert_eq!(output, expected);
    let verdict = |operations, lines| target(TARGET, operations, lines).0;
    assert_eq!(
        verdict("bm e4;", &["e4", "d4", "e4"]),
        "solved 3 300 30",
        "what it left for a while doesn't count"
    );
    assert_eq!(verdict("bm e4;", &["e4", "d4"]), "missed");
    assert_eq!(
        verdict("bm d4 e4;", &["e4", "d4"]),
        "solved 1 100 10",
        "one right move is as good as the other"
    );
    assert_eq!(verdict("am e4;", &["e4", "d4"]), "solved 2 200 20");
    assert_eq!(verdict("am e4;", &["e4"]), "missed");
    assert_eq!(verdict("am e4; bm d4 c4;", &["Nf3"]), "missed", "not wrong, but not right either");
    assert_eq!(verdict("bm e2e4; Target solved 9 9 9;", &["d4"]), "missed", "what was there goes");
    let untimed = Target { times: false, ..TARGET };
    let (verdict, output) = target(untimed, "bm e4;", &["e4"]);
    assert_eq!(verdict, "solved 1 100 -");
    assert!(!output.contains("acs"), "{output}");
}

#[test]
fn a_search_may_end_when_the_right_move_was_held_to() {
    let early = |plies| Target { early_stop: Some(plies), ..TARGET };
    let lines = &["d4", "e4", "e4", "e4", "d4"];
    let (verdict, output) = target(early(2), "bm e4;", lines);
    assert_eq!(verdict, "solved 2 200 20");
    assert!(output.contains(" acd 4; "), "{output}");
    assert_eq!(target(early(3), "bm e4;", lines).0, "missed");
}

#[test]
fn records_without_a_target_are_passed_over() {
    let input = format!("{START} id \"x\";\n{MATED} bm Kf8;\n{START} bm Ke4;\n{START} Target missed;\n");
    let (output, _, counts) = scripted(TARGET, &["e4"], &input);
    assert!(!output.contains("pv") && !output.contains("Target"), "{output}");
    assert_eq!((output.lines().count(), counts.skipped), (4, 4));
}

#[test]
fn an_analysis_has_all_that_the_specification_demands() {
    let analysed = |record: &str| scripted(ANALYZE, &["e4 e5"], &format!("{record}\n")).0;
    let expected = format!("{START} acd 1; acn 100; acs 0; ce 1; id \"x\"; pm e4; pv e4 e5;\n");
    assert_eq!(analysed(&format!("{START} acd 99; ce 9; id \"x\"; pm d4;")), expected);
    assert_eq!(analysed(&format!("{MATED} pm Kf8; acn 5;")), format!("{MATED} ce -32767; pv;\n"));
    assert_eq!(analysed(STALEMATE), format!("{STALEMATE} ce 0; pv;\n"));
    let supplying = Analyze { supplies_move: true, times: false };
    let supplied = |record: &str| scripted(supplying, &["e4 e5"], &format!("{record}\n")).0;
    let expected = format!("{START} acd 1; acn 100; ce 1; pm e4; pv e4 e5; sm e4;\n");
    assert_eq!(supplied(&format!("{START} sm d4; sv d4 d5;")), expected);
    assert_eq!(supplied(&format!("{MATED} sm Kf8;")), format!("{MATED} ce -32767; pv;\n"));
}

#[test]
fn a_record_that_fails_stays_as_it_was_and_does_not_cost_the_next() {
    let record = format!("{START} bm e4; pm d4;\n");
    let input = format!("# suite\n\n{record}nothing\n8/8/8/8/8/8/8/8 w - -\n");
    let (output, messages, counts) = scripted(ANALYZE, &[], &input);
    assert_eq!(output, input);
    let told = "a.epd:3: error: the program gives no move and says `nothing`\n\
        a.epd:4:8: error: 1 field; expected four: board, side to move, castling, en passant [F1]\n\
        a.epd:5:1: error: ";
    assert!(messages.starts_with(told), "{messages}");
    assert_eq!(
        (messages.lines().count(), counts),
        (3, Counts { records: 3, faulty: 2, errors: 2, failed: 3, ..Counts::default() })
    );
    let nobody: AnalyzerFactory = Arc::new(|| Err(AnalysisError::NoScore));
    let (output, messages, _) = run(ANALYZE, nobody, 2, &record);
    assert_eq!((output, messages), (record, "a.epd:1: error: the program reports no score\n".to_owned()));
}

#[test]
fn a_record_that_can_not_be_rewritten_without_loss_is_not_analysed() {
    for operations in crate::tests::MALFORMED {
        let input = format!("{START} bm e4; {operations}\n");
        let (output, messages, counts) = scripted(TARGET, &["e4"], &input);
        assert_eq!((output, counts.failed, messages.is_empty()), (input, 1, false));
    }
    let (output, _, counts) = scripted(TARGET, &["e4"], &format!("{START} am #3; bm e4;\n"));
    assert!(
        output.contains(" am #3; bm e4;") && counts.found == 1,
        "an operand that is no move is no loss: {output}"
    );
}

#[test]
fn the_order_is_kept_on_any_number_of_threads() {
    let record = |number: u64| format!("{START} id \"{number}\";\n");
    let input: String = (0..100).map(record).collect();
    let asked: Arc<AtomicU32> = Arc::default();
    let uneven = factory(move |game, goes_on| {
        if asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(3) {
            std::thread::sleep(Duration::from_millis(3));
        }
        script(&["e4"])()?.analyze(game, goes_on)
    });
    let (output, _, counts) = run(ANALYZE, uneven, 4, &input);
    let ids: Vec<&str> = output.split('"').skip(1).step_by(2).collect();
    assert_eq!(ids, (0..100).map(|number| number.to_string()).collect::<Vec<_>>());
    assert_eq!((counts.found, counts.nodes), (100, 10_000));
    assert_eq!(counts.time, Duration::from_secs(1));
}

#[test]
fn lines_that_are_done_are_skipped() {
    let verb = Verb::analysis(RecordReader::default(), ANALYZE, script(&["e4"]), None);
    let input = format!("# suite\n{START} id \"1\";\n{START} id \"2\";\n");
    let (mut output, mut length) = (Vec::new(), 0);
    let worked = verb.process(&pool(1), "a.epd", Cursor::new(input.clone()), 2, |result| {
        output.extend(result.output);
        length += result.length;
        Ok(())
    });
    worked.expect("memory can be read");
    let output = String::from_utf8(output).expect("text");
    assert!(output.contains("id \"2\";") && output.lines().count() == 1, "{output}");
    assert_eq!(length, input.len() as u64);
}

#[test]
fn an_interrupted_analysis_leaves_no_record_behind() {
    let verb = Verb::analysis(RecordReader::default(), mates(3), script(&[]), None);
    let input = format!("# suite\n{START}\n{START}\n");
    let mut taken = 0;
    let worked = verb.process(&pool(1), "a.epd", Cursor::new(input.clone()), 0, |_| {
        taken += 1;
        Ok(())
    });
    assert!(matches!(worked, Err(ProcessError::Interrupted)));
    assert_eq!(taken, 1);
    let full = |_| Err(std::io::ErrorKind::StorageFull.into());
    let full = verb.process(&pool(1), "a.epd", Cursor::new(input), 0, full);
    assert!(matches!(full, Err(ProcessError::Write(_))));
}

const fn mates(moves: u32) -> FindMates {
    let moves = NonZeroU32::new(moves).expect("moves");
    FindMates { moves, passes: false, strict: false, times: false }
}

#[test]
fn mates_are_proven_with_their_true_length() {
    let found = |job: FindMates, record: &str| by_herald(job, 100_000, 1, &format!("{record}\n")).0;
    let mate_in_1 = format!("{MATE_IN_1} acn ");
    let written = found(mates(3), MATE_IN_1);
    assert!(written.starts_with(&mate_in_1), "{written}");
    assert!(written.ends_with("; ce 32766; dm 1; pm Ra8#; pv Ra8#;\n"), "{written}");
    let written = found(mates(3), &format!("{MATE_IN_2} ce 7; acd 3;"));
    assert!(written.contains("; ce 32764; dm 2; pm Ra6; pv Ra6 "), "{written}");
    assert!(!written.contains("acd"), "{written}");
    let preset = FindMates { strict: true, ..mates(3) };
    let written = found(preset, MATE_IN_2);
    assert!(written.contains("; dm 3; pm Ra6; ") && !written.contains("ce "), "{written}");
    let passes = FindMates { passes: true, ..preset };
    assert!(found(passes, MATE_IN_2).contains("; dm 2; pm Ra6; "));
}

/// Finds a mate in three, of which it can't say whether it is the shortest; a mate in two later.
struct Unsure(MateVerdict);

impl Analyzer for Unsure {
    fn begin_game(&mut self) {}

    fn analyze(&mut self, _: &Game, _: AnalysisListener<'_>) -> Result<PositionAnalysis, AnalysisError> {
        Err(AnalysisError::NoScore)
    }

    fn find_mate(&mut self, _: &Game, moves: u32) -> Result<MateSearch, AnalysisError> {
        let score = match self.0 {
            MateVerdict::Shortest => Some(Score::MateIn(2)),
            MateVerdict::AtMost => Some(Score::MateIn(3)),
            _ => None,
        };
        assert!(moves <= 5);
        Ok(MateSearch {
            analysis: PositionAnalysis { score, ..PositionAnalysis::default() },
            verdict: self.0,
        })
    }
}

#[test]
fn a_mate_that_may_not_be_the_shortest_is_marked_and_taken_up_again() {
    let found = |verdict, record: &str| {
        let unsure: AnalyzerFactory = Arc::new(move || Ok(Box::new(Unsure(verdict))));
        run(mates(5), unsure, 1, &format!("{record}\n"))
    };
    let (bound, _, counts) = found(MateVerdict::AtMost, MATE_IN_2);
    assert_eq!(bound, format!("{MATE_IN_2} Dm \"at most\"; ce 32762; dm 3; pv;\n"));
    assert_eq!((counts.found, counts.bounds), (1, 1));
    let (shortest, _, counts) = found(MateVerdict::Shortest, bound.trim_end());
    assert_eq!(shortest, format!("{MATE_IN_2} ce 32764; dm 2; pv;\n"));
    assert_eq!((counts.found, counts.bounds), (1, 0));
    let (kept, _, counts) = found(MateVerdict::Undecided, bound.trim_end());
    assert_eq!((&kept, counts.undecided, counts.missed), (&bound, 1, 0));
    let (_, _, counts) = found(MateVerdict::NoMate, MATE_IN_2);
    assert_eq!((counts.undecided, counts.missed), (0, 1));
    let told = |verdict| {
        let (kept, _, counts) = found(verdict, MATE_IN_2);
        (kept.trim_end() == MATE_IN_2, counts.undecided, counts.unproven, counts.refuted)
    };
    assert_eq!(told(MateVerdict::Unproven), (true, 1, 1, 0));
    assert_eq!(told(MateVerdict::Refuted), (true, 1, 0, 1));
    assert_eq!(found(MateVerdict::Shortest, shortest.trim_end()).2.skipped, 1);
}

#[test]
fn endings_of_few_men_are_solved_whatever_the_limit() {
    let record = "8/8/8/3k4/8/8/8/R3K3 w - -";
    let (output, _, counts) = by_herald(mates(30), 1, 1, &format!("{record}\n"));
    assert!(output.contains("; dm 14; ") && !output.contains("Dm"), "{output}");
    assert_eq!((counts.found, counts.bounds), (1, 0));
    assert_eq!(by_herald(mates(5), 1, 1, &format!("{record}\n")).2.missed, 1);
}

/// The output of a job.
fn analysed(job: impl AnalysisJob + 'static, provenance: Option<String>, input: &str) -> String {
    process(&Verb::analysis(RecordReader::default(), job, script(&["e4"]), provenance), 1, input).0
}

#[test]
fn an_analysis_says_by_whom() {
    let input = format!("{START} Analyzer \"another\";\n# x\nnothing\n");
    let provenance = Some("Herald, depth=1".to_owned());
    let output = analysed(ANALYZE, provenance, &input);
    assert!(output.starts_with(&format!("{START} Analyzer \"Herald, depth=1\"; acd 1;")), "{output}");
    assert!(output.ends_with("\n# x\nnothing\n"), "{output}");
    // Nobody signs for what he has not made, nor for another's.
    let unsigned = format!("{START} Analyzer \"another\";\n");
    assert!(!analysed(ANALYZE, None, &unsigned).contains("another"));
    let skipped = format!("{START} Analyzer \"another\"; Target \"missed\"; ce 5;\n");
    let target = Target { times: false, early_stop: None };
    let made = analysed(target, Some("Herald".to_owned()), &skipped);
    assert_eq!(made, format!("{START} Analyzer \"another\"; ce 5;\n"));
}

#[test]
fn mates_are_looked_for_where_no_equal_or_shorter_one_is_known() {
    let kept = |job: FindMates, record: &str| {
        let (output, _, counts) = by_herald(job, 10_000, 1, &format!("{record}\n"));
        assert_eq!(output, format!("{record}\n"));
        (counts.missed, counts.skipped)
    };
    assert_eq!(kept(mates(1), MATE_IN_2), (1, 0));
    assert_eq!(kept(mates(2), &format!("{MATE_IN_2} dm 2;")), (0, 1));
    assert_eq!(kept(mates(2), MATED), (0, 1));
    let longer = by_herald(mates(2), 100_000, 1, &format!("{MATE_IN_2} dm 3;\n")).0;
    assert!(longer.contains("dm 2;"), "{longer}");
}

#[test]
fn under_a_limit_of_nodes_the_output_is_always_the_same() {
    let input = [START, MATE_IN_2, MATE_IN_1, START, "8/8/8/4k3/8/8/4P3/4K3 w - -"].join("\n");
    let analyze = Analyze { times: false, supplies_move: false };
    let (once, _, counts) = by_herald(analyze, 3000, 1, &input);
    assert_eq!(counts.found, 5);
    assert!(once.lines().all(|line| line.contains(" pm ") && line.contains("; ce ")), "{once}");
    let lines: Vec<&str> = once.lines().collect();
    assert_eq!(lines[0], lines[3], "nothing is taken from one record to the next");
    assert!(lines[2].contains("ce 32766;"), "{}", lines[2]);
    assert_eq!(by_herald(analyze, 3000, 3, &input).0, once);
}

#[test]
fn herald_is_stopped_when_that_is_enough() {
    let limit = TimeControl::Depth(NonZeroU32::new(30).expect("plies"));
    let mut herald = Herald::new(&limit, 1).expect("memory");
    let analysis = std::thread::Builder::new()
        .stack_size(search::STACK_SIZE)
        .spawn(move || herald.analyze(&Game::default(), &mut |analysis| analysis.depth < Some(3)));
    let analysis = analysis.expect("a thread").join().expect("no panic").expect("an answer");
    assert!(analysis.depth < Some(10) && analysis.best().is_some(), "{analysis:?}");
}
