//! Reports as JSON.

use std::io::Write;

use serde_json::{Value, json};

use super::{
    Comparison, Costs, Listed, Quantity, ReportError, Row, RunSummary, Share, SuiteAttempt, SuiteReport,
    Tally,
};

/// Writes the whole report, on one line. Percentages are from 0 to 100, times in milliseconds; unknown values are null.
///
/// # Errors
/// As [`super::text`].
pub fn json(report: &SuiteReport, out: &mut impl Write) -> Result<(), ReportError> {
    let runs: Vec<Value> = report.runs.iter().map(run).collect();
    let themes: Vec<Value> = report.themes.iter().map(|theme| {
        let runs: Vec<Value> = theme.runs.iter().map(tally).collect();
        json!({ "name": theme.name, "problems": theme.problems, "runs": runs, "comparisons": comparisons(report, &theme.comparisons) })
    }).collect();
    let parts = [
        ("runs", json!(runs)),
        ("warnings", json!(report.warnings())),
        ("comparisons", json!(comparisons(report, &report.comparisons))),
        ("themes", json!(themes)),
    ];
    for (number, (name, value)) in parts.iter().enumerate() {
        write!(out, "{}\"{name}\":{value}", if number == 0 { '{' } else { ',' })?;
    }
    // Problems are written one by one, so that they need no memory.
    out.write_all(b",\"problems\":[")?;
    let mut separator = "";
    report.visit(Listed::All, |row| {
        write!(out, "{separator}{}", problem(&row))?;
        separator = ",";
        Ok(())
    })?;
    out.write_all(b"]}\n")?;
    Ok(())
}

fn problem(row: &Row) -> Value {
    let answers: Vec<_> = row.attempts.iter().map(|attempt| attempt.as_ref().map(answer)).collect();
    json!({
        "number": row.number,
        "theme": row.theme,
        "position": row.problem.epd(),
        "fen": row.problem.fen(),
        "id": row.problem.id,
        "solution": row.problem.solution(),
        "answers": answers,
    })
}

fn run(run: &RunSummary) -> Value {
    let cost =
        |quantity: Quantity| run.costs[quantity as usize].as_ref().map(|costs: &Costs| costs.quantiles);
    let mut value = tally(&run.tally);
    value["name"] = json!(run.name);
    value["settings"] = json!(run.settings);
    value["nodes"] = json!(run.nodes);
    value["cost"] = json!({
        "depth": cost(Quantity::Depth),
        "nodes": cost(Quantity::Nodes),
        "millis": cost(Quantity::Millis),
    });
    value["left_out"] = json!({
        "without_solution": run.without_target,
        "not_tried": run.untried,
        "unreadable": run.unreadable,
    });
    value
}

fn tally(tally: &Tally) -> Value {
    json!({
        "problems": tally.tried,
        "solved": tally.solved,
        "percent": tally.share().percent(),
        "interval": tally.share().interval(),
        "points": tally.points.map(|Share { part, whole }| json!({ "gained": part, "best": whole })),
    })
}

/// The first run compared with each of the others.
fn comparisons(report: &SuiteReport, comparisons: &[Comparison]) -> Vec<Value> {
    let others = report.runs.iter().skip(1).zip(comparisons);
    let compared = others.map(|(other, comparison)| {
        let mut value = json!(comparison);
        value["first"] = json!(report.runs[0].name);
        value["second"] = json!(other.name);
        value
    });
    compared.collect()
}

fn answer(attempt: &SuiteAttempt) -> Value {
    json!({
        "solved": attempt.is_solved(),
        "move": attempt.played.as_ref().map(messages::epd::EpdMove::text),
        "points": attempt.points,
        "cost": attempt.cost(),
        "depth": attempt.depth,
        "nodes": attempt.nodes,
        "seconds": attempt.seconds,
    })
}
