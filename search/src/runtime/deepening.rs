//! Iterative deepening with aspiration windows, for any variant.

use super::{Progress, SearchPosition, SearchThread, Stopped};
use crate::{Bound, MAX_PLY, Move, Score, Verdict};

/// Parameters of the aspiration windows, in centipawns.
#[derive(Clone, Copy, Debug)]
pub struct Aspiration {
    /// Depth from which windows are used, in plies. Scores of shallower iterations vary too much.
    pub depth: i32,
    /// Half the width of the first window.
    pub margin: i32,
    /// Largest margin. Beyond it the window is opened fully.
    pub limit: i32,
}

/// A root move that is about to be searched.
#[derive(Clone, Copy, Debug)]
pub struct RootAttempt {
    /// The move.
    pub mv: Move,
    /// Number of the move in the order of the root moves of this line, from 1.
    pub number: usize,
    /// The score to beat.
    pub alpha: Score,
    /// The best score of the earlier moves.
    pub best: Score,
}

/// One thread of a search by the rules of a variant. It can search its root to a given depth.
pub trait RootSearch<'a>: Sized {
    /// The type of position.
    type Position: SearchPosition + 'a;

    /// The parameters of the aspiration windows.
    fn aspiration() -> Aspiration;

    /// The runtime's state of the thread.
    fn thread(&mut self) -> &mut SearchThread<'a, Self::Position>;

    /// Searches the root moves of the current line to the depth of the iteration, with [`RootSearch::try_root_moves`].
    ///
    /// # Errors
    /// The search was stopped.
    fn search_root(&mut self, alpha: Score, beta: Score) -> Result<Score, Stopped>;

    /// Tries the root moves of the current line in order until one reaches beta. Returns the best score and the last move
    /// that raised alpha. `search` returns the score of a move.
    ///
    /// # Errors
    /// The search was stopped.
    fn try_root_moves(
        &mut self,
        mut alpha: Score,
        beta: Score,
        mut search: impl FnMut(&mut Self, RootAttempt) -> Result<Score, Stopped>,
    ) -> Result<(Score, Option<Move>), Stopped> {
        let (mut best, mut best_move) = (-Score::INFINITE, None);
        let Progress { line, depth, ref root_moves, .. } = self.thread().progress;
        let total = root_moves.len();
        for index in line..total {
            let number = index - line + 1;
            let thread = self.thread();
            let (mv, nodes_before) = (thread.progress.root_moves[index].mv, thread.nodes);
            if let Some(observer) = &mut thread.observer {
                observer.root_move(depth as u32, mv, index + 1, total);
            }
            let score = search(self, RootAttempt { mv, number, alpha, best })?;
            let SearchThread { progress, variations, nodes, .. } = self.thread();
            let root = &mut progress.root_moves[index];
            root.nodes += *nodes - nodes_before;
            if number == 1 || score > alpha {
                (root.score, root.rank) = (score, score);
                root.line.truncate(1);
                root.line.extend(variations.get(1));
            }
            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move) = (score, Some(mv));
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        Ok((best, best_move))
    }
}

/// Searches with increasing depth until a limit is reached or the search is stopped. Returns the last completed iteration.
pub(super) fn deepen<'a>(search: &mut impl RootSearch<'a>) -> i32 {
    let thread = search.thread();
    let limits = thread.shared.limits;
    let moves = thread.progress.root_moves.len();
    if moves == 0 {
        return 0;
    }
    let lines = limits.lines.clamp(1, moves);
    let deepest = limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1) as i32;
    let mut completed = 0;
    for depth in 1..=deepest {
        // Helpers skip every other depth, so that they run ahead of the first thread and fill the hash table for it.
        if !search.thread().is_first() && depth % 2 == 0 {
            continue;
        }
        if search_depth(search, depth, lines).is_err() {
            break;
        }
        completed = depth;
        if is_enough(search.thread()) {
            break;
        }
    }
    completed
}

/// Searches all lines of one iteration.
fn search_depth<'a>(search: &mut impl RootSearch<'a>, depth: i32, lines: usize) -> Result<(), Stopped> {
    let progress = &mut search.thread().progress;
    progress.depth = depth;
    let expected: Vec<Score> = progress.root_moves.iter().take(lines).map(|root| root.score).collect();
    for (line, score) in expected.into_iter().enumerate() {
        let progress = &mut search.thread().progress;
        (progress.line, progress.selective_depth) = (line, 0);
        if let Err(stopped) = aspire(search, score) {
            search.thread().progress.rank_lines(line);
            return Err(stopped);
        }
    }
    let thread = search.thread();
    thread.progress.rank_lines(lines);
    for line in 0..lines {
        thread.progress.line = line;
        thread.report(Bound::Exact);
    }
    Ok(())
}

/// Searches one line of an iteration, with a window around the expected score that is widened after a fail low or high.
fn aspire<'a, S: RootSearch<'a>>(search: &mut S, expected: Score) -> Result<(), Stopped> {
    let Aspiration { depth, mut margin, limit } = S::aspiration();
    let narrow = search.thread().progress.depth >= depth && !expected.is_mate();
    let (mut alpha, mut beta) =
        if narrow { (expected - margin, expected + margin) } else { (-Score::INFINITE, Score::INFINITE) };
    loop {
        search.thread().progress.clear_ranks();
        let result = search.search_root(alpha, beta);
        let thread = search.thread();
        thread.progress.sort_by_rank();
        let score = result?;
        if score <= alpha {
            thread.report(Bound::Upper);
            beta = Score::from_value(i32::midpoint(alpha.value(), beta.value()));
            alpha = (score - margin).max(-Score::INFINITE);
        } else if score >= beta {
            thread.report(Bound::Lower);
            beta = (score + margin).min(Score::INFINITE);
        } else {
            return Ok(());
        }
        margin *= 2;
        if margin > limit || score.is_mate() {
            (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
        }
    }
}

/// Whether no further iteration is needed. Only the first thread decides this.
fn is_enough<P: SearchPosition>(thread: &mut SearchThread<P>) -> bool {
    if !thread.is_first() {
        return false;
    }
    let limits = thread.shared.limits;
    let best = thread.progress.best();
    let is_mate = |within| matches!(best.score.verdict(), Verdict::MateIn(moves) if moves <= within);
    limits.mate.is_some_and(is_mate)
        || limits.soft_nodes.is_some_and(|limit| thread.all_nodes() >= limit)
        || !thread.has_time_for_iteration()
}
