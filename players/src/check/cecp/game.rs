//! Games: sides, moves, positions, results.

use game::{Color, Game};
use messages::cecp::GameResult;
use shakmaty::KnownOutcome;

use super::control::{thinks_alone, thinks_on};
use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("answers-move", "after `new`, answers White's move", Greeted).must(GAME).check(|program| {
        program.tell(["new", "easy"])?;
        program.hurry()?;
        program.play(&["e2e4"])?;
        program.hear_move(program.patience)?;
        program.play(&["a2a3"])?;
        program.hear_move(program.patience).map(drop)
    }),
    rule("go", "plays the side on move after `go`", Forced).must(GAME).check(|program| {
        program.hurry()?;
        program.play(&["d2d4", "d7d5"])?;
        program.ask("go")?;
        let is_claim = |message: &Message| matches!(message, Message::Result { .. } | Message::Resign);
        program.hear_no_move(QUIET)?.has_no("no claim", is_claim)
    }),
    rule("playother", "plays the side not on move after `playother`", Forced)
        .must(GAME)
        .check(|program| plays_black(program, Switch::PlayOther, "playother")),
    rule("colors", "plays the other side after `white` and `black`, without thinking", Forced)
        .must(GAME)
        .check(|program| {
            plays_black(program, Switch::Colors, "white")?;
            program.tell(["new", "force"])?;
            program.game = Game::default();
            program.play(&["d2d4"])?;
            answers_after(program, "black", "d7d5")
        }),
    rule("reuse", "plays a second game", Forced).must(GAME).check(|program| {
        program.needs(Switch::Reuse)?;
        program.hurry()?;
        program.play(&["e2e4"])?;
        program.ask("go")?;
        program.tell(["new", "force"])?;
        program.game = Game::default();
        program.has_position("e2e4")?;
        program.hurry()?;
        program.ask("go").map(drop)
    }),
    rule("illegal-move", "refuses an illegal move with `Illegal move`, and forgets it", Forced)
        .must(ERRORS)
        .check(|program| {
            program.tell_move("e2e5")?;
            // Nothing else is sent before the answer.
            program.hear_until(
                "`Illegal move: e2e5` before the next line",
                program.patience,
                |message| matches!(message, Message::IllegalMove { mv, .. } if mv.contains("e2e5")),
            )?;
            program.has_position("e2e4")?;
            program.has_position("e7e5")
        }),
    rule("legal-moves", "takes castling, en passant and promotion", Forced).must(GAME).check(|program| {
        [AFTER_CASTLING, AFTER_PAWNS].iter().try_for_each(|(fen, moves)| {
            program.tell(["new", "force"])?;
            program.set_up(fen)?;
            program.play(moves)?;
            program.settle()?.has_taken(&format!("the moves {}", moves.join(" ")))
        })?;
        // Black is in check.
        program.hurry()?;
        program.ask("go")?;
        ONLY_PROMOTIONS.iter().try_for_each(|fen| plays_from(program, fen))
    }),
    rule("san-input", "takes SAN and coordinates if it asked for `san=1`", Forced).must(GAME).check(
        |program| {
            program.needs(Switch::San)?;
            let moves = ["e4", "f7f6", "Qh5+"];
            moves.iter().try_for_each(|text| program.tell_move(text))?;
            program.settle()?.has_taken("SAN and coordinates")?;
            // One move is legal.
            program.follow(&moves);
            program.hurry()?;
            program.ask("go").map(drop)
        },
    ),
    rule("setboard", "plays from a position of `setboard`, with its castling rights and en passant", Forced)
        .must(GAME)
        .check(|program| {
            program.needs(Switch::SetBoard)?;
            for fen in [ENDGAME].iter().chain(&ONLY_EN_PASSANT) {
                plays_from(program, fen)?;
            }
            CASTLING_MATES.iter().try_for_each(|fen| {
                plays_from(program, fen)?;
                program.has_mated()
            })
        }),
    rule("setboard-illegal", "tells the user of an illegal position, and goes on", Forced)
        .usual(ERRORS)
        .check(|program| {
            program.needs(Switch::SetBoard)?;
            let heard = program.deal(["setboard 8/8/8/8/8/8/8/8 w - - 0 1"])?;
            heard.has_no("no move and no claim", |message| {
                Cecp::is_move(message) || matches!(message, Message::Result { .. } | Message::Resign)
            })?;
            program.still_plays()?;
            // The specification leaves this open; XBoard and other GUIs expect it.
            let is_told =
                |message: &Message| matches!(message, Message::TellUserError(_) | Message::Error { .. });
            require(heard.contains(is_told), "an error message")
        }),
    rule("edit", "takes a position by `edit`", Forced).must(GAME).check(|program| {
        program.set_board("4k3/p7/8/8/8/8/4P3/R3K3 w - - 0 1", program.game.mode());
        let taken = program
            .tell(["edit", "#", "Ke1", "Ra1", "Pe2", "c", "Ke8", "Pa7", "."])
            .and_then(|()| program.has_position("a1d1"))
            .and_then(|()| program.has_position("a7a5"))
            .and_then(|()| program.goes_on());
        // A program with `setboard` need not have `edit`.
        match taken {
            Err(Failure::Broken { .. }) if program.announced.has(Switch::SetBoard) => {
                Err(Failure::NotSupported("edit".into()))
            }
            taken => taken,
        }
    }),
    rule("new-resets", "is at the start position after `new`", Forced).must(GAME).check(|program| {
        program.play(&["e2e4", "e7e5", "g1f3"])?;
        program.tell(["new", "force"])?;
        program.game = Game::default();
        program.has_position("g1f3")?;
        program.goes_on()
    }),
    rule("undo", "takes back a half-move at each `undo`", Forced).must(INTERACTIVE).check(|program| {
        program.play(&["e2e4", "e7e5"])?;
        program.tell(["undo"])?;
        program.game.undo();
        program.has_position("d7d5")?;
        // Two more are obeyed, too.
        program.deal(["undo", "undo"])?;
        program.game = Game::default();
        program.has_position("e2e4")?;
        program.goes_on()
    }),
    rule("undo-nothing", "survives `undo` and `remove` when there is nothing to take back", Forced)
        .usual(INTERACTIVE)
        .check(|program| {
            program.deal(["undo", "remove"])?;
            program.play(&["e2e4"])?;
            program.deal(["remove"])?;
            program.still_plays()?;
            takes_back(program).map_err(Failure::unseen)
        }),
    rule("remove", "takes back two half-moves at each `remove`", Greeted).must(INTERACTIVE).check(
        |program| {
            program.tell(["new", "easy"])?;
            program.hurry()?;
            for mv in ["a2a3", "h2h3"] {
                program.play(&[mv])?;
                program.hear_move(program.patience)?;
            }
            // One alone would leave a pawn on a3.
            for _ in 0..2 {
                program.tell(["remove"])?;
                program.hear_no_move(QUIET / 5)?;
            }
            program.game = Game::default();
            program.play(&["a2a4"])?;
            program.hear_move(program.patience).map(drop)
        },
    ),
    rule("mates", "claims no wrong result when it mates", At(MATE_IN_ONE)).must(GAME).check(|program| {
        let black = &mut At(MATE_IN_ONE_BY_BLACK).reach(&program.candidate)?;
        let claims = [claims_mate(program, Color::White)?, claims_mate(black, Color::Black)?];
        require(claims == [true; 2], "a claim of the result")
    }),
    rule("is-mated", "doesn't move when it is mated, and claims no wrong result", At(MATE_IN_ONE))
        .must(GAME)
        .check(|program| {
            ends(program, "a1a8", Some(Color::White))?;
            let black = &mut At(MATE_IN_ONE_BY_BLACK).reach(&program.candidate)?;
            ends(black, "a8a1", Some(Color::Black))
        }),
    rule(
        "is-stalemated",
        "doesn't move when it is stalemated, and claims no wrong result",
        At("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"),
    )
    .must(GAME)
    .check(|program| ends(program, "f2f7", None)),
    rule("result", "stops at `result`, and doesn't answer moves", Thinking).must(GAME).check(|program| {
        stops_silently(program, "result 1-0 {White resigns}")?;
        program.tell(["st 1"])?;
        program.play(&["h2h3"])?;
        program.hear_no_move(AT_ONCE)?;
        program.still_plays()
    }),
    rule("result-idle", "plays on after `result` when it is idle", Forced).must(GAME).check(|program| {
        program.play(&["e2e4", "e7e5"])?;
        program.takes(&["result 0-1 {White resigns}"])?;
        program.hear_no_move(QUIET)?;
        program.still_plays()?;
        program.stops_at("result 1-0 {Black resigns}")
    }),
    rule(
        "result-pondering",
        "rests after `result` in the opponent's time, and doesn't answer moves",
        Pondering,
    )
    .must(GAME)
    .check(|program| {
        let reply = program.any_move()?;
        program.deal(["result 1-0 {Black resigns}"])?.has_no("no move", Cecp::is_move)?;
        program.rests("after `result`", QUIET)?.has_no("no move", Cecp::is_move)?;
        program.play(&[&reply])?;
        program.hear_no_move(AT_ONCE)?;
        program.still_plays()
    }),
    rule("result-analysing", "plays on after `result` in analysis", Analysing).usual(GAME).check(|program| {
        program.tell(["result 1/2-1/2 {agreed}"])?;
        let works = program.works(QUIET)?;
        program.hear_no_move(QUIET)?;
        program.deal(["exit"])?;
        program.still_plays()?;
        observe(!works, "it analyses on, and nothing shows that it reads `result`")
    }),
    rule("draw-offer", "takes `draw` without moving or complaining", Thinking).must(GAME).check(|program| {
        program.needs(Switch::Draw)?;
        program.tell(["draw"])?;
        thinks_on(program)?.has_no("no complaint", is_refusal)?;
        program.hear_move(program.patience)?.has_no("no complaint", is_refusal)?;
        accepts_when_lost(program)
    }),
    rule("draw-accepted", "accepts a draw by `offer draw`, if at all, when it is lost", At(LOST))
        .usual(GAME)
        .check(|program| {
            program.needs(Switch::Draw)?;
            let heard = after_offer(program)?;
            require(!heard.contains(is_refusal), "an understanding of `draw`")?;
            observe(!heard.contains(resigns), "it resigns when it is lost")?;
            observe(heard.contains(accepts_draw), "it accepts no draw when it is lost")
        }),
    rule("draw-refused", "refuses a draw when it wins", At(WON)).usual(GAME).check(|program| {
        program.needs(Switch::Draw)?;
        after_offer(program)?.has_no("no `offer draw`", accepts_draw)?;
        accepts_when_lost(program)
    }),
    rule("claims-repetition", "claims a draw at the third repetition, if at all, and not before", At(LOST))
        .must(GAME)
        .check(|program| {
            program.play(&["b1c3", "b8c6", "c3b1"])?;
            claims_nothing(program, "c6b8", "no claim at the second occurrence")?;
            let program = &mut At(LOST).reach(&program.candidate)?;
            program.play(&["b1c3", "b8c6", "c3b1", "c6b8", "b1c3", "b8c6", "c3b1"])?;
            require(claims_draw(program, "c6b8")?, "a claim at the third repetition: it moves")
        }),
    rule("claims-fifty", "claims a draw after fifty moves, if at all, and not before", At(FORTY_NINE_MOVES))
        .must(GAME)
        .check(|program| {
            program.needs(Switch::SetBoard)?;
            let before = &mut At(FORTY_EIGHT_MOVES).reach(&program.candidate)?;
            claims_nothing(before, "b8c6", "no claim after 49 moves")?;
            let lacking = "a claim after fifty moves, most of them told by `setboard`: it moves";
            require(claims_draw(program, "b8c6")?, lacking)
        }),
];

