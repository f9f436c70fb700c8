//! What an engine does as long as everybody keeps to the protocol.

use std::time::{Duration, Instant};

use super::bench::{AT_ONCE, Bench, SECOND};
use crate::check::positions::{MATE_IN_ONE, MATED_IN_ONE, MIDDLEGAME};
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule { label: "ready", duty: "says `ready` first, and nothing more before it is asked", check: ready },
    Rule {
        label: "first-move",
        duty: "answers the first message with a legal move, with either colour",
        check: first_move,
    },
    Rule {
        label: "later-moves",
        duty: "answers later messages with legal moves, and with nothing else",
        check: later_moves,
    },
    Rule {
        label: "special-moves",
        duty: "understands castling as the king's move, and promotion",
        check: special_moves,
    },
    Rule { label: "mates", duty: "mates in one, and falls silent", check: mates },
    Rule { label: "lost", duty: "moves or forfeits in a lost position", check: lost },
    Rule { label: "clock", duty: "keeps to its clock", check: clock },
    Rule { label: "clock-extremes", duty: "takes clocks of nothing, and of 64 bits", check: clock_extremes },
    Rule { label: "pondering", duty: "says nothing in the opponent's time", check: pondering },
    Rule { label: "long-wait", duty: "goes on when the opponent has taken its time", check: long_wait },
    Rule { label: "end-of-input", duty: "ends when the mediator closes its input", check: end_of_input },
];

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const QUIET: Duration = Duration::from_millis(500);

fn ready(candidate: &Candidate) -> Result<(), Miss> {
    Bench::start(candidate)?.hear_nothing(QUIET)
}

fn first_move(candidate: &Candidate) -> Result<(), Miss> {
    Bench::playing(candidate, START)?;
    Bench::playing(candidate, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").map(drop)
}

fn later_moves(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::playing(candidate, START)?;
    for _ in 0..4 {
        let reply = bench.game.coordinate(bench.game.legal_moves()[0]);
        bench.play(&reply)?;
        bench.hear_move()?;
    }
    bench.hear_nothing(QUIET)
}

fn special_moves(candidate: &Candidate) -> Result<(), Miss> {
    // Whatever the engine plays in these positions, the reply is legal.
    for (fen, reply) in [
        ("4k2r/8/8/8/8/8/8/K7 w k - 0 1", "e8g8"),
        ("4k3/8/8/8/8/8/1p6/7K w - - 0 1", "b2b1q"),
        ("4k3/8/8/8/8/8/1p6/7K w - - 0 1", "b2b1n"),
    ] {
        let mut bench = Bench::playing(candidate, fen)?;
        bench.play(reply)?;
        bench.hear_move()?;
    }
    Ok(())
}

fn mates(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::playing(candidate, MATE_IN_ONE)?;
    if bench.game.outcome().is_none() {
        return Err(Miss::failed("mate by a1a8", bench.game.fen()));
    }
    bench.hear_nothing(QUIET)
}

fn lost(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.first_move(MATED_IN_ONE)?;
    bench.hear_move_or_forfeit()
}

fn clock(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    let since = Instant::now();
    bench.first_move(MIDDLEGAME)?;
    bench.hear_move()?;
    let taken = since.elapsed().as_secs_f64();
    if taken > 1.0 {
        Err(Miss::failed("a move within 1 s", format!("one after {taken:.2} s")))
    } else {
        Ok(())
    }
}

fn clock_extremes(candidate: &Candidate) -> Result<(), Miss> {
    for clocks in ["0 0 0 0".to_owned(), format!("{SECOND} 0 {} {}", i64::MAX, i64::MAX)] {
        let mut bench = Bench::start(candidate)?;
        bench.tell(&format!("{clocks} {START}"))?;
        bench.hear_move()?;
    }
    Ok(())
}

fn pondering(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::playing(candidate, MIDDLEGAME)?;
    bench.hear_nothing(Duration::from_millis(1500))
}

fn long_wait(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::playing(candidate, MIDDLEGAME)?;
    bench.hear_nothing(Duration::from_millis(1500))?;
    let reply = bench.game.coordinate(bench.game.legal_moves()[0]);
    bench.play(&reply)?;
    bench.hear_move().map(drop)
}

fn end_of_input(candidate: &Candidate) -> Result<(), Miss> {
    Bench::playing(candidate, START)?.talk.end_input(AT_ONCE)
}
