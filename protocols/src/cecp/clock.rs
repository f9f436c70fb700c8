//! The engine's own clock, and what it allows the search.
//!
//! It belongs to the engine, not to a side, and runs without the GUI's `time` too.

use std::sync::Arc;
use std::time::Duration;

use engine::{Limits, TimeLimit};
use engine::{ThinkingClock, TimeMeasure};
use game::{Phase, Phases, TimeControl};

use super::output::centiseconds;
use messages::cecp::TimeSession;

/// The engine's clock.
#[derive(Debug)]
pub(super) struct OwnClock {
    control: TimeControl,
    /// When the time control began: its sessions are counted from there.
    start_ply: usize,
    remaining: Duration,
    depth: Option<u32>,
    measure: TimeMeasure,
}

/// `st 0` comes from GUIs that round down what is less than a second.
const LESS_THAN_A_SECOND: Duration = Duration::from_millis(999);

impl Default for OwnClock {
    /// 40 moves in 5 minutes, as XBoard has it if the user says nothing.
    fn default() -> OwnClock {
        let mut clock = OwnClock {
            control: TimeControl::Unlimited,
            start_ply: 0,
            remaining: Duration::ZERO,
            depth: None,
            measure: TimeMeasure::Wall,
        };
        clock.set_level(40, Duration::from_mins(5), Duration::ZERO, 0);
        clock
    }
}

impl OwnClock {
    /// `level`; in the middle of a game the moves count from now on.
    pub(super) fn set_level(&mut self, moves: u32, base: Duration, increment: Duration, ply: usize) {
        let control = match moves {
            0 => TimeControl::sudden_death(base, increment),
            _ => TimeControl::tournament(moves, base, increment),
        };
        // Refused is only a control without any time, in which every move must come at once.
        self.set_control(control.unwrap_or(TimeControl::PerMove(Duration::ZERO)), ply);
    }

    /// Hyatt's `level` with two sessions, of which the second is repeated.
    pub(super) fn set_sessions(&mut self, first: TimeSession, later: TimeSession, ply: usize) {
        let phase = |TimeSession { moves, time }| Phase {
            moves: (moves > 0).then_some(moves),
            time,
            increment: Duration::ZERO,
        };
        let control = Phases::new(vec![phase(first), phase(later)]).map(TimeControl::Clock);
        self.set_control(control.unwrap_or(TimeControl::PerMove(Duration::ZERO)), ply);
    }

    /// `st`
    pub(super) fn set_time_per_move(&mut self, time: Duration, ply: usize) {
        self.set_control(TimeControl::PerMove(time), ply);
    }

    fn set_control(&mut self, control: TimeControl, ply: usize) {
        self.control = control;
        self.restart(ply);
    }

    /// Begins the time control anew, for a game or a position that begins at `ply`.
    pub(super) fn restart(&mut self, ply: usize) {
        self.start_ply = ply;
        self.remaining = self.control.initial().unwrap_or_default();
    }

    /// `new`: the time control stays, but not the depth and the measure of time.
    pub(super) fn new_game(&mut self) {
        self.depth = None;
        self.measure = TimeMeasure::Wall;
        self.restart(0);
    }

    /// `sd`; depth 0, at which nothing could be searched, means no limit.
    pub(super) fn set_depth(&mut self, depth: u32) {
        self.depth = (depth > 0).then_some(depth);
    }

    /// `nps`
    pub(super) fn set_node_rate(&mut self, rate: u64) {
        self.measure = if rate == 0 { TimeMeasure::Cpu } else { TimeMeasure::Nodes(rate) };
    }

    /// `time`; an overdrawn clock counts as empty.
    pub(super) fn synchronise(&mut self, centiseconds: i64) {
        let centiseconds = u64::try_from(centiseconds).unwrap_or(0);
        self.remaining = Duration::from_millis(centiseconds.saturating_mul(10));
    }

    /// What it shows.
    pub(super) fn centiseconds(&self) -> u64 {
        centiseconds(self.remaining)
    }

    /// A clock for a search that starts now.
    pub(super) fn start(&self) -> Arc<ThinkingClock> {
        Arc::new(ThinkingClock::start(self.measure))
    }

