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
        at_once(told)
    }),
    rule("move-now-idle", "says nothing to `?` when it doesn't think", Forced).usual(INTERACTIVE).check(
        |program| {
            program.takes(&["?"])?;
            program.hear_no_move(QUIET).map(drop)
        },
    ),
    rule("undisturbed", "thinks on when thinking output and pondering are turned on and off", Thinking)
        .usual(ENGINE)
        .check(|program| {
            program.tell(["nopost", "post", "hard", "easy"])?;
            thinks_on(program)?;
            program.hear_move(program.patience).map(drop)
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
    rule("pause", "stands still from `pause` to `resume`, and goes on", ThinkingFor(1)).must(CONTROL).check(
        |program| {
            program.needs(Switch::Pause)?;
            program.tell(["pause"])?;
            program.hear_no_move(Duration::from_secs(3))?;
            let resumed = Instant::now();
            program.ask("resume")?;
            let has_thought = resumed.elapsed() >= Duration::from_millis(100);
            demand(has_thought, "that the pause doesn't count as thinking", "a move at once after `resume`")
        },
    ),
    rule("pause-analysing", "stands still between them while it analyses, too", Analysing)
        .must(CONTROL)
        .check(|program| {
            program.needs(Switch::Pause)?;
            program.hear_no_move(QUIET)?;
            program.tell(["pause"])?;
            program.hear_for(QUIET)?;
            // Iterations take ever longer: within twice the time of the analysis so far, one of them ends.
            program.hear_for(4 * QUIET)?.has_no("silence during the pause", is_thinking)?;
            program.deal(["resume", "exit"]).map(drop)
        }),
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

/// Fails unless the program continues its search, whatever commands it got meanwhile.
///
/// [`Failure::NotSeen`] if it also moves early without commands.
pub(super) fn thinks_on(program: &mut CecpHarness) -> Checked<Transcript<Message>> {
    program.hear_no_move(QUIET).or_else(|failure| {
        let left_alone = Thinking.reach(&program.candidate)?.hear_no_move(QUIET);
        observe(
            left_alone.is_ok(),
            format!("it moves early under `st {LONG_THINK}`, with and without commands"),
        )?;
        Err(failure)
    })
}
