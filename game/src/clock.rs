//! The chess clock.
//!
//! A [`Clock`] has no source of time: every call takes the current time as an argument. A referee can so use the arrival time of
//! a move, and tests need not wait. Time is charged to a side only while its turn is running.

use std::time::{Duration, Instant};

use shakmaty::{ByColor, Color};

use crate::time_control::{MoveLimits, MoveTime, TimeControl};

/// A chess clock for two sides, of which at most one is running. Unlimited by default.
///
/// A fallen flag does not stop the clock. Callers use [`Clock::flag_falls`] or the overrun of a finished turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    sides: ByColor<PlayerTime>,
    /// The turn in progress, running or suspended.
    turn: Option<OpenTurn>,
}

/// Time of one side, without the turn in progress. Granted and used time are separate, as an overrun would make a difference
/// negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PlayerTime {
    control: TimeControl,
    /// `None` if no time is kept.
    granted: Option<Duration>,
    used: Duration,
    moves_made: u32,
    /// Margin by which the clock may be overdrawn with a move.
    margin: Duration,
}

/// A turn in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OpenTurn {
    color: Color,
    /// Time used before `since`.
    used: Duration,
    /// `None` while the turn is suspended.
    since: Option<Instant>,
}

/// Times of a finished turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnTime {
    /// Time used for the move.
    pub used: Duration,
    /// Time by which the clock was overdrawn, before time was added; zero if the flag had not fallen.
    pub overrun: Duration,
    /// Remaining time after the move, including added time; `None` if no time is kept.
    pub remaining: Option<Duration>,
}

impl Clock {
    /// Creates a stopped clock with the same time control for both sides.
    pub fn new(control: TimeControl) -> Clock {
        Clock::with_controls(ByColor { white: control.clone(), black: control })
    }

    /// Creates a stopped clock with a time control for each side.
    pub fn with_controls(controls: ByColor<TimeControl>) -> Clock {
        let sides = controls.map(|control| PlayerTime {
            granted: control.initial(),
            control,
            ..PlayerTime::default()
        });
        Clock { sides, turn: None }
    }

    /// Sets the margin by which each side may overdraw its clock with a move. Overdrawn time still counts as used.
    #[must_use]
    pub fn with_margins(mut self, margins: ByColor<Duration>) -> Clock {
        self.sides.as_mut().zip(margins).for_each(|(side, margin)| side.margin = margin);
        self
    }
}

/// Turns.
impl Clock {
    /// Starts a turn of `color`. A turn in progress ends as by [`Clock::stop`].
    pub fn start_turn(&mut self, color: Color, at: Instant) {
        self.stop(at);
        self.turn = Some(OpenTurn { color, used: Duration::ZERO, since: Some(at) });
    }

    /// Ends the turn in progress with a move: stops the clock and adds the time of the time control. `None` if there is no
    /// turn.
    pub fn end_turn(&mut self, at: Instant) -> Option<TurnTime> {
        let turn = self.turn.take()?;
        Some(self.book_turn(turn.color, turn.used(at)))
    }

    /// Books a move of `color` that took `used` by an external measurement. A turn in progress ends without being charged.
    pub fn book_turn(&mut self, color: Color, used: Duration) -> TurnTime {
        self.turn = None;
        let side = self.sides.get_mut(color);
        side.used = side.used.saturating_add(used);
        let overrun = side.overrun(Duration::ZERO);
        side.moves_made = side.moves_made.saturating_add(1);
        if let TimeControl::PerMove(time) = side.control {
            (side.granted, side.used) = (Some(time), Duration::ZERO);
        } else {
            let added = side.control.added_after(side.moves_made);
            side.granted = side.granted.map(|granted| granted.saturating_add(added));
        }
        TurnTime { used, overrun, remaining: side.remaining(Duration::ZERO) }
    }

    /// Ends the turn without a move: the used time is charged, and no time is added.
    pub fn stop(&mut self, at: Instant) {
        if let Some(turn) = self.turn.take() {
            self.charge(turn.color, turn.used(at));
        }
    }

