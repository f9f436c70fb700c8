//! Messages that break the protocol: the engine ends, with a status that says so and a word on standard error.

use super::bench::Bench;
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule { label: "breach-fields", duty: "ends at a message with too few or too many fields", check: fields },
    Rule { label: "breach-space", duty: "ends at surplus white space", check: space },
    Rule { label: "breach-empty", duty: "ends at an empty line", check: empty },
    Rule {
        label: "breach-clock",
        duty: "ends at clocks that are no numbers of 64 bits without a sign",
        check: clocks,
    },
    Rule {
        label: "breach-fen",
        duty: "ends at what is no FEN of six fields, or no legal position",
        check: fen,
    },
    Rule { label: "breach-move", duty: "ends at what is no move", check: no_move },
    Rule { label: "breach-illegal", duty: "ends at an illegal move", check: illegal_move },
    Rule { label: "breach-order", duty: "ends at a later message that comes first", check: order },
];

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const CLOCKS: &str = "1000000000 0 1000000000 0";

/// Each message is a breach before the first move.
fn at_first(candidate: &Candidate, breaches: &[String]) -> Result<(), Miss> {
    breaches.iter().try_for_each(|breach| Bench::start(candidate)?.ends_at(breach))
}

/// Each message is a breach after the first move, with the engine White.
fn later(candidate: &Candidate, breaches: &[&str]) -> Result<(), Miss> {
    breaches.iter().try_for_each(|breach| Bench::playing(candidate, START)?.ends_at(breach))
}

fn fields(candidate: &Candidate) -> Result<(), Miss> {
    at_first(candidate, &[CLOCKS.to_owned(), format!("1000000000 0 1000000000 {START}")])?;
    later(candidate, &["1000000000 e7e5", "1000000000 1000000000 e7e5 d7d5"])
}

fn space(candidate: &Candidate) -> Result<(), Miss> {
    at_first(
        candidate,
        &[format!("{CLOCKS}  {START}"), format!(" {CLOCKS} {START}"), format!("{CLOCKS} {START} ")],
    )?;
    later(candidate, &["1000000000\t1000000000 e7e5"])
}

fn empty(candidate: &Candidate) -> Result<(), Miss> {
    at_first(candidate, &[String::new()])?;
    later(candidate, &[""])
}

fn clocks(candidate: &Candidate) -> Result<(), Miss> {
    let wrong = ["-1", "+1", "1.5", "1e9", "x", "99999999999999999999"];
    at_first(candidate, &wrong.map(|time| format!("{time} 0 1000000000 0 {START}")))
}

fn fen(candidate: &Candidate) -> Result<(), Miss> {
    let wrong = [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "startpos",
    ];
    at_first(candidate, &wrong.map(|fen| format!("{CLOCKS} {fen}")))
}

fn no_move(candidate: &Candidate) -> Result<(), Miss> {
    later(
        candidate,
        &["1000000000 1000000000 E7E5", "1000000000 1000000000 e5", "1000000000 1000000000 resign"],
    )
}

fn illegal_move(candidate: &Candidate) -> Result<(), Miss> {
    later(candidate, &["1000000000 1000000000 e7e4", "1000000000 1000000000 e7e5q"])
}

fn order(candidate: &Candidate) -> Result<(), Miss> {
    at_first(candidate, &["1000000000 1000000000 e7e5".to_owned()])
}
