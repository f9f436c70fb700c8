//! What Herald says to persons, and what they answer.

use std::io;

use super::Session;
use super::settings::TOLD_BY_GUI;
use crate::cecp::announcement::NAME;
use crate::cecp::output::echo;
use messages::cecp::Command;
use messages::cecp::{Audience, Message};

/// Who has the other side, as far as the GUI has told.
#[derive(Debug, Default)]
pub(super) struct Opponent {
    pub(super) name: Option<String>,
    pub(super) is_program: bool,
    /// It sits before another machine: the game is played on a chess server.
    pub(super) is_on_server: bool,
    is_greeted: bool,
}

impl Opponent {
    /// For a new game; the server stays.
    pub(super) fn begin(&mut self) {
        *self = Opponent { is_on_server: self.is_on_server, ..Opponent::default() };
    }
}

/// What Herald asks its user. Nothing waits for the answer: there may never be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// After a reset: whether the settings are to be saved as they are then.
    SaveReset,
}

impl Question {
    const fn tag(self) -> &'static str {
        match self {
            Question::SaveReset => "save-reset",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Question::SaveReset => "The settings were reset. Save them as they are now? (yes or no)",
        }
    }
}

impl Session<'_> {
    /// Greets a person on a chess server, once a game: people want to know that they play against a program.
    pub(super) fn greet(&mut self) -> io::Result<()> {
        let Opponent { name: Some(name), is_program: false, is_on_server: true, is_greeted: false } =
            &self.opponent
        else {
            return Ok(());
        };
        let text = format!("Hello {}, I am {NAME}, a chess program. Have a good game!", echo(name));
        self.opponent.is_greeted = true;
        self.output.send(&Message::Tell(Audience::Opponent, text))
    }

    /// `new`: asks whether the settings are to be saved, if they were reset since the last game.
    ///
    /// Not at once: XBoard 4.9.1 takes the answer for a setting, and dies, while its dialogue of settings is open.
    pub(super) fn ask_about_reset(&mut self) -> io::Result<()> {
        let was_reset = std::mem::take(&mut self.was_reset);
        if was_reset && self.host.would_change_saved_settings(&TOLD_BY_GUI) {
            return self.ask(Question::SaveReset);
        }
        Ok(())
    }

    fn ask(&mut self, question: Question) -> io::Result<()> {
        self.question = Some(question);
        let (tag, question) = (question.tag().to_owned(), question.text().to_owned());
        self.output.send(&Message::AskUser { tag, question })
    }

    /// Reads a line as the answer to what the user was asked, if it is that.
    pub(super) fn read_answer(&self, line: &str) -> Option<Command> {
        Command::answer(line.trim(), self.question?.tag())
    }

    /// What the user has answered. What is no plain yes changes nothing.
    pub(super) fn hear_answer(&mut self, text: &str) -> io::Result<()> {
        let is_yes = ["y", "yes"].contains(&text.trim_end_matches(['.', '!']).to_ascii_lowercase().as_str());
        match self.question.take() {
            Some(Question::SaveReset) if is_yes => self.save(),
            _ => Ok(()),
        }
    }
}
