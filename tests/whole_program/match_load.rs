//! Many games at once: threads, open files and memory do not grow with the number of games.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::{Folder, HERALD, without_settings};

/// An engine in `sh` that answers at once with an illegal move, so that every game is one ply long.
const INSTANT: &str = "while read -r word _; do case $word in uci) echo uciok;; isready) echo readyok;; \
                       go) echo bestmove a1a1;; quit) exit;; esac; done";

/// Threads, open files and resident memory in KiB of a process; `None` if it has ended.
fn usage(process: u32) -> Option<[usize; 3]> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let files = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count();
    Some([field("Threads:")?, files, field("VmRSS:")?])
}

#[test]
fn nothing_grows_with_the_games() {
    let folder = Folder::with("instant.sh", INSTANT);
    let engine = |name: &str| format!("cmd='sh {}' name={name}", folder.file("instant.sh"));
    let mut herald = without_settings(HERALD);
    herald.args([
        "match",
        "--json",
        "--games",
        "800",
        "--concurrency",
        "16",
        "--tc",
        "10+0.1",
        "--pgn",
        "a.pgn",
    ]);
    herald.args(["--engine", &engine("A"), "--engine", &engine("B")]).current_dir(folder.path());
    let mut child = herald.stdout(Stdio::piped()).spawn().expect("herald starts");
    let mut samples = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        if line.expect("text").contains("\"event\":\"game\"") {
            samples.push(usage(child.id()));
        }
    }
    assert!(child.wait().expect("it ends").success());
    assert_eq!(samples.len(), 800);
    let samples: Vec<[usize; 3]> = samples.into_iter().flatten().collect();
    let most =
        |part: &[[usize; 3]], what: usize| part.iter().map(|sample| sample[what]).max().expect("samples");
    for (what, name) in ["threads", "files", "memory"].into_iter().enumerate() {
        let (early, late) = (most(&samples[100..300], what), most(&samples[500..], what));
        assert!(late <= early + early / 10, "{name}: {early}, later {late}");
    }
}
