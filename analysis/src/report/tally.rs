//! What is counted of problems: of all, and of each theme.

use super::statistics::{Comparison, Paired, Share, Sums};
use super::store::Tallied;

/// What a run has achieved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Problems tried.
    pub tried: u64,
    /// Problems solved.
    pub solved: u64,
    /// Points gained and points available, in problems whose moves are graded.
    pub points: Option<Share>,
}

impl Tally {
    pub(super) fn count(&mut self, is_solved: bool, points: Option<(u32, u32)>) {
        self.tried += 1;
        self.solved += u64::from(is_solved);
        if let Some((gained, best)) = points {
            let sum = self.points.get_or_insert_default();
            sum.part += u64::from(gained);
            sum.whole += u64::from(best);
        }
    }

    /// The share of problems that were solved.
    pub fn share(&self) -> Share {
        Share { part: self.solved, whole: self.tried }
    }
}

/// Results of a group of problems.
#[derive(Clone, Debug)]
pub struct ThemeSummary {
    /// The theme; empty for problems without one.
    pub name: String,
    /// Number of problems.
    pub problems: u64,
    /// What each run has achieved.
    pub runs: Vec<Tally>,
    /// The first run compared with each of the others.
    pub comparisons: Vec<Comparison>,
}

/// A group of problems while it is counted.
#[derive(Debug, Default)]
pub(super) struct Group {
    problems: u64,
    runs: Vec<Tally>,
    /// The first run beside each of the others: problems by who solved them, differences in points.
    pairs: Vec<(Paired, Sums)>,
}

impl Group {
    pub(super) fn new(runs: usize) -> Group {
        Group {
            runs: vec![Tally::default(); runs],
            pairs: vec![Default::default(); runs.saturating_sub(1)],
            problems: 0,
        }
    }

    /// Counts the attempts of all runs at a problem.
    pub(super) fn count(&mut self, attempts: &[Option<Tallied>]) {
        self.problems += 1;
        for (tally, attempt) in self.runs.iter_mut().zip(attempts) {
            if let Some(attempt) = attempt {
                tally.count(attempt.is_solved, attempt.points);
            }
        }
        let Some((Some(first), others)) = attempts.split_first() else { return };
        for ((paired, points), other) in self.pairs.iter_mut().zip(others) {
            let Some(other) = other else { continue };
            paired.count(first.is_solved, other.is_solved);
            if let Some(((one, _), (two, _))) = first.points.zip(other.points) {
                points.add(i64::from(one) - i64::from(two));
            }
        }
    }

    /// Adds the counts of another group.
    pub(super) fn join(&mut self, other: &Group) {
        self.problems += other.problems;
        for (tally, more) in self.runs.iter_mut().zip(&other.runs) {
            tally.tried += more.tried;
            tally.solved += more.solved;
            if let Some(points) = more.points {
                let sum = tally.points.get_or_insert_default();
                sum.part += points.part;
                sum.whole += points.whole;
            }
        }
        for ((paired, points), (more, more_points)) in self.pairs.iter_mut().zip(&other.pairs) {
            paired.both += more.both;
            paired.first_only += more.first_only;
            paired.second_only += more.second_only;
            paired.neither += more.neither;
            points.join(*more_points);
        }
    }

    pub(super) fn problems(&self) -> u64 {
        self.problems
    }

    /// The results, with p-values that are not yet corrected.
    pub(super) fn finish(self, name: String) -> ThemeSummary {
        let comparisons =
            self.pairs.into_iter().map(|(paired, points)| Comparison::of(paired, points.mean()));
        ThemeSummary { name, problems: self.problems, runs: self.runs, comparisons: comparisons.collect() }
    }
}
