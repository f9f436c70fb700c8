//! Searches that are stopped, pondering, and what is told of a search.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use game::{Score, ScoreBound};
use messages::uci::{InfoScore, Message};

use super::harness::{UciHarness, UciTranscript, infos};
use crate::check::harness::{AT_ONCE, CheckedProtocol as _, demand, require};
use crate::check::positions::{MATE_IN_ONE, MATE_IN_TWO, MATED_IN_ONE, MIDDLEGAME};
use crate::check::{Candidate, ConformanceRule, Failure, rule};
use crate::uci::Uci;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("stop", "answers `stop` at once with one `bestmove`", |program| {
        answers_once(UciHarness::searching(program, MIDDLEGAME)?, "stop")
    }),
    rule("stop-idle", "says nothing to `stop` and `ponderhit` when it doesn't search", stop_idle),
    rule("infinite", "doesn't answer `go infinite` before `stop`, even if it sees a mate", infinite),
    rule("ponder", "doesn't answer `go ponder` before `ponderhit`, and then does", |program| {
        answers_once(pondering(program)?, "ponderhit")
    }),
    rule("ponder-stop", "answers when pondering is stopped", |program| {
        answers_once(pondering(program)?, "stop")
    }),
    rule("ponder-move", "names legal moves to ponder on", ponder_move),
    rule("searchmoves", "chooses among `searchmoves`", searchmoves),
    rule("info", "tells depth, score, nodes and time before its move", info),
    rule("pv", "tells lines of legal moves", pv),
    rule("mate-score", "tells mate in two as `score mate 2`, if as a mate", |program| {
        tells(program, MATE_IN_TWO, Score::MateIn(2))
    }),
    rule("mated-score", "tells being mated in one as `score mate -1`, if as a mate", |program| {
        tells(program, MATED_IN_ONE, Score::MatedIn(1))
    }),
    rule("multipv", "tells as many lines as MultiPV asks for, with different moves", multipv),
];

/// Answers a command that ends a search, at once and once.
fn answers_once(mut harness: UciHarness, command: &str) -> Result<(), Failure> {
    harness.tell(&[command])?;
    harness.hear_move(AT_ONCE)?;
    harness.hear_no_more()
}

fn stop_idle(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    harness.settle()?;
    harness.tell(&["stop", "ponderhit"])?;
    harness.settle()?.has_no("no `bestmove`", Uci::is_move)?;
    harness.hear_no_more()
}

fn infinite(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::searching(candidate, MATE_IN_ONE)?;
    harness.hear_no_move(Duration::from_secs(1))?;
    answers_once(harness, "stop")
}

/// Pondering on the position on the board.
fn pondering(candidate: &Candidate) -> Result<UciHarness, Failure> {
    let mut harness = UciHarness::at(candidate, MIDDLEGAME)?;
    harness.needs("Ponder")?;
    harness.tell(&["setoption name Ponder value true"])?;
    harness.settle()?;
    harness.tell(&["go ponder wtime 1000 btime 1000 winc 0 binc 0"])?;
    harness.hear_no_move(Duration::from_millis(1500))?;
    Ok(harness)
}

fn ponder_move(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::at(candidate, MIDDLEGAME)?;
    let (best, heard) = harness.go("movetime 500")?;
    let Some(Ok(Message::BestMove { ponder: Some(guess), .. })) = heard.last() else {
        return Err(Failure::NotSupported("a move to ponder on".into()));
    };
    harness.follow(&[&best.to_string()]);
    let is_legal = guess.to_move(harness.game.position()).is_ok();
    demand(is_legal, "a legal move to ponder on", heard.last_shown())
}

fn searchmoves(candidate: &Candidate) -> Result<(), Failure> {
    let (best, _) = UciHarness::at(candidate, MIDDLEGAME)?.go("depth 4 searchmoves h2h3 g2g3")?;
    let best = best.to_string();
    demand(["h2h3", "g2g3"].contains(&best.as_str()), "h2h3 or g2g3", format!("`{best}`"))
}

/// What it tells of a search.
fn searched(candidate: &Candidate, fen: &str, how: &str) -> Result<(UciHarness, UciTranscript), Failure> {
    let mut harness = UciHarness::at(candidate, fen)?;
    let (_, heard) = harness.go(how)?;
    Ok((harness, heard))
}

fn info(candidate: &Candidate) -> Result<(), Failure> {
    let (_, heard) = searched(candidate, MIDDLEGAME, "movetime 500")?;
    for (what, is_told) in [
        ("depth", infos(&heard).any(|info| info.depth.is_some())),
        ("score", infos(&heard).any(|info| info.score.is_some())),
        ("nodes", infos(&heard).any(|info| info.nodes.is_some_and(|nodes| nodes > 0))),
        ("time", infos(&heard).any(|info| info.time.is_some())),
        ("time", infos(&heard).all(|info| info.time.is_none_or(|time| time < 10_000))),
    ] {
        demand(is_told, format!("`info ... {what} ...`"), heard.shown())?;
    }
    Ok(())
}

fn pv(candidate: &Candidate) -> Result<(), Failure> {
    let (harness, heard) = searched(candidate, MIDDLEGAME, "movetime 1000")?;
    let mut lines = infos(&heard).filter(|info| !info.pv.is_empty()).peekable();
    require(lines.peek().is_some(), "lines")?;
    for info in lines {
        let mut game = harness.game.clone();
        for mv in &info.pv {
            let Ok(legal) = mv.to_move(game.position()) else {
                return Err(Failure::new("a line of legal moves", format!("`{mv}` in {}", game.fen())));
            };
            game.play(legal).expect("legal");
        }
    }
    Ok(())
}

/// Tells this mate, if it tells any.
fn tells(candidate: &Candidate, fen: &str, mate: Score) -> Result<(), Failure> {
    let (_, heard) = searched(candidate, fen, "movetime 300")?;
    let told = infos(&heard).filter_map(|info| Some(info.score?.value));
    let mates: Vec<Score> = told.filter(|value| value.is_mate()).collect();
    require(!mates.is_empty(), "`score mate`")?;
    let expected = InfoScore { value: mate, bound: ScoreBound::Exact };
    demand(mates.contains(&mate), format!("`score {expected}`"), heard.shown())
}

fn multipv(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::at(candidate, MIDDLEGAME)?;
    harness.needs("MultiPV")?;
    harness.tell(&["setoption name MultiPV value 3"])?;
    harness.settle()?;
    let (_, heard) = harness.go("movetime 300")?;
    let places: HashSet<u32> = infos(&heard).filter_map(|info| info.multipv).collect();
    let mut moves: HashMap<_, HashSet<String>> = HashMap::new();
    for info in infos(&heard).filter(|info| !info.pv.is_empty()) {
        moves.entry(info.depth).or_default().insert(info.pv[0].to_string());
    }
    let are_three = places == HashSet::from([1, 2, 3]) && moves.values().any(|moves| moves.len() >= 3);
    demand(are_three, "lines 1, 2 and 3 with different moves", heard.shown())
}
