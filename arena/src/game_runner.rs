//! The game runner for programs. It starts a program when it is needed and keeps it running while it can play on.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use game::{Clock, Game, PgnTags, epd};
use players::{Log, PgnFields, Player, PlayerEvent, PlayerFault, Resources, Spec};
use shakmaty::ByColor;

use crate::schedule::Fixture;
use crate::simulated::{Occasion, Simulated, SimulatedTime};
use crate::table::{self, GameRecord, GameSetup, Rules, Seat};
use crate::{GameEntry, GameRunner, PlayedGame, RecordedOutcome};

/// A program that takes part in a match.
#[derive(Clone)]
pub struct Participant {
    /// Name, time control and other conditions in the match.
    pub seat: Seat,
    /// Command and protocol of the program.
    pub spec: Spec,
    /// Log of the messages to and from the program.
    pub log: Option<Arc<dyn Log>>,
    /// Whether each game gets a new process. Otherwise only the protocol may demand that.
    pub restart: bool,
}

/// Settings shared by all games of a match.
#[derive(Clone)]
pub struct MatchConfig {
    /// The participants; their indices are their numbers in the schedule.
    pub participants: Vec<Participant>,
    /// Adjudication rules.
    pub rules: Rules,
    /// PGN tags shared by all games.
    pub tags: PgnTags,
    /// What PGN comments tell of each move.
    pub fields: PgnFields,
    /// Is shown the games in play.
    pub watcher: Option<Arc<dyn MatchWatcher>>,
}

/// Is shown the games of a match while they are played. Called by the threads that play, so it should return quickly.
pub trait MatchWatcher: Send + Sync {
    /// A game has begun, or a move was made.
    fn played(&self, fixture: &Fixture, record: &GameRecord, clock: &Clock);

    /// A game is over.
    fn ended(&self, fixture: &Fixture, record: &GameRecord);
}

/// A game runner that plays games between programs.
pub struct ProgramRunner<'a> {
    config: &'a MatchConfig,
    /// The running programs with their numbers, at most two.
    seated: Vec<(usize, Box<dyn Player>)>,
    used: Vec<(usize, Resources)>,
}

impl MatchConfig {
    /// Makes a runner without running programs.
    pub fn board(&self) -> ProgramRunner<'_> {
        ProgramRunner { config: self, seated: Vec::new(), used: Vec::new() }
    }
}

impl Participant {
    /// Starts the program.
    ///
    /// # Errors
    /// The program cannot be started, or is not ready in time.
    pub fn start(&self) -> Result<Box<dyn Player>, PlayerFault> {
        players::start(&self.spec, self.log.clone())
    }
}

impl GameRunner for ProgramRunner<'_> {
    fn play(
        &mut self,
        fixture: &Fixture,
        opening: Game,
        called_off: &AtomicBool,
    ) -> Result<PlayedGame, String> {
        let numbers = ByColor { white: fixture.white, black: fixture.black };
        self.dismiss(|number| number != fixture.white && number != fixture.black);
        let mut players = numbers.map(|number| self.call(number));
        let setup = GameSetup {
            game: opening,
            seats: numbers.map(|number| self.config.participants[number].seat.clone()),
            rules: self.config.rules.clone(),
        };
        let ByColor { white, black } = &mut players;
        let seated: ByColor<&mut dyn Player> = ByColor { white: &mut **white, black: &mut **black };
        let watcher = self.config.watcher.as_deref();
        let watch = |record: &GameRecord, clock: &Clock| {
            if let Some(watcher) = watcher {
                watcher.played(fixture, record, clock);
            }
        };
        let record = table::play_watched(&setup, seated, called_off, &watch);
        if let Some(watcher) = watcher {
            watcher.ended(fixture, &record);
        }
        let reusable = record.outcome.is_some();
        for ((number, player), fault) in numbers.into_iter().zip(players).zip(record.faults.as_ref()) {
            if reusable && fault.is_none() && !self.config.participants[number].restart {
                self.seated.push((number, player));
            } else {
                self.see_off(number, player);
            }
        }
        self.write_down(fixture, record)
    }

    fn close(mut self) -> Vec<(usize, Resources)> {
        self.dismiss(|_| true);
        self.used
    }
}

impl ProgramRunner<'_> {
    /// Returns the program with that number; starts it unless it is running.
    fn call(&mut self, number: usize) -> Box<dyn Player> {
        if let Some(place) = self.seated.iter().position(|(seated, _)| *seated == number) {
            let (_, mut player) = self.seated.swap_remove(place);
            match player.check_ready() {
                Ok(()) => return player,
                Err(_) => self.see_off(number, player),
            }
        }
        self.config.participants[number].start().unwrap_or_else(|fault| unavailable(fault))
    }

    fn dismiss(&mut self, which: impl Fn(usize) -> bool) {
        for (number, player) in self.seated.extract_if(.., |(number, _)| which(*number)).collect::<Vec<_>>() {
            self.see_off(number, player);
        }
    }

    fn see_off(&mut self, number: usize, player: Box<dyn Player>) {
        self.used.extend(player.quit().resources.map(|resources| (number, resources)));
    }

    fn write_down(&self, fixture: &Fixture, record: GameRecord) -> Result<PlayedGame, String> {
        let pgn = record.pgn_of(fixture, &self.config.tags, &self.config.fields);
        let outcome = record.outcome.map(RecordedOutcome).ok_or_else(|| record.detail.clone())?;
        let (plies, seconds) = (record.moves.len() as u32, record.lasted.as_secs_f64());
        let overheads = record.moves.iter().filter_map(|m| m.overhead).collect();
        let lags = record.lags().collect();
        let epd = last_position(fixture, &record.game);
        let (late, overruns) = (record.late, record.overruns);
        let entry = GameEntry { fixture: *fixture, outcome, detail: record.detail, plies, seconds, late };
        Ok(PlayedGame { entry, pgn, epd, overheads, lags, overruns })
    }
}

/// Returns the last position of a game as a record in EPD with the counters and the game's number; in a variant as FEN,
/// since EPD has no pockets and no checks.
fn last_position(fixture: &Fixture, game: &Game) -> String {
    if game.chess().is_none() {
        return game.fen() + "\n";
    }
    let number = format!("\"game {}\"", fixture.number + 1);
    epd::record(game, &[("id", number)]) + "\n"
}

/// Makes a stand-in for a program that could not be started; it refuses every game.
fn unavailable(fault: PlayerFault) -> Box<dyn Player> {
    let refuse = move |_: Occasion<'_>| vec![(Duration::ZERO, PlayerEvent::Fault(fault.clone()))];
    Box::new(Simulated::new("", SimulatedTime::default(), refuse))
}
