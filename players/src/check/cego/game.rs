//! Games in which both sides keep to the protocol, and messages that break it: at malformed ones the engine must end.

use game::CastlingMode;
use messages::cego::EngineMessage;

use super::harness::CegoStart::{self, Moved, Ready};
use super::harness::{CegoHarness, SECOND};
use super::sections::{FIRST_MOVE, INITIALIZATION, LATER_MOVES, MALFORMED, TERMINATION};
use crate::cego::Cego;
use crate::check::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("ready", "says `ready` first, and nothing more before it is asked", Ready)
        .must(INITIALIZATION)
        .check(|program| program.hear_nothing(QUIET)),
    rule("first-move", "answers the first message with a legal move, with either colour", Moved(START))
        .must(FIRST_MOVE)
        .check(|program| {
            const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
            Moved(AFTER_E4).reach(&program.candidate).map(drop)
        }),
    rule("later-moves", "answers later messages with legal moves, and with nothing else", Moved(START))
        .must(LATER_MOVES)
        .check(|program| {
            for _ in 0..4 {
                program.play(&program.any_move()?)?;
            }
            program.hear_nothing(QUIET)
        }),
    rule("special-moves", "understands castling as the king's move, en passant, and promotion", Ready)
        .must(LATER_MOVES)
        .check(|program| {
            let candidate = &program.candidate;
            for (fen, [_, special]) in ONE_REPLY {
                Moved(fen).reach(candidate)?.play(special)?;
            }
            ONLY_EN_PASSANT.into_iter().try_for_each(|fen| Moved(fen).reach(candidate).map(drop))?;
            CASTLING_MATES.into_iter().try_for_each(|fen| Moved(fen).reach(candidate)?.has_mated())
        }),
    rule("mates", "falls silent when it has mated", Moved(MATE_IN_ONE)).must(TERMINATION).check(|program| {
        program.has_mated()?;
        program.hear_nothing(QUIET)
    }),
    rule("lost", "moves or forfeits in a lost position", Ready).must(TERMINATION).check(|program| {
        program.first_move(MATED_IN_ONE)?;
        let heard = program.hear_until("a move or `forfeit`", program.patience, |_| true)?;
        heard.has("a legal move or `forfeit`", |line| {
            *line == Ok(EngineMessage::Forfeit) || Cego::legal_move(line, &program.game).is_some()
        })
    }),
    rule("clock", "keeps to its clock", Ready)
        .must(FIRST_MOVE)
        .check(|program| moves_within(program, 1.0, &format!("{SECOND} 0 {SECOND} 0 {MIDDLEGAME}"))),
    rule("clock-increment", "gets its increment after its move, not before", Ready).must(FIRST_MOVE).check(
        |program| moves_within(program, 0.3, &format!("300000000 5000000000 {SECOND} 0 {MIDDLEGAME}")),
    ),
    rule("pieces", "waits for the end of a message that comes in pieces", Ready).must(MALFORMED).check(
        |program| {
            program.stream.tell_bytes(format!("{SECOND} 0 {SECOND}").as_bytes())?;
            program.hear_nothing(QUIET)?;
            program.stream.tell_bytes(format!(" 0 {START}\n").as_bytes())?;
            program.hear_move(program.patience).map(drop)
        },
    ),
    rule("clock-extremes", "takes clocks of nothing, and of 64 bits", Ready).must(FIRST_MOVE).check(
        |program| {
            program.ask(&format!("0 0 0 0 {START}"))?;
            let program = &mut Ready.reach(&program.candidate)?;
            program.ask(&format!("{SECOND} 0 {} {} {START}", i64::MAX, i64::MAX)).map(drop)
        },
    ),
    rule("pondering", "says nothing in the opponent's time", Moved(MIDDLEGAME))
        .must(LATER_MOVES)
        .check(|program| program.hear_nothing(LONG_WAIT)),
    rule("long-wait", "goes on when the opponent has taken its time", Moved(MIDDLEGAME))
        .must(LATER_MOVES)
        .check(|program| {
            program.hear_nothing(LONG_WAIT)?;
            program.play(&program.any_move()?)
        }),
    rule("end-of-input", "ends when the mediator closes its input", Moved(START))
        .must(TERMINATION)
        .check(|program| program.end_input(AT_ONCE)),
];

