//! `herald epd analyze`, `mate` and `target` with Herald and with external programs, interrupted and resumed; and
//! `report`.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{Folder, HERALD, PATIENCE, Program, text};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const MATE_IN_1: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - -";
/// P. Morphy's problem, a zugzwang that the null moves of the playing search may overlook.
const MATE_IN_2: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - -";
const EASY_MATE_IN_2: &str = "7k/8/8/8/8/8/1R6/R5K1 w - -";

/// Returns a suite of three records: an easy one, one with a wrong solution, and one that is skipped.
fn suite() -> Folder {
    let records =
        format!("{MATE_IN_1} bm Ra8#; id \"1\";\n{MATE_IN_1} bm Kf2; id \"2\";\n{START} id \"3\";\n");
    Folder::with("a.epd", &records)
}

/// Asserts the exit code of a run and returns its standard error.
fn told(folder: &Folder, arguments: &[&str], code: i32) -> String {
    folder.told(&[&["epd"], arguments].concat(), code)
}

/// Asserts the result for the suite, with any engine.
fn expect_solved(folder: &Folder, arguments: &[&str]) {
    let told = told(folder, &[&["target", "a.epd", "-o", "b.epd"], arguments].concat(), 0);
    let expected = "3 records: 1 solved (50.0 %), 1 missed, 1 without a target, 0 failed; ";
    assert!(told.starts_with(expected) && told.lines().count() == 1, "{told}");
    let output = folder.read("b.epd");
    let lines: Vec<&str> = output.lines().collect();
    let begins = |line: &str| line.starts_with(&format!("{MATE_IN_1} Analyzer \"Herald "));
    assert!(begins(lines[0]) && begins(lines[1]), "{output}");
    assert!(lines[0].contains("; Target \"solved "), "{output}");
    assert!(lines[0].ends_with("; bm Ra8#; ce 32766; id \"1\"; pm Ra8#; pv Ra8#;"), "{output}");
    assert!(lines[1].contains("; Target \"missed\"; "), "{output}");
    assert_eq!(lines[2..], [format!("{START} id \"3\";")]);
}

#[test]
fn herald_and_other_programs_solve_records() {
    let folder = suite();
    expect_solved(&folder, &["--nodes", "3000", "--threads", "2"]);
    expect_solved(&folder, &["--time", "0.05", "--soft"]);
    let uci = format!("cmd='{HERALD} uci' option.Hash=1");
    expect_solved(&folder, &["--nodes", "3000", "--threads", "2", "--engine", &uci]);
    let cecp = format!("cmd='{HERALD} xboard' protocol=cecp");
    expect_solved(&folder, &["--depth", "4", "--engine", &cecp]);
    expect_solved(&folder, &["--time", "0.1", "--early-stop", "2", "--engine", &uci]);
}

#[test]
fn analyses_come_one_by_one_through_pipes() {
    let mut program = Program::start(&["epd", "analyze", "--nodes", "1000", "--no-times"]);
    for _ in 0..2 {
        program.say(&format!("{MATE_IN_1} id \"x\";"));
        let line = program.hear(MATE_IN_1);
        assert!(line.ends_with("; ce 32766; id \"x\"; pm Ra8#; pv Ra8#;"), "{line}");
    }
    program.close();
    assert_eq!(program.wait().code(), Some(0));
}

