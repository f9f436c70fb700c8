//! The players' clocks, as a referee or a player without one keeps them.

use std::time::{Duration, Instant};

use shakmaty::{ByColor, Color};

use crate::time_control::{MoveTime, TimeControl};

/// Where a clock gets its time from. Tests put their own here.
pub trait TimeSource {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;
}

/// Real time that no adjustment of the computer's clock disturbs.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicTime(Instant);

impl Default for MonotonicTime {
    /// Counts from now on.
    fn default() -> MonotonicTime {
        MonotonicTime(Instant::now())
    }
}

impl TimeSource for MonotonicTime {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A chess clock: two accounts of which at most one is running.
///
/// The flag does not stop anything. Whoever judges asks for it, or looks at the overrun of a finished [`Turn`] and
/// decides how much of it to forgive.
#[derive(Clone, Debug)]
pub struct GameClock<T = MonotonicTime> {
    source: T,
    controls: ByColor<TimeControl>,
    accounts: ByColor<Account>,
    /// The side whose turn it is, whether suspended or not.
    turn: Option<Color>,
    /// When the running account was last charged; `None` while nothing runs.
    running_since: Option<Duration>,
}

/// One player's time. What was granted and what was used are kept apart, so that an overrun needs no negative time.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// `None` if no time is kept.
    granted: Option<Duration>,
    used: Duration,
    /// Used since the turn began.
    used_in_turn: Duration,
    moves_made: u32,
}

/// What a finished turn took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Time used for the move.
    pub used: Duration,
    /// How far the account was overdrawn when the move was made, before anything was added; zero if the flag was up.
    pub overrun: Duration,
}

impl GameClock {
    /// A clock in real time, the same time control for both sides. Nothing runs yet.
    pub fn new(control: TimeControl) -> GameClock {
        GameClock::with_source(ByColor { white: control.clone(), black: control }, MonotonicTime::default())
    }
}

impl<T: TimeSource> GameClock<T> {
    /// A clock on another source of time, and with a time control for each side.
    pub fn with_source(controls: ByColor<TimeControl>, source: T) -> GameClock<T> {
        let accounts = ByColor::new_with(|color| Account {
            granted: controls.get(color).initial(),
            ..Account::default()
        });
        GameClock { source, controls, accounts, turn: None, running_since: None }
    }

    /// Starts the clock of `color`. A turn that was still running is broken off as by [`GameClock::stop`].
    pub fn start_turn(&mut self, color: Color) {
        self.stop();
        self.accounts.get_mut(color).used_in_turn = Duration::ZERO;
        self.turn = Some(color);
        self.running_since = Some(self.source.now());
    }

    /// Ends the running turn with a move: stops the clock and adds what the time control gives. `None` if nobody's turn
    /// was running or suspended.
    pub fn end_turn(&mut self) -> Option<Turn> {
        self.charge();
        let color = self.turn.take()?;
        self.running_since = None;
        let control = self.controls.get(color);
        let account = self.accounts.get_mut(color);
        let turn = Turn { used: account.used_in_turn, overrun: account.overrun() };
        account.moves_made = account.moves_made.saturating_add(1);
        if let TimeControl::PerMove(time) = control {
            account.set(*time);
        } else {
            let added = control.added_after(account.moves_made);
            account.granted = account.granted.map(|granted| granted.saturating_add(added));
        }
        Some(turn)
    }

    /// Ends the running turn without a move: the time is gone, nothing is added, and the move is still to be made.
    pub fn stop(&mut self) {
        self.charge();
        self.turn = None;
        self.running_since = None;
    }

    /// Holds the clock; the turn goes on with [`GameClock::resume`].
    pub fn suspend(&mut self) {
        self.charge();
        self.running_since = None;
    }

    /// Lets a suspended turn go on. Without one nothing happens.
    pub fn resume(&mut self) {
        if self.turn.is_some() && self.running_since.is_none() {
            self.running_since = Some(self.source.now());
        }
    }

    /// The side whose turn was started and not yet ended, suspended or not.
    pub fn turn(&self) -> Option<Color> {
        self.turn
    }

    /// Whether a clock is running at the moment.
    pub fn is_running(&self) -> bool {
        self.running_since.is_some()
    }

    /// The time control of a side.
    pub fn control(&self, color: Color) -> &TimeControl {
        self.controls.get(color)
    }

    /// How many moves a side has ended its turns with.
    pub fn moves_made(&self, color: Color) -> u32 {
        self.accounts.get(color).moves_made
    }

    /// Corrects the clock of a side, for instance by what a referee says. A running turn goes on from there.
    pub fn set_remaining(&mut self, color: Color, remaining: Duration) {
        self.charge();
        self.accounts.get_mut(color).set(remaining);
    }

