//! The thinking thread.

use std::sync::Arc;

use game::{Game, ScoreBound, SyzygyTables, SyzygyValue};
use search::mate::{Finding, Goal, Problem, Solver};
use search::network::Network;
use search::{Answer, Control, Limits, Observer, Report, Root, Score, Searcher, Style, Table, TimeLimit};
use variants::Board;

use super::{Decision, SearchLine, SearchTask, TaskId, Thought};
use crate::bridge::{self, from_search, line_from_search, to_search};
use crate::endgame_tables::Probe;

/// Memory of the mate solver for a requested mate, in MiB, in addition to the hash table.
const MATE_TABLE_MEBIBYTES: usize = 64;

pub(super) struct Job {
    pub(super) id: TaskId,
    pub(super) game: Game,
    pub(super) task: SearchTask,
    pub(super) style: Style,
    /// Whether endgame tables may be probed.
    pub(super) uses_tablebases: bool,
    /// Positions with values set by the user.
    pub(super) told_values: Vec<(u64, Score)>,
    pub(super) control: Arc<Control>,
}

impl Job {
    /// Completes a root of the game with the data of the task.
    fn complete<P>(&self, root: Root<P>) -> Root<P> {
        let allowed = self.task.allowed.as_ref();
        Root {
            allowed: allowed.map(|moves| moves.iter().copied().map(to_search).collect()),
            told_values: self.told_values.clone(),
            style: self.style.clone(),
            ..root
        }
    }
}

/// Receives the reports of a task.
type Listener = Box<dyn FnMut(TaskId, Thought) + Send>;

pub(super) struct Worker {
    /// The hash table, lent to the searcher in use.
    pub(super) table: Table,
    threads: usize,
    searcher: Searcher,
    /// Created for the first game of a variant.
    variants: Option<variants::Searcher>,
    pub(super) tablebases: Option<Arc<SyzygyTables>>,
    /// Whether a fault of the tables has been reported.
    pub(super) is_fault_told: bool,
    pub(super) listener: Listener,
}

impl Worker {
    pub(super) fn new(table: Table, listener: Listener) -> Worker {
        Worker {
            table,
            threads: 1,
            searcher: Searcher::default(),
            variants: None,
            tablebases: None,
            is_fault_told: false,
            listener,
        }
    }

    pub(super) fn use_network(&mut self, network: Arc<Network>) {
        self.table.clear();
        self.searcher.use_network(network);
    }

    pub(super) fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.searcher.use_threads(threads);
    }

    pub(super) fn forget(&mut self) {
        self.table.clear();
        self.searcher.clear();
        self.variants = None;
    }

    pub(super) fn think(&mut self, job: &Job) {
        let answer = match bridge::root(&job.game) {
            Some(root) => self.think_chess(job, job.complete(root)),
            None => self.think_variant(job, &job.complete(bridge::variant_root(&job.game))),
        };
        self.warn_of_tablebases(job.id);
        // A search that has reached its depth limit must not answer on the opponent's time.
        job.control.wait_until_released();
        (self.listener)(job.id, Thought::Done(decision(&job.game, &answer)));
    }

    fn think_chess(&mut self, job: &Job, mut root: Root) -> Answer {
        let tablebases = self.tablebases.as_ref().filter(|_| job.uses_tablebases);
        let root_probes = tablebases.and_then(|tables| keep_best_moves(job, &mut root, tables));
        // If the tables contain the root, the search finds the shortest way without them.
        let below_root = tablebases.filter(|_| root_probes.is_none());
        self.searcher.tablebases = below_root.map(|tables| Arc::new(Probe(Arc::clone(tables))) as _);
        let is_drawn = root_probes.is_some() && tablebases.is_some_and(|tables| is_drawn(job, tables));
        let root_probes = root_probes.unwrap_or_default();
        let mut reporter = Reporter { job, root_probes, is_drawn, listener: &mut self.listener };
        let (mate, limits) = find_mate(job, &root, &mut reporter);
        let (searcher, table) = (&mut self.searcher, &mut self.table);
        let answer = mate.unwrap_or_else(|| {
            searcher.think(table, &root, &limits, &job.control, &*job.task.clock, &mut reporter)
        });
        if is_drawn { Answer { score: Score::DRAW, ..answer } } else { answer }
    }

    /// Reports a faulty endgame table once.
    fn warn_of_tablebases(&mut self, id: TaskId) {
        let fault = self.tablebases.as_ref().and_then(|tables| tables.fault());
        if let Some(fault) = fault.filter(|_| !self.is_fault_told) {
            self.is_fault_told = true;
            (self.listener)(id, Thought::Warning(fault.to_string()));
        }
    }

    fn think_variant(&mut self, job: &Job, root: &Root<Board>) -> Answer {
        let mut reporter = Reporter { job, root_probes: 0, is_drawn: false, listener: &mut self.listener };
        let searcher = self.variants.get_or_insert_default();
        searcher.use_threads(self.threads);
        searcher.think(&mut self.table, root, &job.task.limits, &job.control, &*job.task.clock, &mut reporter)
    }
}

