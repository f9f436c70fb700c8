//! Tests of `pause` and `resume`: everything stops and later continues unchanged.

use std::time::{Duration, Instant};

use super::{Gui, long_think};
use messages::cecp::{Message, ThinkingLine};

const A_WHILE: Duration = Duration::from_millis(300);

#[test]
fn a_paused_analysis_is_silent_and_goes_on() {
    let mut gui = Gui::start();
    gui.send(&["new", "force", "post", "analyze"]);
    assert!(ThinkingLine::parse(&gui.line()).is_some());
    gui.send(&["pause", "computer"]);
    while gui.line() != "Error (paused): computer" {}
    assert_eq!(gui.hear_for(A_WHILE), Vec::<String>::new());
    gui.send(&["resume"]);
    let line = gui.line();
    let line = ThinkingLine::parse(&line).expect(&line);
    assert!(line.depth > 1, "it did not begin anew: {line}");
    gui.disconnect();
}

#[test]
fn the_clock_stands_still() {
    let mut gui = Gui::start();
    gui.send(&["memory 20", "new", "st 0.6", "go", "pause"]);
    assert_eq!(gui.hear_for(Duration::from_millis(900)), Vec::<String>::new());
    let resumed = Instant::now();
    gui.send(&["resume"]);
    gui.expect_move();
    assert!(resumed.elapsed() > Duration::from_millis(300), "{:?}", resumed.elapsed());
    gui.disconnect();
}

#[test]
fn a_pause_while_pondering_changes_nothing() {
    let mut gui = Gui::quick();
    gui.send(&["hard", "usermove e2e4"]);
    gui.expect_move();
    gui.send(&["pause", "resume", "hint"]);
    let hint = gui.line();
    let reply = hint.strip_prefix("Hint: ").expect("it ponders about a reply").to_owned();
    gui.send(&["pause", "resume", &format!("usermove {reply}")]);
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn other_commands_are_errors_and_quit_is_obeyed() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&["ping 1", "pause", "ping 2", "computer", "foo", "pause", "?"]);
    for line in ["ping 2", "computer", "foo", "pause", "?"] {
        gui.expect(&format!("Error (paused): {line}"));
    }
    gui.send(&["resume", "resume", "?"]);
    gui.expect("Error (not paused): resume");
    // The ping from before the pause still waits for the move.
    gui.expect_move();
    gui.expect("pong 1");
    gui.send(&["analyze", "pause", "quit"]);
    gui.expect_end();
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&["pause"]);
    gui.disconnect();
}

#[test]
fn a_command_that_begins_or_edits_a_game_ends_the_pause() {
    for commands in [
        &["new"][..],
        &["force", "setboard 4k3/8/8/8/8/8/8/4K2R w - - 0 1"],
        &["force", "edit", "#", "Ke1", "c", "Ke8", "."],
        &["result 1-0 {resigns}"],
        &["force", "undo"],
        &["exit", "force"],
    ] {
        let mut gui = Gui::start();
        gui.send(&["new", "st 60", "usermove e2e4", "pause"]);
        gui.send(commands);
        gui.send(&["force"]);
        let told = gui.until_pong();
        assert!(told.iter().all(|line| !line.starts_with("Error (paused)")), "{commands:?}: {told:?}");
        gui.send(&["new", "st 0.1", "usermove d2d4"]);
        gui.expect_move();
        gui.disconnect();
    }
}

#[test]
fn a_decision_from_the_moment_of_the_pause_is_told_after_it() {
    for _ in 0..20 {
        let mut gui = Gui::quick();
        gui.send(&["sd 1", "go", "pause", "computer"]);
        // The move comes before the pause or after it, never in between.
        let first = gui.line();
        if matches!(Message::parse(&first), Message::Move(_)) {
            gui.expect("Error (paused): computer");
        } else {
            assert_eq!(first, "Error (paused): computer");
            assert_eq!(gui.hear_for(Duration::from_millis(20)), Vec::<String>::new());
            gui.send(&["resume"]);
            gui.expect_move();
        }
        gui.disconnect();
    }
}
