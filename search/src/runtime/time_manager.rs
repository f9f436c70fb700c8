//! The time manager: computes the time for a move from the clock.

use std::time::Duration;

use super::progress::Progress;
use crate::parameters::{self as p, step};
use crate::{Limits, Move, Score, TimeLimit, Verdict};

/// Decides when a search is over and whether another iteration is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeManager {
    /// After this time no new iteration is started.
    soft: Duration,
    /// After this time the search is stopped.
    hard: Duration,
    /// Whether the soft limit is scaled by how clear the best move is.
    is_flexible: bool,
    /// Best move and score of the last iteration.
    best: Option<(Move, Score)>,
    /// Number of iterations for which the best move has been the same.
    unchanged: usize,
    /// Centipawns by which the score fell in the last iteration.
    falling: i32,
}

impl TimeManager {
    /// Computes the time for the move with this number, 1 at the beginning of a game.
    pub(crate) fn new(limits: &Limits, move_number: u32) -> TimeManager {
        let fixed = |time| TimeManager::with_limits(time, time, false);
        match limits.time {
            TimeLimit::Unlimited => fixed(Duration::MAX),
            TimeLimit::PerMove(time) => fixed(time.saturating_sub(limits.overhead).max(time / 2)),
            TimeLimit::Clock { remaining, increment, moves_to_go } => {
                let left = remaining.saturating_sub(limits.overhead);
                let reserve = limits.overhead * p::reserved_overheads() as u32;
                let reserve = reserve.min(percent(left, p::max_reserved_percent()));
                let moves = moves_to_go.map_or_else(
                    || expected_moves(move_number),
                    |moves| moves.clamp(1, p::max_planned_moves() as u32),
                );
                TimeManager::with_clock(left.saturating_sub(reserve), increment, moves)
            }
        }
    }

    fn with_limits(soft: Duration, hard: Duration, is_flexible: bool) -> TimeManager {
        TimeManager { soft, hard, is_flexible, best: None, unchanged: 0, falling: 0 }
    }

    fn with_clock(left: Duration, increment: Duration, moves: u32) -> TimeManager {
        let share = left / moves + percent(increment, p::increment_percent());
        let most = if moves == 1 { p::max_percent_of_last_move() } else { p::max_percent_of_move() };
        let hard = (share * p::hard_limit_shares() as u32).min(percent(left, most));
        TimeManager::with_limits(percent(share, p::soft_limit_percent()).min(hard), hard, true)
    }

    /// Whether the search must stop.
    pub(crate) fn is_over(&self, elapsed: Duration) -> bool {
        elapsed >= self.hard
    }

    /// Records the result of an iteration.
    pub(super) fn note_iteration(&mut self, best: Move, score: Score) {
        let before = self.best.replace((best, score));
        self.unchanged =
            if before.is_some_and(|(before, _)| before == best) { self.unchanged + 1 } else { 0 };
        self.falling = before.map_or(0, |(_, before)| before.value() - score.value());
    }

    /// Whether another iteration may start. `nodes` are the nodes of this thread.
    pub(super) fn allows_iteration(&self, elapsed: Duration, progress: &Progress, nodes: u64) -> bool {
        if !self.is_flexible {
            return elapsed < self.soft;
        }
        let best = progress.best();
        // No more time for an only move, or for a mate much shorter than the depth.
        let short = (progress.depth / p::mate_depth_divisor()) as u32;
        let is_found = matches!(best.score.verdict(), Verdict::MateIn(moves) if moves <= short);
        let is_clear = progress.root_moves.len() == 1 || is_found;
        let share = (100 * best.nodes / nodes.max(1)) as i32;
        !is_clear && elapsed < percent(self.soft, self.stretch(share)).min(self.hard)
    }

    /// Returns the factor of the soft limit, in percent. It is smaller for a stable best move and for one that took most of
    /// the nodes (`share`, in percent), as its rivals are refuted quickly; larger for a falling score.
    fn stretch(&self, share: i32) -> i32 {
        let by_move =
            p::STRETCH_BY_UNCHANGED_MOVE[self.unchanged.min(p::STRETCH_BY_UNCHANGED_MOVE.len() - 1)];
        let by_share = p::stretch_of_no_share() - p::stretch_by_share() * share.min(100) / 100;
        let by_score =
            100 + self.falling.clamp(-p::max_cut_by_rising_score(), p::max_stretch_by_falling_score());
        step!(best_move_stability, by_move, else 100)
            * step!(node_share_of_best_move, by_share, else 100)
            * step!(score_trend, by_score, else 100)
            / 10_000
    }
}

