//! Herald's own search, in this process.

use std::num::NonZeroU64;
use std::time::Instant;

use game::{Clock, Game, Score, TimeControl};
use search::mate::{FewMen, Finding, Goal, Problem, Solution, Solver};
use search::{Bound, Control, Limits, Observer, Report, Searcher, Table};

use super::{AnalysisListener, AnalysisResult, Analyzer, MateSearch, MateVerdict, PositionAnalysis};

/// Herald's search on one thread. The hash table is cleared before each record, so that under a limit of nodes or depth the
/// result depends on the record alone; in a game it is cleared at the beginning. Must run on a thread with
/// [`search::STACK_SIZE`].
pub struct Herald {
    limits: Limits,
    /// Whether the positions are those of one game.
    is_in_game: bool,
    /// Half the limit, for the solver and for the search when they share the work.
    half: Limits,
    table: Table,
    searcher: Searcher,
    mates: MateProver,
}

/// Proves mates. Its tables are created when they are first needed.
pub(super) struct MateProver {
    mebibytes: usize,
    solver: Option<Solver>,
    few_men: FewMen,
}

impl Herald {
    /// Creates an analyzer with a limit for each record and the size of its hash table in MiB.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(limit: &TimeControl, mebibytes: usize) -> AnalysisResult<Herald> {
        let (table, searcher) = (Table::new(mebibytes)?, Searcher::default());
        let (limits, half) = (limits(limit), limits(&half_of(limit)));
        Ok(Herald { limits, is_in_game: false, half, table, searcher, mates: MateProver::new(mebibytes) })
    }

    /// The analyzer with so many best lines in its analyses.
    #[must_use]
    pub fn with_lines(mut self, lines: usize) -> Herald {
        self.limits.lines = lines;
        self
    }

    fn forget(&mut self) {
        self.table.clear();
        self.searcher.clear();
    }

    /// Searches as the engine does.
    fn search(&mut self, game: &Game, limits: &Limits, goes_on: AnalysisListener<'_>) -> PositionAnalysis {
        let root = engine::root(game).unwrap_or_default(); // EPD records are standard chess or Chess960
        if !self.is_in_game {
            self.forget();
        }
        let (control, clock) = (Control::new(), Instant::now());
        let last = PositionAnalysis::default();
        let mut observer = ReportListener { game, control: &control, goes_on, last };
        let answer = self.searcher.think(&mut self.table, &root, limits, &control, &clock, &mut observer);
        let decided: Vec<_> = answer.best.into_iter().chain(answer.ponder).collect();
        let decided = engine::line_from_search(game, &decided);
        let mut others = observer.last.others;
        others.retain(|other| other.line.first() != decided.first());
        let line = Some(observer.last.line).filter(|line| line.first() == decided.first()).unwrap_or(decided);
        PositionAnalysis {
            line,
            score: Some(engine::score(answer.score)),
            depth: Some(answer.depth),
            nodes: Some(answer.nodes),
            time: clock.elapsed(),
            others,
        }
    }
}

/// Half of a limit of nodes or time; other limits are not shared.
fn half_of(limit: &TimeControl) -> TimeControl {
    match limit {
        TimeControl::Nodes(nodes) => {
            TimeControl::Nodes(NonZeroU64::new(nodes.get() / 2).unwrap_or(NonZeroU64::MIN))
        }
        TimeControl::PerMove(time) => TimeControl::PerMove(*time / 2),
        other => other.clone(),
    }
}

impl Analyzer for Herald {
    fn begin_game(&mut self) {
        self.forget();
        self.is_in_game = true;
    }

    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> {
        let limits = self.limits.clone();
        Ok(self.search(game, &limits, goes_on))
    }

