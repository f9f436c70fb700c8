//! What lasts from one search of chess to the next: what each thread has learnt about moves, and what it evaluates with.

use std::sync::Arc;

use crate::history::Histories;
use crate::network::Network;
use crate::reductions::Reductions;
use crate::runtime::control::Control;
use crate::runtime::limits::{Limits, SearchClock};
use crate::runtime::observer::{Answer, Observer};
use crate::runtime::{Root, Shared};
use crate::table::Table;
use crate::tablebases::Tablebases;
use crate::worker::{ChessWorker, ThreadData};

/// Searches positions of chess, one at a time, on any number of threads.
pub struct Searcher {
    reductions: Reductions,
    network: Arc<Network>,
    /// Endgame tables to be asked below the root.
    pub tablebases: Option<Arc<dyn Tablebases>>,
    /// One for each thread.
    threads: Vec<ThreadData>,
}

impl Default for Searcher {
    /// A searcher with one thread and the network that is part of the program.
    fn default() -> Searcher {
        let network = Network::embedded();
        Searcher {
            reductions: Reductions::new(),
            tablebases: None,
            threads: vec![ThreadData::new(&network)],
            network,
        }
    }
}

impl Searcher {
    /// Sets the number of threads, at least 1.
    pub fn use_threads(&mut self, threads: usize) {
        let network = &self.network;
        self.threads.resize_with(threads.max(1), || ThreadData::new(network));
    }

    /// The network to evaluate positions with from the next search on. What earlier searches have learnt is forgotten; what
    /// they have left in a hash table is its owner's to clear.
    pub fn use_network(&mut self, network: Arc<Network>) {
        self.threads.fill_with(|| ThreadData::new(&network));
        self.network = network;
    }

    /// Forgets what earlier searches have learnt, as for a new game. The hash table is its owner's to clear.
    pub fn clear(&mut self) {
        #[cfg(feature = "tuning")]
        {
            self.reductions = Reductions::new();
        }
        self.threads.iter_mut().for_each(|data| data.histories = Histories::new());
    }

    /// Searches until a limit is reached or `control` says stop, on the calling thread and, if there are more, on
    /// others that end before this returns. The calling thread needs [`crate::STACK_SIZE`].
    ///
    /// With one thread and without a time limit the result depends on the searcher's memory, the table and the arguments
    /// alone.
    pub fn think(
        &mut self,
        table: &mut Table,
        root: &Root,
        limits: &Limits,
        control: &Control,
        clock: &dyn SearchClock,
        observer: &mut dyn Observer,
    ) -> Answer {
        let Searcher { reductions, tablebases, threads, .. } = self;
        let tablebases = tablebases.as_deref();
        let shared = Shared::new(table, root, limits, control, clock);
        shared
            .search(threads, observer, |thread, data| ChessWorker::new(thread, data, reductions, tablebases))
    }
}
