//! Tests of Hyatt's dialect.

use super::Gui;
use crate::cecp::Dialect;
use messages::autoplayer::MoveNotation;
use messages::cecp::Message;

fn gui() -> Gui {
    with_moves_in(MoveNotation::San)
}

fn with_moves_in(notation: MoveNotation) -> Gui {
    let mut gui = Gui::of_dialect(Dialect::Autoplayer(notation));
    gui.send(&["memory 20", "nopost", "new", "sd 2"]);
    gui
}

#[test]
fn moves_are_san_and_the_clock_is_told_after_them() {
    let mut gui = gui();
    gui.send(&["sd 6", "level 40 120 20 60", "time 30000", "Nf3"]);
    let mv = gui.expect_move();
    assert!(["d5", "Nf6", "e6", "c5", "g6", "d6", "Nc6", "b6"].contains(&mv.as_str()), "{mv}");
    let line = gui.line();
    match Message::parse(&line) {
        Message::Time { centiseconds } => assert!((29_000..=30_000).contains(&centiseconds), "{line}"),
        other => panic!("expected its clock, not {other:?}"),
    }
    gui.disconnect();
}

#[test]
fn it_shows_its_thinking_unasked() {
    let mut gui = Gui::of_dialect(Dialect::Autoplayer(MoveNotation::San));
    gui.send(&["memory 20", "new", "sd 2", "Nf3"]);
    let line = gui.line();
    assert!(matches!(Message::parse(&line), Message::Thinking(_)), "{line}");
    gui.disconnect();
}

#[test]
fn a_position_of_four_fields_is_set_up() {
    let mut gui = gui();
    gui.send(&["force", "setpos 7k/8/5K2/8/8/8/8/6Q1 w - -", "go"]);
    assert_eq!(gui.expect_move(), "Qg7#");
    assert!(gui.line().starts_with("time "));
    gui.expect("1-0 {White mates}");
    gui.disconnect();
}

#[test]
fn draws_are_offered_accepted_and_declined_by_single_words() {
    let mut gui = gui();
    gui.send(&["force", "setpos 4k3/pp6/8/8/8/8/q7/4K2R b - -", "usermove a2a3", "draw", "go"]);
    gui.expect("draw");
    gui.expect_move();
    assert!(gui.line().starts_with("time "));
    gui.send(&["force", "setpos 4k3/8/8/8/8/8/8/Q3K2R w - -", "draw", "go"]);
    gui.expect("decline");
    gui.expect_move();
    assert!(gui.line().starts_with("time "));
    gui.expect_silence(&["decline"]);
    gui.disconnect();
}

#[test]
fn an_illegal_move_ends_the_game() {
    let mut gui = gui();
    gui.expect_answer("e2e5", "* {illegal move from other engine: e2e5}");
    gui.expect_silence(&["e2e4", "result * {illegal move}"]);
    gui.disconnect();
}

#[test]
fn the_engine_judges_its_own_moves_too() {
    let mut gui = gui();
    // The king must capture, which leaves two bare kings.
    gui.send(&["force", "setpos 7k/6R1/8/8/8/8/8/K7 b - -", "go"]);
    assert_eq!(gui.expect_move(), "Kxg7");
    assert!(gui.line().starts_with("time "));
    gui.expect("1/2-1/2 {Draw by insufficient material}");
    gui.disconnect();
}

#[test]
fn it_resigns_by_a_result() {
    let mut gui = gui();
    gui.send(&["option ResignScore=500", "force", "setpos 3qkr2/8/8/8/8/8/P7/K7 w - -"]);
    for reply in ["usermove d8d7", "usermove d7d8"] {
        gui.send(&["go"]);
        gui.expect_move();
        assert!(gui.line().starts_with("time "));
        gui.expect_silence(&["force", reply]);
    }
    gui.send(&["go"]);
    gui.expect("0-1 {White resigns}");
    gui.disconnect();
}

#[test]
fn moves_are_written_in_coordinates_by_option() {
    let mut gui = with_moves_in(MoveNotation::Coordinates);
    gui.send(&["setpos 7k/8/5K2/8/8/8/8/6Q1 w - -", "go"]);
    assert_eq!(gui.expect_move(), "g1g7");
    assert!(gui.line().starts_with("time "));
    gui.expect("1-0 {White mates}");
    gui.disconnect();
}

#[test]
fn a_position_may_have_fewer_fields_and_its_engine_may_wait() {
    for (position, black, white) in [
        ("7k/8/5K2/8/8/8/8/6Q1 b", "Kh7", "Qg7#"),
        ("6k1/8/5K2/8/8/8/8/6Q1 b -", "Kh8", "Qg7#"),
        ("7k/8/5K2/8/8/8/8/6Q1 b - - 3 40", "Kh7", "Qg7#"),
    ] {
        let mut gui = gui();
        // Without `go`, and not on move: it simply gets a move.
        gui.send(&[&format!("setpos {position}"), black]);
        assert_eq!(gui.expect_move(), white, "{position}");
        gui.disconnect();
    }
}

#[test]
fn what_it_cannot_obey_ends_the_game_in_the_words_of_the_dialect() {
    let mut gui = gui();
    gui.expect_answer(
        "setpos 7k/8/8/8/8/8/8/8 w",
        "* {illegal position 7k/8/8/8/8/8/8/8 w - -: white has 0 kings; expected one}",
    );
    gui.expect_silence(&["go"]);
    gui.send(&["new", "sd 2"]);
    gui.expect_answer("level 40 x 20 60", "* {bad time: level 40 x 20 60}");
    gui.expect_silence(&["e2e4"]);
    gui.expect_answer("dance", "Error (unknown command): dance");
    gui.disconnect();
}
