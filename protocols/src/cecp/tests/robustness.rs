//! Tests with malformed input and abrupt ends.

use std::io::{self, Write};

use messages::input::LineReader;
use proptest::prelude::*;

use super::{Gui, long_think};
use crate::cecp::{Dialect, serve};
use crate::host::Host;

#[test]
fn the_end_of_the_input_and_quit_end_a_search() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.disconnect();
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&["quit"]);
    gui.expect_end();
    let mut gui = Gui::start();
    gui.send(&["analyze", "quit", "quit"]);
    gui.expect_end();
}

#[test]
fn a_closed_output_ends_the_session_quietly() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let host = Host::start(LineReader::new(&b"protover 2\n"[..])).unwrap();
    serve(host, &mut Closed, Dialect::XBoard).unwrap();
}

#[test]
fn long_lines_and_foreign_bytes_are_errors_and_nothing_more() {
    let mut gui = Gui::quick();
    let mut bytes = vec![b'x'; 1 << 20];
    bytes.extend(b"\nping 1\n\xFF\xFE\nname J\xFCrgen\nping 2\n");
    gui.send_bytes(&bytes);
    gui.expect(&format!("Error (line too long): {}", "x".repeat(40)));
    gui.expect("pong 1");
    gui.expect("Error (unknown command): \u{FFFD}\u{FFFD}");
    gui.expect("pong 2");
    gui.disconnect();
}

/// Generates lines that a confused GUI might send.
fn any_line() -> impl Strategy<Value = String> {
    let words = proptest::sample::select(vec![
        "new",
        "force",
        "go",
        "playother",
        "usermove",
        "e2e4",
        "e7e5",
        "Nf3",
        "draw",
        "edit",
        "#",
        "c",
        ".",
        "Ke1",
        "Pa8",
        "setboard",
        "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
        "white",
        "black",
        "result",
        "1-0",
        "undo",
        "remove",
        "analyze",
        "exit",
        "exclude",
        "include",
        "all",
        "hint",
        "random",
        "memory",
        "1",
        "cores",
        "easy",
        "hard",
        "post",
        "nopost",
        "option",
        "MultiPV=2",
        "level",
        "0",
        "0:01",
        "st",
        "sd",
        "3",
        "nps",
        "1000000",
        "time",
        "otim",
        "-7",
        "bk",
        "?",
        "variant",
        "fischerandom",
        "accepted",
        "debug",
        "protover",
        "\u{0}",
        "é",
    ]);
    prop_oneof![
        4 => words.clone().prop_map(str::to_owned),
        4 => (words.clone(), words).prop_map(|(a, b)| format!("{a} {b}")),
        1 => "\\PC{0,20}",
    ]
    // Excludes `quit` and large hash tables, which would only cost time.
    .prop_filter("no big memory, no end", |line| {
        !line.starts_with("quit") && !line.starts_with("memory 1000")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn a_session_survives_anything_and_still_answers(lines in proptest::collection::vec(any_line(), 1..60)) {
        let mut gui = Gui::start();
        gui.send(&["memory 17", "st 0"]);
        gui.send(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        gui.send(&[".", "force", "ping 42"]);
        while gui.line() != "pong 42" {}
        gui.expect_silence(&["result *"]);
        gui.disconnect();
    }
}
