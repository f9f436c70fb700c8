//! Reports on small suites.

use super::*;
use crate::{Cost, TargetResult};
use messages::epd::RecordReader;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn text_of(records: &[&str]) -> String {
    records.iter().map(|record| format!("{START} {record}\n")).collect::<Vec<_>>().concat()
}

fn report_by(theme: &str, runs: &[(&str, &[&str])]) -> SuiteReport {
    let theme = theme.parse().expect("a theme rule");
    let mut all = SuiteRuns::new(RecordReader::default(), theme).expect("a store");
    for (name, records) in runs {
        all.add(name, text_of(records).as_bytes()).expect("memory can be read");
    }
    all.report().expect("a store")
}

fn report(runs: &[(&str, &[&str])]) -> SuiteReport {
    report_by("auto", runs)
}

/// All problems of a report.
fn rows(report: &SuiteReport) -> Vec<Row> {
    let mut rows = Vec::new();
    let visited = report.visit(Listed::All, |row| {
        rows.push(row);
        Ok(())
    });
    visited.expect("a store");
    rows
}

/// What a function writes.
fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), ReportError>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("memory can be written");
    String::from_utf8(bytes).expect("text")
}

fn text(report: &SuiteReport, listed: Listed) -> String {
    written(|out| super::text(report, listed, out))
}

/// The attempt of a run with one record.
fn attempt(record: &str) -> Option<(SuiteProblem, SuiteAttempt)> {
    let text = format!("{START} {record}");
    let record = RecordReader::default().read(&text, 1).record.expect("a record");
    problem::read(&record).ok()
}

fn outcome(record: &str) -> Option<TargetResult> {
    attempt(record).map(|(_, attempt)| attempt.outcome)
}

#[test]
fn what_a_record_says_of_itself_holds() {
    let solved = |depth, nodes, millis| Some(TargetResult::Solved(Cost { depth, nodes, millis }));
    assert_eq!(outcome("Target solved 3 400 -; bm e4; pm e4;"), solved(Some(3), Some(400), None));
    for missed in ["Target \"missed\";", "Target missed;"] {
        assert_eq!(outcome(&format!("{missed} bm e4; pm e4;")), Some(TargetResult::Missed));
    }
    // What can't be understood says nothing.
    for garbled in
        ["Target;", "Target solved;", "Target solved 1 2 x;", "Target \"missed;\";", "Target missed 1;"]
    {
        assert_eq!(outcome(&format!("{garbled} bm e4; pm e4;")), solved(None, None, None), "{garbled}");
    }
}

#[test]
fn a_move_that_was_played_is_judged() {
    let is_solved = |record| outcome(record).map(|outcome| outcome != TargetResult::Missed);
    assert_eq!(is_solved("bm e4 d4; pv d4 d5;"), Some(true));
    assert_eq!(is_solved("am e4; pm e4;"), Some(false));
    assert_eq!(is_solved("am e4; sm c4;"), Some(true));
    assert_eq!(is_solved("bm e4; pm d4; pv e4 e5; sm d4;"), Some(true), "the variation comes first");
    assert_eq!(is_solved("bm e4; pm d4; sm e4;"), Some(false), "then the predicted move");
    let left_out = &report(&[("run", &["bm e4;", "pm e4;", "bm Ke4; pm e4;", "bm e4; pm e5;"])]).runs[0];
    assert_eq!((left_out.tally.tried, left_out.untried, left_out.without_target), (0, 2, 2));
    let mut runs = SuiteRuns::new(RecordReader::default(), ThemeRule::Auto).expect("a store");
    runs.add("run", &b"8/8 w - - bm e4;\n# comment\n\n"[..]).expect("memory can be read");
    assert_eq!(runs.report().expect("a store").runs[0].unreadable, 1);
}

