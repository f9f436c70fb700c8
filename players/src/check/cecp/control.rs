//! What may come while the program thinks, ponders or does nothing.

use std::time::{Duration, Instant};

use messages::cecp::{Message, Switch};

use super::harness::{CecpHarness, LONG_THINK, is_thinking};
use crate::cecp::Cecp;
use crate::check::harness::{AT_ONCE, CheckedProtocol as _, QUIET, Transcript, demand, require};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("ping", "answers each `ping` with one `pong`, in order", ping),
    rule("ping-thinking", "answers a `ping` in its own time after its move", ping_thinking),
    rule("ping-pondering", "answers a `ping` while pondering at once, and ponders on", ping_pondering),
    rule("force-silent", "breaks off at `force`, and doesn't move", |program| {
        let mut harness = CecpHarness::thinking(program, LONG_THINK)?;
        harness.break_off("force")?;
        harness.has_position("h2h3")
    }),
    rule("new-silent", "breaks off at `new`, and doesn't move", |program| {
        CecpHarness::thinking(program, LONG_THINK)?.break_off("new")
    }),
    rule("ponder-silent", "doesn't move while it ponders, but when it is its turn", ponder_silent),
    rule("move-now", "moves at once at `?`", move_now),
    rule("move-now-idle", "says nothing to `?` when it doesn't think", move_now_idle),
    rule("undisturbed", "thinks on when thinking output and pondering are turned on and off", undisturbed),
    rule(
        "unknown-command",
        "answers an unknown command with `Error`, not with `Illegal move`",
        unknown_command,
    ),
    rule("quit-thinking", "ends at `quit` while it thinks", quit_thinking),
    rule("quit-analysing", "ends at `quit` while it analyses", quit_analysing),
    rule("end-of-input", "ends at the end of its input while it thinks", |program| {
        CecpHarness::thinking(program, LONG_THINK)?.end_input(AFTER_THINKING)
    }),
    rule("pause", "stands still from `pause` to `resume`, and goes on", pause),
    rule("pause-analysing", "stands still between them while it analyses, too", pause_analysing),
    rule("pause-other", "obeys no other command during a pause", pause_other),
];

/// How long something may take that takes no time, for a program that first thinks to the end.
const AFTER_THINKING: Duration = Duration::from_secs(AT_ONCE.as_secs() + LONG_THINK as u64);

fn ping(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::with_feature(candidate, Switch::Ping)?;
    harness.settle()?;
    harness.tell(&["new", "ping 71", "force", "ping 72", "ping 73"])?;
    let heard = harness.hear_for(2 * QUIET)?;
    let pongs = heard.messages().filter(|message| matches!(message, Message::Pong(_)));
    demand(pongs.eq([71, 72, 73].map(Message::Pong).iter()), "`pong 71` `pong 72` `pong 73`", heard.shown())
}

fn ping_thinking(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, 2)?;
    harness.needs(Switch::Ping)?;
    harness.tell(&["ping 77"])?;
    let is_pong = |message: &Message| *message == Message::Pong(77);
    harness.hear_move()?.has_no("the move before `pong 77`", is_pong)?;
    harness.hear_until("`pong 77` after the move", AT_ONCE, is_pong).map(drop)
}

/// Pondering, after a move of its own.
fn pondering(candidate: &Candidate) -> Result<CecpHarness, Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    harness.tell(&["new", "force", "hard", "post"])?;
    harness.hurry()?;
    harness.play(&["a2a3", "h7h6", "h2h3"])?;
    harness.settle()?;
    harness.go()?;
    Ok(harness)
}

fn ping_pondering(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = pondering(candidate)?;
    harness.needs(Switch::Ping)?;
    harness.hear_no_move(QUIET)?;
    harness.tell(&["ping 78"])?;
    let heard = harness.hear_until("`pong 78`", AT_ONCE, |message| *message == Message::Pong(78))?;
    heard.has_no("no move", Cecp::is_move)?;
    harness.hear_no_move(QUIET).map(drop)
}

