//! What programs keep that move at random, and ignore most of what they are told.

use serde_json::Value;

use super::{check, for_each};
use crate::support::example;

/// A program that moves at random, at once, and ignores most commands, passes only what it does; and so does one that pretends to
/// think, always for the same time, while it sleeps. They are checked at the same time, as they only wait.
#[test]
fn nothing_is_kept_by_doing_nothing() {
    let program = example("random_mover");
    let program = program.to_str().expect("text");
    let begin = ["cecp", "--json", "--patience", "2", "--concurrency", "40", "--", program];
    for_each(&[&[][..], &["--pretend"]], |how| {
        let (_, findings) = check(&[&begin[..], how].concat());
        let passed = findings.iter().filter(|finding| finding["verdict"] == "pass");
        let passed: Vec<_> = passed.filter_map(|finding| finding["rule"].as_str()).collect();
        // The pretender shows its inventions only when it is asked to.
        let is_done = |rule: &&str| *rule != "nopost" || !how.is_empty();
        assert_eq!(passed, KEPT_AT_RANDOM.iter().copied().filter(is_done).collect::<Vec<_>>(), "{how:?}");
    });
    // It takes nearly two seconds for a move, whatever its time.
    let (_, findings) = check(&["cecp", "--json", "--rule", "st", "--", program, "--delay", "1900"]);
    assert_eq!(findings[0]["verdict"], "fail", "{findings:?}");
}

/// Each wreck breaks the rule about its fault. On a busy machine a program may seem not to think at all; then it is asked again.
#[test]
fn wrecks_are_seen() {
    let program = example("random_mover");
    for_each(&WRECKS, |(wreck, rule)| {
        let program = program.to_str().expect("text");
        let arguments =
            ["cecp", "--json", "--patience", "2", "--rule", rule, "--", program, "--wreck", wreck];
        let is_seen = |(_, findings): &(_, Vec<Value>)| findings[0]["verdict"] != "not-seen";
        let (status, findings) =
            (0..3).map(|_| check(&arguments)).find(is_seen).unwrap_or_else(|| panic!("{wreck} is not seen"));
        assert_eq!(
            (status, &findings[0]["verdict"]),
            (Some(1), &Value::from("fail")),
            "{wreck}: {findings:?}"
        );
    });
}

/// What a program keeps that answers, waits where it is told to, and moves at random. It ignores options and limits.
#[test]
fn a_random_mover_passes_what_it_does() {
    let program = example("random_mover");
    let (status, findings) =
        check(&["uci", "--json", "--concurrency", "12", "--", program.to_str().expect("text"), "--uci"]);
    assert_eq!(status, Some(1));
    let is_passed = |finding: &&Value| finding["verdict"] == "pass";
    let passed: Vec<_> =
        findings.iter().filter(is_passed).filter_map(|finding| finding["rule"].as_str()).collect();
    assert_eq!(passed, RANDOM_MOVER);
}

const WRECKS: [(&str, &str); 6] = [
    ("silent-force", "go"),
    ("pong-first", "ping-thinking"),
    ("no-undo", "undo"),
    ("analysis-mover", "analyze"),
    ("fragile", "unknown-command"),
    ("boaster", "go"),
];

const KEPT_AT_RANDOM: &[&str] = &[
    "one-read",
    "version-1",
    "answers-move",
    "go",
    "playother",
    "colors",
    "reuse",
    "illegal-move",
    "legal-moves",
    "setboard-illegal",
    "new-resets",
    "undo",
    "undo-nothing",
    "remove",
    "is-mated",
    "is-stalemated",
    "result-idle",
    "ping",
    "unknown-command",
    "crlf",
    "split-line",
    "long-line",
    "nopost",
    "stray-words",
];

const RANDOM_MOVER: &[&str] = &[
    "uciok",
    "isready",
    "unknown-command",
    "white-space",
    "one-read",
    "line-ends",
    "long-line",
    "game-over",
    "option-names",
    "option-defaults",
    "stop-idle",
    "stop-early",
    "infinite",
    "infinite-mated",
    "one-answer",
];
