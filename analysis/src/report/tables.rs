//! Tables of a report.

use std::io::Write;

use game::TextTable;

use super::{
    Comparison, Estimate, Listed, Quantiles, Quantity, ReportError, Row, RunSettings, RunSummary, Share,
    SuiteAttempt, SuiteReport, Tally,
};

/// The tables about whole runs that are not empty.
pub(super) fn overview(report: &SuiteReport) -> Vec<TextTable> {
    let tables = [
        summary(report),
        settings(report),
        comparisons(report),
        themes(report),
        theme_comparisons(report),
        costs(report),
    ];
    tables.into_iter().filter(|table| !table.is_empty()).collect()
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
            run.tally.tried.to_string(),
            run.tally.solved.to_string(),
            percent(run.share()),
            format!("{least:.1} to {greatest:.1}"),
        ];
        if report.is_graded() {
            row.extend(points(run.tally.points));
        }
        row.extend([known(run.nodes), left_out(run)]);
        table.push(row);
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

/// Who made each run, how and when; empty if no file tells.
fn settings(report: &SuiteReport) -> TextTable {
    let mut table =
        TextTable::new("Settings").texts(["Run", "Program, settings, limit, date"]).numbers(["Problems"]);
    for run in &report.runs {
        for settings in &run.settings {
            let text = RunSettings::text(settings);
            table.push([run.name.clone(), text, settings.problems.to_string()]);
        }
    }
    table
}

fn themes(report: &SuiteReport) -> TextTable {
    let title = if report.is_graded() { "Themes: % solved, % of points" } else { "Themes: % solved" };
    let table = TextTable::new(title).texts(["Theme"]).numbers(["Problems"]);
    let mut table = table.numbers(names(report));
    for theme in &report.themes {
        let mut row = vec![theme_name(&theme.name).to_owned(), theme.problems.to_string()];
        row.extend(theme.runs.iter().map(achieved));
        table.push(row);
    }
    table
}

fn theme_name(name: &str) -> &str {
    if name.is_empty() { "(none)" } else { name }
}

/// The percentage of problems that a run has solved, and its percentage of points if moves are graded.
fn achieved(tally: &Tally) -> String {
    match (tally.tried, tally.points) {
        (0, _) => "-".to_owned(),
        (_, None) => percent(tally.share()),
        (_, Some(points)) => format!("{}, {}", percent(tally.share()), percent(points)),
    }
}

fn costs(report: &SuiteReport) -> TextTable {
    let quantiles = ["Count", "Minimum", "25 %", "Median", "75 %", "90 %", "Maximum"];
    let mut table = TextTable::new("Cost of solutions").texts(["Run", "Cost"]).numbers(quantiles);
    for run in &report.runs {
        for (costs, quantity) in run.costs.iter().zip(Quantity::ALL) {
            let Some(costs) = costs else { continue };
            let Quantiles { least, quarter, median, three_quarters, nine_tenths, greatest } = costs.quantiles;
            let values = [costs.count, least, quarter, median, three_quarters, nine_tenths, greatest];
            let mut row = vec![run.name.clone(), quantity.name().to_owned()];
            row.extend(values.map(|value| value.to_string()));
            table.push(row);
        }
    }
    table
}

/// The columns of a comparison behind the counts.
const DIFFERENCE: [&str; 3] = ["Difference in %", "p", "p corrected"];

/// Compares the first run with each of the others.
fn comparisons(report: &SuiteReport) -> TextTable {
    let title = report.runs.first().map(|run| format!("Comparison of {} with the other runs", run.name));
    let counts = ["Problems", "Both solved", "First only", "Other only", "Neither"];
    let points_column = ["Points per problem"].into_iter().filter(|_| report.is_graded());
    let table = TextTable::new(title.unwrap_or_default()).texts(["Other"]).numbers(counts);
    let mut table = table.numbers(DIFFERENCE).texts(["Verdict"]).numbers(["Elo on the suite"]);
    table = table.numbers(points_column);
    for (run, compared) in report.runs.iter().skip(1).zip(&report.comparisons) {
        let counts = compared.counts;
        let numbers = [counts.problems(), counts.both, counts.first_only, counts.second_only, counts.neither];
        let mut row = vec![run.name.clone()];
        row.extend(numbers.map(|count| count.to_string()));
        row.extend(difference(compared));
        row.extend([verdict(compared).to_owned(), compared.elo.map_or_else(|| "-".to_owned(), elo)]);
        if report.is_graded() {
            row.push(mean_points(compared));
        }
        table.push(row);
    }
    table
}

