//! Reports as a self-contained HTML page. Each problem leads to a board with the right moves, the moves played and their lines.

use std::fmt::{self, Write as _};

use game::{Color, Move, TextTable, escaped};
use messages::epd::EpdMove;
use pages::{GamePage, LONGEST_LINE, PageMove, PageStep, SingleFile, game_data, touched_squares};

use super::{Listed, Quantity, ReportError, Row, RunSummary, SuiteAttempt, SuiteReport, chart, tables};

/// Maximum number of problems in the table of a page. A browser bears more, but its reader doesn't; CSV and JSON have all.
pub const MOST_ROWS: u64 = 2000;

/// Maximum number of diagrams.
pub const MOST_BOARDS: usize = 60;

/// The report in HTML, with charts of the effort, a board for each problem, and diagrams of the problems that the first run has missed.
/// Of more than [`MOST_ROWS`] problems only the `listed` ones are in the table; otherwise they are those that are shown at first.
///
/// # Errors
/// The temporary store can't be read.
pub fn page(report: &SuiteReport, title: &str, listed: Listed) -> Result<String, ReportError> {
    let mut rows = Vec::new();
    let taken = if report.problems <= MOST_ROWS { Listed::All } else { listed };
    let mut count = 0;
    report.visit(taken, |row| {
        count += 1;
        if count <= MOST_ROWS {
            rows.push(row);
        }
        Ok(())
    })?;
    let problems = Problems { report, rows, count, listed };
    let mut body = String::new();
    // Writing to a string doesn't fail.
    let _ = problems.write(&mut body, title);
    let (style, script) = (include_str!("page.css"), include_str!("page.js"));
    Ok(SingleFile { title, style, body: &body, script }.html())
}

/// The problems of a page.
struct Problems<'a> {
    report: &'a SuiteReport,
    rows: Vec<Row>,
    /// Number of problems that could be in the table.
    count: u64,
    listed: Listed,
}

impl Problems<'_> {
    fn write(&self, page: &mut String, title: &str) -> fmt::Result {
        write!(
            page,
            "<div class=\"page\">\n<header class=\"page-head\"><h1>{}</h1>\
             <button type=\"button\" class=\"button\" data-theme-switch></button></header>\n<main>\n",
            escaped(title)
        )?;
        for warning in self.report.warnings() {
            writeln!(
                page,
                "<p class=\"panel warning\" role=\"note\"><b>Warning:</b> {}</p>",
                escaped(&warning)
            )?;
        }
        tables::overview(self.report).iter().try_for_each(|table| write_table(page, table))?;
        write_charts(page, self.report)?;
        self.write_table(page)?;
        self.write_diagrams(page)?;
        page.push_str("</main>\n</div>\n");
        page.push_str(include_str!("page.html"));
        self.write_data(page)
    }

    /// The table of problems, with the choice of those that are shown.
    fn write_table(&self, page: &mut String) -> fmt::Result {
        if self.rows.is_empty() {
            return Ok(());
        }
        page.push_str(
            "<h2 id=\"problems\">Problems</h2>\n<p class=\"choice\"><label>Show <select id=\"filter\">",
        );
        for (value, text) in self.filters() {
            let selected = if self.listed == Listed::All && value == "all" { " selected" } else { "" };
            write!(page, "<option value=\"{value}\"{selected}>{}</option>", escaped(&text))?;
        }
        page.push_str("</select></label> <span id=\"shown\" role=\"status\"></span></p>\n");
        if self.count > self.rows.len() as u64 {
            writeln!(
                page,
                "<p class=\"quiet\">These are the first {MOST_ROWS} of {} problems.</p>",
                self.count
            )?;
        }
        let [head, _] = tables::problems(self.report, self.listed).html_rows(NUMBER);
        page.push_str(
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Problems\"><table id=\"rows\">\n",
        );
        writeln!(page, "<thead>{}</thead>\n<tbody>", head.trim_end())?;
        self.rows.iter().try_for_each(|row| write_row(page, row))?;
        writeln!(page, "</tbody></table></div>")
    }

    /// Values and names of the choices: a pattern has a character for each run, `1` solved, `0` missed, `.` any.
    fn filters(&self) -> Vec<(String, String)> {
        let runs = &self.report.runs;
        let pattern = |fixed: &[(usize, char)]| -> String {
            let of = |run| fixed.iter().find(|(fixed, _)| *fixed == run).map_or('.', |(_, sign)| *sign);
            (0..runs.len()).map(of).collect()
        };
        let mut filters = vec![
            ("some".to_owned(), tables::problems_title(self.report, Listed::NotSolvedByAll).to_lowercase()),
            ("all".to_owned(), "all".to_owned()),
        ];
        if runs.len() > 1 {
            filters.extend(
                runs.iter()
                    .enumerate()
                    .map(|(run, summary)| (pattern(&[(run, '0')]), format!("missed by {}", summary.name))),
            );
        }
        for (other, summary) in runs.iter().enumerate().skip(1) {
            let (one, two) = (&runs[0].name, &summary.name);
            filters.push((pattern(&[(0, '1'), (other, '0')]), format!("solved by {one}, missed by {two}")));
            filters.push((pattern(&[(0, '0'), (other, '1')]), format!("solved by {two}, missed by {one}")));
        }
        filters
    }

    /// Diagrams of the problems that the first run has missed.
    fn write_diagrams(&self, page: &mut String) -> fmt::Result {
        let is_missed = |row: &&Row| matches!(row.attempts.first(), Some(Some(one)) if !one.is_solved());
        let missed: Vec<&Row> = self.rows.iter().filter(is_missed).collect();
        let (Some(first), false) = (self.report.runs.first(), missed.is_empty()) else { return Ok(()) };
        let count = first.tally.tried - first.tally.solved;
        writeln!(page, "<h2>Missed by {}: {count}</h2>", escaped(&first.name))?;
        if count > MOST_BOARDS as u64 {
            writeln!(page, "<p class=\"quiet\">These are the first {}.</p>", missed.len().min(MOST_BOARDS))?;
        }
        page.push_str("<div class=\"boards\">\n");
        missed.iter().take(MOST_BOARDS).try_for_each(|row| write_diagram(page, row))?;
        page.push_str("</div>\n");
        Ok(())
    }

    /// The problems as the script reads them.
    fn write_data(&self, page: &mut String) -> fmt::Result {
        let runs: Vec<&str> = self.report.runs.iter().map(|run| run.name.as_str()).collect();
        page.push_str("\n<script type=\"application/json\" id=\"problem-data\">[");
        for (number, row) in self.rows.iter().enumerate() {
            let separator = if number > 0 { ",\n" } else { "" };
            let answers: Vec<[String; 3]> = row
                .attempts
                .iter()
                .zip(&runs)
                .map(|(attempt, run)| {
                    let facts = attempt.as_ref().map(facts).unwrap_or_default();
                    [(*run).to_owned(), tables::answer(attempt.as_ref()), facts]
                })
                .collect();
            let arrows = arrows(row, row.attempts.iter().flatten());
            let about = serde_json::json!({
                "number": row.number,
                "id": row.problem.id,
                "theme": if self.report.themes.is_empty() { "" } else { &row.theme },
                "fen": row.problem.fen(),
                "turn": row.problem.position.turn.fold_wb("White", "Black"),
                "solution": row.problem.solution(),
                "answers": answers,
                "arrows": arrows,
            });
            // Nothing in it may close the element; the game is escaped already.
            let about = about.to_string().replace('<', "\\u003c");
            write!(
                page,
                "{separator}{},\"game\":{}}}",
                about.trim_end_matches('}'),
                game_data(&game(&self.report.runs, row))
            )?;
        }
        page.push_str("]</script>");
        Ok(())
    }
}