fn ponder_silent(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = pondering(candidate)?;
    harness.hear_no_move(Duration::from_millis(1500))?;
    harness.play(&[&harness.any_move()?])?;
    harness.hear_move().map(drop)
}

fn move_now(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, LONG_THINK)?;
    let told = Instant::now();
    harness.tell(&["?"])?;
    at_once(harness.hear_move()?.took(told))
}

/// Whether what follows from a command came at once, or when the program had thought.
fn at_once(taken: Duration) -> Result<(), Failure> {
    require(taken <= AT_ONCE, "reading while it thinks")
}

fn move_now_idle(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.settle()?;
    harness.takes(&["?"])?;
    harness.hear_no_move(QUIET).map(drop)
}

fn undisturbed(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, LONG_THINK)?;
    harness.tell(&["nopost", "post", "hard", "easy"])?;
    thinks_on(candidate, &mut harness, QUIET)?;
    harness.hear_move().map(drop)
}

/// The program thinks on for a time, whatever it was told meanwhile.
///
/// [`Failure::NotSupported`] if it thinks no longer when it is told nothing.
pub(super) fn thinks_on(
    candidate: &Candidate,
    harness: &mut CecpHarness,
    time: Duration,
) -> Result<Transcript<Message>, Failure> {
    harness.hear_no_move(time).or_else(|failure| {
        let left_alone = CecpHarness::thinking(candidate, LONG_THINK)?.hear_no_move(time);
        require(left_alone.is_ok(), format!("a search of {LONG_THINK} s"))?;
        Err(failure)
    })
}

fn unknown_command(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.settle()?;
    harness.tell(&["xyzzy 7"])?;
    let heard = harness.settle()?;
    heard.has(
        "`Error (unknown command): xyzzy 7`",
        |message| matches!(message, Message::Error { command, .. } if command.contains("xyzzy")),
    )?;
    heard.has_no("no `Illegal move`", |message| matches!(message, Message::IllegalMove { .. }))
}

fn quit_thinking(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, LONG_THINK)?;
    let told = Instant::now();
    harness.tell(&["quit"])?;
    harness.hear_end(AFTER_THINKING)?;
    at_once(told.elapsed())
}

fn quit_analysing(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    harness.hear_no_move(QUIET)?;
    harness.tell(&["quit"])?;
    harness.hear_end(AT_ONCE)
}

fn pause(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, 1)?;
    harness.needs(Switch::Pause)?;
    harness.tell(&["pause"])?;
    harness.hear_no_move(Duration::from_secs(3))?;
    let resumed = Instant::now();
    harness.tell(&["resume"])?;
    let has_thought = harness.hear_move()?.took(resumed) >= Duration::from_millis(100);
    demand(has_thought, "that the pause doesn't count as thinking", "a move at once after `resume`")
}

fn pause_analysing(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::analysing(candidate, MIDDLEGAME)?;
    harness.needs(Switch::Pause)?;
    harness.hear_no_move(QUIET)?;
    harness.tell(&["pause"])?;
    harness.hear_for(QUIET)?;
    // Iterations take ever longer: in twice the time that the analysis has run there will be one to tell of.
    harness.hear_for(4 * QUIET)?.has_no("silence during the pause", is_thinking)?;
    harness.tell(&["resume", "exit"])?;
    harness.settle().map(drop)
}

fn pause_other(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, 1)?;
    harness.needs(Switch::Pause)?;
    harness.tell(&["pause", "hint"])?;
    let heard = harness.hear_for(QUIET)?;
    heard.has_no("`Error (paused): hint`", |message| {
        Cecp::is_move(message) || matches!(message, Message::Hint(_) | Message::IllegalMove { .. })
    })?;
    harness.tell(&["resume"])?;
    harness.hear_move()?;
    // It should not be told anything, and so need not answer.
    require(heard.contains(|message| matches!(message, Message::Error { .. })), "an answer")
}
