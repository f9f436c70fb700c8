//! Tests of thinking, pondering and the clock.

use std::time::{Duration, Instant};

use super::{Gui, long_think};
use messages::cecp::{Message, ThinkingLine};

#[test]
fn a_ping_waits_for_the_move_and_only_for_that() {
    let mut gui = Gui::quick();
    gui.send(&["st 1", "sd 50", "go", "ping 1", "ping 2"]);
    gui.expect_move();
    gui.expect("pong 1");
    gui.expect("pong 2");
    gui.send(&["hard", "usermove e7e5", "?", "ping 3"]);
    // Whether the engine ponders or not, `ping` must not wait for the opponent.
    gui.expect_move();
    gui.expect("pong 3");
    gui.expect_silence(&[]);
    gui.expect_silence(&["easy", "analyze"]);
    gui.disconnect();
}

#[test]
fn pings_before_an_abort_are_answered_once() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&["ping 1", "ping 2", "force", "ping 3"]);
    for pong in ["pong 1", "pong 2", "pong 3"] {
        gui.expect(pong);
    }
    gui.expect_silence(&[]);
    gui.disconnect();
}

#[test]
fn settings_do_not_disturb_the_search_and_move_now_ends_it() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&[
        "time 100000",
        "otim 5",
        "post",
        "nopost",
        "easy",
        "hard",
        "easy",
        "cores 1",
        "option MultiPV=1",
        "hint",
    ]);
    gui.send(&["foo"]);
    let mut line = gui.line();
    while line.starts_with("Hint: ") || ThinkingLine::parse(&line).is_some() {
        line = gui.line();
    }
    assert_eq!(line, "Error (unknown command): foo");
    gui.send(&["?"]);
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn thinking_output_has_at_least_seven_numbers_and_a_line() {
    let mut gui = Gui::quick();
    gui.send(&["post", "sd 5", "go"]);
    let mut depths = Vec::new();
    loop {
        let line = gui.line();
        match Message::parse(&line) {
            Message::Thinking(thinking) => {
                assert!(thinking.tablebase_hits.is_some() && !thinking.text.is_empty(), "{line}");
                depths.push(thinking.depth);
            }
            Message::Move(_) => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(depths.iter().max(), Some(&5));
    gui.disconnect();
}

#[test]
fn a_time_per_move_is_kept_to_and_the_ponder_hit_starts_it() {
    let mut gui = Gui::start();
    gui.send(&["new", "hard", "st 0.3", "usermove e2e4"]);
    gui.expect_move();
    gui.send(&["hint"]);
    let hint = gui.line();
    let reply = hint.strip_prefix("Hint: ").expect("the engine ponders about a reply").to_owned();
    // Longer than the time per move, which does not limit pondering.
    std::thread::sleep(Duration::from_millis(500));
    gui.expect_silence(&[]);
    let start = Instant::now();
    gui.send(&[&format!("usermove {reply}")]);
    gui.expect_move();
    assert!(start.elapsed() < Duration::from_secs(5));
    gui.disconnect();
}

#[test]
fn pondering_neither_moves_nor_delays_a_pong() {
    let mut gui = Gui::quick();
    gui.send(&["hard", "sd 8", "usermove e2e4"]);
    gui.expect_move();
    gui.expect_silence(&["?"]);
    gui.send(&["hint"]);
    let hint = gui.line();
    let reply = hint.strip_prefix("Hint: ").expect("the engine ponders about a reply").to_owned();
    // Sends the expected reply, and then a move that is usually unexpected.
    gui.send(&[&format!("usermove {reply}")]);
    gui.expect_move();
    gui.send(&["usermove a2a3"]);
    let answer = gui.line();
    assert!(answer.starts_with("move ") || answer.starts_with("Illegal move"), "{answer}");
    gui.disconnect();
}

#[test]
fn no_pondering_in_the_start_position() {
    let mut gui = Gui::quick();
    gui.send(&["hard", "new", "hint", "sd 1"]);
    // The hint comes from a separate search, not from one on the opponent's time.
    assert!(gui.line().starts_with("Hint: "));
    gui.disconnect();
}

#[test]
fn the_clock_runs_in_nodes_if_asked() {
    let mut gui = Gui::start();
    // 500 seconds at one node per second.
    gui.send(&["new", "nps 1", "st 500", "post", "go"]);
    loop {
        match Message::parse(&gui.line()) {
            Message::Thinking(line) => assert!(line.nodes <= 500, "{line}"),
            Message::Move(_) => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    gui.disconnect();
}

#[test]
fn pondering_is_shown_with_the_expected_move_in_parentheses() {
    let mut gui = Gui::quick();
    gui.send(&["post", "hard", "usermove e2e4"]);
    let mut line = gui.line();
    while ThinkingLine::parse(&line).is_some() {
        line = gui.line();
    }
    assert!(line.starts_with("move "), "{line}");
    let line = gui.line();
    let shown = ThinkingLine::parse(&line).expect(&line);
    assert!(shown.text.starts_with('(') && shown.text.contains(") "), "{line}");
    gui.disconnect();
}
