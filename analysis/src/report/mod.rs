//! Reports on solved test suites: the report generator that the EPD specification names "Gastric" (3.3) but does not define.
//!
//! A run is a file written by [`crate::Target`], or by any other tool that stores the move played next to `bm` and `am`. Runs
//! are compared by their files alone, so any programs, versions and limits can be combined. [`SuiteRuns`] reads the files, a
//! [`SuiteReport`] has their statistics in memory and their problems in a temporary store. It can be written as [`text`], [`page()`],
//! [`json()`], [`csv()`] and [`feedback()`].

mod chart;
mod csv;
mod json;
mod page;
mod problem;
mod provenance;
mod statistics;
mod store;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod theme;

use std::collections::HashMap;
use std::io::{self, Read, Write};

use messages::epd::{Blocks, Content, FileBlock, RecordReader};

pub use csv::csv;
pub use json::json;
pub use page::{MOST_BOARDS, MOST_ROWS, page};
pub use problem::{SuiteAttempt, SuiteProblem};
pub use provenance::RunSettings;
pub(crate) use statistics::Z;
pub use statistics::{Comparison, Estimate, Mean, Paired, Quantiles, Share};
use store::{Place, ProblemKey, Store, Tallied};
pub use tally::{Tally, ThemeSummary};
pub use theme::{ThemeError, ThemeRule};

use problem::LeftOut;
use provenance::SettingsCounter;
use tally::Group;
use theme::{IdPart, IdPartChooser};

use crate::jobs::author_of;
use crate::process::is_malformed;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file can't be read, or the report can't be written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The temporary store can't be written, because the disk is full for example.
    #[error("temporary files of the report: {0}")]
    Store(#[from] rusqlite::Error),
}

/// Runs that are read, one after the other.
#[derive(Debug)]
pub struct SuiteRuns {
    reader: RecordReader,
    theme: ThemeRule,
    runs: Vec<RunSummary>,
    store: Store,
}

/// A comparison of several runs.
#[derive(Debug)]
pub struct SuiteReport {
    /// Totals of the runs, in the order in which they were added.
    pub runs: Vec<RunSummary>,
    /// The first run compared with each of the others, on the problems that both have tried.
    pub comparisons: Vec<Comparison>,
    /// Results by theme, in the order of first occurrence; empty if there is only one theme.
    pub themes: Vec<ThemeSummary>,
    /// Number of problems.
    pub problems: u64,
    reader: RecordReader,
    id_part: Option<IdPart>,
    store: Store,
}

/// A problem with the attempts of all runs.
#[derive(Debug)]
pub struct Row {
    /// Number of the problem, from 1.
    pub number: u64,
    /// The theme; empty if it has none.
    pub theme: String,
    /// The problem.
    pub problem: SuiteProblem,
    /// The attempt of each run; `None` if the run does not contain the problem.
    pub attempts: Vec<Option<SuiteAttempt>>,
}

/// Totals of a run.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// Name without control characters.
    pub name: String,
    /// What was tried and solved.
    pub tally: Tally,
    /// Nodes searched, as far as they are known.
    pub nodes: Option<u64>,
    /// The settings with which it was made, the most frequent first; empty if the file does not tell.
    pub settings: Vec<RunSettings>,
    /// Costs of the solutions, for each of [`Quantity::ALL`]; `None` if no cost is known.
    pub costs: [Option<Costs>; 3],
    /// Records without a solution.
    pub without_target: u64,
    /// Records with a solution, but without a move played.
    pub untried: u64,
    /// Records that can't be read.
    pub unreadable: u64,
}

/// Costs of the solutions of a run.
#[derive(Clone, Debug)]
pub struct Costs {
    /// Number of solutions with a known cost.
    pub count: u64,
    /// Quantiles of the costs.
    pub quantiles: Quantiles,
    /// Points of the curve of solutions: cost, and number of solutions that cost no more. There are about [`Costs::STEPS`].
    curve: Vec<(u64, u64)>,
}

/// Which problems are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// All.
    All,
    /// Those that not every run which tried them has solved.
    NotSolvedByAll,
}

