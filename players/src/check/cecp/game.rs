//! Games: who plays, moves in and out, positions, ends.

use game::Color;
use messages::cecp::{GameResult, Message, Switch};

use super::bench::{Bench, Heard, LONG_THINK, QUIET, is_refusal, moved};
use super::control::thinks_on;
use crate::check::conversation::none;
use crate::check::positions::{CASTLING, MATE_IN_ONE};
use crate::check::{Candidate, Miss, Rule};
use crate::stream::Said;

pub(super) const RULES: &[Rule] = &[
    Rule { label: "answers-move", duty: "after `new`, answers White's move", check: answers_move },
    Rule { label: "go", duty: "plays the side on move after `go`", check: go },
    Rule { label: "playother", duty: "plays the side not on move after `playother`", check: playother },
    Rule {
        label: "colors",
        duty: "plays the other side after `white` and `black`, without thinking",
        check: colors,
    },
    Rule { label: "reuse", duty: "plays a second game", check: reuse },
    Rule {
        label: "illegal-move",
        duty: "refuses an illegal move with `Illegal move`, and forgets it",
        check: illegal_move,
    },
    Rule { label: "legal-moves", duty: "takes castling, en passant and promotion", check: legal_moves },
    Rule { label: "san-input", duty: "takes SAN and coordinates if it asked for `san=1`", check: san_input },
    Rule { label: "setboard", duty: "plays from a position of `setboard`", check: setboard },
    Rule {
        label: "setboard-illegal",
        duty: "tells the user of an illegal position, and goes on",
        check: setboard_illegal,
    },
    Rule { label: "edit", duty: "takes a position by `edit`", check: edit },
    Rule { label: "new-resets", duty: "is at the start position after `new`", check: new_resets },
    Rule { label: "undo", duty: "takes back a half-move at `undo`", check: undo },
    Rule {
        label: "undo-nothing",
        duty: "survives `undo` and `remove` when there is nothing to take back",
        check: undo_nothing,
    },
    Rule { label: "remove", duty: "takes back two half-moves at `remove`", check: remove },
    Rule { label: "mates", duty: "claims no wrong result when it mates", check: mates },
    Rule {
        label: "is-mated",
        duty: "doesn't move when it is mated, and claims no wrong result",
        check: is_mated,
    },
    Rule {
        label: "is-stalemated",
        duty: "doesn't move when it is stalemated, and claims no wrong result",
        check: is_stalemated,
    },
    Rule { label: "result", duty: "stops at `result`, and doesn't answer moves", check: result },
    Rule { label: "draw-offer", duty: "takes `draw` without moving or complaining", check: draw_offer },
];

const EMPTY_BOARD: &str = "8/8/8/8/8/8/8/8 w - - 0 1";

fn answers_move(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.tell(&["new", "easy"])?;
    bench.hurry()?;
    bench.play(&["e2e4"])?;
    bench.hear_move()?;
    bench.play(&["a2a3"])?;
    bench.hear_move().map(drop)
}

fn go(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.hurry()?;
    bench.play(&["d2d4", "d7d5"])?;
    bench.tell(&["go"])?;
    bench.hear_move()?;
    bench.hear_no_move(QUIET).map(drop)
}

fn playother(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::with(candidate, Switch::PlayOther)?;
    bench.tell(&["new", "force", "playother"])?;
    bench.hurry()?;
    bench.hear_no_move(QUIET)?;
    bench.play(&["d2d4"])?;
    bench.hear_move().map(drop)
}

fn colors(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::with(candidate, Switch::Colors)?;
    bench.tell(&["new", "force", "white"])?;
    bench.hurry()?;
    bench.hear_no_move(QUIET)?;
    bench.play(&["d2d4"])?;
    bench.hear_move().map(drop)
}

fn reuse(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::with(candidate, Switch::Reuse)?;
    bench.tell(&["new", "force"])?;
    bench.hurry()?;
    bench.play(&["a2a3"])?;
    bench.tell(&["go"])?;
    bench.hear_move()?;
    bench.still_plays()
}

fn illegal_move(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.settle()?;
    bench.tell_move("e2e5")?;
    bench.hear_refusal("e2e5")?;
    bench.has_position("e2e4")?;
    bench.has_position("e7e5")
}

fn legal_moves(candidate: &Candidate) -> Result<(), Miss> {
    let castling = ["e1g1", "e8c8", "f1e1", "d7h3"];
    let pawns = ["e7e5", "d5e6", "c2c1n", "g7h8q"];
    let games = [(CASTLING, castling), ("4k2r/4p1P1/8/3P4/8/8/2p5/4K3 b k - 0 1", pawns)];
    let mut bench = Bench::forced(candidate)?;
    for (fen, moves) in games {
        bench.tell(&["new", "force"])?;
        bench.set_up(fen)?;
        bench.play(&moves)?;
        none(&bench.settle()?, &format!("the moves {} taken", moves.join(" ")), is_refusal)?;
    }
    Ok(())
}

fn san_input(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::with(candidate, Switch::San)?;
    bench.tell(&["new", "force"])?;
    for text in ["Nf3", "e7e5", "Nxe5", "d8h4"] {
        bench.tell_move(text)?;
    }
    none(&bench.settle()?, "SAN and coordinates taken", is_refusal)
}

