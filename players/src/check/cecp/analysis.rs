//! Thinking output and analysis mode.

use game::{Color, Game, Score};
use messages::cecp::ThinkingLine;

use super::game::true_results;
use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule(
        "thinking",
        "shows what it thinks after `post`: depth, score, centiseconds, nodes, a line",
        At(MIDDLEGAME),
    )
    .should(OUTPUT)
    .check(|program| {
        program.hurry()?;
        let short = shown_thinking(program)?;
        let long = &mut At(MIDDLEGAME).reach(&program.candidate)?;
        long.tell(["level 0 5 0"])?;
        if long.announced.has(Switch::Time) {
            long.tell(["time 6000", "otim 6000"])?;
        }
        let long = shown_thinking(long)?;
        let times =
            format!("{:.2} s for a move, and {:.2} s with more on its clock", short.taken, long.taken);
        observe(long.taken > 1.5 * short.taken + 0.1, times)?;
        let values = [("nodes", short.nodes, long.nodes), ("time", short.centiseconds, long.centiseconds)];
        for (what, less, more) in values {
            let seen = format!("{less} in {:.2} s, {more} in {:.2} s", short.taken, long.taken);
            demand(more > less, format!("more {what} of a longer search"), seen)?;
        }
        let least = (100.0 * long.taken / 4.0) as u64;
        let seen = format!("{} in {:.2} s", long.centiseconds, long.taken);
        demand(long.centiseconds >= least, format!("a time of {least} centiseconds or more"), seen)?;
        let seen = format!("{} in {:.2} s, {} in {:.2} s", short.depth, short.taken, long.depth, long.taken);
        demand(long.depth > 2 && long.depth >= short.depth, "a depth that grows with the time", &seen)?;
        observe(long.depth > short.depth, format!("the depth is {seen}"))?;
        observe(long.processors >= WORKING, format!("it uses {:.2} processors", long.processors))?;
        plausible_speed(long.nodes, long.processors * long.taken)
    }),
    rule("nopost", "shows nothing after `nopost`", At(MIDDLEGAME)).must(ENGINE).check(|program| {
        let shown = think(&mut At(MIDDLEGAME).reach(&program.candidate)?, &["post"])?;
        think(program, &["post", "nopost"])?.has_no("no thinking output", is_thinking)?;
        observe(shown.contains(is_thinking), "it shows nothing after `post`, either")
    }),
    rule("mate-score", "shows mate in two as 100002, if as a mate", At(MATE_IN_TWO))
        .should(OUTPUT)
        .check(|program| shows(program, "a score of 100002", Score::MateIn(2))),
    rule("mated-score", "shows being mated in one as -100001, if as a mate", At(MATED_IN_ONE))
        .should(OUTPUT)
        .check(|program| shows(program, "a score of -100001", Score::MatedIn(1))),
    rule("stray-words", "never writes what GUIs take for a draw offer or a broken pipe", Forced)
        .usual(ERRORS)
        .check(|program| {
            let expected = "nothing but the protocol";
            program.tell(["post"])?;
            program.hurry()?;
            program.play(&["e2e4"])?;
            program.settle()?.has_no(expected, is_stray)?;
            program.ask("go")?.has_no(expected, is_stray)?;
            program.deal(["result 1/2-1/2 {agreed}"])?.has_no(expected, is_stray)
        }),
    rule("analyze", "analyses from `analyze` to `exit`, and never moves", At(MIDDLEGAME))
        .must(INTERACTIVE)
        .check(|program| {
            program.begin_analysis()?;
            let (heard, processors) = program.watch(Duration::from_secs(1))?;
            heard.has_no("no move", Cecp::is_move)?;
            heard.has("thinking output", is_thinking)?;
            observe(processors >= WORKING, format!("it uses {processors:.2} processors in analysis"))?;
            program.deal(["exit"])?.has_no("no move", Cecp::is_move)?;
            let goes_on = |message: &Message| is_thinking(message) || Cecp::is_move(message);
            program.hear_for(QUIET)?.has_no("silence after `exit`", goes_on)?;
            program.has_position("h2h3")
        }),
    rule("analyze-move", "follows moves while it analyses", Analysing).should(INTERACTIVE).check(|program| {
        shows_analysis(program)?;
        program.play(&["h2h3"])?;
        analyses(program)
    }),
    rule("analyze-undo", "follows `undo` while it analyses", Analysing).should(INTERACTIVE).check(
        |program| {
            shows_analysis(program)?;
            program.play(&["h2h3"])?;
            program.hear_no_move(QUIET)?;
            program.tell(["undo"])?;
            program.game.undo();
            analyses(program)
        },
    ),
    rule("analyze-new", "analyses the start position after `new` in analysis", AnalysingAt(ENDGAME))
        .should(INTERACTIVE)
        .check(|program| {
            shows_analysis(program)?;
            program.tell(["new"])?;
            program.game = Game::default();
            analyses(program)
        }),
    rule("analyze-setboard", "analyses the position of `setboard` in analysis", Analysing)
        .should(INTERACTIVE)
        .check(|program| {
            program.needs(Switch::SetBoard)?;
            shows_analysis(program)?;
            program.set_up(ENDGAME)?;
            analyses(program)
        }),
    rule("analyze-edit", "analyses the position of `edit` in analysis", Analysing).usual(INTERACTIVE).check(
        |program| {
            require(!program.announced.has(Switch::SetBoard), "edit in place of setboard")?;
            shows_analysis(program)?;
            program.set_up(ROOK_ENDGAME)?;
            analyses(program)
        },
    ),
    rule("analyze-over", "claims no wrong result when it analyses a mate, and waits", AnalysingAt(MATED))
        .must(INTERACTIVE)
        .check(|program| {
            analyses_mate(program, Color::White)?;
            analyses_mate(&mut AnalysingAt(WHITE_MATED).reach(&program.candidate)?, Color::Black)?;
            program.deal(["exit"])?;
            program.still_plays()?;
            Analysing.reach(&program.candidate).map(drop)
        }),
    rule("ping-analysing", "answers a `ping` at once while it analyses, and analyses on", Analysing)
        .must(INTERACTIVE)
        .check(|program| {
            program.needs(Switch::Ping)?;
            shows_analysis(program)?;
            program.tell(["ping 79"])?;
            program.hear_until("`pong 79`", AT_ONCE, |message| *message == Message::Pong(79))?;
            let analyses = program.works(2 * QUIET)?;
            demand(analyses, "that it analyses on", "no work")
        }),
    rule("stat01", "answers `.` with `stat01`, time in centiseconds", Analysing).must(INTERACTIVE).check(
        |program| {
            let since = Instant::now();
            let (heard, processors) = program.watch(Duration::from_secs(2))?;
            heard.has_no("no move", Cecp::is_move)?;
            let (first, heard) = status_time(program)?;
            // The analysis began earlier.
            let most = since.elapsed().as_millis() as u64 / 10 + 500;
            demand((100..=most).contains(&first), format!("a time from 100 to {most}"), heard.shown())?;
            program.hear_no_move(Duration::from_secs(1))?;
            let (second, heard) = status_time(program)?;
            let wanted = first + 50..=first + most;
            demand(wanted.contains(&second), format!("a second later a time after {first}"), heard.shown())?;
            observe(processors >= WORKING, format!("it uses {processors:.2} processors in analysis"))
        },
    ),
    rule("exclude", "leaves out moves that are excluded, until they are included", Analysing)
        .must(INTERACTIVE)
        .check(|program| {
            let heard = restricted(program, &["exclude all", "include h2h3"])?;
            heard.has("a line of h2h3", is_thinking)?;
            let is_other = |message: &Message| match message {
                Message::Thinking(line) => !line.text.starts_with("h2h3") && !line.text.starts_with("h3"),
                _ => false,
            };
            heard.has_no("only lines of h2h3", is_other)?;
            program.deal(["include all"])?.has_taken("`include all`")?;
            program
                .hear_no_move(Duration::from_secs(1))?
                .has("a line of another move after `include all`", is_other)
        }),
    rule("exclude-all", "waits when all moves are excluded", Analysing).must(INTERACTIVE).check(|program| {
        let mut heard = restricted(program, &["exclude all"])?;
        heard.0.extend(program.hear_no_move(Duration::from_secs(1))?.0);
        heard.has_no("no claim, and no line", |message| match message {
            Message::Thinking(line) => !line.text.is_empty(),
            message => matches!(message, Message::Result { .. } | Message::Resign) || is_refusal(message),
        })
    }),
    rule("setscore", "scores a position as `setscore` says, also from the one before", Analysing)
        .must(FRILLS)
        .check(|program| {
            const TOLD: i64 = 900;
            program.needs(Switch::SetScore)?;
            let before = program.hear_no_move(3 * QUIET)?;
            let Some(usual) = thoughts(&before).next_back().map(|line| line.score.value()) else {
                return Err(Failure::NotSeen("it shows no score in analysis".into()));
            };
            observe(usual < TOLD / 2, format!("its score is {usual}"))?;
            // Only a search finds which move leads to the told score, and that another one told does not matter.
            for (mv, told) in [("h2h3", -TOLD), ("g2g3", TOLD)] {
                program.play(&[mv])?;
                program.deal([format!("setscore {told}")])?.has_taken("`setscore`")?;
                program.deal(["undo"])?;
                program.game.undo();
                let (heard, processors) = program.watch(Duration::from_millis(1500))?;
                let last = thoughts(&heard).next_back();
                let leads_there = last.is_some_and(|line| {
                    line.score.value() > TOLD / 2 && line.text.split_whitespace().any(is_told_move)
                });
                let expected = format!("a score of about {TOLD} by h2h3, whose position was told as -{TOLD}");
                demand(leads_there, expected, heard.last_shown())?;
                observe(processors >= WORKING, format!("it uses {processors:.2} processors in analysis"))?;
            }
            Ok(())
        }),
    rule("hint", "answers `hint` with a legal move", At(MIDDLEGAME)).should(INTERACTIVE).check(|program| {
        program.tell(["hint"])?;
        let heard = program.hear_for(2 * QUIET)?;
        let hint = heard.messages().find_map(|message| match message {
            Message::Hint(text) => Some(text),
            _ => None,
        });
        let Some(text) = hint else { return Err(Failure::NotSupported("a hint".into())) };
        demand(program.game.parse_move(text).is_ok(), "a legal move", format!("`Hint: {text}`"))
    }),
    rule("bk", "answers `bk` with indented lines and an empty one", Forced).must(FRILLS).check(|program| {
        program.tell(["bk"])?;
        let mut heard = program.hear_for(QUIET)?;
        let end = heard.messages().position(|message| *message == Message::BookEnd);
        // What comes behind the empty line is no part of the answer.
        heard.0.truncate(end.ok_or_else(|| Failure::NotSupported("an answer to `bk`".into()))?);
        heard.has_no("indented lines and an empty one", |message| !matches!(message, Message::BookLine(_)))
    }),
];

