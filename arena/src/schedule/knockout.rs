//! The knockout system: the loser of an encounter is eliminated.

use std::cmp::Ordering;

use super::{TIE_BREAKS, ordered};

/// The state of a knockout.
#[derive(Clone, Debug)]
pub(super) struct Knockout {
    /// Remaining programs in the order of the bracket, where neighbours meet. Empty places are `None`. The length is a
    /// power of two.
    bracket: Vec<Option<usize>>,
    /// Winners of the round's encounters, by their place in the next round's bracket; `None` until known.
    winners: Vec<Option<usize>>,
    /// Number of the round, from 1.
    pub(super) round: u32,
    pub(super) tie_breaks: u32,
    /// Number of games in tie-breaks, as far as they have begun.
    pub(super) tie_break_games: u64,
    /// Number of rounds that each program has survived, with those in which it had no opponent.
    pub(super) survived: Vec<u32>,
    /// Number of encounters that the seeding decided.
    pub(super) decided_by_seed: u64,
    /// Whether encounters have an odd number of games, the last of which is single.
    is_odd: bool,
}

impl Knockout {
    pub(super) fn new(programs: usize, games: u32) -> Knockout {
        let places = seeding(programs.next_power_of_two());
        let bracket = places.into_iter().map(|seed| (seed < programs).then_some(seed)).collect();
        let mut knockout = Knockout {
            bracket,
            winners: Vec::new(),
            round: 1,
            tie_breaks: 0,
            tie_break_games: 0,
            survived: vec![0; programs],
            decided_by_seed: 0,
            is_odd: games % 2 == 1,
        };
        knockout.open_round();
        knockout
    }

    /// Returns the undecided encounters of the round, the better seed first. In even rounds with single games the
    /// better seed comes second, so that every program changes its colour.
    pub(super) fn encounters(&self) -> Vec<[usize; 2]> {
        let open = self.bracket.chunks_exact(2).zip(&self.winners).filter(|(_, winner)| winner.is_none());
        let swaps = self.is_odd && self.round.is_multiple_of(2);
        open.filter_map(|(pair, _)| {
            let [better, worse] = ordered(pair[0]?, pair[1]?);
            Some(if swaps { [worse, better] } else { [better, worse] })
        })
        .collect()
    }

    /// Records the results of the undecided encounters: the half points of the first program of each. An encounter with
    /// `drawn` half points is tied.
    pub(super) fn finish(&mut self, played: &[[usize; 2]], scores: &[u64], drawn: u64) {
        for (&[first, second], score) in played.iter().zip(scores) {
            let winner = match score.cmp(&drawn) {
                Ordering::Greater => first,
                Ordering::Less => second,
                // The lower number is the better seed.
                Ordering::Equal if self.tie_breaks == TIE_BREAKS => {
                    self.decided_by_seed += 1;
                    first.min(second)
                }
                Ordering::Equal => continue,
            };
            let place = self.bracket.iter().position(|&program| program == Some(winner));
            if let Some(place) = place {
                self.winners[place / 2] = Some(winner);
            }
        }
        if self.winners.contains(&None) {
            self.tie_breaks += 1;
            self.tie_break_games += 2 * self.winners.iter().filter(|winner| winner.is_none()).count() as u64;
        } else {
            self.bracket = std::mem::take(&mut self.winners);
            for &program in self.bracket.iter().flatten() {
                self.survived[program] = self.round;
            }
            self.round += 1;
            self.tie_breaks = 0;
            self.open_round();
        }
    }

    pub(super) fn champion(&self) -> Option<usize> {
        match self.bracket[..] {
            [champion] => champion,
            _ => None,
        }
    }

    /// Starts a round. Programs without an opponent advance at once.
    fn open_round(&mut self) {
        let unopposed = |pair: &[Option<usize>]| match *pair {
            [Some(program), None] | [None, Some(program)] => Some(program),
            _ => None,
        };
        self.winners = self.bracket.chunks_exact(2).map(unopposed).collect();
    }
}

/// Returns the seeds in the order of the bracket: if the better seed always wins, the first meets the last in each
/// round.
fn seeding(places: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < places {
        let last = 2 * order.len() - 1;
        order = order.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    order
}
