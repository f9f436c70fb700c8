//! The first words, options, positions, and the end.

use std::collections::HashSet;

use game::{CastlingMode, Game};
use messages::uci::{Message, OptionKind};
use shakmaty::uci::UciMove;

use super::bench::{AT_ONCE, Bench, QUIET, is_best_move};
use crate::check::conversation::{Conversation, none, seen, some};
use crate::check::options::greatest;
use crate::check::positions::{CASTLING, MATED, MIDDLEGAME, ONLY_CASTLING, STALEMATED};
use crate::check::{Candidate, Miss, Rule};
use crate::uci::Uci;

pub(super) const RULES: &[Rule] = &[
    Rule { label: "uciok", duty: "answers `uci` with its name and options, `uciok` last", check: uciok },
    Rule { label: "isready", duty: "answers each `isready` with one `readyok`", check: is_ready },
    Rule {
        label: "isready-searching",
        duty: "answers `isready` at once while it searches, and searches on",
        check: is_ready_searching,
    },
    Rule { label: "unknown-command", duty: "passes over unknown commands", check: unknown_command },
    Rule { label: "white-space", duty: "takes any white space between words", check: white_space },
    Rule { label: "option-names", duty: "gives its options different names", check: option_names },
    Rule {
        label: "option-defaults",
        duty: "has defaults within the ranges of its options",
        check: option_defaults,
    },
    Rule { label: "options", duty: "takes the ends of the ranges of its options", check: options },
    Rule { label: "option-unknown", duty: "survives options that it doesn't have", check: option_unknown },
    Rule { label: "ucinewgame", duty: "plays another game after `ucinewgame`", check: new_game },
    Rule { label: "position-fen", duty: "plays from a FEN", check: position_fen },
    Rule {
        label: "position-moves",
        duty: "follows moves: castling, en passant and promotion",
        check: position_moves,
    },
    Rule {
        label: "position-illegal",
        duty: "plays on after illegal positions and moves",
        check: position_illegal,
    },
    Rule {
        label: "game-over",
        duty: "answers `go` when it is mated or stalemated, without a move",
        check: game_over,
    },
    Rule { label: "chess960", duty: "castles king takes rook under UCI_Chess960", check: chess960 },
    Rule { label: "quit", duty: "ends at `quit` while it searches", check: quit },
    Rule {
        label: "end-of-input",
        duty: "ends at the end of its input while it searches",
        check: end_of_input,
    },
];

fn uciok(candidate: &Candidate) -> Result<(), Miss> {
    let mut talk = Conversation::<Uci>::start(candidate)?;
    talk.tell(&["uci"])?;
    let heard = talk.hear_until("`uciok`", candidate.spec.patience, |read| *read == Ok(Message::UciOk))?;
    some(&heard, "`id name ...`", |read| matches!(read, Ok(Message::Name(_))))?;
    let after = talk.hear_for(QUIET)?;
    none(&after, "`uciok` as the last", |read| {
        matches!(read, Ok(Message::Option { .. } | Message::Name(_) | Message::Author(_) | Message::UciOk))
    })
}

fn is_ready(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    bench.tell(&["isready", "isready", "isready"])?;
    let heard = bench.talk.hear_for(2 * QUIET)?;
    let count = heard.iter().filter(|said| said.message == Ok(Message::ReadyOk)).count();
    if count == 3 { Ok(()) } else { Err(Miss::failed("three `readyok`", seen(&heard))) }
}

fn is_ready_searching(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::searching(candidate, MIDDLEGAME)?;
    bench.tell(&["isready"])?;
    let heard = bench.talk.hear_until("`readyok`", AT_ONCE, |read| *read == Ok(Message::ReadyOk))?;
    none(&heard, "no `bestmove`", is_best_move)?;
    bench.hear_no_move(QUIET)?;
    bench.tell(&["stop"])?;
    bench.hear_move(AT_ONCE).map(drop)
}

fn unknown_command(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.settle()?;
    bench.tell(&["xyzzy 7", ""])?;
    none(&bench.settle()?, "no answer but `info string`", |read| {
        !matches!(read, Err(_) | Ok(Message::Info(_)))
    })?;
    bench.still_plays()
}

fn white_space(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.game.play(bench.game.parse_move("e2e4").expect("legal")).expect("legal");
    bench.tell(&["  position \t startpos   moves  e2e4 ", "\tgo  depth   3 "])?;
    bench.hear_move(candidate.spec.patience).map(drop)
}

fn option_names(candidate: &Candidate) -> Result<(), Miss> {
    let bench = Bench::start(candidate)?;
    let mut names = HashSet::new();
    match bench.options.iter().find(|(name, _)| !names.insert(name.to_lowercase())) {
        Some((name, _)) => Err(Miss::failed("one option of a name", format!("a second `{name}`"))),
        None if names.is_empty() => Err(Miss::NotSupported("options".into())),
        None => Ok(()),
    }
}

