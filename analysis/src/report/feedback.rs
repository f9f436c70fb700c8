//! Missed problems as training data.

use messages::epd::{EpdMove, Operation, Record};

use super::{SuiteProblem, SuiteReport};

/// The problems that a run has missed, as EPD records: the right moves in `bm`, the moves to avoid and the wrong move played in
/// `am`, the name in `id`. A tuner can use them to prefer the right move to the wrong one.
///
/// # Panics
/// `run` is out of range.
pub fn feedback(report: &SuiteReport, run: usize) -> String {
    let missed = report.rows.iter().filter_map(|row| {
        let attempt = row.attempts[run].as_ref().filter(|attempt| !attempt.is_solved())?;
        Some(format!("{}\n", record(&row.problem, attempt.played.as_ref())))
    });
    missed.collect()
}

fn record(problem: &SuiteProblem, played: Option<&EpdMove<'static>>) -> Record<'static> {
    let mut record = Record::new(problem.position.clone());
    let (best, mut avoided) = (problem.solution.best.clone(), problem.solution.avoided.clone());
    let is_new = |mv: &&EpdMove<'_>| !best.contains(mv) && !avoided.contains(mv);
    if let Some(wrong) = played.filter(is_new) {
        avoided.push(wrong.clone());
    }
    if !best.is_empty() {
        record.set(Operation::Bm(best));
    }
    if !avoided.is_empty() {
        avoided.sort_by_key(EpdMove::text);
        record.set(Operation::Am(avoided));
    }
    if !problem.id.is_empty() {
        record.set(Operation::Id(problem.id.clone().into()));
    }
    record
}