    /// What the search may use for the move at `ply`.
    pub(super) fn limits(&self, ply: usize) -> Limits {
        let time = match self.control {
            TimeControl::PerMove(Duration::ZERO) => {
                TimeLimit::PerMove(self.remaining.min(LESS_THAN_A_SECOND))
            }
            // All of it, whatever `time` says: no clock runs down over several moves.
            TimeControl::PerMove(time) => TimeLimit::PerMove(time),
            _ => engine::time_limit(self.control.move_time(self.remaining, self.move_number(ply))),
        };
        Limits { depth: self.depth, nodes: self.node_limit(time), time, ..Limits::default() }
    }

    /// `st` in nodes is how GUIs ask for so many nodes, and none more.
    fn node_limit(&self, time: TimeLimit) -> Option<u64> {
        match (time, self.measure) {
            (TimeLimit::PerMove(time), TimeMeasure::Nodes(rate)) => {
                let nodes = time.as_nanos().saturating_mul(u128::from(rate)) / 1_000_000_000;
                Some(u64::try_from(nodes).unwrap_or(u64::MAX).max(1))
            }
            _ => None,
        }
    }

    /// `sd` for an analysis, which no clock limits.
    pub(super) fn analysis_limits(&self) -> Limits {
        Limits { depth: self.depth, ..Limits::default() }
    }

    /// Time was used without a move.
    pub(super) fn spend(&mut self, used: Duration) {
        self.remaining = self.remaining.saturating_sub(used);
    }

    /// The move at `ply` was made, with so much time.
    pub(super) fn make_move(&mut self, used: Duration, ply: usize) {
        self.spend(used);
        self.remaining = match self.control {
            TimeControl::PerMove(time) => time,
            _ => self.remaining.saturating_add(self.control.added_after(self.move_number(ply))),
        };
    }

