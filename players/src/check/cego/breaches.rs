//! Messages that break the protocol: the engine ends, with a status that says so and a word on standard error.

use super::harness::CegoHarness;
use crate::check::positions::START;
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("breach-fields", "ends at a message with too few or too many fields", |program| {
        at_first(program, &[CLOCKS.to_owned(), format!("1000000000 0 1000000000 {START}")])?;
        later(program, &["1000000000 e7e5", "1000000000 1000000000 e7e5 d7d5"])
    }),
    rule("breach-space", "ends at surplus white space", |program| {
        at_first(program, &[format!("{CLOCKS}  {START}"), format!(" {CLOCKS} {START}")])?;
        at_first(program, &[format!("{CLOCKS} {START} ")])?;
        later(program, &["1000000000\t1000000000 e7e5"])
    }),
    rule("breach-empty", "ends at an empty line", |program| {
        at_first(program, &[String::new()])?;
        later(program, &[""])
    }),
    rule("breach-clock", "ends at clocks that are no numbers of 64 bits without a sign", |program| {
        let wrong = ["-1", "+1", "1.5", "1e9", "x", "99999999999999999999"];
        at_first(program, &wrong.map(|time| format!("{time} 0 1000000000 0 {START}")))
    }),
    rule("breach-fen", "ends at what is no FEN of six fields, or no legal position", |program| {
        let wrong = [
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
            "startpos",
        ];
        at_first(program, &wrong.map(|fen| format!("{CLOCKS} {fen}")))
    }),
    rule("breach-move", "ends at what is no move", |program| {
        later(program, &["E7E5", "e5", "resign"].map(|text| format!("1000000000 1000000000 {text}")))
    }),
    rule("breach-illegal", "ends at an illegal move", |program| {
        later(program, &["1000000000 1000000000 e7e4", "1000000000 1000000000 e7e5q"])
    }),
    rule("breach-order", "ends at a later message that comes first", |program| {
        at_first(program, &["1000000000 1000000000 e7e5".to_owned()])
    }),
];

const CLOCKS: &str = "1000000000 0 1000000000 0";

/// Each message is a breach before the first move.
fn at_first(candidate: &Candidate, breaches: &[String]) -> Result<(), Failure> {
    breaches.iter().try_for_each(|breach| CegoHarness::start(candidate)?.ends_at(breach))
}

/// Each message is a breach after the first move, with the engine White.
fn later<S: AsRef<str>>(candidate: &Candidate, breaches: &[S]) -> Result<(), Failure> {
    breaches.iter().try_for_each(|breach| CegoHarness::playing(candidate, START)?.ends_at(breach.as_ref()))
}
