//! The Swiss system: programs of about the same score meet, and nobody meets the same opponent twice.

use std::collections::HashSet;

/// The state of a Swiss tournament between two rounds.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    rounds_left: u32,
    /// Half points for a won encounter.
    full_score: u64,
    /// Half points of each program.
    points: Vec<u64>,
    /// How often each program was left over.
    byes: Vec<u32>,
    /// Who has met, the lower number first.
    met: HashSet<[usize; 2]>,
}

/// How many opponents are tried for a round without rematches before rematches are allowed. The search nearly always
/// succeeds at the first try; where it doesn't, it could take for ever.
const ATTEMPTS: u32 = 100_000;

impl Swiss {
    pub(super) fn new(programs: usize, rounds: u32, games: u32) -> Swiss {
        Swiss {
            rounds_left: rounds,
            full_score: 2 * u64::from(games),
            points: vec![0; programs],
            byes: vec![0; programs],
            met: HashSet::new(),
        }
    }

    pub(super) fn first_round(&mut self) -> Vec<[usize; 2]> {
        self.pair()
    }

    /// Counts a round's encounters, with the half points of the first program of each, and pairs the next round; `None`
    /// after the last.
    pub(super) fn next_round(&mut self, played: &[[usize; 2]], scores: &[u64]) -> Option<Vec<[usize; 2]>> {
        for (&[first, second], &score) in played.iter().zip(scores) {
            self.points[first] += score;
            self.points[second] += self.full_score - score;
            self.met.insert(ordered(first, second));
        }
        (self.rounds_left > 0).then(|| self.pair())
    }

    fn pair(&mut self) -> Vec<[usize; 2]> {
        self.rounds_left -= 1;
        let mut ranking: Vec<usize> = (0..self.points.len()).collect();
        ranking.sort_by_key(|&program| (std::cmp::Reverse(self.points[program]), program));
        if ranking.len() % 2 == 1 {
            let fewest = self.byes.iter().min();
            // Somebody has the fewest.
            if let Some(place) = ranking.iter().rposition(|&program| Some(&self.byes[program]) == fewest) {
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
        pairs
    }

    /// Finds opponents for all, from the top of the ranking down; if there are none for the last ones, those above try
    /// their next choice. On failure `unpaired` is as it was.
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
            if self.met.contains(&ordered(program, opponent)) {
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

    /// Pairs all, with rematches where the first choices have met.
    fn pair_somehow(&self, mut unpaired: Vec<usize>, pairs: &mut Vec<[usize; 2]>) {
        while !unpaired.is_empty() {
            let choices = self.choices(&unpaired);
            let is_new = |&place: &usize| !self.met.contains(&ordered(unpaired[0], unpaired[place]));
            let place = choices.iter().copied().find(is_new).unwrap_or(choices[0]);
            let opponent = unpaired.remove(place);
            pairs.push([unpaired.remove(0), opponent]);
        }
    }

    /// The places of possible opponents of the first program of the ranking, best first: those of the same score, from
    /// the middle of them on, so that the upper half meets the lower half; then those of less.
    fn choices(&self, unpaired: &[usize]) -> Vec<usize> {
        let points = self.points[unpaired[0]];
        let equal = unpaired.iter().take_while(|&&program| self.points[program] == points).count();
        let middle = (equal / 2).max(1);
        (middle..equal).chain((1..middle).rev()).chain(equal..unpaired.len()).collect()
    }
}

fn ordered(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}
