//! The time manager: turns what the clock shows into how long to think.

use std::time::Duration;

use crate::runtime::limits::TimeLimit;

/// How long a move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// After this no new iteration is begun. Stretched or cut by how clear the best move is.
    pub soft: Duration,
    /// After this the search is cut off.
    pub hard: Duration,
}

/// Moves that a game is expected to last when the clock does not say.
const EXPECTED_MOVES: u32 = 28;
/// Of a long session, at most so many moves are planned for: positions at hand matter more than those to come.
const MAX_PLANNED_MOVES: u32 = 40;
/// Overheads that are not for spending: now and then a machine stands still for longer than one, and who lives on the
/// increment would have nothing left then.
const RESERVED_OVERHEADS: u32 = 8;
/// The most that is not for spending, in percent of what is left.
const MAX_RESERVED_PERCENT: u32 = 75;
/// Share of the increment that each move may count on, in percent.
const INCREMENT_PERCENT: u32 = 75;
/// The soft limit, in percent of a move's equal share: the rest goes to moves that need more.
const SOFT_PERCENT: u32 = 70;
/// The hard limit, in equal shares.
const HARD_SHARES: u32 = 4;
/// The most that one move may take of what is left while others must follow, in percent.
const MAX_PERCENT: u32 = 40;

impl Budget {
    /// The budget for one move; `None` if there is no time limit. `overhead` passes between our clock and the one that
    /// counts; it is kept in reserve.
    pub fn new(limit: TimeLimit, overhead: Duration) -> Option<Budget> {
        match limit {
            TimeLimit::Unlimited => None,
            TimeLimit::PerMove(time) => {
                let time = time.saturating_sub(overhead).max(time / 2);
                Some(Budget { soft: time, hard: time })
            }
            TimeLimit::Clock { remaining, increment, moves_to_go } => {
                let left = remaining.saturating_sub(overhead);
                let reserve = (overhead * RESERVED_OVERHEADS).min(percent(left, MAX_RESERVED_PERCENT));
                Some(Budget::of_clock(left.saturating_sub(reserve), increment, moves_to_go))
            }
        }
    }

    fn of_clock(left: Duration, increment: Duration, moves_to_go: Option<u32>) -> Budget {
        let moves = moves_to_go.unwrap_or(EXPECTED_MOVES).clamp(1, MAX_PLANNED_MOVES);
        let share = left / moves + percent(increment, INCREMENT_PERCENT);
        // The last move before new time comes may take nearly all.
        let most = percent(left, if moves == 1 { 90 } else { MAX_PERCENT });
        let hard = (share * HARD_SHARES).min(most);
        Budget { soft: percent(share, SOFT_PERCENT).min(hard), hard }
    }

    /// The soft limit with a factor in percent, never beyond the hard one.
    pub fn stretched(&self, factor: u32) -> Duration {
        percent(self.soft, factor).min(self.hard)
    }
}

fn percent(time: Duration, percent: u32) -> Duration {
    time.saturating_mul(percent) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn clock(remaining: u32, increment: u32, moves_to_go: Option<u32>) -> Budget {
        let limit = TimeLimit::Clock { remaining: MS * remaining, increment: MS * increment, moves_to_go };
        Budget::new(limit, 10 * MS).unwrap()
    }

    #[test]
    fn a_game_played_at_the_soft_limit_never_runs_out() {
        for (start, increment) in [(100, 5), (1_000, 10), (60_000, 600), (300_000, 0)] {
            let mut left = start;
            for _ in 0..300 {
                let budget = clock(left, increment, None);
                let spent = budget.hard.as_millis() as u32 + 1;
                assert!(spent <= left, "{left} ms left, may use {budget:?}");
                left = left - budget.soft.as_millis() as u32 + increment;
            }
        }
    }

    #[test]
    fn who_lives_on_the_increment_outlasts_a_machine_that_stands_still() {
        for (start, increment, kept) in [(100, 5, 50), (1_000, 10, 90)] {
            let mut left = start;
            for _ in 0..300 {
                left = left - clock(left, increment, None).hard.as_millis() as u32 + increment;
            }
            assert!(left > kept, "{start}+{increment}: {left} ms left");
        }
    }

    #[test]
    fn the_hard_limit_leaves_time_for_the_other_moves_of_the_session() {
        let mut left = 60_000;
        for to_go in (1..=40).rev() {
            let budget = clock(left, 0, Some(to_go));
            assert!(budget.hard + 10 * MS <= MS * left && budget.soft <= budget.hard);
            left -= budget.hard.as_millis() as u32;
        }
    }

    #[test]
    fn fixed_time_is_used_but_for_the_overhead() {
        let per_move = |ms| Budget::new(TimeLimit::PerMove(MS * ms), 10 * MS).unwrap();
        assert_eq!(per_move(1000).hard, 990 * MS);
        assert_eq!(per_move(10).hard, 5 * MS);
        assert_eq!(per_move(0).hard, Duration::ZERO);
    }

    #[test]
    fn no_time_at_all_is_no_error() {
        assert_eq!(clock(0, 0, None).hard, Duration::ZERO);
        assert_eq!(clock(5, 0, Some(1)).hard, Duration::ZERO);
    }
}
