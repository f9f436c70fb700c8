//! `herald epd`: files, exit codes, interruption.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{Folder, HERALD, Program, text, told, without_settings};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn epd(folder: &Folder, arguments: &[&str]) -> Output {
    folder.herald(&[&["epd"], arguments].concat())
}

/// Runs it, asserts this exit code and one line on standard error, and returns that line.
fn complaint(folder: &Folder, arguments: &[&str], code: i32) -> String {
    let complaint = folder.told(&[&["epd"], arguments].concat(), code);
    assert_eq!(complaint.lines().count(), 1, "{arguments:?}: {complaint}");
    complaint
}

#[test]
fn check_has_an_exit_code_for_scripts() {
    let folder = Folder::with("a.epd", &format!("{START} bm e4;\n{START} id \"x\"; acd  1;\n"));
    let output = epd(&folder, &["check", "a.epd"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(
        told.starts_with(
            "a.epd:2:65: warning: expected one space before an operand [F9]\na.epd:2:54: note: "
        ),
        "{told}"
    );
    assert!(told.ends_with("2 records: 0 errors, 1 warning, 1 note\n"), "{told}");
    assert_eq!(epd(&folder, &["check", "a.epd", "--strict"]).status.code(), Some(1));
    folder.write("b.epd", &format!("{START} bm e5;\n"));
    let told = complaint(&folder, &["check", "--json", "a.epd", "b.epd"], 1);
    assert_eq!(told, "herald: 1 error in 1 record\n");
    let rules = epd(&folder, &["check", "--rules"]);
    assert!(text(&rules.stdout).contains("\nX5   `pm` is the first move of `pv` (6.19).\n"));
}

#[test]
fn records_come_from_pipes_and_go_into_them() {
    let mut child = without_settings(HERALD)
        .args(["epd", "normalize", "--repair", "moves,mates"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("herald runs");
    let mut input = child.stdin.take().expect("a pipe");
    write!(input, "{START} id \"x\"; bm e2e4;\n{START} bm #3").expect("herald listens");
    drop(input);
    let output = child.wait_with_output().expect("herald ends");
    assert_eq!(text(&output.stdout), format!("{START} bm e4; id \"x\";\n{START} dm 3;"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_names_of_the_specification_are_names_of_the_verbs() {
    let folder = Folder::with("a.epd", &format!("{START}  acd 1;\n"));
    let output = epd(&folder, &["pfdn", "a.epd"]);
    assert_eq!(text(&output.stdout), format!("{START} acd 1;\n"));
    assert_eq!(text(&epd(&folder, &["pfop", "acd", "a.epd"]).stdout), format!("{START}\n"));
    for verb in ["pfga", "pfms", "pfts"] {
        assert_eq!(epd(&folder, &[verb, "--help"]).status.code(), Some(0));
    }
}

#[test]
fn files_are_replaced_when_all_is_done() {
    let folder = Folder::with("a.epd", &format!("{START} id \"x\"; acd 1;\n"));
    folder.write("b.epd", &format!("{START} acd 2; pv;\n"));
    std::os::unix::fs::symlink("b.epd", folder.path().join("link.epd")).expect("a link");
    let output = epd(&folder, &["purge", "acd", "--in-place", "a.epd", "link.epd"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(
        (folder.read("a.epd"), folder.read("b.epd")),
        (format!("{START} id \"x\";\n"), format!("{START} pv;\n"))
    );
    assert!(folder.path().join("link.epd").is_symlink());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3, "nothing else is left");
}

#[test]
fn what_can_t_be_read_or_written_is_named() {
    let folder = Folder::with("a.epd", &format!("{START} acd 1;\n"));
    let told = complaint(&folder, &["check", "no-such.epd"], 2);
    assert!(told.starts_with("herald: can't read `no-such.epd`: "), "{told}");
    let told = complaint(&folder, &["normalize", "."], 2);
    assert_eq!(told, "herald: can't read `.`: it is a directory; expected a file\n");
    let told = complaint(&folder, &["normalize", "a.epd", "-o", "./a.epd"], 2);
    assert_eq!(told, "herald: `a.epd` is both input and output; use --in-place to replace it\n");
    let told = complaint(&folder, &["purge", "acd", "a.epd", "-o", "nowhere/b.epd"], 1);
    assert!(told.starts_with("herald: can't write `nowhere/b.epd`: "), "{told}");
    let told = complaint(&folder, &["purge", "a-b", "a.epd"], 2);
    assert!(told.starts_with("herald: `a-b` is not an opcode"), "{told}");
    assert!(complaint(&folder, &["normalize", "--in-place"], 2).contains("name a regular file"));
    if Path::new("/dev/full").exists() {
        let told = complaint(&folder, &["normalize", "a.epd", "-o", "/dev/full"], 1);
        assert!(told.starts_with("herald: can't write `/dev/full`: No space left on device"), "{told}");
    }
    assert_eq!(folder.read("a.epd"), format!("{START} acd 1;\n"));
}

#[test]
fn output_that_leads_back_into_the_input_is_refused() {
    let folder = Folder::with("a.epd", &format!("{START} acd 1;\n"));
    let path = folder.file("a.epd");
    let appended = File::options().append(true).open(&path).expect("a file");
    let mut command = without_settings(HERALD);
    let output = command.args(["epd", "normalize", &path]).stdout(appended).output().expect("herald runs");
    assert!(told(&output, 2).contains("is both input and output"));
    assert_eq!(folder.read("a.epd"), format!("{START} acd 1;\n"));
}

#[test]
fn an_interrupted_run_says_what_there_is() {
    for signal in ["-INT", "-TERM"] {
        let mut program = Program::start(&["epd", "normalize"]);
        program.say(&format!("{START} id \"x\"; acd 1;"));
        assert_eq!(program.hear(START), format!("{START} acd 1; id \"x\";"));
        program.signal(signal);
        assert_eq!(program.wait().code(), Some(1), "{signal}");
    }
}

#[test]
fn nobody_listening_is_no_failure() {
    let folder = Folder::with("a.epd", &format!("{START} acd 1;\n").repeat(50_000));
    let mut child = without_settings(HERALD)
        .current_dir(folder.path())
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
fn a_line_that_is_too_long_stays_as_it_is() {
    let long = "x".repeat(33 << 20);
    let folder = Folder::with("a.epd", &format!("{START}  acd 1;\n{long}\r\n{START}  acd 2;"));
    let output = epd(&folder, &["normalize", "--in-place", "a.epd"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(folder.read("a.epd") == format!("{START} acd 1;\n{long}\r\n{START} acd 2;"));
}

#[test]
fn each_line_end_is_kept_in_place_or_changed_on_request() {
    for end in ["\n", "\r\n", "\r", "\0\n", "\0\0\r\n", "\0"] {
        let line = format!("{START}  bm e4 ;{end}");
        let folder = Folder::with("a.epd", &line.repeat(1000));
        let run = |more: &[&str]| {
            let output = epd(&folder, &[&["normalize", "--in-place", "a.epd"], more].concat());
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{end:?}");
            folder.read("a.epd")
        };
        assert!(run(&[]) == format!("{START} bm e4;{end}").repeat(1000), "{end:?}");
        let without = match end.trim_start_matches('\0') {
            "" => "\n",
            end => end,
        };
        assert!(run(&["--repair", "nul"]) == format!("{START} bm e4;{without}").repeat(1000), "{end:?}");
        assert!(run(&["--line-ends", "crlf"]) == format!("{START} bm e4;\r\n").repeat(1000), "{end:?}");
        assert!(run(&["--repair", "line-ends"]) == format!("{START} bm e4;\n").repeat(1000), "{end:?}");
    }
}

#[test]
fn files_of_other_kinds_are_refused_before_anything_is_written() {
    let folder = Folder::with("a.epd", "");
    let path = folder.path();
    let wide: Vec<u8> = START.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, told) in [
        (&b"[Event \"x\"]\n\n1. e4 *\n"[..], "a PGN file"),
        (&[&b"\xff\xfe"[..], &wide].concat(), "UTF-16 text"),
        (&wide, "UTF-16 text"),
        (b"\x1f\x8b\x08\0", "compressed"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"{\"fen\": \"8/8\"}\n", "JSON"),
    ] {
        fs::write(path.join("a.epd"), bytes).expect("a file");
        folder.write("out.epd", "precious");
        for more in [&["--in-place"][..], &["-o", "out.epd"]] {
            let complaint = complaint(&folder, &[&["normalize", "a.epd"], more].concat(), 2);
            assert!(complaint.starts_with(&format!("herald: `a.epd` is {told}")), "{complaint}");
        }
        let mut child = without_settings(HERALD)
            .current_dir(path)
            .args(["epd", "purge", "bm", "-o", "out.epd"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("herald runs");
        child.stdin.take().expect("a pipe").write_all(bytes).expect("herald listens");
        let output = child.wait_with_output().expect("herald ends");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).starts_with(&format!("herald: `standard input` is {told}")));
        assert_eq!(fs::read(path.join("a.epd")).expect("a file"), bytes);
        assert_eq!(folder.read("out.epd"), "precious");
    }
}

#[test]
fn a_run_in_place_that_is_killed_leaves_the_file_and_the_next_one_cleans_up() {
    let folder = Folder::with("a.epd", &format!("{START}  acd 1;\n"));
    let path = folder.path();
    let names = || fs::read_dir(path).expect("a folder").count();
    let mut child = without_settings(HERALD)
        .current_dir(path)
        .args(["epd", "analyze", "--in-place", "--depth", "100", "a.epd"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("herald runs");
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while names() < 2 && std::time::Instant::now() < limit {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().expect("a process");
    child.wait().expect("an end");
    assert_eq!((names(), folder.read("a.epd")), (2, format!("{START}  acd 1;\n")));
    let output = epd(&folder, &["purge", "pv", "--in-place", "a.epd"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!((names(), folder.read("a.epd")), (1, format!("{START}  acd 1;\n")));
}

#[test]
fn analysis_keeps_line_ends_and_what_it_does_not_understand() {
    let lines: String =
        ["\n", "\r\n", "\r", "\0\n", "\0"].map(|end| format!("{START}  Foo\t\"a\"  b;{end}")).concat();
    let folder = Folder::with("a.epd", &lines);
    let arguments = ["analyze", "--in-place", "--nodes", "1", "--no-times", "--no-provenance", "a.epd"];
    let output = epd(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = folder.read("a.epd");
    assert_eq!(written.matches(" Foo \"a\" b; ").count(), 5, "{written}");
    assert_eq!(written.matches(";\r\n").count() + written.matches(";\0\n").count(), 2, "{written:?}");
    assert!(written.ends_with(";\0") && written.contains(&format!(";\r{START}")), "{written:?}");
}

#[test]
fn a_selection_in_place_empties_no_file_that_it_can_not_read() {
    let letter = "This is no suite.\nIt is a letter.\n";
    let folder = Folder::with("a.epd", letter);
    for arguments in [&["select", "--where", "acd > 1"][..], &["sample", "1"]] {
        let output = epd(&folder, &[arguments, &["--in-place", "a.epd"]].concat());
        let told = text(&output.stderr);
        assert!(told.ends_with("could not be read and would be lost; `a.epd` is unchanged\n"), "{told}");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(folder.read("a.epd"), letter);
    }
    let one = format!("{START} Analyzer \"A\"; ce 5; id \"x\"; pm e4;\n");
    let other = format!("{START} Analyzer \"B\"; acd 9; c0 \"y\"; ce 7; pm d4;\n");
    for (name, record) in [("a.epd", &one), ("b.epd", &other)] {
        folder.write(name, record);
    }
    let joined = epd(&folder, &["join", "a.epd", "b.epd"]);
    let expected = format!("{START} Analyzer \"A\"; c0 \"y\"; ce 5; id \"x\"; pm e4;\n");
    assert_eq!(text(&joined.stdout), expected, "one analysis, not a mixture");
}

#[test]
fn in_place_keeps_mode_and_owner_and_cleans_up() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let folder = Folder::with("a.epd", &format!("{START}  acd 1;\n"));
    let path = folder.path();
    let about = || fs::metadata(path.join("a.epd")).expect("a file");
    fs::set_permissions(path.join("a.epd"), fs::Permissions::from_mode(0o640)).expect("permissions");
    // Only root can give a file away.
    let is_foreign = std::os::unix::fs::chown(path.join("a.epd"), Some(1234), Some(4321)).is_ok();
    let (killed, running) = (".herald-in-place-12345678.tmp", ".herald-in-place-87654321.tmp");
    drop(File::create(path.join(killed)).expect("a file"));
    let locked = File::create(path.join(running)).expect("a file");
    locked.lock().expect("a lock");
    let output = epd(&folder, &["normalize", "--in-place", "a.epd"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!((folder.read("a.epd"), about().mode() & 0o777), (format!("{START} acd 1;\n"), 0o640));
    assert!(!is_foreign || (about().uid(), about().gid()) == (1234, 4321));
    assert!(!path.join(killed).exists() && path.join(running).exists());

    fs::hard_link(path.join("a.epd"), path.join("b.epd")).expect("a link");
    assert!(complaint(&folder, &["normalize", "--in-place", "b.epd"], 2).contains("several names"));
    let pipe = path.join("pipe.epd");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    assert!(complaint(&folder, &["normalize", "--in-place", "pipe.epd"], 2).contains("name a regular file"));
}

#[test]
fn files_are_joined_line_by_line() {
    let folder = Folder::with("a.epd", &format!("{START}  acd 1;"));
    folder.write("b.epd", &format!("\u{feff}{START}  acd 2;\r\n"));
    let output = epd(&folder, &["normalize", "a.epd", "b.epd", "a.epd"]);
    let expected = format!("{START} acd 1;\n{START} acd 2;\r\n{START} acd 1;");
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn repairs_are_made_by_kind_and_shown_before() {
    let folder = Folder::with("a.epd", "");
    let repaired = |operations: &str, kinds: &str| {
        folder.write("a.epd", &format!("{START} {operations}\n"));
        let kept = epd(&folder, &["normalize", "a.epd"]);
        assert_eq!(
            (kept.status.code(), text(&kept.stdout)),
            (Some(1), &*folder.read("a.epd")),
            "{operations}"
        );
        let output = epd(&folder, &["normalize", "a.epd", "--repair", kinds]);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{operations}");
        text(&output.stdout).trim_end().strip_prefix(START).expect("a record").trim().to_owned()
    };
    for (operations, kinds, expected) in [
        ("bm e4; bm d4;", "duplicates", "bm d4 e4;"),
        ("acd 1; acd 2;", "duplicates", "acd 2;"),
        ("c0 \"unclosed; \t", "quotes", "c0 \"unclosed\";"),
        ("c0 \"say \\\"e4\\\"\";", "escapes", "c0 \"say 'e4'\";"),
        ("acn 1,234,567; acd \"12\"; ce +0.35;", "numbers", "acd 12; acn 1234567; ce 35;"),
        ("bm e4 acd 3 id \"x\";", "semicolons", "acd 3; bm e4; id \"x\";"),
        ("bm e2-e4;", "moves", "bm e4;"),
        ("pv 1. e4 e5 2.\u{2658}f3! 2...Nc6;", "moves", "pv e4 e5 Nf3 Nc6;"),
        ("pv e4 e5 Nf3 Nc6 Bc4 Bc5 0-0 Nge7 +;", "moves", "pv e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nge7;"),
        ("pv e4 a6 e5 d5 exd6 e.p.;", "moves", "pv e4 a6 e5 d5 exd6;"),
        ("bm #2;", "mates", "dm 2;"),
        ("bm e4; bm d4; ce +0.1 c0 \"x;", "all", "bm d4 e4; c0 \"x\"; ce 10;"),
    ] {
        assert_eq!(repaired(operations, kinds), expected);
    }
    folder.write("a.epd", &format!("{START} bm Sf3 Sc3;\n{START} acd 1;\n"));
    let german = ["normalize", "a.epd", "--repair", "moves", "--piece-letters", "german"];
    let output = epd(&folder, &german);
    assert_eq!(text(&output.stdout), format!("{START} bm Nc3 Nf3;\n{START} acd 1;\n"));
    let output = epd(&folder, &[&german[..], &["--diff"]].concat());
    let told = text(&output.stdout);
    assert!(told.starts_with("a.epd:1:57: moves: `Sf3` is not SAN; expected Nf3 [T2]\n"), "{told}");
    assert!(told.ends_with(&format!("-{START} bm Sf3 Sc3;\n+{START} bm Nc3 Nf3;\n")), "{told}");
    let output = epd(&folder, &[&german[..], &["--json"]].concat());
    let changes: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(changes.len(), 1);
    assert_eq!(
        (changes[0]["line"].as_u64(), changes[0]["repairs"][0]["kind"].as_str()),
        (Some(1), Some("moves"))
    );
    let line = "bm e2e4; bm d4 acd \"1\"; c1 \"say \\\"e4\\\"\"; dm 3; c0 \"x;\0\r\n";
    folder.write("a.epd", &format!("{START} {line}"));
    let output = epd(&folder, &["normalize", "a.epd", "--repair", "all", "--json"]);
    let change: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for kind in ["duplicates", "escapes", "line-ends", "moves", "nul", "numbers", "quotes", "semicolons"] {
        let repairs = change["repairs"].as_array().expect("repairs");
        assert!(repairs.iter().any(|repair| repair["kind"] == kind), "{kind}: {change}");
    }
}

#[test]
fn conditions_restrict_verbs_and_their_faults_are_shown() {
    let text_of = |id: &str, acd: u32| format!("{START}  acd {acd} ; id \"{id}\";\n");
    let input = format!("# x\n{}{}", text_of("a", 5), text_of("b", 25));
    let folder = Folder::with("a.epd", &input);
    let run = |arguments: &[&str]| {
        let output = epd(&folder, arguments);
        (output.status.code(), text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
    };
    let deep = ["--where", "acd > 20 and id ~ '^b'", "a.epd"];
    let (code, selected, told) = run(&[&["select"][..], &deep].concat());
    assert_eq!((code, selected, told.as_str()), (Some(0), text_of("b", 25), "1 of 2 records selected\n"));
    let (_, purged, _) = run(&[&["purge", "acd"][..], &deep].concat());
    assert_eq!(purged, format!("# x\n{}{START} id \"b\";\n", text_of("a", 5)));
    let (_, checked, _) = run(&[&["check", "--level", "error"][..], &deep].concat());
    assert!(checked.starts_with("1 record: "), "{checked}");
    let (code, _, told) = run(&["select", "--where", "adc > 20", "a.epd"]);
    assert!(
        code == Some(2) && told.contains("`adc` is not known; is it `acd`? (column 1, at `adc > 20`)"),
        "{told}"
    );
    let (code, _, _) = run(&["set", "v0 = acd * 2; c0 = '{id}!'", "a.epd", "--in-place"]);
    assert_eq!((code, folder.read("a.epd").lines().count()), (Some(0), 3));
    assert!(folder.read("a.epd").ends_with(&format!("{START}  acd 25 ; c0 \"b!\"; id \"b\"; v0 \"50\";\n")));
    let (code, _, told) = run(&["sort", "--by", "acd desc", "a.epd", "--in-place"]);
    assert_eq!((code, told.as_str()), (Some(0), "2 records sorted\n"));
    let sorted = folder.read("a.epd");
    assert!(
        sorted.starts_with(&format!("# x\n{START}  acd 25 ;")) && sorted.lines().count() == 3,
        "{sorted}"
    );
}

#[test]
fn records_become_games_and_games_records() {
    let folder = Folder::with("a.epd", &format!("{START} id \"one\"; pv e4 e5 Nf3;\n{START} bm d4"));
    let run = |arguments: &[&str]| epd(&folder, arguments);
    assert_eq!(run(&["to-games", "a.epd", "-o", "a.pgn"]).status.code(), Some(0));
    let back = run(&["from-games", "a.pgn", "--with", "sm,eco", "-o", "b.epd"]);
    assert_eq!(text(&back.stderr), "6 records of 2 games\n");
    assert!(
        folder.read("b.epd").contains(" eco \"C20\"; fmvn 2; hmvc 0; sm Nf3; v0 "),
        "{}",
        folder.read("b.epd")
    );
    let unique = run(&["unique", "a.epd", "b.epd"]);
    assert_eq!(text(&unique.stderr), "5 positions; 3 left out, 3 of them with other operations\n");
    let diff = run(&["diff", "a.epd", "a.epd"]);
    assert_eq!((diff.status.code(), text(&diff.stdout)), (Some(0), ""));
    assert_eq!(run(&["diff", "a.epd", "b.epd"]).status.code(), Some(1));
    assert_eq!(run(&["diff", "a.epd"]).status.code(), Some(2));
    let same = run(&["join", "a.epd", "b.epd", "-o", "b.epd"]);
    assert!(text(&same.stderr).contains("both input and output"), "{}", text(&same.stderr));
    let split = ["split", "--records", "4", "b.epd", "-o", "part-{}.epd"];
    assert_eq!(text(&run(&split).stderr), "6 records in 2 files\n");
    assert!(text(&run(&split).stderr).contains("`part-001.epd`"));
    assert!(!text(&run(&split).stderr).contains("standard output"));
    assert_eq!(run(&["split", "--records", "4", "b.epd", "-o", "{}{}"]).status.code(), Some(2));
    assert!(!text(&run(&["sort", "--help"]).stdout).contains("--threads"));
    let long = format!("{START} acd 2;\n{START} c0 \"{}\";\n{START} acd 1;\n", "x".repeat(17 << 20));
    folder.write("long.epd", &long);
    for verb in [&["sort", "--by", "acd"][..], &["unique"], &["select", "--where", "has acd"]] {
        let refused = run(&[verb, &["--in-place", "long.epd"]].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains("line 2 is longer than 16 MiB"));
    }
    assert!(folder.read("long.epd") == long);
    assert_eq!(run(&["set", "v0 = 1", "long.epd", "-o", "set.epd"]).status.code(), Some(1));
    let sample = run(&["sample", "2", "--seed", "3", "b.epd"]);
    assert_eq!(text(&sample.stdout).lines().count(), 2);
    folder.write("bad.pgn", "1. e4 e5 2. Ke3 *\n\n1. d4 *\n");
    let faulty = run(&["from-games", "bad.pgn", "--last"]);
    assert_eq!((faulty.status.code(), text(&faulty.stdout).lines().count()), (Some(1), 1));
    assert!(
        text(&faulty.stderr).starts_with("bad.pgn:1: error: illegal move `Ke3`"),
        "{}",
        text(&faulty.stderr)
    );
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
    let there = |arguments: &[&str]| {
        let mut herald = without_settings(HERALD);
        herald.current_dir(&suites).arg("epd").args(arguments).output().expect("herald runs")
    };
    for (name, check, normalize) in [
        ("wac.epd", 0, 0),
        ("bratko-kopec.epd", 0, 0),
        ("arasan2024.epd", 0, 0),
        ("eet.epd", 0, 0),
        ("sts.epd", 0, 0),
        ("mates2000.epd", 1, 0),
        ("tb-opcodes.epd", 0, 0),
        ("fuzz-seeds.epd", 1, 1),
    ] {
        let checked = there(&["check", name]);
        assert_eq!(checked.status.code(), Some(check), "{name}: {}", text(&checked.stderr));
        let normal = there(&["normalize", "--repair", "moves,mates", name]);
        assert_eq!(normal.status.code(), Some(normalize), "{name}: {}", text(&normal.stderr));
        let records = fs::read_to_string(suites.join(name)).expect("a suite").lines().count();
        assert_eq!(text(&normal.stdout).lines().count(), records, "{name}");
        let folder = Folder::with("a.epd", text(&normal.stdout));
        let again = epd(&folder, &["normalize", "a.epd"]);
        assert_eq!(again.stdout, normal.stdout, "{name}");
        let checked = epd(&folder, &["check", "--strict", "a.epd"]);
        let is_clean = !["arasan2024.epd", "fuzz-seeds.epd"].contains(&name);
        assert_eq!(checked.status.success(), is_clean, "{name}: {}", text(&checked.stderr));
    }
}
