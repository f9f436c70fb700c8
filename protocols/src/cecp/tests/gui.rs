//! The GUI's side of a session in tests.

use std::time::Duration;

use crate::cecp::{Dialect, serve};
use crate::scripted::Scripted;
use messages::cecp::{Message, ThinkingLine};

/// A session and the GUI connected to it.
pub(super) struct Gui {
    session: Scripted,
    pings: i64,
}

impl Gui {
    pub(super) fn start() -> Gui {
        Gui::of_dialect(Dialect::XBoard)
    }

    pub(super) fn of_dialect(dialect: Dialect) -> Gui {
        let session = Scripted::start(move |host, output| serve(host, output, dialect));
        let mut gui = Gui { session, pings: 1000 };
        gui.send(&["xboard"]);
        gui
    }

    /// Starts a session that plays Black in a new game and moves quickly.
    pub(super) fn quick() -> Gui {
        let mut gui = Gui::start();
        gui.send(&["memory 20", "new", "sd 2"]);
        gui
    }

    /// As [`Gui::quick`], in force mode and in the given position.
    pub(super) fn at(fen: &str) -> Gui {
        let mut gui = Gui::quick();
        gui.send(&["force", &format!("setboard {fen}")]);
        gui
    }

    pub(super) fn send(&mut self, lines: &[&str]) {
        self.session.say(&lines.join("\n"));
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        self.session.send(bytes);
    }

    pub(super) fn line(&mut self) -> String {
        self.session.hear("")
    }

    /// Waits for a line; only thinking output may come before it.
    pub(super) fn expect(&mut self, expected: &str) {
        let mut line = self.line();
        while ThinkingLine::parse(&line).is_some() {
            line = self.line();
        }
        assert_eq!(line, expected);
    }

    /// Returns the engine's move, which must be its next message.
    pub(super) fn expect_move(&mut self) -> String {
        match Message::parse(&self.line()) {
            Message::Move(mv) => mv,
            other => panic!("expected a move, not {other:?}"),
        }
    }

    /// Returns all output up to the answer to a ping.
    pub(super) fn until_pong(&mut self) -> Vec<String> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.send(&[&format!("ping {}", self.pings)]);
        let mut lines = Vec::new();
        loop {
            match self.line() {
                line if line == pong => return lines,
                line => lines.push(line),
            }
        }
    }

    /// Returns the answers to these lines.
    pub(super) fn answers(&mut self, lines: &[&str]) -> Vec<String> {
        self.send(lines);
        self.until_pong()
    }

    pub(super) fn expect_silence(&mut self, lines: &[&str]) {
        assert_eq!(self.answers(lines), Vec::<String>::new(), "after {lines:?}");
    }

    pub(super) fn expect_answer(&mut self, line: &str, answer: &str) {
        assert_eq!(self.answers(&[line]), [answer], "to {line}");
    }

    /// Returns the output of the given time.
    pub(super) fn hear_for(&mut self, time: Duration) -> Vec<String> {
        self.session.hear_for(time)
    }

    /// Waits for the end of the session.
    pub(super) fn expect_end(self) {
        self.session.end();
    }

    pub(super) fn disconnect(mut self) {
        self.session.close();
        self.expect_end();
    }
}

/// Starts a search that outlasts any test.
pub(super) fn long_think(gui: &mut Gui) {
    gui.send(&["new", "level 0 1000 0", "go"]);
}
