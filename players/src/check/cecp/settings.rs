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
        program.still_plays()?;
        let refuses = program.deal(["option No Such Option=3"]).is_ok_and(|heard| heard.contains(is_refusal));
        observe(refuses, "it takes options that it doesn't have, too: nothing shows that it reads `option`")
    }),
    rule("option-unknown", "answers an unknown option with `Error`, and goes on", Forced)
        .usual(ENGINE)
        .check(|program| {
            require(!program.announced.options.is_empty(), "options")?;
            let values = program.announced.options.iter().flat_map(|option| {
                let values = trial_values(&option.name, &option.kind, ["0", "1"]);
                values.into_iter().map(|value| format!("option {}={value}", option.name))
            });
            if let Some(known) = values.last() {
                require(!program.deal([known])?.contains(is_refusal), "options that it takes")?;
            }
            program.deal(["option No Such Option=3"])?.has("`Error (unknown option): ...`", is_error)?;
            program.still_plays()
        }),
    rule("memory", "grows with `memory`, and not far beyond", Greeted).must(ENGINE).check(|program| {
        const SMALL: u64 = 16;
        const LARGE: u64 = 128;
        // Code, networks and books need memory, too, which no setting changes: Stockfish 15.1 has 115 MB beside its table.
        const OTHER: u64 = 192;
        program.needs(Switch::Memory)?;
        let small = memory_under(program, SMALL)?;
        // Two processes at a time would share their code.
        program.stream.kill();
        let large = memory_under(&mut Greeted.reach(&program.candidate)?, LARGE)?;
        let seen = format!("{large} MB, and {small} MB under `memory {SMALL}`");
        let expected = format!("at most {} MB in use under `memory {LARGE}`", LARGE + OTHER);
        demand(large <= LARGE + OTHER, expected, &seen)?;
        let expected = format!("at most {LARGE} MB more than under `memory {SMALL}`");
        demand(large <= small + LARGE, expected, &seen)?;
        let reason =
            format!("it uses {small} MB after a search under `memory {SMALL}`, {large} MB under {LARGE}");
        observe(large >= small + (LARGE - SMALL) / 2, reason)
    }),
    rule("cores", "works on as many processors as `cores` allows", At(MIDDLEGAME)).must(ENGINE).check(
        |program| {
            program.needs(Switch::Smp)?;
            let one = processors_under(program, 1)?;
            let two = processors_under(program, 2)?;
            observe(two >= one + 0.5, format!("it works for {two:.1} processors under `cores 2`"))
        },
    ),
    rule("easy", "rests in the opponent's time after `easy`", Forced).must(ENGINE).check(|program| {
        // Many programs rest at first, anyway.
        rival_time(program, ["hard", "easy"])?;
        program.rests("in the opponent's time", QUIET)?;
        let hard = &mut Forced.reach(&program.candidate)?;
        rival_time(hard, ["easy", "hard"])?;
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
            let (heard, processors) = program.watch(usual)?;
            heard.has_no("no move", Cecp::is_move)?;
            observe(
                processors >= WORKING,
                format!("it uses {processors:.2} processors in the opponent's time"),
            )?;
            program.play(&[&expected])?;
            let ((), taken, delayed) =
                program.measure(|program| program.hear_move(program.patience).map(drop))?;
            demand(taken - delayed <= 1.1, "1 s at most", format!("{taken:.2} s"))?;
            observe(taken < 0.7 * usual.as_secs_f64(), format!("it takes {taken:.2} s at a ponder hit"))
        }),
    rule("random", "varies its moves after `random`", Greeted).must(ENGINE).check(|program| {
        const GAMES: usize = 6;
        let steady = first_moves(program, "easy", GAMES)?;
        observe(steady.len() == 1, "its moves vary without `random`")?;
        let random = first_moves(program, "random", 2 * GAMES)?;
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
        let heard = program.takes(&["computer"])?;
        program.still_plays()?;
        observe(!heard.0.is_empty(), "it plays on, but nothing shows that it reads `computer`")
    }),
    rule("rating", "plays on after `rating`, with unknown ratings as 0", Forced).must(FRILLS).check(
        |program| {
            let heard = program.takes(&["rating 2000 0", "rating 0 0"])?;
            program.still_plays()?;
            program.reads(&heard, "rating x")
        },
    ),
    rule("names", "plays on after `name` with blanks, and `ics`", Forced).must(FRILLS).check(|program| {
        let frills =
            [(Switch::Name, "name", "Somebody with a long name"), (Switch::Ics, "ics", "chess.example.org")];
        let asked: Vec<_> = frills.iter().filter(|(feature, ..)| program.announced.has(*feature)).collect();
        require(!asked.is_empty(), "name=1 or ics=1")?;
        let mut answers = Vec::new();
        for (_, word, value) in asked {
            answers.push((plays_on(program, &[&format!("{word} {value}")])?, word));
        }
        answers.iter().try_for_each(|(heard, word)| program.reads(heard, word))
    }),
    rule("highlight", "answers `lift` with `highlight`", Forced).must(HIGHLIGHT).check(|program| {
        program.needs(Switch::Highlight)?;
        program.tell(["lift g1"])?;
        let is_highlight = |message: &Message| matches!(message, Message::Highlight(_));
        program.hear_for(QUIET)?.has("`highlight ...`", is_highlight)?;
        program.deal(["put g1"])?.has_taken("`put g1`")
    }),
];

