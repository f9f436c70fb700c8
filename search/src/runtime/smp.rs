//! A search on several threads that share a hash table and little else (lazy SMP).

use std::sync::atomic::Ordering;

use super::deepening::{RootSearch, deepen};
use super::vote::elect;
use super::{Progress, SearchPosition, SearchThread, Shared};
use crate::parameters::step;
use crate::{Answer, Bound, Observer, Score};

/// Stack size of a search thread in bytes: twice what [`crate::MAX_PLY`] nodes need.
pub const STACK_SIZE: usize = 8 << 20;

impl<P: SearchPosition> Shared<'_, P> {
    /// Searches until a limit is reached or the control stops the search. The first of `data` is used by the calling thread,
    /// which needs [`STACK_SIZE`]; each of the others gets a helper thread, which ends before this returns. `begin` creates
    /// the search of a thread.
    pub fn search<'s, D: Send, S: RootSearch<'s, Position = P>>(
        &'s self,
        data: &'s mut [D],
        observer: &'s mut dyn Observer,
        begin: impl Fn(SearchThread<'s, P>, &'s mut D) -> S + Sync,
    ) -> Answer {
        let Some((first, others)) = data.split_first_mut() else { return self.answer(None) };
        let (results, observer): (Vec<Progress>, _) = std::thread::scope(|scope| {
            let begin = &begin;
            let helpers: Vec<_> = others
                .iter_mut()
                .filter_map(|data| {
                    let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
                    // The search goes on without a helper that can't be started.
                    thread.spawn_scoped(scope, move || self.find(data, None, begin).0).ok()
                })
                .collect();
            let (first, observer) = self.find(first, Some(observer), begin);
            self.finished.store(true, Ordering::Relaxed);
            let others = helpers.into_iter().filter_map(|helper| helper.join().ok()?);
            (first.into_iter().chain(others).collect(), observer)
        });
        // No vote with several lines: the first thread has reported them, and the result must agree with its reports.
        let is_vote = step!(voting, self.limits.lines <= 1);
        let elected = if is_vote { elect(&results) } else { results.first() };
        if let (Some(elected), Some(first), Some(observer)) = (elected, results.first(), observer)
            && elected.best().mv != first.best().mv
        {
            self.report(elected, Bound::Exact, observer);
        }
        self.answer(elected)
    }

    /// Runs the search of one thread. Returns its progress, unless no move is allowed, and its observer.
    fn find<'s, D, S: RootSearch<'s, Position = P>>(
        &'s self,
        data: &'s mut D,
        observer: Option<&'s mut dyn Observer>,
        begin: &impl Fn(SearchThread<'s, P>, &'s mut D) -> S,
    ) -> (Option<Progress>, Option<&'s mut dyn Observer>) {
        let mut search = begin(SearchThread::new(self, observer), data);
        let depth = deepen(&mut search);
        let thread = search.thread();
        thread.all_nodes();
        let progress = std::mem::replace(&mut thread.progress, Progress::new([]));
        let found = (!progress.root_moves.is_empty()).then_some(Progress { depth, line: 0, ..progress });
        (found, thread.observer.take())
    }

    fn answer(&self, result: Option<&Progress>) -> Answer {
        let (position, nodes) = (&self.root.position, self.nodes.load(Ordering::Relaxed));
        let Some(progress) = result else {
            // If the game is not over, there are legal moves, but none is allowed.
            let score = if position.moves().is_empty() { position.final_score() } else { Score::DRAW };
            return Answer { best: None, ponder: None, score, depth: 0, nodes };
        };
        let best = progress.best();
        // If the line has only one move, the hash table may have the expected reply.
        let expected = || {
            let next = position.after(best.mv)?;
            self.table.probe(next.table_key())?.best.filter(|m| next.moves().contains(m))
        };
        let ponder = best.line.get(1).copied().or_else(expected);
        Answer { best: Some(best.mv), ponder, score: best.score, depth: progress.depth as u32, nodes }
    }
}
