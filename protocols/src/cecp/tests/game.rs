//! Tests of modes, moves and positions during a game.

use super::{Gui, long_think};

#[test]
fn a_game_from_the_other_sides_first_move() {
    let mut gui = Gui::quick();
    gui.send(&["usermove e2e4"]);
    gui.expect_move();
    gui.send(&["d2d4"]);
    gui.expect_move();
    assert!(gui.answers(&["usermove Ng1f3"])[0].starts_with("move "));
    gui.disconnect();
}

#[test]
fn go_and_playother_choose_the_side() {
    let mut gui = Gui::quick();
    gui.send(&["go"]);
    gui.expect_move();
    gui.expect_silence(&["force", "new", "sd 2", "force", "usermove e2e4"]);
    gui.send(&["playother", "usermove e7e5"]);
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn force_and_the_like_end_a_search_silently() {
    for command in
        ["force", "result 1-0 {White resigns}", "new", "setboard 8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", "exit"]
    {
        let mut gui = Gui::start();
        long_think(&mut gui);
        if command.starts_with("setboard") {
            // With White to move it would be the engine's own turn again.
            gui.expect_silence(&[command]);
        } else if command == "exit" {
            gui.send(&["exit", "?"]);
            gui.expect_move();
        } else {
            gui.expect_silence(&[command]);
        }
        gui.disconnect();
    }
}

#[test]
fn illegal_moves_change_nothing() {
    let mut gui = Gui::quick();
    gui.expect_answer("usermove e2e5", "Illegal move (no such piece can go there): e2e5");
    gui.expect_answer("usermove xyz", "Illegal move (unreadable): xyz");
    gui.expect_answer("@@@@", "Illegal move (unreadable): @@@@");
    gui.send(&["usermove e2e4"]);
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn illegal_moves_are_reported_at_once_in_force_mode() {
    let mut gui = Gui::quick();
    gui.send(&["force", "usermove e2e5"]);
    gui.expect("Illegal move (no such piece can go there): e2e5");
    gui.disconnect();
}

#[test]
fn cutechess_may_prepare_blacks_turn_with_an_illegal_move() {
    let start = "setboard 4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    let mut gui = Gui::at("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    gui.expect_silence(&["b2b3", start]);
    gui.send(&["b2b3", "edit", "."]);
    gui.expect_silence(&[]);
    // Any other line, `ping` included, releases the report first.
    gui.send(&["b2b3", "ping 7"]);
    gui.expect("Illegal move (there is no piece to move): b2b3");
    gui.expect("pong 7");
    // Nor is it lost at the end.
    let mut leaving = Gui::at("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    leaving.send(&["b2b3", "quit"]);
    leaving.expect("Illegal move (there is no piece to move): b2b3");
    leaving.expect_end();
    // Where the move is legal, it is played.
    gui.expect_silence(&["new", "force", "b2b3", start, "usermove e8d8"]);
    gui.disconnect();
}

#[test]
fn xboards_colour_dance_keeps_the_game() {
    let mut gui = Gui::quick();
    gui.expect_silence(&["force", "usermove e2e4", "usermove e7e5"]);
    gui.send(&["black", "time 100", "otim 100", "white", "go"]);
    gui.expect_move();
    // The history is kept.
    gui.expect_silence(&["force", "undo", "undo", "undo"]);
    gui.disconnect();
}

#[test]
fn a_position_on_the_engines_move_makes_it_think() {
    let mut gui = Gui::quick();
    gui.send(&["setboard 6k1/5ppp/8/8/8/8/r7/6K1 b - - 0 1"]);
    gui.expect_move();
    // The mode is kept, so it is the opponent's turn.
    gui.expect_silence(&["setboard 6k1/5ppp/8/8/8/8/r7/6K1 w - - 0 1"]);
    gui.disconnect();
}

#[test]
fn undo_and_remove_take_back() {
    let mut gui = Gui::quick();
    gui.expect_silence(&[
        "force",
        "usermove e2e4",
        "undo",
        "usermove d2d4",
        "usermove d7d5",
        "remove",
        "usermove e2e4",
    ]);
    gui.expect_answer("remove", "Error (command not legal now): remove");
    gui.expect_silence(&["undo", "usermove c2c4"]);
    gui.disconnect();
}

#[test]
fn chess960_castles_with_letters() {
    let mut gui = Gui::quick();
    gui.send(&["variant fischerandom", "force", "setboard 4k3/8/8/8/8/8/8/RK6 w A - 0 1"]);
    gui.expect_silence(&["usermove O-O-O"]);
    gui.expect_silence(&["new", "force", "usermove e2e4"]);
    gui.disconnect();
}

#[test]
fn a_person_on_a_chess_server_is_greeted_once_a_game() {
    let mut gui = Gui::quick();
    gui.send(&["ics chess.example", "name Alice", "usermove e2e4"]);
    let greeting = concat!(
        "tellopponent Hello Alice, I am Herald ",
        env!("CARGO_PKG_VERSION"),
        ", a chess program. Have a good game!"
    );
    assert_eq!(gui.line(), greeting);
    gui.expect_move();
    gui.send(&["go"]);
    gui.expect_move();
    // Programs don't read greetings, and a local user needs none.
    for lines in [&["new", "name Bob(C)", "computer"][..], &["new", "ics -", "name Carol"], &["new"]] {
        gui.send(lines);
        gui.send(&["sd 2", "usermove e2e4"]);
        gui.expect_move();
    }
    gui.disconnect();
}
