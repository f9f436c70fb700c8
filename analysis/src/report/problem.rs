//! Problems and attempts as records tell them.

use std::num::NonZeroU32;

use game::{Game, Move, read_move};
use messages::epd::{EpdMove, EpdPosition, Operation, Record, Register};

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
    /// The counters of `hmvc` and `fmvn`.
    counters: (u32, NonZeroU32),
}

/// An attempt at a problem.
#[derive(Clone, Debug)]
pub struct SuiteAttempt {
    /// Whether it was solved.
    pub outcome: TargetResult,
    /// The move played.
    pub played: Option<EpdMove<'static>>,
    /// The line that begins with it, as far as it is legal.
    pub line: Vec<Move>,
    /// Points for the move; `None` if the moves are not graded.
    pub points: Option<u32>,
    /// Depth of the whole search, in plies.
    pub depth: Option<u64>,
    /// Nodes of the whole search.
    pub nodes: Option<u64>,
    /// Time of the whole search, in seconds.
    pub seconds: Option<u64>,
}

/// Why a record is no attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// Neither `bm` nor `am` has a legal move.
    NoSolution,
    /// It has neither a result nor a legal move played.
    NotTried,
}

/// Reads the problem of a record and the attempt at it.
pub(super) fn read(record: &Record<'_>) -> Result<(SuiteProblem, SuiteAttempt), LeftOut> {
    let solution = KeyMoves::of(record).ok_or(LeftOut::NoSolution)?;
    let problem = SuiteProblem {
        position: record.position.clone(),
        id: record.id().map(ToString::to_string).unwrap_or_default(),
        solution,
        grades: grades_of(record),
        counters: (
            record.hmvc().copied().unwrap_or_default(),
            record.fmvn().copied().unwrap_or(NonZeroU32::MIN),
        ),
    };
    let attempt = SuiteAttempt::of(record, &problem).ok_or(LeftOut::NotTried)?;
    Ok((problem, attempt))
}

impl SuiteAttempt {
    /// Reads an attempt; `None` if the record has neither a result nor a legal move played.
    fn of(record: &Record<'_>, problem: &SuiteProblem) -> Option<SuiteAttempt> {
        let moves = moves_played(record);
        let played = moves.first().and_then(EpdMove::to_legal);
        let mv = played.as_ref().and_then(EpdMove::legal);
        let judged = || {
            let is_right = problem.solution.is_right(mv?);
            Some(if is_right { TargetResult::Solved(Cost::default()) } else { TargetResult::Missed })
        };
        let outcome = TargetResult::of(record).or_else(judged)?;
        let points = problem.best_points().map(|_| mv.map_or(0, |mv| problem.points(mv)));
        Some(SuiteAttempt {
            outcome,
            played,
            line: moves.iter().map_while(EpdMove::legal).collect(),
            points,
            depth: record.acd().copied(),
            nodes: record.acn().copied(),
            seconds: record.acs().copied(),
        })
    }

    /// Whether the problem was solved.
    pub fn is_solved(&self) -> bool {
        matches!(self.outcome, TargetResult::Solved(_))
    }

    /// From when on the right move stayed the best; `None` if the problem was missed.
    pub fn cost(&self) -> Option<Cost> {
        match self.outcome {
            TargetResult::Solved(cost) => Some(cost),
            TargetResult::Missed => None,
        }
    }
}

impl SuiteProblem {
    /// A game that starts in the position.
    pub fn game(&self) -> Option<Game> {
        self.position.game(self.counters.0, self.counters.1).ok()
    }

    /// FEN of the position.
    pub fn fen(&self) -> String {
        self.game().map_or_else(|| self.epd(), |game| game.fen())
    }

    /// The four fields of the position.
    pub fn epd(&self) -> String {
        Record::new(self.position.clone()).to_string()
    }

    /// The line of an attempt in SAN.
    pub(super) fn line_text(&self, attempt: &SuiteAttempt) -> String {
        self.game().map(|game| game.san_line(&attempt.line)).unwrap_or_default()
    }

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

    /// The problem as a record for training: the right moves in `bm`, the moves to avoid and the wrong move played in `am`, the name in
    /// `id`.
    pub(super) fn feedback(&self, played: Option<&EpdMove<'static>>) -> Record<'static> {
        let mut record = Record::new(self.position.clone());
        let (best, mut avoided) = (self.solution.best.clone(), self.solution.avoided.clone());
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
        if !self.id.is_empty() {
            record.set(Operation::Id(self.id.clone().into()));
        }
        record
    }
}

/// The moves that begin with the move played: those of `pv`, `pm`, `sv` or `sm`, in the order in which Edwards' own tool kit searches them.
fn moves_played<'a>(record: &'a Record<'_>) -> &'a [EpdMove<'a>] {
    let begins = |moves: &&[EpdMove<'_>]| moves.first().is_some_and(|mv| mv.legal().is_some());
    ["pv", "pm", "sv", "sm"].into_iter().map(|opcode| record.moves(opcode)).find(begins).unwrap_or_default()
}

/// Moves with their points; empty if the record grades no moves. Supports both forms of the Strategic Test Suite: points in `c8`
/// with the moves in `c9` or `c7`, and `Nf5=10, Bf2=5` in `c0`. Any other text is an ordinary comment.
fn grades_of(record: &Record<'_>) -> Vec<(Move, u32)> {
    let is_candidate =
        comment(record, 8).is_some() || comment(record, 0).is_some_and(|text| text.contains('='));
    let Some((chess, mode)) = is_candidate.then(|| record.position.legal().ok()).flatten() else {
        return Vec::new();
    };
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
