//! The handshake, options, positions, and the end.

use game::CastlingMode::{Chess960, Standard};
use messages::uci::Message;
use shakmaty::uci::UciMove;

use super::harness::UciStart::{Greeted, Launched, Searching};
use super::harness::{FORCING, UciHarness, infos};
use super::sections::{GENERAL, GO, OPTIONS, POSITION};
use crate::check::prelude::*;
use crate::uci::Uci;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("uciok", "answers `uci` with its name, author and options, `uciok` last", Launched)
        .must(OPTIONS)
        .check(|program| {
            let heard = program.greet()?;
            heard.has("`id name ...`", |line| matches!(line, Ok(Message::Name(_))))?;
            heard.has("`id author ...`", |line| matches!(line, Ok(Message::Author(_))))?;
            program.hear_for(QUIET)?.has_no("`uciok` as the last", |line| {
                use Message::{Author, Name, Option, UciOk};
                matches!(line, Ok(Option { .. } | Name(_) | Author(_) | UciOk))
            })
        }),
    rule("isready", "answers each `isready` with one `readyok`", Greeted).must(OPTIONS).check(|program| {
        program.tell(["isready", "isready", "isready"])?;
        let heard = program.hear_for(2 * QUIET)?;
        let count = heard.messages().filter(|line| **line == Ok(Message::ReadyOk)).count();
        demand(count == 3, "three `readyok`", heard.shown())
    }),
    rule(
        "isready-searching",
        "answers `isready` at once while it searches, and searches on",
        Searching(MIDDLEGAME),
    )
    .must(OPTIONS)
    .check(|program| {
        program.tell(["isready"])?;
        let heard = program.hear_until("`readyok`", AT_ONCE, |line| *line == Ok(Message::ReadyOk))?;
        heard.has_no("no `bestmove`", Uci::is_move)?;
        program.hear_no_move(QUIET)?;
        program.tell(["stop"])?;
        program.hear_move(AT_ONCE).map(drop)
    }),
    rule("unknown-command", "passes over unknown commands", Greeted).must(GENERAL).check(|program| {
        let is_answer = |line: &Result<Message, _>| !matches!(line, Err(_) | Ok(Message::Info(_)));
        let heard = program.deal(["xyzzy 7", ""])?;
        heard.has_no("no answer but `info string`", is_answer)?;
        program.still_plays()?;
        if !heard.0.is_empty() {
            return Ok(());
        }
        // By the specification, the rest of the line counts.
        program.tell(["xyzzy isready"])?;
        let is_read = program.hear_for(QUIET)?.contains(|line| *line == Ok(Message::ReadyOk));
        observe(is_read, "it goes on, but nothing shows that it reads the line")
    }),
    rule("white-space", "takes any white space between words", Greeted).must(GENERAL).check(|program| {
        program.tell(["  position \t startpos   moves  e2e4 f7f6\td1h5 "])?;
        program.finds_forced("\tgo  depth   3 ")
    }),
    rule("one-read", "takes several lines that come in one read", Greeted).must(GENERAL).check(|program| {
        program.stream.tell_all(["isready", FORCING, "go depth 3"])?;
        program.hear_until("`readyok`", program.patience, |line| *line == Ok(Message::ReadyOk))?;
        program.hear_forced()
    }),
    rule("line-ends", "takes lines that end with a carriage return and a line feed", Greeted)
        .should(GENERAL)
        .check(|program| {
            for line in ["isready", FORCING, "go depth 3"] {
                program.stream.tell_bytes(format!("{line}\r\n").as_bytes())?;
            }
            program.hear_until("`readyok`", program.patience, |line| *line == Ok(Message::ReadyOk))?;
            program.hear_forced()
        }),
    rule("long-line", "takes the moves of a game of 200 moves", Greeted).must(GENERAL).check(|program| {
        let there_and_back = " g1f3 g8f6 f3g1 f6g8".repeat(99);
        let line = format!("position startpos moves{there_and_back} e2e4 f7f6 d1h5");
        program.deal([line])?.has_no("no `bestmove`", Uci::is_move)?;
        program.finds_forced("go depth 3")
    }),
    rule("debug", "takes `debug` while it searches", Searching(MIDDLEGAME)).must(OPTIONS).check(|program| {
        program.tell(["debug on", "debug off"])?;
        program.hear_no_move(QUIET)?;
        program.answers_once("stop")?;
        let says_more = remarks_in(program, "debug on")? > remarks_in(program, "debug off")?;
        observe(says_more, "it searches on, but says no more after `debug on`")
    }),
    rule("ucinewgame", "plays another game after `ucinewgame`", Greeted).must(OPTIONS).check(|program| {
        // What it has searched before must not count.
        let forgets = program.forgets_at("ucinewgame");
        program.still_plays()?;
        program.still_plays()?;
        forgets
    }),
    rule("position-fen", "plays from a FEN, with castling, en passant and promotion", Greeted)
        .must(POSITION)
        .check(|program| {
            for fen in [ONLY_EN_PASSANT, ONLY_PROMOTIONS].concat() {
                program.set_up(fen, Standard, &[])?;
                program.ask("go depth 3")?;
            }
            CASTLING_MATES.iter().try_for_each(|fen| program.mates_by_castling(fen, &[]))
        }),
    rule("position-moves", "follows moves: castling, en passant and promotion", Greeted)
        .must(POSITION)
        .check(|program| {
            finds_replies(program, &ONE_REPLY, Standard)?;
            CASTLING_MATES_NEXT.iter().try_for_each(|(fen, only)| program.mates_by_castling(fen, &[only]))
        }),
    rule("position-illegal", "plays on after illegal positions and moves", Greeted).usual(GENERAL).check(
        |program| {
            let illegal = [
                "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
                "position startpos moves e2e4 e2e5",
                "position fen x",
            ];
            let heard = program.deal(illegal)?;
            heard.has_no("no `bestmove`", Uci::is_move)?;
            program.still_plays()?;
            observe(!heard.0.is_empty(), "it plays on, but nothing shows that it reads the positions")
        },
    ),
    rule("game-over", "answers `go` when it is mated or stalemated, without a move", Greeted)
        .usual(GENERAL)
        .check(|program| {
            for fen in [MATED, STALEMATED] {
                program.set_up(fen, Standard, &[])?;
                program.tell(["go movetime 200"])?;
                // The specification demands an answer, but not which one; the program has no legal move.
                let heard = program.hear_until("`bestmove`", program.patience, Uci::is_move)?;
                let is_no_move = |line| matches!(line, &Ok(Message::BestMove { best: UciMove::Null, .. }));
                let expected = "`bestmove 0000` or `bestmove (none)`";
                demand(heard.last().is_some_and(is_no_move), expected, heard.last_shown())?;
            }
            program.still_plays()
        }),
    rule("chess960", "castles king takes rook under UCI_Chess960", Greeted).must(OPTIONS).check(|program| {
        program.needs("UCI_Chess960")?;
        program.tell(["setoption name UCI_Chess960 value true"])?;
        finds_replies(program, &ONE_REPLY_CHESS960, Chess960)?;
        program.set_up(ONLY_CASTLING, Chess960, &[])?;
        program.ask("go depth 3")?;
        // In normal chess, it would be `e1g1`.
        program.set_up(SAVED_BY_CASTLING, Chess960, &[])?;
        let castled = program.ask("go depth 4")?.last_shown();
        observe(castled.contains("e1h1"), format!("{castled}, as in normal chess"))
    }),
    rule("quit", "ends at `quit` while it searches", Searching(MIDDLEGAME)).must(GO).check(|program| {
        program.tell(["quit"])?;
        program.hear_end(AT_ONCE)
    }),
    rule("end-of-input", "ends at the end of its input while it searches", Searching(MIDDLEGAME))
        .usual(GENERAL)
        .check(|program| program.end_input(AT_ONCE)),
];

/// Returns the number of `info string` of a search after this command.
fn remarks_in(program: &mut UciHarness, mode: &str) -> Checked<usize> {
    program.deal([mode])?;
    program.set_up(MIDDLEGAME, Standard, &[])?;
    let heard = program.ask("go depth 1")?;
    Ok(infos(&heard).filter(|info| info.string.is_some()).count())
}

/// Fails unless the program finds the only reply to the last move of each of these games.
fn finds_replies(program: &mut UciHarness, games: &[(&str, [&str; 2])], mode: game::CastlingMode) -> Checked {
    games.iter().try_for_each(|(fen, moves)| {
        program.set_up(fen, mode, moves)?;
        program.settle()?;
        program.ask("go depth 3").map(drop)
    })
}
