//! Reports as a self-contained HTML page.

use std::fmt::{self, Write as _};

use game::{Color, Move, escaped};
use pages::{SingleFile, touched_squares};

use super::tables::{self, TextTable};
use super::{Quantity, Row, SuiteAttempt, SuiteReport, chart};

/// The report in HTML, with charts of the effort and diagrams of the problems that the first run has missed. `all` as for
/// [`super::text`].
pub fn page(report: &SuiteReport, title: &str, all: bool) -> String {
    let mut body = String::new();
    // Writing to a string doesn't fail.
    let _ = write_page(&mut body, report, title, all);
    let style = include_str!("page.css");
    SingleFile { title, style, body: &body, script: "HeraldBoard.pictures();\n" }.html()
}

fn write_page(page: &mut String, report: &SuiteReport, title: &str, all: bool) -> fmt::Result {
    write!(
        page,
        "<div class=\"page\">\n<header class=\"page-head\"><h1>{}</h1>\
         <button type=\"button\" class=\"button\" data-theme-switch></button></header>\n<main>\n",
        escaped(title)
    )?;
    tables::overview(report).iter().try_for_each(|table| write_table(page, table))?;
    write_charts(page, report)?;
    tables::problems(report, all).iter().try_for_each(|table| write_table(page, table))?;
    write_boards(page, report)?;
    page.push_str("</main>\n</div>");
    Ok(())
}

fn write_table(page: &mut String, table: &TextTable) -> fmt::Result {
    let cells = |row: &[String], tag: &str| {
        let cell = |(cell, is_number): (&String, &bool)| {
            let class = if *is_number { " class=\"n\"" } else { "" };
            format!("<{tag}{class}>{}</{tag}>", escaped(cell))
        };
        row.iter().zip(&table.are_numbers).map(cell).collect::<String>()
    };
    let title = escaped(&table.title);
    writeln!(
        page,
        "<h2>{title}</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\"><table>"
    )?;
    writeln!(page, "<thead><tr>{}</tr></thead>\n<tbody>", cells(&table.head, "th"))?;
    for row in &table.rows {
        writeln!(page, "<tr>{}</tr>", cells(row, "td"))?;
    }
    writeln!(page, "</tbody></table></div>")
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

fn write_boards(page: &mut String, report: &SuiteReport) -> fmt::Result {
    let is_missed = |row: &Row| matches!(row.attempts.first(), Some(Some(one)) if !one.is_solved());
    let missed: Vec<(usize, &Row)> = (1..).zip(&report.rows).filter(|(_, row)| is_missed(row)).collect();
    let (Some(first), false) = (report.runs.first(), missed.is_empty()) else { return Ok(()) };
    let (name, count) = (escaped(&first.name), missed.len());
    write!(page, "<h2>Missed by {name}: {count}</h2>\n<div class=\"boards\">\n")?;
    for (number, row) in missed {
        write_board(page, report, number, row)?;
    }
    page.push_str("</div>\n");
    Ok(())
}

fn write_board(page: &mut String, report: &SuiteReport, number: usize, row: &Row) -> fmt::Result {
    let problem = &row.problem;
    let fields = super::fields(&problem.position);
    let played = row.attempts[0].as_ref().and_then(|attempt| attempt.played.as_ref()?.legal());
    let right = problem.solution.best.iter().filter_map(|mv| Some(arrow(mv.legal()?, "best")));
    let arrows: Vec<String> = right.chain(played.map(|mv| arrow(mv, "wrong"))).collect();
    let side = problem.position.turn.fold_wb("White", "Black");
    let flipped = if problem.position.turn == Color::Black { " data-flipped" } else { "" };
    writeln!(
        page,
        "<figure><div data-fen=\"{fields}\" data-label=\"Problem {number}\" data-arrows=\"{}\"{flipped}></div>",
        arrows.join(",")
    )?;
    let (id, solution) = (escaped(&problem.id), escaped(&problem.solution()));
    write!(page, "<figcaption><b>{number}. {id}</b><br>{side} to move: <b class=\"right\">{solution}</b>")?;
    for (run, attempt) in report.runs.iter().zip(&row.attempts) {
        let class = if attempt.as_ref().is_some_and(SuiteAttempt::is_solved) { "right" } else { "wrong" };
        let answer = escaped(&tables::answer(attempt.as_ref()));
        write!(page, "<br>{}: <span class=\"{class}\">{answer}</span>", escaped(&run.name))?;
    }
    writeln!(page, "<br><code>{fields}</code></figcaption></figure>")
}

/// An arrow as the boards of a page read it.
fn arrow(mv: Move, kind: &str) -> String {
    let squares: String = touched_squares(mv).iter().map(ToString::to_string).collect();
    format!("{squares} {kind}")
}
