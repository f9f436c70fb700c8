//! Who plays whom, with which colours, from which opening.
//!
//! A schedule is a function of its settings and of the results so far, and computed only as far as games are taken
//! from it: a match that was interrupted finds the same games again, and a hundred thousand of them take no memory.

mod encounters;
mod knockout;
mod played;
mod swiss;

use encounters::Encounters;
use knockout::Knockout;
use played::Played;
use serde::{Deserialize, Serialize};
use swiss::Swiss;

use crate::statistics::Points;

/// How the programs meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody (in the order of Berger's tables).
    RoundRobin,
    /// The first programs meet all the others, but not each other.
    Gauntlet {
        /// How many they are.
        challengers: usize,
    },
    /// In every round, programs of about the same score meet who have not met before. Whoever is left over gets the
    /// points of a won encounter, and that only once as long as there is somebody else.
    Swiss {
        /// How many rounds.
        rounds: u32,
    },
    /// Whoever loses an encounter is out. The order of the programs is their seeding: the first and the second can
    /// meet only in the final, and the first ones have the free places of the first round. A tied encounter is
    /// prolonged by two games at a time, at most [`TIE_BREAKS`] times; then the better seed goes on.
    Knockout,
}

/// How often a tied encounter of a knockout is prolonged. Programs that answer each other the same way every time would
/// otherwise play for ever.
pub const TIE_BREAKS: u32 = 5;

/// What a schedule is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// How many programs take part; they are numbered from 0.
    pub programs: usize,
    /// How they meet.
    pub format: Format,
    /// Games in an encounter of two programs; even, since every opening is played with both colours.
    pub games: u32,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fixture {
    /// Its number in the match, from 0. The games `2n` and `2n + 1` are a pair: the same two programs and the same
    /// opening, colours reversed.
    pub number: u64,
    /// The round, from 1.
    pub round: u32,
    /// The program that has White.
    pub white: usize,
    /// The program that has Black.
    pub black: usize,
    /// Which opening, from 0, in the order in which openings are drawn.
    pub opening: u64,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Play these: a pair of games, or what is left of one.
    Games(Vec<Fixture>),
    /// Nothing, until more results are known.
    Wait,
    /// Nothing: all games have been played.
    Finished,
}

/// Why there is no such schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// There are not two programs.
    #[error("{0} programs: expected at least 2")]
    TooFewPrograms(usize),
    /// The pairs would not come out even.
    #[error(
        "{0} games for each encounter: expected an even number, since every opening is played with both colours"
    )]
    OddGames(u32),
    /// A gauntlet without challengers, or without anybody else.
    #[error("{challengers} challengers among {programs} programs: expected at least 1, and fewer than all")]
    Challengers {
        /// The challengers wanted.
        challengers: usize,
        /// The programs there are.
        programs: usize,
    },
    /// A Swiss tournament without rounds.
    #[error("0 rounds: expected at least 1")]
    NoRounds,
}

/// A result was reported that belongs to no game of the schedule, or to one that has a result already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {} is not one whose result is awaited", .0 + 1)]
pub struct UnexpectedResult(u64);

/// The games of a match, in order.
#[derive(Clone, Debug)]
pub struct Schedule {
    settings: Settings,
    later: Later,
    wave: Wave,
    /// The first pair of the wave that nobody has taken yet.
    next_pair: u64,
    played: Played,
    /// Half points of the first program of each encounter of the wave; empty if nothing later depends on them.
    scores: Vec<u64>,
}

/// Games that can be played without waiting for each other.
#[derive(Clone, Debug)]
struct Wave {
    encounters: Encounters,
    /// How many pairs of games each encounter has. They are played in turns: every encounter's first pair comes
    /// before anybody's second, so that the table is fair at any time.
    cycles: u32,
    /// The number of the first pair.
    first_pair: u64,
    first_round: u32,
    first_opening: u64,
}

/// What follows the first wave.
#[derive(Clone, Debug)]
enum Later {
    Nothing,
    Swiss(Swiss),
    Knockout(Knockout),
}

impl Schedule {
    /// The schedule before any result.
    ///
    /// # Errors
    /// There are too few programs, or numbers that make no tournament of this format.
    pub fn new(settings: Settings) -> Result<Schedule, ScheduleError> {
        settings.check()?;
        let programs = settings.programs;
        let (encounters, later) = match settings.format {
            Format::RoundRobin => (Encounters::RoundRobin { programs }, Later::Nothing),
            Format::Gauntlet { challengers } => {
                (Encounters::Gauntlet { challengers, programs }, Later::Nothing)
            }
            Format::Swiss { rounds } => {
                let mut swiss = Swiss::new(programs, rounds, settings.games);
                (Encounters::Listed(swiss.first_round()), Later::Swiss(swiss))
            }
            Format::Knockout => {
                let knockout = Knockout::new(programs);
                (Encounters::Listed(knockout.encounters()), Later::Knockout(knockout))
            }
        };
        let wave =
            Wave { encounters, cycles: settings.games / 2, first_pair: 0, first_round: 1, first_opening: 0 };
        let mut schedule =
            Schedule { settings, later, wave, next_pair: 0, played: Played::default(), scores: Vec::new() };
        schedule.reset_scores();
        Ok(schedule)
    }

