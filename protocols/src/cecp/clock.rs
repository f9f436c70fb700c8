//! The engine's clock, the other limits that a GUI sets, and the resulting limits of a search.
//!
//! The clock belongs to the engine and not to a colour, and is also kept without the GUI's `time`. It is charged with
//! the time that the stop-watch of a search has measured, which may be processor time or nodes.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use engine::{Limits, TimeLimit, TimeMeasure};
use game::{Clock, Color, Phase, Phases, TimeControl};

use messages::cecp::TimeSession;

use super::reserve::Reserve;

/// The settings of `level`, `st`, `sd`, `nps` and `time`.
#[derive(Debug)]
pub(super) struct TimeSettings {
    clock: Clock,
    /// The ply at which the time control began; its sessions are counted from there.
    start_ply: usize,
    depth: Option<u32>,
    pub(super) measure: TimeMeasure,
    pub(super) reserve: Reserve,
    /// The time of the shortest session.
    session: Duration,
    /// Whether the next `time` tells what the GUI has taken off for the engine's last move.
    is_lag_due: bool,
    /// When `time` came for the engine's next move: its clock runs since then, although the opponent's move comes later.
    told_at: Option<Instant>,
}

/// The engine's half of the clock, whatever colour it plays.
const ENGINE: Color = Color::White;

/// Time per move for `st 0`, which GUIs send when they round down less than a second.
const LESS_THAN_A_SECOND: Duration = Duration::from_millis(999);

/// Times between `time` and the opponent's move that are the machine's.
const DELAYS: RangeInclusive<Duration> = Duration::from_millis(5)..=Duration::from_millis(500);

/// What is left on a clock when a search is no longer waited for.
const LAST_MOMENT: Duration = Duration::from_millis(50);

impl Default for TimeSettings {
    /// Returns 40 moves in 5 minutes, XBoard's default.
    fn default() -> TimeSettings {
        let (clock, measure) = (Clock::default(), TimeMeasure::Wall);
        let (reserve, session) = (Reserve::default(), Duration::ZERO);
        let (start_ply, depth, is_lag_due, told_at) = (0, None, false, None);
        let mut settings =
            TimeSettings { clock, start_ply, depth, measure, reserve, session, is_lag_due, told_at };
        let forty_moves = TimeSession { moves: 40, time: Duration::from_mins(5) };
        settings.set_level(&[forty_moves], Duration::ZERO, 0);
        settings
    }
}

impl TimeSettings {
    /// Handles `level`. In the middle of a game the moves are counted from there. Hyatt's dialect allows two sessions,
    /// of which the second repeats.
    pub(super) fn set_level(&mut self, sessions: &[TimeSession], increment: Duration, ply: usize) {
        // A session of 0 moves lasts until the end of the game.
        let phase =
            |&TimeSession { moves, time }| Phase { moves: (moves > 0).then_some(moves), time, increment };
        let phases = Phases::new(sessions.iter().map(phase).collect());
        // Only a control without any time is refused; then every move must come at once.
        let control = phases.map_or(TimeControl::PerMove(Duration::ZERO), TimeControl::Clock);
        self.session = sessions.iter().map(|session| session.time).min().unwrap_or_default();
        self.set_control(control, ply);
    }

    /// Handles `st`.
    pub(super) fn set_time_per_move(&mut self, time: Duration, ply: usize) {
        self.set_control(TimeControl::PerMove(time), ply);
    }

    /// Starts a time control for a game or position that begins at `ply`.
    fn set_control(&mut self, control: TimeControl, ply: usize) {
        self.start_ply = ply;
        self.clock = Clock::new(control);
        self.is_lag_due = false;
    }

    /// Handles `new`: the time control is kept, the depth and the time measure are reset.
    pub(super) fn new_game(&mut self) {
        self.depth = None;
        self.measure = TimeMeasure::Wall;
        self.set_control(self.clock.control(ENGINE).clone(), 0);
    }

    /// Handles `sd`. Depth 0 can't be searched and means no limit.
    pub(super) fn set_depth(&mut self, depth: u32) {
        self.depth = (depth > 0).then_some(depth);
    }

    /// Handles `nps`.
    pub(super) fn set_node_rate(&mut self, rate: u64) {
        self.measure = if rate == 0 { TimeMeasure::Cpu } else { TimeMeasure::Nodes(rate) };
    }

