//! Tables of a report.

use std::fmt;

use super::{Comparison, Quantiles, Quantity, Row, RunSummary, Share, SuiteAttempt, SuiteReport};

/// The tables about whole runs that are not empty.
pub(super) fn overview(report: &SuiteReport) -> Vec<TextTable> {
    let tables = [summary(report), themes(report), costs(report), comparisons(report)];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn summary(report: &SuiteReport) -> TextTable {
    let points_columns = ["Points", "% of points"].into_iter().filter(|_| report.is_graded());
    let table =
        TextTable::new("Summary").texts(["Run"]).numbers(["Problems", "Solved", "%", "95 % interval"]);
    let mut table = table.numbers(points_columns).numbers(["Nodes"]).texts(["Left out"]);
    for run in &report.runs {
        let (least, greatest) = run.share().interval();
        let mut row = vec![
            run.name.clone(),
            run.tried.to_string(),
            run.solved.to_string(),
            percent(run.share()),
            format!("{least:.1} to {greatest:.1}"),
        ];
        if report.is_graded() {
            row.extend(points(run.points));
        }
        row.extend([known(run.nodes), left_out(run)]);
        table.rows.push(row);
    }
    table
}

fn points(points: Option<Share>) -> [String; 2] {
    match points {
        Some(points) => [format!("{} of {}", points.part, points.whole), percent(points)],
        None => ["-".to_owned(), "-".to_owned()],
    }
}

/// The numbers of records that are not part of the statistics, by reason.
fn left_out(run: &RunSummary) -> String {
    let kinds = [
        (run.without_target, "without a solution"),
        (run.untried, "not tried"),
        (run.unreadable, "unreadable"),
    ];
    let told = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}"));
    told.collect::<Vec<_>>().join(", ")
}

fn themes(report: &SuiteReport) -> TextTable {
    let title = if report.is_graded() { "Themes: % solved, % of points" } else { "Themes: % solved" };
    let table = TextTable::new(title).texts(["Theme"]).numbers(["Problems"]);
    let mut table = table.numbers(names(report));
    for (theme, rows) in report.themes() {
        let theme = if theme.is_empty() { "(none)".to_owned() } else { theme };
        let mut row = vec![theme, rows.len().to_string()];
        row.extend((0..report.runs.len()).map(|run| achieved(&rows, run)));
        table.rows.push(row);
    }
    table
}

/// The percentage of problems that a run has solved, and its percentage of points if moves are graded.
fn achieved(rows: &[&Row], run: usize) -> String {
    let mut sum = RunSummary::default();
    for row in rows {
        if let Some(attempt) = &row.attempts[run] {
            sum.count(&row.problem, attempt);
        }
    }
    match (sum.tried, sum.points) {
        (0, _) => "-".to_owned(),
        (_, None) => percent(sum.share()),
        (_, Some(points)) => format!("{}, {}", percent(sum.share()), percent(points)),
    }
}

fn costs(report: &SuiteReport) -> TextTable {
    let quantiles = ["Count", "Minimum", "25 %", "Median", "75 %", "90 %", "Maximum"];
    let mut table = TextTable::new("Cost of solutions").texts(["Run", "Cost"]).numbers(quantiles);
    for (number, run) in report.runs.iter().enumerate() {
        for quantity in Quantity::ALL {
            let Some(quantiles) = report.quantiles(number, quantity) else { continue };
            let Quantiles { least, quarter, median, three_quarters, nine_tenths, greatest } = quantiles;
            let count = report.costs(number, quantity).len() as u64;
            let values = [count, least, quarter, median, three_quarters, nine_tenths, greatest];
            let mut row = vec![run.name.clone(), quantity.name().to_owned()];
            row.extend(values.map(|value| value.to_string()));
            table.rows.push(row);
        }
    }
    table
}

