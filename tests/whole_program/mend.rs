//! `herald mend`: what fails for a program with a fault passes through the adapter.

use std::time::{Duration, Instant};

use crate::support::{HERALD, Program, distorting, without_settings};

/// A rule, the fault that breaks it, and the recipe, if one is needed.
const REPAIRED: &[(&str, &[&str], &[&str])] = &[
    ("illegal-move", &["--mute", "Illegal"], &[]),
    ("undo", &["--deaf", "undo"], &[]),
    ("ping", &["--say", "ping 72=>pong 72", "--mute", "pong 3"], &[]),
    ("mates", &["--say", "go=>0-1 {Black mates}"], &[]),
    ("unknown-command", &["--mute", "Error"], &[]),
    ("setboard", &["--deaf", "setboard"], &["setboard"]),
    ("answers-move", &["--gulp"], &["one-line-a-read"]),
    ("st-decimal", &["--die", "st 0.5"], &[]),
    ("mated-score", &["--replace", "100001=>31998"], &["mate-scores"]),
    ("st", &["--deaf", "st "], &["time-commands"]),
    // It keeps the depth of its last game.
    ("new-clears-sd", &["--rewrite", "new=>force"], &[]),
];

fn passes(rule: &str, fault: &[&str], repairs: &[&str]) -> bool {
    let mut check = without_settings(HERALD);
    check.args(["check", "cecp", "--json", "--patience", "4", "--rule", rule, "--", HERALD, "mend"]);
    check.args(["--protocol", "cecp"]).args(repairs.iter().flat_map(|name| ["--repair", name]));
    check.arg("--").arg(distorting()).args(fault).args(["--", HERALD, "xboard"]);
    let output = check.output().expect("herald runs");
    String::from_utf8_lossy(&output.stdout).contains("\"verdict\":\"pass\"")
}

#[test]
fn every_repair_mends_its_fault() {
    let missed = std::thread::scope(|scope| {
        let tried: Vec<_> = REPAIRED
            .iter()
            .map(|&(rule, fault, repairs)| {
                // Once more alone, because of busy machines.
                (rule, scope.spawn(move || passes(rule, fault, repairs) || passes(rule, fault, repairs)))
            })
            .collect();
        let missed = tried.into_iter().filter_map(|(rule, tried)| (!tried.join().ok()?).then_some(rule));
        missed.collect::<Vec<_>>()
    });
    assert!(missed.is_empty(), "not mended: {missed:?}");
}

/// Herald as a UCI program for a GUI of CECP, and the other way round; both find out the program's protocol.
#[test]
fn either_protocol_in_front_of_the_other() {
    let mut cecp = Program::start(&["mend", "--", HERALD, "uci"]);
    cecp.say("xboard\nprotover 2\nnew\nsd 2\nusermove e2e4");
    cecp.hear("move ");
    cecp.say("quit");
    assert!(cecp.wait().success());
    let mut uci = Program::start(&["mend", "--", HERALD, "xboard"]);
    uci.say("uci\nposition startpos moves e2e4\ngo depth 2");
    uci.hear("bestmove ");
    uci.close();
    assert!(uci.wait().success());
}

#[test]
fn a_program_that_is_no_chess_program_is_told() {
    let began = Instant::now();
    // The GUI listens for a while, as GUIs do.
    let script = "(echo uci; sleep 2) | exec \"$1\" mend -- /no/such/program";
    let output = without_settings("sh").args(["-c", script, "sh", HERALD]).output();
    let output = output.expect("herald runs");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.starts_with("herald: the program cannot be started: /no/such/program: "), "{error}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_closed_output_is_an_error() {
    let output = without_settings("sh")
        .args(["-c", "exec \"$1\" mend -- \"$1\" uci </dev/null >&-", "sh", HERALD])
        .output();
    let output = output.expect("herald runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "herald: no GUI listens: standard output is closed\n"
    );
}
