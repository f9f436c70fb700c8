//! A game against Herald in a terminal.

mod editor;
mod level;
mod play;
mod save;

use std::io::{self, Write};
use std::time::Instant;

use engine::{Purpose, Thought};

pub use editor::{TerminalInput, TurnNotifier, open};

use crate::host::{Event, Host};
use game::diagram::DiagramStyle;
use messages::input::{Input, MAX_LINE};
use play::{TerminalAction, TerminalEffects, TerminalGame};

/// Who is to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalTurn {
    /// The person.
    Person,
    /// Herald is thinking.
    Herald,
}

/// Plays with a person until they leave or the input ends. `on_turn` is called whenever a line may be typed: with
/// whether a line was dealt with just now, and whose turn it is.
///
/// # Errors
/// If nothing more can be written.
pub fn serve(
    mut host: Host,
    output: &mut dyn Write,
    style: DiagramStyle,
    mut on_turn: impl FnMut(bool, TerminalTurn),
) -> io::Result<()> {
    let mut game = TerminalGame::new(style);
    game.greet();
    on_turn(false, game.turn());
    loop {
        let TerminalEffects { text, actions } = game.take_effects();
        output.write_all(text.as_bytes())?;
        output.flush()?;
        for action in actions {
            match action {
                TerminalAction::Think(game, limits) => host.think(&game, Purpose::Play, limits),
                TerminalAction::MoveNow => host.engine.move_now(),
                TerminalAction::Abandon => host.engine.abandon(),
                TerminalAction::NewGame => host.engine.new_game(),
                TerminalAction::Evaluate => {
                    writeln!(output, "{}", game.evaluation(&host.engine))?;
                    output.flush()?;
                }
                TerminalAction::Leave => return Ok(()),
            }
        }
        let turn = game.turn();
        let event = host.next_event();
        let typed = matches!(event, Event::Input(_));
        match event {
            Event::Input(Input::End) => return Ok(()),
            Event::Input(Input::TooLong(_)) => {
                game.say(format!("That line is too long: at most {MAX_LINE} bytes. Nothing was done."));
            }
            Event::Input(Input::Line(line)) => game.hear(&line, Instant::now()),
            Event::Thought(_, Thought::Done(decision)) => {
                host.engine.finish();
                game.decided(&decision, Instant::now());
            }
            Event::Thought(_, Thought::Warning(text)) => game.say(text),
            Event::Thought(..) => {}
        }
        if typed || turn != game.turn() {
            on_turn(typed, game.turn());
        }
    }
}

#[cfg(test)]
mod tests;
