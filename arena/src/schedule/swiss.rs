//! The Swiss system: programs with about the same score are paired, and nobody meets the same opponent twice.

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

use super::ordered;

/// The state of a Swiss tournament between two rounds.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    rounds_left: u32,
    /// Half points of a won encounter.
    full_score: u64,
    /// Half points of each program.
    points: Vec<u64>,
    /// Number of byes of each program.
    byes: Vec<u32>,
    /// Whether each program is left out of the pairings to come.
    absent: Vec<bool>,
    /// Pairs of programs that have met, the lower number first.
    met: HashSet<[usize; 2]>,
    /// Colours of each program in single games; `None` if there are no single games.
    colors: Option<Vec<Colors>>,
}

/// Colours of a program in its single games.
#[derive(Clone, Copy, Debug, Default)]
struct Colors {
    /// Games with White minus games with Black.
    surplus: i32,
    /// Colours of the last two games, the latest first; `true` for White.
    last: [Option<bool>; 2],
}

impl Colors {
    fn add(&mut self, is_white: bool) {
        self.surplus += if is_white { 1 } else { -1 };
        self.last = [Some(is_white), self.last[0]];
    }

    /// Returns the colour preference, positive for White and negative for Black. An absolute preference weighs most,
    /// then the surplus, then the colour of the last game (FIDE Handbook C.04.3).
    fn due(self) -> i32 {
        if let Some(is_white) = self.absolute() {
            return if is_white { i32::MAX } else { -i32::MAX };
        }
        let by_last = self.last[0].map_or(0, |is_white| if is_white { -1 } else { 1 });
        -2 * self.surplus + by_last
    }

    /// Returns the absolute colour preference: after two more games with the other colour, or the other colour twice in
    /// a row.
    fn absolute(self) -> Option<bool> {
        match (self.surplus, self.last) {
            (2.., _) | (_, [Some(true), Some(true)]) => Some(false),
            (..=-2, _) | (_, [Some(false), Some(false)]) => Some(true),
            _ => None,
        }
    }
}

/// Number of opponents tried for a round without rematches before rematches are allowed. The search nearly always
/// succeeds at the first try; otherwise it could take exponential time.
const ATTEMPTS: u32 = 100_000;

impl Swiss {
    pub(super) fn new(programs: usize, rounds: u32, games: u32) -> Swiss {
        Swiss {
            rounds_left: rounds,
            full_score: 2 * u64::from(games),
            points: vec![0; programs],
            byes: vec![0; programs],
            absent: vec![false; programs],
            met: HashSet::new(),
            colors: (games % 2 == 1).then(|| vec![Colors::default(); programs]),
        }
    }

    /// Returns the half points that a program was given for byes.
    pub(super) fn granted(&self, program: usize) -> u64 {
        u64::from(self.byes[program]) * self.full_score
    }

    /// Adds a program, which has no points.
    pub(super) fn enter(&mut self) {
        self.points.push(0);
        self.byes.push(0);
        self.absent.push(false);
        self.colors.iter_mut().for_each(|colors| colors.push(Colors::default()));
    }

    pub(super) fn set_absent(&mut self, program: usize, is_absent: bool) {
        self.absent[program] = is_absent;
    }

    /// Changes the result of a game of an earlier round: White's half points before and now.
    pub(super) fn correct(&mut self, [white, black]: [usize; 2], before: u64, now: u64) {
        self.points[white] = self.points[white] + now - before;
        self.points[black] = self.points[black] + before - now;
    }

    /// Whether all rounds have been paired.
    pub(super) fn is_last(&self) -> bool {
        self.rounds_left == 0
    }

    /// Records the encounters of a round, with the half points of the first program of each (which has White in single
    /// games).
    pub(super) fn count(&mut self, played: &[[usize; 2]], scores: &[u64]) {
        for (&[first, second], &score) in played.iter().zip(scores) {
            self.points[first] += score;
            self.points[second] += self.full_score - score;
            self.met.insert(ordered(first, second));
            for (program, is_white) in [(first, true), (second, false)] {
                if let Some(colors) = &mut self.colors {
                    colors[program].add(is_white);
                }
            }
        }
    }