    /// What the schedule was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many games there are in all, tie-breaks of a knockout not counted.
    pub fn games(&self) -> u64 {
        let programs = self.settings.programs as u64;
        let encounters = match self.settings.format {
            Format::RoundRobin => programs * (programs - 1) / 2,
            Format::Gauntlet { challengers } => (programs - challengers as u64) * challengers as u64,
            Format::Swiss { rounds } => programs / 2 * u64::from(rounds),
            Format::Knockout => programs - 1,
        };
        encounters * u64::from(self.settings.games)
    }

    /// Takes the next games to be played. They are not given out again.
    pub fn take(&mut self) -> Next {
        while self.next_pair < self.wave.pairs() {
            let pair = self.next_pair;
            self.next_pair += 1;
            let open = (2 * pair..2 * pair + 2).filter(|&game| !self.played.contains(game));
            let fixtures: Vec<Fixture> = open.map(|game| self.wave.fixture(game)).collect();
            if !fixtures.is_empty() {
                return Next::Games(fixtures);
            }
        }
        if self.played.len() == 2 * self.wave.pairs() { Next::Finished } else { Next::Wait }
    }

    /// The game of that number, if its result is awaited.
    pub fn awaited(&self, number: u64) -> Option<Fixture> {
        let game = number.checked_sub(2 * self.wave.first_pair)?;
        (game < 2 * self.wave.pairs() && !self.played.contains(game)).then(|| self.wave.fixture(game))
    }

    /// Takes note of what a game brought White.
    ///
    /// # Errors
    /// No result of this game is awaited; nothing has changed.
    pub fn record(&mut self, number: u64, white: Points) -> Result<(), UnexpectedResult> {
        let fixture = self.awaited(number).ok_or(UnexpectedResult(number))?;
        let game = number - 2 * self.wave.first_pair;
        self.played.insert(game);
        if !self.scores.is_empty() {
            let encounter = self.wave.encounter(game / 2);
            let [first, _] = self.wave.encounters.get(encounter).programs;
            let points = if fixture.white == first { white } else { white.opposite() };
            self.scores[encounter as usize] += u64::from(points.halves());
        }
        while self.played.len() == 2 * self.wave.pairs() && self.advance() {}
        Ok(())
    }

    /// The winner of a knockout that is over.
    pub fn champion(&self) -> Option<usize> {
        match &self.later {
            Later::Knockout(knockout) => knockout.champion(),
            Later::Nothing | Later::Swiss(_) => None,
        }
    }

    /// Goes on to the next wave, if there is one; all games of this one have been played.
    fn advance(&mut self) -> bool {
        let Encounters::Listed(played) = &self.wave.encounters else { return false };
        let (encounters, cycles, round) = match &mut self.later {
            Later::Nothing => return false,
            Later::Swiss(swiss) => {
                let Some(encounters) = swiss.next_round(played, &self.scores) else { return false };
                (encounters, self.settings.games / 2, self.wave.first_round + 1)
            }
            Later::Knockout(knockout) => {
                let drawn = u64::from(self.wave.cycles) * 2;
                knockout.finish(played, &self.scores, drawn);
                let encounters = knockout.encounters();
                if encounters.is_empty() {
                    return false;
                }
                let cycles = if knockout.is_tie_break() { 1 } else { self.settings.games / 2 };
                (encounters, cycles, knockout.round())
            }
        };
        self.wave = Wave {
            first_pair: self.wave.first_pair + self.wave.pairs(),
            first_opening: self.wave.first_opening + u64::from(self.wave.cycles),
            first_round: round,
            encounters: Encounters::Listed(encounters),
            cycles,
        };
        self.next_pair = 0;
        self.played = Played::default();
        self.reset_scores();
        true
    }

    fn reset_scores(&mut self) {
        self.scores = match self.later {
            Later::Nothing => Vec::new(),
            Later::Swiss(_) | Later::Knockout(_) => vec![0; self.wave.encounters.len() as usize],
        };
    }
}

impl Settings {
    fn check(&self) -> Result<(), ScheduleError> {
        let Settings { programs, games, format } = *self;
        if programs < 2 {
            return Err(ScheduleError::TooFewPrograms(programs));
        }
        if games == 0 || games % 2 == 1 {
            return Err(ScheduleError::OddGames(games));
        }
        match format {
            Format::Gauntlet { challengers } if !(1..programs).contains(&challengers) => {
                Err(ScheduleError::Challengers { challengers, programs })
            }
            Format::Swiss { rounds: 0 } => Err(ScheduleError::NoRounds),
            _ => Ok(()),
        }
    }
}

impl Wave {
    fn pairs(&self) -> u64 {
        self.encounters.len() * u64::from(self.cycles)
    }

    /// The encounter that a pair of the wave belongs to.
    fn encounter(&self, pair: u64) -> u64 {
        pair % self.encounters.len()
    }

    /// The game of that number, counted from the first of the wave.
    fn fixture(&self, game: u64) -> Fixture {
        let pair = game / 2;
        let cycle = pair / self.encounters.len();
        let encounter = self.encounters.get(self.encounter(pair));
        let [first, second] = encounter.programs;
        let (white, black) = if game % 2 == 0 { (first, second) } else { (second, first) };
        let cycles = u64::from(self.cycles);
        Fixture {
            number: 2 * self.first_pair + game,
            round: self.first_round + (cycle * self.encounters.rounds() + encounter.round) as u32,
            white,
            black,
            // All who play in the same round get the same openings, and an encounter takes one after the other: so
            // every opponent meets the same ones, or, where openings are fewer than games, all of them equally often.
            opening: self.first_opening + encounter.round * cycles + cycle,
        }
    }
}

#[cfg(test)]
mod tests;
