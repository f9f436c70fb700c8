//! What came of suites of problems that were solved: the report generator that the EPD specification foresaw as "Gastric"
//! (3.3) and left open.
//!
//! A [`Run`] is a file that [`crate::Target`] has written, or one by any other tool with the moves that were played beside those of
//! `bm` and `am`. Nothing but files is known, so programs, versions and limits are compared afterwards in any combination. A [`Report`] lays several runs side by side. It can be had as [`text`], as a
//! [`page`], as [`json`], and as [`feedback`].

mod board;
mod chart;
mod feedback;
mod grades;
mod json;
mod page;
mod run;
mod statistics;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod theme;

use std::collections::HashMap;

use messages::epd::EpdPosition;

pub use feedback::feedback;
pub use json::json;
pub use page::page;
pub use run::{Run, SuiteAttempt, SuiteProblem};
pub use statistics::{Comparison, Quantiles, Share};

/// Several runs side by side.
#[derive(Debug, Default)]
pub struct SuiteReport {
    /// What is known of each run as a whole, in the order in which they were added.
    pub runs: Vec<RunSummary>,
    /// All problems, in the order in which they came first.
    pub rows: Vec<Row>,
    places: HashMap<ProblemKey, usize>,
}

/// A problem and what became of it.
#[derive(Debug)]
pub struct Row {
    /// The problem.
    pub problem: SuiteProblem,
    /// What each run made of it; `None` where it is no part of the run.
    pub attempts: Vec<Option<SuiteAttempt>>,
}

/// A run as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// How it is called. No control characters.
    pub name: String,
    /// Problems that were tried.
    pub tried: u64,
    /// Those among them that were solved.
    pub solved: u64,
    /// The points for the moves played, and those for the best ones, in problems whose moves are graded.
    pub points: Option<Share>,
    /// Nodes searched, as far as they were told.
    pub nodes: Option<u64>,
    /// Records without a solution.
    pub without_target: u64,
    /// Records with a solution, but without a move that was played.
    pub untried: u64,
    /// Records that can't be read.
    pub unreadable: u64,
}

/// What makes a problem the same in several runs: the position, the name, and how often both came before.
type ProblemKey = (String, String, u64);

impl SuiteReport {
    /// Adds a run to the side of the others.
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

    /// Two runs compared by the problems that both have tried.
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

    /// The themes of the problems, in the order in which they come, each with its problems; empty if there is only one.
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

    /// What a quantity of the cost of a solution comes to in a run; `None` if it is not known of any.
    pub fn quantiles(&self, run: usize, quantity: Quantity) -> Option<Quantiles> {
        Quantiles::of(self.costs(run, quantity))
    }

    /// The cost of each solution of a run, as far as it is known.
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

/// What a solution costs.
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
    /// All of them.
    pub const ALL: [Quantity; 3] = [Quantity::Depth, Quantity::Nodes, Quantity::Millis];

    /// Its name, with the unit.
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

/// The report for a terminal. With `all`, the problems that everybody has solved are listed as well.
pub fn text(report: &SuiteReport, all: bool) -> String {
    let tables = tables::overview(report).into_iter().chain(tables::problems(report, all));
    let tables: Vec<String> = tables.map(|table| table.to_string()).collect();
    tables.join("\n")
}

/// The four fields as they are written.
fn fields(position: &EpdPosition) -> String {
    messages::epd::Record::new(position.clone()).to_string()
}
