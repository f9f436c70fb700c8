//! Reports on solved test suites: the report generator that the EPD specification names "Gastric" (3.3) but does not define.
//!
//! A [`Run`] is a file written by [`crate::Target`], or by any other tool that stores the move played next to `bm` and `am`. Runs
//! are compared by their files alone, so any programs, versions and limits can be combined. A [`SuiteReport`] compares several
//! runs. It can be written as [`text`], [`page()`], [`json()`] and [`feedback()`].

mod chart;
mod json;
mod page;
mod run;
mod statistics;
mod tables;
#[cfg(test)]
mod tests;
mod theme;

use std::collections::HashMap;

use messages::epd::EpdPosition;

pub use json::json;
pub use page::page;
pub use run::{Run, SuiteAttempt, SuiteProblem, feedback};
pub(crate) use statistics::Z;
pub use statistics::{Comparison, Mean, Quantiles, Share};
pub(crate) use tables::TextTable;

/// A comparison of several runs.
#[derive(Debug, Default)]
pub struct SuiteReport {
    /// Totals of the runs, in the order in which they were added.
    pub runs: Vec<RunSummary>,
    /// All problems, in the order of their first occurrence.
    pub rows: Vec<Row>,
    places: HashMap<ProblemKey, usize>,
}

/// A problem with the attempts of all runs.
#[derive(Debug)]
pub struct Row {
    /// The problem.
    pub problem: SuiteProblem,
    /// The attempt of each run; `None` if the run does not contain the problem.
    pub attempts: Vec<Option<SuiteAttempt>>,
}

/// Totals of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// Name without control characters.
    pub name: String,
    /// Problems attempted.
    pub tried: u64,
    /// Problems solved.
    pub solved: u64,
    /// Points gained and points available, in problems whose moves are graded.
    pub points: Option<Share>,
    /// Nodes searched, as far as they are known.
    pub nodes: Option<u64>,
    /// Records without a solution.
    pub without_target: u64,
    /// Records with a solution, but without a move played.
    pub untried: u64,
    /// Records that can't be read.
    pub unreadable: u64,
}

/// Identity of a problem across runs: position, name, and number of earlier occurrences of both.
type ProblemKey = (String, String, u64);

impl SuiteReport {
    /// Adds a run.
    pub fn add(&mut self, run: Run) {
        let number = self.runs.len();
        self.rows.iter_mut().for_each(|row| row.attempts.push(None));
        let mut counts: HashMap<_, u64> = HashMap::new();
        let mut summary = run.summary;
        for (problem, attempt) in run.attempts {
            summary.count(&problem, &attempt);
            let (position, id) = (fields(&problem.position), problem.id.clone());
            let earlier = counts.entry((position.clone(), id.clone())).or_default();
            let place = *self.places.entry((position, id, *earlier)).or_insert(self.rows.len());
            *earlier += 1;
            if place == self.rows.len() {
                self.rows.push(Row { problem, attempts: vec![None; number + 1] });
            }
            self.rows[place].attempts[number] = Some(attempt);
        }
        self.runs.push(summary);
    }

    /// Compares two runs on the problems that both have attempted.
    ///
    /// # Panics
    /// There is no run of that number.
    pub fn compare(&self, one: usize, other: usize) -> Comparison {
        let both = self
            .rows
            .iter()
            .filter_map(|row| Some((row.attempts[one].as_ref()?, row.attempts[other].as_ref()?)));
        Comparison::of(both)
    }

    /// Problems grouped by theme, in the order of first occurrence; empty if there is only one theme.
    pub fn themes(&self) -> Vec<(String, Vec<&Row>)> {
        let mut themes: Vec<(String, Vec<&Row>)> = Vec::new();
        let mut places = HashMap::new();
        for row in &self.rows {
            let theme = theme::of(&row.problem.id);
            let place = *places.entry(theme.clone()).or_insert(themes.len());
            if place == themes.len() {
                themes.push((theme, Vec::new()));
            }
            themes[place].1.push(row);
        }
        if themes.len() > 1 { themes } else { Vec::new() }
    }

    /// Quantiles of the cost of solutions in a run; `None` if no cost is known.
    pub fn quantiles(&self, run: usize, quantity: Quantity) -> Option<Quantiles> {
        Quantiles::of(self.costs(run, quantity))
    }

    /// Known costs of the solutions of a run.
    fn costs(&self, run: usize, quantity: Quantity) -> Vec<u64> {
        let attempts = self.rows.iter().filter_map(|row| row.attempts[run].as_ref());
        attempts.filter_map(|attempt| quantity.of(attempt)).collect()
    }

    /// Whether the moves of any problem are graded.
    fn is_graded(&self) -> bool {
        self.runs.iter().any(|run| run.points.is_some())
    }
}

impl RunSummary {
    fn count(&mut self, problem: &SuiteProblem, attempt: &SuiteAttempt) {
        self.tried += 1;
        self.solved += u64::from(attempt.is_solved());
        if let Some((points, best)) = attempt.points.zip(problem.best_points()) {
            let sum = self.points.get_or_insert_default();
            sum.part += u64::from(points);
            sum.whole += u64::from(best);
        }
        if let Some(nodes) = attempt.nodes {
            *self.nodes.get_or_insert_default() += nodes;
        }
    }

    /// The share of problems that were solved.
    pub fn share(&self) -> Share {
        Share { part: self.solved, whole: self.tried }
    }
}

/// Measure of the cost of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Depth, in plies.
    Depth,
    /// Nodes.
    Nodes,
    /// Time, in milliseconds.
    Millis,
}

impl Quantity {
    /// All quantities.
    pub const ALL: [Quantity; 3] = [Quantity::Depth, Quantity::Nodes, Quantity::Millis];

    /// Name with the unit.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Depth => "depth in plies",
            Quantity::Nodes => "nodes",
            Quantity::Millis => "time in ms",
        }
    }

    fn of(self, attempt: &SuiteAttempt) -> Option<u64> {
        let crate::TargetResult::Solved(cost) = attempt.outcome else { return None };
        match self {
            Quantity::Depth => cost.depth,
            Quantity::Nodes => cost.nodes,
            Quantity::Millis => cost.millis,
        }
    }
}

/// The report for a terminal. With `all`, problems that every run has solved are listed as well.
pub fn text(report: &SuiteReport, all: bool) -> String {
    let tables = tables::overview(report).into_iter().chain(tables::problems(report, all));
    let tables: Vec<String> = tables.map(|table| table.to_string()).collect();
    tables.join("\n")
}

/// The four fields of a position as text.
fn fields(position: &EpdPosition) -> String {
    messages::epd::Record::new(position.clone()).to_string()
}
