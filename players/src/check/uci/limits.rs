//! Search limits.

use game::CastlingMode::Standard;

use super::harness::UciStart::At;
use super::harness::{UciHarness, infos};
use crate::check::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("depth", "searches no deeper than `go depth` allows", At(MIDDLEGAME)).check(|program| {
        let heard = program.ask("go depth 3")?;
        let most = infos(&heard).filter_map(|info| info.depth).max().unwrap_or_default();
        demand(most <= 3, "no depth above 3", format!("depth {most}"))
    }),
    rule("nodes", "searches about as many nodes as `go nodes` allows", At(MIDDLEGAME)).check(|program| {
        const NODES: u64 = 50_000;
        let heard = program.ask(&format!("go nodes {NODES}"))?;
        let most = infos(&heard).filter_map(|info| info.nodes).max().unwrap_or_default();
        demand(most <= 2 * NODES, format!("{NODES} nodes"), format!("{most}"))
    }),
    rule("movetime", "keeps to `go movetime`", At(MIDDLEGAME))
        .check(|program| in_time(program, &["go movetime 500"])),
    rule("clock", "keeps to its clock", At(MIDDLEGAME)).check(|program| {
        in_time(program, &["go wtime 1000 btime 60000", "go wtime 1000 btime 60000 winc 0 binc 0"])
    }),
    rule("clock-increment", "lives on its increment", At(MIDDLEGAME))
        .check(|program| in_time(program, &["go wtime 300 btime 60000 winc 5000 binc 5000"])),
    rule("clock-short", "moves when its clock is at a millisecond", At(MIDDLEGAME))
        .check(|program| program.ask("go wtime 1 btime 60000 winc 0 binc 0").map(drop)),
    rule("movestogo", "keeps to its clock when it is to make one or forty moves more", At(MIDDLEGAME)).check(
        |program| {
            in_time(
                program,
                &["go wtime 1000 btime 1000 movestogo 1", "go wtime 1000 btime 1000 movestogo 40"],
            )
        },
    ),
];

/// Fails unless the program moves in time under each of these limits, on a busy machine.
fn in_time(program: &mut UciHarness, limits: &[&str]) -> Checked {
    limits.iter().try_for_each(|go| {
        program.set_up(MIDDLEGAME, Standard, &[])?;
        let since = Instant::now();
        program.ask(go)?;
        within(1.5, since.elapsed())
    })
}
