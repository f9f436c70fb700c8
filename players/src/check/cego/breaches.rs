//! Messages that break the protocol: the engine must end with a failure status and a message on standard error.

use super::harness::CegoHarness;
use super::harness::CegoStart::{self, Moved, Ready};
use crate::check::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("breach-fields", "ends at a message with too few or too many fields", Ready).check(|program| {
        let first = [CLOCKS.to_owned(), format!("1000000000 0 1000000000 {START}")];
        each_ends(program, Ready, &first)?;
        each_ends(program, Moved(START), &["1000000000 e7e5", "1000000000 1000000000 e7e5 d7d5"])
    }),
    rule("breach-space", "ends at surplus white space", Ready).check(|program| {
        let surplus =
            [format!("{CLOCKS}  {START}"), format!(" {CLOCKS} {START}"), format!("{CLOCKS} {START} ")];
        each_ends(program, Ready, &surplus)?;
        each_ends(program, Moved(START), &["1000000000\t1000000000 e7e5"])
    }),
    rule("breach-empty", "ends at an empty line", Ready).check(|program| {
        each_ends(program, Ready, &[""])?;
        each_ends(program, Moved(START), &[""])
    }),
    rule("breach-clock", "ends at clocks that are no numbers of 64 bits without a sign", Ready).check(
        |program| {
            let wrong = ["-1", "+1", "1.5", "1e9", "x", "99999999999999999999"];
            each_ends(program, Ready, &wrong.map(|time| format!("{time} 0 1000000000 0 {START}")))
        },
    ),
    rule("breach-fen", "ends at what is no FEN of six fields, or no legal position", Ready).check(
        |program| {
            let wrong = [
                "8/8/8/8/8/8/8/8 w - - 0 1",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
                "startpos",
            ];
            each_ends(program, Ready, &wrong.map(|fen| format!("{CLOCKS} {fen}")))
        },
    ),
    rule("breach-move", "ends at what is no move", Ready).check(|program| {
        let wrong = ["E7E5", "e5", "resign"].map(|text| format!("1000000000 1000000000 {text}"));
        each_ends(program, Moved(START), &wrong)
    }),
    rule("breach-illegal", "ends at an illegal move", Ready).check(|program| {
        let illegal = ["1000000000 1000000000 e7e4", "1000000000 1000000000 e7e5q"];
        each_ends(program, Moved(START), &illegal)
    }),
    rule("breach-order", "ends at a later message that comes first", Ready)
        .check(|program| each_ends(program, Ready, &["1000000000 1000000000 e7e5"])),
];

const CLOCKS: &str = "1000000000 0 1000000000 0";

/// Fails unless a program in this state ends at each of these messages.
fn each_ends<S: AsRef<str>>(program: &CegoHarness, start: CegoStart, breaches: &[S]) -> Checked {
    breaches.iter().try_for_each(|breach| start.reach(&program.candidate)?.ends_at(breach.as_ref()))
}