fn option_defaults(candidate: &Candidate) -> Result<(), Miss> {
    let bench = Bench::start(candidate)?;
    if bench.options.is_empty() {
        return Err(Miss::NotSupported("options".into()));
    }
    let is_wrong = |kind: &OptionKind| match kind {
        OptionKind::Spin { default, min, max } => !(min..=max).contains(&default),
        OptionKind::Combo { default, choices } => !choices.contains(default),
        _ => false,
    };
    match bench.options.iter().find(|(_, kind)| is_wrong(kind)) {
        Some((name, kind)) => Err(Miss::failed("a default within the range", format!("{name}: {kind:?}"))),
        None => Ok(()),
    }
}

fn options(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    let mut settings = Vec::new();
    for (name, kind) in &bench.options {
        let set = |value: &dyn std::fmt::Display| format!("setoption name {name} value {value}");
        match kind {
            OptionKind::Spin { default, min, max } => {
                settings.extend([*min, greatest(name, *default, *max), *default].map(|value| set(&value)));
            }
            OptionKind::Check { default } => settings.extend([!default, *default].map(|value| set(&value))),
            OptionKind::Combo { default, choices } => {
                settings.extend(choices.iter().chain([default]).map(|value| set(value)));
            }
            OptionKind::Button | OptionKind::String { .. } => {}
        }
    }
    if settings.is_empty() {
        return Err(Miss::NotSupported("options".into()));
    }
    for setting in settings {
        bench.tell(&[&setting])?;
        none(&bench.settle()?, &format!("`{setting}` taken"), is_best_move)?;
    }
    bench.still_plays()
}

fn option_unknown(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.tell(&["setoption name No Such Option value 3"])?;
    bench.settle()?;
    bench.still_plays()
}

fn new_game(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.still_plays()?;
    bench.still_plays()
}

fn position_fen(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, "8/5pk1/6p1/7p/3R3P/6P1/r4PK1/8 b - - 5 40")?;
    bench.go("depth 4").map(drop)
}

fn position_moves(candidate: &Candidate) -> Result<(), Miss> {
    let castling = ["e1g1", "e8c8", "f1e1", "d7h3"];
    let pawns = ["e7e5", "d5e6", "c2c1n", "g7h8q"];
    let mut bench = Bench::start(candidate)?;
    for (fen, moves) in [(CASTLING, castling), ("4k2r/4p1P1/8/3P4/8/8/2p5/4K3 b k - 0 1", pawns)] {
        bench.set_up(fen)?;
        for text in moves {
            bench.game.play(bench.game.parse_move(text).expect("legal")).expect("legal");
        }
        bench.tell(&[&format!("position fen {fen} moves {}", moves.join(" "))])?;
        bench.go("depth 3")?;
    }
    Ok(())
}

fn position_illegal(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    let illegal =
        ["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position startpos moves e2e5", "position fen x"];
    // What a program is to do is written nowhere.
    let heard = bench
        .tell(&illegal)
        .and_then(|()| bench.settle())
        .map_err(|_| Miss::NotSupported("illegal positions".into()))?;
    none(&heard, "no `bestmove`", is_best_move)?;
    bench.still_plays()
}

fn game_over(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    for fen in [MATED, STALEMATED] {
        bench.set_up(fen)?;
        bench.tell(&["go movetime 200"])?;
        // What a program is to answer is written nowhere, but that it answers, and that it has no move.
        let heard = bench.hear_answer(candidate.spec.patience)?;
        if let Some(Ok(Message::BestMove { best, .. })) = heard.last().map(|said| &said.message)
            && !is_no_move(*best)
        {
            let expected = "`bestmove 0000` or `bestmove (none)`";
            return Err(Miss::failed(expected, seen(&heard[heard.len() - 1..])));
        }
    }
    bench.still_plays()
}

fn chess960(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.needs("UCI_Chess960")?;
    let fen = "1rk3r1/pppqpppp/8/8/8/8/PPPQPPPP/1RK3R1 w GBgb - 0 1";
    bench.game = Game::from_fen(fen, CastlingMode::Chess960).expect("a legal position");
    for text in ["c1g1", "c8b8", "f1e1"] {
        bench.game.play(bench.game.parse_move(text).expect("legal")).expect("legal");
    }
    bench.tell(&["setoption name UCI_Chess960 value true"])?;
    bench.tell(&[&format!("position fen {fen} moves c1g1 c8b8 f1e1")])?;
    bench.settle()?;
    bench.go("depth 4")?;
    bench.game = Game::from_fen(ONLY_CASTLING, CastlingMode::Chess960).expect("a legal position");
    bench.tell(&[&format!("position fen {ONLY_CASTLING}")])?;
    bench.go("depth 3").map(drop)
}

/// `0000`, and squares that are the same.
fn is_no_move(mv: UciMove) -> bool {
    matches!(mv, UciMove::Null) || matches!(mv, UciMove::Normal { from, to, .. } if from == to)
}

fn quit(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::searching(candidate, MIDDLEGAME)?;
    bench.tell(&["quit"])?;
    bench.talk.hear_end(AT_ONCE)
}

fn end_of_input(candidate: &Candidate) -> Result<(), Miss> {
    Bench::searching(candidate, MIDDLEGAME)?.talk.end_input(AT_ONCE)
}
