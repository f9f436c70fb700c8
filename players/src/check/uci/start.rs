//! The first words, options, positions, and the end.

use game::CastlingMode::{Chess960, Standard};
use messages::OptionKind;
use messages::uci::Message;
use shakmaty::uci::UciMove;

use super::harness::UciHarness;
use crate::check::harness::{AT_ONCE, CheckedProtocol as _, QUIET, demand, differ, require, trial_values};
use crate::check::positions::{
    AFTER_CASTLING, AFTER_PAWNS, CHESS960, ENDGAME, MATED, MIDDLEGAME, ONLY_CASTLING, STALEMATED,
};
use crate::check::{Candidate, ConformanceRule, Failure, rule};
use crate::uci::Uci;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("uciok", "answers `uci` with its name and options, `uciok` last", uciok),
    rule("isready", "answers each `isready` with one `readyok`", is_ready),
    rule(
        "isready-searching",
        "answers `isready` at once while it searches, and searches on",
        is_ready_searching,
    ),
    rule("unknown-command", "passes over unknown commands", unknown_command),
    rule("white-space", "takes any white space between words", white_space),
    rule("option-names", "gives its options different names", |program| {
        differ(UciHarness::start(program)?.announced.iter().map(|(name, _)| name.to_lowercase()))
    }),
    rule("option-defaults", "has defaults within the ranges of its options", option_defaults),
    rule("options", "takes the ends of the ranges of its options", options),
    rule("option-unknown", "survives options that it doesn't have", option_unknown),
    rule("ucinewgame", "plays another game after `ucinewgame`", new_game),
    rule("position-fen", "plays from a FEN", |program| {
        UciHarness::at(program, ENDGAME)?.go("depth 4").map(drop)
    }),
    rule("position-moves", "follows moves: castling, en passant and promotion", position_moves),
    rule("position-illegal", "plays on after illegal positions and moves", position_illegal),
    rule("game-over", "answers `go` when it is mated or stalemated, without a move", game_over),
    rule("chess960", "castles king takes rook under UCI_Chess960", chess960),
    rule("quit", "ends at `quit` while it searches", |program| {
        let mut harness = UciHarness::searching(program, MIDDLEGAME)?;
        harness.tell(&["quit"])?;
        harness.hear_end(AT_ONCE)
    }),
    rule("end-of-input", "ends at the end of its input while it searches", |program| {
        UciHarness::searching(program, MIDDLEGAME)?.end_input(AT_ONCE)
    }),
];

fn uciok(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::launch(candidate)?;
    harness.greet()?.has("`id name ...`", |line| matches!(line, Ok(Message::Name(_))))?;
    harness.hear_for(QUIET)?.has_no("`uciok` as the last", |line| {
        matches!(line, Ok(Message::Option { .. } | Message::Name(_) | Message::Author(_) | Message::UciOk))
    })
}

fn is_ready(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    harness.settle()?;
    harness.tell(&["isready", "isready", "isready"])?;
    let heard = harness.hear_for(2 * QUIET)?;
    let count = heard.messages().filter(|line| **line == Ok(Message::ReadyOk)).count();
    demand(count == 3, "three `readyok`", heard.shown())
}

fn is_ready_searching(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::searching(candidate, MIDDLEGAME)?;
    harness.tell(&["isready"])?;
    let heard = harness.hear_until("`readyok`", AT_ONCE, |line| *line == Ok(Message::ReadyOk))?;
    heard.has_no("no `bestmove`", Uci::is_move)?;
    harness.hear_no_move(QUIET)?;
    harness.tell(&["stop"])?;
    harness.hear_move(AT_ONCE).map(drop)
}

fn unknown_command(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    harness.settle()?;
    harness.tell(&["xyzzy 7", ""])?;
    let is_answer = |line: &Result<Message, _>| !matches!(line, Err(_) | Ok(Message::Info(_)));
    harness.settle()?.has_no("no answer but `info string`", is_answer)?;
    harness.still_plays()
}

fn white_space(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    harness.follow(&["e2e4"]);
    harness.tell(&["  position \t startpos   moves  e2e4 ", "\tgo  depth   3 "])?;
    harness.hear_move(harness.patience).map(drop)
}

fn option_defaults(candidate: &Candidate) -> Result<(), Failure> {
    let options = UciHarness::start(candidate)?.announced;
    require(!options.is_empty(), "options")?;
    for (name, kind) in options {
        let is_within = match &kind {
            OptionKind::Spin { value, min, max } => (min..=max).contains(&value),
            OptionKind::Combo { value, choices } => choices.contains(value),
            _ => true,
        };
        demand(is_within, "a default within the range", format!("{name}: {kind:?}"))?;
    }
    Ok(())
}

fn options(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    let mut settings = Vec::new();
    for (name, kind) in &harness.announced {
        let values = trial_values(name, kind, ["false", "true"]);
        settings.extend(values.iter().map(|value| format!("setoption name {name} value {value}")));
    }
    require(!settings.is_empty(), "options")?;
    for setting in settings {
        harness.tell(&[&setting])?;
        harness.settle()?.has_no(&format!("`{setting}` taken"), Uci::is_move)?;
    }
    harness.still_plays()
}

fn option_unknown(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    harness.tell(&["setoption name No Such Option value 3"])?;
    harness.settle()?;
    harness.still_plays()
}

fn new_game(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    harness.still_plays()?;
    harness.still_plays()
}

fn position_moves(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    for (fen, moves) in [AFTER_CASTLING, AFTER_PAWNS] {
        harness.set_up_and_play(fen, Standard, &moves)?;
        harness.go("depth 3")?;
    }
    Ok(())
}

fn position_illegal(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    let illegal =
        ["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position startpos moves e2e5", "position fen x"];
    // What a program is to do is written nowhere.
    let heard = harness
        .tell(&illegal)
        .and_then(|()| harness.settle())
        .map_err(|_| Failure::NotSupported("illegal positions".into()))?;
    heard.has_no("no `bestmove`", Uci::is_move)?;
    harness.still_plays()
}

fn game_over(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    for fen in [MATED, STALEMATED] {
        harness.set_up(fen)?;
        harness.tell(&["go movetime 200"])?;
        // What a program is to answer is written nowhere, but that it answers, and that it has no move.
        let heard = harness.hear_answer(harness.patience)?;
        let is_none = match heard.last() {
            Some(Ok(Message::BestMove { best, .. })) => is_no_move(*best),
            _ => true,
        };
        demand(is_none, "`bestmove 0000` or `bestmove (none)`", heard.last_shown())?;
    }
    harness.still_plays()
}

fn chess960(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = UciHarness::start(candidate)?;
    harness.needs("UCI_Chess960")?;
    harness.tell(&["setoption name UCI_Chess960 value true"])?;
    harness.set_up_and_play(CHESS960, Chess960, &["c1g1", "c8b8", "f1e1"])?;
    harness.settle()?;
    harness.go("depth 4")?;
    harness.set_board(ONLY_CASTLING, Chess960);
    harness.tell(&[&format!("position fen {ONLY_CASTLING}")])?;
    harness.go("depth 3").map(drop)
}

/// `0000`, and squares that are the same.
fn is_no_move(mv: UciMove) -> bool {
    matches!(mv, UciMove::Null) || matches!(mv, UciMove::Normal { from, to, .. } if from == to)
}
