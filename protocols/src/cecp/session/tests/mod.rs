//! A session without threads around it: line for line, with a look at its state after each.

mod bad_input;
mod model;

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use crate::cecp::Dialect;
use crate::cecp::state::Occupation;
use crate::host::{Event, Host};

use super::Session;

/// What a session writes, to be read while it lives.
#[derive(Clone, Default)]
struct Paper(Rc<RefCell<Vec<u8>>>);

impl Paper {
    fn take_lines(&self) -> Vec<String> {
        let bytes = self.0.take();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Does `work` with a session, and with what it writes.
fn with_session(work: impl FnOnce(&mut Session, &Paper)) {
    let paper = Paper::default();
    let mut output = paper.clone();
    let host = Host::start(io::empty()).unwrap();
    let mut session = Session::new(host, &mut output, Dialect::XBoard);
    session.say("memory 17");
    work(&mut session, &paper);
}

impl Session<'_> {
    /// Reads a line and does what follows from it, but does not wait for the engine.
    fn say(&mut self, line: &str) {
        self.take_up().unwrap();
        assert!(self.read(line).unwrap().is_continue());
        self.take_up().unwrap();
    }

    /// Makes the engine move, if it is to.
    fn move_at_once(&mut self) {
        while self.occupation() == Occupation::Think && !self.state.paused {
            self.host.engine.move_now();
            match self.host.next_event() {
                Event::Thought(id, thought) if self.host.engine.is_current(id) => self.hear(thought).unwrap(),
                // Of another task, or the end of the input, which was empty from the beginning.
                _ => {}
            }
            self.take_up().unwrap();
        }
    }

    /// All that a line might change.
    fn picture(&self) -> String {
        let Session { state, board, clock, agreements, excluded, expected, waiting, .. } = self;
        let settings = self.host.engine.settings();
        let shows = (self.output.posts, self.output.debugs);
        let occupation = self.occupation();
        format!(
            "{state:#?}\n{board:#?}\n{clock:#?}\n{agreements:#?}\n{excluded:#?}\n{expected:?}\n{waiting:?}\n\
             {settings:#?}\n{shows:?}\n{occupation:?}"
        )
    }
}
