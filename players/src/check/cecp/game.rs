//! Games: who plays, moves in and out, positions, ends.

use game::{Color, Game};
use messages::cecp::{GameResult, Message, Switch};
use shakmaty::KnownOutcome;

use super::control::thinks_on;
use super::harness::{CecpHarness, LONG_THINK, is_refusal};
use crate::cecp::Cecp;
use crate::check::harness::{CheckedProtocol as _, QUIET, Transcript, require};
use crate::check::positions::{AFTER_CASTLING, AFTER_PAWNS, ENDGAME, MATE_IN_ONE};
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("answers-move", "after `new`, answers White's move", answers_move),
    rule("go", "plays the side on move after `go`", go),
    rule("playother", "plays the side not on move after `playother`", |program| {
        plays_black(program, Switch::PlayOther, "playother")
    }),
    rule("colors", "plays the other side after `white` and `black`, without thinking", |program| {
        plays_black(program, Switch::Colors, "white")
    }),
    rule("reuse", "plays a second game", reuse),
    rule("illegal-move", "refuses an illegal move with `Illegal move`, and forgets it", illegal_move),
    rule("legal-moves", "takes castling, en passant and promotion", legal_moves),
    rule("san-input", "takes SAN and coordinates if it asked for `san=1`", san_input),
    rule("setboard", "plays from a position of `setboard`", setboard),
    rule("setboard-illegal", "tells the user of an illegal position, and goes on", setboard_illegal),
    rule("edit", "takes a position by `edit`", edit),
    rule("new-resets", "is at the start position after `new`", new_resets),
    rule("undo", "takes back a half-move at `undo`", undo),
    rule("undo-nothing", "survives `undo` and `remove` when there is nothing to take back", undo_nothing),
    rule("remove", "takes back two half-moves at `remove`", remove),
    rule("mates", "claims no wrong result when it mates", mates),
    rule("is-mated", "doesn't move when it is mated, and claims no wrong result", |program| {
        ends(program, MATE_IN_ONE, "a1a8", Some(Color::White))
    }),
    rule("is-stalemated", "doesn't move when it is stalemated, and claims no wrong result", |program| {
        ends(program, "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "f2f7", None)
    }),
    rule("result", "stops at `result`, and doesn't answer moves", result),
    rule("draw-offer", "takes `draw` without moving or complaining", draw_offer),
];

const EMPTY_BOARD: &str = "8/8/8/8/8/8/8/8 w - - 0 1";

fn answers_move(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    harness.tell(&["new", "easy"])?;
    harness.hurry()?;
    harness.play(&["e2e4"])?;
    harness.hear_move()?;
    harness.play(&["a2a3"])?;
    harness.hear_move().map(drop)
}

fn go(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.hurry()?;
    harness.play(&["d2d4", "d7d5"])?;
    harness.go()?;
    harness.hear_no_move(QUIET).map(drop)
}

/// After this command, which a feature offers, the program plays Black and doesn't begin.
fn plays_black(candidate: &Candidate, feature: Switch, command: &str) -> Result<(), Failure> {
    let mut harness = CecpHarness::with_feature(candidate, feature)?;
    harness.tell(&["new", "force", command])?;
    harness.hurry()?;
    harness.hear_no_move(QUIET)?;
    harness.play(&["d2d4"])?;
    harness.hear_move().map(drop)
}

fn reuse(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::with_feature(candidate, Switch::Reuse)?;
    harness.tell(&["new", "force"])?;
    harness.hurry()?;
    harness.play(&["a2a3"])?;
    harness.go()?;
    harness.still_plays()
}

fn illegal_move(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.settle()?;
    harness.tell_move("e2e5")?;
    let refuses =
        |message: &Message| matches!(message, Message::IllegalMove { mv, .. } if mv.contains("e2e5"));
    harness.settle()?.has("`Illegal move: e2e5`", refuses)?;
    harness.has_position("e2e4")?;
    harness.has_position("e7e5")
}

fn legal_moves(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    for (fen, moves) in [AFTER_CASTLING, AFTER_PAWNS] {
        harness.tell(&["new", "force"])?;
        harness.set_up(fen)?;
        harness.play(&moves)?;
        harness.settle_without(&format!("the moves {} taken", moves.join(" ")), is_refusal)?;
    }
    Ok(())
}

fn san_input(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::with_feature(candidate, Switch::San)?;
    harness.tell(&["new", "force"])?;
    ["Nf3", "e7e5", "Nxe5", "d8h4"].iter().try_for_each(|text| harness.tell_move(text))?;
    harness.settle_without("SAN and coordinates taken", is_refusal)
}

