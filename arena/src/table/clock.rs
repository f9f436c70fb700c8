//! The referee's time: where it comes from, and the chess clock that runs by the moments at which something happened.

use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;
use game::{Color, GameClock, TimeControl, TimeSource};
use players::Account;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use shakmaty::ByColor;

/// Where a referee gets its time from. Tests put their own here.
pub trait Time {
    /// The present moment; never goes back.
    fn now(&self) -> Instant;

    /// Lets the players have the processor first, if they share it.
    fn give_way(&self) {}

    /// Waits until one of the sources (at most two) can be read or `until` has come. May return early.
    fn wait(&self, sources: &[BorrowedFd<'_>], until: Instant);
}

/// The computer's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealTime;

impl Time for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn give_way(&self) {
        std::thread::yield_now();
    }

    fn wait(&self, sources: &[BorrowedFd<'_>], until: Instant) {
        let mut watched: ArrayVec<PollFd<'_>, 2> =
            sources.iter().map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN)).collect();
        // Never fails: the referee waits a fraction of a second at a time.
        let timeout = Timespec::try_from(until.saturating_duration_since(self.now())).ok();
        // An interrupted call is a wait that ended early; other errors cannot come from open descriptors.
        let _ = poll(&mut watched, timeout.as_ref());
    }
}

/// Both sides' clocks, driven by moments: a clock stops when the move arrived, not when the referee got to it.
#[derive(Debug)]
pub(crate) struct RefereeClock {
    clock: GameClock<Hand>,
    hand: Hand,
    began: Instant,
    /// What each side may overdraw.
    margins: ByColor<Duration>,
    /// The clocks as the players are told of them.
    accounts: ByColor<Account>,
    /// When the running side's flag falls; `None` if no time is kept for it.
    flag_falls: Option<Instant>,
}

/// A source of time that stands where it was put, in nanoseconds.
#[derive(Clone, Debug, Default)]
struct Hand(Arc<AtomicU64>);

impl TimeSource for Hand {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl RefereeClock {
    pub(crate) fn new(
        controls: ByColor<TimeControl>,
        margins: ByColor<Duration>,
        began: Instant,
    ) -> RefereeClock {
        let hand = Hand::default();
        let accounts =
            controls.clone().map(|control| Account { remaining: control.initial(), control, moves_made: 0 });
        let clock = GameClock::with_source(controls, hand.clone());
        RefereeClock { clock, hand, began, margins, accounts, flag_falls: None }
    }

    /// The clocks as they stood when the last turn ended.
    pub(crate) fn accounts(&self) -> &ByColor<Account> {
        &self.accounts
    }

    /// Starts the clock of a side.
    pub(crate) fn start_turn(&mut self, color: Color, at: Instant) {
        self.set_hand(at);
        self.clock.start_turn(color);
        self.flag_falls = self
            .clock
            .remaining(color)
            .and_then(|remaining| at.checked_add(remaining.saturating_add(*self.margins.get(color))));
    }

    /// Stops the running clock because a move arrived, and tells how long the move took.
    pub(crate) fn end_turn(&mut self, at: Instant) -> Duration {
        self.set_hand(at);
        let Some(color) = self.clock.turn() else { return Duration::ZERO };
        let used = self.clock.end_turn().map_or(Duration::ZERO, |turn| turn.used);
        let account = self.accounts.get_mut(color);
        account.remaining = self.clock.remaining(color);
        account.moves_made = self.clock.moves_made(color);
        self.flag_falls = None;
        used
    }

    /// Books a whole turn that took so long, whenever it was.
    pub(crate) fn book_turn(&mut self, color: Color, used: Duration) {
        let began = self.began;
        self.start_turn(color, began);
        self.end_turn(began + used);
    }

