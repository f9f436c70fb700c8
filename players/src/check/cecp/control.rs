//! What may come while the program thinks, ponders or does nothing.

use std::time::{Duration, Instant};

use messages::cecp::{Message, Switch};

use super::bench::{AT_ONCE, Bench, Heard, LONG_THINK, QUIET, moved, took};
use crate::check::conversation::{none, seen, some};
use crate::check::positions::MIDDLEGAME;
use crate::check::{Candidate, Miss, Rule};
use crate::stream::Said;

pub(super) const RULES: &[Rule] = &[
    Rule { label: "ping", duty: "answers each `ping` with one `pong`, in order", check: ping },
    Rule {
        label: "ping-thinking",
        duty: "answers a `ping` in its own time after its move",
        check: ping_thinking,
    },
    Rule {
        label: "ping-pondering",
        duty: "answers a `ping` while pondering at once, and ponders on",
        check: ping_pondering,
    },
    Rule { label: "force-silent", duty: "breaks off at `force`, and doesn't move", check: force_silent },
    Rule { label: "new-silent", duty: "breaks off at `new`, and doesn't move", check: new_silent },
    Rule {
        label: "ponder-silent",
        duty: "doesn't move while it ponders, but when it is its turn",
        check: ponder_silent,
    },
    Rule { label: "move-now", duty: "moves at once at `?`", check: move_now },
    Rule { label: "move-now-idle", duty: "says nothing to `?` when it doesn't think", check: move_now_idle },
    Rule {
        label: "undisturbed",
        duty: "thinks on when thinking output and pondering are turned on and off",
        check: undisturbed,
    },
    Rule {
        label: "unknown-command",
        duty: "answers an unknown command with `Error`, not with `Illegal move`",
        check: unknown_command,
    },
    Rule { label: "quit-thinking", duty: "ends at `quit` while it thinks", check: quit_thinking },
    Rule { label: "quit-analysing", duty: "ends at `quit` while it analyses", check: quit_analysing },
    Rule { label: "end-of-input", duty: "ends at the end of its input while it thinks", check: end_of_input },
    Rule { label: "pause", duty: "stands still from `pause` to `resume`, and goes on", check: pause },
    Rule {
        label: "pause-analysing",
        duty: "stands still between them while it analyses, too",
        check: pause_analysing,
    },
    Rule { label: "pause-other", duty: "obeys no other command during a pause", check: pause_other },
];

fn is_move(message: &Message) -> bool {
    moved(message).is_some()
}

fn ping(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::with(candidate, Switch::Ping)?;
    bench.settle()?;
    bench.tell(&["new", "ping 71", "force", "ping 72", "ping 73"])?;
    let heard = bench.talk.hear_for(2 * QUIET)?;
    let pongs: Vec<&Message> = heard
        .iter()
        .map(|said| &said.message)
        .filter(|message| matches!(message, Message::Pong(_)))
        .collect();
    if pongs == [71, 72, 73].map(Message::Pong).iter().collect::<Vec<_>>() {
        Ok(())
    } else {
        Err(Miss::failed("`pong 71` `pong 72` `pong 73`", seen(&heard)))
    }
}

fn ping_thinking(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, 2)?;
    bench.needs(Switch::Ping)?;
    bench.tell(&["ping 77"])?;
    let heard = bench.hear_move()?;
    none(&heard, "the move before `pong 77`", |message| *message == Message::Pong(77))?;
    bench
        .talk
        .hear_until("`pong 77` after the move", AT_ONCE, |message| *message == Message::Pong(77))
        .map(drop)
}

/// Pondering, after a move of its own.
fn pondering(candidate: &Candidate) -> Result<Bench, Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.tell(&["new", "force", "hard", "post"])?;
    bench.hurry()?;
    bench.play(&["a2a3", "h7h6", "h2h3"])?;
    bench.settle()?;
    bench.tell(&["go"])?;
    bench.hear_move()?;
    Ok(bench)
}

fn ping_pondering(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = pondering(candidate)?;
    bench.needs(Switch::Ping)?;
    bench.hear_no_move(QUIET)?;
    bench.tell(&["ping 78"])?;
    let heard = bench.talk.hear_until("`pong 78`", AT_ONCE, |message| *message == Message::Pong(78))?;
    none(&heard, "no move", is_move)?;
    bench.hear_no_move(QUIET).map(drop)
}

fn ponder_silent(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = pondering(candidate)?;
    bench.hear_no_move(Duration::from_millis(1500))?;
    let legal = bench.game.legal_moves()[0];
    let text = bench.game.coordinate(legal);
    bench.play(&[&text])?;
    bench.hear_move().map(drop)
}

