//! SIGINT and SIGTERM.

use std::time::Duration;

use crate::support::Program;

#[test]
fn under_xboard_they_are_ignored() {
    let mut program = Program::start(&["xboard"]);
    program.say("xboard\nprotover 2\nping 1");
    program.hear("pong 1");
    program.signal("-INT");
    program.signal("-TERM");
    std::thread::sleep(Duration::from_millis(50));
    program.say("ping 2");
    program.hear("pong 2");
    program.say("quit");
    assert_eq!(program.wait().code(), Some(0));
}

#[test]
fn under_uci_they_end_the_program_in_order() {
    for signal in ["-INT", "-TERM"] {
        let mut program = Program::start(&["uci"]);
        program.say("isready\ngo infinite");
        program.hear("readyok");
        program.signal(signal);
        assert_eq!(program.wait().code(), Some(0), "{signal}");
    }
}