/// Fails unless the program takes commands and plays another game. Returns what it answers to them.
fn plays_on(program: &mut CecpHarness, commands: &[&str]) -> Checked<Transcript<Message>> {
    let heard = program.deal(commands)?;
    heard.has_taken(&format!("`{}`", commands.join("`, `")))?;
    program.still_plays()?;
    Ok(heard)
}

/// Returns the memory in use of the program after a search with `memory`, in MB.
fn memory_under(program: &mut CecpHarness, megabytes: u64) -> Checked<u64> {
    plays_on(program, &[&format!("memory {megabytes}")])?;
    program.tell(["new", "force"])?;
    program.think_for_long(1)?;
    program.hear_move(program.patience)?;
    Ok(program.stream.memory().ok_or_else(untold)? >> 20)
}

/// Returns the number of processors that a program, started anew, has work for with `cores`. Fails if there are more, thrice.
fn processors_under(program: &CecpHarness, cores: u32) -> Checked<f64> {
    const ATTEMPTS: u32 = 3;
    let most = f64::from(cores) + 0.5;
    let mut processors = 0.0;
    for _ in 0..ATTEMPTS {
        let program = &mut At(MIDDLEGAME).reach(&program.candidate)?;
        let setting = format!("cores {cores}");
        program.deal([&setting])?.has_taken(&format!("`{setting}`"))?;
        program.think(3)?;
        let (heard, seen) = program.watch(QUIET)?;
        observe(!heard.contains(Cecp::is_move), "it moves early under `st 3`")?;
        observe(seen >= WORKING, "it doesn't work on under `st 3`")?;
        processors = seen;
        if processors <= most {
            return Ok(processors);
        }
    }
    Err(Failure::new(format!("work for {cores} of the processors"), format!("for {processors:.1}")))
}

/// Brings the program into the opponent's time, after `easy` and `hard`.
fn rival_time(program: &mut CecpHarness, modes: [&str; 2]) -> Checked {
    program.tell(modes)?;
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
    game.play_text(moves.next()?).ok()?;
    let second = game.parse_move(moves.next()?).ok()?;
    Some(game.coordinate(second))
}

/// Returns the different moves that the program, started anew each time, makes with a setting in a position that is in no book. Stops
/// when there are two.
fn first_moves(program: &CecpHarness, setting: &str, games: usize) -> Checked<HashSet<String>> {
    let mut moves = HashSet::new();
    for _ in 0..games {
        let program = &mut Forced.reach(&program.candidate)?;
        program.play(&["a2a3", "h7h6", "h2h3", "a7a6"])?;
        program.takes(&[setting])?;
        // A fixed depth leaves nothing to chance. Without `sd`, the time leaves little.
        if program.takes(&["sd 4", "st 10"]).is_err() {
            program.hurry()?;
        }
        // That it plays legal moves is the subject of other rules.
        let Ok(heard) = program.ask("go") else { return Err(Failure::NotSeen("it makes no move".into())) };
        moves.insert(heard.last_shown());
        if moves.len() > 1 {
            break;
        }
    }
    Ok(moves)
}
