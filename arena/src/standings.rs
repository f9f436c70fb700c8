//! The standings of a tournament.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use game::{Color, Outcome, TextTable, WinReason, counted};

use crate::schedule::{Fixture, Schedule};
use crate::statistics::{Pentanomial, Points, Sample, WinDrawLoss};

/// The results of a match so far. They do not depend on the order in which games ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// Results of each program.
    pub programs: Vec<Standing>,
    /// Results of the first program against the second, for all pairs of programs that have met.
    encounters: HashMap<(usize, usize), WinDrawLoss>,
    /// Points of the program with the lower number in the first finished game of a pair, by programs and opening: two
    /// games of the same programs with the same opening are a pair.
    half_pairs: HashMap<(usize, usize, u64), Points>,
    /// Number of games played.
    pub games: u64,
    /// What orders programs with the same score, one after the other.
    pub tie_breaks: Vec<TieBreak>,
    /// Half points of each program for byes, which count in the order.
    pub granted: Vec<u64>,
    /// Number of rounds of a knockout that each program has survived, which come before the points.
    survived: Vec<u32>,
}

/// What orders programs with the same score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The opponents' points, weighted by the result against each.
    SonnebornBerger,
    /// The opponents' points, once for each game.
    Buchholz,
    /// The points in games against programs with the same score.
    Direct,
    /// The number of wins.
    Wins,
}

/// Results of one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Results of all games.
    pub games: WinDrawLoss,
    /// Results of complete pairs of games.
    pub pairs: Pentanomial,
    /// Number of games lost by each kind of fault; kinds that did not occur are included with 0.
    pub faults: BTreeMap<&'static str, u64>,
}

/// What a table shows of a program.
pub(crate) struct Figures {
    pub(crate) program: usize,
    pub(crate) games: WinDrawLoss,
    /// Points, with those for byes.
    pub(crate) points: f64,
    pub(crate) sonneborn_berger: f64,
    pub(crate) buchholz: f64,
}

/// Maximum number of programs in a crosstable; wider ones are unreadable.
const WIDEST_CROSSTABLE: usize = 24;

/// The faults by which a program loses, as column headings: its flag fell; it crashed, left, could not be started or
/// stopped replying; it made an illegal move; it broke the rules or its protocol in another way.
const FAULTS: [(WinReason, &str); 4] = [
    (WinReason::TimeForfeit, "time forfeits"),
    (WinReason::Abandoned, "crashes"),
    (WinReason::IllegalMove, "illegal moves"),
    (WinReason::RulesInfraction, "infractions"),
];

/// Returns the fault by which a game was lost, as a column heading; `None` if there was none.
fn fault_name(outcome: Outcome) -> Option<&'static str> {
    let Outcome::Win { reason, .. } = outcome else { return None };
    FAULTS.iter().find(|(fault, _)| *fault == reason).map(|(_, name)| *name)
}

impl Standing {
    fn new() -> Standing {
        Standing { faults: FAULTS.map(|(_, fault)| (fault, 0)).into(), ..Standing::default() }
    }
}

impl Standings {
    /// Makes standings without games.
    pub fn new(programs: usize) -> Standings {
        Standings {
            programs: vec![Standing::new(); programs],
            encounters: HashMap::new(),
            half_pairs: HashMap::new(),
            games: 0,
            tie_breaks: vec![TieBreak::SonnebornBerger],
            granted: vec![0; programs],
            survived: vec![0; programs],
        }
    }

    /// Adds a program without games.
    pub fn enter(&mut self) {
        self.programs.push(Standing::new());
        self.granted.push(0);
        self.survived.push(0);
    }

    /// Takes over what a schedule knows of the programs: points for byes, and the rounds of a knockout.
    pub fn follow(&mut self, schedule: &Schedule) {
        for program in 0..self.programs.len() {
            self.granted[program] = schedule.granted(program);
            self.survived[program] = schedule.survived(program);
        }
    }

    /// Adds a game.
    pub fn add(&mut self, fixture: &Fixture, outcome: Outcome) {
        self.games += 1;
        let white = Points::of(outcome, Color::White);
        let [first, second] = [fixture.white.min(fixture.black), fixture.white.max(fixture.black)];
        let first_points = if first == fixture.white { white } else { white.opposite() };

        for (program, opponent, points) in
            [(first, second, first_points), (second, first, first_points.opposite())]
        {
            self.encounters.entry((program, opponent)).or_default().add(points);
            self.programs[program].games.add(points);
        }
        let pair = (first, second, fixture.opening);
        match self.half_pairs.remove(&pair) {
            None => {
                self.half_pairs.insert(pair, first_points);
            }
            Some(other) => {
                self.programs[first].pairs.add(other, first_points);
                self.programs[second].pairs.add(other.opposite(), first_points.opposite());
            }
        }
        if let (Some(name), Some(winner)) = (fault_name(outcome), outcome.winner()) {
            let loser = winner.fold_wb(fixture.black, fixture.white);
            *self.programs[loser].faults.entry(name).or_default() += 1;
        }
    }

