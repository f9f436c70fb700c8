//! `herald check`: Herald keeps the rules, and each rule is seen broken by Herald with its words distorted.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use assert_cmd::Command;
use serde_json::Value;

const HERALD: &str = env!("CARGO_BIN_EXE_herald");

/// As many at once as don't get in each other's way: they mostly wait.
const AT_ONCE: usize = 4;

/// `examples/distorting.rs`, which cargo has built with the tests.
fn distorting() -> PathBuf {
    let program = Path::new(HERALD).with_file_name("examples").join("distorting");
    assert!(program.is_file(), "not built: cargo build --examples");
    program
}

fn check(arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let mut command = Command::new(HERALD);
    // Not with what the user of this machine has saved.
    command.env("XDG_CONFIG_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-settings"));
    let output = command.arg("check").args(arguments).output().expect("herald runs");
    let lines = String::from_utf8(output.stdout).expect("text");
    let values = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (output.status.code(), values.collect())
}

/// Does some work for each of many, a few at a time.
fn for_each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = Mutex::new(all.iter());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = next.lock().map_or(None, |mut next| next.next()) {
                    work(one);
                }
            });
        }
    });
}

fn labels(protocol: &str) -> Vec<String> {
    let output = Command::new(HERALD).args(["check", protocol, "--rules"]).output().expect("herald runs");
    let lines = String::from_utf8(output.stdout).expect("text");
    lines.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Herald breaks no rule.
fn herald_passes(protocol: &str, arguments: &[&str]) {
    let broken = Mutex::new(Vec::new());
    for_each(&labels(protocol), |label| {
        let (status, findings) = check(&[&[protocol, "--json", "--rule", label, "--", HERALD][..], arguments].concat());
        if status != Some(0) {
            broken.lock().expect("the list").push(format!("{label}: {findings:?}"));
        }
    });
    let broken = broken.into_inner().expect("the list");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Each rule is in the table, and fails there.
fn each_rule_fails(protocol: &str, arguments: &[&str], faults: &[(&str, &[&str])]) {
    let without: Vec<String> =
        labels(protocol).into_iter().filter(|label| faults.iter().all(|(rule, _)| rule != label)).collect();
    assert!(without.is_empty(), "never seen failing: {without:?}");
    let program = distorting();
    let passed = Mutex::new(Vec::new());
    for_each(faults, |(rule, fault)| {
        let begin = [protocol, "--json", "--patience", "2", "--rule", rule, "--", program.to_str().expect("text")];
        let (status, findings) = check(&[&begin[..], fault, &["--", HERALD], arguments].concat());
        if status != Some(1) || findings[0]["verdict"] != "fail" {
            passed.lock().expect("the list").push(format!("{rule}: {findings:?}"));
        }
    });
    let passed = passed.into_inner().expect("the list");
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

#[test]
fn herald_keeps_the_rules_of_cecp() {
    herald_passes("cecp", &["xboard"]);
}

#[test]
fn each_rule_of_cecp_can_be_broken() {
    each_rule_fails("cecp", &["xboard"], CECP);
}

const CECP: &[(&str, &[&str])] = &[
    ("one-read", &["--deaf", "protover"]),
    ("done", &["--replace", "done=1=>"]),
    ("version-1", &["--deaf", "e2e4"]),
    ("accepted", &["--say", "rejected nonsense=>Error (unknown command): rejected nonsense"]),
    ("option-names", &["--say", "protover=>feature option=\"A -check 1\" option=\"A -check 0\""]),
    ("xboard-again", &["--say", "xboard=>Error (unknown command): xboard"]),
    // Without a fault of its own: the one in between minds the signals.
    ("sigint", &[]),
    ("sigterm", &[]),
    ("answers-move", &["--deaf", "usermove"]),
    ("go", &["--deaf", "go"]),
    ("playother", &["--deaf", "playother"]),
    ("colors", &["--deaf", "white"]),
    ("reuse", &["--die", "usermove e2e4"]),
    ("illegal-move", &["--mute", "Illegal"]),
    ("legal-moves", &["--say", "usermove e1g1=>Illegal move: e1g1"]),
    ("san-input", &["--replace", "done=1=>san=1 done=1", "--say", "usermove Nf3=>Illegal move: Nf3"]),
    ("setboard", &["--deaf", "setboard"]),
    ("setboard-illegal", &["--mute", "tellusererror"]),
    ("edit", &["--deaf", "edit"]),
    ("new-resets", &["--deaf", "new"]),
    ("undo", &["--deaf", "undo"]),
    ("undo-nothing", &["--die", "undo"]),
    ("remove", &["--deaf", "remove"]),
    ("mates", &["--say", "go=>0-1 {Black mates}"]),
    ("is-mated", &["--say", "go=>1/2-1/2 {agreed}"]),
    ("is-stalemated", &["--say", "go=>1-0 {White mates}"]),
    ("result", &["--deaf", "result"]),
    ("draw-offer", &["--say", "draw=>Error (unknown command): draw"]),
    ("ping", &["--say", "ping 72=>pong 72"]),
    ("ping-thinking", &["--say", "ping 77=>pong 77"]),
    ("ping-pondering", &["--mute", "pong 78"]),
    ("force-silent", &["--say", "force=>move h2h3"]),
    ("new-silent", &["--say", "new=>move h2h3"]),
    ("ponder-silent", &["--twice", "move"]),
    ("move-now", &["--deaf", "?"]),
    ("move-now-idle", &["--say", "?=>Error (unknown command): ?"]),
    ("undisturbed", &["--rewrite", "xyzzy 7=>?"]),
    ("unknown-command", &["--mute", "Error"]),
    ("quit-thinking", &["--deaf", "quit"]),
    ("quit-analysing", &["--deaf", "quit"]),
    ("end-of-input", &["--stay"]),
    ("pause", &["--deaf", "pause"]),
    ("pause-analysing", &["--deaf", "pause"]),
    ("pause-other", &["--mute", "Error"]),
    ("st", &["--rewrite", "st 0.5=>st 3"]),
    ("st-0", &["--rewrite", "st 0=>st 3"]),
    ("level", &["--say", "level=>Error (bad time): level"]),
    ("level-moves", &["--say", "level=>Error (bad time): level"]),
    ("own-clock", &["--rewrite", "level 0 0:03 0=>st 1"]),
    ("time-short", &["--rewrite", "time 100=>time 30000"]),
    ("time-odd", &["--die", "time -100"]),
    ("sd", &["--rewrite", "sd 3=>sd 6"]),
    ("sd-with-time", &["--rewrite", "st 0.5=>st 3"]),
    ("new-clears-sd", &["--rewrite", "st 1=>sd 1"]),
    ("nps", &["--deaf", "nps"]),
    ("thinking", &["--deaf", "post"]),
    ("nopost", &["--deaf", "nopost"]),
    ("mate-score", &["--replace", "100002=>29998"]),
    ("mated-score", &["--replace", "-100001=>-29999"]),
    ("stray-words", &["--say", "go=>White has a better position"]),
    ("analyze", &["--deaf", "analyze"]),
    ("analyze-move", &["--deaf", "usermove"]),
    ("analyze-over", &["--say", "analyze=>1-0 {White mates}"]),
    ("ping-analysing", &["--mute", "pong 79"]),
    ("stat01", &["--mute", "stat01"]),
    ("exclude", &["--deaf", "exclude"]),
    ("exclude-all", &["--deaf", "exclude"]),
    ("setscore", &["--say", "setscore=>Error (unknown command): setscore"]),
    ("hint", &["--replace", "Hint: =>Hint: a1"]),
    ("bk", &["--say", "bk=>the book is open"]),
    ("options", &["--say", "option =>Error (bad value): option"]),
    ("option-unknown", &["--mute", "Error"]),
    ("memory", &["--say", "memory=>Error (unknown command): memory"]),
    ("cores", &["--say", "cores=>Error (unknown command): cores"]),
    ("egtpath", &["--die", "egtpath"]),
    ("frills", &["--say", "computer=>Error (unknown command): computer"]),
    ("highlight", &["--mute", "highlight"]),
    ("fischerandom", &["--say", "usermove O-O=>Illegal move: O-O"]),
    ("variants", &["--deaf", "variant"]),
    ("variant-unknown", &["--die", "variant nosuch"]),
];
