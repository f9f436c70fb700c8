//! `herald cego` with this test as mediator.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::support::{HERALD, Program, without_settings};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Runs it with this input and returns its standard output and standard error.
fn converse(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = without_settings(HERALD)
        .arg("cego")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("herald starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // Fails if Herald exits before the end of the input, as it should.
    let _ = pipe.write_all(input);
    drop(pipe);
    child.wait_with_output().expect("herald ends")
}

#[test]
fn the_engine_speaks_first_and_then_only_when_asked() {
    let mut program = Program::start(&["cego", "--ponder", "--hash", "8", "--threads", "2"]);
    assert_eq!(program.hear(""), "ready");
    program.say(&format!("300000000 10000000 300000000 10000000 {START}"));
    let first = program.hear("");
    assert!(matches!(first.len(), 4 | 5), "{first}");
    // Legal after any first move of White.
    program.say("290000000 300000000 a7a6");
    let second = program.hear("");
    assert!(matches!(second.len(), 4 | 5), "{second}");
    program.close();
    assert_eq!(program.wait().code(), Some(0));
}

#[test]
fn the_mediator_may_end_the_game_at_any_moment() {
    for input in [String::new(), format!("9000000000000 0 9000000000000 0 {START}\n")] {
        let output = converse(&[], input.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{input:?}");
        assert_eq!(output.stdout, b"ready\n");
        assert_eq!(output.stderr, b"herald: CEGO revision 1\n");
    }
}

#[test]
fn anything_malformed_ends_the_program_with_one_line_and_exit_code_2() {
    let megabyte = vec![b'x'; 1_000_000];
    for input in [
        &b"quit\n"[..],
        b"ready\n",
        b"\xff\xfe\x00\x80\n",
        b"1 1 e7e5\n",
        b"30000000000 1000000000 30000000000 1000000000 startpos\n",
        b"30000000000 1000000000 30000000000 1000000000 8/8/8/8/8/8/8/8 w - - 0 1\n",
        b"1 1 1 1 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\r\n",
        b"1 1 1 1 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0",
        &megabyte,
    ] {
        let output = converse(&[], input);
        let start = String::from_utf8_lossy(&input[..input.len().min(40)]).into_owned();
        assert_eq!(output.status.code(), Some(2), "{start:?}");
        assert_eq!(output.stdout, b"ready\n", "{start:?}");
        let complaints = String::from_utf8(output.stderr).expect("text");
        let lines: Vec<&str> = complaints.lines().collect();
        assert!(lines.len() == 2 && lines[1].starts_with("herald: "), "{start:?}: {complaints}");
    }
}