    /// Handles `time`; an overdrawn clock counts as empty. `is_for_next_move` tells whether it is the opponent's turn and the engine
    /// will answer.
    pub(super) fn synchronise(&mut self, centiseconds: i64, is_for_next_move: bool) {
        let centiseconds = u64::try_from(centiseconds).unwrap_or(0);
        let remaining = Duration::from_millis(centiseconds.saturating_mul(10));
        if std::mem::take(&mut self.is_lag_due) && is_for_next_move {
            self.reserve.note_lag(self.remaining().saturating_sub(remaining));
        }
        self.clock.set_remaining(ENGINE, remaining, Instant::now());
        self.told_at = is_for_next_move.then(Instant::now);
    }

    /// Takes off what has passed since `time`, if that is as much as a busy machine makes of it and not the opponent's thinking.
    pub(super) fn without_delay(&self, granted: TimeLimit) -> TimeLimit {
        let passed = self.told_at.map_or(Duration::ZERO, |told| told.elapsed());
        match granted {
            _ if self.measure != TimeMeasure::Wall || !DELAYS.contains(&passed) => granted,
            TimeLimit::Unlimited => granted,
            TimeLimit::PerMove(time) => TimeLimit::PerMove(time.saturating_sub(passed)),
            TimeLimit::Clock { remaining, increment, moves_to_go } => {
                TimeLimit::Clock { remaining: remaining.saturating_sub(passed), increment, moves_to_go }
            }
        }
    }

    /// Returns the remaining time. The clock itself never runs, so the moment does not matter.
    pub(super) fn remaining(&self) -> Duration {
        self.clock.remaining(ENGINE, Instant::now()).unwrap_or_default()
    }

    /// Returns what the GUI grants for the move at `ply`.
    pub(super) fn granted(&self, ply: usize) -> TimeLimit {
        match self.clock.control(ENGINE) {
            TimeControl::PerMove(Duration::ZERO) => {
                TimeLimit::PerMove(self.remaining().min(LESS_THAN_A_SECOND))
            }
            // The whole time may be used, whatever `time` says: the clock is reset for each move.
            TimeControl::PerMove(time) => TimeLimit::PerMove(*time),
            _ => engine::time_limit(self.clock_at(ply).move_time(ENGINE, Instant::now())),
        }
    }

    /// Returns the limits of a search for the move at `ply`: what is granted without the reserve.
    pub(super) fn limits(&self, ply: usize) -> Limits {
        let granted = self.granted(ply);
        let nodes = match (self.measure, granted) {
            // GUIs use `st` with `nps` to set an exact number of nodes.
            (TimeMeasure::Nodes(rate), TimeLimit::PerMove(time)) => {
                let nodes = time.as_nanos().saturating_mul(u128::from(rate)) / 1_000_000_000;
                Some(u64::try_from(nodes).unwrap_or(u64::MAX).max(1))
            }
            _ => None,
        };
        let time = self.without_reserve(granted, self.reserve);
        Limits { depth: self.depth, nodes, time, ..Limits::default() }
    }

    /// Takes a reserve off, if time is that of a clock on the wall.
    fn without_reserve(&self, granted: TimeLimit, reserve: Reserve) -> TimeLimit {
        match granted {
            _ if self.measure != TimeMeasure::Wall => granted,
            TimeLimit::Unlimited => granted,
            TimeLimit::PerMove(time) => TimeLimit::PerMove(reserve.of_move(time)),
            TimeLimit::Clock { remaining, increment, moves_to_go } => {
                let remaining = reserve.of_clock(remaining, self.session);
                TimeLimit::Clock { remaining, increment, moves_to_go }
            }
        }
    }

    /// Returns the time after which a search must have answered, as later the flag could fall. It ends earlier by itself, unless its
    /// thread stands still; `stall` is the longest time for which it has done so. `None` without a clock on the wall.
    pub(super) fn deadline(&self, granted: TimeLimit, stall: Duration) -> Option<Duration> {
        let mut reserve = self.reserve;
        reserve.note_stall(stall);
        match self.without_reserve(granted, reserve) {
            _ if self.measure != TimeMeasure::Wall => None,
            TimeLimit::Unlimited => None,
            TimeLimit::PerMove(time) => Some(time),
            TimeLimit::Clock { remaining, .. } => {
                Some(remaining.saturating_sub(LAST_MOMENT).max(remaining / 2))
            }
        }
    }

