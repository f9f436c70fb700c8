//! The limits of a search.

use super::bench::{Bench, infos};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule { label: "depth", duty: "searches no deeper than `go depth` allows", check: depth },
    Rule { label: "nodes", duty: "searches about as many nodes as `go nodes` allows", check: nodes },
    Rule { label: "movetime", duty: "keeps to `go movetime`", check: movetime },
    Rule { label: "clock", duty: "keeps to its clock", check: clock },
    Rule { label: "clock-increment", duty: "lives on its increment", check: increment },
    Rule { label: "clock-short", duty: "moves when its clock is at a millisecond", check: short },
    Rule {
        label: "movestogo",
        duty: "keeps to its clock when it is to make one or forty moves more",
        check: movestogo,
    },
];

fn depth(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    let (_, heard) = bench.go("depth 3")?;
    match infos(&heard).filter_map(|info| info.depth).max() {
        Some(most) if most > 3 => Err(Miss::failed("no depth above 3", format!("depth {most}"))),
        _ => Ok(()),
    }
}

fn nodes(candidate: &Candidate) -> Result<(), Miss> {
    const NODES: u64 = 50_000;
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    let (_, heard) = bench.go(&format!("nodes {NODES}"))?;
    match infos(&heard).filter_map(|info| info.nodes).max() {
        Some(most) if most > 2 * NODES => Err(Miss::failed(format!("{NODES} nodes"), format!("{most}"))),
        _ => Ok(()),
    }
}

/// A move within a limit that is generous to a busy machine.
fn within(candidate: &Candidate, seconds: f64, limits: &[&str]) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    limits.iter().try_for_each(|how| bench.go_within(how, seconds).map(drop))
}

fn movetime(candidate: &Candidate) -> Result<(), Miss> {
    within(candidate, 1.5, &["movetime 500"])
}

fn clock(candidate: &Candidate) -> Result<(), Miss> {
    within(candidate, 1.5, &["wtime 1000 btime 60000", "wtime 1000 btime 60000 winc 0 binc 0"])
}

fn increment(candidate: &Candidate) -> Result<(), Miss> {
    within(candidate, 1.5, &["wtime 300 btime 60000 winc 5000 binc 5000"])
}

fn short(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    bench.go("wtime 1 btime 60000 winc 0 binc 0").map(drop)
}

fn movestogo(candidate: &Candidate) -> Result<(), Miss> {
    within(candidate, 1.5, &["wtime 1000 btime 1000 movestogo 1", "wtime 1000 btime 1000 movestogo 40"])
}
