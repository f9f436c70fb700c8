//! Stopping a search, pondering, and search limits.

use game::CastlingMode::Standard;
use messages::uci::Message;

use super::harness::UciStart::{At, Greeted, Pondering, Searching};
use super::harness::{ONLY_MOVE, PONDERING, UciHarness, infos};
use super::sections::GO;
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
            program.hear_no_more()?;
            // Whether it reads them is seen when it searches.
            program.search_in(MIDDLEGAME)?;
            program.answers_once("stop").map_err(Failure::unseen)?;
            if program.needs("Ponder").is_err() {
                return Ok(());
            }
            program.begin_pondering()?;
            program.hear_no_move(PONDERING).map_err(Failure::unseen)?;
            program.answers_once("ponderhit").map_err(Failure::unseen)
        }),
    rule("stop-early", "answers a `stop` that comes right after `go`", At(MIDDLEGAME)).must(GO).check(
        |program| {
            // Whether `stop` comes too early for a program is a matter of chance.
            for _ in 0..8 {
                program.set_up(MIDDLEGAME, Standard, &[])?;
                program.settle()?;
                program.stream.tell("go infinite")?;
                program.stream.tell("stop")?;
                program.hear_move(AT_ONCE)?;
            }
            program.hear_no_more()
        },
    ),
    rule(
        "infinite",
        "doesn't answer `go infinite` before `stop`, even with a mate or a single move",
        Greeted,
    )
    .must(GO)
    .check(|program| {
        for fen in [MATE_IN_ONE, ONLY_MOVE] {
            program.search_in(fen)?;
            program.hear_no_move(Duration::from_millis(800))?;
            program.answers_once("stop")?;
        }
        Ok(())
    }),
    rule("infinite-mated", "doesn't answer `go infinite` before `stop` when it is mated", Greeted)
        .should(GO)
        .check(|program| {
            program.search_in(MATED)?;
            program.hear_no_move(QUIET)?;
            program.tell(["stop"])?;
            program.hear_until("`bestmove`", AT_ONCE, Uci::is_move).map(drop)
        }),
    rule("one-answer", "answers each `go` with one `bestmove`", Greeted).must(GO).check(|program| {
        (0..3).try_for_each(|_| {
            program.set_up(MIDDLEGAME, Standard, &[])?;
            program.ask("go depth 3")?;
            program.hear_no_more()
        })
    }),
    rule("ponder", "doesn't answer `go ponder` before `ponderhit`, and then does", Greeted).must(GO).check(
        |program| {
            program.begin_pondering()?;
            let (heard, processors) = program.watch(PONDERING)?;
            heard.has_no("no move", Uci::is_move)?;
            observe(processors >= WORKING, format!("it uses {processors:.2} processors"))?;
            program.answers_once("ponderhit")
        },
    ),
    rule("ponder-stop", "answers when pondering is stopped", Pondering)
        .must(GO)
        .check(|program| program.answers_once("stop")),
    rule("searchmoves", "chooses among `searchmoves`", At(MATE_IN_ONE)).must(GO).check(|program| {
        // Without them it mates.
        for among in ["h2h3 g1f1", "a1b1 g2g3"] {
            let chosen = chosen_of(program, among)?;
            let is_obeyed = among.split(' ').any(|mv| mv == chosen);
            demand(is_obeyed, format!("one of {among}"), format!("`bestmove {chosen}`"))?;
        }
        for among in ["h2h3 g1f1 a1a8", "a1a8 g2g3"] {
            chosen_of(program, among)?;
            program.has_mated()?;
        }
        Ok(())
    }),
];

/// Returns the program's move in [`MATE_IN_ONE`], in coordinate notation, when it may choose among some moves only.
fn chosen_of(program: &mut UciHarness, among: &str) -> Checked<String> {
    program.set_up(MATE_IN_ONE, Standard, &[])?;
    let heard = program.ask(&format!("go depth 4 searchmoves {among}"))?;
    Ok(match heard.last() {
        Some(Ok(Message::BestMove { best, .. })) => best.to_string(),
        _ => String::new(),
    })
}