    /// The solver and the search have half the limit each. The solver finds mates that the search prunes, the search finds long
    /// ones by its evaluation; the solver then proves those along the search's line.
    fn find_mate(&mut self, game: &Game, moves: u32) -> AnalysisResult<MateSearch> {
        let solved = self.mates.solve(game, moves, None, &self.half)?;
        if matches!(solved.verdict, MateVerdict::Shortest | MateVerdict::NoMate) {
            return Ok(solved);
        }
        let known = solved.analysis.mate().map_or(moves, |mate| mate.get() - 1);
        let limits = Limits { mate: Some(known), ..self.half.clone() };
        let searched = self.search(game, &limits, &mut |_| true);
        let told = searched.mate().filter(|mate| mate.get() <= known);
        let (nodes, time) = (solved.analysis.nodes.zip(searched.nodes), solved.analysis.time + searched.time);
        let nodes = nodes.map(|(solving, searching)| solving + searching);
        let proof = match told {
            Some(mate) => Some(self.mates.prove_told(game, mate.get(), &searched)?),
            None => None,
        };
        let best = proof.filter(|proof| proof.analysis.mate().is_some()).unwrap_or(solved);
        Ok(MateSearch { analysis: PositionAnalysis { nodes, time, ..best.analysis }, ..best })
    }
}

/// Converts a limit into search limits.
pub(super) fn limits(limit: &TimeControl) -> Limits {
    engine::limits(Clock::new(limit.clone()).move_limits(game::Color::White, Instant::now()))
}

/// Node limit for the proof of a mate that a search or a program tells; a fraction of a second.
const PROOF_NODES: u64 = 1_000_000;

impl MateProver {
    /// Creates a prover whose solver has a table of this size in MiB.
    pub(super) fn new(mebibytes: usize) -> MateProver {
        MateProver { mebibytes, solver: None, few_men: FewMen::default() }
    }

    /// Proves the mate in at most `moves` moves that an analysis tells.
    pub(super) fn prove_told(
        &mut self,
        game: &Game,
        moves: u32,
        told: &PositionAnalysis,
    ) -> AnalysisResult<MateSearch> {
        let limits = Limits { nodes: Some(PROOF_NODES), ..Limits::default() };
        self.solve(game, moves, Some(&told.line), &limits)
    }

    /// Searches for the shortest mate in at most `moves` moves, first along the told line, if there is one.
    fn solve(
        &mut self,
        game: &Game,
        moves: u32,
        told: Option<&[game::Move]>,
        limits: &Limits,
    ) -> AnalysisResult<MateSearch> {
        let root = engine::root(game).unwrap_or_default();
        let problem = Problem { attacker: game.turn(), moves, goal: Goal::Shortest };
        let (control, clock) = (Control::new(), Instant::now());
        let solution = if let Some(finding) = self.few_men.solve(&root, problem) {
            Solution { finding, nodes: 0 }
        } else {
            let solver = match &mut self.solver {
                Some(solver) => solver,
                none => none.insert(Solver::new(self.mebibytes)?),
            };
            let line = told.map(|line| line.iter().map(|mv| engine::to_search(*mv)).collect::<Vec<_>>());
            match line {
                Some(line) => solver.solve_told(&root, problem, &line, limits, &control, &clock),
                None => solver.solve(&root, problem, limits, &control, &clock, &mut ()),
            }
        };
        let (line, score, verdict) = match solution.finding {
            Finding::Mate(mate) => {
                let verdict = if mate.is_shortest { MateVerdict::Shortest } else { MateVerdict::AtMost };
                (engine::line_from_search(game, &mate.line), Some(Score::MateIn(mate.moves)), verdict)
            }
            Finding::NoMate => (Vec::new(), None, MateVerdict::NoMate),
            Finding::Undecided => (Vec::new(), None, MateVerdict::Undecided),
        };
        let (nodes, time) = (Some(solution.nodes), clock.elapsed());
        let analysis = PositionAnalysis { line, score, nodes, time, ..PositionAnalysis::default() };
        Ok(MateSearch { analysis, verdict })
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
        let line = engine::line_from_search(self.game, report.principal_variation);
        if report.line > 1 {
            if report.bound == Bound::Exact {
                self.last.set_other(report.line, line, engine::score(report.score));
            }
            return;
        }
        self.last = PositionAnalysis {
            line,
            score: Some(engine::score(report.score)),
            depth: Some(report.depth),
            nodes: Some(report.nodes),
            time: report.elapsed,
            others: std::mem::take(&mut self.last.others),
        };
        if !(self.goes_on)(&self.last) {
            self.control.stop();
        }
    }
}