    /// Suspends the turn until [`Clock::resume`].
    pub fn suspend(&mut self, at: Instant) {
        if let Some(turn) = &mut self.turn {
            *turn = OpenTurn { used: turn.used(at), since: None, ..*turn };
        }
    }

    /// Resumes a suspended turn, if there is one.
    pub fn resume(&mut self, at: Instant) {
        if let Some(turn) = &mut self.turn {
            turn.since.get_or_insert(at);
        }
    }

    /// Takes time out of a running turn in which nobody kept the time, such as that of an official who was stopped.
    pub fn give_back(&mut self, time: Duration, at: Instant) {
        if let Some(since) = self.turn.as_mut().and_then(|turn| turn.since.as_mut()) {
            *since = since.checked_add(time).map_or(at, |later| later.min(at));
        }
    }

    /// The side whose turn is in progress, running or suspended.
    pub fn turn(&self) -> Option<Color> {
        self.turn.map(|turn| turn.color)
    }

    /// Whether a turn is running.
    pub fn is_running(&self) -> bool {
        self.turn.is_some_and(|turn| turn.since.is_some())
    }

    /// Time used in the turn in progress; zero if there is none.
    pub fn used_in_turn(&self, at: Instant) -> Duration {
        self.turn.map_or(Duration::ZERO, |turn| turn.used(at))
    }

    /// Latest time at which the running side may move, including its margin; `None` if no turn is running or no time is kept.
    pub fn flag_falls(&self) -> Option<Instant> {
        let OpenTurn { color, used, since } = self.turn?;
        let side = self.sides.get(color);
        let available = side.remaining(Duration::ZERO)?.saturating_add(side.margin);
        since?.checked_add(available.saturating_sub(used))
    }
}

/// Readings.
impl Clock {
    /// Remaining time of a side, at least zero; `None` if no time is kept.
    pub fn remaining(&self, color: Color, at: Instant) -> Option<Duration> {
        self.sides.get(color).remaining(self.uncharged(color, at))
    }

    /// Time by which a side has overdrawn its clock, regardless of the margin; zero if no time is kept. Using all of the time is
    /// not an overrun.
    pub fn overrun(&self, color: Color, at: Instant) -> Duration {
        self.sides.get(color).overrun(self.uncharged(color, at))
    }

    /// The time control of a side.
    pub fn control(&self, color: Color) -> &TimeControl {
        &self.sides.get(color).control
    }

    /// Number of moves that a side has made under its time control.
    pub fn moves_made(&self, color: Color) -> u32 {
        self.sides.get(color).moves_made
    }

    /// The number of a side's next move, from 1.
    pub fn move_number(&self, color: Color) -> u32 {
        self.moves_made(color).saturating_add(1)
    }

    /// Increment of the next move of a side.
    pub fn increment(&self, color: Color) -> Duration {
        self.control(color).increment(self.move_number(color))
    }

    /// Number of moves of a side to the next time control, including the next move; `None` if the remaining time must last for
    /// the whole game, or if the time control has no clock.
    pub fn moves_to_go(&self, color: Color) -> Option<u32> {
        self.control(color).moves_to_go(self.move_number(color))
    }

    /// Time for the next move of a side.
    pub fn move_time(&self, color: Color, at: Instant) -> MoveTime {
        match (self.remaining(color, at), self.control(color)) {
            (None, _) => MoveTime::Unlimited,
            // A clock was set although none was agreed; its time must last for the whole game.
            (Some(remaining), TimeControl::Unlimited) => {
                MoveTime::Clock { remaining, increment: Duration::ZERO, moves_to_go: None }
            }
            (Some(remaining), control) => control.move_time(remaining, self.move_number(color)),
        }
    }

    /// Limits for the next move of a side: its time, and the depth or nodes of its time control.
    pub fn move_limits(&self, color: Color, at: Instant) -> MoveLimits {
        let (depth, nodes) = match self.control(color) {
            TimeControl::Depth(depth) => (Some(depth.get()), None),
            TimeControl::Nodes(nodes) => (None, Some(nodes.get())),
            _ => (None, None),
        };
        MoveLimits { time: self.move_time(color, at), depth, nodes }
    }