/// A search in [`MIDDLEGAME`] and the most that was shown of it.
struct ShownThinking {
    /// In seconds.
    taken: f64,
    processors: f64,
    depth: i32,
    centiseconds: u64,
    nodes: u64,
}

/// Fails unless the program shows nodes, a possible time and a line of moves when it thinks.
fn shown_thinking(program: &mut CecpHarness) -> Checked<ShownThinking> {
    let game = program.game.clone();
    program.deal(["post", "easy"])?;
    let since = Instant::now();
    let (heard, processors) = program.work_of(|program| program.ask("go"))?;
    let taken = since.elapsed().as_secs_f64();
    let most = |value: fn(&ThinkingLine) -> u64| thoughts(&heard).map(value).max();
    let (Some(nodes), Some(centiseconds)) = (most(|line| line.nodes), most(|line| line.centiseconds)) else {
        return Err(Failure::new("lines of thinking", heard.shown()));
    };
    let limit = (100.0 * taken) as u64 + 5;
    let expected = format!("nodes, and at most {limit} centiseconds");
    demand(nodes > 0 && centiseconds <= limit, expected, heard.shown())?;
    // The specification leaves the text open.
    require(thoughts(&heard).any(|line| begins_legally(&game, &line.text)), "lines of moves")?;
    let depth = thoughts(&heard).map(|line| line.depth).max().unwrap_or_default();
    Ok(ShownThinking { taken, processors, depth, centiseconds, nodes })
}

