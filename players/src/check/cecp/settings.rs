//! Settings, and names of the players.

use std::collections::HashSet;

use game::Game;

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("options", "takes the ends of the ranges of its options", Forced).must(ENGINE).check(|program| {
        let mut settings = Vec::new();
        for option in &program.announced.options {
            let name = &option.name;
            let values = trial_values(name, &option.kind, ["0", "1"]);
            settings.extend(values.iter().map(|value| format!("option {name}={value}")));
        }
        program.take_each(&settings, is_refusal)?;
        program.still_plays()
    }),
    rule("option-unknown", "answers an unknown option with `Error`, and goes on", Forced)
        .usual(ENGINE)
        .check(|program| {
            require(!program.announced.options.is_empty(), "options")?;
            program.deal(["option No Such Option=3"])?.has("`Error (unknown option): ...`", is_error)?;
            program.still_plays()
        }),
    rule("memory", "grows with `memory`, and not far beyond", Greeted).must(ENGINE).check(|program| {
        const SMALL: u64 = 16;
        const LARGE: u64 = 256;
        program.needs(Switch::Memory)?;
        let (small, _) = size_under(&mut Greeted.reach(&program.candidate)?, SMALL)?;
        let (large, resident) = size_under(program, LARGE)?;
        let grown = large.saturating_sub(small);
        let most = 2 * (LARGE - SMALL);
        let expected = format!("at most {most} MB more under `memory {LARGE}` than under `memory {SMALL}`");
        demand(
            grown <= most && resident <= 2 * LARGE,
            expected,
            format!("{grown} MB more, {resident} MB in use"),
        )?;
        let reason = format!("its size grows by {grown} MB from `memory {SMALL}` to `memory {LARGE}`");
        observe(grown >= (LARGE - SMALL) / 2, reason)
    }),
    rule("cores", "works on as many processors as `cores` allows", At(MIDDLEGAME)).must(ENGINE).check(
        |program| {
            program.needs(Switch::Smp)?;
            let one = processors_under(&mut At(MIDDLEGAME).reach(&program.candidate)?, 1)?;
            let two = processors_under(program, 2)?;
            demand(one <= 1.7, "work for one processor under `cores 1`", format!("for {one:.1}"))?;
            demand(two <= 3.5, "work for two processors under `cores 2`", format!("for {two:.1}"))?;
            observe(
                two >= 1.3 * one && two >= 1.3,
                format!("it works for {two:.1} processors under `cores 2`"),
            )
        },
    ),
    rule("easy", "rests in the opponent's time after `easy`", Forced).must(ENGINE).check(|program| {
        rival_time(program, "easy")?;
        program.rests("in the opponent's time", QUIET)?;
        let hard = &mut Forced.reach(&program.candidate)?;
        rival_time(hard, "hard")?;
        observe(hard.works(QUIET)?, "it rests after `hard`, too")
    }),
    rule("ponder-hit", "keeps to its time after the expected move, and is faster", At(MIDDLEGAME))
        .usual(ENGINE)
        .check(|program| {
            program.deal(["post", "hard", "st 1"])?;
            let before = program.game.clone();
            let since = Instant::now();
            let heard = program.ask("go")?;
            let usual = since.elapsed();
            let line = thoughts(&heard).next_back().map(|line| line.text.clone()).unwrap_or_default();
            let Some(expected) = second_move(before, &line) else {
                return Err(Failure::NotSeen("it shows no move that it expects".into()));
            };
            observe(usual >= QUIET / 2, format!("it moves after {} ms", usual.as_millis()))?;
            program.hear_no_move(usual)?;
            program.play(&[&expected])?;
            let ((), taken, delayed) =
                program.measure(|program| program.hear_move(program.patience).map(drop))?;
            demand(taken - delayed <= 1.1, "1 s at most", format!("{taken:.2} s"))?;
            observe(taken < 0.7 * usual.as_secs_f64(), format!("it takes {taken:.2} s at a ponder hit"))
        }),
    rule("random", "varies its moves after `random`", Greeted).must(ENGINE).check(|program| {
        let steady = first_moves(program, "easy")?;
        let random = first_moves(program, "random")?;
        observe(steady.len() == 1, "its moves vary without `random`")?;
        observe(random.len() > 1, "it plays the same moves")
    }),
    rule("egtpath", "uses the tables of `egtpath`, with blanks in the path", Greeted).must(ENGINE).check(
        |program| {
            let Some(flavor) = program.announced.endgame_tables.first() else {
                return Err(Failure::NotSupported("egt".into()));
            };
            let setting = format!("egtpath {flavor} /no such folder");
            plays_on(program, &[&setting])?;
            Err(Failure::NotSeen("it plays on, but there are no tables to use".into()))
        },
    ),
    rule("computer", "plays on after `computer`", Forced).must(FRILLS).check(|program| {
        program.takes(&["computer"])?;
        program.still_plays()
    }),
    rule("rating", "plays on after `rating`, with unknown ratings as 0", Forced).must(FRILLS).check(
        |program| {
            program.takes(&["rating 2000 0", "rating 0 0"])?;
            program.still_plays()
        },
    ),
    rule("names", "plays on after `name` with blanks, and `ics`", Forced).must(FRILLS).check(|program| {
        let mut frills = Vec::new();
        for (feature, frill) in [(Switch::Name, "name Somebody with a long name"), (Switch::Ics, "ics -")] {
            frills.extend(program.announced.has(feature).then_some(frill));
        }
        require(!frills.is_empty(), "name=1 or ics=1")?;
        plays_on(program, &frills)
    }),
    rule("highlight", "answers `lift` with `highlight`", Forced).must(HIGHLIGHT).check(|program| {
        program.needs(Switch::Highlight)?;
        program.tell(["lift g1"])?;
        let is_highlight = |message: &Message| matches!(message, Message::Highlight(_));
        program.hear_for(QUIET)?.has("`highlight ...`", is_highlight)?;
        program.deal(["put g1"])?.has_taken("`put g1`")
    }),
];

