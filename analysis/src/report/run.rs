//! Runs: test suites with the moves that a program has played.

use std::io::{self, Read};

use game::Move;
use messages::epd::{Blocks, Content, EpdMove, EpdPosition, FileBlock, Record, RecordReader};

use super::{RunSummary, grades};
use crate::key_moves::KeyMoves;
use crate::target_result::{Cost, TargetResult};

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
            if matches!(block, FileBlock::TooLong { .. }) {
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
            SuiteProblem { position: record.position.clone(), id, solution, grades: grades::of(record) };
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