/// Compares the first run with each of the others, theme by theme.
fn theme_comparisons(report: &SuiteReport) -> TextTable {
    let title =
        report.runs.first().map(|run| format!("Comparison of {} with the other runs by theme", run.name));
    let counts = ["Problems", "First only", "Other only"];
    let points_column = ["Points per problem"].into_iter().filter(|_| report.is_graded());
    let table = TextTable::new(title.unwrap_or_default()).texts(["Theme", "Other"]).numbers(counts);
    let mut table = table.numbers(DIFFERENCE).texts(["Verdict"]).numbers(points_column);
    for theme in &report.themes {
        for (run, compared) in report.runs.iter().skip(1).zip(&theme.comparisons) {
            let counts = compared.counts;
            let mut row = vec![theme_name(&theme.name).to_owned(), run.name.clone()];
            row.extend(
                [counts.problems(), counts.first_only, counts.second_only].map(|count| count.to_string()),
            );
            row.extend(difference(compared));
            row.push(verdict(compared).to_owned());
            if report.is_graded() {
                row.push(mean_points(compared));
            }
            table.push(row);
        }
    }
    table
}

fn difference(compared: &Comparison) -> [String; 3] {
    let Estimate { value, low, high } = compared.difference;
    let difference = format!("{value:+.1} ({low:+.1} to {high:+.1})");
    [difference, chance(compared.p), chance(compared.corrected_p)]
}

/// A p-value.
fn chance(p: f64) -> String {
    if p < 0.0005 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

fn elo(Estimate { value, low, high }: Estimate) -> String {
    let number = |elo: f64| match elo {
        f64::INFINITY => "+∞".to_owned(),
        f64::NEG_INFINITY => "-∞".to_owned(),
        elo => format!("{elo:+.0}"),
    };
    format!("{} ({} to {})", number(value), number(low), number(high))
}

fn mean_points(compared: &Comparison) -> String {
    let words = compared.points.map(|points| format!("{:+.2} ± {:.2}", points.mean, points.error));
    words.unwrap_or_else(|| "-".to_owned())
}

fn verdict(compared: &Comparison) -> &'static str {
    match compared.is_significant() {
        false => "not significant",
        true if compared.counts.first_only > compared.counts.second_only => "first solves more",
        true => "first solves fewer",
    }
}

/// The title of the table of problems.
pub(super) fn problems_title(report: &SuiteReport, listed: Listed) -> &'static str {
    match (listed, report.runs.len()) {
        (Listed::All, _) => "Problems",
        (Listed::NotSolvedByAll, 1) => "Missed",
        (Listed::NotSolvedByAll, _) => "Not solved by all",
    }
}

/// The table of problems without its rows.
pub(super) fn problems(report: &SuiteReport, listed: Listed) -> TextTable {
    let table =
        TextTable::new(problems_title(report, listed)).numbers(["No."]).texts(["Problem", "Solution"]);
    table.texts(names(report))
}

/// The cells of a problem.
pub(super) fn problem(row: &Row) -> Vec<String> {
    let mut cells = vec![row.number.to_string(), row.problem.id.clone(), row.problem.solution()];
    cells.extend(row.attempts.iter().map(|attempt| answer(attempt.as_ref())));
    cells
}

/// Writes a table of the listed problems, or nothing if there are none. The rows are visited twice, first for the widths of the columns,
/// so that they need no memory.
pub(super) fn write_problems(
    report: &SuiteReport,
    listed: Listed,
    out: &mut impl Write,
) -> Result<(), ReportError> {
    let (mut table, mut count) = (problems(report, listed), 0u64);
    report.visit(listed, |row| {
        count += 1;
        table.widen(&problem(&row));
        Ok(())
    })?;
    if count == 0 {
        return Ok(());
    }
    write!(out, "\n{table}")?;
    report.visit(listed, |row| {
        writeln!(out, "{}", table.line(&problem(&row)))?;
        Ok(())
    })
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