    /// Returns the results of a program against another.
    pub fn between(&self, program: usize, opponent: usize) -> WinDrawLoss {
        self.encounters.get(&(program, opponent)).copied().unwrap_or_default()
    }

    /// Formats the score of a program against another for a crosstable: `1.5/2`.
    pub fn score_text(&self, program: usize, opponent: usize) -> String {
        let score = self.between(program, opponent);
        match score.games() {
            0 => if opponent == program { "x" } else { "-" }.to_owned(),
            games => format!("{:.1}/{games}", score.halves() as f64 / 2.0),
        }
    }

    /// Makes a crosstable with the score of each program against each other, in the order of a ranking; `None` if there
    /// are too many programs to be readable.
    pub fn crosstable<'a>(&self, ranking: &[usize], name: impl Fn(usize) -> &'a str) -> Option<TextTable> {
        if ranking.len() > WIDEST_CROSSTABLE {
            return None;
        }
        let ranks = (1..=ranking.len()).map(|rank| rank.to_string());
        let mut table = TextTable::default().numbers([""]).texts(["Program"]).numbers(ranks.clone());
        for (rank, &program) in ranks.zip(ranking) {
            let cells = ranking.iter().map(|&opponent| self.score_text(program, opponent));
            table.push([rank, name(program).to_owned()].into_iter().chain(cells));
        }
        Some(table)
    }

    /// Returns the share of drawn games; `None` before the first game.
    pub fn draw_ratio(&self) -> Option<f64> {
        // Every game is counted for both programs.
        let drawn: u64 = self.programs.iter().map(|standing| standing.games.draws).sum();
        (self.games > 0).then(|| drawn as f64 / 2.0 / self.games as f64)
    }

    /// Returns the programs, best first: by the rounds of a knockout that they have survived, by their share of the points, then by the tie-breaks, then by their numbers.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.programs.len()).collect();
        let key = |&program: &usize| {
            let breaks = self.tie_breaks.iter().map(|tie_break| self.tie_break(*tie_break, program));
            [f64::from(self.survived[program]), self.score(program)].into_iter().chain(breaks).collect()
        };
        let keys: Vec<Vec<f64>> = ranking.iter().map(key).collect();
        ranking.sort_by(|&a, &b| {
            let differences = keys[b].iter().zip(&keys[a]).map(|(b, a)| b.total_cmp(a));
            differences.fold(Ordering::Equal, Ordering::then).then(a.cmp(&b))
        });
        ranking
    }

    fn tie_break(&self, tie_break: TieBreak, program: usize) -> f64 {
        let opponents = 0..self.programs.len();
        match tie_break {
            TieBreak::SonnebornBerger => self.sonneborn_berger(program, |o| self.score(o)),
            TieBreak::Buchholz => self.buchholz(program, |o| self.score(o)),
            TieBreak::Direct => {
                let is_level = |o: &usize| self.score(*o).total_cmp(&self.score(program)).is_eq();
                let level = opponents.filter(is_level);
                level.map(|o| self.between(program, o).halves() as f64).sum()
            }
            TieBreak::Wins => self.programs[program].games.wins as f64,
        }
    }

    /// Returns the share of the points, where a bye counts as a won encounter; 0 without games.
    fn score(&self, program: usize) -> f64 {
        let (games, granted) = (&self.programs[program].games, self.granted[program]);
        let most = 2 * games.games() + granted;
        if most == 0 { 0.0 } else { (games.halves() + granted) as f64 / most as f64 }
    }

    /// Returns what a table shows of a program. The schedule knows the points for byes.
    pub(crate) fn figures(&self, program: usize, schedule: &Schedule) -> Figures {
        let games = |program: usize| self.programs[program].games;
        let points = |program| (games(program).halves() + schedule.granted(program)) as f64 / 2.0;
        let (sonneborn_berger, buchholz) =
            (self.sonneborn_berger(program, points), self.buchholz(program, points));
        Figures { program, games: games(program), points: points(program), sonneborn_berger, buchholz }
    }

    /// Returns the Sonneborn-Berger score: what the opponents are worth, weighted by the result against each.
    fn sonneborn_berger(&self, program: usize, worth: impl Fn(usize) -> f64) -> f64 {
        let opponents = 0..self.programs.len();
        opponents.map(|o| self.between(program, o).halves() as f64 / 2.0 * worth(o)).sum()
    }

    /// Returns the Buchholz score: what the opponents are worth, once for each game.
    fn buchholz(&self, program: usize, worth: impl Fn(usize) -> f64) -> f64 {
        (0..self.programs.len()).map(|o| self.between(program, o).games() as f64 * worth(o)).sum()
    }
}