fn write_row(page: &mut String, row: &Row) -> fmt::Result {
    let number = row.number;
    let sign = |attempt: &Option<SuiteAttempt>| match attempt {
        Some(attempt) if attempt.is_solved() => '1',
        Some(_) => '0',
        None => '-',
    };
    let signs: String = row.attempts.iter().map(sign).collect();
    let name = if row.problem.id.is_empty() { format!("problem {number}") } else { row.problem.id.clone() };
    write!(
        page,
        "<tr id=\"row{number}\" data-solved=\"{signs}\"><td class=\"n\">{number}</td><td><a href=\"#p{number}\">{}</a></td><td>{}</td>",
        escaped(&name),
        escaped(&row.problem.solution())
    )?;
    for attempt in &row.attempts {
        let class = class(attempt.as_ref());
        write!(page, "<td class=\"{class}\">{}</td>", escaped(&tables::answer(attempt.as_ref())))?;
    }
    page.push_str("</tr>\n");
    Ok(())
}

/// The problem as a game: the line of the first run that has solved it, or the right move, and the other lines as variations.
fn game(runs: &[RunSummary], row: &Row) -> GamePage {
    let runs = runs.iter().zip(&row.attempts);
    let mut lines: Vec<(bool, Vec<PageMove>)> = runs
        .filter_map(|(run, attempt)| {
            let attempt = attempt.as_ref()?;
            let (word, nag) = if attempt.is_solved() { ("solved", 1) } else { ("missed", 2) };
            let mut line = line(row, &attempt.line)?;
            line[0].comment_before = Some(format!("{}, {word}:", run.name));
            line[0].nags = vec![nag];
            Some((attempt.is_solved(), line))
        })
        .collect();
    let solved = lines.iter().position(|(is_solved, _)| *is_solved);
    let right = || {
        let mut line = line(row, &[row.problem.solution.best.first()?.legal()?])?;
        line[0].comment_before = Some("The right move:".to_owned());
        line[0].nags = vec![1];
        Some(line)
    };
    let main = solved.map(|solved| lines.remove(solved).1).or_else(right);
    let mut main = main.or_else(|| (!lines.is_empty()).then(|| lines.remove(0).1)).unwrap_or_default();
    if let Some(first) = main.first_mut() {
        first.variations = lines.into_iter().map(|(_, line)| line).collect();
    }
    GamePage { start: row.problem.fen(), result: "*".to_owned(), moves: main, ..GamePage::default() }
}

