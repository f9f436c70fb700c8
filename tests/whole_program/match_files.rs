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

/// Nothing is appended to what is of another kind, and nothing is kept where it cannot be read again.
#[test]
fn files_of_another_kind_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(play(folder.path(), &["--state", "s", "--pgn", "p", "--log", "l"]).status.success());
    assert!(play(folder.path(), &["--log", "l"]).status.success(), "a log is gone on with");
    fs::write(folder.path().join("t.toml"), "[each]\ntc = \"1+1\"\n").expect("written");
    fs::write(folder.path().join("c.toml"), "# mine\nseed = 1\n").expect("written");
    fs::write(folder.path().join("engines.json"), "[ { \"name\": \"A\" } ]").expect("written");
    let contents = |name: &str| fs::read(folder.path().join(name)).expect("the file");
    for (flags, files) in [
        (&["--pgn"][..], &["s", "t.toml", "c.toml", "engines.json", "l"][..]),
        (&["--epd"], &["s", "t.toml", "c.toml", "engines.json", "l", "p"]),
        (&["--log"], &["s", "t.toml", "c.toml", "engines.json", "p"]),
        (&["--state"], &["t.toml", "c.toml", "engines.json", "p", "l", "/dev/null", ""]),
        (&["--pgn", "--epd", "--log"], &[""]),
    ] {
        for (flag, file) in flags.iter().flat_map(|flag| files.iter().map(move |file| (*flag, *file))) {
            let before = Some(file).filter(|file| folder.path().join(file).is_file()).map(contents);
            let output = play(folder.path(), &[flag, file]);
            assert_eq!(output.status.code(), Some(2), "{flag} {file} {output:?}");
            let named = if file.is_empty() { flag } else { file };
            assert!(told(&output).contains(named), "{flag} {file} {output:?}");
            assert_eq!(before, Some(file).filter(|file| folder.path().join(file).is_file()).map(contents));
        }
    }
}

#[test]
fn zero_of_what_needs_one_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for key in ["table-every", "plies", "rounds"] {
        fs::write(folder.path().join("t.toml"), format!("{key} = 0\n")).expect("written");
        let output = play(folder.path(), &["t.toml"]);
        assert_eq!(output.status.code(), Some(2), "{key} {output:?}");
        assert!(told(&output).contains(&format!("--{key} 0: expected at least 1")), "{output:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_that_cannot_be_written_is_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = play(folder.path(), &["--log", "/dev/full"]);
    assert!(output.status.success(), "{output:?}");
    assert!(told(&output).contains("the log /dev/full cannot be written: No space"), "{output:?}");
}
