//! The files of a match: which are refused, and what is told of them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Plays two short games in a folder.
fn play(folder: &Path, arguments: &[&str]) -> Output {
    let engine = |name: &str| format!("cmd='{} uci' name={name} depth=1", env!("CARGO_BIN_EXE_herald"));
    let mut herald = Command::new(env!("CARGO_BIN_EXE_herald"));
    herald.args(["match", "--engine", &engine("A"), "--engine", &engine("B"), "--max-moves", "2"]);
    herald.args(arguments).current_dir(folder).output().expect("herald runs")
}

/// The one line on standard error.
fn told(output: &Output) -> &str {
    let text = str::from_utf8(&output.stderr).expect("text");
    assert_eq!(text.lines().count(), 1, "{text}");
    text.trim_end()
}

#[test]
fn a_file_has_one_role() {
    let folder = tempfile::tempdir().expect("a folder");
    let opening = "[Event \"x\"]\n\n1. e4 *\n\n";
    fs::write(folder.path().join("a.pgn"), opening).expect("written");
    for (arguments, roles) in [
        (["--openings", "a.pgn", "--pgn", "./a.pgn"], "--openings and --pgn"),
        (["--pgn", "new", "--state", "./new"], "--pgn and --state"),
        (["--state", "new", "--log", "new"], "--state and --log"),
    ] {
        let output = play(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(told(&output).contains(roles), "{output:?}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("a.pgn")).expect("the file"), opening);
    assert!(!folder.path().join("new").exists());
    let output = play(folder.path(), &["--pgn", "/dev/null", "--log", "/dev/null"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_that_cannot_be_written_is_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = play(folder.path(), &["--log", "/dev/full"]);
    assert!(output.status.success(), "{output:?}");
    assert!(told(&output).contains("the log /dev/full cannot be written: No space"), "{output:?}");
}
