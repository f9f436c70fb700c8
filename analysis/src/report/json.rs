//! Reports as JSON.

use serde_json::{Value, json};

use super::{Quantity, Share, SuiteAttempt, SuiteReport};
use crate::target_result::TargetResult;

/// The whole report. Percentages are from 0 to 100, times in milliseconds; unknown values are null.
pub fn json(report: &SuiteReport) -> Value {
    let runs: Vec<Value> = (0..report.runs.len()).map(|number| run(report, number)).collect();
    let comparisons: Vec<Value> = (1..report.runs.len()).map(|other| comparison(report, other)).collect();
    let rows = report.rows.iter();
    let problems = rows.map(|row| {
        let answers: Vec<_> = row.attempts.iter().map(|attempt| attempt.as_ref().map(answer)).collect();
        json!({
            "position": super::fields(&row.problem.position),
            "id": row.problem.id,
            "solution": row.problem.solution(),
            "answers": answers,
        })
    });
    json!({ "runs": runs, "comparisons": comparisons, "problems": problems.collect::<Vec<_>>() })
}

fn run(report: &SuiteReport, number: usize) -> Value {
    let run = &report.runs[number];
    let cost = |quantity| report.quantiles(number, quantity);
    json!({
        "name": run.name,
        "problems": run.tried,
        "solved": run.solved,
        "percent": run.share().percent(),
        "interval": run.share().interval(),
        "points": run.points.map(|Share { part, whole }| json!({ "gained": part, "best": whole })),
        "nodes": run.nodes,
        "cost": {
            "depth": cost(Quantity::Depth),
            "nodes": cost(Quantity::Nodes),
            "millis": cost(Quantity::Millis),
        },
        "left_out": {
            "without_solution": run.without_target,
            "not_tried": run.untried,
            "unreadable": run.unreadable,
        },
    })
}

/// Compares the first run with another.
fn comparison(report: &SuiteReport, other: usize) -> Value {
    let mut comparison = json!(report.compare(0, other));
    comparison["first"] = json!(report.runs[0].name);
    comparison["second"] = json!(report.runs[other].name);
    comparison
}

fn answer(attempt: &SuiteAttempt) -> Value {
    let cost = match attempt.outcome {
        TargetResult::Solved(cost) => Some(cost),
        TargetResult::Missed => None,
    };
    json!({
        "solved": attempt.is_solved(),
        "move": attempt.played.as_ref().map(messages::epd::EpdMove::text),
        "points": attempt.points,
        "cost": cost,
    })
}
