//! Messages for persons, and their answers.
//!
//! There are few: problems with the saved settings, as standard error is not seen under a GUI; a question at the first game after
//! a reset, whose answer nothing waits for; a greeting on a chess server.

use messages::cecp::{Audience, Command, Message};

use super::CecpSession;
use super::partnership::Partnership;
use crate::cecp::announcement::NAME;
use crate::cecp::output::echo;

/// The persons (or programs) that Herald can send messages to.
#[derive(Debug, Default)]
pub(super) struct Persons {
    pub(super) opponent: Opponent,
    pub(super) partnership: Partnership,
    pub(super) reset: ResetQuestion,
}

/// The opponent, as far as the GUI has told.
#[derive(Debug, Default)]
pub(super) struct Opponent {
    pub(super) name: Option<String>,
    pub(super) is_program: bool,
    /// The game is played on a chess server.
    pub(super) is_on_server: bool,
    is_greeted: bool,
}

/// The question whether the settings are to be saved after they were reset. Nothing waits for the answer: there may never
/// be one.
#[derive(Debug, Default)]
pub(super) struct ResetQuestion {
    /// It is still to be asked.
    pub(super) is_due: bool,
    /// It was asked and not answered.
    is_open: bool,
}

/// The word that introduces the answer.
const RESET_TAG: &str = "save-reset";

impl Persons {
    /// For a new game; the server and the partner stay.
    pub(super) fn begin(&mut self) {
        self.opponent = Opponent { is_on_server: self.opponent.is_on_server, ..Opponent::default() };
        self.partnership.begin();
    }

    /// Reads a line as the answer to what the user was asked, if it is that.
    pub(super) fn read_answer(&self, line: &str) -> Option<Command> {
        Command::answer(line.trim(), RESET_TAG).filter(|_| self.reset.is_open)
    }
}

impl CecpSession<'_> {
    /// Greets a person on a chess server, once a game: people want to know that their opponent is a program.
    pub(super) fn greet(&mut self) {
        let Opponent { name: Some(name), is_program: false, is_on_server: true, is_greeted: false } =
            &self.persons.opponent
        else {
            return;
        };
        let text = format!("Hello {}, I am {NAME}, a chess program. Have a good game!", echo(name));
        self.persons.opponent.is_greeted = true;
        self.output.send(&Message::Tell(Audience::Opponent, text));
    }

    /// `new`: asks whether the settings are to be saved, if they were reset since the last game.
    ///
    /// Not at once: XBoard 4.9.1 takes the answer for a setting, and dies, while its dialogue of settings is open.
    pub(super) fn ask_about_reset(&mut self) {
        let was_reset = std::mem::take(&mut self.persons.reset.is_due);
        if !was_reset || !self.host.would_change_saved_settings() {
            return;
        }
        self.persons.reset.is_open = true;
        let question = "The settings were reset. Save them as they are now? (yes or no)".to_owned();
        self.output.send(&Message::AskUser { tag: RESET_TAG.to_owned(), question });
    }

    /// The user's answer. Anything but a plain yes changes nothing.
    pub(super) fn answer(&mut self, text: &str) {
        let is_yes = ["y", "yes"].contains(&text.trim_end_matches(['.', '!']).to_ascii_lowercase().as_str());
        let was_asked = std::mem::take(&mut self.persons.reset.is_open);
        if is_yes && was_asked {
            self.save();
        }
    }
}
