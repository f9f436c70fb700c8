//! `herald epd`: files, exit codes, interruption.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::support::Program;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// Returns a folder with a file `a.epd`.
fn folder(text: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("a.epd"), text).expect("a file");
    folder
}

fn herald(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_herald"));
    command.current_dir(folder).arg("epd").args(arguments).output().expect("herald runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Runs it, asserts this exit code and one line on standard error, and returns that line.
fn complaint(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = herald(folder, arguments);
    let complaint = text(&output.stderr).to_owned();
    assert_eq!(
        (output.status.code(), complaint.lines().count()),
        (Some(code), 1),
        "{arguments:?}: {complaint}"
    );
    complaint
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a file")
}

#[test]
fn check_has_an_exit_code_for_scripts() {
    let folder = folder(&format!("{START} bm e4;\n{START} id \"x\"; acd  1;\n"));
    let output = herald(folder.path(), &["check", "a.epd"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(
        told.starts_with(
            "a.epd:2:65: warning: expected one space before an operand [F9]\na.epd:2:54: note: "
        ),
        "{told}"
    );
    assert!(told.ends_with("2 records: 0 errors, 1 warning, 1 note\n"), "{told}");
    assert_eq!(herald(folder.path(), &["check", "a.epd", "--strict"]).status.code(), Some(1));
    fs::write(folder.path().join("b.epd"), format!("{START} bm e5;\n")).expect("a file");
    let told = complaint(folder.path(), &["check", "--json", "a.epd", "b.epd"], 1);
    assert_eq!(told, "herald: 1 error in 1 record\n");
    let rules = herald(folder.path(), &["check", "--rules"]);
    assert!(text(&rules.stdout).contains("\nX5   `pm` is the first move of `pv` (6.19).\n"));
}

#[test]
fn records_come_from_pipes_and_go_into_them() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_herald"))
        .args(["epd", "normalize", "--repair", "moves,mates"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("herald runs");
    let mut input = child.stdin.take().expect("a pipe");
    write!(input, "{START} id \"x\"; bm e2e4;\n{START} bm #3").expect("herald listens");
    drop(input);
    let output = child.wait_with_output().expect("herald ends");
    assert_eq!(text(&output.stdout), format!("{START} bm e4; id \"x\";\n{START} dm 3;\n"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn files_are_replaced_when_all_is_done() {
    let folder = folder(&format!("{START} id \"x\"; acd 1;\n"));
    fs::write(folder.path().join("b.epd"), format!("{START} acd 2; pv;\n")).expect("a file");
    std::os::unix::fs::symlink("b.epd", folder.path().join("link.epd")).expect("a link");
    let output = herald(folder.path(), &["purge", "acd", "--in-place", "a.epd", "link.epd"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(
        (read(&folder, "a.epd"), read(&folder, "b.epd")),
        (format!("{START} id \"x\";\n"), format!("{START} pv;\n"))
    );
    assert!(folder.path().join("link.epd").is_symlink());
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 3, "nothing else is left");
}

#[test]
fn what_can_t_be_read_or_written_is_named() {
    let folder = folder(&format!("{START} acd 1;\n"));
    let path = folder.path();
    let told = complaint(path, &["check", "no-such.epd"], 2);
    assert!(told.starts_with("herald: can't read `no-such.epd`: "), "{told}");
    let told = complaint(path, &["normalize", "."], 2);
    assert_eq!(told, "herald: can't read `.`: it is a directory; expected a file\n");
    let told = complaint(path, &["normalize", "a.epd", "-o", "./a.epd"], 2);
    assert_eq!(told, "herald: `a.epd` is both input and output; use --in-place to replace it\n");
    let told = complaint(path, &["purge", "acd", "a.epd", "-o", "nowhere/b.epd"], 1);
    assert!(told.starts_with("herald: can't write `nowhere/b.epd`: "), "{told}");
    let told = complaint(path, &["purge", "a-b", "a.epd"], 2);
    assert!(told.starts_with("herald: `a-b` is not an opcode"), "{told}");
    assert!(complaint(path, &["normalize", "--in-place"], 2).contains("name a regular file"));
    if Path::new("/dev/full").exists() {
        let told = complaint(path, &["normalize", "a.epd", "-o", "/dev/full"], 1);
        assert!(told.starts_with("herald: can't write `/dev/full`: No space left on device"), "{told}");
    }
    assert_eq!(read(&folder, "a.epd"), format!("{START} acd 1;\n"));
}

#[test]
fn output_that_leads_back_into_the_input_is_refused() {
    let folder = folder(&format!("{START} acd 1;\n"));
    let path = folder.path().join("a.epd");
    let appended = File::options().append(true).open(&path).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_herald"));
    let output =
        command.args(["epd", "normalize"]).arg(&path).stdout(appended).output().expect("herald runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is both input and output"));
    assert_eq!(read(&folder, "a.epd"), format!("{START} acd 1;\n"));
}

#[test]
fn an_interrupted_run_says_what_there_is() {
    for signal in ["-INT", "-TERM"] {
        let mut program = Program::start(&["epd", "normalize"]);
        program.say(&format!("{START} id \"x\"; acd 1;"));
        assert_eq!(program.hear(START), format!("{START} acd 1; id \"x\";"));
        let id = program.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill is installed").success());
        assert_eq!(program.wait().code(), Some(1), "{signal}");
    }
}

#[test]
fn nobody_listening_is_no_failure() {
    let folder = folder(&format!("{START} acd 1;\n").repeat(50_000));
    let mut command = Command::new(env!("CARGO_BIN_EXE_herald"));
    let mut child = command
        .current_dir(&folder)
        .args(["epd", "normalize", "a.epd"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("herald runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("herald ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn a_file_with_too_long_a_line_is_not_replaced() {
    let text = format!("{START}  acd 1;\n{}\n", "x".repeat(17 << 20));
    let folder = folder(&text);
    let output = herald(folder.path(), &["normalize", "--in-place", "a.epd"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(read(&folder, "a.epd") == text);
}

/// Returns the folder of suites beside the repository, if it exists.
fn suites() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/epd");
    let is_there = path.is_dir();
    if !is_there {
        eprintln!("skipped: {} is not there", path.display());
    }
    is_there.then_some(path)
}

#[test]
fn suites_are_checked_and_normalized() {
    let Some(suites) = suites() else { return };
    for (name, check, normalize) in [
        ("wac.epd", 0, 0),
        ("bratko-kopec.epd", 0, 0),
        ("arasan2024.epd", 0, 0),
        ("eet.epd", 0, 0),
        ("sts.epd", 0, 0),
        ("mates2000.epd", 1, 0),
        ("tb-opcodes.epd", 0, 0),
        ("fuzz-seeds.epd", 0, 0),
    ] {
        let checked = herald(&suites, &["check", name]);
        assert_eq!(checked.status.code(), Some(check), "{name}: {}", text(&checked.stderr));
        let normal = herald(&suites, &["normalize", "--repair", "moves,mates", name]);
        assert_eq!(normal.status.code(), Some(normalize), "{name}: {}", text(&normal.stderr));
        let records = fs::read_to_string(suites.join(name)).expect("a suite").lines().count();
        assert_eq!(text(&normal.stdout).lines().count(), records, "{name}");
        let folder = folder(text(&normal.stdout));
        let again = herald(folder.path(), &["normalize", "a.epd"]);
        assert_eq!(again.stdout, normal.stdout, "{name}");
        let checked = herald(folder.path(), &["check", "--strict", "a.epd"]);
        let is_clean = !["arasan2024.epd", "fuzz-seeds.epd"].contains(&name);
        assert_eq!(checked.status.success(), is_clean, "{name}: {}", text(&checked.stderr));
    }
}