impl SuiteRuns {
    /// Begins with no run.
    ///
    /// # Errors
    /// The temporary store can't be made.
    pub fn new(reader: RecordReader, theme: ThemeRule) -> Result<SuiteRuns, ReportError> {
        Ok(SuiteRuns { reader, theme, runs: Vec::new(), store: Store::new()? })
    }

    /// Reads a run. Unreadable records are only counted. Returns the number of problems that were tried.
    ///
    /// # Errors
    /// The file can't be read, or the temporary store can't be written.
    pub fn add(&mut self, name: &str, input: impl Read) -> Result<u64, ReportError> {
        let mut run = RunSummary { name: name.replace(char::is_control, "?"), ..RunSummary::default() };
        let mut settings = SettingsCounter::default();
        for block in Blocks::new(input) {
            let block = block?;
            if matches!(block, FileBlock::TooLong { is_first: true, .. }) {
                run.unreadable += 1;
            }
            for line in block.lines().filter(|line| line.content() == Content::Record) {
                self.take(&line.text, line.number, &mut run, &mut settings)?;
            }
        }
        run.settings = settings.finish();
        let tried = run.tally.tried;
        self.runs.push(run);
        Ok(tried)
    }

    fn take(
        &self,
        line: &str,
        number: u64,
        run: &mut RunSummary,
        settings: &mut SettingsCounter,
    ) -> Result<(), ReportError> {
        let reading = self.reader.read(line, number);
        // Of two solutions nobody can say which is meant.
        let Some(record) = reading.record.filter(|_| !is_malformed(&reading.faults)) else {
            run.unreadable += 1;
            return Ok(());
        };
        let (problem, attempt) = match problem::read(&record) {
            Ok(both) => both,
            Err(LeftOut::NoSolution) => {
                run.without_target += 1;
                return Ok(());
            }
            Err(LeftOut::NotTried) => {
                run.untried += 1;
                return Ok(());
            }
        };
        if let Some(text) = author_of(&record) {
            settings.count(text);
        }
        if let Some(nodes) = attempt.nodes {
            let sum = run.nodes.get_or_insert_default();
            *sum = sum.saturating_add(nodes);
        }
        let tallied = Tallied {
            theme: self.theme.read(&record),
            is_solved: attempt.is_solved(),
            points: attempt.points.zip(problem.best_points()),
        };
        let place = Place::new(self.runs.len(), run.tally.tried);
        run.tally.count(tallied.is_solved, tallied.points);
        let costs = Quantity::ALL.map(|quantity| quantity.of(&attempt));
        self.store.add(place, ProblemKey::new(&problem.epd(), &problem.id), &tallied, costs, line)
    }

    /// Brings the runs together.
    ///
    /// # Errors
    /// The temporary store can't be read or written.
    pub fn report(self) -> Result<SuiteReport, ReportError> {
        let SuiteRuns { reader, theme, mut runs, store } = self;
        store.number_problems(runs.len())?;
        for (number, run) in runs.iter_mut().enumerate() {
            for (costs, quantity) in run.costs.iter_mut().zip(Quantity::ALL) {
                *costs = Costs::of(&store, number, quantity)?;
            }
        }
        let id_part = match theme {
            ThemeRule::Auto => Some(chosen_part(&store)?),
            _ => None,
        };
        let mut report = SuiteReport {
            runs,
            comparisons: Vec::new(),
            themes: Vec::new(),
            problems: 0,
            reader,
            id_part,
            store,
        };
        report.count()?;
        Ok(report)
    }
}

/// The part of the `id` by which the problems are divided.
fn chosen_part(store: &Store) -> Result<IdPart, ReportError> {
    let mut chooser = IdPartChooser::default();
    store.visit(|_, places| {
        if let Some(place) = places.iter().flatten().next() {
            chooser.add(&store.tallied(*place)?.theme);
        }
        Ok(())
    })?;
    Ok(chooser.choose())
}

impl SuiteReport {
    /// Themes beyond this number are put together: each needs memory, and nobody reads so long a table.
    const MOST_THEMES: usize = 1000;

