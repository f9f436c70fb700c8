//! Stopping a search, pondering, thinking output, and search limits.

use std::collections::{HashMap, HashSet};

use game::CastlingMode::Standard;
use game::{Score, ScoreBound};
use messages::uci::{InfoScore, Message};

use super::harness::UciStart::{At, Greeted, Pondering, Searching};
use super::harness::{UciHarness, infos};
use super::sections::*;
use crate::check::prelude::*;
use crate::uci::Uci;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("stop", "answers `stop` at once with one `bestmove`", Searching(MIDDLEGAME))
        .must(GO)
        .check(|program| program.answers_once("stop")),
    rule("stop-idle", "says nothing to `stop` and `ponderhit` when it doesn't search", Greeted)
        .must(GO)
        .check(|program| {
            program.deal(["stop", "ponderhit"])?.has_no("no `bestmove`", Uci::is_move)?;
            program.hear_no_more()
        }),
    rule(
        "infinite",
        "doesn't answer `go infinite` before `stop`, even if it sees a mate",
        Searching(MATE_IN_ONE),
    )
    .must(GO)
    .check(|program| {
        program.hear_no_move(Duration::from_secs(1))?;
        program.answers_once("stop")
    }),
    rule("ponder", "doesn't answer `go ponder` before `ponderhit`, and then does", Pondering)
        .must(GO)
        .check(|program| program.answers_once("ponderhit")),
    rule("ponder-stop", "answers when pondering is stopped", Pondering)
        .must(GO)
        .check(|program| program.answers_once("stop")),
    rule("ponder-move", "names legal moves to ponder on", At(MIDDLEGAME)).must(ANSWERS).check(|program| {
        let heard = program.ask("go movetime 500")?;
        let Some(Ok(Message::BestMove { ponder: Some(guess), .. })) = heard.last() else {
            return Err(Failure::NotSupported("a move to ponder on".into()));
        };
        let is_legal = guess.to_move(program.game.position()).is_ok();
        demand(is_legal, "a legal move to ponder on", heard.last_shown())
    }),
    rule("searchmoves", "chooses among `searchmoves`", At(MIDDLEGAME)).must(GO).check(|program| {
        let heard = program.ask("go depth 4 searchmoves h2h3 g2g3")?;
        let is_among = |line: &Result<Message, _>| {
            matches!(line, Ok(Message::BestMove { best, .. })
                if ["h2h3", "g2g3"].contains(&best.to_string().as_str()))
        };
        demand(heard.last().is_some_and(is_among), "h2h3 or g2g3", heard.last_shown())
    }),
    rule("info", "tells depth, score, nodes and time before its move", At(MIDDLEGAME)).should(ANSWERS).check(
        |program| {
            let heard = program.ask("go movetime 500")?;
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
        },
    ),
    rule("pv", "tells lines of legal moves", At(MIDDLEGAME)).must(ANSWERS).check(|program| {
        let root = program.game.clone();
        let heard = program.ask("go movetime 1000")?;
        let mut lines = infos(&heard).filter(|info| !info.pv.is_empty()).peekable();
        require(lines.peek().is_some(), "lines")?;
        for info in lines {
            let mut game = root.clone();
            for mv in &info.pv {
                let Ok(legal) = mv.to_move(game.position()) else {
                    return Err(Failure::new("a line of legal moves", format!("`{mv}` in {}", game.fen())));
                };
                game.play(legal).expect("legal");
            }
        }
        Ok(())
    }),
    rule("mate-score", "tells mate in two as `score mate 2`, if as a mate", At(MATE_IN_TWO))
        .must(ANSWERS)
        .check(|program| tells(program, Score::MateIn(2))),
    rule("mated-score", "tells being mated in one as `score mate -1`, if as a mate", At(MATED_IN_ONE))
        .must(ANSWERS)
        .check(|program| tells(program, Score::MatedIn(1))),
    rule("multipv", "tells as many lines as MultiPV asks for, with different moves", At(MIDDLEGAME))
        .must(OPTIONS)
        .check(|program| {
            program.needs("MultiPV")?;
            program.deal(["setoption name MultiPV value 3"])?;
            let heard = program.ask("go movetime 300")?;
            let places: HashSet<u32> = infos(&heard).filter_map(|info| info.multipv).collect();
            let mut moves: HashMap<_, HashSet<String>> = HashMap::new();
            for info in infos(&heard).filter(|info| !info.pv.is_empty()) {
                moves.entry(info.depth).or_default().insert(info.pv[0].to_string());
            }
            let are_three =
                places == HashSet::from([1, 2, 3]) && moves.values().any(|moves| moves.len() >= 3);
            demand(are_three, "lines 1, 2 and 3 with different moves", heard.shown())
        }),
];

/// Fails unless the program reports this mate. Not supported if it reports none.
fn tells(program: &mut UciHarness, mate: Score) -> Checked {
    let heard = program.ask("go movetime 300")?;
    let told = infos(&heard).filter_map(|info| Some(info.score?.value));
    let mates: Vec<Score> = told.filter(|value| value.is_mate()).collect();
    require(!mates.is_empty(), "`score mate`")?;
    let expected = InfoScore { value: mate, bound: ScoreBound::Exact };
    demand(mates.contains(&mate), format!("`score {expected}`"), heard.shown())
}

pub(super) const LIMITS: &[ConformanceRule] = &[
    rule("depth", "searches no deeper than `go depth` allows", At(MIDDLEGAME)).must(GO).check(|program| {
        let heard = program.ask("go depth 3")?;
        let most = infos(&heard).filter_map(|info| info.depth).max().unwrap_or_default();
        demand(most <= 3, "no depth above 3", format!("depth {most}"))
    }),
    rule("nodes", "searches about as many nodes as `go nodes` allows", At(MIDDLEGAME)).must(GO).check(
        |program| {
            const NODES: u64 = 50_000;
            let heard = program.ask(&format!("go nodes {NODES}"))?;
            let most = infos(&heard).filter_map(|info| info.nodes).max().unwrap_or_default();
            demand(most <= 2 * NODES, format!("{NODES} nodes"), format!("{most}"))
        },
    ),
    rule("movetime", "keeps to `go movetime`", At(MIDDLEGAME))
        .must(GO)
        .check(|program| in_time(program, &["go movetime 500"])),
    rule("clock", "keeps to its clock", At(MIDDLEGAME)).must(GO).check(|program| {
        in_time(program, &["go wtime 1000 btime 60000", "go wtime 1000 btime 60000 winc 0 binc 0"])
    }),
    rule("clock-increment", "lives on its increment", At(MIDDLEGAME))
        .must(GO)
        .check(|program| in_time(program, &["go wtime 300 btime 60000 winc 5000 binc 5000"])),
    rule("clock-short", "moves when its clock is at a millisecond", At(MIDDLEGAME))
        .must(GO)
        .check(|program| program.ask("go wtime 1 btime 60000 winc 0 binc 0").map(drop)),
    rule("movestogo", "keeps to its clock when it is to make one or forty moves more", At(MIDDLEGAME))
        .must(GO)
        .check(|program| {
            in_time(
                program,
                &["go wtime 1000 btime 1000 movestogo 1", "go wtime 1000 btime 1000 movestogo 40"],
            )
        }),
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
