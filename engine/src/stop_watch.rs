//! The stop-watch of a search: wall time, processor time, or nodes as time.
//!
//! It measures how long a search has run. The time that a player has left is kept by [`game::Clock`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The unit of time of a stop-watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeMeasure {
    /// Wall time.
    #[default]
    Wall,
    /// Processor time of all threads of the process.
    Cpu,
    /// Nodes at this rate per second, where 0 counts as 1. Games with it do not depend on the load of the computer
    /// (CECP's `nps`).
    Nodes(u64),
}

/// A stop-watch for a search. Other threads may suspend and resume it during the search.
#[derive(Debug)]
pub struct StopWatch {
    measure: TimeMeasure,
    started: Instant,
    state: Mutex<Elapsed>,
}

/// The elapsed time of a stop-watch. Its methods take the current time as an argument.
#[derive(Clone, Copy, Debug, Default)]
struct Elapsed {
    /// Time that elapsed before `since`.
    before: Duration,
    /// The time of the last `resume`; `None` while suspended.
    since: Option<Duration>,
    /// The time of the last look at the stop-watch since then.
    looked: Option<Duration>,
    /// The longest time between two looks.
    stall: Duration,
}

impl StopWatch {
    /// Starts a stop-watch.
    pub fn start(measure: TimeMeasure) -> StopWatch {
        let state = Elapsed::default();
        let watch = StopWatch { measure, started: Instant::now(), state: Mutex::new(state) };
        watch.resume();
        watch
    }

    /// Suspends it. A measure of nodes is not affected: its time passes only while the search runs.
    pub fn suspend(&self) {
        self.state().suspend(self.now());
    }

    /// Resumes it. Without a suspension it has no effect.
    pub fn resume(&self) {
        self.state().resume(self.now());
    }

    /// Returns the elapsed time as [`search::SearchClock::elapsed`] does, but not as a look of the search.
    pub fn peek(&self, nodes: u64) -> Duration {
        match self.measure {
            TimeMeasure::Nodes(rate) => time_of_nodes(nodes, rate.max(1)),
            TimeMeasure::Wall | TimeMeasure::Cpu => self.state().elapsed(self.now()),
        }
    }

    /// Returns the longest wall time between two looks of the search at the stop-watch, up to now, since it was started or
    /// [`StopWatch::forget_stalls`] was called. A search looks every few milliseconds unless the machine stands still. Zero by another
    /// measure.
    pub fn longest_stall(&self) -> Duration {
        if self.measure == TimeMeasure::Wall {
            self.state().longest_stall(self.now())
        } else {
            Duration::ZERO
        }
    }

    /// Forgets the stalls so far, after a time without looks.
    pub fn forget_stalls(&self) {
        self.state().forget_stalls();
    }

    /// Returns the current time by the measure, counted from a fixed moment.
    fn now(&self) -> Duration {
        match self.measure {
            #[cfg(not(target_family = "wasm"))]
            TimeMeasure::Cpu => platform::process_cpu_time(),
            #[cfg(target_family = "wasm")]
            TimeMeasure::Cpu => self.started.elapsed(),
            TimeMeasure::Wall | TimeMeasure::Nodes(_) => self.started.elapsed(),
        }
    }

    /// Locks the state. It is consistent at any time, so a lock poisoned by a panic can be used.
    fn state(&self) -> MutexGuard<'_, Elapsed> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl search::SearchClock for StopWatch {
    fn elapsed(&self, nodes: u64) -> Duration {
        match self.measure {
            TimeMeasure::Nodes(_) | TimeMeasure::Cpu => self.peek(nodes),
            TimeMeasure::Wall => self.state().look(self.now()),
        }
    }
}

impl Elapsed {
    fn suspend(&mut self, now: Duration) {
        *self = Elapsed { before: self.elapsed(now), since: None, looked: None, stall: self.stall };
    }

    fn resume(&mut self, now: Duration) {
        self.since.get_or_insert(now);
    }

