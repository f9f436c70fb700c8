//! What can be asked of an event.

use std::time::Instant;

use game::PgnTags;

use super::{EventState, GameSummary, tags};
use crate::referee::fact::Fact;
use crate::referee::live_game::LiveGame;
use crate::schedule::{Fixture, Schedule};
use crate::standings::Standings;

impl EventState {
    /// The name of a program.
    pub fn name(&self, program: usize) -> &str {
        &self.settings.programs[program].name
    }

    /// The number of a program.
    pub fn program(&self, name: &str) -> Option<usize> {
        self.settings.programs.iter().position(|program| program.name == name)
    }

    /// Whether a program is there.
    pub fn is_present(&self, program: usize) -> bool {
        self.programs[program].connection.is_some()
    }

    /// The results so far.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    /// The games that have ended, in that order.
    pub fn results(&self) -> &[GameSummary] {
        &self.results
    }

    /// The schedule as far as it is known.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The number of this referee among those of the event.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether another referee has taken over, so that this one has to go.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// Whether all games have been played, and everybody has been told and left in peace after that.
    pub fn is_over(&self, at: Instant) -> bool {
        self.live_games.is_empty()
            && self.queue.is_empty()
            && self.programs.iter().all(|program| program.mailbox.is_empty() && !program.is_quiet(at))
    }

    pub(in crate::referee) fn live_games(&self) -> impl Iterator<Item = &LiveGame> {
        self.live_games.values()
    }

    pub(in crate::referee) fn live_game(&self, game: u64) -> Option<&LiveGame> {
        self.live_games.get(&game)
    }

    pub(in crate::referee) fn live_game_mut(&mut self, game: u64) -> Option<&mut LiveGame> {
        self.live_games.get_mut(&game)
    }

    /// The game in which a program plays.
    pub(in crate::referee) fn game_of(&self, program: usize) -> Option<u64> {
        self.programs[program].game
    }

    /// The last round that may be played, if rounds are begun by hand.
    pub(in crate::referee) fn open_round(&self) -> u32 {
        self.open_round
    }

    pub(in crate::referee) fn queue(&self) -> impl Iterator<Item = &Fixture> {
        self.queue.iter()
    }

    /// A game of which only its beginning is known.
    pub(in crate::referee) fn recall(&self, began: &Fact) -> Option<LiveGame> {
        let seats = self.seats(&began.fixture()?);
        LiveGame::begin(began, seats, &self.settings.rules)
    }

    /// The tags that all games have.
    pub fn tags(&self) -> PgnTags {
        tags(&self.settings)
    }
}