/// Fails unless the program takes commands and plays another game.
fn plays_on(program: &mut CecpHarness, commands: &[&str]) -> Checked {
    program.deal(commands)?.has_taken(&format!("`{}`", commands.join("`, `")))?;
    program.still_plays()
}

/// Returns the address space of the program and its memory in use after a move with `memory`, in MB.
fn size_under(program: &mut CecpHarness, megabytes: u64) -> Checked<(u64, u64)> {
    plays_on(program, &[&format!("memory {megabytes}")])?;
    let usage = program.stream.usage().ok_or_else(untold)?;
    Ok((usage.size >> 20, usage.resident >> 20))
}

/// Returns the number of processors that the program has work for with `cores`.
fn processors_under(program: &mut CecpHarness, cores: u32) -> Checked<f64> {
    let setting = format!("cores {cores}");
    program.deal([&setting])?.has_taken(&format!("`{setting}`"))?;
    program.deal(["st 3", "post", "easy"])?;
    program.tell(["go"])?;
    program.proves_thought("under `st 3`")?;
    let (heard, processors) = program.watch(2 * QUIET)?;
    observe(!heard.contains(Cecp::is_move), "it moves early under `st 3`")?;
    Ok(processors)
}

/// Brings the program into the opponent's time, after `easy` or `hard`.
fn rival_time(program: &mut CecpHarness, mode: &str) -> Checked {
    program.tell([mode])?;
    program.hurry()?;
    program.play(&["a2a3", "h7h6", "h2h3"])?;
    program.settle()?;
    program.ask("go")?;
    program.hear_no_move(QUIET / 5).map(drop)
}

/// Returns the second move of a line of thinking output, if its first two are legal.
fn second_move(mut game: Game, line: &str) -> Option<String> {
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == '.');
    let mut moves = line.split_whitespace().filter(|word| !is_number(word));
    let first = game.parse_move(moves.next()?).ok()?;
    game.play(first).ok()?;
    let second = game.parse_move(moves.next()?).ok()?;
    Some(game.coordinate(second))
}

/// Returns the different first moves of some games that begin with `new` and a setting.
fn first_moves(program: &mut CecpHarness, setting: &str) -> Checked<HashSet<String>> {
    let mut moves = HashSet::new();
    for _ in 0..4 {
        program.game = Game::default();
        program.tell(["new", "force"])?;
        program.hurry()?;
        program.takes(&[setting])?;
        let heard = program.ask("go")?;
        moves.insert(heard.last_shown());
    }
    Ok(moves)
}
