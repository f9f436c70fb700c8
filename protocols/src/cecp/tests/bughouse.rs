//! Tests of bughouse at one board.

use super::Gui;

/// White has given mate unless Black receives a piece to interpose.
const MATE_BUT_FOR_A_PIECE: &str = "setboard R5k1/5ppp/8/8/8/8/5PPP/6K1[] b - - 0 1";

fn bughouse() -> Gui {
    let mut gui = Gui::quick();
    gui.send(&["variant bughouse", "partner somebody", "force"]);
    gui
}

#[test]
fn captives_go_to_the_partner_and_come_from_there() {
    let mut gui = bughouse();
    gui.expect_silence(&["usermove e2e4", "usermove d7d5", "usermove e4d5", "usermove d8d5"]);
    gui.expect_answer("usermove P@e4", "Illegal move (there is no such piece in hand): P@e4");
    gui.expect_silence(&["holding [P] [N] WP", "usermove P@e4", "undo", "usermove P@e4", "undo"]);
    // The game's history with its pockets is still known.
    gui.expect_silence(&["undo", "undo", "usermove e4d5"]);
    // More knights than a set of pieces has.
    gui.expect_silence(&["holding [NNNN] [NNN]", "usermove N@e4", "usermove N@e5"]);
    gui.disconnect();
}

#[test]
fn who_needs_a_piece_asks_for_it_and_waits() {
    let mut gui = bughouse();
    gui.send(&[MATE_BUT_FOR_A_PIECE, "go"]);
    gui.expect("tellics ptell I sit: I can't move without a piece");
    gui.send(&["holding [] [R] BR"]);
    assert!(gui.expect_move().starts_with("R@"));
    // A check by a knight or by a rook next to the king can't be blocked.
    gui.send(&["force", "setboard 6rk/5Npp/8/8/8/8/8/6K1[] b - - 0 1", "go"]);
    gui.expect("1-0 {White mates}");
    gui.disconnect();
}

#[test]
fn the_partner_decides_whether_to_wait() {
    let mut gui = bughouse();
    gui.send(&["ptell sit", "go"]);
    gui.expect_silence(&[]);
    gui.send(&["ptell hello", "ptell Go!"]);
    gui.expect_move();
    // Other variants have no partner.
    gui.send(&["new", "sd 2", "ptell sit", "go"]);
    gui.expect_move();
    gui.disconnect();
}
