//! Searches that are stopped, pondering, and what is told of a search.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use messages::uci::{Message, Value};

use super::bench::{AT_ONCE, Bench, Heard, QUIET, infos, is_best_move};
use crate::check::conversation::{none, seen};
use crate::check::positions::{MATE_IN_ONE, MATE_IN_TWO, MATED_IN_ONE, MIDDLEGAME};
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule { label: "stop", duty: "answers `stop` at once with one `bestmove`", check: stop },
    Rule {
        label: "stop-idle",
        duty: "says nothing to `stop` and `ponderhit` when it doesn't search",
        check: stop_idle,
    },
    Rule {
        label: "infinite",
        duty: "doesn't answer `go infinite` before `stop`, even if it sees a mate",
        check: infinite,
    },
    Rule {
        label: "ponder",
        duty: "doesn't answer `go ponder` before `ponderhit`, and then does",
        check: ponder,
    },
    Rule { label: "ponder-stop", duty: "answers when pondering is stopped", check: ponder_stop },
    Rule { label: "ponder-move", duty: "names legal moves to ponder on", check: ponder_move },
    Rule { label: "searchmoves", duty: "chooses among `searchmoves`", check: searchmoves },
    Rule { label: "info", duty: "tells depth, score, nodes and time before its move", check: info },
    Rule { label: "pv", duty: "tells lines of legal moves", check: pv },
    Rule {
        label: "mate-score",
        duty: "tells mate in two as `score mate 2`, if as a mate",
        check: mate_score,
    },
    Rule {
        label: "mated-score",
        duty: "tells being mated in one as `score mate -1`, if as a mate",
        check: mated_score,
    },
    Rule {
        label: "multipv",
        duty: "tells as many lines as MultiPV asks for, with different moves",
        check: multipv,
    },
];

/// No second answer comes.
fn once(bench: &mut Bench) -> Result<(), Miss> {
    none(&bench.talk.hear_for(QUIET)?, "one `bestmove`", is_best_move)
}

fn stop(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::searching(candidate, MIDDLEGAME)?;
    bench.tell(&["stop"])?;
    bench.hear_move(AT_ONCE)?;
    once(&mut bench)
}

fn stop_idle(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    bench.tell(&["stop", "ponderhit"])?;
    none(&bench.settle()?, "no `bestmove`", is_best_move)?;
    once(&mut bench)
}

fn infinite(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::searching(candidate, MATE_IN_ONE)?;
    bench.hear_no_move(Duration::from_secs(1))?;
    bench.tell(&["stop"])?;
    bench.hear_move(AT_ONCE)?;
    once(&mut bench)
}

/// Pondering on the position on the board.
fn pondering(candidate: &Candidate) -> Result<Bench, Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    bench.needs("Ponder")?;
    bench.tell(&["setoption name Ponder value true"])?;
    bench.settle()?;
    bench.tell(&["go ponder wtime 1000 btime 1000 winc 0 binc 0"])?;
    bench.hear_no_move(Duration::from_millis(1500))?;
    Ok(bench)
}

fn ponder(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = pondering(candidate)?;
    bench.tell(&["ponderhit"])?;
    bench.hear_move(AT_ONCE)?;
    once(&mut bench)
}

fn ponder_stop(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = pondering(candidate)?;
    bench.tell(&["stop"])?;
    bench.hear_move(AT_ONCE)?;
    once(&mut bench)
}

fn ponder_move(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    let (best, heard) = bench.go("movetime 500")?;
    let last = heard.last().map(|said| &said.message);
    let Some(Ok(Message::BestMove { ponder: Some(guess), .. })) = last else {
        return Err(Miss::NotSupported("a move to ponder on".into()));
    };
    bench.game.play(best.to_move(bench.game.position()).expect("heard to be legal")).expect("legal");
    if guess.to_move(bench.game.position()).is_ok() {
        Ok(())
    } else {
        Err(Miss::failed("a legal move to ponder on", seen(&heard[heard.len() - 1..])))
    }
}

