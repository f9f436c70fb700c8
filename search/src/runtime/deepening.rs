//! Ever deeper iterations, by whatever rules: a search that can search its root once is deepened by [`Deepening`].

use std::cmp::Reverse;
use std::time::Duration;

use crate::moves::Move;
use crate::parameters as p;
use crate::runtime::control::Control;
use crate::runtime::limits::{Limits, TimeLimit};
use crate::runtime::observer::{Bound, Observer};
use crate::runtime::time_manager::Budget;
use crate::runtime::variation::Variations;
use crate::score::{MAX_PLY, Score, Verdict};

/// The search was told to end. Leaving it is an ordinary return path.
#[derive(Debug)]
pub struct Stopped;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// What the move was last found to be worth.
    pub score: Score,
    /// The same in the search under way; `-INFINITE` while it has not been found better than the moves before it.
    pub rank: Score,
    /// The line that it begins, itself included.
    pub line: Vec<Move>,
    /// Moves made below this one in the whole search.
    pub nodes: u64,
}

/// How far a search has come.
pub struct Progress {
    /// The moves that may be played, best first.
    pub root_moves: Vec<RootMove>,
    /// Which of several lines is being searched, from 0: the root moves before it are settled.
    pub line: usize,
    /// The iteration under way, in plies.
    pub depth: i32,
    /// The longest line looked at, in plies.
    pub selective_depth: usize,
}

impl Progress {
    /// Nothing is known of these moves.
    pub fn new(moves: impl IntoIterator<Item = Move>) -> Progress {
        let root_move =
            |mv| RootMove { mv, score: Score::DRAW, rank: -Score::INFINITE, line: vec![mv], nodes: 0 };
        let root_moves = moves.into_iter().map(root_move).collect();
        Progress { root_moves, line: 0, depth: 0, selective_depth: 0 }
    }

    /// Notes what a root move has cost. If it was found better than the moves before it, also its value and the line that
    /// `variations` have from ply 1 on.
    pub fn note(&mut self, index: usize, nodes: u64, better: Option<(Score, &Variations)>) {
        let root = &mut self.root_moves[index];
        root.nodes += nodes;
        if let Some((score, variations)) = better {
            (root.score, root.rank) = (score, score);
            root.line.truncate(1);
            root.line.extend(variations.get(1));
        }
    }

    /// Puts the first lines in the order of their scores: a later one may have turned out better, since it was searched
    /// with what the earlier ones left in the hash table.
    fn rank_lines(&mut self, lines: usize) {
        self.root_moves[..lines].sort_by_key(|root| Reverse(root.score));
    }

    /// The moves that are not settled.
    fn open_moves(&mut self) -> &mut [RootMove] {
        &mut self.root_moves[self.line..]
    }
}

/// The windows around an expected score, in centipawns.
#[derive(Clone, Copy, Debug)]
pub struct Aspiration {
    /// Windows are used from this depth on; below, scores move too much.
    pub depth: i32,
    /// Half the width of the first one.
    pub margin: i32,
    /// A margin that has grown beyond this is given up.
    pub limit: i32,
}

/// What may end a search.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// What it was asked.
    pub limits: &'a Limits,
    /// The time that it has.
    pub budget: Option<Budget>,
    /// By what others steer it.
    pub control: &'a Control,
}

/// A search that knows how to search its root to a depth.
pub trait Deepening {
    /// Its windows.
    fn aspiration(&self) -> Aspiration;

    /// How far it has come.
    fn progress(&self) -> &Progress;

    /// The same, to be changed.
    fn progress_mut(&mut self) -> &mut Progress;

    /// What may end it.
    fn bounds(&self) -> Bounds<'_>;

    /// Moves made by this thread.
    fn own_nodes(&self) -> u64;

    /// Moves made by all threads, and the time on the search's clock.
    fn spent(&mut self) -> (u64, Duration);

    /// Searches the root moves that are not settled, in their order, to the depth of the iteration.
    ///
    /// # Errors
    /// It was told to end.
    fn search_root(
        &mut self,
        alpha: Score,
        beta: Score,
        observer: &mut dyn Observer,
    ) -> Result<Score, Stopped>;

    /// Tells the observer about the current line.
    fn report(&mut self, bound: Bound, observer: &mut dyn Observer);

    /// Whether this thread decides when the search has found enough.
    fn decides(&self) -> bool {
        true
    }