    /// Time of the turn in progress that is not yet charged to a side.
    fn uncharged(&self, color: Color, at: Instant) -> Duration {
        self.turn.filter(|turn| turn.color == color).map_or(Duration::ZERO, |turn| turn.used(at))
    }
}

/// Corrections by an official or a GUI.
impl Clock {
    /// Sets the remaining time of a side. A turn in progress continues from there.
    pub fn set_remaining(&mut self, color: Color, remaining: Duration, at: Instant) {
        let granted = remaining.saturating_add(self.uncharged(color, at));
        let side = self.sides.get_mut(color);
        (side.granted, side.used) = (Some(granted), Duration::ZERO);
    }

    /// Adds time to the clock of a side, if time is kept for it.
    pub fn add_time(&mut self, color: Color, time: Duration) {
        let granted = &mut self.sides.get_mut(color).granted;
        *granted = granted.map(|granted| granted.saturating_add(time));
    }

    /// Charges time that a side used without a move.
    pub fn charge(&mut self, color: Color, used: Duration) {
        let side = self.sides.get_mut(color);
        side.used = side.used.saturating_add(used);
    }

    /// Sets the number of moves made under the time control, after moves were taken back or played without the clock.
    pub fn set_moves_made(&mut self, color: Color, moves: u32) {
        self.sides.get_mut(color).moves_made = moves;
    }
}

/// Each method takes the time of the turn in progress that is not yet charged.
impl PlayerTime {
    fn remaining(&self, uncharged: Duration) -> Option<Duration> {
        self.granted.map(|granted| granted.saturating_sub(self.used.saturating_add(uncharged)))
    }

    fn overrun(&self, uncharged: Duration) -> Duration {
        let used = self.used.saturating_add(uncharged);
        self.granted.map_or(Duration::ZERO, |granted| used.saturating_sub(granted))
    }
}

