//! Time controls and the limits of thinking.

use std::time::{Duration, Instant};

use messages::cecp::Switch;

use super::bench::{Bench, Heard, thoughts, took};
use crate::check::conversation::seen;
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule { label: "st", duty: "keeps to `st 1`", check: st },
    Rule { label: "st-decimal", duty: "keeps to `st 0.5`", check: st_decimal },
    Rule { label: "st-0", duty: "moves under `st 0`", check: st_zero },
    Rule {
        label: "level",
        duty: "plays under `level 0 1:05 0.05`: minutes and seconds, decimals in the increment",
        check: level,
    },
    Rule { label: "level-moves", duty: "plays under `level 40 5 0`", check: level_moves },
    Rule { label: "own-clock", duty: "keeps its own clock when no `time` comes", check: own_clock },
    Rule { label: "time-short", duty: "moves fast when `time` says that little is left", check: time_short },
    Rule { label: "time-odd", duty: "moves when its clock says nothing and less", check: time_odd },
    Rule { label: "sd", duty: "searches no deeper than `sd` allows", check: sd },
    Rule { label: "sd-with-time", duty: "keeps to the time under `sd`, too", check: sd_with_time },
    Rule { label: "new-clears-sd", duty: "forgets `sd` at `new`", check: new_clears_sd },
    Rule { label: "nps", duty: "counts nodes for time after `nps`", check: nps },
];

/// Thinks in the middlegame after some settings, until it moves.
fn think(candidate: &Candidate, settings: &[&str]) -> Result<(Duration, Heard), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    bench.tell(&["post", "easy"])?;
    bench.settle()?;
    bench.takes(settings)?;
    let since = Instant::now();
    bench.tell(&["go"])?;
    let heard = bench.hear_move()?;
    Ok((took(since, &heard), heard))
}

/// The time of a move is below a limit that is generous to a busy machine.
fn within(seconds: f64, taken: Duration) -> Result<(), Miss> {
    if taken.as_secs_f64() <= seconds {
        return Ok(());
    }
    Err(Miss::failed(format!("a move within {seconds} s"), format!("one after {:.2} s", taken.as_secs_f64())))
}

/// The same for what the specification leaves open.
///
/// [`Miss::NotSupported`] if the move is late.
fn within_if_understood(candidate: &Candidate, seconds: f64, settings: &[&str]) -> Result<(), Miss> {
    let (taken, _) = think(candidate, settings)?;
    within(seconds, taken).map_err(|_| Miss::NotSupported(format!("`{}`", settings.join("`, `"))))
}

fn st(candidate: &Candidate) -> Result<(), Miss> {
    within(2.0, think(candidate, &["st 1"])?.0)
}

fn st_decimal(candidate: &Candidate) -> Result<(), Miss> {
    within_if_understood(candidate, 1.5, &["st 0.5"])
}

fn st_zero(candidate: &Candidate) -> Result<(), Miss> {
    within_if_understood(candidate, 1.5, &["st 0"])
}

fn level(candidate: &Candidate) -> Result<(), Miss> {
    think(candidate, &["level 0 1:05 0.05", "time 300", "otim 300"]).map(drop)
}

fn level_moves(candidate: &Candidate) -> Result<(), Miss> {
    think(candidate, &["level 40 1 0", "time 300", "otim 300"]).map(drop)
}

fn own_clock(candidate: &Candidate) -> Result<(), Miss> {
    const MOVES: usize = 8;
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    bench.tell(&["easy"])?;
    bench.takes(&["level 0 0:03 0"])?;
    let mut taken = Duration::ZERO;
    for n in 0..MOVES {
        let since = Instant::now();
        if n == 0 {
            bench.tell(&["go"])?;
        } else {
            let Some(&reply) = bench.game.legal_moves().first() else { break };
            let text = bench.game.coordinate(reply);
            bench.play(&[&text])?;
        }
        taken += took(since, &bench.hear_move()?);
        if bench.game.outcome().is_some() {
            break;
        }
    }
    within(3.5, taken)
}

fn time_short(candidate: &Candidate) -> Result<(), Miss> {
    Bench::with(candidate, Switch::Time)?;
    within(1.5, think(candidate, &["level 0 5 0", "time 100", "otim 30000"])?.0)
}

fn time_odd(candidate: &Candidate) -> Result<(), Miss> {
    Bench::with(candidate, Switch::Time)?;
    within_if_understood(candidate, 2.0, &["level 0 0:10 0", "otim -500", "time -100"])?;
    within_if_understood(candidate, 2.0, &["level 0 0:10 0", "otim 0", "time 0"])
}

fn sd(candidate: &Candidate) -> Result<(), Miss> {
    let (_, heard) = think(candidate, &["st 3", "sd 3"])?;
    let lines = thoughts(&heard);
    match lines.iter().find(|line| line.depth > 3) {
        Some(line) => Err(Miss::failed("no depth above 3", format!("depth {}", line.depth))),
        None if lines.is_empty() => Err(Miss::NotSupported("thinking output".into())),
        None => Ok(()),
    }
}

/// Not to know `sd` breaks one rule only.
fn knows_sd(candidate: &Candidate) -> Result<(), Miss> {
    let known = Bench::forced(candidate)?.takes(&["sd 60"]);
    known.map_err(|_| Miss::NotSupported("sd".into()))
}

fn sd_with_time(candidate: &Candidate) -> Result<(), Miss> {
    let settings = ["st 1", "sd 60"];
    knows_sd(candidate)?;
    within(2.0, think(candidate, &settings)?.0)
}

fn new_clears_sd(candidate: &Candidate) -> Result<(), Miss> {
    Bench::with(candidate, Switch::SetBoard)?;
    knows_sd(candidate)?;
    let setboard = format!("setboard {MIDDLEGAME}");
    let (_, heard) = think(candidate, &["sd 1", "new", "force", &setboard, "st 1"])?;
    let lines = thoughts(&heard);
    if lines.is_empty() {
        return Err(Miss::NotSupported("thinking output".into()));
    }
    if lines.iter().any(|line| line.depth > 1) {
        Ok(())
    } else {
        Err(Miss::failed("depths above 1", seen(&heard)))
    }
}

fn nps(candidate: &Candidate) -> Result<(), Miss> {
    const NODES: u64 = 5_000;
    // A program doesn't look at its clock at every node.
    const MOST: u64 = 5 * NODES;
    Bench::with(candidate, Switch::Nps)?;
    let (_, heard) = think(candidate, &["st 1", &format!("nps {NODES}")])?;
    let most = thoughts(&heard).iter().map(|line| line.nodes).max().unwrap_or_default();
    if most > MOST {
        Err(Miss::failed(format!("a second of {NODES} nodes"), format!("{most} nodes")))
    } else {
        Ok(())
    }
}