#[test]
fn graded_moves_get_their_points() {
    let points = |record: &str| {
        let (problem, attempt) = attempt(record).expect("an attempt");
        attempt.points.zip(problem.best_points())
    };
    let graded = "bm e4; c7 \"e4 d4 Nf3\"; c8 \"10 7 1\"; c9 \"e2e4 d2d4 g1f3\";";
    assert_eq!(points(&format!("{graded} pm d4;")), Some((7, 10)));
    assert_eq!(points(&format!("{graded} pm a3;")), Some((0, 10)));
    assert_eq!(points("bm e4; c0 \"e4=10, Nf3=3\"; pm Nf3;"), Some((3, 10)));
    assert_eq!(points("bm e4; c8 \"10 7\"; c9 \"e2e4\"; pm e4;"), None, "a move is missing");
    assert_eq!(points("bm e4; c0 \"Fischer - Spassky\"; pm e4;"), None);
    assert_eq!(points("bm e4; c0 \"Elo=2700\"; pm e4;"), None);
    let sum =
        report(&[("run", &[&format!("{graded} pm d4;"), &format!("{graded} pm e4;"), "bm e4; pm e4;"])]);
    assert_eq!(sum.runs[0].tally.points, Some(Share { part: 17, whole: 20 }));
}

/// Two runs over four problems, one of which comes twice, and one each that the other doesn't have.
fn two_runs() -> SuiteReport {
    report(&two_runs_records())
}

