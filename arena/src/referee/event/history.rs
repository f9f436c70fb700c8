//! Application of facts to the event, for new facts and for facts read from a store.

use game::{Color, Outcome};
use shakmaty::ByColor;

use super::{EventState, FinishedGame, GameSummary, LOOKAHEAD};
use crate::referee::fact::Fact;
use crate::referee::live_game::LiveGame;
use crate::schedule::{Fixture, NextGames};
use crate::statistics::Points;
use crate::table::Seat;

impl EventState {
    /// Applies a fact and adds it to the facts to be stored.
    pub(in crate::referee) fn record(&mut self, fact: Fact) {
        if let Err(error) = self.apply(&fact) {
            // Unreachable: facts made by this referee fit its own state.
            self.tell(true, format!("the referee is at odds with itself: {error}"));
        }
        self.out.facts.push(fact);
    }

    pub(super) fn apply(&mut self, fact: &Fact) -> Result<(), String> {
        let unknown = |game: u64| format!("game {} is not being played", game + 1);
        match fact {
            Fact::Epoch { epoch, by } => {
                (self.epoch, self.referee) = (*epoch, *by);
                if self.founder == 0 {
                    self.founder = *by;
                }
            }
            Fact::Observer { by } => self.observer = *by,
            Fact::Round { round } => {
                self.open_round = self.open_round.max(*round);
                self.may_begin = true;
            }
            Fact::Released { game } => {
                self.released.insert(*game);
                self.may_begin = true;
            }
            Fact::Began { game, .. } => {
                let fixture = fact.fixture();
                let place = self.queue.iter().position(|queued| Some(*queued) == fixture);
                let place = place.ok_or_else(|| format!("game {} is not in the schedule", game + 1))?;
                let seats = self.seats(&self.queue[place]);
                let live = LiveGame::begin(fact, seats, &self.settings.rules)
                    .ok_or_else(|| format!("the opening of game {} cannot be played", game + 1))?;
                for color in Color::ALL {
                    let state = &mut self.programs[live.program(color)];
                    state.game = Some(*game);
                    state.returns = 0;
                }
                self.queue.remove(place);
                self.live_games.insert(*game, live);
            }
            Fact::Restarted { game } => {
                let live =
                    self.live_games.get(game).and_then(LiveGame::anew).ok_or_else(|| unknown(*game))?;
                self.live_games.insert(*game, live);
            }
            Fact::Ended { game, outcome, .. } => {
                let mut live = self.live_games.remove(game).ok_or_else(|| unknown(*game))?;
                live.apply(fact)?;
                self.count(&live, outcome.0)?;
                self.out.finished.push(FinishedGame { fixture: live.fixture, record: live.record });
            }
            Fact::Moved { game, .. } | Fact::TimeAdded { game, .. } | Fact::Noted { game, .. } => {
                let live = self.live_games.get_mut(game).ok_or_else(|| unknown(*game))?;
                live.apply(fact).map_err(|error| format!("game {}: {error}", game + 1))?;
            }
        }
        Ok(())
    }

    /// Adds a finished game to the results.
    fn count(&mut self, live: &LiveGame, outcome: Outcome) -> Result<(), String> {
        let fixture = live.fixture;
        let points = Points::of(outcome, Color::White);
        self.schedule.record(fixture.number, points).map_err(|error| error.to_string())?;
        self.standings.add(&fixture, outcome);
        for color in Color::ALL {
            self.programs[live.program(color)].game = None;
        }
        let used = live.used_by_both();
        let (detail, plies) = (live.record.detail.clone(), live.record.moves.len() as u32);
        let (began, lasted) = (live.record.started, live.record.lasted);
        self.results.push(GameSummary { fixture, outcome, detail, plies, used, began, lasted });
        let names = [fixture.white, fixture.black].map(|program| self.name(program).to_owned());
        let text = format!(
            "game {}: {} - {} {} ({outcome})",
            fixture.number + 1,
            names[0],
            names[1],
            outcome.result()
        );
        self.tell(false, text);
        self.fill_queue();
        self.may_begin = true;
        Ok(())
    }

    pub(super) fn fill_queue(&mut self) {
        while self.queue.len() < LOOKAHEAD {
            match self.schedule.take() {
                NextGames::Games(games) => self.queue.extend(games),
                NextGames::Wait | NextGames::Finished => return,
            }
        }
    }

    pub(super) fn seats(&self, fixture: &Fixture) -> ByColor<Seat> {
        ByColor { white: fixture.white, black: fixture.black }.map(|program| Seat {
            name: self.name(program).to_owned(),
            protocol: None,
            control: self.settings.control.clone(),
            margin: self.settings.margin,
            ponder: true,
            white_view: false,
        })
    }
}
