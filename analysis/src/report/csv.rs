//! Reports as CSV (RFC 4180): a row for each problem and run, to be counted by other programs.

use std::io::Write;

use super::{Listed, ReportError, Row, SuiteAttempt, SuiteReport};

/// The columns. `solved_` is the point from which on the right move stayed the best; `depth`, `nodes` and `seconds` are of the whole search.
/// Unknown values are empty.
const HEAD: &str = "number,theme,id,fen,solution,run,settings,move,solved,points,best_points,solved_depth,solved_nodes,solved_ms,depth,nodes,seconds,line";

/// Writes the report as CSV.
///
/// # Errors
/// As [`super::text`].
pub fn csv(report: &SuiteReport, out: &mut impl Write) -> Result<(), ReportError> {
    write!(out, "{HEAD}\r\n")?;
    report.visit(Listed::All, |row| {
        let fen = row.problem.fen();
        for (run, attempt) in report.runs.iter().zip(&row.attempts) {
            let Some(attempt) = attempt else { continue };
            let settings = run.settings.first().map_or("", |settings| settings.analyzer.as_str());
            write!(out, "{}\r\n", line(&row, &fen, (&run.name, settings), attempt))?;
        }
        Ok(())
    })
}

fn line(row: &Row, fen: &str, (run, settings): (&str, &str), attempt: &SuiteAttempt) -> String {
    let cost = attempt.cost().unwrap_or_default();
    let played = attempt.played.as_ref().map(messages::epd::EpdMove::text).unwrap_or_default();
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let points = |points: Option<u32>| number(points.map(u64::from));
    let cells = [
        row.number.to_string(),
        row.theme.clone(),
        row.problem.id.clone(),
        fen.to_owned(),
        row.problem.solution(),
        run.to_owned(),
        settings.to_owned(),
        played,
        u8::from(attempt.is_solved()).to_string(),
        points(attempt.points),
        points(row.problem.best_points()),
        number(cost.depth),
        number(cost.nodes),
        number(cost.millis),
        number(attempt.depth),
        number(attempt.nodes),
        number(attempt.seconds),
        row.problem.line_text(attempt),
    ];
    cells.map(|cell| quoted(&cell)).join(",")
}

/// A cell in quotation marks if it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn cells_are_quoted_where_rfc_4180_asks_for_it() {
        for (cell, written) in [
            ("a b;c", "a b;c"),
            ("a,b", "\"a,b\""),
            ("say \"a\"", "\"say \"\"a\"\"\""),
            ("a\r\nb", "\"a\r\nb\""),
        ] {
            assert_eq!(quoted(cell), written);
        }
    }
}
