//! The person at the board: a game in a terminal, with moves as people write them.

mod conversation;
mod editor;
mod level;
mod order;
mod save;

use std::io::{self, Write};
use std::ops::ControlFlow;

use engine::{Engine, Thought};

pub use conversation::{Conversation, Wish};
pub use editor::{Lines, Permit, open};

use crate::host::{Event, Host};
use game::diagram::Style;
use messages::input::{Input, MAX_LINE};

/// Who is to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The person.
    Person,
    /// Herald is thinking.
    Herald,
}

/// Plays with a person until they leave or the input ends. `permit` is called whenever a line may be typed: with
/// whether a line was dealt with just now, and whose turn it is.
///
/// # Errors
/// If nothing more can be written.
pub fn serve(
    mut host: Host,
    output: &mut dyn Write,
    style: Style,
    mut permit: impl FnMut(bool, Turn),
) -> io::Result<()> {
    let mut conversation = Conversation::new(style);
    conversation.greet(output)?;
    output.flush()?;
    permit(false, conversation.turn());
    loop {
        let event = host.next_event();
        let typed = matches!(event, Event::Input(_));
        let turn = conversation.turn();
        if react(&mut conversation, &mut host.engine, event, output)?.is_break() {
            return output.flush();
        }
        output.flush()?;
        if typed || turn != conversation.turn() {
            permit(typed, conversation.turn());
        }
    }
}

fn react(
    conversation: &mut Conversation,
    engine: &mut Engine,
    event: Event,
    output: &mut dyn Write,
) -> io::Result<ControlFlow<()>> {
    match event {
        Event::Input(Input::End) => return Ok(ControlFlow::Break(())),
        Event::Input(Input::TooLong(_)) => {
            writeln!(output, "That line is too long: at most {MAX_LINE} bytes. Nothing was done.")?;
        }
        Event::Input(Input::Line(line)) => conversation.hear(&line, output)?,
        Event::Thought(id, Thought::Done(decision)) if engine.is_current(id) => {
            engine.finish();
            conversation.decided(&decision, output)?;
        }
        Event::Thought(_, Thought::Warning(text)) => writeln!(output, "{text}")?,
        Event::Thought(..) => {}
    }
    grant(conversation, engine, output)
}

/// Does what the conversation wants.
fn grant(
    conversation: &mut Conversation,
    engine: &mut Engine,
    output: &mut dyn Write,
) -> io::Result<ControlFlow<()>> {
    for wish in conversation.take_wishes() {
        match wish {
            Wish::Think(game, task) => {
                engine.think(&game, task);
            }
            Wish::MoveNow => engine.move_now(),
            Wish::Abandon => engine.abandon(),
            Wish::NewGame => engine.new_game(),
            Wish::Evaluate(game) => conversation.show_evaluation(engine.evaluate(&game), output)?,
            Wish::Leave => return Ok(ControlFlow::Break(())),
        }
    }
    Ok(ControlFlow::Continue(()))
}

#[cfg(test)]
mod tests;
