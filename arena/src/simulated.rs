//! Players without a process, whose replies are computed by a function. For tests, benchmarks and simulated matches.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use game::Outcome;
use platform::Source;
use players::{Arrival, Departure, NewGame, Player, PlayerEvent, PlayerFault, Turn};

use crate::table::Time;

/// A player whose replies are computed by a function.
///
/// The function is called for every [`Occasion`] and returns the player's replies, each with its thinking time. A
/// [`PlayerEvent::Fault`] as the reply to [`Occasion::NewGame`] refuses the game.
pub struct Simulated<F> {
    name: String,
    time: SimulatedTime,
    answer: F,
    said: VecDeque<Arrival>,
}

/// An input of a simulated player.
#[derive(Debug)]
pub enum Occasion<'a> {
    /// A game begins.
    NewGame(&'a NewGame),
    /// The player has to move.
    Think(Turn<'a>),
    /// The player's move was accepted.
    Wait(Turn<'a>),
    /// The opponent offers a draw.
    DrawOffer,
    /// The game is over.
    End(Outcome),
}

/// Simulated time, which passes only while all players and the referee wait for it. Clones share the same time.
#[derive(Clone, Debug)]
pub struct SimulatedTime(Rc<Agenda>);

#[derive(Debug)]
struct Agenda {
    now: Cell<Instant>,
    /// The earliest time requested at which a player will reply.
    next: Cell<Option<Instant>>,
}

impl Default for SimulatedTime {
    fn default() -> SimulatedTime {
        SimulatedTime(Rc::new(Agenda { now: Cell::new(Instant::now()), next: Cell::new(None) }))
    }
}

impl SimulatedTime {
    /// Whether the time has been reached. If not, simulated time will stop there.
    fn has_come(&self, moment: Instant) -> bool {
        let come = moment <= self.now();
        if !come {
            self.0.next.set(Some(self.0.next.get().map_or(moment, |next| next.min(moment))));
        }
        come
    }
}

impl Time for SimulatedTime {
    fn now(&self) -> Instant {
        self.0.now.get()
    }

    fn wait(&self, _sources: &[Source<'_>], until: Instant) {
        let next = self.0.next.take().map_or(until, |next| next.min(until));
        self.0.now.set(self.now().max(next));
    }
}

impl<F: FnMut(Occasion<'_>) -> Vec<(Duration, PlayerEvent)>> Simulated<F> {
    /// Makes a player that uses this simulated time.
    pub fn new(name: &str, time: SimulatedTime, answer: F) -> Simulated<F> {
        Simulated { name: name.to_owned(), time, answer, said: VecDeque::new() }
    }

    fn hear(&mut self, occasion: Occasion<'_>) {
        let mut at = self.time.now();
        for (thinking, event) in (self.answer)(occasion) {
            at += thinking;
            self.said.push_back(Arrival { at, event });
        }
    }
}

impl<F: FnMut(Occasion<'_>) -> Vec<(Duration, PlayerEvent)>> Player for Simulated<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        self.said.clear();
        self.hear(Occasion::NewGame(game));
        match self.said.front() {
            Some(Arrival { event: PlayerEvent::Fault(fault), .. }) => Err(fault.clone()),
            _ => Ok(()),
        }
    }

    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        self.hear(Occasion::Think(*turn));
        Ok(())
    }

    fn wait(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        self.hear(Occasion::Wait(*turn));
        Ok(())
    }

    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        self.hear(Occasion::DrawOffer);
        Ok(())
    }

    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault> {
        self.hear(Occasion::End(outcome));
        Ok(())
    }

    fn take(&mut self) -> Option<Arrival> {
        let time = &self.time;
        self.said.pop_front_if(|arrival| time.has_come(arrival.at))
    }

    fn source(&self) -> Option<Source<'_>> {
        None
    }

    fn quit(self: Box<Self>) -> Departure {
        Departure { status: None, killed: false, resources: None }
    }
}
