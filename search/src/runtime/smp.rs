//! A search on several threads that share a hash table and little else (lazy SMP).

use std::sync::atomic::Ordering;

use super::deepening::{RootSearch, deepen};
use super::observer::{Answer, Bound, Observer};
use super::shared::Shared;
use super::vote::{SearchResult, elect};
use super::{SearchPosition, SearchThread};
use crate::parameters::step;
use crate::score::Score;

/// Stack of a search thread in bytes: room for [`crate::MAX_PLY`] nodes and as much again.
pub const STACK_SIZE: usize = 8 << 20;

impl<P: SearchPosition> Shared<'_, P> {
    /// Searches until a limit is reached or the control says stop: on the calling thread, which needs [`STACK_SIZE`], with
    /// the first of `data`, and with each of the others on a thread that ends before this returns. `begin` makes the search
    /// of a thread.
    pub fn search<'s, D: Send, S: RootSearch<'s, Position = P>>(
        &'s self,
        data: &'s mut [D],
        observer: &mut dyn Observer,
        begin: impl Fn(SearchThread<'s, P>, &'s mut D) -> S + Sync,
    ) -> Answer {
        let Some((first, others)) = data.split_first_mut() else { return self.answer(None) };
        let results: Vec<SearchResult> = std::thread::scope(|scope| {
            let begin = &begin;
            let helpers: Vec<_> = others
                .iter_mut()
                .filter_map(|data| {
                    let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
                    // A helper that can't be started is merely missing.
                    thread.spawn_scoped(scope, move || self.find(data, false, &mut (), begin)).ok()
                })
                .collect();
            let first = self.find(first, true, observer, begin);
            self.finished.store(true, Ordering::Relaxed);
            first.into_iter().chain(helpers.into_iter().filter_map(|helper| helper.join().ok()?)).collect()
        });
        // Of several lines, the first thread has told the first; all must fit together.
        let is_vote = step!(voting, self.limits.lines <= 1);
        let elected = if is_vote { elect(&results) } else { results.first() };
        if let (Some(elected), Some(first)) = (elected, results.first())
            && elected.best.mv != first.best.mv
        {
            self.report(elected, 1, Bound::Exact, observer);
        }
        self.answer(elected)
    }

    /// What a thread finds; `None` if no move is allowed.
    fn find<'s, D, S: RootSearch<'s, Position = P>>(
        &'s self,
        data: &'s mut D,
        is_first: bool,
        observer: &mut dyn Observer,
        begin: &impl Fn(SearchThread<'s, P>, &'s mut D) -> S,
    ) -> Option<SearchResult> {
        let mut search = begin(SearchThread::new(self, is_first), data);
        let depth = deepen(&mut search, observer);
        search.thread().result(depth)
    }

    fn answer(&self, result: Option<&SearchResult>) -> Answer {
        let (position, nodes) = (&self.root.position, self.nodes.load(Ordering::Relaxed));
        let Some(SearchResult { depth, best, .. }) = result else {
            // Unless the game is over, moves were there, but none was allowed.
            let score = if position.moves().is_empty() { position.final_score() } else { Score::DRAW };
            return Answer { best: None, ponder: None, score, depth: 0, nodes };
        };
        // The expected reply may be known to the table if the line ends with the move.
        let expected = || {
            let next = position.after(best.mv)?;
            self.table.probe(next.table_key())?.best.filter(|m| next.moves().contains(m))
        };
        let ponder = best.line.get(1).copied().or_else(expected);
        Answer { best: Some(best.mv), ponder, score: best.score, depth: *depth as u32, nodes }
    }
}