impl OpenTurn {
    fn used(&self, at: Instant) -> Duration {
        let running = self.since.map_or(Duration::ZERO, |since| at.saturating_duration_since(since));
        self.used.saturating_add(running)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A clock under a time control, and a moment that tests move on by hand.
    struct Test {
        clock: Clock,
        now: Instant,
    }

    fn test(control: &str) -> Test {
        Test { clock: Clock::new(control.parse().unwrap()), now: Instant::now() }
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    impl Test {
        fn pass(&mut self, time: u64) {
            self.now += millis(time);
        }

        fn start_turn(&mut self, color: Color) {
            self.clock.start_turn(color, self.now);
        }

        fn end_turn(&mut self) -> Option<TurnTime> {
            self.clock.end_turn(self.now)
        }

        /// A turn of `color` that takes so long.
        fn turn(&mut self, color: Color, time: u64) -> TurnTime {
            self.start_turn(color);
            self.pass(time);
            self.end_turn().unwrap()
        }

        fn remaining(&self, color: Color) -> Option<Duration> {
            self.clock.remaining(color, self.now)
        }

        fn flag_fallen(&self, color: Color) -> bool {
            !self.clock.overrun(color, self.now).is_zero()
        }

        fn move_time(&self, color: Color) -> MoveTime {
            self.clock.move_time(color, self.now)
        }
    }

    #[test]
    fn only_the_side_to_move_pays() {
        let mut test = test("10+1");
        test.pass(5000);
        assert_eq!(test.remaining(Color::White), Some(millis(10_000)), "nothing runs before the first turn");
        test.start_turn(Color::White);
        test.pass(3000);
        assert_eq!(test.remaining(Color::White), Some(millis(7000)));
        assert_eq!(test.clock.used_in_turn(test.now), millis(3000));
        let turn = TurnTime { used: millis(3000), overrun: Duration::ZERO, remaining: Some(millis(8000)) };
        assert_eq!(test.end_turn(), Some(turn));
        test.pass(50_000);
        assert_eq!(test.remaining(Color::White), Some(millis(8000)));
        assert_eq!(test.remaining(Color::Black), Some(millis(10_000)));
        assert_eq!((test.clock.moves_made(Color::White), test.clock.moves_made(Color::Black)), (1, 0));
        assert_eq!(test.end_turn(), None);
    }

    #[test]
    fn time_is_added_at_the_time_control() {
        let mut test = test("2/10:5");
        test.turn(Color::Black, 1000);
        assert_eq!(test.remaining(Color::Black), Some(millis(9000)));
        test.turn(Color::Black, 2000);
        assert_eq!(test.remaining(Color::Black), Some(millis(12_000)));
        test.turn(Color::Black, 500);
        assert_eq!(test.remaining(Color::Black), Some(millis(11_500)));
    }

    #[test]
    fn the_flag_falls_beyond_zero_and_the_increment_comes_too_late() {
        let mut test = test("1+10");
        test.start_turn(Color::White);
        test.pass(1000);
        assert!(!test.flag_fallen(Color::White));
        test.pass(250);
        assert!(test.flag_fallen(Color::White));
        let white = (test.remaining(Color::White), test.clock.overrun(Color::White, test.now));
        assert_eq!(white, (Some(Duration::ZERO), millis(250)));
        assert!(!test.flag_fallen(Color::Black));
        assert_eq!(test.end_turn().unwrap().overrun, millis(250));
        assert_eq!(test.remaining(Color::White), Some(millis(9750)), "a forgiven overrun is still paid for");
    }

    #[test]
    fn time_that_is_given_back_is_not_charged() {
        let (mut clock, begin) = (Clock::new("60+1".parse().expect("a control")), Instant::now());
        clock.give_back(millis(1000), begin);
        clock.start_turn(Color::White, begin);
        clock.give_back(millis(30_000), begin + millis(31_000));
        assert_eq!(clock.used_in_turn(begin + millis(31_500)), millis(1500));
        assert_eq!(clock.flag_falls(), Some(begin + millis(90_000)));
        clock.give_back(Duration::MAX, begin + millis(32_000));
        assert_eq!(clock.used_in_turn(begin + millis(32_000)), Duration::ZERO, "never more than was used");
        clock.suspend(begin + millis(33_000));
        clock.give_back(millis(500), begin + millis(34_000));
        assert_eq!(clock.used_in_turn(begin + millis(34_000)), millis(1000));
    }

    #[test]
    fn each_side_has_its_own_margin() {
        let Test { clock, now } = test("10+1");
        let mut clock = clock.with_margins(ByColor { white: millis(20), black: Duration::ZERO });
        let at = |nanos| now + Duration::from_nanos(nanos);
        clock.start_turn(Color::White, at(7));
        assert_eq!(clock.flag_falls(), Some(at(10_020_000_007)));
        clock.suspend(at(1007));
        assert_eq!(clock.flag_falls(), None);
        clock.resume(at(2007));
        assert_eq!(clock.flag_falls(), Some(at(10_020_001_007)));
        assert_eq!(clock.end_turn(at(3_000_001_008)).unwrap().used, Duration::from_nanos(3_000_000_001));
        assert_eq!(clock.flag_falls(), None);
        let remaining = clock.remaining(Color::White, at(4_000_000_000));
        assert_eq!(remaining, Some(Duration::from_nanos(7_999_999_999)));
        clock.start_turn(Color::Black, at(4_000_000_000));
        assert_eq!(clock.flag_falls(), Some(at(14_000_000_000)));
    }

    #[test]
    fn a_margin_is_there_for_every_move_but_what_was_overdrawn_is_paid_for() {
        let Test { clock, now } = test("1+1");
        let mut clock = clock.with_margins(ByColor::new_with(|_| millis(5000)));
        assert_eq!(clock.book_turn(Color::White, millis(3000)).overrun, millis(2000));
        assert_eq!(clock.remaining(Color::White, now), Some(Duration::ZERO));
        clock.start_turn(Color::White, now);
        assert_eq!(clock.flag_falls(), Some(now + millis(5000)));
        clock.end_turn(now);
        assert_eq!(clock.remaining(Color::White, now), Some(Duration::ZERO));
        clock.book_turn(Color::White, Duration::ZERO);
        assert_eq!(clock.remaining(Color::White, now), Some(millis(1000)));
    }

    #[test]
    fn turns_are_booked_and_time_is_added() {
        let Test { mut clock, now } = test("2/10:5+1");
        clock.start_turn(Color::White, now);
        clock.book_turn(Color::White, Duration::from_secs(4));
        assert_eq!(clock.turn(), None);
        clock.add_time(Color::White, Duration::from_mins(1));
        assert_eq!(clock.remaining(Color::White, now), Some(Duration::from_secs(66)));
        clock.book_turn(Color::White, Duration::from_secs(6));
        assert_eq!(clock.remaining(Color::White, now), Some(Duration::from_secs(65)));
        assert_eq!((clock.moves_made(Color::White), clock.moves_made(Color::Black)), (2, 0));
        let Test { clock: mut unlimited, now } = test("-");
        unlimited.add_time(Color::Black, Duration::from_secs(1));
        assert_eq!(unlimited.remaining(Color::Black, now), None);
    }

    #[test]
    fn a_suspended_turn_costs_nothing_and_goes_on() {
        let mut test = test("10");
        test.start_turn(Color::White);
        test.pass(1000);
        test.clock.suspend(test.now);
        test.clock.suspend(test.now);
        test.pass(5000);
        assert_eq!((test.remaining(Color::White), test.clock.is_running()), (Some(millis(9000)), false));
        assert_eq!(test.clock.turn(), Some(Color::White));
        test.clock.resume(test.now);
        test.clock.resume(test.now);
        test.pass(500);
        assert_eq!(test.end_turn().unwrap().used, millis(1500));
        test.clock.resume(test.now);
        assert!(!test.clock.is_running(), "there is no turn to resume");
    }

    #[test]
    fn a_turn_broken_off_is_paid_for_but_no_move() {
        let mut test = test("10+1");
        test.start_turn(Color::White);
        test.pass(2000);
        test.start_turn(Color::Black);
        test.pass(1000);
        test.clock.stop(test.now);
        test.clock.charge(Color::Black, millis(500));
        assert_eq!(test.remaining(Color::White), Some(millis(8000)));
        assert_eq!(test.remaining(Color::Black), Some(millis(8500)));
        assert_eq!((test.clock.moves_made(Color::White), test.clock.moves_made(Color::Black)), (0, 0));
    }

    #[test]
    fn a_clock_corrected_during_the_turn_goes_on_from_there() {
        let mut test = test("10");
        test.start_turn(Color::White);
        test.pass(4000);
        test.clock.set_remaining(Color::White, millis(3000), test.now);
        test.clock.set_remaining(Color::Black, millis(7000), test.now);
        test.pass(1000);
        assert_eq!(test.remaining(Color::White), Some(millis(2000)));
        assert_eq!(test.clock.flag_falls(), Some(test.now + millis(2000)));
        assert_eq!(test.end_turn().unwrap().used, millis(5000));
        assert_eq!(test.remaining(Color::White), Some(millis(2000)));
        assert_eq!(test.remaining(Color::Black), Some(millis(7000)));
    }

    #[test]
    fn a_time_per_move_begins_anew() {
        let mut test = test("5/move");
        test.turn(Color::White, 4000);
        assert_eq!(test.remaining(Color::White), Some(millis(5000)));
        assert_eq!(test.turn(Color::White, 6000).overrun, millis(1000));
        assert_eq!(test.move_time(Color::White), MoveTime::Fixed(millis(5000)));
    }

    #[test]
    fn the_limit_is_that_of_the_move_to_come() {
        let mut test = test("3/10:5+1");
        test.turn(Color::White, 1000);
        let limit = |remaining, increment, moves_to_go| MoveTime::Clock {
            remaining: millis(remaining),
            increment: millis(increment),
            moves_to_go,
        };
        assert_eq!(test.move_time(Color::White), limit(9000, 0, Some(2)));
        assert_eq!(test.move_time(Color::Black), limit(10_000, 0, Some(3)));
        test.turn(Color::White, 1000);
        test.turn(Color::White, 1000);
        assert_eq!(test.move_time(Color::White), limit(12_000, 1000, None));
        assert_eq!(
            (test.clock.increment(Color::White), test.clock.moves_to_go(Color::White)),
            (millis(1000), None)
        );
        // Two moves are taken back.
        test.clock.set_moves_made(Color::White, 1);
        assert_eq!(test.move_time(Color::White), limit(12_000, 0, Some(2)));
        assert_eq!(
            (test.clock.increment(Color::White), test.clock.moves_to_go(Color::White)),
            (millis(0), Some(2))
        );
    }

    #[test]
    fn without_a_time_control_there_is_time_until_somebody_sets_a_clock() {
        let mut test = test("-");
        test.turn(Color::White, 1_000_000);
        assert_eq!((test.remaining(Color::White), test.flag_fallen(Color::White)), (None, false));
        assert_eq!(test.move_time(Color::White), MoveTime::Unlimited);
        test.clock.set_remaining(Color::White, millis(2000), test.now);
        let limit = MoveTime::Clock { remaining: millis(2000), increment: Duration::ZERO, moves_to_go: None };
        assert_eq!(test.move_time(Color::White), limit);
    }

    #[test]
    fn depth_and_nodes_bound_a_move_and_no_flag_falls() {
        for (control, depth, nodes) in [("depth=9", Some(9), None), ("nodes=70", None, Some(70))] {
            let mut test = test(control);
            test.start_turn(Color::White);
            assert_eq!(test.clock.flag_falls(), None);
            test.pass(9000);
            test.end_turn();
            assert_eq!((test.remaining(Color::White), test.clock.moves_made(Color::White)), (None, 1));
            let limits = MoveLimits { time: MoveTime::Unlimited, depth, nodes };
            assert_eq!(test.clock.move_limits(Color::White, test.now), limits);
        }
    }

    #[test]
    fn moments_that_go_back_and_endless_times_do_no_harm() {
        let mut test = test("10");
        let earlier = test.now;
        test.pass(1000);
        test.start_turn(Color::White);
        assert_eq!(test.clock.remaining(Color::White, earlier), Some(millis(10_000)));
        test.clock.set_remaining(Color::White, Duration::MAX, test.now);
        test.clock.add_time(Color::White, Duration::MAX);
        assert_eq!(test.clock.flag_falls(), None);
        assert_eq!(test.clock.end_turn(earlier).unwrap().used, Duration::ZERO);
        test.clock.charge(Color::White, Duration::MAX);
        test.clock.charge(Color::White, Duration::MAX);
        assert_eq!(test.clock.book_turn(Color::White, Duration::MAX).overrun, Duration::ZERO);
    }

    proptest! {
        #[test]
        fn time_is_charged_while_a_turn_runs_and_only_then(
            steps in prop::collection::vec((0..8u8, any::<bool>(), 0..10_000u64), 0..60),
        ) {
            let mut test = test("1000000");
            let mut running = Duration::ZERO;
            for (step, is_white, time) in steps {
                match step {
                    0 => test.start_turn(Color::from_white(is_white)),
                    1 => drop(test.end_turn()),
                    2 => test.clock.suspend(test.now),
                    3 => test.clock.resume(test.now),
                    4 => test.clock.stop(test.now),
                    _ => {
                        running += if test.clock.is_running() { millis(time) } else { Duration::ZERO };
                        test.pass(time);
                    }
                }
            }
            let left = Color::ALL.map(|color| test.remaining(color).unwrap());
            prop_assert_eq!(left[0] + left[1] + running, Duration::from_secs(2_000_000));
        }
    }
}
