//! What the games of a match come to, program by program and against each other.

use std::collections::{BTreeMap, HashMap};

use game::{Color, Outcome, WinReason};

use crate::schedule::Fixture;
use crate::statistics::{Pentanomial, Points, Sample, WinDrawLoss};

/// The results of a match so far. They do not depend on the order in which games ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// Those of each program.
    pub programs: Vec<Standing>,
    /// The results of the first program of each two that have met.
    encounters: HashMap<(usize, usize), WinDrawLoss>,
    /// What the program with the lower number has from the one game of a pair that has ended.
    half_pairs: HashMap<(usize, usize, u64), Points>,
    /// How many games were played.
    pub games: u64,
}

/// The results of one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// All its games.
    pub games: WinDrawLoss,
    /// Its complete pairs of games.
    pub pairs: Pentanomial,
    /// Why it lost, other than on the board or by its own word.
    pub faults: Faults,
}

/// Games that a program lost by a fault of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Its time ran out.
    pub time_forfeits: u64,
    /// It crashed, left, could not be started or fell silent.
    pub crashes: u64,
    /// It made an illegal move.
    pub illegal_moves: u64,
    /// It broke the rules or its protocol in another way.
    pub infractions: u64,
}

impl Standings {
    /// Nothing has been played yet.
    pub fn new(programs: usize) -> Standings {
        Standings {
            programs: vec![Standing::default(); programs],
            encounters: HashMap::new(),
            half_pairs: HashMap::new(),
            games: 0,
        }
    }

    /// Counts a game.
    pub fn add(&mut self, fixture: &Fixture, outcome: Outcome) {
        self.games += 1;
        let white = Points::of(outcome, Color::White);
        let [first, second] = [fixture.white.min(fixture.black), fixture.white.max(fixture.black)];
        let first_points = if first == fixture.white { white } else { white.opposite() };

        self.encounters.entry((first, second)).or_default().add(first_points);
        for (program, points) in [(first, first_points), (second, first_points.opposite())] {
            self.programs[program].games.add(points);
        }
        let pair = (first, second, fixture.number / 2);
        match self.half_pairs.remove(&pair) {
            None => {
                self.half_pairs.insert(pair, first_points);
            }
            Some(other) => {
                self.programs[first].pairs.add(other, first_points);
                self.programs[second].pairs.add(other.opposite(), first_points.opposite());
            }
        }
        if let Outcome::Win { winner, reason } = outcome {
            let loser = winner.fold_wb(fixture.black, fixture.white);
            self.programs[loser].faults.add(reason);
        }
    }

    /// The results of a program against another.
    pub fn between(&self, program: usize, opponent: usize) -> WinDrawLoss {
        let of = |a, b| self.encounters.get(&(a, b)).copied().unwrap_or_default();
        if program < opponent {
            return of(program, opponent);
        }
        let WinDrawLoss { wins, draws, losses } = of(opponent, program);
        WinDrawLoss { wins: losses, draws, losses: wins }
    }

    /// What a program has won against another, as a crosstable shows it: `1.5/2`.
    pub fn score_text(&self, program: usize, opponent: usize) -> String {
        let score = self.between(program, opponent);
        match score.games() {
            0 => if opponent == program { "x" } else { "-" }.to_owned(),
            games => format!("{:.1}/{games}", score.halves() as f64 / 2.0),
        }
    }

    /// The part of all games that was drawn; `None` before the first.
    pub fn draw_ratio(&self) -> Option<f64> {
        // Every game counts for two.
        let drawn: u64 = self.programs.iter().map(|standing| standing.games.draws).sum();
        (self.games > 0).then(|| drawn as f64 / 2.0 / self.games as f64)
    }

