//! Time controls and search limits.
//!
//! A limit is honest: no more than a tenth of a second beyond it. A program that moves at once, or always takes the same time, keeps
//! limits unasked. So each rule compares a short limit with a long one: under the long one the program has to be seen working when it
//! would have moved under the short one.

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("st", "keeps to `st 1`", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| follows(program, 1.0, &["st 1"], &["st 30"])),
    rule("st-decimal", "keeps to `st 0.5`", At(MIDDLEGAME)).usual(TIME).check(|program| {
        let taken = keeps_to(program, 0.5, &["st 0.5"])?;
        // Who reads no decimals may read `st 0`.
        observe(taken >= 0.15, format!("it takes {taken:.2} s under `st 0.5`, as if it were less"))?;
        thinks_longer(program, taken, &["st 30.5"])
    }),
    rule("st-0", "moves at once under `st 0`", At(MIDDLEGAME))
        .usual(TIME)
        .check(|program| follows(program, 0.5, &["st 0"], &["st 30"])),
    rule("level", "plays under `level 0 1:05 0`: minutes and seconds", At(MIDDLEGAME)).must(TIME).check(
        |program| {
            keeps_to(program, 3.0, &["level 0 1:05 0", "time 300", "otim 300"])?;
            // `time` alone might count.
            let short = &mut At(MIDDLEGAME).reach(&program.candidate)?;
            let taken = keeps_to(short, 1.0, &["level 0 0:02 0"]).map_err(Failure::unseen)?;
            thinks_longer(program, taken, &["level 0 1:05 0"])?;
            // Of 65 minutes it would use more.
            let minute = &mut At(MIDDLEGAME).reach(&program.candidate)?;
            let (_, taken, _) = timed(minute, &["level 0 1:05 0"]).map_err(Failure::unseen)?;
            observe(taken <= 16.0, format!("it takes {taken:.1} s for a move with 1:05 minutes"))
        },
    ),
    rule("level-decimal", "plays under `level 0 0:01 0.5`: decimals in the increment", At(MIDDLEGAME))
        .usual(TIME)
        .check(|program| {
            keeps_to(program, 1.0, &["level 0 0:01 0.5", "time 100", "otim 100"])?;
            uses_more(program, 1.0, "level 0 0:01 0", "level 0 0:01 0.5", |moves| {
                1.0 + 0.5 * (moves - 1) as f64
            })
        }),
    rule("level-moves", "plays under `level 4 0:02 0`: a session of four moves", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| {
            keeps_to(program, 1.0, &["level 4 0:02 0", "time 100", "otim 100"])?;
            uses_more(program, 2.0, "level 0 0:02 0", "level 4 0:02 0", |moves| {
                2.0 * moves.div_ceil(4) as f64
            })
        }),
    rule("level-refilled", "has new time after the moves of a session, without `time`", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| {
            program.tell(["easy"])?;
            program.takes(&["level 2 0:01 0"])?;
            // What was saved in one session is left for the next.
            let times = moves_within(program, None, 6, |moves| moves.div_ceil(2) as f64)?;
            let [one, two, _, _, five, six] = times[..] else { return Err(over_early()) };
            let (first, last) = (one + two, five + six);
            observe(last > 0.2 * first && last > 0.1, format!("{last:.2} s for the last two moves"))?;
            thinks_longer(program, first, &["level 2 60 0"])
        }),
    rule("own-clock", "keeps its own clock when no `time` comes", At(MIDDLEGAME)).must(TIME).check(
        |program| {
            // A program that is stopped while it thinks loses time, and has to be faster afterwards.
            let stopped = &mut At(MIDDLEGAME).reach(&program.candidate)?;
            let usual = on_own_clock(program, 4, Duration::ZERO)?;
            let hurried = on_own_clock(stopped, 12, Duration::from_secs(4))?;
            let reason = format!("{hurried:.2} s a move with a second left, {usual:.2} s with five");
            observe(hurried < 0.6 * usual, reason)?;
            thinks_longer(program, usual, &["level 0 60 0"])
        },
    ),
    rule("time-short", "moves in time when `time` says that little is left", At(MIDDLEGAME))
        .must(TIME)
        .check(|program| {
            program.needs(Switch::Time)?;
            let short = ["level 0 5 0", "time 100", "otim 30000"];
            follows(program, 1.0, &short, &["level 0 5 0", "time 30000", "otim 30000"])
        }),
    rule("time-odd", "moves when its clock says nothing and less", At(MIDDLEGAME)).usual(TIME).check(
        |program| {
            program.needs(Switch::Time)?;
            let again = &mut At(MIDDLEGAME).reach(&program.candidate)?;
            keeps_to(program, 1.0, &["level 0 60 0", "otim -500", "time -100"])?;
            let long = ["level 0 60 0", "otim 360000", "time 360000"];
            follows(again, 1.0, &["level 0 60 0", "otim 0", "time 0"], &long)
        },
    ),
    rule("sd", "searches no deeper than `sd` allows", At(MIDDLEGAME)).must(TIME).check(|program| {
        const MOST: i32 = 3;
        let (taken, heard) = think(program, &["st 2", "sd 3"])?;
        let expected = format!("no depth above {MOST}");
        match greatest_depth(&heard) {
            Some(depth) => demand(depth <= MOST, expected, format!("depth {depth}"))?,
            None => demand(taken <= 1.0, expected, format!("{taken:.2} s, as without `sd`"))?,
        }
        thinks_longer(program, taken, &["st 30"])
    }),
    rule("sd-with-time", "keeps to the time under `sd`, too", At(MIDDLEGAME)).must(TIME).check(|program| {
        knows_sd(program)?;
        follows(program, 1.0, &["st 1", "sd 60"], &["st 30", "sd 60"])
    }),
    rule("new-clears-sd", "forgets `sd` at `new`", At(MIDDLEGAME)).must(TIME).check(|program| {
        program.needs(Switch::SetBoard)?;
        let taken = knows_sd(program)?;
        thinks_longer(program, taken, &["st 30"])?;
        let setboard = format!("setboard {MIDDLEGAME}");
        program.deal(["sd 1", "new", "force", &setboard, "st 30"])?;
        program.tell(["go"])?;
        let heard = program.hear_for(longer(taken))?;
        let seen = format!("{}, as under `sd 1`", heard.last_shown());
        demand(!heard.contains(Cecp::is_move), "that it thinks on under `st 30`", seen)
    }),
    rule("nps", "counts nodes for time after `nps`", At(MIDDLEGAME)).must(TIME).check(|program| {
        const FEW: u64 = 5_000;
        const MANY: u64 = 20 * FEW;
        // A program doesn't check its limit at every node.
        const MOST: u64 = 5 * FEW;
        program.needs(Switch::Nps)?;
        let again = &mut At(MIDDLEGAME).reach(&program.candidate)?;
        let (few, nodes) = work_under(program, FEW)?;
        let nodes = nodes.unwrap_or_default();
        demand(nodes <= MOST, format!("a second of {FEW} nodes"), format!("{nodes} nodes"))?;
        let (many, _) = work_under(again, MANY)?;
        let reason = format!("{few:.3} s of work under `nps {FEW}`, {many:.3} s under `nps {MANY}`");
        observe(many >= 3.0 * few && many >= 0.02, reason)
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

/// Returns the processor time of a search for a second of so many nodes, in seconds, and the nodes that it shows.
fn work_under(program: &mut CecpHarness, nps: u64) -> Checked<(f64, Option<u64>)> {
    program.deal(["post", "easy"])?;
    program.takes(&["st 1", &format!("nps {nps}")])?;
    let since = Instant::now();
    let (heard, processors) = program.work_of(|program| program.ask("go"))?;
    let work = processors * since.elapsed().as_secs_f64();
    Ok((work, thoughts(&heard).map(|line| line.nodes).max()))
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

/// Fails unless the program moves within a number of seconds under a short limit. Not seen unless it thinks longer under a long one.
fn follows(program: &mut CecpHarness, seconds: f64, short: &[&str], long: &[&str]) -> Checked {
    let taken = keeps_to(program, seconds, short)?;
    thinks_longer(program, taken, long)
}

/// Not seen unless the program uses no more than a number of seconds for eight moves `without` more time to come, and works for
/// clearly more under another `level`, never for more than is `given` for the moves so far. There is no `time`, which alone might count.
fn uses_more(
    program: &CecpHarness,
    seconds: f64,
    without: &str,
    level: &str,
    given: impl Fn(usize) -> f64,
) -> Checked {
    eight_moves(program, without, |_| seconds)?;
    let (used, processors) = eight_moves(program, level, given)?;
    observe(used > 1.2 * seconds, format!("it uses {used:.2} s for eight moves under `{level}`"))?;
    observe(processors >= WORKING, format!("it uses {processors:.2} processors under `{level}`"))
}

/// Returns the seconds that the program, started anew, uses for eight moves, and the number of processors.
fn eight_moves(program: &CecpHarness, level: &str, given: impl Fn(usize) -> f64) -> Checked<(f64, f64)> {
    let program = &mut At(MIDDLEGAME).reach(&program.candidate)?;
    program.tell(["easy"])?;
    program.takes(&[level])?;
    let moved = program.work_of(|program| moves_within(program, None, 8, given));
    let (times, processors) = moved.map_err(Failure::unseen)?;
    Ok((times.iter().sum(), processors))
}

/// Not seen unless the program, started anew, thinks clearly longer with these settings than a number of seconds.
fn thinks_longer(program: &CecpHarness, seconds: f64, settings: &[&str]) -> Checked {
    let program = &mut At(MIDDLEGAME).reach(&program.candidate)?;
    program.deal(["post", "easy"])?;
    program.takes(settings)?;
    program.tell(["go"])?;
    program.outlasts(seconds, &settings.join("`, `"))
}

/// Seconds on the clock of [`on_own_clock`].
const OWN_CLOCK: f64 = 5.0;

/// Plays a number of moves against the program, which has [`OWN_CLOCK`] and gets no `time`. In its first move it is stopped for a time.
/// Returns the seconds that it takes for a later move. Fails if it overdraws its clock.
fn on_own_clock(program: &mut CecpHarness, moves: usize, stop: Duration) -> Checked<f64> {
    program.tell(["easy"])?;
    program.takes(&["level 0 0:05 0"])?;
    let (_, first, delayed) = program.measure(|program| {
        program.tell(["go"])?;
        if !stop.is_zero() {
            let heard = program.hear_for(Duration::from_millis(20))?;
            observe(!heard.contains(Cecp::is_move), "it moves at once with five seconds on its clock")?;
            program.stream.stand_still(true);
            std::thread::sleep(stop);
            program.stream.stand_still(false);
        }
        program.hear_move(program.patience)
    })?;
    let later = moves_within(program, Some(first - delayed), moves - 1, |_| OWN_CLOCK)?;
    if later.len() < 3 { Err(over_early()) } else { Ok(later.iter().sum::<f64>() / later.len() as f64) }
}

/// Plays a number of moves against the program, which has made one before in some seconds, or makes the first of them. Returns the
/// seconds for each, for fewer if the game ends. Fails if they are more than is `given` for the moves so far.
fn moves_within(
    program: &mut CecpHarness,
    before: Option<f64>,
    moves: usize,
    given: impl Fn(usize) -> f64,
) -> Checked<Vec<f64>> {
    let mut used = before.unwrap_or_default();
    let mut times = Vec::new();
    for n in 0..moves {
        let (_, taken, delayed) = if n == 0 && before.is_none() {
            program.measure(|program| program.ask("go"))?
        } else {
            let Ok(reply) = program.any_move() else { break };
            program.measure(|program| {
                program.play(&[&reply])?;
                program.hear_move(program.patience)
            })?
        };
        used += taken - delayed;
        times.push(taken);
        let made = n + 1 + usize::from(before.is_some());
        let most = given(made);
        demand(used <= most + 0.1, format!("{made} moves in {most} s"), format!("{used:.2} s for them"))?;
    }
    Ok(times)
}

fn over_early() -> Failure {
    Failure::NotSeen("the game is over early".into())
}

/// Returns the greatest depth that the program has shown.
fn greatest_depth(heard: &Transcript<Message>) -> Option<i32> {
    thoughts(heard).map(|line| line.depth).max()
}

/// Returns the seconds that the program, started anew, takes under `sd 1`. Not supported or not seen unless it keeps to that, so that
/// ignoring `sd` breaks only one rule.
fn knows_sd(program: &mut CecpHarness) -> Checked<f64> {
    require(program.takes(&["sd 60"]).is_ok(), "sd")?;
    let (taken, heard) = think(&mut At(MIDDLEGAME).reach(&program.candidate)?, &["st 2", "sd 1"])?;
    let is_kept = taken < 1.0 && greatest_depth(&heard).is_none_or(|depth| depth <= 3);
    observe(is_kept, format!("it thinks for {taken:.2} s under `st 2` and `sd 1`"))?;
    Ok(taken)
}