fn setboard(candidate: &Candidate) -> Result<(), Miss> {
    Bench::with(candidate, Switch::SetBoard)?;
    let mut bench = Bench::at(candidate, "8/5pk1/6p1/7p/3R3P/6P1/r4PK1/8 b - - 5 40")?;
    none(&bench.settle()?, "the position taken", is_refusal)?;
    bench.hurry()?;
    bench.tell(&["go"])?;
    bench.hear_move().map(drop)
}

fn setboard_illegal(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.needs(Switch::SetBoard)?;
    bench.settle()?;
    bench.tell(&[&format!("setboard {EMPTY_BOARD}")])?;
    let heard = bench.settle()?;
    none(&heard, "no move and no claim", |message| {
        moved(message).is_some() || matches!(message, Message::Result { .. } | Message::Resign)
    })?;
    bench.still_plays()?;
    let is_told =
        |said: &Said<Message>| matches!(said.message, Message::TellUserError(_) | Message::Error { .. });
    // What a program is to do is written nowhere; XBoard and others wait for this.
    if heard.iter().any(is_told) { Ok(()) } else { Err(Miss::NotSupported("an error message".into())) }
}

fn edit(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.game = game::Game::from_fen("4k3/p7/8/8/8/8/4P3/R3K3 w - - 0 1", bench.game.mode())
        .expect("a legal position");
    let taken = bench
        .tell(&["edit", "#", "Ke1", "Ra1", "Pe2", "c", "Ke8", "Pa7", "."])
        .and_then(|()| bench.has_position("a1d1"))
        .and_then(|()| bench.has_position("a7a5"));
    // Who has `setboard` need not have both.
    match taken {
        Err(Miss::Failed { .. }) if bench.features.has(Switch::SetBoard) => {
            Err(Miss::NotSupported("edit".into()))
        }
        taken => taken,
    }
}

fn new_resets(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.play(&["e2e4", "e7e5", "g1f3"])?;
    bench.tell(&["new", "force"])?;
    bench.game = game::Game::default();
    bench.has_position("g1f3")
}

fn undo(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.play(&["e2e4", "e7e5"])?;
    bench.tell(&["undo"])?;
    bench.game.undo();
    bench.has_position("d7d5")
}

fn undo_nothing(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.tell(&["undo", "remove"])?;
    bench.settle()?;
    bench.play(&["e2e4"])?;
    bench.tell(&["remove"])?;
    bench.settle()?;
    bench.still_plays()
}

fn remove(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    bench.tell(&["new", "easy"])?;
    bench.hurry()?;
    bench.play(&["a2a3"])?;
    bench.hear_move()?;
    bench.tell(&["remove"])?;
    bench.game.undo();
    bench.game.undo();
    bench.settle()?;
    bench.play(&["a2a4"])?;
    bench.hear_move().map(drop)
}

fn mates(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, MATE_IN_ONE)?;
    bench.hurry()?;
    bench.settle()?;
    bench.tell(&["go"])?;
    let mut heard = bench.hear_move()?;
    if bench.game.outcome().is_none() {
        return Err(Miss::NotSupported("a mate in one".into()));
    }
    heard.extend(bench.settle()?);
    true_results(&heard, Some(Color::White))
}

fn is_mated(candidate: &Candidate) -> Result<(), Miss> {
    ends(candidate, MATE_IN_ONE, "a1a8", Some(Color::White))
}

fn is_stalemated(candidate: &Candidate) -> Result<(), Miss> {
    ends(candidate, "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "f2f7", None)
}

/// The program has to move after the last move of a game.
fn ends(candidate: &Candidate, fen: &str, last: &str, winner: Option<Color>) -> Result<(), Miss> {
    let mut bench = Bench::at(candidate, fen)?;
    bench.hurry()?;
    bench.play(&[last])?;
    bench.settle()?;
    bench.tell(&["go"])?;
    let mut heard = bench.hear_no_move(2 * QUIET)?;
    heard.extend(bench.settle()?);
    true_results(&heard, winner)?;
    bench.still_plays()
}

/// No result was claimed but the true one.
pub(super) fn true_results(heard: &Heard, winner: Option<Color>) -> Result<(), Miss> {
    let truth = match winner {
        Some(Color::White) => GameResult::WhiteWins,
        Some(Color::Black) => GameResult::BlackWins,
        None => GameResult::Draw,
    };
    let expected = format!("no other result than {truth}");
    none(heard, &expected, |message| matches!(message, Message::Result { result, .. } if *result != truth))
}

fn result(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, LONG_THINK)?;
    bench.break_off("result 1-0 {White resigns}")?;
    bench.play(&["h2h3"])?;
    bench.hear_no_move(QUIET)?;
    bench.still_plays()
}

fn draw_offer(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::thinking(candidate, LONG_THINK)?;
    bench.needs(Switch::Draw)?;
    bench.tell(&["draw"])?;
    let heard = thinks_on(candidate, &mut bench, QUIET)?;
    none(&heard, "no complaint", is_refusal)?;
    none(&bench.hear_move()?, "no complaint", is_refusal)
}