    /// What a side has left, down to zero; `None` if no time is kept.
    pub fn remaining(&self, color: Color) -> Option<Duration> {
        self.up_to_now(color).remaining()
    }

    /// By how much a side has overdrawn its time; zero if the flag is up or no time is kept.
    pub fn overrun(&self, color: Color) -> Duration {
        self.up_to_now(color).overrun()
    }

    /// Whether a side has overdrawn its time. Using it up to the last nanosecond is allowed.
    pub fn flag_fallen(&self, color: Color) -> bool {
        !self.overrun(color).is_zero()
    }

    /// What the search may use for the next move of a side.
    pub fn move_time(&self, color: Color) -> MoveTime {
        let account = self.up_to_now(color);
        let control = self.controls.get(color);
        match (account.remaining(), control) {
            (None, _) => MoveTime::Unlimited,
            // Somebody set a clock although none was agreed: it is all we know, so it has to last.
            (Some(remaining), TimeControl::Unlimited) => {
                MoveTime::Clock { remaining, increment: Duration::ZERO, moves_to_go: None }
            }
            (Some(remaining), _) => control.move_time(remaining, account.moves_made.saturating_add(1)),
        }
    }

    /// Books the time since the last booking.
    fn charge(&mut self) {
        let (Some(color), Some(since)) = (self.turn, self.running_since) else { return };
        let now = self.source.now();
        self.accounts.get_mut(color).charge(now.saturating_sub(since));
        self.running_since = Some(now);
    }

    /// The account of a side with the running time booked.
    fn up_to_now(&self, color: Color) -> Account {
        let mut account = *self.accounts.get(color);
        if let (true, Some(since)) = (self.turn == Some(color), self.running_since) {
            account.charge(self.source.now().saturating_sub(since));
        }
        account
    }
}

impl Account {
    fn charge(&mut self, time: Duration) {
        self.used = self.used.saturating_add(time);
        self.used_in_turn = self.used_in_turn.saturating_add(time);
    }

    fn set(&mut self, remaining: Duration) {
        self.granted = Some(remaining);
        self.used = Duration::ZERO;
    }

    fn remaining(&self) -> Option<Duration> {
        self.granted.map(|granted| granted.saturating_sub(self.used))
    }

    fn overrun(&self) -> Duration {
        self.granted.map_or(Duration::ZERO, |granted| self.used.saturating_sub(granted))
    }
}

/// Time for tests, set by hand. Clones tell the same time.
#[cfg(test)]
#[derive(Clone, Debug, Default)]
pub(crate) struct ManualTime(std::sync::Arc<std::sync::atomic::AtomicU64>);

