//! SIGINT and SIGTERM.

use std::process::Command;
use std::time::Duration;

use crate::support::Program;

fn send(program: &Program, signal: &str) {
    let status = Command::new("kill").args([signal, &program.child.id().to_string()]).status();
    assert!(status.expect("kill is installed").success());
}

#[test]
fn under_xboard_they_are_ignored() {
    let mut program = Program::start(&["xboard"]);
    program.say("xboard\nprotover 2\nping 1");
    program.hear("pong 1");
    send(&program, "-INT");
    send(&program, "-TERM");
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
        send(&program, signal);
        assert_eq!(program.wait().code(), Some(0), "{signal}");
    }
}
