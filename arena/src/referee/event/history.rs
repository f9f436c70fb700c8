//! Application of facts to the event, for new facts and for facts read from a store.

use game::{Color, Outcome, TimeControl, TimeControlError};
use shakmaty::ByColor;

use super::{EventState, FinishedGame, GameSummary, GivenOrder, LOOKAHEAD, ProgramState};
use crate::Standings;
use crate::referee::fact::Fact;
use crate::referee::live_game::LiveGame;
use crate::referee::{ProgramSettings, SecretHash, report};
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
            Fact::Began { .. } => self.apply_beginning(fact)?,
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
            Fact::Moved { game, .. }
            | Fact::TimeAdded { game, .. }
            | Fact::TimeTaken { game, .. }
            | Fact::Paused { game }
            | Fact::Resumed { game }
            | Fact::Noted { game, .. } => {
                let live = self.live_games.get_mut(game).ok_or_else(|| unknown(*game))?;
                live.apply(fact).map_err(|error| format!("game {}: {error}", game + 1))?;
            }
            _ => self.apply_order(fact)?,
        }
        Ok(())
    }

    fn apply_beginning(&mut self, began: &Fact) -> Result<(), String> {
        let fixture = began.fixture().ok_or("no beginning")?;
        let number = fixture.number + 1;
        let is_it = |queued: &Fixture| *queued == fixture;
        if !self.queue.iter().any(is_it) && !self.left_out.iter().any(is_it) {
            return Err(format!("game {number} is not in the schedule"));
        }
        let live = LiveGame::begin(began, self.seats(&fixture), &self.settings.rules)
            .ok_or_else(|| format!("the opening of game {number} cannot be played"))?;
        match self.queue.iter().position(is_it) {
            Some(place) => drop(self.queue.remove(place)),
            None => self.left_out.retain(|queued| !is_it(queued)),
        }
        for color in Color::ALL {
            let state = &mut self.programs[live.program(color)];
            state.game = Some(fixture.number);
            state.returns = 0;
        }
        self.begun_round = self.begun_round.max(fixture.round);
        self.live_games.insert(fixture.number, live);
        Ok(())
    }

    /// Applies what the director may change.
    fn apply_order(&mut self, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::Ordered { by, order, at, .. } => {
                self.orders.push(GivenOrder { by: by.clone(), order: order.clone(), at: *at });
            }
            Fact::Entered { name, secret, begun } => self.apply_entry(name, secret.as_ref(), *begun)?,
            Fact::Withdrawn { program } => self.set_withdrawn(*program, true)?,
            Fact::Readmitted { program } => self.set_withdrawn(*program, false)?,
            Fact::Control { control, round } => {
                let control =
                    control.parse().map_err(|error: TimeControlError| format!("{control}: {error}"))?;
                self.controls.push((*round, control));
            }
            Fact::PairedAgain { .. } => {
                let first = self.schedule.pair_again()?;
                self.queue.retain(|fixture| fixture.number < first);
                self.left_out.retain(|fixture| fixture.number < first);
                self.released.retain(|game| *game < first);
                self.fill_queue();
                self.may_begin = true;
            }
            Fact::Corrected { game, outcome, detail } => {
                let result = self.results.iter_mut().find(|result| result.fixture.number == *game);
                let result = result.ok_or_else(|| format!("game {} has no result", game + 1))?;
                let [before, now] =
                    [result.outcome, outcome.0].map(|outcome| Points::of(outcome, Color::White));
                self.schedule.correct(&result.fixture, before, now);
                (result.outcome, result.detail) = (outcome.0, detail.clone());
                self.recount();
            }
            Fact::Reopened { game } => {
                let place = self.results.iter().position(|result| result.fixture.number == *game);
                let place = place.ok_or_else(|| format!("game {} has no result", game + 1))?;
                let points = Points::of(self.results[place].outcome, Color::White);
                self.schedule.reopen(*game, points)?;
                let result = self.results.remove(place);
                self.queue.push_front(result.fixture);
                self.recount();
            }
            // All others have been applied before.
            _ => {}
        }
        Ok(())
    }

    fn apply_entry(&mut self, name: &str, secret: Option<&SecretHash>, begun: u32) -> Result<(), String> {
        if self.program(name).is_some() {
            return Err(format!("{name} takes part already"));
        }
        self.schedule.enter(begun)?;
        self.standings.enter();
        self.programs.push(ProgramState::default());
        let secret = secret.cloned();
        self.settings.programs.push(ProgramSettings { name: name.to_owned(), secret, is_local: false });
        while let Some(games) = self.schedule.take_late() {
            self.admit(games);
        }
        self.sort_queue();
        self.may_begin = true;
        Ok(())
    }

    /// Leaves the games of a program out of the queue, or takes them back.
    fn set_withdrawn(&mut self, program: usize, is_withdrawn: bool) -> Result<(), String> {
        let state = self.programs.get_mut(program).ok_or("there is no such program")?;
        state.is_withdrawn = is_withdrawn;
        self.schedule.set_absent(program, is_withdrawn);
        let all = self.queue.drain(..).chain(self.left_out.drain(..)).collect();
        self.admit(all);
        self.sort_queue();
        self.fill_queue();
        self.may_begin = true;
        Ok(())
    }

    /// Puts games into the queue, or beside it if a program of theirs has withdrawn.
    fn admit(&mut self, games: Vec<Fixture>) {
        for fixture in games {
            if [fixture.white, fixture.black].iter().any(|&program| self.programs[program].is_withdrawn) {
                self.left_out.push(fixture);
            } else {
                self.queue.push_back(fixture);
            }
        }
    }

    /// Puts the queue into the order of the rounds.
    fn sort_queue(&mut self) {
        self.queue.make_contiguous().sort_by_key(|fixture| (fixture.round, fixture.number));
    }

    fn recount(&mut self) {
        self.standings = Standings::new(self.settings.programs.len());
        for result in &self.results {
            self.standings.add(&result.fixture, result.outcome);
        }
        self.may_begin = true;
    }

    /// Adds a finished game to the results.
    fn count(&mut self, live: &LiveGame, outcome: Outcome) -> Result<(), String> {
        let fixture = live.fixture;
        let points = Points::of(outcome, Color::White);
        self.schedule.record(fixture.number, points)?;
        self.standings.add(&fixture, outcome);
        for color in Color::ALL {
            self.programs[live.program(color)].game = None;
        }
        let used = live.used_by_both();
        let (detail, plies) = (live.record.detail.clone(), live.record.moves.len() as u32);
        let (began, lasted) = (live.record.started, live.record.lasted);
        let result = GameSummary { fixture, outcome, detail, plies, used, began, lasted };
        let text = format!(
            "{} {} ({})",
            self.title(&fixture),
            outcome.result(),
            report::reason(outcome, &result.detail)
        );
        self.results.push(result);
        self.tell(false, text);
        self.fill_queue();
        self.may_begin = true;
        Ok(())
    }

    pub(super) fn fill_queue(&mut self) {
        while self.queue.len() < LOOKAHEAD {
            match self.schedule.take() {
                NextGames::Games(games) => self.admit(games),
                NextGames::Wait | NextGames::Finished => return,
            }
        }
    }

    /// Returns the time control of the games of a round.
    pub(in crate::referee) fn control(&self, round: u32) -> &TimeControl {
        let changed = self.controls.iter().rev().find(|(first, _)| *first <= round);
        changed.map_or(&self.settings.control, |(_, control)| control)
    }

    pub(super) fn seats(&self, fixture: &Fixture) -> ByColor<Seat> {
        ByColor { white: fixture.white, black: fixture.black }.map(|program| Seat {
            name: self.name(program).to_owned(),
            protocol: None,
            control: self.control(fixture.round).clone(),
            margin: self.settings.margin,
            ponder: true,
            white_view: false,
        })
    }
}