#[test]
fn mates_are_found_in_passes_and_skipped_then() {
    let folder = Folder::with("a.epd", &format!("{MATE_IN_2}\n{MATE_IN_1}\n"));
    let find = |input: &str, output: &str, moves: &str| {
        let arguments = ["mate", "--moves", moves, "--nodes", "100000", "--no-times", input, "-o", output];
        told(&folder, &arguments, 0)
    };
    assert!(
        find("a.epd", "b.epd", "1")
            .starts_with("2 records: 1 mate, 1 without, 0 undecided, 0 skipped, 0 failed; ")
    );
    assert!(
        find("b.epd", "c.epd", "2")
            .starts_with("2 records: 1 mate, 0 without, 0 undecided, 1 skipped, 0 failed; ")
    );
    folder.write("a.epd", &format!("{MATE_IN_2}\n{MATE_IN_1}\n{EASY_MATE_IN_2}\n"));
    let uci = format!("cmd='{HERALD} uci' option.Hash=1");
    for engine in [&[][..], &["--engine", &uci]] {
        let arguments = ["mate", "--moves", "2", "--passes", "--nodes", "100000", "a.epd", "-o", "d.epd"];
        told(&folder, &[&arguments, engine].concat(), 0);
        let output = folder.read("d.epd");
        let lines: Vec<&str> = output.lines().collect();
        if engine.is_empty() {
            assert!(lines[0].contains("; ce 32764; dm 2; pm Ra6; pv Ra6 "), "{output}");
        }
        assert!(lines[1].contains("; ce 32766; dm 1; pm Ra8#; pv Ra8#;"), "{output}");
        assert!(lines[2].contains("; ce 32764; dm 2; pm R"), "{output}");
    }
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    let record = |number| format!("{START} id \"{number}\";\n");
    let records = (0..20).map(record).collect::<Vec<_>>().concat();
    let folder = Folder::with("a.epd", &records);
    let arguments = ["analyze", "--nodes", "500", "--no-times", "a.epd", "-o", "b.epd"];
    told(&folder, &arguments, 0);
    let whole = folder.read("b.epd");
    let resume = [&arguments[..], &["--resume"]].concat();
    for length in [0, 1, whole.len() / 2, whole.len() - 1, whole.len()] {
        folder.write("b.epd", &whole[..length]);
        let lines = whole[..length].matches('\n').count();
        let told = told(&folder, &resume, 0);
        assert!(told.starts_with(&format!("{}: ", game::counted(20 - lines as u64, "record"))), "{told}");
        assert_eq!(
            told.contains(&format!("; {} done before", game::counted(lines as u64, "line"))),
            lines > 0,
            "{told}"
        );
        assert_eq!(folder.read("b.epd"), whole);
    }
    fs::remove_file(folder.path().join("b.epd")).expect("it is there");
    told(&folder, &resume, 0);
    assert_eq!(folder.read("b.epd"), whole);
    let other = format!("{START} id \"0\";\nhalf a li");
    folder.write("b.epd", &(whole.replace("id \"7\"", "id \"8\"") + "half a li"));
    let refused = told(&folder, &resume, 2);
    assert_eq!(
        refused,
        "herald: can't resume `b.epd`: line 8 of the output does not come from line 8 of `a.epd`\n"
    );
    assert!(folder.read("b.epd").ends_with("half a li"), "what isn't ours is not touched");
    folder.write("a.epd", "");
    folder.write("b.epd", &other);
    assert!(told(&folder, &resume, 2).contains("the output has more lines than the input"));
    assert_eq!(folder.read("b.epd"), other);
}

#[test]
fn an_interruption_keeps_what_is_done_and_leaves_no_program_behind() {
    let folder = Folder::with("a.epd", &format!("# suite\n{START}\n"));
    let script = format!("echo $$ > {}; exec {HERALD} uci", folder.file("pid"));
    let engine = format!("cmd=\"sh -c '{script}'\" name=x");
    let (input, output) = (folder.file("a.epd"), folder.file("b.epd"));
    let arguments = ["epd", "analyze", "--depth", "100", "--engine", &engine, &input, "-o", &output];
    let mut program = Program::start(&arguments);
    let began = Instant::now();
    // The program is started twice; the first start only tests that it works.
    while !fs::read_to_string(&output).is_ok_and(|text| text == "# suite\n") {
        assert!(began.elapsed() < PATIENCE, "nothing is written");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(300));
    program.signal("-INT");
    assert_eq!(program.wait().code(), Some(1));
    assert_eq!(folder.read("b.epd"), "# suite\n");
    assert!(!Path::new("/proc").join(folder.read("pid").trim()).exists(), "the program still runs");
}

#[test]
fn wrong_arguments_are_told_before_anything_is_written() {
    let folder = Folder::with("a.epd", &format!("{START}\n"));
    let complaint = |arguments: &[&str]| {
        let told = told(&folder, arguments, 2);
        assert_eq!(told.lines().count(), 1, "{told}");
        told
    };
    complaint(&["analyze", "a.epd", "-o", "b.epd"]);
    complaint(&["analyze", "a.epd", "-o", "b.epd", "--nodes", "5", "--depth", "5"]);
    complaint(&["analyze", "a.epd", "-o", "b.epd", "--nodes", "5", "--soft"]);
    complaint(&["analyze", "--nodes", "5", "--resume"]);
    assert!(complaint(&["analyze", "a.epd", "-o", "b.epd", "--time", "0"]).contains("more than 0"));
    let told = complaint(&["target", "a.epd", "-o", "b.epd", "--nodes", "5", "--engine", "no-such-program"]);
    assert!(told.contains("no-such-program cannot be started"), "{told}");
    let told = complaint(&["target", "a.epd", "-o", "b.epd", "--nodes", "5", "--engine", "x tc=5"]);
    assert!(told.contains("tc: "), "{told}");
    let told = complaint(&["mate", "--moves", "3", "--depth", "5", "a.epd", "-o", "b.epd"]);
    assert!(told.contains("--nodes or --time"), "{told}");
    let told = complaint(&["analyze", "--nodes", "5", "--resume", "-", "-o", "b.epd"]);
    assert!(told.contains("twice"), "{told}");
    assert!(!folder.path().join("b.epd").exists());
}

