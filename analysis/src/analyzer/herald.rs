//! Herald's own search, in this process.

use std::num::NonZeroU64;
use std::time::Instant;

use game::{Clock, Game, Score, TimeControl};
use search::mate::{Adviser, FewMen, Finding, Goal, Problem, Solution, Solver};
use search::{Bound, Control, Limits, Observer, Position, Report, Root, Searcher, Table, Verdict};

use super::{AnalysisListener, AnalysisResult, Analyzer, MateSearch, MateVerdict, PositionAnalysis};

/// Herald's search on one thread. The hash table is cleared before each record, so that under a limit of nodes or depth the
/// result depends on the record alone; in a game it is cleared at the beginning. Must run on a thread with
/// [`search::STACK_SIZE`].
pub struct Herald {
    limits: Limits,
    /// Whether the positions are those of one game.
    is_in_game: bool,
    /// The limit of the solver, and that of the proof of what the search tells: half of the search's, each.
    solving: Limits,
    playing: PlayingSearch,
    mates: MateProver,
}

/// The playing search and its hash table.
pub(super) struct PlayingSearch {
    table: Table,
    searcher: Searcher,
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
        let (limits, solving) = (limits(limit), limits(&half(limit)));
        let (playing, mates) = (PlayingSearch::new(mebibytes)?, MateProver::new(mebibytes));
        Ok(Herald { limits, is_in_game: false, solving, playing, mates })
    }

    /// The analyzer with so many best lines in its analyses.
    #[must_use]
    pub fn with_lines(mut self, lines: usize) -> Herald {
        self.limits.lines = lines;
        self
    }

    /// Searches as the engine does.
    fn search(&mut self, game: &Game, limits: &Limits, goes_on: AnalysisListener<'_>) -> PositionAnalysis {
        let root = engine::root(game).unwrap_or_default(); // EPD records are standard chess or Chess960
        if !self.is_in_game {
            self.playing.forget();
        }
        let (control, clock) = (Control::new(), Instant::now());
        let last = PositionAnalysis::default();
        let mut observer = ReportListener { game, control: &control, goes_on, last };
        let PlayingSearch { table, searcher } = &mut self.playing;
        let answer = searcher.think(table, &root, limits, &control, &clock, &mut observer);
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

/// Nodes of the playing search for advice on the proof of a mate.
const ADVICE: u64 = 20_000;

impl PlayingSearch {
    /// Creates a search with a hash table of this size in MiB.
    pub(super) fn new(mebibytes: usize) -> AnalysisResult<PlayingSearch> {
        Ok(PlayingSearch { table: Table::new(mebibytes)?, searcher: Searcher::default() })
    }

    /// Forgets all positions.
    pub(super) fn forget(&mut self) {
        self.table.clear();
        self.searcher.clear();
    }
}

/// What is in the hash table from the search that told the mate makes the advice cheap.
impl Adviser for PlayingSearch {
    fn advise(&mut self, position: &Position, moves: u32) -> (Option<Vec<search::Move>>, u64) {
        let root = Root { position: position.clone(), ..Root::default() };
        let limits = Limits { nodes: Some(ADVICE), mate: Some(moves), ..Limits::default() };
        let mut last = LastLine::default();
        let control = Control::new();
        let answer =
            self.searcher.think(&mut self.table, &root, &limits, &control, &Instant::now(), &mut last);
        let is_mate = matches!(answer.score.verdict(), Verdict::MateIn(mate) if mate <= moves);
        let line = Some(last.0).filter(|line| line.first() == answer.best.as_ref());
        (is_mate.then(|| line.unwrap_or_else(|| answer.best.into_iter().collect())), answer.nodes)
    }
}

/// The last line with an exact score that a search has reported.
#[derive(Default)]
struct LastLine(Vec<search::Move>);

impl Observer for LastLine {
    fn report(&mut self, report: &Report) {
        if report.bound == Bound::Exact {
            self.0 = report.principal_variation.to_vec();
        }
    }
}

/// Half of a limit of nodes or time; other limits are not shared.
fn half(limit: &TimeControl) -> TimeControl {
    match limit {
        TimeControl::Nodes(nodes) => {
            TimeControl::Nodes(NonZeroU64::new(nodes.get().div_ceil(2)).unwrap_or(NonZeroU64::MIN))
        }
        TimeControl::PerMove(time) => TimeControl::PerMove(*time / 2),
        other => other.clone(),
    }
}

impl Analyzer for Herald {
    fn begin_game(&mut self) {
        self.playing.forget();
        self.is_in_game = true;
    }

    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> {
        let limits = self.limits.clone();
        Ok(self.search(game, &limits, goes_on))
    }

    /// The solver finds mates that the search prunes, the search finds long ones by its evaluation; the solver then proves those
    /// along the search's line, with the search as its adviser. The search has the whole limit, so that no mate is missed that
    /// an analysis with the same limit tells; the solver and the proof have half of it each.
    fn find_mate(&mut self, game: &Game, moves: u32) -> AnalysisResult<MateSearch> {
        let solved = self.mates.solve(game, moves, None, &self.solving)?;
        if matches!(solved.verdict, MateVerdict::Shortest | MateVerdict::NoMate) {
            return Ok(solved);
        }
        let known = solved.analysis.mate().map_or(moves, |mate| mate.get() - 1);
        let searched = self.search(game, &Limits { mate: Some(known), ..self.limits.clone() }, &mut |_| true);
        let parts = [&solved.analysis, &searched];
        let nodes: u64 = parts.iter().filter_map(|part| part.nodes).sum();
        let time = parts.iter().map(|part| part.time).sum();
        let found = |best: MateSearch, nodes, time| {
            Ok(MateSearch {
                analysis: PositionAnalysis { nodes: Some(nodes), time, ..best.analysis },
                ..best
            })
        };
        let Some(told) = searched.mate().filter(|mate| mate.get() <= known) else {
            return found(solved, nodes, time);
        };
        let most = self.solving.nodes.unwrap_or(PROOF_NODES).max(LEAST_PROOF_NODES);
        let limits = Limits { nodes: Some(most), ..Limits::default() };
        let proof = self.mates.prove_told(game, told.get(), (&searched, &mut self.playing), &limits)?;
        let (nodes, time) = (nodes + proof.analysis.nodes.unwrap_or(0), time + proof.analysis.time);
        let is_news = proof.analysis.mate().is_some() || solved.analysis.mate().is_none();
        found(if is_news { proof } else { solved }, nodes, time)
    }
}

/// Converts a limit into search limits.
pub(super) fn limits(limit: &TimeControl) -> Limits {
    engine::limits(Clock::new(limit.clone()).move_limits(game::Color::White, Instant::now()))
}

/// Node limit for the proof of a mate that a program tells, or the search under a limit of time; about a second.
pub(super) const PROOF_NODES: u64 = 1_000_000;
/// Nodes that the proof of a mate which the search tells has at least, even beyond the limit.
const LEAST_PROOF_NODES: u64 = 100_000;

impl MateProver {
    /// Creates a prover whose solver has a table of this size in MiB.
    pub(super) fn new(mebibytes: usize) -> MateProver {
        MateProver { mebibytes, solver: None, few_men: FewMen::default() }
    }

    /// Proves the mate in at most `moves` moves that an analysis tells, or refutes it.
    pub(super) fn prove_told(
        &mut self,
        game: &Game,
        moves: u32,
        (told, adviser): (&PositionAnalysis, &mut PlayingSearch),
        limits: &Limits,
    ) -> AnalysisResult<MateSearch> {
        let mut search = self.solve(game, moves, Some((&told.line, adviser)), limits)?;
        search.verdict = match search.verdict {
            MateVerdict::NoMate => MateVerdict::Refuted,
            MateVerdict::Undecided => MateVerdict::Unproven,
            decided => decided,
        };
        Ok(search)
    }

    /// Searches for the shortest mate in at most `moves` moves, first along the told line, if there is one.
    fn solve(
        &mut self,
        game: &Game,
        moves: u32,
        told: Option<(&[game::Move], &mut PlayingSearch)>,
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
            match told {
                Some((line, adviser)) => {
                    let line: Vec<_> = line.iter().map(|mv| engine::to_search(*mv)).collect();
                    solver.solve_told(&root, problem, (&line, adviser), limits, &control, &clock)
                }
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
    /// Bounds are only reported when a search takes long, and with the beginning of a line, so that a slower machine would find other
    /// lines.
    fn report(&mut self, report: &Report) {
        let line = engine::line_from_search(self.game, report.principal_variation);
        if report.line > 1 {
            if report.bound == Bound::Exact {
                self.last.set_other(report.line, line, engine::score(report.score));
            }
            return;
        }
        if report.bound == Bound::Exact {
            self.last = PositionAnalysis {
                line,
                score: Some(engine::score(report.score)),
                depth: Some(report.depth),
                nodes: Some(report.nodes),
                time: report.elapsed,
                others: std::mem::take(&mut self.last.others),
            };
        }
        if !(self.goes_on)(&self.last) {
            self.control.stop();
        }
    }
}