/// Each rule compares a limit with a greater one: a program that always takes the same time keeps limits unasked.
pub(super) const LIMITS: &[ConformanceRule] = &[
    rule("depth", "searches no deeper than `go depth` allows", At(MIDDLEGAME)).must(GO).check(|program| {
        let (heard, taken, _) = program.measure(|program| program.ask("go depth 3"))?;
        let most = infos(&heard).filter_map(|info| info.depth).max().unwrap_or_default();
        observe(most > 0, "it tells no depth")?;
        demand(most <= 3, "no depth above 3", format!("depth {most}"))?;
        thinks_longer(program, taken, "go depth 60")
    }),
    rule("nodes", "searches about as many nodes as `go nodes` allows", At(MIDDLEGAME)).must(GO).check(
        |program| {
            const NODES: u64 = 50_000;
            let go = format!("go nodes {NODES}");
            let (heard, taken, _) = program.measure(|program| program.ask(&go))?;
            let most = infos(&heard).filter_map(|info| info.nodes).max().unwrap_or_default();
            // The last that it tells may be of a search that was not its last, but not of a hundredth.
            observe(most >= NODES / 100, format!("it tells {most} nodes at most"))?;
            demand(most <= 2 * NODES, format!("{NODES} nodes"), format!("{most}"))?;
            thinks_longer(program, taken, &format!("go nodes {}", 1000 * NODES))
        },
    ),
    rule("mate", "finds a mate in two at `go mate 2`, and answers by itself", At(MATE_IN_TWO))
        .should(GO)
        .check(|program| {
            let heard = program.ask("go mate 2")?;
            let mates_next = program.game.legal_moves().into_iter().all(|reply| {
                let mut after = program.game.clone();
                after.play(reply).expect("a legal move");
                after.legal_moves().into_iter().any(|mv| after.san(mv).ends_with('#'))
            });
            demand(mates_next, "a move that mates in two", heard.last_shown())
        }),
    rule("movetime", "takes the time of `go movetime`, and no more", At(MIDDLEGAME)).must(GO).check(
        |program| {
            let taken = moves_within(program, 0.5, "go movetime 500")?;
            observe(taken >= 0.25, "it moves long before its time is up")?;
            thinks_longer(program, taken, "go movetime 30000")
        },
    ),
    rule("clock", "keeps to its clock", At(MIDDLEGAME)).must(GO).check(|program| {
        let short = ["go wtime 1000 btime 60000", "go wtime 1000 btime 60000 winc 0 binc 0"];
        keeps_clock(program, 1.0, &short, "go wtime 600000 btime 600000")
    }),
    rule("clock-increment", "lives on its increment", At(MIDDLEGAME)).must(GO).check(|program| {
        moves_within(program, 0.3, "go wtime 300 btime 60000 winc 5000 binc 0")?;
        // The opponent's increment is no help.
        let without = "go wtime 5000 btime 60000 winc 0 binc 10000";
        differ_in_time(program, without, "go wtime 5000 btime 60000 winc 10000 binc 0")
    }),
    rule("clock-short", "moves when its clock is at a millisecond", At(MIDDLEGAME)).must(GO).check(
        |program| {
            let go = "go wtime 1 btime 60000 winc 0 binc 0";
            let (_, taken, _) = program.measure(|program| program.ask(go))?;
            thinks_longer(program, taken, "go wtime 600000 btime 60000 winc 0 binc 0")
        },
    ),
    rule("movestogo", "keeps to its clock when it is to make one or forty moves more", At(MIDDLEGAME))
        .must(GO)
        .check(|program| {
            moves_within(program, 1.0, "go wtime 1000 btime 1000 movestogo 1")?;
            let many = "go wtime 3000 btime 3000 movestogo 40";
            differ_in_time(program, many, "go wtime 3000 btime 3000 movestogo 1")
        }),
];

/// Fails unless the program moves before its clock, in seconds, has run out, under each of these limits. Not seen unless it thinks
/// longer under another one than under the last of them.
fn keeps_clock(program: &mut UciHarness, clock: f64, short: &[&str], long: &str) -> Checked {
    let mut taken = 0.0;
    for go in short {
        taken = moves_within(program, clock, go)?;
    }
    thinks_longer(program, taken, long)
}

/// Fails unless the program takes no more than three seconds, twice. Not seen unless it thinks clearly longer under another limit.
fn differ_in_time(program: &mut UciHarness, short: &str, long: &str) -> Checked {
    let taken = moves_within(program, 3.0, short)?.max(moves_within(program, 3.0, short)?);
    thinks_longer(program, taken, long)
}

/// Not seen unless the program, started anew, thinks clearly longer after this `go` than a number of seconds.
fn thinks_longer(program: &UciHarness, seconds: f64, go: &str) -> Checked {
    let program = &mut At(MIDDLEGAME).reach(&program.candidate)?;
    program.tell([go])?;
    program.outlasts(seconds, go)
}

/// Returns the seconds that the program takes for a move. Fails if they are more than a limit.
fn moves_within(program: &mut UciHarness, limit: f64, go: &str) -> Checked<f64> {
    in_time(limit, |_| {
        program.set_up(MIDDLEGAME, Standard, &[])?;
        program.settle()?;
        let (_, taken, delayed) = program.measure(|program| program.ask(go))?;
        Ok((taken, delayed))
    })
}