    /// Counts all problems, and those of each theme.
    fn count(&mut self) -> Result<(), ReportError> {
        let runs = self.runs.len();
        let (mut all, mut others) = (Group::new(runs), Group::new(runs));
        let mut groups: Vec<(String, Group)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        self.store.visit(|_, attempts| {
            let attempts =
                attempts.iter().map(|place| place.map(|place| self.store.tallied(place)).transpose());
            let attempts = attempts.collect::<Result<Vec<_>, _>>()?;
            all.count(&attempts);
            let theme = attempts.iter().flatten().next().map(|attempt| self.theme(&attempt.theme));
            let theme = theme.unwrap_or_default();
            let group = match places.get(&theme) {
                Some(place) => &mut groups[*place].1,
                None if groups.len() >= SuiteReport::MOST_THEMES => &mut others,
                None => {
                    places.insert(theme.clone(), groups.len());
                    groups.push((theme, Group::new(runs)));
                    &mut groups.last_mut().expect("a group was pushed").1
                }
            };
            group.count(&attempts);
            Ok(())
        })?;
        self.problems = all.problems();
        let mut comparisons = all.finish(String::new()).comparisons;
        Comparison::correct(&mut comparisons);
        self.comparisons = comparisons;
        self.themes = self.summaries(groups, others);
        Ok(())
    }

    /// The results of themes, with p-values that are corrected for all of them together. Where the themes were chosen by the program,
    /// those of one or two problems are put together.
    fn summaries(&self, groups: Vec<(String, Group)>, mut others: Group) -> Vec<ThemeSummary> {
        let is_small = |group: &Group| self.id_part.is_some() && group.problems() < 3;
        let (small, large): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| is_small(group));
        for (_, group) in &small {
            others.join(group);
        }
        let others = Some((OTHERS.to_owned(), others)).filter(|(_, others)| others.problems() > 0);
        let mut themes: Vec<ThemeSummary> =
            large.into_iter().chain(others).map(|(name, group)| group.finish(name)).collect();
        if themes.len() < 2 {
            return Vec::new();
        }
        let mut comparisons: Vec<Comparison> =
            themes.iter().flat_map(|theme| theme.comparisons.clone()).collect();
        Comparison::correct(&mut comparisons);
        let mut corrected = comparisons.into_iter();
        for comparison in themes.iter_mut().flat_map(|theme| &mut theme.comparisons) {
            if let Some(corrected) = corrected.next() {
                *comparison = corrected;
            }
        }
        themes
    }

    /// The theme of a problem from what is stored.
    fn theme(&self, stored: &str) -> String {
        self.id_part.map_or_else(|| stored.to_owned(), |part| part.of(stored))
    }

    /// Visits the problems in the order of their first occurrence.
    ///
    /// # Errors
    /// The temporary store can't be read, or `visit` failed.
    pub fn visit(
        &self,
        listed: Listed,
        mut visit: impl FnMut(Row) -> Result<(), ReportError>,
    ) -> Result<(), ReportError> {
        self.store.visit(|number, places| {
            if listed == Listed::NotSolvedByAll {
                let is_solved =
                    |place: &Place| Ok::<bool, ReportError>(self.store.tallied(*place)?.is_solved);
                let mut solved = places.iter().flatten().map(is_solved);
                if solved.try_fold(true, |all, solved| Ok::<bool, ReportError>(all && solved?))? {
                    return Ok(());
                }
            }
            match self.row(number, places)? {
                Some(row) => visit(row),
                None => Ok(()),
            }
        })
    }

    /// Reads the attempts at a problem; `None` if there are none.
    fn row(&self, number: u64, places: &[Option<Place>]) -> Result<Option<Row>, ReportError> {
        let mut first = None;
        let mut attempts = Vec::with_capacity(places.len());
        for place in places {
            let Some(place) = place else {
                attempts.push(None);
                continue;
            };
            let (theme, line) = self.store.line(*place)?;
            let record = self.reader.read(&line, number).record;
            let read = record.and_then(|record| problem::read(&record).ok());
            let (problem, attempt) = read.unzip();
            attempts.push(attempt);
            first = first.or_else(|| Some((self.theme(&theme), problem?)));
        }
        Ok(first.map(|(theme, problem)| Row { number, theme, problem, attempts }))
    }

    /// Whether the moves of any problem are graded.
    fn is_graded(&self) -> bool {
        self.runs.iter().any(|run| run.tally.points.is_some())
    }

    /// What speaks against comparing the runs, in whole sentences.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for run in self.runs.iter().filter(|run| run.settings.len() > 1) {
            let settings: Vec<String> = run.settings.iter().map(RunSettings::text).collect();
            warnings.push(format!("{} was made with several settings: {}.", run.name, settings.join("; ")));
        }
        let limit =
            |run: &RunSummary| Some(format!("{} {}", run.name, run.settings.first()?.limit.as_ref()?));
        let limits = self.runs.iter().filter_map(|run| run.settings.first()?.limit.as_ref());
        let first = limits.clone().next();
        if limits.clone().any(|limit| Some(limit) != first) {
            let told: Vec<String> = self.runs.iter().filter_map(limit).collect();
            warnings.push(format!("The runs had different limits: {}.", told.join(", ")));
        }
        warnings.extend(self.runs.iter().filter_map(overrun));
        let told = self.runs.iter().filter(|run| !run.settings.is_empty()).count();
        if told > 0 && told < self.runs.len() {
            let names = self.runs.iter().filter(|run| run.settings.is_empty()).map(|run| run.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            warnings.push(format!("The file does not tell the limit of {names}."));
        }
        warnings
    }
}

