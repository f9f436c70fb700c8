//! Reports on small suites.

use super::*;
use crate::{Cost, TargetResult};
use messages::epd::RecordReader;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn run(name: &str, records: &[&str]) -> Run {
    let text = records.iter().map(|record| format!("{START} {record}\n")).collect::<Vec<_>>().concat();
    Run::read(name, text.as_bytes(), RecordReader::default()).expect("memory can be read")
}

fn report(runs: &[(&str, &[&str])]) -> SuiteReport {
    let mut report = SuiteReport::default();
    for (name, records) in runs {
        report.add(run(name, records));
    }
    report
}

fn outcome(record: &str) -> Option<TargetResult> {
    run("run", &[record]).attempts.first().map(|(_, attempt)| attempt.outcome)
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
    let left_out = run("run", &["bm e4;", "pm e4;", "bm Ke4; pm e4;", "bm e4; pm e5;"]);
    assert_eq!((left_out.tried(), left_out.summary.untried, left_out.summary.without_target), (0, 2, 2));
    let unreadable = Run::read("run", &b"8/8 w - - bm e4;\n# comment\n\n"[..], RecordReader::default());
    assert_eq!(unreadable.expect("memory can be read").summary.unreadable, 1);
}

#[test]
fn graded_moves_get_their_points() {
    let points = |record: &str| {
        let run = run("run", &[record]);
        let (problem, attempt) = run.attempts.first().expect("an attempt");
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
    assert_eq!(sum.runs[0].points, Some(Share { part: 17, whole: 20 }));
}

/// Two runs over four problems, one of which comes twice, and one each that the other doesn't have.
fn two_runs() -> SuiteReport {
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
    report(&[("old", old), ("new", new)])
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
    assert_eq!(report.rows.iter().map(solved).collect::<Vec<_>>(), expected);
    let compared = report.compare(0, 1);
    assert_eq!((compared.both, compared.first_only, compared.second_only, compared.neither), (1, 1, 1, 1));
    assert!(!compared.is_significant());
    assert_eq!((report.runs[0].share(), report.runs[0].nodes), (Share { part: 3, whole: 5 }, Some(1900)));
    let themes: Vec<(String, usize)> =
        report.themes().into_iter().map(|(theme, rows)| (theme, rows.len())).collect();
    assert_eq!(themes, [("a".to_owned(), 3), ("b".to_owned(), 2), ("c".to_owned(), 1)]);
    let nodes = report.quantiles(0, Quantity::Nodes).expect("known of two");
    assert_eq!((nodes.least, nodes.greatest), (70, 100));
}

#[test]
fn the_text_says_what_there_is() {
    let text = text(&two_runs(), false);
    let has = |line: &str| assert!(text.lines().any(|other| other.trim() == line), "{line}\n{text}");
    has("old         5       3  60.0   23.1 to 88.2   1900");
    has("a             3   33.3  66.7");
    has("old  nodes               2       70    70      70   100   100      100");
    has("new           4            1           1           1        1  1.000  not significant");
    has("2  a.2      e4        - d4  + e4");
    has("6  c.1      e4              - a3");
    assert!(!text.contains("a.1"), "{text}");
    assert!(super::text(&two_runs(), true).contains("a.1"));
}

#[test]
fn json_says_the_same() {
    let json = json(&two_runs());
    assert_eq!(json["runs"][0]["solved"], 3);
    assert_eq!(json["runs"][1]["cost"]["millis"]["median"], 90);
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
    let feedback = feedback(&report, 0);
    assert_eq!(feedback, expected.map(|operations| format!("{START} {operations}\n")).concat());
}

#[test]
fn a_page_has_charts_and_boards_and_no_markup_of_others() {
    let hostile = "Target missed; bm e4; id \"<script>1</script>&'\"; pm d4;";
    let page =
        page(&report(&[("<b>\u{1b}\"", &[hostile, "Target solved 1 2 3; bm e4; pm e4;"])]), "<i>", false);
    assert!(page.contains("<title>&lt;i&gt;</title>") && page.contains("&lt;b&gt;?&quot;"), "{page}");
    assert!(
        page.contains("&lt;script&gt;") && page.matches("<script").count() == 1 && !page.contains("<b>?"),
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
