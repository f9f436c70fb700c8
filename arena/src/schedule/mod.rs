//! The schedule of a match: pairings, colours and openings.
//!
//! A schedule is a function of its settings and of the results so far, and is computed only as far as games are taken
//! from it. A resumed match therefore finds the same games again, and a schedule of a hundred thousand games needs no
//! memory for them.
//!
//! Games that do not depend on each other's results form a wave: a whole round robin or gauntlet, a round of a Swiss
//! tournament or of a knockout, or the tie-breaks of a round.
//!
//! An arbiter may change a schedule while it is played: see [`Schedule::enter`], [`Schedule::set_absent`],
//! [`Schedule::correct`], [`Schedule::reopen`] and [`Schedule::pair_again`]. It is then a function of these calls, too.

mod changes;
mod encounters;
mod knockout;
mod swiss;

use std::collections::BTreeSet;

use encounters::Encounters;
use knockout::Knockout;
use serde::{Deserialize, Serialize};
use swiss::Swiss;

use crate::statistics::Points;

/// The format of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Every program meets every other (in the order of Berger's tables).
    RoundRobin,
    /// The first programs, the challengers, meet all the others, but not each other.
    Gauntlet {
        /// Number of challengers.
        challengers: usize,
    },
    /// In every round, programs with about the same score are paired; nobody meets the same opponent twice. A program
    /// without an opponent gets a bye, with the points of a won encounter, and nobody gets a second bye before all
    /// others have had one. In single games a program has the same colour three times in a row, or three more games
    /// with one colour than with the other, only if there is no other way.
    Swiss {
        /// Number of rounds.
        rounds: u32,
    },
    /// The loser of an encounter is eliminated. The order of the programs is their seeding: the first and the second
    /// can meet only in the final, and the first ones get the byes of the first round. A tied encounter is prolonged by
    /// two games at a time, at most [`TIE_BREAKS`] times; then the better seed advances.
    Knockout,
}

impl TournamentFormat {
    /// Returns the format of a Swiss tournament; the default number of rounds is that of a knockout.
    pub fn swiss(rounds: Option<u32>, programs: usize) -> TournamentFormat {
        let usual = programs.next_power_of_two().trailing_zeros();
        TournamentFormat::Swiss { rounds: rounds.unwrap_or(usual) }
    }
}

/// How colours and openings follow each other in an encounter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColourOrder {
    /// Every opening is played twice, with colours reversed. If the number of games is odd the last game is single.
    #[default]
    Pairs,
    /// Every game has an opening of its own, and colours alternate.
    Alternating,
    /// Every game has an opening of its own, and the program that is named first has White.
    Fixed,
}

impl ColourOrder {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    fn is_pairs(&self) -> bool {
        *self == ColourOrder::Pairs
    }
}

/// Maximum number of tie-breaks in an encounter of a knockout. Without a limit, deterministic programs could repeat the
/// same games for ever.
pub const TIE_BREAKS: u32 = 5;

/// Settings of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleSettings {
    /// Number of programs; they are numbered from 0.
    pub programs: usize,
    /// Format of the tournament.
    pub format: TournamentFormat,
    /// Number of games in an encounter of two programs. The colours of single games are assigned so that every program
    /// has White about as often as Black.
    pub games: u32,
    /// Order of colours and openings.
    #[serde(default, skip_serializing_if = "ColourOrder::is_pairs")]
    pub colours: ColourOrder,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fixture {
    /// Number of the game in the match, from 0. The two games of a pair (same programs and opening, colours reversed)
    /// have consecutive numbers.
    pub number: u64,
    /// Number of the round, from 1.
    pub round: u32,
    /// The program that plays White.
    pub white: usize,
    /// The program that plays Black.
    pub black: usize,
    /// Number of the opening, from 0, in the order in which openings are drawn.
    pub opening: u64,
}

/// The next games to be played, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextGames {
    /// Games to be played: a pair, the rest of a pair, or a single game.
    Games(Vec<Fixture>),
    /// No game can be played before more results are known.
    Wait,
    /// All games have been played.
    Finished,
}

