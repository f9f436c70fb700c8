//! Time controls and the limits of thinking.

use std::time::{Duration, Instant};

use messages::cecp::{Message, Switch};

use super::harness::{CecpHarness, thoughts};
use crate::check::harness::{Transcript, demand, require, within};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("st", "keeps to `st 1`", |program| within(2.0, think(program, &["st 1"])?.0)),
    rule("st-decimal", "keeps to `st 0.5`", |program| within_if_understood(program, 1.5, &["st 0.5"])),
    rule("st-0", "moves under `st 0`", |program| within_if_understood(program, 1.5, &["st 0"])),
    rule(
        "level",
        "plays under `level 0 1:05 0.05`: minutes and seconds, decimals in the increment",
        |program| think(program, &["level 0 1:05 0.05", "time 300", "otim 300"]).map(drop),
    ),
    rule("level-moves", "plays under `level 40 5 0`", |program| {
        think(program, &["level 40 1 0", "time 300", "otim 300"]).map(drop)
    }),
    rule("own-clock", "keeps its own clock when no `time` comes", own_clock),
    rule("time-short", "moves fast when `time` says that little is left", time_short),
    rule("time-odd", "moves when its clock says nothing and less", time_odd),
    rule("sd", "searches no deeper than `sd` allows", sd),
    rule("sd-with-time", "keeps to the time under `sd`, too", sd_with_time),
    rule("new-clears-sd", "forgets `sd` at `new`", new_clears_sd),
    rule("nps", "counts nodes for time after `nps`", nps),
];

/// Thinks in the middlegame after some settings, until it moves.
fn think(candidate: &Candidate, settings: &[&str]) -> Result<(Duration, Transcript<Message>), Failure> {
    let mut harness = CecpHarness::at(candidate, MIDDLEGAME)?;
    harness.tell(&["post", "easy"])?;
    harness.settle()?;
    harness.takes(settings)?;
    let since = Instant::now();
    let heard = harness.go()?;
    Ok((heard.took(since), heard))
}

/// Moves in time after settings that the specification leaves open.
///
/// [`Failure::NotSupported`] if the move is late.
fn within_if_understood(candidate: &Candidate, seconds: f64, settings: &[&str]) -> Result<(), Failure> {
    let (taken, _) = think(candidate, settings)?;
    require(within(seconds, taken).is_ok(), format!("`{}`", settings.join("`, `")))
}

fn own_clock(candidate: &Candidate) -> Result<(), Failure> {
    const MOVES: usize = 8;
    let mut harness = CecpHarness::at(candidate, MIDDLEGAME)?;
    harness.tell(&["easy"])?;
    harness.takes(&["level 0 0:03 0"])?;
    let mut taken = Duration::ZERO;
    for n in 0..MOVES {
        let since = Instant::now();
        if n == 0 {
            harness.tell(&["go"])?;
        } else {
            harness.play(&[&harness.any_move()?])?;
        }
        taken += harness.hear_move()?.took(since);
        if harness.game.outcome().is_some() {
            break;
        }
    }
    within(3.5, taken)
}

fn time_short(candidate: &Candidate) -> Result<(), Failure> {
    CecpHarness::with_feature(candidate, Switch::Time)?;
    within(1.5, think(candidate, &["level 0 5 0", "time 100", "otim 30000"])?.0)
}

fn time_odd(candidate: &Candidate) -> Result<(), Failure> {
    CecpHarness::with_feature(candidate, Switch::Time)?;
    within_if_understood(candidate, 2.0, &["level 0 0:10 0", "otim -500", "time -100"])?;
    within_if_understood(candidate, 2.0, &["level 0 0:10 0", "otim 0", "time 0"])
}

/// The greatest depth that the program shows after some settings.
fn greatest_depth(candidate: &Candidate, settings: &[&str]) -> Result<i32, Failure> {
    let (_, heard) = think(candidate, settings)?;
    let depths = thoughts(&heard).into_iter().map(|line| line.depth);
    depths.max().ok_or_else(|| Failure::NotSupported("thinking output".into()))
}

fn sd(candidate: &Candidate) -> Result<(), Failure> {
    let depth = greatest_depth(candidate, &["st 3", "sd 3"])?;
    demand(depth <= 3, "no depth above 3", format!("depth {depth}"))
}

/// Not to know `sd` breaks one rule only.
fn knows_sd(candidate: &Candidate) -> Result<(), Failure> {
    require(CecpHarness::forced(candidate)?.takes(&["sd 60"]).is_ok(), "sd")
}

fn sd_with_time(candidate: &Candidate) -> Result<(), Failure> {
    knows_sd(candidate)?;
    within(2.0, think(candidate, &["st 1", "sd 60"])?.0)
}

fn new_clears_sd(candidate: &Candidate) -> Result<(), Failure> {
    CecpHarness::with_feature(candidate, Switch::SetBoard)?;
    knows_sd(candidate)?;
    let setboard = format!("setboard {MIDDLEGAME}");
    let depth = greatest_depth(candidate, &["sd 1", "new", "force", &setboard, "st 1"])?;
    demand(depth > 1, "depths above 1", format!("depth {depth}"))
}

fn nps(candidate: &Candidate) -> Result<(), Failure> {
    const NODES: u64 = 5_000;
    // A program doesn't look at its clock at every node.
    const MOST: u64 = 5 * NODES;
    CecpHarness::with_feature(candidate, Switch::Nps)?;
    let (_, heard) = think(candidate, &["st 1", &format!("nps {NODES}")])?;
    let most = thoughts(&heard).iter().map(|line| line.nodes).max().unwrap_or_default();
    demand(most <= MOST, format!("a second of {NODES} nodes"), format!("{most} nodes"))
}