fn force_silent(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, LONG_THINK)?;
    bench.break_off("force")?;
    bench.has_position("h2h3")
}

fn new_silent(candidate: &Candidate) -> Result<(), Miss> {
    Bench::thinking(candidate, LONG_THINK)?.break_off("new")
}

fn move_now(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, LONG_THINK)?;
    let told = Instant::now();
    bench.tell(&["?"])?;
    at_once(took(told, &bench.hear_move()?))
}

/// Whether what follows from a command came at once, or when the program had thought.
fn at_once(taken: Duration) -> Result<(), Miss> {
    if taken <= AT_ONCE { Ok(()) } else { Err(Miss::NotSupported("reading while it thinks".into())) }
}

fn move_now_idle(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.settle()?;
    bench.takes(&["?"])?;
    bench.hear_no_move(QUIET).map(drop)
}

fn undisturbed(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, LONG_THINK)?;
    bench.tell(&["nopost", "post", "hard", "easy"])?;
    thinks_on(candidate, &mut bench, QUIET)?;
    bench.hear_move().map(drop)
}

/// The program thinks on for a time, whatever it was told meanwhile.
///
/// [`Miss::NotSupported`] if it thinks no longer when it is told nothing.
pub(super) fn thinks_on(candidate: &Candidate, bench: &mut Bench, time: Duration) -> Result<Heard, Miss> {
    bench.hear_no_move(time).or_else(|miss| {
        let left_alone = Bench::thinking(candidate, LONG_THINK)?.hear_no_move(time);
        left_alone.map_err(|_| Miss::NotSupported(format!("a search of {LONG_THINK} s")))?;
        Err(miss)
    })
}

fn unknown_command(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.settle()?;
    bench.tell(&["xyzzy 7"])?;
    let heard = bench.settle()?;
    some(
        &heard,
        "`Error (unknown command): xyzzy 7`",
        |message| matches!(message, Message::Error { command, .. } if command.contains("xyzzy")),
    )?;
    none(&heard, "no `Illegal move`", |message| matches!(message, Message::IllegalMove { .. }))
}

fn quit_thinking(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, LONG_THINK)?;
    let told = Instant::now();
    bench.tell(&["quit"])?;
    bench.talk.hear_end(AT_ONCE + Duration::from_secs(LONG_THINK.into()))?;
    at_once(told.elapsed())
}

fn quit_analysing(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    bench.hear_no_move(QUIET)?;
    bench.tell(&["quit"])?;
    bench.talk.hear_end(AT_ONCE)
}

fn end_of_input(candidate: &Candidate) -> Result<(), Miss> {
    let bench = Bench::thinking(candidate, LONG_THINK)?;
    bench.talk.end_input(AT_ONCE + Duration::from_secs(LONG_THINK.into()))
}

fn pause(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, 1)?;
    bench.needs(Switch::Pause)?;
    bench.tell(&["pause"])?;
    bench.hear_no_move(Duration::from_secs(3))?;
    let resumed = Instant::now();
    bench.tell(&["resume"])?;
    let heard = bench.hear_move()?;
    if took(resumed, &heard) < Duration::from_millis(100) {
        return Err(Miss::failed(
            "that the pause doesn't count as thinking",
            "a move at once after `resume`",
        ));
    }
    Ok(())
}

fn pause_analysing(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::analysing(candidate, MIDDLEGAME)?;
    bench.needs(Switch::Pause)?;
    bench.hear_no_move(QUIET)?;
    bench.tell(&["pause"])?;
    bench.talk.hear_for(QUIET)?;
    // Iterations take ever longer: in twice the time that the analysis has run there will be one to tell of.
    let heard = bench.talk.hear_for(4 * QUIET)?;
    none(&heard, "silence during the pause", |message| matches!(message, Message::Thinking(_)))?;
    bench.tell(&["resume", "exit"])?;
    bench.settle().map(drop)
}

fn pause_other(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, 1)?;
    bench.needs(Switch::Pause)?;
    bench.tell(&["pause", "hint"])?;
    let heard = bench.talk.hear_for(QUIET)?;
    none(&heard, "`Error (paused): hint`", |message| {
        is_move(message) || matches!(message, Message::Hint(_) | Message::IllegalMove { .. })
    })?;
    bench.tell(&["resume"])?;
    bench.hear_move()?;
    // It should not be told anything, and so need not answer.
    let is_error = |said: &Said<Message>| matches!(said.message, Message::Error { .. });
    if heard.iter().any(is_error) { Ok(()) } else { Err(Miss::NotSupported("an answer".into())) }
}