/// Fails unless the program takes a position, and makes a legal move in it.
fn plays_from(program: &mut CecpHarness, fen: &str) -> Checked {
    program.tell(["new", "force"])?;
    program.set_up(fen)?;
    program.settle()?.has_taken("the position")?;
    program.hurry()?;
    program.ask("go").map(drop)
}

/// Fails unless the program takes back moves.
fn takes_back(program: &mut CecpHarness) -> Checked {
    program.tell(["new", "force"])?;
    program.game = Game::default();
    program.play(&["e2e4"])?;
    program.tell(["undo"])?;
    program.game.undo();
    program.play(&["e2e4", "e7e5"])?;
    program.tell(["remove"])?;
    program.game = Game::default();
    program.has_position("e2e4")
}

/// Not seen unless the program, started anew, accepts a draw when it is lost: else nothing shows that it reads `draw`.
fn accepts_when_lost(program: &CecpHarness) -> Checked {
    let lost = after_offer(&mut At(LOST).reach(&program.candidate)?)?;
    observe(lost.contains(accepts_draw), "it accepts no draw when it is lost, either")
}

/// Returns the messages of the program, which is on move, up to the move after the next, before which it was offered a draw.
fn after_offer(program: &mut CecpHarness) -> Checked<Transcript<Message>> {
    program.hurry()?;
    program.settle()?;
    program.ask("go")?;
    program.tell(["draw"])?;
    let mut heard = program.hear_no_move(QUIET)?;
    if !heard.contains(accepts_draw) && !heard.contains(resigns) {
        program.play(&[&program.any_move()?])?;
        let is_end = |message: &Message| Cecp::is_move(message) || accepts_draw(message) || resigns(message);
        heard.0.extend(program.hear_until("a move or `offer draw`", program.patience, is_end)?.0);
        heard.0.extend(program.hear_for(QUIET / 5)?.0);
    }
    Ok(heard)
}