    fn elapsed(&self, now: Duration) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }

    /// As [`Elapsed::elapsed`], and notes the time since the last look.
    fn look(&mut self, now: Duration) -> Duration {
        self.stall = self.longest_stall(now);
        self.looked = self.since.map(|_| now);
        self.elapsed(now)
    }

    /// Returns the longest time between two looks, or since the last one.
    fn longest_stall(&self, now: Duration) -> Duration {
        self.looked.map_or(self.stall, |looked| self.stall.max(now.saturating_sub(looked)))
    }

    fn forget_stalls(&mut self) {
        (self.looked, self.stall) = (None, Duration::ZERO);
    }
}

fn time_of_nodes(nodes: u64, rate: u64) -> Duration {
    let nanos = u128::from(nodes % rate) * 1_000_000_000 / u128::from(rate);
    Duration::new(nodes / rate, nanos as u32) // less than a second, so it fits
}

#[cfg(test)]
mod tests {
    use search::SearchClock as _;

    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_suspended_watch_stands_still() {
        let mut state = Elapsed { since: Some(millis(100)), ..Elapsed::default() };
        assert_eq!(state.elapsed(millis(120)), millis(20));
        state.suspend(millis(120));
        state.suspend(millis(1120));
        assert_eq!(state.elapsed(millis(1120)), millis(20));
        state.resume(millis(1120));
        state.resume(millis(1123));
        assert_eq!(state.elapsed(millis(1123)), millis(23));
    }

    #[test]
    fn a_stall_is_the_longest_time_between_two_looks() {
        let mut state = Elapsed { since: Some(millis(0)), ..Elapsed::default() };
        assert_eq!([40, 41, 60, 65].map(|now| state.look(millis(now))), [40, 41, 60, 65].map(millis));
        assert_eq!(state.stall, millis(19), "what was before the first look doesn't count");
        assert_eq!(state.longest_stall(millis(90)), millis(25), "it may last");
        state.suspend(millis(66));
        state.look(millis(100));
        state.resume(millis(166));
        state.look(millis(170));
        assert_eq!(state.stall, millis(19), "nor does a pause");
        state.forget_stalls();
        state.look(millis(300));
        assert_eq!((state.stall, state.look(millis(302))), (Duration::ZERO, millis(202)));
        assert_eq!(state.stall, millis(2));
    }

    #[test]
    fn another_thread_can_hold_the_watch() {
        let watch = StopWatch::start(TimeMeasure::Wall);
        std::thread::scope(|scope| {
            scope.spawn(|| watch.suspend());
        });
        let held = watch.elapsed(0);
        std::thread::sleep(millis(2));
        assert_eq!(watch.elapsed(0), held);
        watch.resume();
        std::thread::sleep(millis(2));
        assert!(watch.elapsed(0) >= held + millis(2));
    }

    #[test]
    fn processor_time_passes_by_working_only() {
        let watch = StopWatch::start(TimeMeasure::Cpu);
        let mut x = 1u64;
        while watch.elapsed(0) < millis(2) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        watch.suspend();
        let held = watch.elapsed(0);
        assert!(held >= millis(2));
        for _ in 0..100_000 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert_eq!(watch.elapsed(0), held);
    }

    #[test]
    fn wall_time_passes_by_waiting() {
        let watch = StopWatch::start(TimeMeasure::Wall);
        std::thread::sleep(millis(2));
        assert!(watch.elapsed(0) >= millis(2));
    }

    #[test]
    fn nodes_are_turned_into_time_exactly() {
        let elapsed = |rate, nodes| StopWatch::start(TimeMeasure::Nodes(rate)).elapsed(nodes);
        assert_eq!(elapsed(3, 0), Duration::ZERO);
        assert_eq!(elapsed(3, 7), Duration::new(2, 333_333_333));
        assert_eq!(elapsed(u64::MAX, u64::MAX), Duration::from_secs(1));
        assert_eq!(elapsed(0, 5), Duration::from_secs(5));
    }
}
