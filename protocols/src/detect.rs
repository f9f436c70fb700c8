//! Detects the protocol when `herald` is started on a pipe without a subcommand.

use std::io::{self, Write};

use crate::host::{Event, Host};
use messages::input::Input;

/// A protocol that can be detected by its first line. CEGO can't, because the engine writes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectedProtocol {
    /// The Chess Engine Communication Protocol of `XBoard`.
    Cecp,
    /// The Universal Chess Interface.
    Uci,
}

/// Waits for `xboard` or `uci` and puts that line back into the queue. Empty lines are skipped; any other line is
/// reported to `complaints`. Returns `None` at `quit` or at the end of the input.
///
/// # Errors
/// If a complaint can't be written.
pub fn recognise(host: &mut Host, complaints: &mut dyn Write) -> io::Result<Option<DetectedProtocol>> {
    loop {
        let event = host.next_event();
        let Event::Input(input) = &event else { continue };
        let (Input::Line(line) | Input::TooLong(line)) = input else { return Ok(None) };
        let protocol = match line.trim() {
            "" => continue,
            "xboard" => DetectedProtocol::Cecp,
            "uci" => DetectedProtocol::Uci,
            "quit" => return Ok(None),
            other => {
                let beginning: String = other.chars().take(40).collect();
                writeln!(complaints, "herald: expected `xboard` or `uci` first, not `{beginning}`")?;
                continue;
            }
        };
        host.unread([event].into_iter());
        return Ok(Some(protocol));
    }
}

#[cfg(test)]
mod tests {
    use messages::input::LineReader;

    use super::*;

    /// Returns the protocol, the complaints and, if a protocol was recognised, the next event.
    fn recognised(input: &'static str) -> (Option<DetectedProtocol>, String, Option<Event>) {
        let mut host = Host::start(LineReader::new(input.as_bytes())).expect("an engine");
        let mut complaints = Vec::new();
        let protocol = recognise(&mut host, &mut complaints).expect("memory can be written");
        (protocol, String::from_utf8(complaints).expect("text"), protocol.map(|_| host.next_event()))
    }

    #[test]
    fn the_first_word_decides_and_is_left_to_be_read() {
        let (protocol, complaints, next) = recognised("\n  \nxboard\nprotover 2\n");
        assert_eq!((protocol, complaints.as_str()), (Some(DetectedProtocol::Cecp), ""));
        assert!(matches!(next, Some(Event::Input(Input::Line(line))) if line == "xboard"));
        assert_eq!(recognised("uci\n").0, Some(DetectedProtocol::Uci));
    }

    #[test]
    fn anything_else_gets_one_line_and_another_chance() {
        let (protocol, complaints, _) = recognised("hello\nuci\n");
        assert_eq!(protocol, Some(DetectedProtocol::Uci));
        assert_eq!(complaints, "herald: expected `xboard` or `uci` first, not `hello`\n");
    }

    #[test]
    fn ends_with_the_input() {
        assert_eq!(recognised("").0, None);
        assert_eq!(recognised("quit\nuci\n").0, None);
    }
}