/// The first moves of a line from the position of a problem; `None` if it has none.
fn line(row: &Row, moves: &[Move]) -> Option<Vec<PageMove>> {
    let mut game = row.problem.game()?;
    let steps = moves.iter().take(LONGEST_LINE).map_while(|mv| PageStep::play(&mut game, *mv));
    let line: Vec<PageMove> = steps.map(|step| PageMove { step, ..PageMove::default() }).collect();
    (!line.is_empty()).then_some(line)
}

/// What is known of an attempt besides the move.
fn facts(attempt: &SuiteAttempt) -> String {
    let cost = attempt.cost().unwrap_or_default();
    let facts = [
        cost.depth.map(|depth| format!("from depth {depth} on")),
        cost.nodes.map(|nodes| format!("after {nodes} nodes")),
        cost.millis.map(|millis| format!("after {millis} ms")),
        attempt.depth.map(|depth| format!("searched to depth {depth}")),
        attempt.nodes.map(|nodes| format!("{nodes} nodes in all")),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn class(attempt: Option<&SuiteAttempt>) -> &'static str {
    match attempt {
        Some(attempt) if attempt.is_solved() => "right",
        Some(_) => "wrong",
        None => "",
    }
}

/// The attribute of cells with numbers.
const NUMBER: &str = " class=\"n\"";

fn write_table(page: &mut String, table: &TextTable) -> fmt::Result {
    let (title, [head, rows]) = (escaped(&table.title), table.html_rows(NUMBER));
    writeln!(
        page,
        "<h2>{title}</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\"><table>\n\
         <thead>{}</thead>\n<tbody>\n{rows}</tbody></table></div>",
        head.trim_end()
    )
}

fn write_charts(page: &mut String, report: &SuiteReport) -> fmt::Result {
    let charts: Vec<String> =
        Quantity::ALL.iter().filter_map(|quantity| chart::solved_over(report, *quantity)).collect();
    if charts.is_empty() {
        return Ok(());
    }
    page.push_str("<h2>Problems solved by effort</h2>\n<p class=\"legend\">");
    for (run, summary) in report.runs.iter().enumerate() {
        let name = escaped(&summary.name);
        write!(page, "<span><i style=\"background:{}\"></i>{name}</span> ", chart::color(run))?;
    }
    page.push_str("</p>\n<div class=\"charts\">\n");
    page.extend(charts);
    page.push_str("</div>\n");
    Ok(())
}

fn write_diagram(page: &mut String, row: &Row) -> fmt::Result {
    let (number, fen, problem) = (row.number, row.problem.epd(), &row.problem);
    let flipped = if problem.position.turn == Color::Black { " data-flipped" } else { "" };
    let arrows: Vec<String> = arrows(row, row.attempts[0].iter())
        .iter()
        .map(|[squares, kind]| format!("{squares} {kind}"))
        .collect();
    writeln!(
        page,
        "<figure><div data-fen=\"{fen}\" data-label=\"Problem {number}\" data-arrows=\"{}\"{flipped}></div>",
        arrows.join(",")
    )?;
    let name = if problem.id.is_empty() { "problem" } else { &problem.id };
    let (name, solution) = (escaped(name), escaped(&problem.solution()));
    let side = problem.position.turn.fold_wb("White", "Black");
    let answer = escaped(&tables::answer(row.attempts[0].as_ref()));
    writeln!(
        page,
        "<figcaption><a href=\"#p{number}\">{number}. {name}</a><br>{side} to move: <b class=\"right\">{solution}</b>, \
         played <span class=\"wrong\">{answer}</span></figcaption></figure>"
    )
}

/// The right moves and the wrong ones that were played, each once: squares, and the kind of arrow.
fn arrows<'a>(row: &Row, attempts: impl Iterator<Item = &'a SuiteAttempt>) -> Vec<[String; 2]> {
    let solution = &row.problem.solution;
    let legal = |moves: &[EpdMove<'_>]| moves.iter().filter_map(EpdMove::legal).collect::<Vec<_>>();
    let wrong = attempts.filter(|attempt| !attempt.is_solved());
    let wrong = wrong.filter_map(|attempt| attempt.played.as_ref()?.legal());
    let mut arrows: Vec<[String; 2]> = Vec::new();
    let right = legal(&solution.best).into_iter().map(|mv| (mv, "best"));
    for (mv, kind) in right.chain(wrong.map(|mv| (mv, "wrong"))) {
        let squares: String = touched_squares(mv).iter().map(ToString::to_string).collect();
        let arrow = [squares, kind.to_owned()];
        if !arrows.contains(&arrow) {
            arrows.push(arrow);
        }
    }
    arrows
}