/// Fails unless a program that was just started moves in the middlegame within a limit, in seconds.
fn moves_within(program: &CegoHarness, limit: f64, first: &str) -> Checked {
    let candidate = program.candidate.clone();
    let moves = |_| {
        let mut program = Ready.reach(&candidate)?;
        program.set_board(MIDDLEGAME, CastlingMode::Standard);
        let (_, taken, delayed) = program.measure(|program| program.ask(first))?;
        Ok((taken, delayed))
    };
    let taken = in_time(limit, moves)?;
    let long = format!("{} 0 {SECOND} 0 {MIDDLEGAME}", 600 * SECOND);
    let program = &mut Ready.reach(&candidate)?;
    program.tell([&long])?;
    program.outlasts(taken, &long)
}

const LONG_WAIT: Duration = Duration::from_millis(1500);

pub(super) const BREACHES: &[ConformanceRule] = &[
    rule("breach-fields", "ends at a message with too few or too many fields", Ready).must(MALFORMED).check(
        |program| {
            let first = [CLOCKS.to_owned(), format!("1000000000 0 1000000000 {START}")];
            each_ends(program, Ready, &first)?;
            each_ends(program, Moved(START), &["1000000000 e7e5", "1000000000 1000000000 e7e5 d7d5"])
        },
    ),
    rule("breach-space", "ends at surplus white space", Ready).must(MALFORMED).check(|program| {
        let surplus =
            [format!("{CLOCKS}  {START}"), format!(" {CLOCKS} {START}"), format!("{CLOCKS} {START} ")];
        each_ends(program, Ready, &surplus)?;
        each_ends(program, Moved(START), &["1000000000\t1000000000 e7e5"])
    }),
    rule("breach-empty", "ends at an empty line", Ready).must(MALFORMED).check(|program| {
        each_ends(program, Ready, &[""])?;
        each_ends(program, Moved(START), &[""])
    }),
    rule("breach-clock", "ends at clocks that are no numbers of 64 bits without a sign", Ready)
        .must(MALFORMED)
        .check(|program| {
            let wrong = ["-1", "+1", "1.5", "1e9", "x", "99999999999999999999"];
            each_ends(program, Ready, &wrong.map(|time| format!("{time} 0 1000000000 0 {START}")))
        }),
    rule("breach-fen", "ends at what is no FEN of six fields, or no legal position", Ready)
        .must(MALFORMED)
        .check(|program| {
            let wrong = [
                "8/8/8/8/8/8/8/8 w - - 0 1",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
                "startpos",
            ];
            each_ends(program, Ready, &wrong.map(|fen| format!("{CLOCKS} {fen}")))
        }),
    rule("breach-move", "ends at what is no move", Ready).must(MALFORMED).check(|program| {
        let wrong = ["E7E5", "e5", "resign"].map(|text| format!("1000000000 1000000000 {text}"));
        each_ends(program, Moved(START), &wrong)
    }),
    rule("breach-illegal", "ends at an illegal move", Ready).usual(MALFORMED).check(|program| {
        let illegal = ["1000000000 1000000000 e7e4", "1000000000 1000000000 e7e5q"];
        each_ends(program, Moved(START), &illegal)
    }),
    rule("breach-order", "ends at a later message that comes first", Ready)
        .usual(MALFORMED)
        .check(|program| each_ends(program, Ready, &["1000000000 1000000000 e7e5"])),
    rule("breach-reason", "ends with a status other than 0 and a message on standard error", Ready)
        .usual(MALFORMED)
        .check(|program| Ready.reach(&program.candidate)?.explains_its_end_at(CLOCKS)),
];

const CLOCKS: &str = "1000000000 0 1000000000 0";

/// Fails unless a program in this state ends at each of these messages.
fn each_ends<S: AsRef<str>>(program: &CegoHarness, start: CegoStart, breaches: &[S]) -> Checked {
    breaches.iter().try_for_each(|breach| start.reach(&program.candidate)?.ends_at(breach.as_ref()).map(drop))
}