    /// Returns the limits of an analysis: the depth of `sd`, but no clock.
    pub(super) fn analysis_limits(&self) -> Limits {
        Limits { depth: self.depth, ..Limits::default() }
    }

    /// Charges time that was used without a move.
    pub(super) fn spend(&mut self, used: Duration) {
        // Overdrawn time is forgiven.
        self.clock.charge(ENGINE, used.min(self.remaining()));
    }

    /// Charges the time of the move at `ply` and counts the move.
    pub(super) fn make_move(&mut self, used: Duration, ply: usize) {
        self.spend(used);
        self.told_at = None;
        self.clock = self.clock_at(ply);
        self.clock.book_turn(ENGINE, Duration::ZERO);
        self.reserve.fade();
        // A time per move is the same in each `time`.
        self.is_lag_due = self.measure == TimeMeasure::Wall
            && !matches!(self.clock.control(ENGINE), TimeControl::PerMove(_));
    }

    /// Another position has taken the place of the game, with this number of moves before it.
    pub(super) fn position_replaced(&mut self, ply: usize) {
        self.start_ply = self.start_ply.min(ply);
    }

    /// The engine's last move is no longer the last one, so that the next `time` tells nothing about it.
    pub(super) fn forget_last_move(&mut self) {
        self.is_lag_due = false;
    }

    /// Returns the clock before the engine's move at `ply`. Half of the plies before it were the engine's.
    fn clock_at(&self, ply: usize) -> Clock {
        let made = ply.saturating_sub(self.start_ply) / 2;
        let mut clock = self.clock.clone();
        clock.set_moves_made(ENGINE, u32::try_from(made).unwrap_or(u32::MAX));
        clock
    }
}

