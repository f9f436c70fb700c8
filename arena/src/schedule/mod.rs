//! Who plays whom, with which colours, from which opening.
//!
//! A schedule is a function of its settings and of the results so far, and computed only as far as games are taken
//! from it: a match that was interrupted finds the same games again, and a hundred thousand of them take no memory.
//!
//! Games that need not wait for each other form a wave: a whole round robin or gauntlet, a round of a Swiss tournament or of a
//! knockout, the tie-breaks of a round.

mod encounters;
mod knockout;
mod played;
mod swiss;

use encounters::Encounters;
use knockout::Knockout;
use played::GameSet;
use serde::{Deserialize, Serialize};
use swiss::Swiss;

use crate::statistics::Points;

/// How the programs meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Everybody meets everybody (in the order of Berger's tables).
    RoundRobin,
    /// The first programs meet all the others, but not each other.
    Gauntlet {
        /// How many they are.
        challengers: usize,
    },
    /// In every round, programs of about the same score meet who have not met before. Whoever is left over gets the
    /// points of a won encounter, and that only once as long as there is somebody else. In single games nobody has the same
    /// colour three times in a row, or three times more than the other, unless there is no other way.
    Swiss {
        /// How many rounds.
        rounds: u32,
    },
    /// Whoever loses an encounter is out. The order of the programs is their seeding: the first and the second can
    /// meet only in the final, and the first ones have the free places of the first round. A tied encounter is
    /// prolonged by two games at a time, at most [`TIE_BREAKS`] times; then the better seed goes on.
    Knockout,
}

impl TournamentFormat {
    /// A Swiss tournament; by default of as many rounds as a knockout would need.
    pub fn swiss(rounds: Option<u32>, programs: usize) -> TournamentFormat {
        let usual = programs.next_power_of_two().trailing_zeros();
        TournamentFormat::Swiss { rounds: rounds.unwrap_or(usual) }
    }
}

/// How often a tied encounter of a knockout is prolonged. Programs that answer each other the same way every time would
/// otherwise play for ever.
pub const TIE_BREAKS: u32 = 5;

