//! Queries about an event.

use std::time::Instant;

use super::EventState;
use crate::referee::fact::Fact;
use crate::referee::live_game::LiveGame;

impl EventState {
    /// Returns the name of a program.
    pub fn name(&self, program: usize) -> &str {
        &self.settings.programs[program].name
    }

    /// Returns the number of a program.
    pub fn program(&self, name: &str) -> Option<usize> {
        self.settings.programs.iter().position(|program| program.name == name)
    }

    /// Whether a program is connected.
    pub fn is_present(&self, program: usize) -> bool {
        self.programs[program].connection.is_some()
    }

    /// Whether all games have been played, all programs have been told, and the quiet periods are over.
    pub fn is_over(&self, at: Instant) -> bool {
        self.live_games.is_empty()
            && self.queue.is_empty()
            && self.programs.iter().all(|program| program.mailbox.is_empty() && !program.is_quiet(at))
    }

    /// Makes a game from the fact of its beginning, without its moves.
    pub(in crate::referee) fn recall(&self, began: &Fact) -> Option<LiveGame> {
        let seats = self.seats(&began.fixture()?);
        LiveGame::begin(began, seats, &self.settings.rules)
    }
}