fn two_runs_records() -> [(&'static str, &'static [&'static str]); 2] {
    let old: &[&str] = &[
        "Target solved 2 100 5; acn 900; bm e4; id \"a.1\"; pm e4;",
        "Target missed; acn 1000; bm e4; id \"a.2\"; pm d4;",
        "Target missed; bm e4; id \"a.2\"; pm c4;",
        "Target solved 4 70 9; bm e4; id \"b.1\"; pm e4;",
        "bm e4; id \"b.2\"; pm e4;",
    ];
    let new: &[&str] = &[
        "Target missed; bm e4; id \"b.1\"; pm Nf3;",
        "Target solved 9 900 90; bm e4; id \"a.2\"; pm e4;",
        "Target missed; bm e4; id \"a.2\"; pm c4;",
        "bm e4; id \"a.1\"; pm e4;",
        "bm e4; id \"c.1\"; pm a3;",
    ];
    [("old", old), ("new", new)]
}

#[test]
fn runs_are_compared_problem_by_problem() {
    let report = two_runs();
    let solved = |row: &Row| -> Vec<Option<bool>> {
        row.attempts.iter().map(|attempt| attempt.as_ref().map(SuiteAttempt::is_solved)).collect()
    };
    let expected = [
        [Some(true), Some(true)],
        [Some(false), Some(true)],
        [Some(false), Some(false)],
        [Some(true), Some(false)],
        [Some(true), None],
        [None, Some(false)],
    ];
    assert_eq!(rows(&report).iter().map(solved).collect::<Vec<_>>(), expected);
    let compared = report.comparisons[0];
    let counts = Paired { both: 1, first_only: 1, second_only: 1, neither: 1 };
    assert_eq!((compared.counts, compared.is_significant()), (counts, false));
    assert_eq!((report.runs[0].share(), report.runs[0].nodes), (Share { part: 3, whole: 5 }, Some(1900)));
    let nodes = report.runs[0].costs[Quantity::Nodes as usize].as_ref().expect("known of two");
    assert_eq!((nodes.count, nodes.quantiles.least, nodes.quantiles.greatest), (2, 70, 100));
}

#[test]
fn themes_are_those_of_the_rule() {
    let themes = |rule| {
        let report = report_by(rule, &two_runs_records());
        report.themes.iter().map(|theme| (theme.name.clone(), theme.problems)).collect::<Vec<_>>()
    };
    let by_id = [("a".to_owned(), 3), ("b".to_owned(), 2), ("c".to_owned(), 1)];
    assert_eq!(themes("id"), by_id);
    assert_eq!(themes("/^[ab]/"), [by_id[0].clone(), by_id[1].clone(), (String::new(), 1)]);
    assert_eq!(themes("none"), []);
    // One theme of three, and the others are of less.
    assert_eq!(themes("auto"), []);
    let by_id = report_by("id", &two_runs_records());
    let theme = &by_id.themes[0];
    assert_eq!(theme.comparisons[0].counts, Paired { both: 1, first_only: 0, second_only: 1, neither: 1 });
    assert_eq!((theme.runs[0].solved, theme.runs[1].solved, theme.runs[1].tried), (1, 2, 3));
}

#[test]
fn p_values_of_themes_are_corrected_together() {
    let theme = |name: &'static str, first: &'static str, second: &'static str| {
        let record = |mv: &str, number| format!("bm e4; id \"{name}.{number}\"; pm {mv};");
        let of = move |mv: &str| (1..=8).map(|number| record(mv, number)).collect::<Vec<_>>();
        (of(first), of(second))
    };
    // 8 to 0: p is 2 / 2^8. Two themes: the smaller p counts twice.
    let ((mut one, mut two), (more, others)) = (theme("a", "e4", "d4"), theme("b", "e4", "e4"));
    one.extend(more);
    two.extend(others);
    let (one, two): (Vec<&str>, Vec<&str>) =
        (one.iter().map(String::as_str).collect(), two.iter().map(String::as_str).collect());
    let report = report(&[("one", &one), ("two", &two)]);
    let p = |theme: usize| {
        (report.themes[theme].comparisons[0].p, report.themes[theme].comparisons[0].corrected_p)
    };
    let close = |(p, corrected): (f64, f64), expected: (f64, f64)| {
        assert!((p - expected.0).abs() < 1e-12 && (corrected - expected.1).abs() < 1e-12, "{p} {corrected}");
    };
    close(p(0), (2.0 / 256.0, 4.0 / 256.0));
    close(p(1), (1.0, 1.0));
    let elo = report.themes[0].comparisons[0].elo.expect("a difference");
    assert!(elo.value.is_infinite() && elo.low > 0.0 && elo.high.is_infinite(), "{elo:?}");
}

#[test]
fn settings_are_shown_and_unlike_limits_are_warned_of() {
    let record = |limit: &str| format!("Analyzer \"X 1, hash 16 MiB, {limit}, 2026-11-24\"; bm e4; pm e4;");
    let (one, two) = (record("nodes=100"), record("time=1 s"));
    let alike = report(&[("a", &[&one]), ("b", &[&one])]);
    assert_eq!(alike.warnings(), [""; 0]);
    assert_eq!(alike.runs[0].settings[0].limit.as_deref(), Some("nodes=100"));
    assert!(text(&alike, Listed::All).contains("X 1, hash 16 MiB, nodes=100, 2026-11-24"));
    let unlike = report(&[("a", &[&one]), ("b", &[&two]), ("c", &["bm e4; pm e4;"])]);
    let warnings =
        ["The runs had different limits: a nodes=100, b time=1 s.", "The file does not tell the limit of c."];
    assert_eq!(unlike.warnings(), warnings);
    assert!(text(&unlike, Listed::All).starts_with("Warning: The runs had different limits: "));
    assert!(super::page(&unlike, "", Listed::All).expect("a store").contains("<b>Warning:</b> The runs had"));
    let greedy = record("nodes=100").replace("bm e4", "acn 131; bm e4");
    let greedy = report(&[("a", &[&one, &greedy]), ("b", &[&greedy])]);
    assert_eq!(greedy.warnings(), ["b searched 131 nodes a problem, more than its limit of 100."]);
    let mixed = report(&[("a", &[&one, &two])]);
    assert_eq!(mixed.warnings().len(), 1, "{:?}", mixed.warnings());
}

#[test]
fn csv_has_a_row_for_each_problem_and_run() {
    let old = "Target \"solved 2 100 5\"; acd 7; acn 900; acs 1; bm e4 d4; id \"a, b\"; pv e4 e5;";
    let report = report(&[("old", &[old]), ("new", &["am c4; bm e4; id \"x\"; pm c4;"])]);
    let csv = written(|out| super::csv(&report, out));
    let mut lines = csv.split("\r\n").skip(1);
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(lines.next(), Some(&*format!("1,,\"a, b\",{fen},d4 e4,old,,e4,1,,,2,100,5,7,900,1,e4 e5")));
    assert_eq!(lines.next(), Some(&*format!("2,,x,{fen},\"e4, not c4\",new,,c4,0,,,,,,,,,c4")));
    assert_eq!((lines.next(), lines.next()), (Some(""), None));
}

#[test]
fn the_text_says_what_there_is() {
    let text = text(&two_runs(), Listed::NotSolvedByAll);
    let has = |line: &str| assert!(text.lines().any(|other| other.trim() == line), "{line}\n{text}");
    has("old         5       3  60.0   23.1 to 88.2   1900");
    has("old  nodes               2       70    70      70   100   100      100");
    has(
        "new           4            1           1           1        1  +0.0 (-49.5 to +49.5)  1.000        1.000  not significant  +0 (-758 to +758)",
    );
    has("2  a.2      e4        - d4  + e4");
    has("6  c.1      e4              - a3");
    assert!(!text.contains("a.1"), "{text}");
    assert!(self::text(&two_runs(), Listed::All).contains("a.1"));
}

#[test]
fn json_says_the_same() {
    let json = written(|out| super::json(&two_runs(), out));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["runs"][0]["solved"], 3);
    assert_eq!(json["runs"][1]["cost"]["millis"]["median"], 90);
    assert_eq!(json["comparisons"][0]["elo"]["value"], 0.0);
    assert_eq!(json["runs"][1]["points"], serde_json::Value::Null);
    assert_eq!(json["comparisons"][0]["second_only"], 1);
    assert_eq!(json["problems"][1]["answers"][0]["move"], "d4");
    assert_eq!(json["problems"][4]["answers"][1], serde_json::Value::Null);
}

