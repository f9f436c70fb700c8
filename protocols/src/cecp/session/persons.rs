//! Messages for persons, and their answers.
//!
//! There are three: problems with the saved settings, because standard error is not visible under a GUI; a question at
//! the first game after a reset, without waiting for its answer; and a greeting on a chess server.

use messages::cecp::{Audience, Command, Message};

use super::CecpSession;
use super::partnership::Partnership;
use crate::cecp::announcement::NAME;
use crate::cecp::output::echo;

/// The recipients of Herald's messages, persons or programs.
#[derive(Debug, Default)]
pub(super) struct Persons {
    pub(super) opponent: Opponent,
    pub(super) partnership: Partnership,
    pub(super) reset: ResetQuestion,
}

/// The opponent, as described by the GUI.
#[derive(Debug, Default)]
pub(super) struct Opponent {
    pub(super) name: Option<String>,
    pub(super) is_program: bool,
    /// Whether the game is played on a chess server.
    pub(super) is_on_server: bool,
    is_greeted: bool,
}

/// The question whether to save the settings after a reset. Nothing waits for the answer, because there may never be
/// one.
#[derive(Debug, Default)]
pub(super) struct ResetQuestion {
    /// Whether the question has yet to be asked.
    pub(super) is_due: bool,
    /// Whether the question was asked and not yet answered.
    is_open: bool,
}

/// The word that introduces the answer.
const RESET_TAG: &str = "save-reset";

impl Persons {
    /// Resets the state for a new game; the server and the partner stay.
    pub(super) fn begin(&mut self) {
        self.opponent = Opponent { is_on_server: self.opponent.is_on_server, ..Opponent::default() };
        self.partnership.begin();
    }

    /// Reads a line as the answer to the open question, if it is one.
    pub(super) fn read_answer(&self, line: &str) -> Option<Command> {
        Command::answer(line.trim(), RESET_TAG).filter(|_| self.reset.is_open)
    }
}

impl CecpSession<'_> {
    /// Greets a person on a chess server once per game, to tell that the opponent is a program.
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

    /// Handles `new`: asks whether to save the settings if they were reset since the last game.
    ///
    /// The question can't be asked at once: while its settings dialogue is open, XBoard 4.9.1 takes the answer for a
    /// setting and crashes.
    pub(super) fn ask_about_reset(&mut self) {
        let was_reset = std::mem::take(&mut self.persons.reset.is_due);
        if !was_reset || !self.host.would_change_saved_settings() {
            return;
        }
        self.persons.reset.is_open = true;
        let question = "The settings were reset. Save them as they are now? (yes or no)".to_owned();
        self.output.send(&Message::AskUser { tag: RESET_TAG.to_owned(), question });
    }

    /// Handles the user's answer. Anything but a plain yes changes nothing.
    pub(super) fn answer(&mut self, text: &str) {
        let is_yes = ["y", "yes"].contains(&text.trim_end_matches(['.', '!']).to_ascii_lowercase().as_str());
        let was_asked = std::mem::take(&mut self.persons.reset.is_open);
        if is_yes && was_asked {
            self.save();
        }
    }
}