/// Fails unless the program waits when it analyses a mate, and claims no wrong result.
fn analyses_mate(program: &mut CecpHarness, winner: Color) -> Checked {
    let heard = program.hear_no_move(QUIET)?;
    true_results(&heard, Some(winner))?;
    heard.has_taken("the position")
}

/// Asks an analysing program with `.` for its time, in centiseconds. Returns what came with it, too.
fn status_time(program: &mut CecpHarness) -> Checked<(u64, Transcript<Message>)> {
    program.tell(["."])?;
    let is_answer = |message: &Message| matches!(message, Message::Status(_) | Message::Error { .. });
    let heard = program.hear_until("`stat01: ...`", AT_ONCE, is_answer)?;
    match heard.last() {
        Some(Message::Status(status)) => Ok((status.centiseconds, heard)),
        _ => Err(Failure::new("`stat01: ...`", heard.last_shown())),
    }
}

/// Returns all messages of a search on a short clock, up to the move.
fn think(program: &mut CecpHarness, settings: &[&str]) -> Checked<Transcript<Message>> {
    program.tell(settings)?;
    program.hurry()?;
    program.settle()?;
    program.ask("go")
}

/// Whether a word of a line is the move h2h3, in coordinates or SAN.
fn is_told_move(word: &str) -> bool {
    word.ends_with("h2h3") || word.ends_with("h2-h3") || word == "h3"
}