/// The games of a match, in order.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Settings of the schedule.
    pub settings: ScheduleSettings,
    later: Later,
    wave: Wave,
    /// The games of programs that entered late, where no wave depends on results.
    late: Vec<Wave>,
    /// Half points of the first program of each encounter of the wave; empty if no later wave depends on them.
    scores: Vec<u64>,
}

/// Games that do not depend on each other's results.
#[derive(Clone, Debug)]
struct Wave {
    encounters: Encounters,
    /// Number of games in each encounter. The first pairs of all encounters are played before any second pair, and
    /// single games after all pairs, so that the table is fair at any time.
    games_each: u32,
    colours: ColourOrder,
    /// Number of the first game.
    first_game: u64,
    first_round: u32,
    first_opening: u64,
    /// First game that has not been taken, counted from the first of the wave.
    next_game: u64,
    /// Games with a result, counted in the same way.
    played: GameSet,
}

/// The waves after the first.
#[derive(Clone, Debug)]
enum Later {
    Nothing,
    Swiss {
        now: Swiss,
        /// The state before the round was paired.
        before: Box<Swiss>,
    },
    Knockout(Knockout),
}

impl Schedule {
    /// Makes a schedule without results.
    ///
    /// # Errors
    /// There are too few programs, or the settings do not fit the format.
    pub fn new(settings: ScheduleSettings) -> Result<Schedule, String> {
        settings.check()?;
        let programs = settings.programs;
        let (encounters, later) = match settings.format {
            TournamentFormat::RoundRobin => (Encounters::RoundRobin { programs }, Later::Nothing),
            TournamentFormat::Gauntlet { challengers } => {
                (Encounters::Gauntlet { challengers, programs }, Later::Nothing)
            }
            TournamentFormat::Swiss { rounds } => {
                let before = Swiss::new(programs, rounds, settings.games);
                let mut now = before.clone();
                (Encounters::Listed(now.pair()), Later::Swiss { now, before: Box::new(before) })
            }
            TournamentFormat::Knockout => {
                let knockout = Knockout::new(programs, settings.games);
                (Encounters::Listed(knockout.encounters()), Later::Knockout(knockout))
            }
        };
        let wave = Wave {
            encounters,
            games_each: settings.games,
            colours: settings.colours,
            first_game: 0,
            first_round: 1,
            first_opening: 0,
            next_game: 0,
            played: GameSet::default(),
        };
        let mut schedule = Schedule { settings, later, wave, late: Vec::new(), scores: Vec::new() };
        schedule.reset_scores();
        Ok(schedule)
    }

    /// Returns the total number of games as far as it is known: with the tie-breaks of a knockout that have begun.
    pub fn games(&self) -> u64 {
        let programs = self.settings.programs as u64;
        let encounters = match self.settings.format {
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet { .. } => self.wave.encounters.len(),
            TournamentFormat::Swiss { rounds } => programs / 2 * u64::from(rounds),
            TournamentFormat::Knockout => programs - 1,
        };
        encounters * u64::from(self.settings.games) + self.tie_break_games()
    }

    /// Returns the number of games that prolong tied encounters of a knockout, as far as they have begun.
    pub fn tie_break_games(&self) -> u64 {
        self.knockout().map_or(0, |knockout| knockout.tie_break_games)
    }

    /// Returns the number of encounters of a knockout that were tied to the end, so that the better seed advanced.
    pub fn decided_by_seed(&self) -> u64 {
        self.knockout().map_or(0, |knockout| knockout.decided_by_seed)
    }

    fn knockout(&self) -> Option<&Knockout> {
        match &self.later {
            Later::Knockout(knockout) => Some(knockout),
            Later::Nothing | Later::Swiss { .. } => None,
        }
    }

    /// Takes the next games to be played. Each game is taken once. Those of late programs come after all others; they can be
    /// played in their rounds (see [`Schedule::take_late`]).
    pub fn take(&mut self) -> NextGames {
        if let Some(games) = self.wave.take() {
            return NextGames::Games(games);
        }
        self.take_late().map_or_else(
            || if self.waves().all(Wave::is_complete) { NextGames::Finished } else { NextGames::Wait },
            NextGames::Games,
        )
    }

