//! A sequential test over a match: its games are counted in the order of their schedule.
//!
//! Short games end first. A test that counted games as they end would be biased towards short games, which are won and
//! lost more often than long ones, so a game waits until all earlier ones have ended (fishtest, issue 933).

use std::collections::BTreeMap;

use super::{Hypothesis, Observations, Pentanomial, Points, Sprt, SprtCounts, StoppedEstimate, WinDrawLoss};

/// A test with the results so far.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialTest {
    sprt: Sprt,
    counts: SprtCounts,
    /// Number of games counted, which is the number of the next game to be counted.
    counted: u64,
    /// Points in games that ended before an earlier one, by the number of the game.
    waiting: BTreeMap<u64, Points>,
    decision: Option<Hypothesis>,
}

impl SequentialTest {
    /// Begins a test.
    pub fn new(sprt: Sprt) -> SequentialTest {
        let counts = match sprt.observations() {
            Observations::Pairs => SprtCounts::Pairs(Pentanomial::default()),
            Observations::Games => SprtCounts::Games(WinDrawLoss::default()),
        };
        SequentialTest { sprt, counts, counted: 0, waiting: BTreeMap::new(), decision: None }
    }

    /// Returns the number of games that wait for an earlier one.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a game of the tested player. `number` is its number in the schedule, from 0; the games `2n` and `2n + 1` are
    /// a pair. Games after the decision are not counted.
    pub fn add(&mut self, number: u64, points: Points) {
        if self.decision.is_some() {
            return;
        }
        self.waiting.insert(number, points);
        while self.decision.is_none() && self.count_next() {
            self.decision = self.sprt.decision(&self.counts);
        }
        if self.decision.is_some() {
            self.waiting.clear();
        }
    }

    /// Counts the next observation; `false` if it is not complete.
    fn count_next(&mut self) -> bool {
        let next = self.counted;
        match &mut self.counts {
            SprtCounts::Pairs(pairs) => {
                let (Some(&first), Some(&second)) = (self.waiting.get(&next), self.waiting.get(&(next + 1)))
                else {
                    return false;
                };
                pairs.add(first, second);
                self.counted += 2;
            }
            SprtCounts::Games(tally) => {
                let Some(&points) = self.waiting.get(&next) else { return false };
                tally.add(points);
                self.counted += 1;
            }
        }
        self.waiting = self.waiting.split_off(&self.counted);
        true
    }

    /// Returns the hypotheses and error rates.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// Returns the results counted so far.
    pub fn counts(&self) -> &SprtCounts {
        &self.counts
    }

    /// Returns the number of games counted so far.
    pub fn games(&self) -> u64 {
        self.counted
    }

    /// Returns the log-likelihood ratio of the games counted so far.
    pub fn llr(&self) -> f64 {
        self.sprt.llr(&self.counts)
    }

    /// Estimates the difference in strength from the games counted so far, with the stopping taken into account; `None`
    /// while all results are equal.
    pub fn estimate(&self) -> Option<StoppedEstimate> {
        self.sprt.estimate(&self.counts)
    }

    /// Returns the accepted hypothesis, if any. It was accepted at the first moment, in the order of the schedule, at
    /// which the ratio reached a bound.
    pub fn decision(&self) -> Option<Hypothesis> {
        self.decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{EloModel, Interval};

    fn test() -> SequentialTest {
        SequentialTest::new(Sprt::new(0.0, 60.0, 0.05, 0.05, EloModel::Normalised).unwrap())
    }

    #[test]
    fn a_game_waits_for_the_games_before_it() {
        let mut test = test();
        for (number, points) in [(3, Points::One), (1, Points::One), (2, Points::Half)] {
            test.add(number, points);
            assert_eq!((test.games(), test.llr()), (0, 0.0), "game 0 is missing");
        }
        test.add(0, Points::Zero);
        assert_eq!((test.games(), *test.counts()), (4, SprtCounts::Pairs(Pentanomial([0, 0, 1, 1, 0]))));
        test.add(5, Points::Zero);
        assert_eq!(test.games(), 4, "half a pair");
    }

    /// All orders of the same results end the same way, and what ends after the decision changes nothing.
    #[test]
    fn the_order_of_ends_is_of_no_importance() {
        let points = |number: u64| match fastrand::Rng::with_seed(number).u32(..5) {
            0 => Points::Zero,
            1 | 2 => Points::Half,
            _ => Points::One,
        };
        for sprt in [*test().sprt(), test().sprt().of_games()] {
            let mut in_order = SequentialTest::new(sprt);
            (0..400).for_each(|number| in_order.add(number, points(number)));
            assert_eq!(in_order.decision(), Some(Hypothesis::H1));
            assert!((8..390).contains(&in_order.games()), "{}", in_order.games());
            for seed in 0..20 {
                let mut numbers: Vec<u64> = (0..400).collect();
                fastrand::Rng::with_seed(seed).shuffle(&mut numbers);
                let mut shuffled = SequentialTest::new(sprt);
                for number in numbers {
                    shuffled.add(number, points(number));
                }
                assert_eq!(shuffled, in_order);
            }
        }
    }

    /// Wins end early and losses late: counted as they end, equal programs would seem to differ.
    #[test]
    fn short_games_have_no_advantage() {
        let mut test = test();
        let lost_late = |number: u64| number % 4 < 2;
        let numbers = 0..200;
        let (late, early): (Vec<u64>, Vec<u64>) = numbers.partition(|&number| lost_late(number));
        for number in early {
            test.add(number, Points::One);
        }
        assert_eq!((test.decision(), test.games()), (None, 0));
        for number in late {
            test.add(number, Points::Zero);
        }
        assert_ne!(test.decision(), Some(Hypothesis::H1));
    }

    /// Plays equal programs until the test decides and counts the estimates below the truth: half of them if the
    /// stopping is taken into account, and nearly two thirds of the plain ones, because most tests end with bad luck.
    #[test]
    fn the_estimate_is_as_often_too_low_as_too_high() {
        let (mut below, mut plain_below, mut inside) = (0, 0, 0);
        for seed in 0..1000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut test = test();
            for number in 0.. {
                let points = [Points::Zero, Points::Half, Points::Half, Points::Half, Points::One];
                test.add(number, points[random.usize(..points.len())]);
                if test.decision().is_some() {
                    break;
                }
            }
            let Interval { lower, value, upper } = test.estimate().unwrap().normalised_elo;
            below += u32::from(value < 0.0);
            inside += u32::from(lower <= 0.0 && 0.0 <= upper);
            let plain = test.counts().sample().and_then(|sample| sample.normalised_elo()).unwrap();
            plain_below += u32::from(plain.value < 0.0);
        }
        assert!((465..=535).contains(&below), "{below} of 1000 were too low");
        assert!((930..=970).contains(&inside), "{inside} of 1000 intervals held the truth");
        assert!(plain_below > 590, "{plain_below} plain estimates were too low");
    }

    #[test]
    fn there_is_no_estimate_from_equal_results() {
        let mut test = test();
        assert_eq!(test.estimate(), None);
        (0..100).for_each(|number| test.add(number, Points::Zero));
        assert_eq!((test.decision(), test.estimate()), (Some(Hypothesis::H0), None));
    }
}
