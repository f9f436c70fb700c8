//! Herald's own search, in this process.

use std::time::Instant;

use game::Game;
use search::mate::{Finding, Goal, Mate, Problem, Solver};
use search::{Control, Observer, Report, Searcher, Table};

use super::{Effort, Insight, MateSearch, ThinkError, Thinker, Watch};

/// Herald, on one thread and with a cleared hash table for each record, so that under a limit of nodes or depth the answer
/// depends on the record alone. It needs a thread with [`search::STACK_SIZE`].
pub struct Herald {
    effort: Effort,
    mebibytes: usize,
    table: Table,
    searcher: Searcher,
    /// Made for the first mate.
    solver: Option<Solver>,
}

impl Herald {
    /// Herald with so much memory for what it remembers.
    ///
    /// # Errors
    /// The memory is not to be had.
    pub fn new(effort: Effort, mebibytes: usize) -> Result<Herald, ThinkError> {
        let (table, searcher) = (Table::new(mebibytes)?, Searcher::new());
        Ok(Herald { effort, mebibytes, table, searcher, solver: None })
    }
}

impl Thinker for Herald {
    fn think(&mut self, game: &Game, watch: &mut Watch<'_>) -> Result<Insight, ThinkError> {
        let root = engine::root(game).unwrap_or_default(); // EPD knows nothing but chess
        self.table.clear();
        self.searcher.clear();
        let (control, clock) = (Control::new(), Instant::now());
        let mut listener = Listener { game, control: &control, watch, last: Insight::default() };
        let limits = self.effort.limits();
        let answer = self.searcher.think(&mut self.table, &root, &limits, &control, &clock, &mut listener);
        let decided =
            engine::line_from_search(game, &answer.best.into_iter().chain(answer.ponder).collect::<Vec<_>>());
        let line = Some(listener.last.line).filter(|line| line.first() == decided.first()).unwrap_or(decided);
        Ok(Insight {
            line,
            score: Some(engine::score(answer.score)),
            depth: Some(answer.depth),
            nodes: Some(answer.nodes),
            time: clock.elapsed(),
        })
    }

    fn find_mate(&mut self, game: &Game, moves: u32) -> Result<MateSearch, ThinkError> {
        let clock = Instant::now();
        let solver = solver(&mut self.solver, self.mebibytes)?;
        let (mate, nodes) = prove(solver, game, moves, None, &self.effort);
        Ok(MateSearch { mate, nodes: Some(nodes), time: clock.elapsed() })
    }
}

/// The solver, made when it is needed first.
pub(super) fn solver(solver: &mut Option<Solver>, mebibytes: usize) -> Result<&mut Solver, ThinkError> {
    Ok(match solver {
        Some(solver) => solver,
        none => none.insert(Solver::new(mebibytes)?),
    })
}

/// The shortest mate in at most so many moves, or one that is not proven to be the shortest, and the nodes that it took.
/// With `first`, it has to begin with that move.
pub(super) fn prove(
    solver: &mut Solver,
    game: &Game,
    moves: u32,
    first: Option<game::Move>,
    effort: &Effort,
) -> (Option<Mate>, u64) {
    let allowed = first.map(|first| vec![engine::to_search(first)]);
    let root = search::Root { allowed, ..engine::root(game).unwrap_or_default() };
    let problem = Problem { attacker: game.turn(), moves, goal: Goal::Shortest };
    let (control, clock) = (Control::new(), Instant::now());
    let solution = solver.solve(&root, problem, &effort.limits(), &control, &clock, &mut ());
    let mate = match solution.finding {
        Finding::Mate(mate) => Some(mate),
        Finding::NoMate | Finding::Undecided => None,
    };
    (mate, solution.nodes)
}

/// Hands on what the search reports.
struct Listener<'a, 'w> {
    game: &'a Game,
    control: &'a Control,
    watch: &'a mut Watch<'w>,
    last: Insight,
}

impl Observer for Listener<'_, '_> {
    fn report(&mut self, report: &Report) {
        self.last = Insight {
            line: engine::line_from_search(self.game, report.principal_variation),
            score: Some(engine::score(report.score)),
            depth: Some(report.depth),
            nodes: Some(report.nodes),
            time: report.elapsed,
        };
        if (self.watch)(&self.last).is_break() {
            self.control.stop();
        }
    }
}
