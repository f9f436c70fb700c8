//! Time controls and search limits.
//!
//! A limit is honest: no more than a tenth of a second beyond it. A program that moves at once keeps all limits unasked, so a rule is
//! kept only by one that would think longer without the limit.

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("st", "keeps to `st 1`", At(MIDDLEGAME)).must(TIME).check(|program| uses(program, 1.0, &["st 1"])),
    rule("st-decimal", "keeps to `st 0.5`", At(MIDDLEGAME))
        .usual(TIME)
        .check(|program| uses(program, 0.5, &["st 0.5"])),
    rule("st-0", "moves at once under `st 0`", At(MIDDLEGAME)).usual(TIME).check(|program| {
        let again = &mut At(MIDDLEGAME).reach(&program.candidate)?;
        keeps_to(program, 0.5, &["st 0"])?;
        takes_time(again)
    }),
    rule("level", "plays under `level 0 1:05 0`: minutes and seconds", At(MIDDLEGAME)).must(TIME).check(
        |program| {
            keeps_to(program, 3.0, &["level 0 1:05 0", "time 300", "otim 300"])?;
            takes_time(program)
        },
    ),
    rule("level-decimal", "plays under `level 0 0:05 0.5`: decimals in the increment", At(MIDDLEGAME))
        .usual(TIME)
        .check(|program| {
            keeps_to(program, 3.0, &["level 0 0:05 0.5", "time 300", "otim 300"])?;
            takes_time(program)
        }),
    rule("level-moves", "plays under `level 40 1 0`", At(MIDDLEGAME)).must(TIME).check(|program| {
        keeps_to(program, 3.0, &["level 40 1 0", "time 300", "otim 300"])?;
        takes_time(program)
    }),
    rule("level-refilled", "has new time after the moves of a session, without `time`", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| {
            program.tell(["easy"])?;
            program.takes(&["level 2 0:01 0"])?;
            let (mut sessions, mut used) = ([0.0; 3], 0.0);
            for (n, session) in sessions.iter_mut().enumerate() {
                let (delayed, taken) = plays(program, 2, n == 0)?;
                used += taken - delayed;
                // What was saved in one session is left for the next.
                let (given, moves) = (n as f64 + 1.0, 2 * n + 2);
                let expected = format!("{moves} moves in {given} s");
                demand(used <= given + 0.1, expected, format!("{used:.2} s for them"))?;
                *session = taken;
            }
            let [first, .., last] = sessions;
            observe(last > 0.2 * first && last > 0.1, format!("{last:.2} s for the last two moves"))
        }),
    rule("own-clock", "keeps its own clock when no `time` comes", At(MIDDLEGAME)).must(TIME).check(
        |program| {
            let taken = in_time(3.0, |attempt| {
                let mut fresh = again(program, attempt)?;
                let program = fresh.as_mut().unwrap_or(program);
                program.tell(["easy"])?;
                program.takes(&["level 0 0:03 0"])?;
                let (delayed, taken) = plays(program, 8, true)?;
                Ok((taken, delayed))
            })?;
            observe(taken >= 0.3, format!("eight moves in {taken:.2} s"))
        },
    ),
    rule("time-short", "moves in time when `time` says that little is left", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| {
            program.needs(Switch::Time)?;
            keeps_to(program, 1.0, &["level 0 5 0", "time 100", "otim 30000"])?;
            takes_time(program)
        }),
    rule("time-odd", "moves when its clock says nothing and less", At(MIDDLEGAME)).usual(TIME).check(
        |program| {
            program.needs(Switch::Time)?;
            let again = &mut At(MIDDLEGAME).reach(&program.candidate)?;
            keeps_to(program, 1.0, &["level 0 0:10 0", "otim -500", "time -100"])?;
            keeps_to(again, 1.0, &["level 0 0:10 0", "otim 0", "time 0"])?;
            takes_time(again)
        },
    ),
    rule("sd", "searches no deeper than `sd` allows", At(MIDDLEGAME)).must(TIME).check(|program| {
        const MOST: i32 = 3;
        let free = &mut At(MIDDLEGAME).reach(&program.candidate)?;
        let (taken, heard) = think(program, &["st 2", "sd 3"])?;
        let expected = format!("no depth above {MOST}");
        match greatest_depth(&heard) {
            Some(depth) => demand(depth <= MOST, expected, format!("depth {depth}"))?,
            None => demand(taken <= 1.0, expected, format!("{taken:.2} s, as without `sd`"))?,
        }
        let (longer, heard) = think(free, &["st 1"])?;
        let is_deeper = greatest_depth(&heard).is_some_and(|depth| depth > MOST);
        observe(is_deeper || longer > 3.0 * taken && longer > 0.2, "it searches no deeper without `sd`")
    }),
    rule("sd-with-time", "keeps to the time under `sd`, too", At(MIDDLEGAME)).must(TIME).check(|program| {
        knows_sd(program)?;
        uses(program, 1.0, &["st 1", "sd 60"])
    }),
    rule("new-clears-sd", "forgets `sd` at `new`", At(MIDDLEGAME)).must(TIME).check(|program| {
        program.needs(Switch::SetBoard)?;
        knows_sd(program)?;
        let setboard = format!("setboard {MIDDLEGAME}");
        let (_, heard) = think(program, &["sd 1", "new", "force", &setboard, "st 1"])?;
        let Some(depth) = greatest_depth(&heard) else {
            return Err(Failure::NotSeen("it shows no depth".into()));
        };
        demand(depth > 1, "depths above 1", format!("depth {depth}"))
    }),
    rule("nps", "counts nodes for time after `nps`", At(MIDDLEGAME)).must(TIME).check(|program| {
        const NODES: u64 = 5_000;
        // A program doesn't check its limit at every node.
        const MOST: u64 = 5 * NODES;
        program.needs(Switch::Nps)?;
        let (_, heard) = think(program, &["st 1", &format!("nps {NODES}")])?;
        let Some(most) = thoughts(&heard).map(|line| line.nodes).max() else {
            return Err(Failure::NotSeen("it shows no nodes".into()));
        };
        demand(most <= MOST, format!("a second of {NODES} nodes"), format!("{most} nodes"))?;
        observe(most >= NODES / 20, format!("it moves after {most} nodes"))
    }),
    rule("nps-0", "counts processor time for time after `nps 0`", At(MIDDLEGAME)).must(TIME).check(
        |program| {
            program.needs(Switch::Nps)?;
            program.deal(["post", "easy"])?;
            program.takes(&["st 1", "nps 0"])?;
            program.tell(["go"])?;
            program.proves_thought("under `st 1` and `nps 0`")?;
            // Stopped, it uses none, while the wall clock goes beyond its time.
            program.stream.stand_still(true);
            std::thread::sleep(Duration::from_secs(1));
            program.stream.stand_still(false);
            let since = Instant::now();
            let (moved, _, delayed) = program.measure(|program| Ok(program.hear_move(program.patience)))?;
            let reason = format!("the busy machine kept it waiting for {delayed:.1} s");
            observe(moved.is_ok() || delayed < 1.0, reason)?;
            moved?;
            let taken = since.elapsed().as_secs_f64();
            demand(
                taken >= 0.3,
                "a search of 1 s of processor time",
                format!("a move after {taken:.2} s more"),
            )
        },
    ),
];