    /// Searches ever deeper until a limit is reached or someone says stop. Returns the last completed iteration.
    fn deepen(&mut self, observer: &mut dyn Observer) -> i32 {
        if self.progress().root_moves.is_empty() {
            return 0;
        }
        let limits = self.bounds().limits;
        let lines = limits.lines.clamp(1, self.progress().root_moves.len());
        let deepest = limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1) as i32;
        let mut stability = Stability::default();
        let mut completed = 0;
        for depth in 1..=deepest {
            // Helpers skip every other depth: ahead of the thread that decides, they find what it will need in the hash table.
            if !self.decides() && depth % 2 == 0 {
                continue;
            }
            self.progress_mut().depth = depth;
            let expected: Vec<Score> =
                self.progress().root_moves.iter().take(lines).map(|root| root.score).collect();
            for (line, score) in expected.into_iter().enumerate() {
                let progress = self.progress_mut();
                (progress.line, progress.selective_depth) = (line, 0);
                if self.aspire(score, observer).is_err() {
                    self.progress_mut().rank_lines(line);
                    return completed;
                }
            }
            self.progress_mut().rank_lines(lines);
            for line in 0..lines {
                self.progress_mut().line = line;
                self.report(Bound::Exact, observer);
            }
            completed = depth;
            stability.note(&self.progress().root_moves[0]);
            if self.decides() && self.is_enough(&stability) {
                break;
            }
        }
        completed
    }

    /// One iteration for one line, with a window around the expected score that widens where it fails.
    ///
    /// # Errors
    /// The search was told to end.
    fn aspire(&mut self, expected: Score, observer: &mut dyn Observer) -> Result<(), Stopped> {
        let Aspiration { depth, mut margin, limit } = self.aspiration();
        let narrow = self.progress().depth >= depth && !expected.is_mate();
        let (mut alpha, mut beta) =
            if narrow { (expected - margin, expected + margin) } else { (-Score::INFINITE, Score::INFINITE) };
        loop {
            self.progress_mut().open_moves().iter_mut().for_each(|root| root.rank = -Score::INFINITE);
            let result = self.search_root(alpha, beta, observer);
            // The sort is stable, so that moves which were not better keep the order of earlier iterations. If the
            // search was stopped before it found anything, the old order stands.
            self.progress_mut().open_moves().sort_by_key(|root| Reverse(root.rank));
            let score = result?;
            if score <= alpha {
                self.report(Bound::Upper, observer);
                beta = Score::from_value(i32::midpoint(alpha.value(), beta.value()));
                alpha = (score - margin).max(-Score::INFINITE);
            } else if score >= beta {
                self.report(Bound::Lower, observer);
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

    /// Whether another iteration is not worth beginning.
    fn is_enough(&mut self, stability: &Stability) -> bool {
        let (nodes, elapsed) = self.spent();
        let Progress { root_moves, depth, .. } = self.progress();
        let Bounds { limits, budget, control } = self.bounds();
        let verdict = root_moves[0].score.verdict();
        let mates_within = |moves| matches!(verdict, Verdict::MateIn(found) if found <= moves);
        if limits.mate.is_some_and(mates_within) || limits.soft_nodes.is_some_and(|limit| nodes >= limit) {
            return true;
        }
        let Some(budget) = budget.filter(|_| !control.is_pondering()) else { return false };
        if !matches!(limits.time, TimeLimit::Clock { .. }) {
            return elapsed >= budget.soft;
        }
        // An only move needs no thought, nor does a mate much shorter than the search is deep.
        let is_clear = root_moves.len() == 1 || mates_within(*depth as u32 / 3);
        let share = (100 * root_moves[0].nodes / self.own_nodes().max(1)) as u32;
        is_clear || elapsed >= budget.stretched(stability.factor(share))
    }
}

/// Searches that fail are only worth telling when they take so long.
pub const WORTH_TELLING: Duration = Duration::from_secs(3);

/// How settled the search is on its best move, over the iterations.
#[derive(Default)]
pub struct Stability {
    best: Option<Move>,
    unchanged: u32,
    score: Option<Score>,
    falling: i32,
}

impl Stability {
    /// Notes what an iteration found best.
    fn note(&mut self, root: &RootMove) {
        self.unchanged = if self.best == Some(root.mv) { self.unchanged + 1 } else { 0 };
        self.falling = self.score.map_or(0, |before| before.value() - root.score.value());
        (self.best, self.score) = (Some(root.mv), Some(root.score));
    }

    /// What to make of the soft limit, in percent: less for a best move that stays and that most of the work went into
    /// (`share`, in percent), as its rivals are refuted quickly; more for a score that falls.
    fn factor(&self, share: u32) -> u32 {
        let by_move = [140, 118, 104, 97, 92, 88, 85][self.unchanged.min(6) as usize];
        let by_share = 210 - 140 * share.min(100) / 100;
        let by_score = (100 + self.falling.clamp(-10, 50)) as u32;
        let part = |is_used: i32, percent| if is_used > 0 { percent } else { 100 };
        part(p::best_move_stability(), by_move)
            * part(p::node_share_of_best_move(), by_share)
            * part(p::score_trend(), by_score)
            / 10_000
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;

    /// What has settled after iterations that found so much for the move to some square each.
    fn after(iterations: &[(Square, i32)]) -> Stability {
        let mut stability = Stability::default();
        for &(to, score) in iterations {
            let score = Score::from_value(score);
            let mv = Move::new(Square::E1, to);
            stability.note(&RootMove { mv, score, rank: score, line: vec![mv], nodes: 0 });
        }
        stability
    }

    #[test]
    fn a_doubtful_best_move_gets_more_time() {
        const D1: Square = Square::D1;
        let settled = after(&[(D1, 20); 8]);
        assert!(settled.factor(50) < 130);
        assert!(
            after(&[(D1, 20), (D1, 20), (Square::F1, 20)]).factor(50) > settled.factor(50),
            "another move"
        );
        assert!(settled.factor(20) > settled.factor(50) && settled.factor(50) > settled.factor(95), "rivals");
        let fallen = after(&[[(D1, 20); 8].as_slice(), &[(D1, -20)]].concat());
        let risen = after(&[[(D1, 20); 8].as_slice(), &[(D1, 60)]].concat());
        assert!(fallen.factor(50) > settled.factor(50) && settled.factor(50) > risen.factor(50));
    }
}
