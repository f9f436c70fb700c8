//! `herald check`: Herald keeps the rules, and each rule can be broken.

mod faults;
mod random_movers;
mod reports;

use std::sync::Mutex;

use serde_json::Value;

use crate::support::{HERALD, herald, text};

/// Number of parallel checks, which mostly wait.
const AT_ONCE: usize = 12;

fn check(arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let output = herald(&[&["check"], arguments].concat());
    let values = text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (output.status.code(), values.collect())
}

/// Runs `work` for each item, a limited number in parallel.
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
    let output = herald(&["check", protocol, "--rules"]);
    let labels = text(&output.stdout).lines().filter_map(|line| line.split_whitespace().next());
    labels.map(str::to_owned).collect()
}

/// Asserts that Herald passes all rules except some with these verdicts. A rule that fails is
/// checked again alone, as a busy machine may cause time-outs.
fn herald_passes(protocol: &str, arguments: &[&str], others: &[(&str, &str)]) {
    let verdicts = |how: &[&str]| -> Vec<(String, String)> {
        let (_, findings) = check(&[&[protocol, "--json"], how, &["--", HERALD], arguments].concat());
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let verdict = |finding: &Value| Some((text(&finding["rule"])?, text(&finding["verdict"])?));
        findings.iter().filter_map(verdict).filter(|(_, verdict)| verdict != "pass").collect()
    };
    let missed = verdicts(&["--concurrency", "8"]);
    let missed: Vec<_> = missed.iter().flat_map(|(rule, _)| verdicts(&["--rule", rule])).collect();
    let others = others.iter().map(|&(rule, verdict)| (rule.to_owned(), verdict.to_owned()));
    assert_eq!(missed, others.collect::<Vec<_>>());
}

#[test]
fn herald_keeps_the_rules_of_cecp() {
    let others = [
        // It says nothing to `xboard` and `computer`.
        ("xboard-again", "not-seen"),
        ("san-input", "not-supported"),
        ("sigterm", "not-supported"),
        ("analyze-edit", "not-supported"),
        // It varies its moves only by the option Noise, which is off at first.
        ("random", "not-seen"),
        ("egtpath", "not-seen"),
        ("computer", "not-seen"),
        ("setup", "not-supported"),
    ];
    herald_passes("cecp", &["xboard"], &others);
}

#[test]
fn herald_keeps_the_rules_of_uci() {
    herald_passes("uci", &["uci"], &[]);
}

#[test]
fn herald_keeps_the_rules_of_cego() {
    herald_passes("cego", &["cego", "--ponder"], &[]);
}
