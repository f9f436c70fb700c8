//! Protocol sessions over pipes.

use std::time::{Duration, Instant};

use crate::support::Program;

#[test]
fn a_pipe_is_asked_for_its_protocol() {
    let mut program = Program::start(&[]);
    program.say("\nhello\nuci");
    program.hear("uciok");
    program.say("go depth 3");
    program.hear("bestmove ");
    program.say("quit");
    assert_eq!(program.wait().code(), Some(0));

    let mut program = Program::start(&[]);
    program.say("xboard\nprotover 2");
    program.hear("feature ");
    program.say("quit");
    assert_eq!(program.wait().code(), Some(0));
}

#[test]
fn the_end_of_the_input_ends_the_program_at_any_moment() {
    for (arguments, lines) in [
        (&[][..], ""),
        (&[], "hello"),
        (&["uci"], ""),
        (&["uci"], "uci"),
        (&["uci"], "go infinite"),
        (&["uci"], "go perft 30"),
        (&["uci"], "position startpos moves e2e4\ngo ponder wtime 1000 btime 1000"),
        (&["xboard"], ""),
        (&["xboard"], "xboard\nprotover 2"),
        (&["xboard"], "xboard\nprotover 2\nnew\nlevel 40 600 0\ne2e4"),
        (&["xboard"], "xboard\nprotover 2\nanalyze"),
    ] {
        let mut program = Program::start(arguments);
        program.say(lines);
        program.close();
        assert_eq!(program.wait().code(), Some(0), "{arguments:?} {lines:?}");
    }
}

#[test]
fn a_line_may_lack_its_end() {
    let mut program = Program::start(&["uci"]);
    program.send(b"uci");
    program.close();
    program.hear("uciok");
    assert_eq!(program.wait().code(), Some(0));
}

#[test]
fn foreign_bytes_and_endless_lines_do_no_harm() {
    for (protocol, ready, answer) in [("uci", "isready", "readyok"), ("xboard", "ping 7", "pong 7")] {
        let mut program = Program::start(&[protocol]);
        program.send(b"\xff\xfe\x00\x80 setboard\n");
        program.send(&vec![b'x'; 1_000_000]);
        program.send(b"\n\xc3\x28\r\n");
        program.say(ready);
        program.hear(answer);
        program.say("quit");
        assert_eq!(program.wait().code(), Some(0), "{protocol}");
    }
}

#[test]
fn a_table_that_is_too_large_leaves_the_old_one() {
    let mut program = Program::start(&["uci"]);
    program.say("setoption name Hash value 33554432\nsetoption name Hash value 999999999999\ngo depth 3");
    program.hear("bestmove ");
    program.say("quit");
    assert_eq!(program.wait().code(), Some(0));
}

/// The limit is 50 ms. The best of several starts counts, as a busy machine may occasionally take longer.
#[test]
fn the_first_feature_line_comes_at_once() {
    let start = || {
        let began = Instant::now();
        let mut program = Program::start(&["xboard"]);
        program.say("xboard\nprotover 2");
        program.hear("feature ");
        began.elapsed()
    };
    let best = (0..10).map(|_| start()).min().expect("ten starts");
    assert!(best < Duration::from_millis(50), "{best:?}");
}

#[test]
fn the_autoplayers_dialect_is_a_flag() {
    let mut program = Program::start(&["xboard", "--autoplayer"]);
    program.say("new\nsd 2\ne4");
    program.hear("move ");
    program.hear("time ");
    program.say("quit");
    assert_eq!(program.wait().code(), Some(0));
}
