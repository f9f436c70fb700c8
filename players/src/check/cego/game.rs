//! What an engine does as long as everybody keeps to the protocol.

use std::time::{Duration, Instant};

use super::harness::{CegoHarness, SECOND};
use crate::check::harness::{AT_ONCE, QUIET, demand, within};
use crate::check::positions::{MATE_IN_ONE, MATED_IN_ONE, MIDDLEGAME, START};
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("ready", "says `ready` first, and nothing more before it is asked", |program| {
        CegoHarness::start(program)?.hear_nothing(QUIET)
    }),
    rule("first-move", "answers the first message with a legal move, with either colour", |program| {
        CegoHarness::playing(program, START)?;
        CegoHarness::playing(program, AFTER_E4).map(drop)
    }),
    rule("later-moves", "answers later messages with legal moves, and with nothing else", later_moves),
    rule("special-moves", "understands castling as the king's move, and promotion", special_moves),
    rule("mates", "mates in one, and falls silent", mates),
    rule("lost", "moves or forfeits in a lost position", |program| {
        let mut harness = CegoHarness::start(program)?;
        harness.first_move(MATED_IN_ONE)?;
        harness.hear_move_or_forfeit()
    }),
    rule("clock", "keeps to its clock", clock),
    rule("clock-extremes", "takes clocks of nothing, and of 64 bits", clock_extremes),
    rule("pondering", "says nothing in the opponent's time", |program| {
        CegoHarness::playing(program, MIDDLEGAME)?.hear_nothing(LONG_WAIT)
    }),
    rule("long-wait", "goes on when the opponent has taken its time", long_wait),
    rule("end-of-input", "ends when the mediator closes its input", |program| {
        CegoHarness::playing(program, START)?.end_input(AT_ONCE)
    }),
];

const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
const LONG_WAIT: Duration = Duration::from_millis(1500);

fn later_moves(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CegoHarness::playing(candidate, START)?;
    for _ in 0..4 {
        harness.play(&harness.any_move()?)?;
        harness.hear_move()?;
    }
    harness.hear_nothing(QUIET)
}

fn special_moves(candidate: &Candidate) -> Result<(), Failure> {
    // Whatever the engine plays in these positions, the reply is legal.
    for (fen, reply) in [
        ("4k2r/8/8/8/8/8/8/K7 w k - 0 1", "e8g8"),
        ("4k3/8/8/8/8/8/1p6/7K w - - 0 1", "b2b1q"),
        ("4k3/8/8/8/8/8/1p6/7K w - - 0 1", "b2b1n"),
    ] {
        let mut harness = CegoHarness::playing(candidate, fen)?;
        harness.play(reply)?;
        harness.hear_move()?;
    }
    Ok(())
}

fn mates(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CegoHarness::playing(candidate, MATE_IN_ONE)?;
    demand(harness.game.outcome().is_some(), "mate by a1a8", harness.game.fen())?;
    harness.hear_nothing(QUIET)
}

fn clock(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CegoHarness::start(candidate)?;
    let since = Instant::now();
    harness.first_move(MIDDLEGAME)?;
    harness.hear_move()?;
    within(1.0, since.elapsed())
}

fn clock_extremes(candidate: &Candidate) -> Result<(), Failure> {
    for clocks in ["0 0 0 0".to_owned(), format!("{SECOND} 0 {} {}", i64::MAX, i64::MAX)] {
        let mut harness = CegoHarness::start(candidate)?;
        harness.tell(&[&format!("{clocks} {START}")])?;
        harness.hear_move()?;
    }
    Ok(())
}

fn long_wait(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CegoHarness::playing(candidate, MIDDLEGAME)?;
    harness.hear_nothing(LONG_WAIT)?;
    harness.play(&harness.any_move()?)?;
    harness.hear_move()
}