    fn waves(&self) -> impl Iterator<Item = &Wave> {
        [&self.wave].into_iter().chain(&self.late)
    }

    /// Returns the game with that number if its result is awaited.
    pub fn awaited(&self, number: u64) -> Option<Fixture> {
        self.waves().find_map(|wave| {
            let game = wave.index(number)?;
            (!wave.played.contains(game)).then(|| wave.fixture(game))
        })
    }

    /// Records White's points in a game.
    ///
    /// # Errors
    /// No result of this game is awaited. The schedule is unchanged.
    pub fn record(&mut self, number: u64, white: Points) -> Result<(), String> {
        if self.awaited(number).is_none() {
            return Err(format!("game {} is not one whose result is awaited", number.saturating_add(1)));
        }
        if let Some((wave, game)) =
            self.late.iter_mut().find_map(|wave| wave.index(number).map(|game| (wave, game)))
        {
            wave.played.insert(game);
            return Ok(());
        }
        self.wave.played.insert(number - self.wave.first_game);
        if let Some((encounter, is_first_white)) = self.scored(number) {
            let points = if is_first_white { white } else { white.opposite() };
            self.scores[encounter] += u64::from(points.halves());
        }
        self.advance_all();
        Ok(())
    }

    /// Returns the encounter of a game of the wave if its score counts for later waves, and whether its first program has White.
    fn scored(&self, number: u64) -> Option<(usize, bool)> {
        let game = self.wave.index(number).filter(|_| !self.scores.is_empty())?;
        let place = self.wave.place(game);
        Some((place.encounter as usize, place.is_first_white))
    }

    fn advance_all(&mut self) {
        while self.wave.is_complete() && self.advance() {}
    }

    /// Returns the half points that a program was given for byes.
    pub fn granted(&self, program: usize) -> u64 {
        match &self.later {
            Later::Swiss { now, .. } => now.granted(program),
            Later::Nothing | Later::Knockout(_) => 0,
        }
    }

    /// Returns the number of rounds of a knockout that a program has survived; 0 in other formats.
    pub fn survived(&self, program: usize) -> u32 {
        self.knockout().and_then(|knockout| knockout.survived.get(program).copied()).unwrap_or(0)
    }

    /// Returns the winner of a finished knockout.
    pub fn champion(&self) -> Option<usize> {
        self.knockout()?.champion()
    }

