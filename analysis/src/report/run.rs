//! Runs: test suites with the moves that a program has played.

use std::io::{self, Read};

use game::{Move, read_move};
use messages::epd::{
    Blocks, Content, EpdMove, EpdPosition, FileBlock, Operation, Record, RecordReader, Register,
};

use super::{RunSummary, SuiteReport};
use crate::target_result::{Cost, KeyMoves, TargetResult};

/// A problem: a position with its solution.
#[derive(Clone, Debug)]
pub struct SuiteProblem {
    /// The position, which is legal.
    pub position: EpdPosition,
    /// The `id` of the record; empty if it has none.
    pub id: String,
    pub(super) solution: KeyMoves,
    /// Points for moves; empty if the moves are not graded.
    grades: Vec<(Move, u32)>,
}

/// An attempt at a problem.
#[derive(Clone, Debug)]
pub struct SuiteAttempt {
    /// Whether it was solved.
    pub outcome: TargetResult,
    /// The move played.
    pub played: Option<EpdMove<'static>>,
    /// Points for the move; `None` if the moves are not graded.
    pub points: Option<u32>,
    /// Nodes searched in total.
    pub nodes: Option<u64>,
}

/// The attempts of one file.
#[derive(Debug, Default)]
pub struct Run {
    pub(super) attempts: Vec<(SuiteProblem, SuiteAttempt)>,
    /// Counters of records that were not attempted. The other counters are filled when the run is added to a report.
    pub(super) summary: RunSummary,
}

impl Run {
    /// Reads a file. Unreadable records are only counted.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read(name: &str, input: impl Read, reader: RecordReader) -> io::Result<Run> {
        let name = name.replace(char::is_control, "?");
        let mut run = Run { summary: RunSummary { name, ..RunSummary::default() }, ..Run::default() };
        for block in Blocks::new(input) {
            let block = block?;
            if matches!(block, FileBlock::TooLong { is_first: true, .. }) {
                run.summary.unreadable += 1;
            }
            let records = block.lines().filter(|line| line.content() == Content::Record);
            records.for_each(|line| run.take(reader.read(&line.text, line.number).record.as_ref()));
        }
        Ok(run)
    }

    /// Number of problems attempted.
    pub fn tried(&self) -> usize {
        self.attempts.len()
    }

    fn take(&mut self, record: Option<&Record<'_>>) {
        let Some(record) = record else {
            self.summary.unreadable += 1;
            return;
        };
        let Some(solution) = KeyMoves::of(record) else {
            self.summary.without_target += 1;
            return;
        };
        let id = record.id().map(ToString::to_string).unwrap_or_default();
        let problem =
            SuiteProblem { position: record.position.clone(), id, solution, grades: grades_of(record) };
        match SuiteAttempt::of(record, &problem) {
            Some(attempt) => self.attempts.push((problem, attempt)),
            None => self.summary.untried += 1,
        }
    }
}

impl SuiteAttempt {
    /// Reads an attempt; `None` if the record has neither a result nor a legal move played.
    fn of(record: &Record<'_>, problem: &SuiteProblem) -> Option<SuiteAttempt> {
        let played = played(record);
        let mv = played.as_ref().and_then(EpdMove::legal);
        let judged = || {
            let is_right = problem.solution.is_right(mv?);
            Some(if is_right { TargetResult::Solved(Cost::default()) } else { TargetResult::Missed })
        };
        let outcome = TargetResult::of(record).or_else(judged)?;
        let points = problem.best_points().map(|_| mv.map_or(0, |mv| problem.points(mv)));
        Some(SuiteAttempt { outcome, played, points, nodes: record.acn().copied() })
    }

    /// Whether the problem was solved.
    pub fn is_solved(&self) -> bool {
        matches!(self.outcome, TargetResult::Solved(_))
    }
}

impl SuiteProblem {
    /// Points for the best move; `None` if the moves are not graded.
    pub fn best_points(&self) -> Option<u32> {
        self.grades.iter().map(|(_, points)| *points).max()
    }

    /// Points for a move.
    fn points(&self, played: Move) -> u32 {
        self.grades.iter().find(|(mv, _)| *mv == played).map_or(0, |(_, points)| *points)
    }

    /// The right moves and the moves to avoid, as text.
    pub fn solution(&self) -> String {
        let KeyMoves { best, avoided } = &self.solution;
        let write = |moves: &[EpdMove<'_>]| moves.iter().map(EpdMove::text).collect::<Vec<_>>().join(" ");
        match (write(best), write(avoided)) {
            (best, avoided) if avoided.is_empty() => best,
            (best, avoided) if best.is_empty() => format!("not {avoided}"),
            (best, avoided) => format!("{best}, not {avoided}"),
        }
    }
}

/// The move played: the first move of `pv`, `pm`, `sv` or `sm`, in the order in which Edwards' own tool kit searches them.
fn played(record: &Record<'_>) -> Option<EpdMove<'static>> {
    let first = |opcode| record.moves(opcode).first()?.to_legal();
    ["pv", "pm", "sv", "sm"].into_iter().find_map(first)
}

/// Moves with their points; empty if the record grades no moves. Supports both forms of the Strategic Test Suite: points in `c8`
/// with the moves in `c9` or `c7`, and `Nf5=10, Bf2=5` in `c0`. Any other text is an ordinary comment.
fn grades_of(record: &Record<'_>) -> Vec<(Move, u32)> {
    let Ok((chess, mode)) = record.position.legal() else { return Vec::new() };
    let grade = |mv: &str, points: &str| {
        Some((read_move(&chess, mode, mv.trim()).ok()?, points.trim().parse().ok()?))
    };
    let columns = |points: &str, moves: &str| -> Option<Vec<(Move, u32)>> {
        let (points, moves) = (points.split_whitespace(), moves.split_whitespace());
        let is_complete = points.clone().count() == moves.clone().count();
        points.zip(moves).map(|(points, mv)| grade(mv, points)).collect::<Option<_>>().filter(|_| is_complete)
    };
    let pairs = |text: &str| -> Option<Vec<(Move, u32)>> {
        text.split(',').map(|pair| pair.rsplit_once('=').and_then(|(mv, points)| grade(mv, points))).collect()
    };
    let moves = || comment(record, 9).or_else(|| comment(record, 7));
    let in_columns = comment(record, 8).zip(moves()).and_then(|(points, moves)| columns(points, moves));
    in_columns.or_else(|| pairs(comment(record, 0)?)).unwrap_or_default()
}

fn comment<'a>(record: &'a Record<'_>, number: u8) -> Option<&'a str> {
    record.comment(Register::new(number)?)
}

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
