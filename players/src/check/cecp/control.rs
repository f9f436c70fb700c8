//! Commands that come while the program thinks, ponders or is idle.

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("ping", "answers each `ping` with one `pong`, in order", Greeted).must(CONTROL).check(|program| {
        program.needs(Switch::Ping)?;
        program.tell(["new", "ping 71", "force", "ping 72", "ping 73"])?;
        let heard = program.hear_for(2 * QUIET)?;
        let pongs = heard.messages().filter(|message| matches!(message, Message::Pong(_)));
        let are_three = pongs.eq([71, 72, 73].map(Message::Pong).iter());
        demand(are_three, "`pong 71` `pong 72` `pong 73`", heard.shown())
    }),
    rule("ping-thinking", "answers a `ping` in its own time after its move", ThinkingFor(2))
        .must(CONTROL)
        .check(|program| {
            program.needs(Switch::Ping)?;
            program.tell(["ping 77"])?;
            let is_pong = |message: &Message| *message == Message::Pong(77);
            program.hear_move(program.patience)?.has_no("the move before `pong 77`", is_pong)?;
            program.hear_until("`pong 77` after the move", AT_ONCE, is_pong).map(drop)
        }),
    rule("ping-pondering", "answers a `ping` while pondering at once, and ponders on", Pondering)
        .must(CONTROL)
        .check(|program| {
            program.needs(Switch::Ping)?;
            program.hear_no_move(QUIET)?;
            program.tell(["ping 78"])?;
            let is_pong = |message: &Message| *message == Message::Pong(78);
            program.hear_until("`pong 78`", AT_ONCE, is_pong)?.has_no("no move", Cecp::is_move)?;
            program.hear_no_move(QUIET).map(drop)
        }),
    rule("force-silent", "breaks off at `force`, and doesn't move", Thinking).usual(GAME).check(|program| {
        program.break_off("force")?;
        program.has_position("h2h3")
    }),
    rule("reads-thinking", "obeys `force` while it thinks, and rests then", Thinking).usual(CONTROL).check(
        |program| {
            program.needs(Switch::Ping)?;
            let told = Instant::now();
            let heard = program.deal(["force"])?;
            let seconds = told.elapsed().as_secs_f64();
            let expected = "that it breaks off at once";
            heard.has_no(expected, Cecp::is_move)?;
            demand(told.elapsed() <= AT_ONCE, expected, format!("`pong` after {seconds:.1} s"))?;
            program.rests("in force mode", QUIET).map(drop)
        },
    ),
    rule("new-silent", "breaks off at `new`, and doesn't move", Thinking)
        .usual(GAME)
        .check(|program| program.break_off("new")),
    rule("ponder-silent", "doesn't move while it ponders, but when it is its turn", Pondering)
        .must(ENGINE)
        .check(|program| {
            program.hear_no_move(Duration::from_millis(1500))?;
            program.play(&[&program.any_move()?])?;
            program.hear_move(program.patience).map(drop)
        }),
    rule("move-now", "moves at once at `?`", Thinking).usual(INTERACTIVE).check(|program| {
        let told = Instant::now();
        program.ask("?")?;
        at_once(told)?;
        // Its time may have been over, anyway.
        let alone = Thinking.reach(&program.candidate)?.hear_for(told.elapsed() + QUIET / 2)?;
        observe(!alone.contains(Cecp::is_move), "it moves as early without `?`")
    }),
    rule("move-now-idle", "says nothing to `?` when it doesn't think", Forced).usual(INTERACTIVE).check(
        |program| {
            program.takes(&["?"])?;
            program.hear_no_move(QUIET)?;
            // Whether it reads `?` is seen when it thinks.
            program.think(LONG_THINK)?;
            let told = Instant::now();
            program.ask("?").map_err(Failure::unseen)?;
            observe(told.elapsed() < QUIET, "it doesn't obey `?` when it thinks, either")
        },
    ),
    rule("undisturbed", "thinks on when thinking output and pondering are turned on and off", Thinking)
        .usual(ENGINE)
        .check(|program| {
            program.tell(["nopost", "hard", "easy"])?;
            thinks_on(program)?;
            program.hear_move(program.patience)?;
            observe(!program.works(QUIET)?, "it works in the opponent's time after `easy`")?;
            program.tell(["st 1"])?;
            program.play(&[&program.any_move()?])?;
            let hidden = program.hear_no_move(QUIET / 2)?;
            observe(!hidden.contains(is_thinking), "it shows what it thinks after `nopost`")?;
            program.tell(["post", "hard"])?;
            program.hear_move(program.patience)?;
            observe(program.works(QUIET)?, "it doesn't ponder after `hard`")?;
            program.play(&[&program.any_move()?])?;
            let shown = program.hear_move(program.patience)?;
            observe(shown.contains(is_thinking), "it doesn't show what it thinks after `post`")
        }),
    rule("unknown-command", "answers an unknown command with `Error`, not with `Illegal move`", Forced)
        .must(ERRORS)
        .check(|program| {
            let heard = program.deal(["xyzzy 7"])?;
            heard.has(
                "`Error (unknown command): xyzzy 7`",
                |message| matches!(message, Message::Error { command, .. } if command.contains("xyzzy")),
            )?;
            heard.has_no("no `Illegal move`", |message| matches!(message, Message::IllegalMove { .. }))
        }),
    rule("quit-thinking", "ends at `quit` while it thinks", Thinking).must(CONTROL).check(|program| {
        let told = Instant::now();
        program.tell(["quit"])?;
        program.hear_end(AFTER_THINKING)?;
        at_once(told)
    }),
    rule("quit-analysing", "ends at `quit` while it analyses", Analysing).must(CONTROL).check(|program| {
        program.hear_no_move(QUIET)?;
        program.tell(["quit"])?;
        program.hear_end(AT_ONCE)
    }),
    rule("end-of-input", "ends at the end of its input while it thinks", Thinking)
        .usual(CONTROL)
        .check(|program| program.end_input(AFTER_THINKING)),
    rule("sigterm", "ends at SIGTERM, unless it said `sigterm=0`", Greeted).usual(CONTROL).check(|program| {
        program.needs(Switch::Sigterm)?;
        program.stream.terminate();
        program.hear_end(AT_ONCE)
    }),
    rule("crlf", "takes lines that end with CR LF", Forced).usual(CONTROL).check(|program| {
        program.hurry()?;
        program.follow(&["e2e4"]);
        let usermove = program.move_command("e2e4");
        program.stream.tell_bytes(format!("{usermove}\r\ngo\r\n").as_bytes())?;
        program.hear_move(program.patience).map(drop)
    }),
    rule("split-line", "takes a line that comes in two pieces", Forced).must(CONTROL).check(|program| {
        program.hurry()?;
        program.follow(&["e2e4"]);
        let usermove = program.move_command("e2e4");
        let (begin, end) = usermove.split_at(usermove.len() - 2);
        program.stream.tell_bytes(begin.as_bytes())?;
        program.hear_no_move(QUIET / 2)?;
        program.stream.tell_bytes(format!("{end}\n").as_bytes())?;
        program.settle()?.has_taken(&format!("`{usermove}`"))?;
        program.ask("go").map(drop)
    }),
    rule("long-line", "plays on after a line of 3000 characters", Forced).usual(CONTROL).check(|program| {
        let comment = "x".repeat(3000);
        program.stops_at(&format!("result 1/2-1/2 {{{comment}}}"))?;
        program.still_plays()
    }),
    rule("pause", "rests from `pause` to `resume`, and goes on", ThinkingFor(1)).must(CONTROL).check(
        |program| {
            program.needs(Switch::Pause)?;
            program.tell(["pause"])?;
            let heard = program.rests("during the pause", Duration::from_millis(1500))?;
            heard.has_no("no move", Cecp::is_move)?;
            let resumed = Instant::now();
            program.ask("resume")?;
            let has_thought = resumed.elapsed() >= Duration::from_millis(100);
            demand(has_thought, "that the pause doesn't count as thinking", "a move at once after `resume`")
        },
    ),
    rule("pause-dropped", "takes `new` and `force` as the end of a pause, as GUIs send them", ThinkingFor(2))
        .usual(CONTROL)
        .check(|program| {
            program.needs(Switch::Pause)?;
            program.tell(["pause"])?;
            program
                .rests("during the pause", QUIET)
                .map_err(Failure::unseen)?
                .has_no("no move", Cecp::is_move)?;
            program.still_plays()?;
            program.tell(["pause", "force"])?;
            program.set_up(ENDGAME)?;
            program.settle()?.has_taken("the position")?;
            program.hurry()?;
            program.ask("go").map(drop)
        }),
    rule("pause-analysing", "rests between them while it analyses, too", Analysing).must(CONTROL).check(
        |program| {
            program.needs(Switch::Pause)?;
            program.tell(["pause"])?;
            program.hear_for(QUIET)?;
            program.rests("during the pause", 2 * QUIET)?.has_no("silence during the pause", is_thinking)?;
            program.tell(["resume"])?;
            program.proves_thought("after `resume`")?;
            program.deal(["exit"]).map(drop)
        },
    ),
    rule("pause-other", "obeys no other command during a pause", ThinkingFor(1)).must(CONTROL).check(
        |program| {
            program.needs(Switch::Pause)?;
            program.tell(["pause", "hint"])?;
            let heard = program.hear_for(QUIET)?;
            heard.has_no("`Error (paused): hint`", |message| {
                Cecp::is_move(message) || matches!(message, Message::Hint(_) | Message::IllegalMove { .. })
            })?;
            program.ask("resume")?;
            // No command should come during a pause, so an answer is optional.
            require(heard.contains(is_error), "an answer")
        },
    ),
];

/// Time limit for an immediate answer of a program that first completes its search.
const AFTER_THINKING: Duration = Duration::from_secs(AT_ONCE.as_secs() + LONG_THINK as u64);

/// Not supported unless the effect of a command came at once, not after the search.
fn at_once(told: Instant) -> Checked {
    require(told.elapsed() <= AT_ONCE, "reading while it thinks")
}

/// Whether the program, started anew and left alone, thinks on for a time, each time: the time of some programs varies.
pub(super) fn thinks_alone(program: &CecpHarness, time: Duration) -> Checked<bool> {
    for _ in 0..2 {
        if Thinking.reach(&program.candidate)?.hear_for(time)?.contains(Cecp::is_move) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Fails unless the program continues its search, whatever commands it got meanwhile.
///
/// [`Failure::NotSeen`] if it also moves early without commands.
pub(super) fn thinks_on(program: &mut CecpHarness) -> Checked<Transcript<Message>> {
    program.hear_no_move(QUIET).or_else(|failure| {
        let reason = format!("it moves early under `st {LONG_THINK}`, with and without commands");
        observe(thinks_alone(program, 4 * QUIET)?, reason)?;
        Err(failure)
    })
}
