//! The handshake, options, positions, and the end.

use game::CastlingMode::{Chess960, Standard};
use messages::OptionKind;
use messages::uci::Message;
use shakmaty::uci::UciMove;

use super::harness::UciStart::{At, Greeted, Launched, Searching};
use super::sections::*;
use crate::check::prelude::*;
use crate::uci::Uci;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("uciok", "answers `uci` with its name and options, `uciok` last", Launched).must(OPTIONS).check(
        |program| {
            program.greet()?.has("`id name ...`", |line| matches!(line, Ok(Message::Name(_))))?;
            program.hear_for(QUIET)?.has_no("`uciok` as the last", |line| {
                use Message::{Author, Name, Option, UciOk};
                matches!(line, Ok(Option { .. } | Name(_) | Author(_) | UciOk))
            })
        },
    ),
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
        program.deal(["xyzzy 7", ""])?.has_no("no answer but `info string`", is_answer)?;
        program.still_plays()
    }),
    rule("white-space", "takes any white space between words", Greeted).must(GENERAL).check(|program| {
        program.follow(&["e2e4"]);
        program.tell(["  position \t startpos   moves  e2e4 "])?;
        program.ask("\tgo  depth   3 ").map(drop)
    }),
    rule("option-names", "gives its options different names", Greeted)
        .must(OPTIONS)
        .check(|program| differ(program.announced.iter().map(|(name, _)| name.to_lowercase()))),
    rule("option-defaults", "has defaults within the ranges of its options", Greeted).must(OPTIONS).check(
        |program| {
            require(!program.announced.is_empty(), "options")?;
            program.announced.iter().try_for_each(|(name, kind)| {
                let is_within = match kind {
                    OptionKind::Spin { value, min, max } => (min..=max).contains(&value),
                    OptionKind::Combo { value, choices } => choices.contains(value),
                    _ => true,
                };
                demand(is_within, "a default within the range", format!("{name}: {kind:?}"))
            })
        },
    ),
    rule("options", "takes the ends of the ranges of its options", Greeted).must(OPTIONS).check(|program| {
        let mut settings = Vec::new();
        for (name, kind) in &program.announced {
            let values = trial_values(name, kind, ["false", "true"]);
            settings.extend(values.iter().map(|value| format!("setoption name {name} value {value}")));
        }
        program.take_each(&settings, Uci::is_move)?;
        program.still_plays()
    }),
    rule("option-unknown", "survives options that it doesn't have", Greeted).usual(OPTIONS).check(
        |program| {
            program.deal(["setoption name No Such Option value 3"])?;
            program.still_plays()
        },
    ),
    rule("ucinewgame", "plays another game after `ucinewgame`", Greeted).must(OPTIONS).check(|program| {
        program.still_plays()?;
        program.still_plays()
    }),
    rule("position-fen", "plays from a FEN", At(ENDGAME))
        .must(POSITION)
        .check(|program| program.ask("go depth 4").map(drop)),
    rule("position-moves", "follows moves: castling, en passant and promotion", Greeted)
        .must(POSITION)
        .check(|program| {
            [AFTER_CASTLING, AFTER_PAWNS].iter().try_for_each(|(fen, moves)| {
                program.set_up(fen, Standard, moves)?;
                program.ask("go depth 3").map(drop)
            })
        }),
    rule("position-illegal", "plays on after illegal positions and moves", Greeted).usual(GENERAL).check(
        |program| {
            let illegal =
                ["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position startpos moves e2e5", "position fen x"];
            // The specification doesn't say what a program has to do.
            let heard =
                program.deal(illegal).map_err(|_| Failure::NotSupported("illegal positions".into()))?;
            heard.has_no("no `bestmove`", Uci::is_move)?;
            program.still_plays()
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
                let has_moved = matches!(heard.last(),
                    Some(Ok(Message::BestMove { best, .. })) if !is_no_move(*best));
                demand(!has_moved, "`bestmove 0000` or `bestmove (none)`", heard.last_shown())?;
            }
            program.still_plays()
        }),
    rule("chess960", "castles king takes rook under UCI_Chess960", Greeted).must(OPTIONS).check(|program| {
        program.needs("UCI_Chess960")?;
        program.tell(["setoption name UCI_Chess960 value true"])?;
        program.set_up(CHESS960, Chess960, &["c1g1", "c8b8", "f1e1"])?;
        program.settle()?;
        program.ask("go depth 4")?;
        program.set_up(ONLY_CASTLING, Chess960, &[])?;
        program.ask("go depth 3").map(drop)
    }),
    rule("quit", "ends at `quit` while it searches", Searching(MIDDLEGAME)).must(GO).check(|program| {
        program.tell(["quit"])?;
        program.hear_end(AT_ONCE)
    }),
    rule("end-of-input", "ends at the end of its input while it searches", Searching(MIDDLEGAME))
        .usual(GENERAL)
        .check(|program| program.end_input(AT_ONCE)),
];

/// Whether the move is `0000`, or from a square to itself.
fn is_no_move(mv: UciMove) -> bool {
    matches!(mv, UciMove::Null) || matches!(mv, UciMove::Normal { from, to, .. } if from == to)
}
