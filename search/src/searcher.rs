//! What lasts from one search to the next: the hash table and what each thread has learnt about moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::control::Control;
use crate::limits::{Clock, Limits, Root};
use crate::network::Network;
use crate::observer::{Answer, Bound, Observer};
use crate::parameters::step;
use crate::reductions::Reductions;
use crate::score::Score;
use crate::static_evaluation::StaticEvaluator;
use crate::style::Style;
use crate::table::Table;
use crate::time::Budget;
use crate::vote::{Found, elect};
use crate::worker::{Memory, Shared, Worker};

/// Stack of a search thread in bytes: room for [`crate::MAX_PLY`] nodes and as much again.
pub const STACK_SIZE: usize = 8 << 20;

/// Searches positions, one at a time, on any number of threads that share a hash table (lazy SMP).
pub struct Searcher {
    table: Table,
    reductions: Reductions,
    style: Style,
    network: Arc<Network>,
    /// One for each thread.
    memories: Vec<Memory>,
}

impl Searcher {
    /// A searcher with one thread and the network that is part of the program.
    pub fn new(table: Table) -> Searcher {
        let network = Network::embedded();
        Searcher {
            table,
            reductions: Reductions::new(),
            style: Style::default(),
            memories: vec![Memory::new(&network)],
            network,
        }
    }

    /// Replaces the hash table; what the old one knew is lost.
    pub fn use_table(&mut self, table: Table) {
        self.table = table;
    }

    /// The hash table, lent to a search by other rules: one that knows variants.
    pub fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// Does what would slow down the first search.
    pub fn warm_up(&mut self) {
        self.table.warm_up();
    }

    /// Sets the number of threads, at least 1.
    pub fn use_threads(&mut self, threads: usize) {
        let network = &self.network;
        self.memories.resize_with(threads.max(1), || Memory::new(network));
    }

    /// How to play from the next search on. What earlier searches found in another style stays in the hash table.
    pub fn use_style(&mut self, style: Style) {
        self.style = style;
    }

    /// The network to evaluate positions with from the next search on. What earlier searches found is forgotten.
    pub fn use_network(&mut self, network: Arc<Network>) {
        for memory in &mut self.memories {
            memory.evaluator = StaticEvaluator::new(&network);
        }
        self.network = network;
        self.clear();
    }

    /// Forgets what earlier searches found out, as for a new game.
    pub fn clear(&mut self) {
        #[cfg(feature = "tuning")]
        {
            self.reductions = Reductions::new();
        }
        self.table.clear();
        self.memories.iter_mut().for_each(|memory| memory.histories.clear());
    }

    /// Searches until a limit is reached or `control` says stop, on the calling thread and, if there are more, on
    /// others that end before this returns. The calling thread needs [`STACK_SIZE`].
    ///
    /// With one thread and without a time limit the result depends on the searcher's memory and the arguments alone.
    pub fn think(
        &mut self,
        root: &Root,
        limits: &Limits,
        control: &Control,
        clock: &dyn Clock,
        observer: &mut dyn Observer,
    ) -> Answer {
        self.table.begin_search();
        let shared = Shared {
            table: &self.table,
            reductions: &self.reductions,
            root,
            limits,
            style: &self.style,
            budget: Budget::new(limits.time, limits.overhead),
            control,
            clock,
            finished: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            tablebase_hits: AtomicU64::new(0),
        };
        let Some((first, others)) = self.memories.split_first_mut() else {
            unreachable!("one thread at least")
        };
        let found: Vec<Found> = std::thread::scope(|scope| {
            let shared = &shared;
            let helpers: Vec<_> = others
                .iter_mut()
                .filter_map(|memory| {
                    let search = move || Worker::new(shared, memory, false).find(&mut ());
                    // A helper that can't be started is merely missing.
                    std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, search).ok()
                })
                .collect();
            let first = Worker::new(shared, first, true).find(observer);
            shared.finished.store(true, Ordering::Relaxed);
            first.into_iter().chain(helpers.into_iter().filter_map(|helper| helper.join().ok()?)).collect()
        });
        // Of several lines, the first thread has told the first; all must fit together.
        let is_vote = step!(voting, limits.lines <= 1);
        let elected = if is_vote { elect(&found) } else { found.first() };
        if let (Some(elected), Some(first)) = (elected, found.first())
            && elected.best.mv != first.best.mv
        {
            shared.report(elected, 1, Bound::Exact, observer);
        }
        answer(&shared, elected)
    }
}

fn answer(shared: &Shared, found: Option<&Found>) -> Answer {
    let nodes = shared.nodes.load(Ordering::Relaxed);
    let Some(Found { depth, best, .. }) = found else {
        let position = &shared.root.position;
        let is_mate = position.is_check() && position.legal_moves().is_empty();
        let score = if is_mate { Score::mated_at(0) } else { Score::DRAW };
        return Answer { best: None, ponder: None, score, depth: 0, nodes };
    };
    let expected = || {
        let next = shared.root.position.make(best.mv);
        shared.table.probe(next.table_key())?.best.filter(|&m| next.is_legal(m))
    };
    let ponder = best.line.get(1).copied().or_else(expected);
    Answer { best: Some(best.mv), ponder, score: best.score, depth: *depth as u32, nodes }
}