/// Returns for how many more moves to plan. Each of the first moves of a game gets about the same time: equal shares of what is left
/// would spend most of it on the first ones.
fn expected_moves(move_number: u32) -> u32 {
    let fewer = i64::from(p::expected_moves_per_move()) * i64::from(move_number) / 100;
    (i64::from(p::expected_moves()) - fewer).max(p::fewest_expected_moves().into()) as u32
}

fn percent(time: Duration, percent: i32) -> Duration {
    time.saturating_mul(percent as u32) / 100
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn manager(time: TimeLimit, move_number: u32) -> TimeManager {
        TimeManager::new(&Limits { time, overhead: 10 * MS, ..Limits::default() }, move_number)
    }

    fn clock(remaining: u32, increment: u32, moves_to_go: Option<u32>) -> TimeManager {
        at_move(1, remaining, increment, moves_to_go)
    }

    fn at_move(number: u32, remaining: u32, increment: u32, moves_to_go: Option<u32>) -> TimeManager {
        let (remaining, increment) = (MS * remaining, MS * increment);
        manager(TimeLimit::Clock { remaining, increment, moves_to_go }, number)
    }

    #[test]
    fn a_game_played_at_the_soft_limit_never_runs_out() {
        for (start, increment) in [(100, 5), (1_000, 10), (60_000, 600), (300_000, 0)] {
            let mut left = start;
            for number in 1..=300 {
                let time = at_move(number, left, increment, None);
                let spent = time.hard.as_millis() as u32 + 1;
                assert!(spent <= left, "{left} ms left, may use {time:?}");
                left = left - time.soft.as_millis() as u32 + increment;
            }
        }
    }

    #[test]
    fn who_lives_on_the_increment_outlasts_a_machine_that_stands_still() {
        for (start, increment, kept) in [(100, 5, 50), (1_000, 10, 90)] {
            let mut left = start;
            for number in 1..=300 {
                left = left - at_move(number, left, increment, None).hard.as_millis() as u32 + increment;
            }
            assert!(left > kept, "{start}+{increment}: {left} ms left");
        }
    }

    #[test]
    fn the_first_moves_of_a_game_get_about_the_same_time() {
        let (mut left, mut shares) = (60_000, Vec::new());
        for number in 1..=20 {
            let soft = at_move(number, left, 600, None).soft.as_millis() as u32;
            left = left - soft * 8 / 5 + 600; // as the soft limit is stretched on average
            shares.push(soft);
        }
        let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
        assert!(*most * 4 < least * 5, "{shares:?}");
        assert_eq!(at_move(u32::MAX, left, 600, None), at_move(100, left, 600, None));
    }

    #[test]
    fn the_hard_limit_leaves_time_for_the_other_moves_of_the_session() {
        let mut left = 60_000;
        for to_go in (1..=40).rev() {
            let time = clock(left, 0, Some(to_go));
            assert!(time.hard + 10 * MS <= MS * left && time.soft <= time.hard);
            left -= time.hard.as_millis() as u32;
        }
    }

    #[test]
    fn fixed_time_is_used_but_for_the_overhead() {
        let per_move = |ms| manager(TimeLimit::PerMove(MS * ms), 1);
        assert_eq!(per_move(1000).hard, 990 * MS);
        assert_eq!(per_move(10).hard, 5 * MS);
        assert_eq!(per_move(0).hard, Duration::ZERO);
        assert!(!manager(TimeLimit::Unlimited, 1).is_over(Duration::from_secs(1 << 40)));
    }

    #[test]
    fn no_time_at_all_is_no_error() {
        assert_eq!(clock(0, 0, None).hard, Duration::ZERO);
        assert_eq!(clock(5, 0, Some(1)).hard, Duration::ZERO);
    }

    /// The time manager after iterations with these results: target square of the best move, and score.
    fn after(iterations: &[(Square, i32)]) -> TimeManager {
        let mut time = clock(60_000, 0, None);
        for &(to, score) in iterations {
            time.note_iteration(Move::new(Square::E1, to), Score::from_value(score));
        }
        time
    }

    #[test]
    fn a_doubtful_best_move_gets_more_time() {
        const D1: Square = Square::D1;
        let settled = after(&[(D1, 20); 8]);
        assert!(settled.stretch(50) < 130);
        assert!(
            after(&[(D1, 20), (D1, 20), (Square::F1, 20)]).stretch(50) > settled.stretch(50),
            "another move"
        );
        assert!(
            settled.stretch(20) > settled.stretch(50) && settled.stretch(50) > settled.stretch(95),
            "rivals"
        );
        let fallen = after(&[[(D1, 20); 8].as_slice(), &[(D1, -20)]].concat());
        let risen = after(&[[(D1, 20); 8].as_slice(), &[(D1, 60)]].concat());
        assert!(fallen.stretch(50) > settled.stretch(50) && settled.stretch(50) > risen.stretch(50));
    }
}
