//! The files of a match: which are refused, and what is told of them.

use std::fs;

use crate::support::{Folder, refused};

#[test]
fn a_file_has_one_role() {
    let opening = "[Event \"x\"]\n\n1. e4 *\n\n";
    let folder = Folder::with("a.pgn", opening);
    for (arguments, roles) in [
        (["--openings", "a.pgn", "--pgn", "./a.pgn"], "--openings and --pgn"),
        (["--pgn", "new", "--state", "./new"], "--pgn and --state"),
        (["--state", "new", "--log", "new"], "--state and --log"),
    ] {
        let output = folder.play(&arguments);
        assert!(refused(&output).contains(roles), "{output:?}");
    }
    assert_eq!(folder.read("a.pgn"), opening);
    assert!(!folder.path().join("new").exists());
    let output = folder.play(&["--pgn", "/dev/null", "--log", "/dev/null"]);
    assert!(output.status.success(), "{output:?}");
}

/// Nothing is appended to what is of another kind, and nothing is kept where it cannot be read again.
#[test]
fn files_of_another_kind_are_refused() {
    let folder = Folder::new();
    assert!(folder.play(&["--state", "s", "--pgn", "p", "--log", "l"]).status.success());
    assert!(folder.play(&["--log", "l"]).status.success(), "a log is gone on with");
    folder.write("t.toml", "[each]\ntc = \"1+1\"\n");
    folder.write("c.toml", "# mine\nseed = 1\n");
    folder.write("engines.json", "[ { \"name\": \"A\" } ]");
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
            let output = folder.play(&[flag, file]);
            let named = if file.is_empty() { flag } else { file };
            assert!(refused(&output).contains(named), "{flag} {file} {output:?}");
            assert_eq!(before, Some(file).filter(|file| folder.path().join(file).is_file()).map(contents));
        }
    }
}

#[test]
fn zero_of_what_needs_one_is_refused() {
    let folder = Folder::new();
    for key in ["table-every", "plies", "rounds"] {
        folder.write("t.toml", &format!("{key} = 0\n"));
        let output = folder.play(&["t.toml"]);
        assert!(refused(&output).contains(&format!("--{key} 0: expected at least 1")), "{output:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_that_cannot_be_written_is_told_once() {
    let folder = Folder::new();
    let output = folder.play(&["--log", "/dev/full"]);
    let told = crate::support::told(&output, 0);
    assert!(told.contains("the log /dev/full cannot be written: No space"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}