    /// The number of the engine's move at `ply`, from 1. Of the plies before it, half were the engine's.
    fn move_number(&self, ply: usize) -> u32 {
        let made = ply.saturating_sub(self.start_ply) / 2;
        u32::try_from(made).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// Whether a search that was started with limits `old` is as good as one with `new`: after `time` has told that much
/// less is left than was thought, it is not.
pub(super) fn still_fits(old: &Limits, new: &Limits) -> bool {
    let times_fit = match (old.time, new.time) {
        (
            TimeLimit::Clock { remaining: old_remaining, increment: old_increment, moves_to_go: old_moves },
            TimeLimit::Clock { remaining, increment, moves_to_go },
        ) => {
            old_increment == increment && old_moves == moves_to_go && remaining >= old_remaining.mul_f64(0.9)
        }
        (old, new) => old == new,
    };
    times_fit && old.depth == new.depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn limit(clock: &OwnClock, ply: usize) -> TimeLimit {
        clock.limits(ply).time
    }

    fn of_clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeLimit {
        TimeLimit::Clock { remaining: millis(remaining), increment: millis(increment), moves_to_go }
    }

    #[test]
    fn a_session_is_counted_from_the_start_of_the_game() {
        let mut clock = OwnClock::default();
        clock.set_level(3, millis(9000), Duration::ZERO, 0);
        assert_eq!(limit(&clock, 0), of_clock(9000, 0, Some(3)));
        clock.make_move(millis(1000), 0);
        clock.make_move(millis(1000), 2);
        assert_eq!(limit(&clock, 4), of_clock(7000, 0, Some(1)));
        clock.make_move(millis(1000), 4);
        assert_eq!(limit(&clock, 6), of_clock(15_000, 0, Some(3)));
        // For the other side too, whose moves have odd plies.
        assert_eq!(limit(&clock, 5), of_clock(15_000, 0, Some(1)));
        assert_eq!(limit(&clock, 7), of_clock(15_000, 0, Some(3)));
    }

    #[test]
    fn in_the_middle_of_a_game_a_session_is_counted_from_there() {
        let mut clock = OwnClock::default();
        clock.set_level(40, millis(9000), Duration::ZERO, 21);
        assert_eq!(limit(&clock, 21), of_clock(9000, 0, Some(40)));
        assert_eq!(limit(&clock, 22), of_clock(9000, 0, Some(40)));
        assert_eq!(limit(&clock, 23), of_clock(9000, 0, Some(39)));
    }

    #[test]
    fn the_second_of_two_sessions_is_repeated() {
        let mut clock = OwnClock::default();
        let session = |moves, time| TimeSession { moves, time: millis(time) };
        clock.set_sessions(session(2, 4000), session(1, 1500), 0);
        assert_eq!(limit(&clock, 0), of_clock(4000, 0, Some(2)));
        clock.make_move(millis(1000), 0);
        clock.make_move(millis(1000), 2);
        assert_eq!((limit(&clock, 4), clock.centiseconds()), (of_clock(3500, 0, Some(1)), 350));
        clock.make_move(millis(1000), 4);
        assert_eq!(limit(&clock, 6), of_clock(4000, 0, Some(1)));
        clock.set_sessions(session(2, 4000), session(0, 1500), 0);
        assert_eq!(limit(&clock, 4), of_clock(4000, 0, None));
    }

    #[test]
    fn the_clock_runs_without_the_gui_and_obeys_it() {
        let mut clock = OwnClock::default();
        clock.set_level(0, millis(0), millis(500), 0);
        assert_eq!(limit(&clock, 0), of_clock(0, 500, None));
        clock.make_move(millis(100), 0);
        assert_eq!(limit(&clock, 2), of_clock(500, 500, None));
        clock.synchronise(1234);
        assert_eq!(limit(&clock, 2), of_clock(12_340, 500, None));
        clock.synchronise(-5);
        assert_eq!(limit(&clock, 2), of_clock(0, 500, None));
        clock.synchronise(i64::MAX);
        clock.make_move(Duration::ZERO, 2);
    }

    #[test]
    fn time_per_move() {
        let mut clock = OwnClock::default();
        clock.set_time_per_move(millis(2500), 0);
        clock.synchronise(10);
        assert_eq!(limit(&clock, 0), TimeLimit::PerMove(millis(2500)));
        clock.set_time_per_move(Duration::ZERO, 0);
        assert_eq!(limit(&clock, 0), TimeLimit::PerMove(Duration::ZERO));
        clock.synchronise(50);
        assert_eq!(limit(&clock, 0), TimeLimit::PerMove(millis(500)));
        clock.synchronise(100_000);
        assert_eq!(limit(&clock, 0), TimeLimit::PerMove(millis(999)));
        clock.set_level(0, Duration::ZERO, Duration::ZERO, 0);
        assert_eq!(limit(&clock, 0), TimeLimit::PerMove(Duration::ZERO));
    }

    #[test]
    fn time_per_move_in_nodes_limits_the_nodes() {
        let mut clock = OwnClock::default();
        clock.set_time_per_move(millis(2500), 0);
        assert_eq!(clock.limits(0).nodes, None);
        clock.set_node_rate(1000);
        assert_eq!(clock.limits(0).nodes, Some(2500));
        clock.set_node_rate(u64::MAX);
        clock.set_time_per_move(Duration::MAX, 0);
        assert_eq!(clock.limits(0).nodes, Some(u64::MAX));
        clock.set_level(40, millis(9000), Duration::ZERO, 0);
        assert_eq!(clock.limits(0).nodes, None);
    }

    #[test]
    fn a_new_game_keeps_the_time_control_only() {
        let mut clock = OwnClock::default();
        clock.set_level(0, millis(9000), Duration::ZERO, 0);
        clock.set_depth(5);
        clock.set_node_rate(1000);
        clock.make_move(millis(4000), 0);
        assert_eq!((clock.limits(0).depth, clock.measure), (Some(5), TimeMeasure::Nodes(1000)));
        clock.new_game();
        assert_eq!((clock.limits(0).depth, clock.measure), (None, TimeMeasure::Wall));
        assert_eq!(limit(&clock, 0), of_clock(9000, 0, None));
        clock.set_depth(0);
        assert_eq!(clock.limits(0).depth, None);
    }

    #[test]
    fn a_search_with_more_time_than_there_is_does_not_fit() {
        let limits = |remaining| Limits { time: of_clock(remaining, 0, None), ..Limits::default() };
        assert!(still_fits(&limits(10_000), &limits(9900)));
        assert!(still_fits(&limits(10_000), &limits(20_000)));
        assert!(!still_fits(&limits(10_000), &limits(5000)));
        assert!(!still_fits(&limits(10_000), &Limits { depth: Some(3), ..limits(10_000) }));
        assert!(!still_fits(&limits(10_000), &Limits::default()));
    }
}