    /// Gives a side more time. Nothing happens if none is kept for it.
    pub(crate) fn add(&mut self, color: Color, time: Duration) {
        let account = self.accounts.get_mut(color);
        if let Some(remaining) = account.remaining {
            let remaining = remaining.saturating_add(time);
            account.remaining = Some(remaining);
            self.clock.set_remaining(color, remaining);
        }
    }

    /// How far a side may overdraw its time.
    pub(crate) fn margin(&self, color: Color) -> Duration {
        *self.margins.get(color)
    }

    /// The last moment at which the running side may still move; `None` if no time is kept for it.
    pub(crate) fn flag_falls(&self) -> Option<Instant> {
        self.flag_falls
    }

    /// By how much the running side has overdrawn its time at a moment, margin or not.
    pub(crate) fn overrun(&mut self, at: Instant) -> Duration {
        self.set_hand(at);
        self.clock.turn().map_or(Duration::ZERO, |color| self.clock.overrun(color))
    }

    fn set_hand(&mut self, at: Instant) {
        let since = at.saturating_duration_since(self.began).as_nanos();
        // More than five hundred years don't fit.
        self.hand.0.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(control: &str, margin: u64) -> (RefereeClock, Instant) {
        let control: TimeControl = control.parse().unwrap();
        let began = Instant::now();
        let margin = Duration::from_millis(margin);
        let clock = RefereeClock::new(
            ByColor { white: control.clone(), black: control },
            ByColor { white: margin, black: Duration::ZERO },
            began,
        );
        (clock, began)
    }

    #[test]
    fn turns_last_from_moment_to_moment() {
        let (mut clock, began) = clock("10+1", 20);
        let at = |nanos| began + Duration::from_nanos(nanos);
        clock.start_turn(Color::White, at(7));
        assert_eq!(clock.flag_falls(), Some(at(10_020_000_007)));
        assert_eq!(clock.end_turn(at(3_000_000_008)), Duration::from_nanos(3_000_000_001));
        assert_eq!(clock.flag_falls(), None);
        let white = &clock.accounts().white;
        assert_eq!((white.remaining, white.moves_made), (Some(Duration::from_nanos(7_999_999_999)), 1));
        clock.start_turn(Color::Black, at(4_000_000_000));
        assert_eq!(clock.flag_falls(), Some(at(14_000_000_000)), "each side has its own margin");
    }

    #[test]
    fn turns_are_booked_and_time_is_added() {
        let (mut clock, _) = clock("2/10:5+1", 0);
        clock.book_turn(Color::White, Duration::from_secs(4));
        clock.add(Color::White, Duration::from_mins(1));
        assert_eq!(clock.accounts().white.remaining, Some(Duration::from_secs(66)));
        clock.book_turn(Color::White, Duration::from_secs(6));
        assert_eq!(clock.accounts().white.remaining, Some(Duration::from_secs(65)));
        assert_eq!((clock.accounts().white.moves_made, clock.accounts().black.moves_made), (2, 0));
        let (mut unlimited, _) = self::clock("-", 0);
        unlimited.add(Color::Black, Duration::from_secs(1));
        assert_eq!(unlimited.accounts().black.remaining, None);
    }

    #[test]
    fn a_side_without_a_clock_never_loses_on_time() {
        let (mut clock, began) = clock("nodes=1", 0);
        clock.start_turn(Color::White, began);
        assert_eq!(clock.flag_falls(), None);
        clock.end_turn(began + Duration::from_secs(9));
        assert_eq!((clock.accounts().white.remaining, clock.accounts().white.moves_made), (None, 1));
    }

    #[test]
    fn real_time_waits_no_longer_than_told() {
        let began = RealTime.now();
        RealTime.wait(&[], began + Duration::from_millis(3));
        assert!(began.elapsed() >= Duration::from_millis(3));
        let (readable, writable) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writable, b"x").unwrap();
        let began = RealTime.now();
        RealTime.wait(&[std::os::fd::AsFd::as_fd(&readable)], began + Duration::from_mins(1));
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