    /// Pairs a round. There must be one left.
    pub(super) fn pair(&mut self) -> Vec<[usize; 2]> {
        self.rounds_left -= 1;
        let mut ranking: Vec<usize> =
            (0..self.points.len()).filter(|&program| !self.absent[program]).collect();
        ranking.sort_by_key(|&program| (Reverse(self.points[program]), program));
        if ranking.len() % 2 == 1 {
            let fewest = ranking.iter().map(|&program| self.byes[program]).min();
            // One program always has the fewest byes.
            if let Some(place) = ranking.iter().rposition(|&program| Some(self.byes[program]) == fewest) {
                let program = ranking.remove(place);
                self.byes[program] += 1;
                self.points[program] += self.full_score;
            }
        }
        let mut pairs = Vec::with_capacity(ranking.len() / 2);
        let mut attempts = ATTEMPTS;
        if !self.pair_without_rematch(&mut ranking.clone(), &mut pairs, &mut attempts) {
            pairs.clear();
            self.pair_somehow(ranking, &mut pairs);
        }
        if let Some(colors) = &self.colors {
            for (board, pair) in pairs.iter_mut().enumerate() {
                let [higher, lower] = pair.map(|program| colors[program].due());
                // With equal preferences the higher-ranked program gets its colour; without preferences colours
                // alternate from board to board.
                let is_lower_white = match higher.abs().cmp(&lower.abs()) {
                    Ordering::Less => lower > 0,
                    _ if higher != 0 => higher < 0,
                    _ => board % 2 == 1,
                };
                if is_lower_white {
                    pair.reverse();
                }
            }
        }
        pairs
    }

    /// Whether two programs may be paired: they have not met and do not have the same absolute colour preference.
    fn may_meet(&self, program: usize, opponent: usize) -> bool {
        let must = |program: usize| self.colors.as_ref().and_then(|colors| colors[program].absolute());
        let is_quarrel = must(program).is_some() && must(program) == must(opponent);
        !is_quarrel && !self.met.contains(&ordered(program, opponent))
    }

    /// Pairs all programs from the top of the ranking down, with backtracking. On failure `unpaired` is unchanged.
    fn pair_without_rematch(
        &self,
        unpaired: &mut Vec<usize>,
        pairs: &mut Vec<[usize; 2]>,
        attempts: &mut u32,
    ) -> bool {
        if unpaired.is_empty() {
            return true;
        }
        for place in self.choices(unpaired) {
            let (program, opponent) = (unpaired[0], unpaired[place]);
            if !self.may_meet(program, opponent) {
                continue;
            }
            if *attempts == 0 {
                return false;
            }
            *attempts -= 1;
            unpaired.remove(place);
            unpaired.remove(0);
            pairs.push([program, opponent]);
            if self.pair_without_rematch(unpaired, pairs, attempts) {
                return true;
            }
            pairs.pop();
            unpaired.insert(0, program);
            unpaired.insert(place, opponent);
        }
        false
    }

    /// Pairs all programs; allows rematches.
    fn pair_somehow(&self, mut unpaired: Vec<usize>, pairs: &mut Vec<[usize; 2]>) {
        while !unpaired.is_empty() {
            let choices = self.choices(&unpaired);
            let may_meet = |&place: &usize| self.may_meet(unpaired[0], unpaired[place]);
            let place = choices.iter().copied().find(may_meet).unwrap_or(choices[0]);
            let opponent = unpaired.remove(place);
            pairs.push([unpaired.remove(0), opponent]);
        }
    }

    /// Returns the places of possible opponents of the first program, best first. Those with the same score come first,
    /// beginning in the middle, so that the upper half meets the lower half; then those with lower scores.
    fn choices(&self, unpaired: &[usize]) -> Vec<usize> {
        let points = self.points[unpaired[0]];
        let equal = unpaired.iter().take_while(|&&program| self.points[program] == points).count();
        let middle = (equal / 2).max(1);
        (middle..equal).chain((1..middle).rev()).chain(equal..unpaired.len()).collect()
    }
}
