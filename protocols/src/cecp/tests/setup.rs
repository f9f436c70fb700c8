//! Tests of setting up positions.

use super::{Gui, long_think};

#[test]
fn an_illegal_position_is_refused_and_so_are_moves() {
    let fen = "8/8/8/8/8/8/8/8 w - - 0 1";
    let mut gui = Gui::quick();
    gui.expect_answer(
        &format!("setboard {fen}"),
        &format!("tellusererror Illegal position {fen} (white has 0 kings; expected one)"),
    );
    gui.expect_answer("usermove e2e4", "Illegal move (no legal position): e2e4");
    gui.expect_silence(&["go", "analyze", "hint", "force"]);
    gui.expect_answer("undo", "Error (command not legal now): undo");
    gui.send(&["new", "sd 2", "usermove e2e4"]);
    gui.expect_move();
    assert!(gui.answers(&["setboard nonsense"])[0].starts_with("tellusererror Illegal position nonsense ("));
    gui.disconnect();
}

#[test]
fn edit_sets_up_a_position_for_either_side() {
    let mut gui = Gui::quick();
    gui.expect_silence(&["force", "edit", "#", "Kg6", "Ra1", "c", "Kg8", "."]);
    gui.send(&["white", "go"]);
    gui.expect("move a1a8");
    gui.expect("1-0 {White mates}");
    gui.send(&["edit", "Zz9", "Kz9", "."]);
    gui.expect("Error (unknown command in edit mode): Zz9");
    gui.expect("Error (bad square in edit mode): Kz9");
    gui.disconnect();
}

#[test]
fn a_ping_after_edit_waits_for_what_the_position_leads_to() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&["edit", "#", "Ke1", "c", "Ke8", ".", "ping 7"]);
    gui.expect("1/2-1/2 {Draw by insufficient material}");
    gui.expect("pong 7");
    long_think(&mut gui);
    gui.send(&["sd 2", "edit", "#", "Kg6", "Ra1", "c", "Kg8", ".", "ping 8"]);
    gui.expect("move a1a8");
    gui.expect("1-0 {White mates}");
    gui.expect("pong 8");
    gui.disconnect();
}

#[test]
fn an_illegal_position_of_a_variant_is_shown_once() {
    let fen = "8/8/8/8/4p3/8/krbnNBRK/qrbnNBRQ w - - 0 1";
    let mut gui = Gui::quick();
    gui.send(&["variant racingkings"]);
    gui.until_pong();
    let told = gui.answers(&[&format!("setboard {fen}")]);
    assert!(told[0].starts_with(&format!("tellusererror Illegal position {fen} (")), "{told:?}");
    assert_eq!(told[0].matches(fen).count(), 1, "{told:?}");
    gui.disconnect();
}

#[test]
fn quit_is_obeyed_in_edit_mode() {
    let mut gui = Gui::quick();
    gui.send(&["edit", "quit"]);
    gui.expect_end();
}