/// Returns whether a search started with limits `old` may continue under `new`. It may not if `time` has reported much
/// less remaining time than expected.
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

    fn session(moves: u32, time: u64) -> TimeSession {
        TimeSession { moves, time: millis(time) }
    }

    fn limit(clock: &TimeSettings, ply: usize) -> TimeLimit {
        clock.granted(ply)
    }

    fn of_clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeLimit {
        TimeLimit::Clock { remaining: millis(remaining), increment: millis(increment), moves_to_go }
    }

    #[test]
    fn what_a_busy_machine_takes_between_time_and_the_move_is_taken_off() {
        let mut clock = TimeSettings::default();
        let (second, per_move) = (of_clock(1000, 0, None), TimeLimit::PerMove(millis(1000)));
        assert_eq!(clock.without_delay(second), second);
        clock.synchronise(100, true);
        std::thread::sleep(millis(30));
        let TimeLimit::Clock { remaining, .. } = clock.without_delay(second) else { panic!("a clock") };
        assert!(remaining <= millis(970), "{remaining:?}");
        assert!(clock.without_delay(per_move) != per_move);
        clock.make_move(millis(10), 0);
        assert_eq!(clock.without_delay(second), second);
    }

    #[test]
    fn a_session_is_counted_from_the_start_of_the_game() {
        let mut clock = TimeSettings::default();
        clock.set_level(&[session(3, 9000)], Duration::ZERO, 0);
        assert_eq!(limit(&clock, 0), of_clock(9000, 0, Some(3)));
        clock.make_move(millis(1000), 0);
        clock.make_move(millis(1000), 2);
        assert_eq!(limit(&clock, 4), of_clock(7000, 0, Some(1)));
        clock.make_move(millis(1000), 4);
        assert_eq!(limit(&clock, 6), of_clock(15_000, 0, Some(3)));
        // The other side's moves have odd plies.
        assert_eq!(limit(&clock, 5), of_clock(15_000, 0, Some(1)));
        assert_eq!(limit(&clock, 7), of_clock(15_000, 0, Some(3)));
    }

    #[test]
    fn in_the_middle_of_a_game_a_session_is_counted_from_there() {
        let mut clock = TimeSettings::default();
        clock.set_level(&[session(40, 9000)], Duration::ZERO, 21);
        assert_eq!(limit(&clock, 21), of_clock(9000, 0, Some(40)));
        assert_eq!(limit(&clock, 22), of_clock(9000, 0, Some(40)));
        assert_eq!(limit(&clock, 23), of_clock(9000, 0, Some(39)));
    }

    #[test]
    fn the_second_of_two_sessions_is_repeated() {
        let mut clock = TimeSettings::default();
        clock.set_level(&[session(2, 4000), session(1, 1500)], Duration::ZERO, 0);
        assert_eq!(limit(&clock, 0), of_clock(4000, 0, Some(2)));
        clock.make_move(millis(1000), 0);
        clock.make_move(millis(1000), 2);
        assert_eq!((limit(&clock, 4), clock.remaining()), (of_clock(3500, 0, Some(1)), millis(3500)));
        clock.make_move(millis(1000), 4);
        assert_eq!(limit(&clock, 6), of_clock(4000, 0, Some(1)));
        clock.set_level(&[session(2, 4000), session(0, 1500)], Duration::ZERO, 0);
        assert_eq!(limit(&clock, 4), of_clock(4000, 0, None));
    }

    #[test]
    fn the_clock_runs_without_the_gui_and_obeys_it() {
        let mut clock = TimeSettings::default();
        clock.set_level(&[session(0, 0)], millis(500), 0);
        assert_eq!(limit(&clock, 0), of_clock(0, 500, None));
        clock.make_move(millis(100), 0);
        assert_eq!(limit(&clock, 2), of_clock(500, 500, None));
        clock.synchronise(1234, true);
        assert_eq!(limit(&clock, 2), of_clock(12_340, 500, None));
        clock.synchronise(-5, true);
        assert_eq!(limit(&clock, 2), of_clock(0, 500, None));
        clock.synchronise(i64::MAX, true);
        clock.make_move(Duration::ZERO, 2);
    }

    #[test]
    fn time_per_move() {
        let mut clock = TimeSettings::default();
        clock.set_time_per_move(millis(2500), 0);
        clock.synchronise(10, true);
        assert_eq!(clock.limits(0).time, TimeLimit::PerMove(millis(2425)));
        clock.set_time_per_move(Duration::ZERO, 0);
        assert_eq!(clock.limits(0).time, TimeLimit::PerMove(Duration::ZERO));
        clock.synchronise(50, true);
        assert_eq!(clock.limits(0).time, TimeLimit::PerMove(millis(460)));
        clock.synchronise(100_000, true);
        assert_eq!(clock.limits(0).time, TimeLimit::PerMove(millis(959)));
        clock.set_level(&[session(0, 0)], Duration::ZERO, 0);
        assert_eq!(clock.limits(0).time, TimeLimit::PerMove(Duration::ZERO));
    }

    #[test]
    fn what_the_gui_takes_off_beyond_the_time_used_is_kept_in_reserve() {
        let mut clock = TimeSettings::default();
        clock.set_level(&[session(0, 10_000)], millis(100), 0);
        clock.make_move(millis(500), 0);
        clock.synchronise(920, true);
        assert_eq!(clock.limits(2).time, of_clock(9200 - 390 * 3 / 2, 100, None));
        // Time that was lost without a move of the engine before it is no lag.
        clock.synchronise(900, true);
        clock.make_move(millis(500), 2);
        clock.synchronise(500, false);
        clock.forget_last_move();
        clock.synchronise(450, true);
        let TimeLimit::Clock { remaining, .. } = clock.limits(4).time else { panic!("a clock") };
        assert!(remaining > millis(4500 - 390 * 3 / 2) && remaining < millis(4500 - 540), "{remaining:?}");
        clock.set_node_rate(1000);
        assert_eq!(clock.limits(4).time, of_clock(4500, 100, None));
    }

    #[test]
    fn time_per_move_in_nodes_limits_the_nodes() {
        let mut clock = TimeSettings::default();
        clock.set_time_per_move(millis(2500), 0);
        assert_eq!(clock.limits(0).nodes, None);
        clock.set_node_rate(1000);
        assert_eq!(clock.limits(0).nodes, Some(2500));
        clock.set_node_rate(u64::MAX);
        clock.set_time_per_move(Duration::MAX, 0);
        assert_eq!(clock.limits(0).nodes, Some(u64::MAX));
        clock.set_level(&[session(40, 9000)], Duration::ZERO, 0);
        assert_eq!(clock.limits(0).nodes, None);
    }

    #[test]
    fn a_new_game_keeps_the_time_control_only() {
        let mut clock = TimeSettings::default();
        clock.set_level(&[session(0, 9000)], Duration::ZERO, 0);
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