    /// Starts the next wave, if there is one. All games of the present one must have been played.
    fn advance(&mut self) -> bool {
        let Encounters::Listed(played) = &self.wave.encounters else { return false };
        let (encounters, games_each, round) = match &mut self.later {
            Later::Nothing => return false,
            Later::Swiss { now, before } => {
                now.count(played, &self.scores);
                (**before).clone_from(now);
                if now.is_last() {
                    return false;
                }
                (now.pair(), self.settings.games, self.wave.first_round + 1)
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
            colours: self.settings.colours,
            next_game: 0,
            played: GameSet::default(),
        };
        self.reset_scores();
        true
    }

    fn reset_scores(&mut self) {
        self.scores = match self.later {
            Later::Nothing => Vec::new(),
            Later::Swiss { .. } | Later::Knockout(_) => vec![0; self.wave.encounters.len() as usize],
        };
    }
}

impl ScheduleSettings {
    fn check(&self) -> Result<(), String> {
        let ScheduleSettings { programs, games, format, .. } = *self;
        if programs < 2 {
            return Err(format!("{}: expected at least 2", game::counted(programs as u64, "program")));
        }
        if games == 0 {
            return Err("0 games for each encounter: expected at least 1".to_owned());
        }
        match format {
            TournamentFormat::Gauntlet { challengers } if !(1..programs).contains(&challengers) => {
                Err(format!(
                    "{challengers} of {programs} programs are challengers: expected at least 1, and \
                     fewer than all"
                ))
            }
            TournamentFormat::Swiss { rounds: 0 } => Err("0 rounds: expected at least 1".to_owned()),
            _ => Ok(()),
        }
    }
}

/// Orders two programs by their numbers.
fn ordered(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// The place of a game in its wave.
struct GamePlace {
    encounter: u64,
    /// Index of the opening among those of the encounter, from 0.
    cycle: u64,
    /// Whether the first program of the encounter plays White.
    is_first_white: bool,
}

impl Wave {
    fn games(&self) -> u64 {
        self.encounters.len() * u64::from(self.games_each)
    }

    fn is_complete(&self) -> bool {
        self.played.len() == self.games()
    }

    /// Returns the place of a game in the wave, counted from its first, if the wave has it.
    fn index(&self, number: u64) -> Option<u64> {
        number.checked_sub(self.first_game).filter(|game| *game < self.games())
    }

    /// Takes the next games: a pair, the rest of a pair, or a single game.
    fn take(&mut self) -> Option<Vec<Fixture>> {
        while self.next_game < self.games() {
            let first = self.next_game;
            self.next_game = first + self.together(first);
            let open = (first..self.next_game).filter(|&game| !self.played.contains(game));
            let fixtures: Vec<Fixture> = open.map(|game| self.fixture(game)).collect();
            if !fixtures.is_empty() {
                return Some(fixtures);
            }
        }
        None
    }

    /// Returns the number of openings for each encounter.
    fn cycles(&self) -> u64 {
        u64::from(if self.colours.is_pairs() { self.games_each.div_ceil(2) } else { self.games_each })
    }

    /// Returns the number of games of the wave that are played in pairs; the others are single.
    fn paired(&self) -> u64 {
        let paired = if self.colours.is_pairs() { self.games_each / 2 * 2 } else { 0 };
        self.encounters.len() * u64::from(paired)
    }

    /// Returns the number of games that are taken together, beginning with this one.
    fn together(&self, game: u64) -> u64 {
        if game < self.paired() { 2 } else { 1 }
    }

    /// Returns the place of a game, which is counted from the first of the wave.
    fn place(&self, game: u64) -> GamePlace {
        let encounters = self.encounters.len();
        if let Some(single) = game.checked_sub(self.paired()) {
            let encounter = single % encounters;
            // The pairs, if there are any, precede the single games.
            let cycle = self.paired() / encounters / 2 + single / encounters;
            let alternates = self.encounters.get(encounter).swaps
                ^ (self.colours == ColourOrder::Alternating && cycle % 2 == 1);
            let is_first_white = self.colours == ColourOrder::Fixed || !alternates;
            return GamePlace { encounter, cycle, is_first_white };
        }
        let pair = game / 2;
        GamePlace {
            encounter: pair % encounters,
            cycle: pair / encounters,
            is_first_white: game.is_multiple_of(2),
        }
    }

    /// Returns the fixture of a game, which is counted from the first of the wave.
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
            // All encounters of a round have the same opening, and the next round has the next one. The number does not
            // depend on the number of games, so that a match can become longer.
            opening: self.first_opening + place.cycle * self.encounters.rounds() + encounter.round,
        }
    }
}

/// A set of numbers that are inserted in nearly ascending order, stored compactly.
#[derive(Clone, Debug, Default)]
struct GameSet {
    /// All numbers below this one are in the set.
    below: u64,
    /// The other numbers of the set, all above `below`.
    above: BTreeSet<u64>,
}

impl GameSet {
    fn contains(&self, number: u64) -> bool {
        number < self.below || self.above.contains(&number)
    }

    fn insert(&mut self, number: u64) {
        if number >= self.below {
            self.above.insert(number);
        }
        while self.above.remove(&self.below) {
            self.below += 1;
        }
    }

    /// Takes a number out. Costs memory for all numbers above it.
    fn remove(&mut self, number: u64) {
        if number < self.below {
            self.above.extend(number + 1..self.below);
            self.below = number;
        } else {
            self.above.remove(&number);
        }
    }

    fn len(&self) -> u64 {
        self.below + self.above.len() as u64
    }
}

#[cfg(test)]
mod tests;