/// A warning of a program that searched more than a tenth beyond its limit of nodes.
fn overrun(run: &RunSummary) -> Option<String> {
    let [settings] = &run.settings[..] else { return None };
    let limit: u64 = settings.limit.as_ref()?.strip_prefix("nodes=")?.parse().ok()?;
    let mean = run.nodes? / run.tally.tried.max(1);
    let is_overrun = mean > limit.saturating_add(limit / 10);
    is_overrun
        .then(|| format!("{} searched {mean} nodes a problem, more than its limit of {limit}.", run.name))
}

/// Name of the theme of problems whose own is too small.
const OTHERS: &str = "(others)";

impl RunSummary {
    /// The share of problems that were solved.
    pub fn share(&self) -> Share {
        self.tally.share()
    }
}

impl Costs {
    /// Number of points of a curve; a picture is no wider.
    const STEPS: u64 = 1000;

    fn of(store: &Store, run: usize, quantity: Quantity) -> Result<Option<Costs>, ReportError> {
        let count = store.count_costs(run, quantity)?;
        let (every, mut at) = (count.div_ceil(Costs::STEPS).max(1), 0);
        let (mut curve, mut quantiles) = (Vec::new(), statistics::QuantileFinder::new(count));
        store.costs(run, quantity, |cost| {
            at += 1;
            quantiles.add(cost);
            if at % every == 0 || at == 1 || at == count {
                curve.push((cost, at));
            }
        })?;
        Ok(quantiles.finish().map(|quantiles| Costs { count, quantiles, curve }))
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
        let cost = attempt.cost()?;
        match self {
            Quantity::Depth => cost.depth,
            Quantity::Nodes => cost.nodes,
            Quantity::Millis => cost.millis,
        }
    }
}

/// Writes the report for a terminal. With [`Listed::All`], problems that every run has solved are listed as well.
///
/// # Errors
/// The output can't be written, or the temporary store can't be read.
pub fn text(report: &SuiteReport, listed: Listed, out: &mut impl Write) -> Result<(), ReportError> {
    for warning in report.warnings() {
        writeln!(out, "Warning: {warning}\n")?;
    }
    for (number, table) in tables::overview(report).iter().enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        write!(out, "{gap}{table}")?;
    }
    tables::write_problems(report, listed, out)
}

/// Writes the problems that a run has missed, as EPD records: the right moves in `bm`, the moves to avoid and the wrong move played in
/// `am`, the name in `id`. A tuner can use them to prefer the right move to the wrong one.
///
/// # Errors
/// As [`text`].
///
/// # Panics
/// `run` is out of range.
pub fn feedback(report: &SuiteReport, run: usize, out: &mut impl Write) -> Result<(), ReportError> {
    report.visit(Listed::NotSolvedByAll, |row| {
        if let Some(attempt) = row.attempts[run].as_ref().filter(|attempt| !attempt.is_solved()) {
            writeln!(out, "{}", row.problem.feedback(attempt.played.as_ref()))?;
        }
        Ok(())
    })
}