#[test]
fn feedback_has_the_wrong_move_beside_the_right_one() {
    let report = report(&[(
        "run",
        &[
            "bm e4; id \"1\"; pm d4; c0 \"x\";",
            "am d4 a3; id \"2\"; pm d4;",
            "am h3; bm e4; pm b3;",
            "bm e4; pm e4;",
            "Target missed; bm e4; pm e4;",
        ],
    )]);
    let expected = ["am d4; bm e4; id \"1\";", "am a3 d4; id \"2\";", "am b3 h3; bm e4;", "bm e4;"];
    let feedback = written(|out| super::feedback(&report, 0, out));
    assert_eq!(feedback, expected.map(|operations| format!("{START} {operations}\n")).concat());
}

#[test]
fn a_page_has_charts_and_boards_and_no_markup_of_others() {
    let hostile = "Target missed; bm e4; id \"<script>1</script>&'\"; pm d4;";
    let report = report(&[("<b>\u{1b}\"", &[hostile, "Target solved 1 2 3; bm e4; pm e4;"])]);
    let page = page(&report, "<i>", Listed::NotSolvedByAll).expect("a store");
    assert!(page.contains("<title>&lt;i&gt;</title>") && page.contains("&lt;b&gt;?&quot;"), "{page}");
    assert!(
        page.contains("&lt;script&gt;") && page.matches("<script").count() == 2 && !page.contains("<b>?"),
        "{page}"
    );
    assert!(!page.chars().any(|c| c.is_control() && c != '\n'));
    assert_eq!(page.matches("<div data-fen=").count(), 1);
    assert_eq!(
        page.matches("% solved</text>").count() + page.matches("% solved\n</text>").count(),
        3,
        "{page}"
    );
    assert_eq!(
        page.matches("://").count(),
        page.matches("http://www.w3.org/").count(),
        "it needs no other file"
    );
}
