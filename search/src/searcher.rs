//! The chess searcher: keeps network, histories and endgame tables from one search to the next.

use std::sync::Arc;

use crate::network::Network;
use crate::runtime::{Root, Shared};
use crate::worker::{ChessWorker, ThreadData};
use crate::{Answer, Control, Limits, Observer, Reductions, SearchClock, Table, Tablebases};

/// Searches chess positions, one at a time, on any number of threads.
pub struct Searcher {
    reductions: Reductions,
    network: Arc<Network>,
    /// Endgame tables that are probed below the root.
    pub tablebases: Option<Arc<dyn Tablebases>>,
    /// Whether late move pruning is on. Without it a search of few nodes foresees more of what deeper ones find, and plays worse.
    pub prunes_late_moves: bool,
    /// The data of each thread.
    threads: Vec<ThreadData>,
}

impl Default for Searcher {
    /// Creates a searcher with one thread and the embedded network.
    fn default() -> Searcher {
        let network = Network::embedded();
        Searcher {
            reductions: Reductions::new(),
            tablebases: None,
            prunes_late_moves: true,
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

    /// Sets the network for the following searches and clears the histories. The caller clears the hash table.
    pub fn use_network(&mut self, network: Arc<Network>) {
        self.threads.fill_with(|| ThreadData::new(&network));
        self.network = network;
    }

    /// Clears the histories, as for a new game. The caller clears the hash table.
    pub fn clear(&mut self) {
        #[cfg(feature = "tuning")]
        {
            self.reductions = Reductions::new();
        }
        self.threads.iter_mut().for_each(|data| data.histories.clear());
    }

    /// Searches until a limit is reached or `control` stops the search. Uses the calling thread, which needs
    /// [`crate::STACK_SIZE`], and helper threads, which end before this returns.
    ///
    /// With one thread and without a time limit the result depends only on the histories, the table and the arguments.
    pub fn think(
        &mut self,
        table: &mut Table,
        root: &Root,
        limits: &Limits,
        control: &Control,
        clock: &dyn SearchClock,
        observer: &mut dyn Observer,
    ) -> Answer {
        let Searcher { reductions, tablebases, threads, prunes_late_moves, .. } = self;
        let tablebases = tablebases.as_deref();
        let shared = Shared::new(table, root, limits, control, clock);
        shared.search(threads, observer, |thread, data| {
            let mut worker = ChessWorker::new(thread, data, reductions, tablebases);
            worker.prunes_late_moves = *prunes_late_moves;
            worker
        })
    }
}
