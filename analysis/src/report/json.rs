//! A report for a program.

use serde_json::{Value, json};

use super::{Attempt, Points, Quantity, Report, Summary};
use crate::outcome::{Cost, Outcome};

/// All of it. Percentages are from 0 to 100, times in milliseconds; what is not known is null.
pub fn json(report: &Report) -> Value {
    let runs: Vec<Value> = (0..report.runs.len()).map(|number| run(report, number)).collect();
    let comparisons: Vec<Value> = (1..report.runs.len()).map(|other| comparison(report, other)).collect();
    let problems: Vec<Value> = report
        .rows
        .iter()
        .map(|row| {
            let answers: Vec<Value> =
                row.attempts.iter().map(|attempt| attempt.as_ref().map(answer).into()).collect();
            json!({
                "position": super::fields(&row.problem.position),
                "id": row.problem.id,
                "solution": row.problem.solution(),
                "answers": answers,
            })
        })
        .collect();
    json!({ "runs": runs, "comparisons": comparisons, "problems": problems })
}

fn run(report: &Report, number: usize) -> Value {
    let Summary { name, tried, solved, nodes, without_target, untried, unreadable, .. } =
        &report.runs[number];
    let (least, greatest) = report.runs[number].share().interval();
    let costs: serde_json::Map<String, Value> =
        [("depth", Quantity::Depth), ("nodes", Quantity::Nodes), ("millis", Quantity::Millis)]
            .into_iter()
            .map(|(key, quantity)| (key.to_owned(), cost(report, number, quantity)))
            .collect();
    json!({
        "name": name,
        "problems": tried,
        "solved": solved,
        "percent": report.runs[number].share().percent(),
        "interval": [least, greatest],
        "points": report.runs[number].points.map(|Points { gained, best }| json!({ "gained": gained, "best": best })),
        "nodes": nodes,
        "cost": costs,
        "left_out": { "without_solution": without_target, "not_tried": untried, "unreadable": unreadable },
    })
}

fn cost(report: &Report, run: usize, quantity: Quantity) -> Value {
    let quantiles = report.quantiles(run, quantity).map(|quantiles| {
        json!({
            "least": quantiles.least,
            "quarter": quantiles.quarter,
            "median": quantiles.median,
            "three_quarters": quantiles.three_quarters,
            "nine_tenths": quantiles.nine_tenths,
            "greatest": quantiles.greatest,
        })
    });
    quantiles.into()
}

/// The first run against another.
fn comparison(report: &Report, other: usize) -> Value {
    let compared = report.compare(0, other);
    json!({
        "first": report.runs[0].name,
        "second": report.runs[other].name,
        "both": compared.both,
        "first_only": compared.first_only,
        "second_only": compared.second_only,
        "neither": compared.neither,
        "p": compared.p,
        "points": compared.points.map(|points| json!({ "mean": points.mean, "error": points.error })),
    })
}

fn answer(attempt: &Attempt) -> Value {
    let cost = match attempt.outcome {
        Outcome::Solved(Cost { depth, nodes, millis }) => {
            json!({ "depth": depth, "nodes": nodes, "millis": millis })
        }
        Outcome::Missed => Value::Null,
    };
    json!({
        "solved": attempt.is_solved(),
        "move": attempt.played.as_ref().map(messages::epd::EpdMove::text),
        "points": attempt.points,
        "cost": cost,
    })
}
