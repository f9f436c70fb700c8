//! Herald's own search, in this process.

use std::time::Instant;

use game::{Clock, Game, Score, TimeControl};
use search::mate::{Finding, Goal, Problem, Solver};
use search::{Control, Limits, Observer, Report, Searcher, Table};

use super::{AnalysisListener, AnalysisResult, Analyzer, PositionAnalysis};

/// Herald's search on one thread. The hash table is cleared before each record, so that under a limit of nodes or depth the
/// result depends on the record alone. Must run on a thread with [`search::STACK_SIZE`].
pub struct Herald {
    limits: Limits,
    mebibytes: usize,
    table: Table,
    searcher: Searcher,
    /// Created when it is first needed.
    solver: Option<Solver>,
}

impl Herald {
    /// Creates an analyzer with a limit for each record and the size of its hash table in MiB.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(limit: &TimeControl, mebibytes: usize) -> AnalysisResult<Herald> {
        let (table, searcher) = (Table::new(mebibytes)?, Searcher::default());
        Ok(Herald { limits: limits(limit), mebibytes, table, searcher, solver: None })
    }
}

impl Analyzer for Herald {
    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> {
        let root = engine::root(game).unwrap_or_default(); // EPD records are standard chess or Chess960
        self.table.clear();
        self.searcher.clear();
        let (control, clock) = (Control::new(), Instant::now());
        let last = PositionAnalysis::default();
        let mut observer = ReportListener { game, control: &control, goes_on, last };
        let Herald { limits, table, searcher, .. } = self;
        let answer = searcher.think(table, &root, limits, &control, &clock, &mut observer);
        let decided: Vec<_> = answer.best.into_iter().chain(answer.ponder).collect();
        let decided = engine::line_from_search(game, &decided);
        let line = Some(observer.last.line).filter(|line| line.first() == decided.first()).unwrap_or(decided);
        Ok(PositionAnalysis {
            line,
            score: Some(engine::score(answer.score)),
            depth: Some(answer.depth),
            nodes: Some(answer.nodes),
            time: clock.elapsed(),
        })
    }

    fn find_mate(&mut self, game: &Game, moves: u32) -> AnalysisResult<PositionAnalysis> {
        let solver = solver(&mut self.solver, self.mebibytes)?;
        Ok(prove(solver, game, moves, None, &self.limits))
    }
}

/// Converts a limit into search limits.
pub(super) fn limits(limit: &TimeControl) -> Limits {
    engine::limits(Clock::new(limit.clone()).move_limits(game::Color::White, Instant::now()))
}

/// The solver, created on first use.
pub(super) fn solver(solver: &mut Option<Solver>, mebibytes: usize) -> AnalysisResult<&mut Solver> {
    Ok(match solver {
        Some(solver) => solver,
        none => none.insert(Solver::new(mebibytes)?),
    })
}

/// Searches for the shortest mate in at most `moves` moves. If the limit is reached before shorter mates are ruled out, the mate
/// may not be the shortest. With `first`, the mate must begin with that move.
pub(super) fn prove(
    solver: &mut Solver,
    game: &Game,
    moves: u32,
    first: Option<game::Move>,
    limits: &Limits,
) -> PositionAnalysis {
    let allowed = first.map(|first| vec![engine::to_search(first)]);
    let root = search::Root { allowed, ..engine::root(game).unwrap_or_default() };
    let problem = Problem { attacker: game.turn(), moves, goal: Goal::Shortest };
    let (control, clock) = (Control::new(), Instant::now());
    let solution = solver.solve(&root, problem, limits, &control, &clock, &mut ());
    let searched = PositionAnalysis {
        nodes: Some(solution.nodes),
        time: clock.elapsed(),
        ..PositionAnalysis::default()
    };
    match solution.finding {
        Finding::Mate(mate) => PositionAnalysis {
            line: engine::line_from_search(game, &mate.line),
            score: Some(Score::MateIn(mate.moves)),
            ..searched
        },
        Finding::NoMate | Finding::Undecided => searched,
    }
}

/// Passes reports of the search to the listener.
struct ReportListener<'a> {
    game: &'a Game,
    control: &'a Control,
    goes_on: AnalysisListener<'a>,
    last: PositionAnalysis,
}

impl Observer for ReportListener<'_> {
    fn report(&mut self, report: &Report) {
        self.last = PositionAnalysis {
            line: engine::line_from_search(self.game, report.principal_variation),
            score: Some(engine::score(report.score)),
            depth: Some(report.depth),
            nodes: Some(report.nodes),
            time: report.elapsed,
        };
        if !(self.goes_on)(&self.last) {
            self.control.stop();
        }
    }
}
