//! Analysis and hints.

use super::Gui;
use messages::cecp::{Message, ThinkingLine};

#[test]
fn analysis_tells_its_status_and_never_moves() {
    let mut gui = Gui::start();
    gui.send(&["memory 20", "new", "force", "post", "analyze"]);
    assert!(ThinkingLine::parse(&gui.line()).is_some());
    gui.send(&["."]);
    let status = loop {
        if let Message::Status(status) = Message::parse(&gui.line()) {
            break status;
        }
    };
    assert_eq!(status.moves_total, 20);
    gui.send(&[
        "nopost",
        "usermove e2e4",
        "usermove e7e5",
        "undo",
        "new",
        "setboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ]);
    let quiet = |lines: Vec<String>| lines.iter().all(|line| ThinkingLine::parse(line).is_some());
    assert!(quiet(gui.until_pong()));
    // Stalemate: nothing can be searched.
    gui.expect_answer(".", "stat01: 0 0 0 0 0");
    gui.send(&["exit"]);
    gui.expect_answer("usermove e2e4", "Illegal move (there is no piece to move): e2e4");
    gui.expect_silence(&["setboard 7k/5Q2/5K2/8/8/8/8/8 w - - 0 1"]);
    gui.disconnect();
}

#[test]
fn excluded_moves_are_not_searched() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["sd 20", "exclude g1g7", "post", "analyze"]);
    for _ in 0..3 {
        let line = ThinkingLine::parse(&gui.line()).unwrap();
        assert!(!line.text.starts_with("Qg7"), "{line}");
    }
    gui.send(&["nopost", "exclude all"]);
    gui.until_pong();
    gui.expect_answer(".", "stat01: 0 0 0 0 0");
    // `post` comes first: the mate is found at once, and earlier lines are not repeated.
    gui.send(&["post", "include g1g7"]);
    let mut line = gui.line();
    while ThinkingLine::parse(&line).is_none() {
        line = gui.line();
    }
    assert!(ThinkingLine::parse(&line).unwrap().text.starts_with("Qg7"), "{line}");
    gui.disconnect();
}

#[test]
fn a_hint_is_a_legal_move() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["hint"]);
    gui.expect("Hint: g1g7");
    gui.disconnect();
}

#[test]
fn a_told_score_counts_until_the_analysis_ends() {
    // Scores the position after h4 as lost for Black.
    let mut gui = Gui::quick();
    gui.send(&["force", "usermove h2h4", "setscore -700", "undo", "sd 4", "post", "analyze"]);
    let mut last = ThinkingLine::parse(&gui.line()).unwrap();
    while last.depth < 4 {
        last = ThinkingLine::parse(&gui.line()).unwrap();
    }
    assert!(last.text.starts_with("h4") && last.score == game::Score::Centipawns(700), "{last}");
    gui.send(&["exit", "analyze"]);
    let mut last = ThinkingLine::parse(&gui.line()).unwrap();
    while last.depth < 4 {
        last = ThinkingLine::parse(&gui.line()).unwrap();
    }
    assert!(!last.text.starts_with("h4"), "{last}");
    gui.disconnect();
}

#[test]
fn squares_are_marked_for_a_man_that_is_lifted() {
    let mut gui = Gui::at("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2");
    gui.expect_answer("lift e5", "highlight 8/8/3RY3/8/8/8/8/8");
    gui.expect_answer("hover d6", "highlight 8/8/3RY3/3g4/8/8/8/8");
    gui.expect_silence(&["hover e6", "put e6", "hover d6", "lift d5"]);
    gui.disconnect();
}

#[test]
fn squares_are_marked_for_a_man_in_hand() {
    let mut gui = Gui::quick();
    gui.send(&[
        "variant crazyhouse",
        "force",
        "usermove e2e4",
        "usermove d7d5",
        "usermove e4d5",
        "usermove d8d5",
    ]);
    gui.expect_answer("lift j1", "highlight 8/3Y4/YYYYYYYY/YYY1YYYY/YYYYYYYY/YYYYYYYY/4Y3/8");
    gui.expect_answer("lift j2", "highlight 8/8/8/8/8/8/8/8");
    // It is not Black's turn, and a dropped piece does not capture en passant.
    gui.expect_silence(&["lift _8", "hover e6", "put j1"]);
    gui.disconnect();
}

#[test]
fn an_analysis_shows_as_many_lines_as_are_asked_for_at_once() {
    let mut gui = Gui::start();
    gui.send(&["new", "force", "post", "analyze"]);
    while ThinkingLine::parse(&gui.line()).unwrap().depth < 5 {}
    gui.send(&["option MultiPV=3"]);
    // The search restarts: three lines of depth 1.
    while ThinkingLine::parse(&gui.line()).unwrap().depth > 1 {}
    assert_eq!([gui.line(), gui.line()].map(|line| ThinkingLine::parse(&line).unwrap().depth), [1, 1]);
    gui.disconnect();
}

#[test]
fn null_moves_are_played_and_taken_back_in_an_analysis() {
    let mut gui = Gui::quick();
    gui.expect_silence(&[
        "analyze",
        "usermove e2e4",
        "usermove @@@@",
        "usermove d2d4",
        "@@@@",
        "usermove e4e5",
    ]);
    // Another move of White is illegal, since Black's turn has come.
    gui.expect_answer("usermove d4d5", "Illegal move (the piece belongs to the opponent): d4d5");
    gui.expect_silence(&["undo", "undo", "undo", "undo", "usermove e7e5", "undo", "undo", "usermove d2d4"]);
    gui.expect_answer("remove", "Error (command not legal now): remove");
    gui.expect_silence(&["exit", "setboard 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"]);
    let answers = gui.answers(&["usermove @@@@", "ping 1"]);
    assert!(answers[0].starts_with("Illegal move"), "in check: {answers:?}");
    let mut gui = Gui::quick();
    gui.send(&["usermove @@@@"]);
    assert!(gui.line().starts_with("Illegal move"), "in a game");
    gui.disconnect();
}

#[test]
fn a_change_of_the_side_to_move_is_analysed_at_once() {
    let mut gui = Gui::quick();
    gui.send(&["post", "analyze"]);
    for (color, mv, ranks) in [("black", "usermove e7e5", ['5', '6']), ("white", "usermove e2e4", ['3', '4'])]
    {
        gui.send(&[color]);
        // Lines of the former position may still come.
        let thinking = |line: &str| ThinkingLine::parse(line).unwrap_or_else(|| panic!("{color}: {line}"));
        while !thinking(&gui.line()).text.split(' ').next().unwrap().ends_with(ranks) {}
        gui.answers(&[mv, "undo"]).iter().for_each(|line| drop(thinking(line)));
    }
    gui.disconnect();
}