fn resigns(message: &Message) -> bool {
    *message == Message::Resign
}

fn accepts_draw(message: &Message) -> bool {
    let draw = GameResult::Known(KnownOutcome::Draw);
    matches!(message, Message::OfferDraw)
        || matches!(message, Message::Result { result, .. } if *result == draw)
}

/// Plays the opponent's move against the program, which plays White, and returns whether it claims a draw instead of a move. Fails if
/// it claims something else.
fn claims_draw(program: &mut CecpHarness, last: &str) -> Checked<bool> {
    program.hurry()?;
    program.settle()?;
    program.play_other()?;
    require(!program.settle()?.contains(is_refusal), "playing the side not on move")?;
    program.play(&[last])?;
    let is_end = |message: &Message| {
        Cecp::is_move(message) || matches!(message, Message::Result { .. } | Message::Resign)
    };
    let heard = program.hear_until("a move or a claim", program.patience, is_end);
    // Whether it plays then is the subject of other rules.
    observe(heard.is_ok() || program.stream.has_ended(), "it neither moves nor claims anything")?;
    let heard = heard?;
    true_results(&heard, None)?;
    Ok(heard.contains(accepts_draw))
}

/// Fails if the program claims a draw when the opponent has made this move, or after its own.
fn claims_nothing(program: &mut CecpHarness, last: &str, wanted: &str) -> Checked {
    demand(!claims_draw(program, last)?, wanted, "a claim of a draw")?;
    let draw = GameResult::Known(KnownOutcome::Draw);
    let is_claim = |message: &Message| matches!(message, Message::Result { result, .. } if *result == draw);
    program.settle()?.has_no(&format!("{wanted}, nor after its own move"), is_claim)
}