impl Standing {
    /// Returns the results as a statistical sample: pairs of games, or single games until a pair is complete. `None`
    /// without games.
    pub fn sample(&self) -> Option<Sample> {
        self.pairs.sample().or_else(|| self.games.sample())
    }

    /// Says what the sample consists of: `12 pairs`, or `3 games`.
    pub fn sampled(&self) -> String {
        match self.pairs.0.iter().sum::<u64>() {
            0 => counted(self.games.games(), "game"),
            pairs => counted(pairs, "pair"),
        }
    }
}

#[cfg(test)]
mod tests {
    use game::DrawReason;

    use super::*;
    use crate::schedule::{ColourOrder, NextGames, ScheduleSettings, TournamentFormat};

    fn fixture(number: u64, white: usize, black: usize) -> Fixture {
        Fixture { number, round: 1, white, black, opening: number / 2 }
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
        assert_eq!(standings.programs[0].pairs.0, [0, 0, 1, 1, 0]);
        assert_eq!(standings.programs[1].pairs.0, [0, 1, 0, 0, 0]);
        assert_eq!(standings.programs[2].pairs.0, [0, 0, 1, 0, 0], "the last pair is not complete");
        assert_eq!(standings.between(1, 0), WinDrawLoss { wins: 0, draws: 1, losses: 1 });
        assert_eq!(standings.between(0, 1), WinDrawLoss { wins: 1, draws: 1, losses: 0 });
        for (program, fault) in [(0, "time forfeits"), (1, "crashes"), (2, "illegal moves")] {
            let faults = &standings.programs[program].faults;
            assert!(
                faults[fault] == 1 && faults.values().sum::<u64>() == 1 && faults.len() == 4,
                "{faults:?}"
            );
        }
        assert_eq!(standings.ranking(), [2, 0, 1]);
    }

    /// Programs 0 and 1 have 1.5 of 3: 0 has won once and beaten 1, but 1 has beaten the best, 3.
    #[test]
    fn programs_with_the_same_score_are_ordered_by_what_is_wanted() {
        let mut standings = Standings::new(4);
        let won = win(Color::White, WinReason::Checkmate);
        let draw = Outcome::Draw(DrawReason::Agreement);
        let games = [(0, 1, won), (0, 2, draw), (3, 0, won), (1, 3, won), (1, 2, draw), (3, 2, won)];
        for (number, (white, black, outcome)) in (0..).zip(games) {
            standings.add(&fixture(2 * number, white, black), outcome);
        }
        let mut first = |tie_breaks: &[TieBreak]| {
            standings.tie_breaks = tie_breaks.to_vec();
            let ranking = standings.ranking();
            (ranking[0], ranking[1])
        };
        assert_eq!(first(&[TieBreak::SonnebornBerger]), (3, 1));
        assert_eq!(first(&[TieBreak::Direct]), (3, 0));
        assert_eq!(first(&[TieBreak::Wins, TieBreak::Direct]), (3, 0));
        assert_eq!(first(&[TieBreak::Wins, TieBreak::SonnebornBerger]), (3, 1));
        assert_eq!(first(&[TieBreak::Buchholz]), (3, 0));
    }

    /// The first program has a bye, and wins the final by its seed after ten draws.
    #[test]
    fn the_winner_of_a_knockout_is_the_first() {
        let settings = ScheduleSettings {
            programs: 3,
            games: 2,
            format: TournamentFormat::Knockout,
            colours: ColourOrder::Pairs,
        };
        let (mut schedule, mut standings) = (Schedule::new(settings).unwrap(), Standings::new(3));
        while let NextGames::Games(fixtures) = schedule.take() {
            for fixture in fixtures {
                let winner = Color::from_white(fixture.white == 1);
                let is_final = fixture.white.min(fixture.black) == 0;
                let won = win(winner, WinReason::Checkmate);
                let outcome = if is_final { Outcome::Draw(DrawReason::Agreement) } else { won };
                schedule.record(fixture.number, Points::of(outcome, Color::White)).unwrap();
                standings.add(&fixture, outcome);
                standings.follow(&schedule);
            }
        }
        assert!(standings.score(1) > standings.score(0));
        assert_eq!(standings.ranking(), [0, 1, 2]);
    }
}