/// Solves a requested mate with the mate solver, which gets three quarters of the nodes and of a fixed time. Also
/// returns the remaining limits, with which the search continues if no mate was found.
fn find_mate(job: &Job, root: &Root, observer: &mut dyn Observer) -> (Option<Answer>, Limits) {
    let limits = job.task.limits.clone();
    let Some(moves) = limits.mate.filter(|_| limits.lines <= 1) else { return (None, limits) };
    let Ok(mut solver) = Solver::new(MATE_TABLE_MEBIBYTES) else { return (None, limits) };
    let problem = Problem { attacker: root.position.turn(), moves, goal: Goal::Within };
    let time = match limits.time {
        TimeLimit::PerMove(time) => TimeLimit::PerMove(time * 3 / 4),
        other => other,
    };
    let most = Limits { nodes: limits.nodes.map(|nodes| nodes - nodes / 4), time, ..limits.clone() };
    let solution = solver.solve(root, problem, &most, &job.control, &*job.task.clock, observer);
    let rest = limits.nodes.map(|nodes| nodes - solution.nodes);
    let answer = match solution.finding {
        Finding::Mate(mate) => Some(Answer {
            best: mate.line.first().copied(),
            ponder: mate.line.get(1).copied(),
            score: Score::mate_at(mate.line.len()),
            depth: mate.line.len() as u32,
            nodes: solution.nodes,
        }),
        Finding::NoMate | Finding::Undecided => None,
    };
    (answer, Limits { nodes: rest, ..limits })
}

/// Restricts the root to the moves that keep its value, if the endgame tables contain it. Returns the number of moves
/// that were probed. With several lines the other moves are needed too, so nothing is restricted.
fn keep_best_moves(job: &Job, root: &mut Root, tablebases: &SyzygyTables) -> Option<u64> {
    if job.task.limits.lines > 1 {
        return None;
    }
    let candidates = job.task.allowed.clone().unwrap_or_else(|| job.game.legal_moves().to_vec());
    let best = tablebases.noting_faults(tablebases.best_moves(&job.game, &candidates))?;
    root.allowed = Some(best.into_iter().map(to_search).collect());
    Some(candidates.len() as u64)
}

/// Returns whether the endgame tables have the root as a draw. Restricted root moves may have another value.
fn is_drawn(job: &Job, tablebases: &SyzygyTables) -> bool {
    let chess = job.game.chess().filter(|_| job.task.allowed.is_none());
    chess.and_then(|chess| tablebases.noting_faults(tablebases.probe(chess))) == Some(SyzygyValue::Draw)
}

fn decision(game: &Game, answer: &Answer) -> Decision {
    let line: Vec<search::Move> = answer.best.into_iter().chain(answer.ponder).collect();
    let mut line = line_from_search(game, &line).into_iter();
    Decision {
        best: line.next(),
        ponder: line.next(),
        score: bridge::score(answer.score),
        depth: answer.depth,
    }
}

/// Converts the search's reports for the listener.
struct Reporter<'a> {
    job: &'a Job,
    /// Number of tablebase probes before the search.
    root_probes: u64,
    /// Whether the endgame tables have the root as a draw.
    is_drawn: bool,
    listener: &'a mut Listener,
}

impl Observer for Reporter<'_> {
    fn report(&mut self, report: &Report) {
        let line = SearchLine {
            depth: report.depth,
            selective_depth: report.selective_depth,
            number: report.line,
            score: if self.is_drawn { game::Score::DRAW } else { bridge::score(report.score) },
            bound: if self.is_drawn { ScoreBound::Exact } else { bridge::bound(report.bound) },
            nodes: report.nodes,
            elapsed: report.elapsed,
            hash_full: report.hash_full,
            tablebase_hits: self.root_probes + report.tablebase_hits,
            moves: line_from_search(&self.job.game, report.principal_variation),
        };
        (self.listener)(self.job.id, Thought::Line(line));
    }

    fn root_move(&mut self, depth: u32, mv: search::Move, number: usize, total: usize) {
        if let Some(mv) = from_search(&self.job.game, mv) {
            (self.listener)(self.job.id, Thought::RootMove { depth, mv, number, total });
        }
    }
}