fn searchmoves(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    let (best, _) = bench.go("depth 4 searchmoves h2h3 g2g3")?;
    if ["h2h3", "g2g3"].contains(&best.to_string().as_str()) {
        Ok(())
    } else {
        Err(Miss::failed("h2h3 or g2g3", format!("`{best}`")))
    }
}

fn searched(candidate: &Candidate, fen: &str, how: &str) -> Result<(Bench, Heard), Miss> {
    let mut bench = Bench::at(candidate, fen)?;
    let (_, heard) = bench.go(how)?;
    Ok((bench, heard))
}

fn info(candidate: &Candidate) -> Result<(), Miss> {
    let (_, heard) = searched(candidate, MIDDLEGAME, "movetime 500")?;
    let has = |what: &str, is_there: bool| {
        if is_there { Ok(()) } else { Err(Miss::failed(format!("`info ... {what} ...`"), seen(&heard))) }
    };
    has("depth", infos(&heard).any(|info| info.depth.is_some()))?;
    has("score", infos(&heard).any(|info| info.score.is_some()))?;
    has("nodes", infos(&heard).any(|info| info.nodes.is_some_and(|nodes| nodes > 0)))?;
    has("time", infos(&heard).any(|info| info.time.is_some()))?;
    has("time", infos(&heard).all(|info| info.time.is_none_or(|time| time < 10_000)))
}

fn pv(candidate: &Candidate) -> Result<(), Miss> {
    let (bench, heard) = searched(candidate, MIDDLEGAME, "movetime 1000")?;
    let mut lines = infos(&heard).filter(|info| !info.pv.is_empty()).peekable();
    if lines.peek().is_none() {
        return Err(Miss::NotSupported("lines".into()));
    }
    for info in lines {
        let mut game = bench.game.clone();
        for mv in &info.pv {
            let Ok(legal) = mv.to_move(game.position()) else {
                return Err(Miss::failed("a line of legal moves", format!("`{mv}` in {}", game.fen())));
            };
            game.play(legal).expect("legal");
        }
    }
    Ok(())
}

fn tells(candidate: &Candidate, fen: &str, moves: i32) -> Result<(), Miss> {
    let (_, heard) = searched(candidate, fen, "movetime 300")?;
    let mut mates = infos(&heard)
        .filter_map(|info| info.score.map(|score| score.value))
        .filter(|value| matches!(value, Value::Mate(_)))
        .peekable();
    if mates.peek().is_none() {
        return Err(Miss::NotSupported("`score mate`".into()));
    }
    if mates.any(|value| value == Value::Mate(moves)) {
        Ok(())
    } else {
        Err(Miss::failed(format!("`score mate {moves}`"), seen(&heard)))
    }
}

fn mate_score(candidate: &Candidate) -> Result<(), Miss> {
    tells(candidate, MATE_IN_TWO, 2)
}

fn mated_score(candidate: &Candidate) -> Result<(), Miss> {
    tells(candidate, MATED_IN_ONE, -1)
}

fn multipv(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MIDDLEGAME)?;
    bench.needs("MultiPV")?;
    bench.tell(&["setoption name MultiPV value 3"])?;
    bench.settle()?;
    let (_, heard) = bench.go("movetime 300")?;
    let places: HashSet<u32> = infos(&heard).filter_map(|info| info.multipv).collect();
    let mut moves: HashMap<_, HashSet<String>> = HashMap::new();
    for info in infos(&heard).filter(|info| !info.pv.is_empty()) {
        moves.entry(info.depth).or_default().insert(info.pv[0].to_string());
    }
    if places == HashSet::from([1, 2, 3]) && moves.values().any(|moves| moves.len() >= 3) {
        Ok(())
    } else {
        Err(Miss::failed("lines 1, 2 and 3 with different moves", seen(&heard)))
    }
}
