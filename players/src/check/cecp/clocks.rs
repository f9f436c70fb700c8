//! Time controls and search limits.

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("st", "keeps to `st 1`", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| within(2.0, think(program, &["st 1"])?.0)),
    rule("st-decimal", "keeps to `st 0.5`", At(MIDDLEGAME))
        .usual(TIME)
        .check(|program| within_if_understood(program, 1.5, &["st 0.5"])),
    rule("st-0", "moves under `st 0`", At(MIDDLEGAME))
        .usual(TIME)
        .check(|program| within_if_understood(program, 1.5, &["st 0"])),
    rule(
        "level",
        "plays under `level 0 1:05 0.05`: minutes and seconds, decimals in the increment",
        At(MIDDLEGAME),
    )
    .must(TIME)
    .check(|program| think(program, &["level 0 1:05 0.05", "time 300", "otim 300"]).map(drop)),
    rule("level-moves", "plays under `level 40 5 0`", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| think(program, &["level 40 1 0", "time 300", "otim 300"]).map(drop)),
    rule("own-clock", "keeps its own clock when no `time` comes", At(MIDDLEGAME)).must(TIME).check(
        |program| {
            const MOVES: usize = 8;
            program.tell(["easy"])?;
            program.takes(&["level 0 0:03 0"])?;
            let since = Instant::now();
            program.ask("go")?;
            let mut taken = since.elapsed();
            for _ in 1..MOVES {
                let Ok(reply) = program.any_move() else { break };
                let since = Instant::now();
                program.play(&[&reply])?;
                program.hear_move(program.patience)?;
                taken += since.elapsed();
            }
            within(3.5, taken)
        },
    ),
    rule("time-short", "moves fast when `time` says that little is left", At(MIDDLEGAME)).must(TIME).check(
        |program| {
            program.needs(Switch::Time)?;
            within(1.5, think(program, &["level 0 5 0", "time 100", "otim 30000"])?.0)
        },
    ),
    rule("time-odd", "moves when its clock says nothing and less", At(MIDDLEGAME)).usual(TIME).check(
        |program| {
            program.needs(Switch::Time)?;
            let again = &mut At(MIDDLEGAME).reach(&program.candidate)?;
            within_if_understood(program, 2.0, &["level 0 0:10 0", "otim -500", "time -100"])?;
            within_if_understood(again, 2.0, &["level 0 0:10 0", "otim 0", "time 0"])
        },
    ),
    rule("sd", "searches no deeper than `sd` allows", At(MIDDLEGAME)).must(TIME).check(|program| {
        let depth = greatest_depth(program, &["st 3", "sd 3"])?;
        demand(depth <= 3, "no depth above 3", format!("depth {depth}"))
    }),
    rule("sd-with-time", "keeps to the time under `sd`, too", At(MIDDLEGAME)).must(TIME).check(|program| {
        knows_sd(program)?;
        within(2.0, think(program, &["st 1", "sd 60"])?.0)
    }),
    rule("new-clears-sd", "forgets `sd` at `new`", At(MIDDLEGAME)).must(TIME).check(|program| {
        program.needs(Switch::SetBoard)?;
        knows_sd(program)?;
        let setboard = format!("setboard {MIDDLEGAME}");
        let depth = greatest_depth(program, &["sd 1", "new", "force", &setboard, "st 1"])?;
        demand(depth > 1, "depths above 1", format!("depth {depth}"))
    }),
    rule("nps", "counts nodes for time after `nps`", At(MIDDLEGAME)).must(TIME).check(|program| {
        const NODES: u64 = 5_000;
        // A program doesn't check its limit at every node.
        const MOST: u64 = 5 * NODES;
        program.needs(Switch::Nps)?;
        let (_, heard) = think(program, &["st 1", &format!("nps {NODES}")])?;
        let most = thoughts(&heard).map(|line| line.nodes).max().unwrap_or_default();
        demand(most <= MOST, format!("a second of {NODES} nodes"), format!("{most} nodes"))
    }),
];

/// Sends settings and `go`, and waits for the move.
fn think(program: &mut CecpHarness, settings: &[&str]) -> Checked<(Duration, Transcript<Message>)> {
    program.deal(["post", "easy"])?;
    program.takes(settings)?;
    let since = Instant::now();
    let heard = program.ask("go")?;
    Ok((since.elapsed(), heard))
}

/// Fails unless the program moves after settings that the specification leaves open.
///
/// [`Failure::NotSupported`](crate::check::Failure::NotSupported) if the move is late.
fn within_if_understood(program: &mut CecpHarness, seconds: f64, settings: &[&str]) -> Checked {
    let (taken, _) = think(program, settings)?;
    require(within(seconds, taken).is_ok(), format!("`{}`", settings.join("`, `")))
}

/// Returns the greatest depth that the program shows after some settings.
fn greatest_depth(program: &mut CecpHarness, settings: &[&str]) -> Checked<i32> {
    let (_, heard) = think(program, settings)?;
    let depth = thoughts(&heard).map(|line| line.depth).max();
    require(depth.is_some(), "thinking output")?;
    Ok(depth.unwrap_or_default())
}

/// Not supported unless the program keeps to `sd`, so that ignoring `sd` breaks only one rule.
fn knows_sd(program: &mut CecpHarness) -> Checked {
    require(program.takes(&["sd 60"]).is_ok(), "sd")
}