fn setboard(candidate: &Candidate) -> Result<(), Failure> {
    CecpHarness::with_feature(candidate, Switch::SetBoard)?;
    let mut harness = CecpHarness::at(candidate, ENDGAME)?;
    harness.settle_without("the position taken", is_refusal)?;
    harness.hurry()?;
    harness.go().map(drop)
}

fn setboard_illegal(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.needs(Switch::SetBoard)?;
    harness.settle()?;
    harness.tell(&[&format!("setboard {EMPTY_BOARD}")])?;
    let heard = harness.settle()?;
    heard.has_no("no move and no claim", |message| {
        Cecp::is_move(message) || matches!(message, Message::Result { .. } | Message::Resign)
    })?;
    harness.still_plays()?;
    // What a program is to do is written nowhere; XBoard and others wait for this.
    let is_told = |message: &Message| matches!(message, Message::TellUserError(_) | Message::Error { .. });
    require(heard.contains(is_told), "an error message")
}

fn edit(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.set_board("4k3/p7/8/8/8/8/4P3/R3K3 w - - 0 1", harness.game.mode());
    let taken = harness
        .tell(&["edit", "#", "Ke1", "Ra1", "Pe2", "c", "Ke8", "Pa7", "."])
        .and_then(|()| harness.has_position("a1d1"))
        .and_then(|()| harness.has_position("a7a5"));
    // Who has `setboard` need not have both.
    match taken {
        Err(Failure::Broken { .. }) if harness.announced.has(Switch::SetBoard) => {
            Err(Failure::NotSupported("edit".into()))
        }
        taken => taken,
    }
}

fn new_resets(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.play(&["e2e4", "e7e5", "g1f3"])?;
    harness.tell(&["new", "force"])?;
    harness.game = Game::default();
    harness.has_position("g1f3")
}

fn undo(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.play(&["e2e4", "e7e5"])?;
    harness.tell(&["undo"])?;
    harness.game.undo();
    harness.has_position("d7d5")
}

fn undo_nothing(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.tell(&["undo", "remove"])?;
    harness.settle()?;
    harness.play(&["e2e4"])?;
    harness.tell(&["remove"])?;
    harness.settle()?;
    harness.still_plays()
}

fn remove(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    harness.tell(&["new", "easy"])?;
    harness.hurry()?;
    harness.play(&["a2a3"])?;
    harness.hear_move()?;
    harness.tell(&["remove"])?;
    harness.game.undo();
    harness.game.undo();
    harness.settle()?;
    harness.play(&["a2a4"])?;
    harness.hear_move().map(drop)
}

fn mates(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::at(candidate, MATE_IN_ONE)?;
    harness.hurry()?;
    harness.settle()?;
    let heard = harness.go()?;
    require(harness.game.outcome().is_some(), "a mate in one")?;
    true_results(&heard, Some(Color::White))?;
    true_results(&harness.settle()?, Some(Color::White))
}

/// The program has to move after the last move of a game.
fn ends(candidate: &Candidate, fen: &str, last: &str, winner: Option<Color>) -> Result<(), Failure> {
    let mut harness = CecpHarness::at(candidate, fen)?;
    harness.hurry()?;
    harness.play(&[last])?;
    harness.settle()?;
    harness.tell(&["go"])?;
    true_results(&harness.hear_no_move(2 * QUIET)?, winner)?;
    true_results(&harness.settle()?, winner)?;
    harness.still_plays()
}

/// No result was claimed but the true one.
pub(super) fn true_results(heard: &Transcript<Message>, winner: Option<Color>) -> Result<(), Failure> {
    let truth = GameResult::Known(KnownOutcome::from_winner(winner));
    let is_wrong = |message: &Message| matches!(message, Message::Result { result, .. } if *result != truth);
    heard.has_no(&format!("no other result than {truth}"), is_wrong)
}

fn result(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, LONG_THINK)?;
    harness.break_off("result 1-0 {White resigns}")?;
    harness.play(&["h2h3"])?;
    harness.hear_no_move(QUIET)?;
    harness.still_plays()
}

fn draw_offer(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::thinking(candidate, LONG_THINK)?;
    harness.needs(Switch::Draw)?;
    harness.tell(&["draw"])?;
    thinks_on(candidate, &mut harness, QUIET)?.has_no("no complaint", is_refusal)?;
    harness.hear_move()?.has_no("no complaint", is_refusal)
}
