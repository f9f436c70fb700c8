//! The time that Herald leaves unspent, so that what its own clock doesn't see costs no game: the way of a move through pipes and
//! GUI, and a machine that stands still for a moment.
//!
//! It learns from two sources:
//! - the difference between the time that Herald used for a move and what the GUI took off, as `time` tells it;
//! - the longest time for which a search did not come to look at its clock.
//!
//! The reserve is half more than the worst that was seen, and forgets slowly: a stall that occurs once in twenty moves must be
//! expected at each. It belongs to the machine, so it outlives the game.

use std::time::Duration;

/// The precision of `time`. A smaller difference tells nothing.
const CENTISECOND: Duration = Duration::from_millis(10);

/// A longer difference is no lag: somebody has set the clock.
const LONGEST_LAG: Duration = Duration::from_secs(1);

/// Least share of the time of a move or of a session that stays unspent, in percent.
const LEAST_PERCENT: u32 = 3;

/// Least time of a fixed time per move that stays unspent, but at most a tenth.
const LEAST_OF_MOVE: Duration = Duration::from_millis(40);

/// More is not kept of a session without experience.
const LEAST_OF_SESSION: Duration = Duration::from_millis(500);

/// What has been learned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reserve {
    worst: Duration,
}

impl Reserve {
    /// Learns from a move for which the GUI took off so much more than was used.
    pub(super) fn note_lag(&mut self, lag: Duration) {
        self.note(lag.saturating_sub(CENTISECOND));
    }

    /// Learns from a search that did not look at its clock for so long.
    pub(super) fn note_stall(&mut self, stall: Duration) {
        self.note(stall);
    }

    fn note(&mut self, delay: Duration) {
        if delay <= LONGEST_LAG {
            self.worst = self.worst.max(delay);
        }
    }

    /// Forgets a little; to be called with each move.
    pub(super) fn fade(&mut self) {
        self.worst -= self.worst / 32;
    }

    fn expected(&self) -> Duration {
        self.worst * 3 / 2
    }

    /// Returns what may be used of a fixed time per move: at least half.
    pub(super) fn of_move(&self, time: Duration) -> Duration {
        let least = percent(time).max(LEAST_OF_MOVE.min(time / 10));
        time.saturating_sub(self.expected().clamp(least, time / 2))
    }

    /// Returns what may be planned with of a clock: at least half. `session` is the time with which the session began. Each move takes
    /// only a share of what is left, so that the reserve of the session is used for nothing but the last moves.
    pub(super) fn of_clock(&self, remaining: Duration, session: Duration) -> Duration {
        let least = percent(session).min(LEAST_OF_SESSION);
        remaining.saturating_sub(self.expected().max(least).min(remaining / 2))
    }
}

fn percent(time: Duration) -> Duration {
    time / 100 * LEAST_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn without_experience_a_few_percent_are_kept() {
        let reserve = Reserve::default();
        for (time, used) in [(10_000, 9700), (1000, 960), (500, 460), (100, 90), (10, 9), (0, 0)] {
            assert_eq!(reserve.of_move(MS * time), MS * used);
        }
        for (remaining, session, used) in [
            (3000, 3000, 2910),
            (500, 3000, 410),
            (100, 3000, 50),
            (50_000, 3000, 49_910),
            (60_000, 60_000, 59_500),
            (500, 0, 500),
        ] {
            assert_eq!(reserve.of_clock(MS * remaining, MS * session), MS * used);
        }
    }

    #[test]
    fn the_worst_lag_is_kept_in_mind_and_fades() {
        let mut reserve = Reserve::default();
        reserve.note_lag(MS * 110);
        reserve.note_lag(MS * 20);
        assert_eq!(reserve.of_move(MS * 1000), MS * 850);
        assert_eq!(reserve.of_clock(MS * 1000, MS * 1000), MS * 850);
        for _ in 0..20 {
            reserve.fade();
        }
        let later = reserve.of_move(MS * 1000);
        assert!(later > MS * 900 && later < MS * 950, "{later:?}");
        for _ in 0..200 {
            reserve.fade();
        }
        assert_eq!(reserve.of_move(MS * 1000), MS * 960);
    }

    #[test]
    fn half_of_the_time_may_always_be_used() {
        let mut reserve = Reserve::default();
        reserve.note_stall(MS * 900);
        assert_eq!(reserve.of_move(MS * 500), MS * 250);
        assert_eq!(reserve.of_clock(MS * 500, MS * 500), MS * 250);
    }

    #[test]
    fn a_clock_that_was_set_is_no_lag_and_rounding_neither() {
        let mut reserve = Reserve::default();
        reserve.note_lag(Duration::from_mins(1));
        reserve.note_lag(MS * 9);
        assert_eq!(reserve.of_clock(MS * 1000, Duration::ZERO), MS * 1000);
    }
}