/// What a schedule is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleSettings {
    /// How many programs take part; they are numbered from 0.
    pub programs: usize,
    /// How they meet.
    pub format: TournamentFormat,
    /// Games in an encounter of two programs. They are played in pairs, each opening with both colours; of an odd number the
    /// last is single, and colours are given such that everybody has White about as often as Black.
    pub games: u32,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fixture {
    /// Its number in the match, from 0. Of a pair (the same two programs and the same opening, colours reversed) the numbers are
    /// neighbours, the first one even, if encounters have an even number of games.
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
pub enum NextGames {
    /// Play these: a pair of games, what is left of one, or a single game.
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
    /// Encounters without games.
    #[error("0 games for each encounter: expected at least 1")]
    NoGames,
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
    /// What the schedule was made from.
    pub settings: ScheduleSettings,
    later: Later,
    wave: Wave,
    /// The first game of the wave that nobody has taken yet.
    next_game: u64,
    played: GameSet,
    /// Half points of the first program of each encounter of the wave; empty if nothing later depends on them.
    scores: Vec<u64>,
}

/// Games that can be played without waiting for each other.
#[derive(Clone, Debug)]
struct Wave {
    encounters: Encounters,
    /// How many games each encounter has. They are played in turns: every encounter's first pair comes before anybody's
    /// second, and single games after all pairs, so that the table is fair at any time.
    games_each: u32,
    /// The number of the first game.
    first_game: u64,
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
    pub fn new(settings: ScheduleSettings) -> Result<Schedule, ScheduleError> {
        settings.check()?;
        let programs = settings.programs;
        let (encounters, later) = match settings.format {
            TournamentFormat::RoundRobin => (Encounters::RoundRobin { programs }, Later::Nothing),
            TournamentFormat::Gauntlet { challengers } => {
                (Encounters::Gauntlet { challengers, programs }, Later::Nothing)
            }
            TournamentFormat::Swiss { rounds } => {
                let mut swiss = Swiss::new(programs, rounds, settings.games);
                (Encounters::Listed(swiss.pair()), Later::Swiss(swiss))
            }
            TournamentFormat::Knockout => {
                let knockout = Knockout::new(programs, settings.games);
                (Encounters::Listed(knockout.encounters()), Later::Knockout(knockout))
            }
        };
        let wave =
            Wave { encounters, games_each: settings.games, first_game: 0, first_round: 1, first_opening: 0 };
        let mut schedule =
            Schedule { settings, later, wave, next_game: 0, played: GameSet::default(), scores: Vec::new() };
        schedule.reset_scores();
        Ok(schedule)
    }

    /// How many games there are in all, tie-breaks of a knockout not counted.
    pub fn games(&self) -> u64 {
        let programs = self.settings.programs as u64;
        let encounters = match self.settings.format {
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet { .. } => self.wave.encounters.len(),
            TournamentFormat::Swiss { rounds } => programs / 2 * u64::from(rounds),
            TournamentFormat::Knockout => programs - 1,
        };
        encounters * u64::from(self.settings.games)
    }

    /// Takes the next games to be played. They are not given out again.
    pub fn take(&mut self) -> NextGames {
        while self.next_game < self.wave.games() {
            let first = self.next_game;
            self.next_game = first + self.wave.together(first);
            let open = (first..self.next_game).filter(|&game| !self.played.contains(game));
            let fixtures: Vec<Fixture> = open.map(|game| self.wave.fixture(game)).collect();
            if !fixtures.is_empty() {
                return NextGames::Games(fixtures);
            }
        }
        if self.played.len() == self.wave.games() { NextGames::Finished } else { NextGames::Wait }
    }

    /// The game of that number, if its result is awaited.
    pub fn awaited(&self, number: u64) -> Option<Fixture> {
        let game = number.checked_sub(self.wave.first_game)?;
        (game < self.wave.games() && !self.played.contains(game)).then(|| self.wave.fixture(game))
    }

    /// Takes note of what a game brought White.
    ///
    /// # Errors
    /// No result of this game is awaited; nothing has changed.
    pub fn record(&mut self, number: u64, white: Points) -> Result<(), UnexpectedResult> {
        let fixture = self.awaited(number).ok_or(UnexpectedResult(number))?;
        let game = number - self.wave.first_game;
        self.played.insert(game);
        if !self.scores.is_empty() {
            let encounter = self.wave.place(game).encounter;
            let [first, _] = self.wave.encounters.get(encounter).programs;
            let points = if fixture.white == first { white } else { white.opposite() };
            self.scores[encounter as usize] += u64::from(points.halves());
        }
        while self.played.len() == self.wave.games() && self.advance() {}
        Ok(())
    }

    /// The half points that a program was given for rounds without an opponent.
    pub fn granted(&self, program: usize) -> u64 {
        match &self.later {
            Later::Swiss(swiss) => swiss.granted(program),
            Later::Nothing | Later::Knockout(_) => 0,
        }
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
        let (encounters, games_each, round) = match &mut self.later {
            Later::Nothing => return false,
            Later::Swiss(swiss) => {
                let Some(encounters) = swiss.next_round(played, &self.scores) else { return false };
                (encounters, self.settings.games, self.wave.first_round + 1)
            }
            Later::Knockout(knockout) => {
                knockout.finish(played, &self.scores, u64::from(self.wave.games_each));
                let encounters = knockout.encounters();
                if encounters.is_empty() {
                    return false;
                }
                let games = if knockout.tie_breaks > 0 { 2 } else { self.settings.games };
                (encounters, games, knockout.round)
            }
        };
        self.wave = Wave {
            first_game: self.wave.first_game + self.wave.games(),
            first_opening: self.wave.first_opening + self.wave.cycles(),
            first_round: round,
            encounters: Encounters::Listed(encounters),
            games_each,
        };
        self.next_game = 0;
        self.played = GameSet::default();
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

impl ScheduleSettings {
    fn check(&self) -> Result<(), ScheduleError> {
        let ScheduleSettings { programs, games, format } = *self;
        if programs < 2 {
            return Err(ScheduleError::TooFewPrograms(programs));
        }
        if games == 0 {
            return Err(ScheduleError::NoGames);
        }
        match format {
            TournamentFormat::Gauntlet { challengers } if !(1..programs).contains(&challengers) => {
                Err(ScheduleError::Challengers { challengers, programs })
            }
            TournamentFormat::Swiss { rounds: 0 } => Err(ScheduleError::NoRounds),
            _ => Ok(()),
        }
    }
}

/// Two programs, the lower number first.
fn ordered(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// Where a game of a wave belongs.
struct GamePlace {
    encounter: u64,
    /// Which of the encounter's openings it has, from 0.
    cycle: u64,
    /// Whether the first program of the encounter has White.
    is_first_white: bool,
}

impl Wave {
    fn games(&self) -> u64 {
        self.encounters.len() * u64::from(self.games_each)
    }

    /// How many openings each encounter takes.
    fn cycles(&self) -> u64 {
        u64::from(self.games_each.div_ceil(2))
    }

    /// How many games of the wave come in pairs; the others are single.
    fn paired(&self) -> u64 {
        self.encounters.len() * u64::from(self.games_each / 2 * 2)
    }

    /// How many games belong together, of which this is the first.
    fn together(&self, game: u64) -> u64 {
        if game < self.paired() { 2 } else { 1 }
    }

    /// Where the game of that number belongs, counted from the first of the wave.
    fn place(&self, game: u64) -> GamePlace {
        let encounters = self.encounters.len();
        if let Some(encounter) = game.checked_sub(self.paired()) {
            let is_first_white = !self.encounters.get(encounter).swaps;
            return GamePlace { encounter, cycle: self.cycles() - 1, is_first_white };
        }
        let pair = game / 2;
        GamePlace {
            encounter: pair % encounters,
            cycle: pair / encounters,
            is_first_white: game.is_multiple_of(2),
        }
    }

    /// The game of that number, counted from the first of the wave.
    fn fixture(&self, game: u64) -> Fixture {
        let place = self.place(game);
        let encounter = self.encounters.get(place.encounter);
        let [first, second] = encounter.programs;
        let (white, black) = if place.is_first_white { (first, second) } else { (second, first) };
        Fixture {
            number: self.first_game + game,
            round: self.first_round + (place.cycle * self.encounters.rounds() + encounter.round) as u32,
            white,
            black,
            // All who play in the same round get the same openings, and an encounter takes one after the other: so
            // every opponent meets the same ones, or, where openings are fewer than games, all of them equally often.
            opening: self.first_opening + encounter.round * self.cycles() + place.cycle,
        }
    }
}

#[cfg(test)]
mod tests;
