//! The limits of a search.

use super::harness::{UciHarness, infos};
use crate::check::harness::demand;
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("depth", "searches no deeper than `go depth` allows", depth),
    rule("nodes", "searches about as many nodes as `go nodes` allows", nodes),
    rule("movetime", "keeps to `go movetime`", |program| in_time(program, &["movetime 500"])),
    rule("clock", "keeps to its clock", |program| {
        in_time(program, &["wtime 1000 btime 60000", "wtime 1000 btime 60000 winc 0 binc 0"])
    }),
    rule("clock-increment", "lives on its increment", |program| {
        in_time(program, &["wtime 300 btime 60000 winc 5000 binc 5000"])
    }),
    rule("clock-short", "moves when its clock is at a millisecond", |program| {
        UciHarness::at(program, MIDDLEGAME)?.go("wtime 1 btime 60000 winc 0 binc 0").map(drop)
    }),
    rule("movestogo", "keeps to its clock when it is to make one or forty moves more", |program| {
        in_time(program, &["wtime 1000 btime 1000 movestogo 1", "wtime 1000 btime 1000 movestogo 40"])
    }),
];

fn depth(candidate: &Candidate) -> Result<(), Failure> {
    let (_, heard) = UciHarness::at(candidate, MIDDLEGAME)?.go("depth 3")?;
    let most = infos(&heard).filter_map(|info| info.depth).max().unwrap_or_default();
    demand(most <= 3, "no depth above 3", format!("depth {most}"))
}

fn nodes(candidate: &Candidate) -> Result<(), Failure> {
    const NODES: u64 = 50_000;
    let (_, heard) = UciHarness::at(candidate, MIDDLEGAME)?.go(&format!("nodes {NODES}"))?;
    let most = infos(&heard).filter_map(|info| info.nodes).max().unwrap_or_default();
    demand(most <= 2 * NODES, format!("{NODES} nodes"), format!("{most}"))
}

/// Moves under each of these limits within a time that is generous to a busy machine.
fn in_time(candidate: &Candidate, limits: &[&str]) -> Result<(), Failure> {
    let mut harness = UciHarness::at(candidate, MIDDLEGAME)?;
    limits.iter().try_for_each(|how| harness.go_within(how, 1.5))
}
