//! The question that waits for its answer.

use std::time::{Duration, Instant};

use super::super::question::LAST_WORD;
use super::{Answer, Asked};

/// Time for a program with a line to move when it is told to. Then a move is made in its place.
const HURRY: Duration = Duration::from_millis(500);

/// Time for a program to go on after it has claimed a wrong result.
const SULKING: Duration = Duration::from_secs(1);

impl Asked {
    /// Brings forward when the program has to be told to move, by what it shows of a limit that is looked after here.
    pub(super) fn foresee(&mut self, depth: Option<u32>, nodes: Option<u64>) {
        let (now, begun) = (Instant::now(), self.question.heard);
        let (mut by_nodes, mut by_depth) = (None, None);
        if let (Some(most), Some(nodes @ 1..)) = (self.question.nodes, nodes) {
            // At this speed the limit comes before the next line, perhaps.
            let left = (now - begun).mul_f64((most.saturating_sub(nodes)) as f64 / nodes as f64);
            by_nodes = now.checked_add(left);
        }
        if self.question.is_analysis && self.question.depth.is_some() && depth == self.question.depth {
            // A better line of this depth may come.
            by_depth = Some(now + (now - begun).max(LAST_WORD));
        }
        self.due = [self.due, by_nodes, by_depth].into_iter().flatten().min();
    }

    /// When a program that has claimed a wrong result counts as one that plays no more.
    pub(super) fn gone_since(&self) -> Option<Instant> {
        self.silent_since.map(|since| since + SULKING)
    }

    /// Time for a program with a line, which was told to move at a moment. Under a limit of nodes it is no longer than what they took, so
    /// that they are at most twice as many.
    pub(super) fn last_word(&self, hurried: Instant) -> Duration {
        if self.question.nodes.is_none() {
            return HURRY;
        }
        hurried.saturating_duration_since(self.question.heard).clamp(LAST_WORD, HURRY)
    }

    /// When a program that was told to move is no longer waited for.
    pub(super) fn limit(&self, patience: Duration) -> Option<Instant> {
        let limit = self.hurried? + patience;
        Some(self.question.last_moment().map_or(limit, |last_moment| last_moment.min(limit)))
    }

    /// The move in the place of a program that makes none: the first one of its best line, or else any.
    pub(super) fn instead(&self) -> Option<Answer> {
        let roots = &self.question.roots;
        let best = self.line.first().copied().filter(|best| roots.is_empty() || roots.contains(best));
        let any = || roots.first().copied().or_else(|| self.question.game.legal_moves().first().copied());
        let expected = self.line.get(1).copied().filter(|_| best.is_some());
        best.or_else(any).map(|mv| Answer { mv, expected })
    }
}