#[cfg(test)]
impl ManualTime {
    pub(crate) fn pass(&self, millis: u64) {
        self.0.fetch_add(millis, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(test)]
impl TimeSource for ManualTime {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(std::sync::atomic::Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(control: &str) -> (GameClock<ManualTime>, ManualTime) {
        let control: TimeControl = control.parse().unwrap();
        let time = ManualTime::default();
        let controls = ByColor { white: control.clone(), black: control };
        (GameClock::with_source(controls, time.clone()), time)
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// A turn of `color` that takes so long.
    fn turn(clock: &mut GameClock<ManualTime>, time: &ManualTime, color: Color, millis: u64) -> Turn {
        clock.start_turn(color);
        time.pass(millis);
        clock.end_turn().unwrap()
    }

    #[test]
    fn only_the_side_to_move_pays() {
        let (mut clock, time) = clock("10+1");
        time.pass(5000);
        assert_eq!(clock.remaining(Color::White), Some(millis(10_000)), "nothing runs before the first turn");
        clock.start_turn(Color::White);
        time.pass(3000);
        assert_eq!(clock.remaining(Color::White), Some(millis(7000)));
        let turn = clock.end_turn().unwrap();
        assert_eq!(turn, Turn { used: millis(3000), overrun: Duration::ZERO });
        time.pass(50_000);
        assert_eq!(clock.remaining(Color::White), Some(millis(8000)));
        assert_eq!(clock.remaining(Color::Black), Some(millis(10_000)));
        assert_eq!((clock.moves_made(Color::White), clock.moves_made(Color::Black)), (1, 0));
        assert_eq!(clock.end_turn(), None);
    }

    #[test]
    fn time_is_added_at_the_time_control() {
        let (mut clock, time) = clock("2/10:5");
        turn(&mut clock, &time, Color::Black, 1000);
        assert_eq!(clock.remaining(Color::Black), Some(millis(9000)));
        turn(&mut clock, &time, Color::Black, 2000);
        assert_eq!(clock.remaining(Color::Black), Some(millis(12_000)));
        turn(&mut clock, &time, Color::Black, 500);
        assert_eq!(clock.remaining(Color::Black), Some(millis(11_500)));
    }

    #[test]
    fn the_flag_falls_beyond_zero_and_the_increment_comes_too_late() {
        let (mut clock, time) = clock("1+10");
        clock.start_turn(Color::White);
        time.pass(1000);
        assert!(!clock.flag_fallen(Color::White));
        time.pass(250);
        assert!(clock.flag_fallen(Color::White));
        assert_eq!(
            (clock.remaining(Color::White), clock.overrun(Color::White)),
            (Some(Duration::ZERO), millis(250))
        );
        assert!(!clock.flag_fallen(Color::Black));
        assert_eq!(clock.end_turn().unwrap().overrun, millis(250));
        assert_eq!(clock.remaining(Color::White), Some(millis(9750)), "a forgiven overrun is still paid for");
    }

    #[test]
    fn a_suspended_turn_costs_nothing_and_goes_on() {
        let (mut clock, time) = clock("10");
        clock.start_turn(Color::White);
        time.pass(1000);
        clock.suspend();
        clock.suspend();
        time.pass(5000);
        assert_eq!((clock.remaining(Color::White), clock.is_running()), (Some(millis(9000)), false));
        assert_eq!(clock.turn(), Some(Color::White));
        clock.resume();
        clock.resume();
        time.pass(500);
        assert_eq!(clock.end_turn().unwrap().used, millis(1500));
        clock.resume();
        assert!(!clock.is_running(), "there is no turn to resume");
    }

    #[test]
    fn a_turn_broken_off_is_paid_for_but_no_move() {
        let (mut clock, time) = clock("10+1");
        clock.start_turn(Color::White);
        time.pass(2000);
        clock.start_turn(Color::Black);
        time.pass(1000);
        clock.stop();
        assert_eq!(clock.remaining(Color::White), Some(millis(8000)));
        assert_eq!(clock.remaining(Color::Black), Some(millis(9000)));
        assert_eq!((clock.moves_made(Color::White), clock.moves_made(Color::Black)), (0, 0));
    }

    #[test]
    fn a_clock_corrected_during_the_turn_goes_on_from_there() {
        let (mut clock, time) = clock("10");
        clock.start_turn(Color::White);
        time.pass(4000);
        clock.set_remaining(Color::White, millis(3000));
        time.pass(1000);
        assert_eq!(clock.remaining(Color::White), Some(millis(2000)));
        assert_eq!(clock.end_turn().unwrap().used, millis(5000));
    }

    #[test]
    fn a_time_per_move_begins_anew() {
        let (mut clock, time) = clock("5/move");
        turn(&mut clock, &time, Color::White, 4000);
        assert_eq!(clock.remaining(Color::White), Some(millis(5000)));
        assert_eq!(turn(&mut clock, &time, Color::White, 6000).overrun, millis(1000));
        assert_eq!(clock.move_time(Color::White), MoveTime::Fixed(millis(5000)));
    }

    #[test]
    fn the_limit_is_that_of_the_move_to_come() {
        let (mut clock, time) = clock("3/10:5+1");
        turn(&mut clock, &time, Color::White, 1000);
        let limit = |remaining, increment, moves_to_go| MoveTime::Clock {
            remaining: millis(remaining),
            increment: millis(increment),
            moves_to_go,
        };
        assert_eq!(clock.move_time(Color::White), limit(9000, 0, Some(2)));
        assert_eq!(clock.move_time(Color::Black), limit(10_000, 0, Some(3)));
        turn(&mut clock, &time, Color::White, 1000);
        turn(&mut clock, &time, Color::White, 1000);
        assert_eq!(clock.move_time(Color::White), limit(12_000, 1000, None));
    }

    #[test]
    fn without_a_time_control_there_is_time_until_somebody_sets_a_clock() {
        let (mut clock, time) = clock("-");
        turn(&mut clock, &time, Color::White, 1_000_000);
        assert_eq!((clock.remaining(Color::White), clock.flag_fallen(Color::White)), (None, false));
        assert_eq!(clock.move_time(Color::White), MoveTime::Unlimited);
        clock.set_remaining(Color::White, millis(2000));
        let limit = MoveTime::Clock { remaining: millis(2000), increment: Duration::ZERO, moves_to_go: None };
        assert_eq!(clock.move_time(Color::White), limit);
    }

    #[test]
    fn real_time_passes() {
        let mut clock = GameClock::new("0.000000001".parse().unwrap());
        clock.start_turn(Color::White);
        std::thread::sleep(millis(2));
        assert!(clock.flag_fallen(Color::White));
    }
}