    /// The programs, best first: by the part of the points they won, then by the strength of those they met
    /// (Sonneborn-Berger), then in the order in which they were named.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.programs.len()).collect();
        let keys: Vec<(f64, f64)> =
            ranking.iter().map(|&program| (self.score(program), self.sonneborn_berger(program))).collect();
        ranking.sort_by(|&a, &b| {
            let by_score = keys[b].0.total_cmp(&keys[a].0);
            by_score.then_with(|| keys[b].1.total_cmp(&keys[a].1)).then(a.cmp(&b))
        });
        ranking
    }

    /// Points won of points possible; 0 without games.
    fn score(&self, program: usize) -> f64 {
        let games = &self.programs[program].games;
        if games.games() == 0 { 0.0 } else { games.halves() as f64 / 2.0 / games.games() as f64 }
    }

    /// The points of the opponents, weighted by what was won against them.
    fn sonneborn_berger(&self, program: usize) -> f64 {
        let opponents = 0..self.programs.len();
        opponents.map(|opponent| self.between(program, opponent).halves() as f64 * self.score(opponent)).sum()
    }
}

impl Standing {
    /// The results as observations of strength: pairs of games, or single games until a pair is complete. `None`
    /// without games.
    pub fn sample(&self) -> Option<Sample> {
        self.pairs.sample().or_else(|| self.games.sample())
    }
}

impl Faults {
    fn add(&mut self, reason: WinReason) {
        match reason {
            WinReason::TimeForfeit => self.time_forfeits += 1,
            WinReason::Abandoned => self.crashes += 1,
            WinReason::IllegalMove => self.illegal_moves += 1,
            WinReason::RulesInfraction => self.infractions += 1,
            _ => {}
        }
    }

    /// All of them, in words that can head the columns of a table.
    pub fn by_name(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("time forfeits", self.time_forfeits),
            ("crashes", self.crashes),
            ("illegal moves", self.illegal_moves),
            ("infractions", self.infractions),
        ])
    }
}

#[cfg(test)]
mod tests {
    use game::DrawReason;

    use super::*;

    fn fixture(number: u64, white: usize, black: usize) -> Fixture {
        Fixture { number, round: 1, white, black, opening: 0 }
    }

    fn win(winner: Color, reason: WinReason) -> Outcome {
        Outcome::Win { winner, reason }
    }

    #[test]
    fn games_are_counted_for_both_sides() {
        let draw = Outcome::Draw(DrawReason::Stalemate);
        let games = [
            (fixture(0, 0, 1), win(Color::White, WinReason::Checkmate)),
            (fixture(1, 1, 0), draw),
            (fixture(2, 2, 0), win(Color::White, WinReason::TimeForfeit)),
            (fixture(3, 0, 2), win(Color::White, WinReason::IllegalMove)),
            (fixture(4, 1, 2), win(Color::Black, WinReason::Abandoned)),
        ];
        let mut standings = Standings::new(3);
        for (fixture, outcome) in games {
            standings.add(&fixture, outcome);
        }
        let mut backwards = Standings::new(3);
        for (fixture, outcome) in games.into_iter().rev() {
            backwards.add(&fixture, outcome);
        }
        assert_eq!(standings, backwards);

        assert_eq!((standings.games, standings.draw_ratio()), (5, Some(0.2)));
        assert_eq!(standings.programs[0].games, WinDrawLoss { wins: 2, draws: 1, losses: 1 });
        assert_eq!(standings.programs[0].pairs.counts(), [0, 0, 1, 1, 0]);
        assert_eq!(standings.programs[1].pairs.counts(), [0, 1, 0, 0, 0]);
        assert_eq!(standings.programs[2].pairs.counts(), [0, 0, 1, 0, 0], "the last pair is not complete");
        assert_eq!(standings.between(1, 0), WinDrawLoss { wins: 0, draws: 1, losses: 1 });
        assert_eq!(standings.between(0, 1), WinDrawLoss { wins: 1, draws: 1, losses: 0 });
        assert_eq!(standings.programs[0].faults, Faults { time_forfeits: 1, ..Faults::default() });
        assert_eq!(standings.programs[1].faults, Faults { crashes: 1, ..Faults::default() });
        assert_eq!(standings.programs[2].faults, Faults { illegal_moves: 1, ..Faults::default() });
        assert_eq!(standings.ranking(), [2, 0, 1]);
    }
}