/// Whether the first move of a line is legal.
fn begins_legally(game: &Game, text: &str) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == '.');
    let first = text.split_whitespace().find(|word| !is_number(word));
    first.is_some_and(|word| game.parse_move(word).is_ok())
}

fn shows(program: &mut CecpHarness, expected: &str, score: Score) -> Checked {
    let heard = think(program, &["post"])?;
    observe(heard.contains(is_thinking), "it shows no score")?;
    require(thoughts(&heard).any(|line| line.score.is_mate()), "mates as 100000 and more")?;
    let last = thoughts(&heard).next_back().map(|line| format!("`{line}`")).unwrap_or_default();
    demand(thoughts(&heard).any(|line| line.score == score), expected, last)
}

/// Whether a line contains words that GUIs look for in all lines.
fn is_stray(message: &Message) -> bool {
    const STRAY: [&str; 7] = [
        "Draw",
        "not found",
        "No such file",
        "Permission denied",
        "can't alloc",
        "Unknown host",
        "No remote directory",
    ];
    matches!(message, Message::Other(line) if STRAY.iter().any(|word| line.contains(word)))
}

/// Not seen unless the program shows its thoughts in analysis.
fn shows_analysis(program: &mut CecpHarness) -> Checked {
    let heard = program.hear_no_move(QUIET)?;
    observe(program.has_shown || heard.contains(is_thinking), "it shows nothing in analysis")
}

/// Fails unless the next lines of thinking output are about the current position. Not seen unless the program works.
fn analyses(program: &mut CecpHarness) -> Checked {
    let (heard, processors) = program.watch(Duration::from_secs(1))?;
    heard.has_no("no move", Cecp::is_move)?;
    let is_about_it = thoughts(&heard).any(|line| begins_legally(&program.game, &line.text));
    demand(is_about_it, format!("a line of {}", program.game.fen()), heard.shown())?;
    observe(processors >= WORKING, format!("it uses {processors:.2} processors in analysis"))
}

/// Returns the thinking output in analysis mode after some commands.
fn restricted(program: &mut CecpHarness, commands: &[&str]) -> Checked<Transcript<Message>> {
    program.needs(Switch::Exclude)?;
    shows_analysis(program)?;
    program.deal(commands)?.has_taken("the moves")?;
    program.hear_no_move(Duration::from_secs(1))
}
