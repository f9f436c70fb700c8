//! The thinking thread.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use game::{Game, Move, Tablebases};
use search::mate::{Finding, Goal, Problem, Solver};
use search::network::Network;
use search::{Answer, Clock, Control, Limits, Observer, Report, Score, Searcher, Style, Table, TimeLimit};

use super::{Decision, Line, TaskId, Thought};
use crate::bridge::{self, from_search, line_from_search, to_search};
use crate::endgame_tables::Probe;

/// What the mate solver may remember while it works on a mate that was asked for, besides the hash table.
const MATE_TABLE_MEBIBYTES: usize = 64;

/// What the session asks of the thinking thread, in order.
pub(super) enum Order {
    Think(Box<Job>),
    Play(TaskId, Decision),
    UseTablebases(Option<Arc<Tablebases>>),
    UseTable(Table),
    UseNetwork(Arc<Network>),
    UseThreads(usize),
    Forget,
    Answer(Sender<()>),
}

pub(super) struct Job {
    pub(super) id: TaskId,
    pub(super) game: Game,
    pub(super) allowed: Option<Vec<Move>>,
    pub(super) limits: Limits,
    pub(super) style: Style,
    /// Whether endgame tables may be asked.
    pub(super) uses_tablebases: bool,
    /// Positions whose value was told.
    pub(super) told_values: Vec<(u64, Score)>,
    pub(super) clock: Arc<dyn Clock + Send + Sync>,
    pub(super) control: Arc<Control>,
}

pub(super) struct Worker<L> {
    searcher: Searcher,
    /// Made for the first game of a variant; it uses the other's hash table.
    variants: Option<variants::Searcher>,
    tablebases: Option<Arc<Tablebases>>,
    /// Whether the user knows of a fault in them.
    is_fault_told: bool,
    listener: L,
}

impl<L: FnMut(TaskId, Thought)> Worker<L> {
    pub(super) fn new(table: Table, listener: L) -> Worker<L> {
        Worker {
            searcher: Searcher::new(table),
            variants: None,
            tablebases: None,
            is_fault_told: false,
            listener,
        }
    }

    pub(super) fn obey(&mut self, order: Order) {
        match order {
            Order::Think(job) => self.think(&job),
            Order::Play(id, decision) => (self.listener)(id, Thought::Done(decision)),
            Order::UseTablebases(tables) => (self.tablebases, self.is_fault_told) = (tables, false),
            Order::UseNetwork(network) => self.searcher.use_network(network),
            Order::UseTable(table) => self.searcher.use_table(table),
            Order::UseThreads(threads) => self.searcher.use_threads(threads),
            Order::Forget => {
                self.searcher.clear();
                self.variants = None;
            }
            Order::Answer(done) => {
                self.searcher.warm_up();
                let _ = done.send(());
            }
        }
    }

    fn think(&mut self, job: &Job) {
        let answer = match bridge::root(&job.game) {
            Some(root) => self.think_chess(job, root),
            None => self.think_variant(job),
        };
        self.warn_of_tablebases(job.id);
        // A search that ran out of depth must still not move on the opponent's time.
        job.control.wait_until_released();
        (self.listener)(job.id, Thought::Done(decision(&job.game, &answer)));
    }

    fn think_chess(&mut self, job: &Job, root: search::Root) -> Answer {
        let tablebases = self.tablebases.as_ref().filter(|_| job.uses_tablebases);
        let (root, root_probes) = prepare(job, root, tablebases);
        self.searcher.use_style(job.style.clone());
        let mut reporter = Reporter { job, root_probes, listener: &mut self.listener };
        let (mate, limits) = find_mate(job, &root, &mut reporter);
        mate.unwrap_or_else(|| self.searcher.think(&root, &limits, &job.control, &*job.clock, &mut reporter))
    }

    /// Tells of a faulty endgame table, once.
    fn warn_of_tablebases(&mut self, id: TaskId) {
        let fault = self.tablebases.as_ref().and_then(|tables| tables.fault());
        if let Some(fault) = fault.filter(|_| !self.is_fault_told) {
            self.is_fault_told = true;
            (self.listener)(id, Thought::Warning(fault.to_string()));
        }
    }

    fn think_variant(&mut self, job: &Job) -> Answer {
        let allowed = job.allowed.as_ref().map(|moves| moves.iter().copied().map(to_search).collect());
        let root = variants::Root { allowed, ..bridge::variant_root(&job.game) };
        let mut reporter = Reporter { job, root_probes: 0, listener: &mut self.listener };
        let searcher = self.variants.get_or_insert_default();
        let table = self.searcher.table_mut();
        searcher.think(table, &root, &job.limits, &job.control, &*job.clock, &mut reporter)
    }
}

/// A mate that is asked for is first of all a matter for the mate solver, which gets three quarters of the nodes and of a
/// fixed time. If it finds none, the search takes over within the limits that are returned.
fn find_mate(job: &Job, root: &search::Root, observer: &mut dyn Observer) -> (Option<Answer>, Limits) {
    let limits = job.limits.clone();
    let Some(moves) = limits.mate.filter(|_| limits.lines <= 1) else { return (None, limits) };
    let Ok(mut solver) = Solver::new(MATE_TABLE_MEBIBYTES) else { return (None, limits) };
    let problem = Problem { attacker: root.position.turn(), moves, goal: Goal::Within };
    let time = match limits.time {
        TimeLimit::PerMove(time) => TimeLimit::PerMove(time * 3 / 4),
        other => other,
    };
    let most = Limits { nodes: limits.nodes.map(|nodes| nodes - nodes / 4), time, ..limits.clone() };
    let solution = solver.solve(root, problem, &most, &job.control, &*job.clock, observer);
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

/// What to search, and how many moves the endgame tables have been asked about.
///
/// If they know the root, only the moves remain that keep what it is worth, and the search finds the shortest way by
/// itself; otherwise it asks them. With several lines the lesser moves are wanted, too.
fn prepare(job: &Job, mut root: search::Root, tablebases: Option<&Arc<Tablebases>>) -> (search::Root, u64) {
    root.told_values.clone_from(&job.told_values);
    let candidates = job.allowed.clone().unwrap_or_else(|| job.game.legal_moves().to_vec());
    let known = tablebases
        .filter(|_| job.limits.lines <= 1)
        .and_then(|tables| tables.noting_faults(tables.best_moves(&job.game, &candidates)));
    let allowed = known.as_ref().or(job.allowed.as_ref());
    root.allowed = allowed.map(|moves| moves.iter().copied().map(to_search).collect());
    if known.is_some() {
        return (root, candidates.len() as u64);
    }
    root.tablebases = tablebases.map(|tables| Arc::new(Probe(Arc::clone(tables))) as _);
    (root, 0)
}

fn decision(game: &Game, answer: &Answer) -> Decision {
    let best = answer.best.and_then(|m| from_search(game, m));
    let line: Vec<search::Move> = answer.best.into_iter().chain(answer.ponder).collect();
    Decision {
        best,
        ponder: line_from_search(game, &line).get(1).copied(),
        score: bridge::score(answer.score),
    }
}

/// Translates the search's reports for the listener.
struct Reporter<'a, L> {
    job: &'a Job,
    /// Tablebase probes before the search.
    root_probes: u64,
    listener: &'a mut L,
}

impl<L: FnMut(TaskId, Thought)> Observer for Reporter<'_, L> {
    fn report(&mut self, report: &Report) {
        let line = Line {
            depth: report.depth,
            selective_depth: report.selective_depth,
            number: report.line,
            score: bridge::score(report.score),
            bound: report.bound,
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
