//! The thinking thread.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use search::{Answer, Clock, Control, Limits, Observer, Report, Score, Searcher, Style, Table};
use shakmaty::Move;

use super::{Decision, Line, TaskId, Thought};
use crate::Game;
use crate::tablebases::Tablebases;

/// What the session asks of the thinking thread, in order.
pub(super) enum Order {
    Think(Box<Job>),
    Play(TaskId, Decision),
    UseTablebases(Option<Arc<Tablebases>>),
    UseTable(Table),
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
    tablebases: Option<Arc<Tablebases>>,
    listener: L,
}

impl<L: FnMut(TaskId, Thought)> Worker<L> {
    pub(super) fn new(table: Table, listener: L) -> Worker<L> {
        Worker { searcher: Searcher::new(table), tablebases: None, listener }
    }

    pub(super) fn obey(&mut self, order: Order) {
        match order {
            Order::Think(job) => self.think(&job),
            Order::Play(id, decision) => (self.listener)(id, Thought::Done(decision)),
            Order::UseTablebases(tables) => self.tablebases = tables,
            Order::UseTable(table) => self.searcher.use_table(table),
            Order::UseThreads(threads) => self.searcher.use_threads(threads),
            Order::Forget => self.searcher.clear(),
            Order::Answer(done) => {
                self.searcher.warm_up();
                let _ = done.send(());
            }
        }
    }

    fn think(&mut self, job: &Job) {
        let tablebases = self.tablebases.as_ref().filter(|_| job.uses_tablebases);
        let (root, root_probes) = root(job, tablebases);
        self.searcher.use_style(job.style.clone());
        let mut reporter = Reporter { job, root_probes, listener: &mut self.listener };
        let answer = self.searcher.think(&root, &job.limits, &job.control, &*job.clock, &mut reporter);
        // A search that ran out of depth must still not move on the opponent's time.
        job.control.wait_until_released();
        (self.listener)(job.id, Thought::Done(decision(&job.game, &answer)));
    }
}

/// What to search, and how many moves the endgame tables have been asked about.
///
/// If they know the root, only the moves remain that keep what it is worth, and the search finds the shortest way by
/// itself; otherwise it asks them. With several lines the lesser moves are wanted, too.
fn root(job: &Job, tablebases: Option<&Arc<Tablebases>>) -> (search::Root, u64) {
    let mut root = search::Root { told_values: job.told_values.clone(), ..job.game.root() };
    let candidates = job.allowed.clone().unwrap_or_else(|| job.game.legal_moves().to_vec());
    let known = tablebases
        .filter(|_| job.limits.lines <= 1)
        .and_then(|tables| tables.best_moves(&job.game, &candidates).ok().flatten());
    let allowed = known.as_ref().or(job.allowed.as_ref());
    root.allowed = allowed.map(|moves| moves.iter().copied().map(Game::to_search).collect());
    if known.is_some() {
        return (root, candidates.len() as u64);
    }
    root.tablebases = tablebases.map(|tables| Arc::clone(tables) as _);
    (root, 0)
}

fn decision(game: &Game, answer: &Answer) -> Decision {
    let best = answer.best.and_then(|m| game.from_search(m));
    let line: Vec<search::Move> = answer.best.into_iter().chain(answer.ponder).collect();
    Decision { best, ponder: game.line_from_search(&line).get(1).copied(), score: answer.score }
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
            score: report.score,
            bound: report.bound,
            nodes: report.nodes,
            elapsed: report.elapsed,
            hash_full: report.hash_full,
            tablebase_hits: self.root_probes + report.tablebase_hits,
            moves: self.job.game.line_from_search(report.principal_variation),
        };
        (self.listener)(self.job.id, Thought::Line(line));
    }

    fn root_move(&mut self, depth: u32, mv: search::Move, number: usize, total: usize) {
        if let Some(mv) = self.job.game.from_search(mv) {
            (self.listener)(self.job.id, Thought::RootMove { depth, mv, number, total });
        }
    }
}