/// Sends settings and `go`, and waits for the move. Returns the seconds taken.
fn think(program: &mut CecpHarness, settings: &[&str]) -> Checked<(f64, Transcript<Message>)> {
    let (heard, taken, _) = timed(program, settings)?;
    Ok((taken, heard))
}

/// The same with the seconds for which the machine delayed it.
fn timed(program: &mut CecpHarness, settings: &[&str]) -> Checked<(Transcript<Message>, f64, f64)> {
    program.deal(["post", "easy"])?;
    program.takes(settings)?;
    program.measure(|program| program.ask("go"))
}

/// A program in the same state as at first, for another attempt.
fn again(program: &CecpHarness, attempt: u32) -> Checked<Option<CecpHarness>> {
    if attempt == 1 { Ok(None) } else { At(MIDDLEGAME).reach(&program.candidate).map(Some) }
}

/// Fails unless the program moves within a number of seconds after these settings. Returns the time.
fn keeps_to(program: &mut CecpHarness, seconds: f64, settings: &[&str]) -> Checked<f64> {
    in_time(seconds, |attempt| {
        let mut fresh = again(program, attempt)?;
        let (_, taken, delayed) = timed(fresh.as_mut().unwrap_or(program), settings)?;
        Ok((taken, delayed))
    })
}

/// The same. Not seen unless it uses some of the time.
fn uses(program: &mut CecpHarness, seconds: f64, settings: &[&str]) -> Checked {
    let taken = keeps_to(program, seconds, settings)?;
    observe(taken >= 0.1 * seconds, format!("it moves after {taken:.2} s"))
}

/// Not seen unless the program thinks when it has time.
fn takes_time(program: &CecpHarness) -> Checked {
    ThinkingFor(2).reach(&program.candidate).map(drop)
}

/// Plays a number of moves against the program, which moves first if it is `begun`. Returns the seconds for which the machine delayed
/// it, and those that it took.
fn plays(program: &mut CecpHarness, moves: usize, begun: bool) -> Checked<(f64, f64)> {
    let (mut taken, mut delayed) = (0.0, 0.0);
    for n in 0..moves {
        let (_, its, lost) = if n == 0 && begun {
            program.measure(|program| program.ask("go"))?
        } else {
            let Ok(reply) = program.any_move() else {
                return Err(Failure::NotSeen("the game is over early".into()));
            };
            program.measure(|program| {
                program.play(&[&reply])?;
                program.hear_move(program.patience)
            })?
        };
        (taken, delayed) = (taken + its, delayed + lost);
    }
    Ok((delayed, taken))
}

/// Returns the greatest depth that the program has shown.
fn greatest_depth(heard: &Transcript<Message>) -> Option<i32> {
    thoughts(heard).map(|line| line.depth).max()
}

/// Not supported unless the program keeps to `sd`, so that ignoring `sd` breaks only one rule.
fn knows_sd(program: &mut CecpHarness) -> Checked {
    require(program.takes(&["sd 60"]).is_ok(), "sd")
}
