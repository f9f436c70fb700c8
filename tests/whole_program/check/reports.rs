//! Reports, exit codes, and programs that can't be checked.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{check, for_each};
use crate::support::{HERALD, distorting, herald, without_settings};

#[test]
fn a_program_of_another_protocol_is_told_so() {
    for (protocol, command) in [("cecp", [HERALD, "uci"]), ("uci", [HERALD, "xboard"])] {
        let output = herald(&[&["check", protocol, "--"][..], &command].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        let other = if protocol == "cecp" { "uci" } else { "cecp" };
        assert!(told.contains(&format!("herald check {other} -- {HERALD}")), "{told}");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// The files for other programs: `JUnit` XML for a real parser, a badge, a recipe; and the script, which a shell runs.
#[test]
fn reports_for_other_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let [junit, badge, recipe] = ["junit.xml", "badge.json", "recipe.toml"]
        .map(|name| folder.path().join(name).to_str().expect("text").to_owned());
    let program = distorting();
    let (status, findings) = check(&[
        "uci",
        "--json",
        "--rule",
        "uciok",
        "--rule",
        "option-names",
        "--show-dialogue",
        "--junit",
        &junit,
        "--badge",
        &badge,
        "--recipe",
        &recipe,
        "--",
        program.to_str().expect("text"),
        "--twice",
        "uciok",
        "--say",
        "uci=>id name \u{1}Odd <&\"' \u{fffe}",
        "--",
        HERALD,
        "uci",
    ]);
    assert_eq!(status, Some(1));
    let summary = &findings[2];
    assert_eq!((&summary["passed"], &summary["failed"]), (&1.into(), &1.into()), "{summary}");
    assert_eq!(summary["program"], "?Odd <&\"' \u{fffe}");
    let read = |path: &str| std::fs::read_to_string(path).expect("the file is written");
    let badge: Value = serde_json::from_str(&read(&badge)).expect("JSON");
    assert_eq!((&badge["message"], &badge["color"]), (&"1/2".into(), &"red".into()));
    let recipe: toml::Table = toml::from_str(&read(&recipe)).expect("TOML");
    assert_eq!(recipe["protocol"].as_str(), Some("uci"));
    let parse = "import sys, xml.etree.ElementTree as t; r = t.parse(sys.argv[1]).getroot(); \
        print(r.get('tests'), r.get('failures'), r.get('name'), [f.get('type') for f in r.iter('failure')])";
    let parsed = Command::new("python3").args(["-c", parse, &junit]).output().expect("python3");
    let parsed = String::from_utf8_lossy(&parsed.stdout).into_owned();
    assert!(parsed.starts_with("2 1 ?Odd <&\"' ?, UCI, by Herald "), "{parsed}");
    assert!(parsed.ends_with(" ['must']\n"), "{parsed}");
    let script = findings[0]["script"].as_str().expect("a script");
    let said = without_settings("sh").args(["-c", script]).output().expect("a shell");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(said.matches("uciok\n").count(), 2, "{script}{said}");
}

#[test]
fn wrong_arguments() {
    for arguments in [
        &["cecp", "--json", "--", "/no/such/program"][..],
        &["cecp", "--json", "--rule", "nonsense", "--", HERALD],
        &["cecp", "--rule", "go", "--junit", SAME, "--badge", SAME, "--", HERALD, "xboard"],
        &["cecp"],
        &["usi", "--", HERALD],
        &["autoplayer", "--", HERALD],
    ] {
        assert_eq!(check(arguments), (Some(2), Vec::new()), "{arguments:?}");
    }
    assert!(!Path::new(SAME).exists(), "a file that was not written");
}

/// A file that two reports were to be written to.
const SAME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/two-reports");

/// One that says nothing of the protocol is told so, too.
#[test]
fn a_program_of_no_protocol_is_told_so() {
    let cases = [
        ("exit", "ended unexpectedly"),
        ("exec cat", ", and nothing of the protocol"),
        ("exec sleep 99", "says nothing"),
        ("printf never; exec sleep 99", "writes 5 bytes without a line end"),
        ("printf 'feature done=1%300000s\\n' ''; exec sleep 99", "writes a line of more than 65536 bytes"),
        ("exec cat /dev/urandom", "says `"),
        ("exec sleep 99 <&-", "has closed its standard input"),
        // It doesn't speak UCI: nobody has asked.
        ("echo uciok; exec sleep 99", "says nothing"),
    ];
    for_each(&cases, |(script, instead)| {
        let arguments = ["check", "cecp", "--patience", "1", "--rule", "go", "--", "sh", "-c", script];
        let output = herald(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("it doesn't answer as a CECP program: `") && told.contains(instead), "{told}");
        assert_eq!(output.status.code(), Some(2));
    });
}

/// A rule that is named twice is checked once, and a rule of the level usual is no failure unless the check is strict.
#[test]
fn junit_agrees_with_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let junit = folder.path().join("junit.xml");
    let junit = junit.to_str().expect("text");
    let program = distorting();
    let broken = [program.to_str().expect("text"), "--die", "setoption name No Such", "--", HERALD, "uci"];
    for (strict, failures) in [(&[][..], 0), (&["--strict"][..], 1)] {
        let rule = ["--rule", "option-unknown", "--rule", "option-unknown"];
        let begin = [&["uci", "--json", "--junit", junit][..], &rule, strict, &["--"], &broken].concat();
        let (status, findings) = check(&begin);
        assert_eq!((status, findings.len()), (Some(failures), 2));
        let xml = std::fs::read_to_string(junit).expect("the file is written");
        assert!(xml.contains(&format!("tests=\"1\" failures=\"{failures}\"")), "{xml}");
    }
}
