//! Tests of the variants.

use super::Gui;

#[test]
fn variants_are_played_by_their_rules() {
    let mut gui = Gui::quick();
    gui.send(&["variant crazyhouse", "force", "setboard 6rk/6pp/8/8/8/8/6PP/6K1[Nq] w - - 0 1"]);
    gui.expect_answer("usermove R@e4", "Illegal move (there is no such piece in hand): R@e4");
    gui.send(&["go"]);
    assert_eq!(gui.expect_move(), "N@f7");
    gui.expect("1-0 {White mates}");
    // A new position is of the same variant.
    gui.send(&["force", "setboard 4k3/8/8/8/8/8/8/4K3 b - - 0 1"]);
    gui.expect_silence(&["usermove e8e7", "undo"]);
    // `new` returns to chess.
    gui.send(&["new", "force", "usermove e2e4"]);
    gui.expect_answer("usermove P@e5", "Illegal move (there is no such piece in hand): P@e5");
    gui.disconnect();
}

#[test]
fn a_gui_is_told_of_variants_that_it_may_not_know() {
    let mut gui = Gui::quick();
    gui.expect_answer(
        "variant horde",
        "setup (PNBRQKpnbrqk) 8x8+0_fairy \
         rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1",
    );
    gui.expect_silence(&["variant atomic", "force"]);
    gui.disconnect();
}

/// A GUI that does not know the rules would take the winner's message for a false claim.
#[test]
fn in_a_variant_the_loser_says_so() {
    let mut gui = Gui::quick();
    gui.send(&["variant kingofthehill", "force", "setboard 4k3/8/8/8/8/3K4/8/8 w - - 0 1", "go"]);
    assert!(gui.line().starts_with("setup "));
    assert!(["move d3d4", "move d3e4"].contains(&gui.line().as_str()));
    gui.expect_silence(&["time 100"]);
    gui.send(&["new", "variant kingofthehill", "sd 2", "force", "setboard 4k3/8/8/8/8/3K4/8/8 w - - 0 1"]);
    assert!(gui.line().starts_with("setup "));
    gui.send(&["usermove d3d4", "go"]);
    gui.expect("1-0 {White reaches the hill}");
    gui.disconnect();
}
