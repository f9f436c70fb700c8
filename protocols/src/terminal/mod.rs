//! A game against Herald in a terminal.

mod editor;
mod level;
mod play;
mod save;

use std::io::{self, Write};
use std::time::Instant;

use engine::Thought;

pub use editor::{TerminalInput, TurnNotifier, open};

use crate::host::{Event, Host};
use game::diagram::DiagramStyle;
use messages::input::{Input, MAX_LINE};
use play::TerminalSession;

/// The side that has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalTurn {
    /// The person.
    Person,
    /// Herald is thinking.
    Herald,
}

/// Plays with a person until they leave or the input ends. `on_turn` is called whenever a line may be typed. Its
/// arguments tell whether a line has just been handled and whose turn it is.
///
/// # Errors
/// If the output can't be written.
pub fn serve(
    host: Host,
    output: &mut dyn Write,
    style: DiagramStyle,
    mut on_turn: impl FnMut(bool, TerminalTurn),
) -> io::Result<()> {
    let mut session = TerminalSession::new(host, output, style);
    session.greet();
    on_turn(false, session.turn());
    loop {
        session.output.check()?;
        let turn = session.turn();
        let event = session.host.next_event();
        let typed = matches!(event, Event::Input(_));
        match event {
            Event::Input(Input::End) => return Ok(()),
            Event::Input(Input::TooLong(_)) => {
                session.say(format!("That line is too long: at most {MAX_LINE} bytes. Nothing was done."));
            }
            Event::Input(Input::Line(line)) => {
                if session.hear(&line, Instant::now()).is_break() {
                    return session.output.check();
                }
            }
            Event::Thought(_, Thought::Done(decision)) => session.decided(&decision, Instant::now()),
            Event::Thought(_, Thought::Warning(text)) => session.say(text),
            Event::Thought(..) => {}
        }
        if typed || turn != session.turn() {
            on_turn(typed, session.turn());
        }
    }
}

#[cfg(test)]
mod tests;
