//! The state that the threads of one search share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::progress::Progress;
use crate::{Bound, Control, Limits, Observer, Report, Root, SearchClock, Table};

/// The state that the threads of one search share.
pub struct Shared<'a, P> {
    /// The hash table.
    pub table: &'a Table,
    /// The root of the search.
    pub root: &'a Root<P>,
    /// When the search ends.
    pub(crate) limits: &'a Limits,
    pub(super) control: &'a Control,
    clock: &'a dyn SearchClock,
    /// Set when the first thread has finished; the helpers then stop.
    pub(super) finished: AtomicBool,
    /// Nodes of all threads, as of their last polls.
    pub(super) nodes: AtomicU64,
    tablebase_hits: AtomicU64,
}

impl<'a, P> Shared<'a, P> {
    /// Starts a new search.
    pub fn new(
        table: &'a mut Table,
        root: &'a Root<P>,
        limits: &'a Limits,
        control: &'a Control,
        clock: &'a dyn SearchClock,
    ) -> Shared<'a, P> {
        table.begin_search();
        Shared {
            table,
            root,
            limits,
            control,
            clock,
            finished: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            tablebase_hits: AtomicU64::new(0),
        }
    }

    /// Counts a successful tablebase probe.
    pub(crate) fn note_tablebase_hit(&self) {
        self.tablebase_hits.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Relaxed)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.clock.elapsed(self.nodes.load(Ordering::Relaxed))
    }

    /// Reports the current line of a thread to the observer.
    pub(super) fn report(&self, progress: &Progress, bound: Bound, observer: &mut dyn Observer) {
        let Progress { ref root_moves, line, depth, selective_depth } = *progress;
        observer.report(&Report {
            depth: depth as u32,
            selective_depth: selective_depth as u32,
            line: line + 1,
            score: root_moves[line].score,
            bound,
            nodes: self.nodes.load(Ordering::Relaxed),
            elapsed: self.elapsed(),
            hash_full: self.table.permille_full(),
            tablebase_hits: self.tablebase_hits.load(Ordering::Relaxed),
            principal_variation: &root_moves[line].line,
        });
    }
}