/// Fails unless the program, which thinks, stops at a command, and makes no move because of it.
///
/// [`Failure::NotSupported`] if it reads the command only when it has moved: then it doesn't answer the next move.
fn stops_silently(program: &mut CecpHarness, command: &str) -> Checked {
    let told = Instant::now();
    let heard = program.deal([command])?;
    let moved = heard.messages().find_map(|message| Cecp::legal_move(message, &program.game));
    if let Some(moved) = moved {
        let is_late = !thinks_alone(program, told.elapsed() + QUIET)?;
        demand(is_late, format!("no move because of `{command}`"), heard.shown())?;
        program.game.play(moved).expect("a legal move");
        let reply = program.any_move()?;
        program.play(&[&reply])?;
        let answered = program.hear_for(Duration::from_secs(LONG_THINK.into()) + QUIET)?;
        answered.has_no(&format!("no answer to a move after `{command}`"), Cecp::is_move)?;
        return Err(Failure::NotSupported("reading while it thinks".into()));
    }
    heard.has_no(&format!("no move because of `{command}`"), Cecp::is_move)?;
    program.hear_no_move(QUIET).map(drop)
}

/// Fails unless the program plays Black after this command of a feature, and doesn't move first.
fn plays_black(program: &mut CecpHarness, feature: Switch, command: &str) -> Checked {
    program.needs(feature)?;
    answers_after(program, command, "d2d4")
}

/// Fails unless the program answers a move after a command, and doesn't move first.
fn answers_after(program: &mut CecpHarness, command: &str, mv: &str) -> Checked {
    program.tell([command])?;
    program.hurry()?;
    program.hear_no_move(QUIET)?;
    program.play(&[mv])?;
    program.hear_move(program.patience).map(drop)
}

/// Fails unless the program replies to the last move of a game.
fn ends(program: &mut CecpHarness, last: &str, winner: Option<Color>) -> Checked {
    program.hurry()?;
    program.play(&[last])?;
    program.settle()?;
    program.tell(["go"])?;
    for heard in [program.hear_no_move(2 * QUIET)?, program.settle()?] {
        true_results(&heard, winner)?;
        if winner.is_none() {
            heard.has_no("no resignation of a draw", resigns)?;
        }
    }
    program.still_plays()
}

/// Lets the program mate, and returns whether it claims the result. Fails if it claims another one.
fn claims_mate(program: &mut CecpHarness, winner: Color) -> Checked<bool> {
    program.hurry()?;
    program.settle()?;
    let mut heard = program.ask("go")?;
    require(program.game.outcome().is_some(), "a mate in one")?;
    heard.0.extend(program.settle()?.0);
    true_results(&heard, Some(winner))?;
    heard.has_no("no resignation when it has won", resigns)?;
    Ok(heard.contains(|message| matches!(message, Message::Result { .. })))
}

/// Fails if the program claims another result than this one.
pub(super) fn true_results(heard: &Transcript<Message>, winner: Option<Color>) -> Checked {
    let truth = GameResult::Known(KnownOutcome::from_winner(winner));
    let is_wrong = |message: &Message| matches!(message, Message::Result { result, .. } if *result != truth);
    heard.has_no(&format!("no other result than {truth}"), is_wrong)
}
