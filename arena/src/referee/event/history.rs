//! What happened, as it changes the event: now, or when it is read from a store.

use std::time::Duration;

use game::{Color, Outcome};
use shakmaty::ByColor;

use super::{Ending, Event, GameResult, LOOKAHEAD};
use crate::referee::bout::Bout;
use crate::referee::fact::Fact;
use crate::schedule::{Fixture, Next};
use crate::statistics::Points;
use crate::table::Seat;

impl Event {
    /// Takes note of something that happened, for us and for the store.
    pub(in crate::referee) fn record(&mut self, fact: Fact) {
        if let Err(error) = self.apply(&fact) {
            // Not reached: what we find out ourselves fits.
            self.tell(true, format!("the referee is at odds with itself: {error}"));
        }
        self.out.facts.push(fact);
    }

    pub(super) fn apply(&mut self, fact: &Fact) -> Result<(), String> {
        let unknown = |game: u64| format!("game {} is not being played", game + 1);
        match fact {
            Fact::Epoch { epoch } => self.epoch = *epoch,
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
                let bout = Bout::begin(fact, seats, &self.settings.rules)
                    .ok_or_else(|| format!("the opening of game {} cannot be played", game + 1))?;
                for color in Color::ALL {
                    let state = &mut self.programs[bout.program(color)];
                    state.game = Some(*game);
                    state.returns = 0;
                }
                self.queue.remove(place);
                self.bouts.insert(*game, bout);
            }
            Fact::Restarted { game } => {
                let bout = self.bouts.get(game).and_then(Bout::anew).ok_or_else(|| unknown(*game))?;
                self.bouts.insert(*game, bout);
            }
            Fact::Ended { game, outcome, detail, millis } => {
                let bout = self.bouts.remove(game).ok_or_else(|| unknown(*game))?;
                let lasted = Duration::from_millis(*millis);
                self.count(&bout, outcome.0, detail, lasted).map_err(|error| error.clone())?;
                let record = bout.record(Some(outcome.0), detail, lasted);
                self.out.records.push(Ending { fixture: bout.fixture, record });
            }
            Fact::Moved { game, .. } | Fact::TimeAdded { game, .. } | Fact::Noted { game, .. } => {
                let bout = self.bouts.get_mut(game).ok_or_else(|| unknown(*game))?;
                bout.apply(fact).map_err(|error| format!("game {}: {error}", game + 1))?;
            }
        }
        Ok(())
    }

    /// Counts a game that has ended.
    pub(super) fn count(
        &mut self,
        bout: &Bout,
        outcome: Outcome,
        detail: &str,
        lasted: Duration,
    ) -> Result<(), String> {
        let fixture = bout.fixture;
        let points = Points::of(outcome, Color::White);
        self.schedule.record(fixture.number, points).map_err(|error| error.to_string())?;
        self.standings.add(&fixture, outcome, bout.plies_played());
        for color in Color::ALL {
            self.programs[bout.program(color)].game = None;
        }
        let used = bout.used_by_both();
        let (detail, plies) = (detail.to_owned(), bout.plies_played());
        self.results.push(GameResult { fixture, outcome, detail, plies, lasted, used });
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
                Next::Games(games) => self.queue.extend(games),
                Next::Wait | Next::Finished => return,
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
        })
    }
}