/// Compares the first run with each of the others.
fn comparisons(report: &SuiteReport) -> TextTable {
    let title = report.runs.first().map(|run| format!("Comparison of {} with the other runs", run.name));
    let counts = ["Problems", "Both solved", "First only", "Other only", "Neither", "p"];
    let points_column = ["Points per problem"].into_iter().filter(|_| report.is_graded());
    let table = TextTable::new(title.unwrap_or_default()).texts(["Other"]).numbers(counts);
    let mut table = table.texts(["Difference"]).numbers(points_column);
    for (number, run) in report.runs.iter().enumerate().skip(1) {
        let compared = report.compare(0, number);
        let Comparison { both, first_only, second_only, neither, p, points } = compared;
        let counts = [both + first_only + second_only + neither, both, first_only, second_only, neither];
        let mut row = vec![run.name.clone()];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([format!("{p:.3}"), verdict(&compared).to_owned()]);
        if report.is_graded() {
            let words = points.map(|points| format!("{:+.2} ± {:.2}", points.mean, points.error));
            row.push(words.unwrap_or_else(|| "-".to_owned()));
        }
        table.rows.push(row);
    }
    table
}

fn verdict(compared: &Comparison) -> &'static str {
    match compared.is_significant() {
        false => "not significant",
        true if compared.first_only > compared.second_only => "first solves more",
        true => "first solves fewer",
    }
}

/// A table of `all` problems, or of those that not every run has solved; `None` if it would be empty.
pub(super) fn problems(report: &SuiteReport, all: bool) -> Option<TextTable> {
    let title = match report.runs.len() {
        _ if all => "Problems",
        1 => "Missed",
        _ => "Not solved by all",
    };
    let table = TextTable::new(title).numbers(["No."]).texts(["Problem", "Solution"]);
    let mut table = table.texts(names(report));
    for (number, row) in (1..).zip(&report.rows) {
        let is_solved_by_all = row.attempts.iter().flatten().all(SuiteAttempt::is_solved);
        if all || !is_solved_by_all {
            let mut cells = vec![number.to_string(), row.problem.id.clone(), row.problem.solution()];
            cells.extend(row.attempts.iter().map(|attempt| answer(attempt.as_ref())));
            table.rows.push(cells);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// `+` or `-`, the move played and its points; empty if the problem was not tried.
pub(super) fn answer(attempt: Option<&SuiteAttempt>) -> String {
    let Some(attempt) = attempt else { return String::new() };
    let sign = if attempt.is_solved() { '+' } else { '-' };
    let played = attempt.played.as_ref().map(|mv| format!(" {}", mv.text())).unwrap_or_default();
    let points = attempt.points.map(|points| format!(" ({points})")).unwrap_or_default();
    format!("{sign}{played}{points}")
}

fn names(report: &SuiteReport) -> impl Iterator<Item = &str> {
    report.runs.iter().map(|run| run.name.as_str())
}

fn percent(share: Share) -> String {
    format!("{:.1}", share.percent())
}

fn known(number: Option<u64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

/// Text in rows and columns.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    pub(crate) title: String,
    /// A heading for each column.
    pub(crate) head: Vec<String>,
    /// A cell for each column.
    pub(crate) rows: Vec<Vec<String>>,
    /// Whether each column holds numbers, which are right-aligned.
    pub(crate) are_numbers: Vec<bool>,
}

impl TextTable {
    /// A table without columns.
    pub(crate) fn new(title: impl Into<String>) -> TextTable {
        TextTable { title: title.into(), ..TextTable::default() }
    }

    /// Appends columns of text.
    pub(crate) fn texts<'a>(self, names: impl IntoIterator<Item = &'a str>) -> TextTable {
        self.columns(names, false)
    }

    /// Appends columns of numbers.
    pub(crate) fn numbers<'a>(self, names: impl IntoIterator<Item = &'a str>) -> TextTable {
        self.columns(names, true)
    }

    fn columns<'a>(mut self, names: impl IntoIterator<Item = &'a str>, are_numbers: bool) -> TextTable {
        self.head.extend(names.into_iter().map(str::to_owned));
        self.are_numbers.resize(self.head.len(), are_numbers);
        self
    }

    /// Head and rows.
    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        [&self.head].into_iter().chain(&self.rows)
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| self.lines().map(|cells| cells[column].chars().count()).max();
        let widths: Vec<usize> = (0..self.head.len()).filter_map(width).collect();
        writeln!(f, "{}", self.title)?;
        for cells in self.lines() {
            let columns = cells.iter().zip(&widths).zip(&self.are_numbers);
            let line: String = columns
                .map(|((cell, width), is_number)| match is_number {
                    true => format!("  {cell:>width$}"),
                    false => format!("  {cell:<width$}"),
                })
                .collect();
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
