//! Tests of a session without threads, line by line, with a look at its state after each.

mod bad_input;
mod model;

use std::io;
use std::time::{Duration, Instant};

use messages::input::LineReader;
use shakmaty::Color;

use crate::cecp::Dialect;
use crate::host::{Event, Host};
use crate::scripted::Paper;
use messages::cecp::{EngineMode, Occupation};

use super::CecpSession;

/// Runs `work` with a session and its output.
fn with_session(work: impl FnOnce(&mut CecpSession, &Paper)) {
    let paper = Paper::default();
    let mut output = paper.clone();
    let host = Host::start(LineReader::new(io::empty())).unwrap();
    let mut session = CecpSession::new(host, &mut output, Dialect::XBoard);
    session.say("memory 17");
    work(&mut session, &paper);
}

impl CecpSession<'_> {
    /// Handles a line and its consequences without waiting for the engine.
    fn say(&mut self, line: &str) {
        self.take_up();
        assert!(self.read(line).is_continue());
        self.take_up();
    }

    /// Makes the engine move if it is its turn.
    fn move_at_once(&mut self) {
        while self.occupation() == Occupation::Think && !self.state.paused {
            self.host.engine.move_now();
            match self.host.next_event() {
                Event::Thought(_, thought) => {
                    let change = self.hear(thought);
                    self.apply(change);
                }
                // The end of the input, which is empty.
                Event::Input(_) => {}
            }
            self.take_up();
        }
    }

    /// Describes all state that a line might change.
    fn picture(&self) -> String {
        let CecpSession { state, board, clock, agreements, .. } = self;
        let (excluded, expected) = (&self.position.excluded, self.position.expected);
        let waiting = &self.deferred.lines;
        let settings = self.host.engine.settings();
        let shows = (self.output.posts, self.output.debugs);
        let occupation = self.occupation();
        format!(
            "{state:#?}\n{board:#?}\n{clock:#?}\n{agreements:#?}\n{excluded:#?}\n{expected:?}\n{waiting:?}\n\
             {settings:#?}\n{shows:?}\n{occupation:?}"
        )
    }
}

#[test]
fn the_modes_of_appendix_b() {
    let (white, black) = (EngineMode::Play(Color::White), EngineMode::Play(Color::Black));
    let all = [white, black, EngineMode::Force, EngineMode::Analyze];
    with_session(|session, _| {
        // The command, the side to move, and the mode that follows in each mode.
        for (command, turn, expected) in [
            ("force", Color::White, [EngineMode::Force; 4]),
            ("result *", Color::White, [EngineMode::Force; 4]),
            ("new", Color::White, [black, black, black, EngineMode::Analyze]),
            ("variant normal", Color::White, [black, black, black, EngineMode::Analyze]),
            ("white", Color::White, [black, black, black, EngineMode::Analyze]),
            ("black", Color::Black, [white, white, white, EngineMode::Analyze]),
            ("go", Color::White, [white; 4]),
            ("go", Color::Black, [black; 4]),
            ("playother", Color::White, [black; 4]),
            ("playother", Color::Black, [white; 4]),
            ("analyze", Color::White, [EngineMode::Analyze; 4]),
            ("exit", Color::White, [white, black, EngineMode::Force, EngineMode::Force]),
            ("usermove e2e4", Color::Black, all),
            ("usermove e7e5", Color::Black, all),
            ("setboard x", Color::Black, all),
            ("undo", Color::Black, all),
            ("ping 1", Color::White, all),
        ] {
            for (before, after) in all.into_iter().zip(expected) {
                let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {} KQkq - 0 1", turn.char());
                assert!(session.read(&format!("setboard {fen}")).is_continue());
                session.state.mode = before;
                assert!(session.read(command).is_continue());
                assert_eq!(session.state.mode, after, "{command} in {before:?}");
            }
        }
        assert!(session.read("setboard 8/8/8/8/8/8/8/8 w - - 0 1").is_continue());
        session.state.mode = white;
        assert!(session.read("go").is_continue());
        assert_eq!(session.state.mode, white, "without a position there is no side to play");
    });
}

#[test]
fn a_search_that_stands_still_loses_no_game() {
    for control in ["st 1", "level 1 0:01 0"] {
        with_session(|session, paper| {
            for line in ["accepted debug", "new", control, "go"] {
                session.say(line);
            }
            let begun = Instant::now();
            // Let it find a move, then hold it as a busy machine does, while the clock runs.
            while session.search.as_ref().is_some_and(|search| search.decision().is_none()) {
                if let Event::Thought(_, thought) = session.host.next_event() {
                    session.hear(thought);
                }
            }
            session.host.engine.suspend();
            while session.is_on_move() {
                match session.next_event() {
                    Some(Event::Thought(_, thought)) => {
                        let change = session.hear(thought);
                        session.apply(change);
                    }
                    Some(Event::Input(_)) => {}
                    None => session.decide_in_time(),
                }
            }
            let lines = paper.take_lines();
            assert!(lines.contains(&"# the search was late".to_owned()), "{control}: {lines:?}");
            assert!(lines.last().is_some_and(|line| line.starts_with("move ")), "{control}: {lines:?}");
            assert!(begun.elapsed() < Duration::from_secs(5), "{control}: {:?}", begun.elapsed());
        });
    }
}