/// Asserts the exit code of a report and returns its standard output and its line on standard error, if any.
fn report(folder: &Folder, arguments: &[&str], code: i32) -> (String, String) {
    let output = folder.herald(&[&["epd", "report"], arguments].concat());
    let (written, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), told.lines().count()), (Some(code), usize::from(code > 0)), "{told}");
    (written.to_owned(), told.to_owned())
}

#[test]
fn runs_are_reported_side_by_side() {
    let folder = suite();
    told(&folder, &["target", "--nodes", "1000", "a.epd", "-o", "b.epd"], 0);
    // The same records from a program that plays other moves.
    let other = format!("{MATE_IN_1} bm Ra8#; id \"1\"; pm Kf2;\n{MATE_IN_1} bm Kf2; id \"2\"; pm Kf2;\n");
    folder.write("c=d.epd", &other);
    let arguments = ["b.epd", "person=c=d.epd", "--html", "e.html", "--feedback", "f.epd", "--csv", "g.csv"];
    let (text, _) = report(&folder, &arguments, 0);
    let has =
        |line: &str| assert!(text.lines().any(|other| other.trim().starts_with(line)), "{line}\n{text}");
    has("b              2       1  50.0    9.5 to 90.5   2000  1 without a solution");
    has("person         2            0           1           1        0  +0.0 (");
    has(concat!(
        "b    Herald ",
        env!("CARGO_PKG_VERSION"),
        ", hash 16 MiB, threads 1, nodes=1000, target, 20"
    ));
    has("1  1        Ra8#      + Ra8#  - Kf2");
    let page = folder.read("e.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("<div data-fen=\"") && page.contains("person"), "{page}");
    assert_eq!(folder.read("f.epd"), format!("{MATE_IN_1} am Ra8#; bm Kf2; id \"2\";\n"));
    assert_eq!(folder.read("g.csv").matches("\r\n").count(), 5);
    let (json, _) = report(&folder, &["c=d.epd", "b.epd", "--json"], 0);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["runs"][0]["name"], "c=d");
    assert_eq!(json["comparisons"][0]["first_only"], 1);
}

#[test]
fn a_report_overwrites_neither_its_runs_nor_itself() {
    let record = format!("{START} bm e4; pm e4;\n");
    let folder = Folder::with("a.epd", &record);
    std::os::unix::fs::symlink("a.epd", folder.path().join("link.epd")).expect("a link");
    for output in ["--html", "--feedback", "--csv"] {
        for name in ["a.epd", "link.epd"] {
            let (written, told) = report(&folder, &["a.epd", output, name], 2);
            assert_eq!((written.as_str(), told.as_str()), ("", "herald: `a.epd` is both input and output\n"));
        }
    }
    assert_eq!(folder.read("a.epd"), record);
    let (_, told) = report(&folder, &["a.epd", "--html", "f", "--feedback", "./f"], 2);
    assert_eq!(told, "herald: --html and --feedback name the same file\n");
    assert!(!folder.path().join("f").exists());
}

#[test]
fn a_threshold_decides_the_exit_status() {
    let folder = Folder::with("a.epd", &format!("{START} bm e4; pm e4;\n{START} bm e4; pm d4;\n"));
    for met in ["1", "0", "50%", "0%"] {
        report(&folder, &["a.epd", "--at-least", met], 0);
    }
    for missed in ["2", "50.1%"] {
        let (written, told) = report(&folder, &["a.epd", "--at-least", missed], 1);
        assert!(written.starts_with("Summary\n"), "{written}");
        assert!(told.starts_with("herald: a has solved 1 of 2, not "), "{told}");
    }
    folder.write("b.epd", &format!("{START} bm e4;\n"));
    assert!(report(&folder, &["b.epd"], 2).1.contains("`b.epd` has no solved or missed problems"));
    assert!(report(&folder, &["x.epd"], 2).1.contains("can't read `x.epd`"));
    assert!(report(&folder, &["x=y.epd"], 2).1.contains("can't read `y.epd`"));
    assert!(report(&folder, &["."], 2).1.contains("it is a directory"));
    let (written, told) = report(&folder, &["a.epd", "--html", "no/where.html"], 1);
    assert!(written.is_empty() && told.contains("can't write `no/where.html`"), "{told}");
    folder.told(&["epd", "report", "a.epd", "--at-least", "101%"], 2);
}
