//! What a program tells about its search.

use game::{CastlingMode, Score, ScoreBound};
use messages::uci::{Info, InfoScore, LineError, Message};

use super::harness::UciStart::At;
use super::harness::{UciHarness, UciTranscript, has_legal_lines, infos, told_move};
use super::sections::ANSWERS;
use crate::check::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("info", "tells depth, score, nodes and time before its move", At(MIDDLEGAME)).should(ANSWERS).check(
        |program| {
            let short = told_in(program, 200)?;
            let long = told_in(program, 1000)?;
            for (what, less, more) in [("nodes", short.nodes, long.nodes), ("time", short.time, long.time)] {
                let seen = format!("{less} at most in 200 ms, {more} in 1000 ms");
                demand(more > less, format!("more {what} told of a longer search"), seen)?;
            }
            let seen = format!("{} ms of {}", long.time, long.taken);
            demand(4 * long.time >= long.taken, "a time in milliseconds", seen)?;
            let seen = format!("{} in 200 ms, {} in 1000 ms", short.depth, long.depth);
            demand(long.depth > 2 && long.depth >= short.depth, "a depth that grows with the time", seen)?;
            observe(long.processors >= WORKING, format!("it uses {:.2} processors", long.processors))?;
            plausible_speed(long.nodes, long.processors * long.seconds)
        },
    ),
    rule("pv", "tells lines of legal moves", At(MIDDLEGAME)).must(ANSWERS).check(|program| {
        if program.needs("MultiPV").is_ok() {
            program.deal(["setoption name MultiPV value 3"])?;
        }
        let root = program.game.clone();
        let heard = program.ask("go movetime 1000")?;
        require(infos(&heard).any(|info| !info.pv.is_empty()), "lines")?;
        has_legal_lines(&heard, &root)
    }),
    rule("mate-score", "tells mate in two as `score mate 2`, if as a mate", At(MATE_IN_TWO))
        .must(ANSWERS)
        .check(|program| tells(program, Score::MateIn(2))),
    rule("mated-score", "tells being mated in one as `score mate -1`, if as a mate", At(MATED_IN_ONE))
        .must(ANSWERS)
        .check(|program| tells(program, Score::MatedIn(1))),
    rule("info-form", "writes its `info` lines in the form of the specification", At(MIDDLEGAME))
        .must(ANSWERS)
        .check(|program| {
            let root = program.game.clone();
            let heard = program.ask("go movetime 500")?;
            has_no_malformed_info(&heard)?;
            observe(infos(&heard).next().is_some(), "it sent no `info`")?;
            let is_legal = |info: &Info| info.currmove.is_none_or(|mv| told_move(mv, &root).is_some());
            for (rule, is_kept) in [
                (
                    "`seldepth` together with `depth`",
                    (|info| info.seldepth.is_none() || info.depth.is_some()) as InfoRule,
                ),
                ("`hashfull` from 0 to 1000", |info| info.hashfull.is_none_or(|part| part <= 1000)),
                ("`multipv` from 1", |info| info.multipv != Some(0)),
                ("`currmovenumber` from 1", |info| info.currmovenumber != Some(0)),
            ] {
                demand(infos(&heard).all(is_kept), rule, heard.shown())?;
            }
            demand(infos(&heard).all(is_legal), "a legal move as `currmove`", heard.shown())
        }),
    rule("ponder-move", "names legal moves to ponder on", At(MIDDLEGAME)).must(ANSWERS).check(|program| {
        let heard = program.ask("go movetime 500")?;
        let Some(Ok(Message::BestMove { ponder: Some(guess), .. })) = heard.last() else {
            return Err(Failure::NotSupported("a move to ponder on".into()));
        };
        let is_legal = told_move(*guess, &program.game).is_some();
        demand(is_legal, "a legal move to ponder on", heard.last_shown())
    }),
];

/// The most that a program told of a search.
struct Told {
    nodes: u64,
    depth: u32,
    /// In milliseconds.
    time: u64,
    /// What the search took, no more than its limit, in milliseconds.
    taken: u64,
    /// The same without that limit, in seconds.
    seconds: f64,
    processors: f64,
}

/// Fails unless the program tells depth, score, nodes and a possible time of a search of this time, in milliseconds.
fn told_in(program: &mut UciHarness, millis: u64) -> Checked<Told> {
    program.set_up(MIDDLEGAME, CastlingMode::Standard, &[])?;
    program.settle()?;
    let since = Instant::now();
    let (heard, processors) = program.work_of(|program| program.ask(&format!("go movetime {millis}")))?;
    let seconds = since.elapsed().as_secs_f64();
    let taken = (1000.0 * seconds) as u64;
    let most = taken + 50;
    let nodes = infos(&heard).filter_map(|info| info.nodes).max().unwrap_or_default();
    let time = infos(&heard).filter_map(|info| info.time).max();
    let depth = infos(&heard).filter_map(|info| info.depth).max();
    for (what, is_told) in [
        ("depth", depth.is_some()),
        ("score", infos(&heard).any(|info| info.score.is_some())),
        ("nodes", nodes > 0),
        ("time", time.is_some_and(|time| time <= most)),
    ] {
        demand(is_told, format!("`info ... {what} ...`"), heard.shown())?;
    }
    let (depth, time) = (depth.unwrap_or_default(), time.unwrap_or_default());
    Ok(Told { nodes, depth, time, taken: taken.min(millis), seconds, processors })
}

/// A condition on each `info`.
type InfoRule = fn(&Info) -> bool;

fn has_no_malformed_info(heard: &UciTranscript) -> Checked {
    let is_malformed = |line: &Result<Message, LineError>| matches!(line, Err(LineError::Malformed { .. }));
    heard.has_no("`info` as the specification has it", is_malformed)
}

/// Fails unless the program reports this mate. Not supported if it reports none.
fn tells(program: &mut UciHarness, mate: Score) -> Checked {
    let heard = program.ask("go movetime 300")?;
    let told = infos(&heard).filter_map(|info| Some(info.score?.value));
    let mates: Vec<Score> = told.filter(|value| value.is_mate()).collect();
    require(!mates.is_empty(), "`score mate`")?;
    let expected = InfoScore { value: mate, bound: ScoreBound::Exact };
    demand(mates.contains(&mate), format!("`score {expected}`"), heard.shown())
}
