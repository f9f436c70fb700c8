//! Tests of how games end: mates, draws, offers and claims.

use super::Gui;
use messages::cecp::Message;

#[test]
fn a_draw_is_accepted_with_the_move_if_there_is_nothing_to_win() {
    // A rook for a queen and two pawns, then a queen up.
    let mut gui = Gui::at("4k3/pp6/8/8/8/8/q7/4K2R b - - 0 1");
    gui.send(&["usermove a2a3", "draw", "go"]);
    gui.expect("offer draw");
    gui.expect_move();
    let mut gui = Gui::at("4k3/8/8/8/8/8/8/Q3K2R w - - 0 1");
    gui.send(&["draw", "go"]);
    gui.expect_move();
    // The move has ended the offer.
    gui.expect_silence(&["force"]);
    gui.disconnect();
}

#[test]
fn mate_scores_are_written_as_the_specification_says() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["sd 4", "post", "go"]);
    let mut last = None;
    loop {
        match Message::parse(&gui.line()) {
            Message::Thinking(line) => last = Some(line.score),
            Message::Move(mv) => break assert_eq!(mv, "g1g7"),
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(last, Some(game::Score::MateIn(1)));
    gui.expect("1-0 {White mates}");
    gui.expect_silence(&["setboard 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"]);
    gui.disconnect();
}

#[test]
fn the_opponents_mate_and_stalemate_are_announced() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["playother"]);
    gui.expect_answer("usermove g1g7", "1-0 {White mates}");
    let mut gui = Gui::at("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1");
    gui.send(&["playother"]);
    gui.expect_answer("usermove c1c7", "1/2-1/2 {Stalemate}");
    gui.disconnect();
}

#[test]
fn a_dead_position_is_announced_on_the_own_turn() {
    let mut gui = Gui::at("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1");
    gui.send(&["playother"]);
    gui.expect_answer("usermove e1d2", "1/2-1/2 {Draw by insufficient material}");
    let mut gui = Gui::at("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    gui.expect_answer("go", "1/2-1/2 {Draw by insufficient material}");
    gui.disconnect();
}

#[test]
fn a_draw_by_the_own_move_is_offered_with_it() {
    // The king must capture, which leaves two bare kings.
    let mut gui = Gui::at("7k/6R1/8/8/8/8/8/K7 b - - 0 1");
    gui.send(&["go"]);
    gui.expect("offer draw");
    gui.expect("move h8g7");
    gui.expect_silence(&[]);
    gui.disconnect();
}

const SHUFFLE: [&str; 4] = ["usermove g1f3", "usermove g8f6", "usermove f3g1", "usermove f6g8"];

#[test]
fn a_threefold_repetition_by_the_opponent_is_claimed() {
    let mut gui = Gui::quick();
    gui.send(&["force"]);
    gui.expect_silence(&SHUFFLE);
    gui.expect_silence(&SHUFFLE[..3]);
    // White has made seven moves; the engine takes White, and Black repeats for the third time.
    gui.send(&["playother"]);
    gui.expect_answer("usermove f6g8", "1/2-1/2 {Draw by repetition}");
    gui.expect_silence(&["usermove e2e4"]);
    gui.disconnect();
}

#[test]
fn fifty_moves_are_claimed_after_the_opponents_move_but_not_on_go() {
    let fen = "4k3/8/8/8/8/8/R7/4K2r w - - 99 80";
    let mut gui = Gui::at(fen);
    gui.send(&["playother"]);
    gui.expect_answer("usermove e1d2", "1/2-1/2 {Draw by the fifty-move rule}");
    let mut gui = Gui::at("4k3/8/8/8/8/8/R7/4K3 w - - 100 80");
    gui.send(&["go"]);
    let first = gui.line();
    assert!(first.starts_with("move ") || first == "offer draw", "{first}");
    gui.disconnect();
}

#[test]
fn an_own_move_that_completes_fifty_moves_is_a_claim() {
    let mut gui = Gui::at("4k3/8/8/8/8/8/r7/4K3 w - - 99 80");
    gui.send(&["go"]);
    gui.expect("offer draw");
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn a_lost_game_is_resigned_in_place_of_a_move() {
    let mut gui = Gui::at("3qkr2/8/8/8/8/8/P7/K7 w - - 0 1");
    gui.send(&["option ResignScore=500"]);
    for reply in ["usermove d8d7", "usermove d7d8"] {
        gui.send(&["go"]);
        gui.expect_move();
        gui.expect_silence(&["force", reply]);
    }
    gui.send(&["go"]);
    gui.expect("resign");
    gui.expect_silence(&[]);
    gui.disconnect();
}

/// Nobody can pass the pawns. White's king goes to and fro.
const CLOSED: &str = "8/4k3/8/p1p1p1p1/P1P1P1P1/8/4K3/8 b - - 0 1";

/// Returns whether a draw that is offered at the engine's move after `earlier` others in a closed position is accepted.
fn is_taken_when_closed(setting: &[&str], earlier: usize) -> bool {
    let mut gui = Gui::at(CLOSED);
    gui.send(setting);
    for reply in ["usermove e2e3", "usermove e3e2"].into_iter().take(earlier) {
        gui.send(&["go"]);
        gui.expect_move();
        gui.expect_silence(&["force", reply]);
    }
    gui.send(&["draw", "go"]);
    let answer = gui.line();
    gui.disconnect();
    answer == "offer draw"
}

#[test]
fn a_draw_is_accepted_up_to_the_score_that_is_set() {
    assert!(is_taken_when_closed(&["option DrawScore=1000"], 2));
    assert!(
        !is_taken_when_closed(&["option DrawScore=1000", "option Contempt=-200"], 1),
        "two scores are too few"
    );
    assert!(!is_taken_when_closed(&["option DrawScore=-1000"], 2));
}

#[test]
fn a_rating_that_is_far_above_the_opponents_refuses_a_draw() {
    for (rating, is_taken) in
        [("rating 2800 1200", false), ("rating 0 1200", true), ("rating 1200 2800", true)]
    {
        let setting = ["option DrawScore=100", rating];
        assert_eq!(is_taken_when_closed(&setting, 2), is_taken, "{rating}");
    }
}

#[test]
fn an_offer_in_the_first_moves_is_refused() {
    let mut gui = Gui::quick();
    gui.send(&["usermove e2e4", "draw"]);
    gui.expect_move();
    gui.send(&["draw", "usermove f2f3"]);
    gui.expect_move();
    gui.expect_silence(&["force"]);
    gui.disconnect();
}
