//! The clocks that a search looks at: real time, processor time, or nodes for time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use game::{MonotonicTime, TimeSource};

/// Processor time that all threads of this process have used together.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessCpuTime;

impl TimeSource for ProcessCpuTime {
    fn now(&self) -> Duration {
        platform::process_cpu_time()
    }
}

/// A stop-watch for a search, which others may hold and let go on meanwhile.
#[derive(Debug)]
pub struct StopWatch<T> {
    source: T,
    state: Mutex<State>,
}

/// Real time since the search was started.
pub type WallClock = StopWatch<MonotonicTime>;

/// Processor time since the search was started, over all threads of the process.
pub type CpuClock = StopWatch<ProcessCpuTime>;

#[derive(Clone, Copy, Debug)]
struct State {
    /// Time that passed before `since`.
    before: Duration,
    /// When the watch was last started; `None` while it is suspended.
    since: Option<Duration>,
}

impl<T: TimeSource> StopWatch<T> {
    /// A watch that starts at once.
    pub fn start(source: T) -> StopWatch<T> {
        let since = Some(source.now());
        StopWatch { source, state: Mutex::new(State { before: Duration::ZERO, since }) }
    }

    /// Holds the watch. A second call changes nothing.
    pub fn suspend(&self) {
        let mut state = self.state();
        *state = State { before: self.read(*state), since: None };
    }

    /// Lets the watch go on. Without a suspension nothing happens.
    pub fn resume(&self) {
        let mut state = self.state();
        if state.since.is_none() {
            state.since = Some(self.source.now());
        }
    }

    fn read(&self, state: State) -> Duration {
        let running = state.since.map_or(Duration::ZERO, |since| self.source.now().saturating_sub(since));
        state.before.saturating_add(running)
    }

    /// The state is whole at any time, so that a thread which died holding it does no harm.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: TimeSource + Default> Default for StopWatch<T> {
    /// A watch that starts at once.
    fn default() -> StopWatch<T> {
        StopWatch::start(T::default())
    }
}

impl<T: TimeSource + Sync> search::Clock for StopWatch<T> {
    fn elapsed(&self, _nodes: u64) -> Duration {
        let state = *self.state();
        self.read(state)
    }
}

/// Time that only passes by searching, for games that a busy computer does not disturb (CECP's `nps`).
#[derive(Clone, Copy, Debug)]
pub struct NodeClock {
    nodes_per_second: u64,
}

impl NodeClock {
    /// A clock on which so many nodes take a second; 0 counts as 1.
    pub fn new(nodes_per_second: u64) -> NodeClock {
        NodeClock { nodes_per_second: nodes_per_second.max(1) }
    }
}

impl search::Clock for NodeClock {
    fn elapsed(&self, nodes: u64) -> Duration {
        let rate = self.nodes_per_second;
        let nanos = u128::from(nodes % rate) * 1_000_000_000 / u128::from(rate);
        Duration::new(nodes / rate, nanos as u32) // less than a second, so that it fits
    }
}

/// What counts as time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeMeasure {
    /// Real time.
    #[default]
    Wall,
    /// Processor time.
    Cpu,
    /// So many nodes a second (0 counts as 1).
    Nodes(u64),
}

/// The clock of one search, of whichever measure.
#[derive(Debug)]
pub enum ThinkingClock {
    /// Real time.
    Wall(WallClock),
    /// Processor time.
    Cpu(CpuClock),
    /// Nodes for time.
    Nodes(NodeClock),
}

impl ThinkingClock {
    /// A clock that starts at once.
    pub fn start(measure: TimeMeasure) -> ThinkingClock {
        match measure {
            TimeMeasure::Wall => ThinkingClock::Wall(WallClock::default()),
            TimeMeasure::Cpu => ThinkingClock::Cpu(CpuClock::default()),
            TimeMeasure::Nodes(nodes_per_second) => ThinkingClock::Nodes(NodeClock::new(nodes_per_second)),
        }
    }

    /// Holds the clock. One that counts nodes cannot be held: it only moves when the search does.
    pub fn suspend(&self) {
        match self {
            ThinkingClock::Wall(clock) => clock.suspend(),
            ThinkingClock::Cpu(clock) => clock.suspend(),
            ThinkingClock::Nodes(_) => {}
        }
    }

    /// Lets the clock go on after [`ThinkingClock::suspend`].
    pub fn resume(&self) {
        match self {
            ThinkingClock::Wall(clock) => clock.resume(),
            ThinkingClock::Cpu(clock) => clock.resume(),
            ThinkingClock::Nodes(_) => {}
        }
    }
}

impl search::Clock for ThinkingClock {
    fn elapsed(&self, nodes: u64) -> Duration {
        match self {
            ThinkingClock::Wall(clock) => clock.elapsed(nodes),
            ThinkingClock::Cpu(clock) => clock.elapsed(nodes),
            ThinkingClock::Nodes(clock) => clock.elapsed(nodes),
        }
    }
}

#[cfg(test)]
mod tests {
    use search::Clock as _;

    use super::*;

    /// Time that is set by hand. Clones tell the same time.
    #[derive(Clone, Default)]
    struct ManualTime(std::sync::Arc<std::sync::atomic::AtomicU64>);

    impl ManualTime {
        fn pass(&self, millis: u64) {
            self.0.fetch_add(millis, std::sync::atomic::Ordering::Relaxed);
        }
    }

    impl TimeSource for ManualTime {
        fn now(&self) -> Duration {
            millis(self.0.load(std::sync::atomic::Ordering::Relaxed))
        }
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_suspended_watch_stands_still() {
        let time = ManualTime::default();
        time.pass(100);
        let watch = StopWatch::start(time.clone());
        time.pass(20);
        assert_eq!(watch.elapsed(0), millis(20));
        watch.suspend();
        time.pass(1000);
        watch.suspend();
        assert_eq!(watch.elapsed(0), millis(20));
        watch.resume();
        time.pass(3);
        watch.resume();
        assert_eq!(watch.elapsed(0), millis(23));
    }

    #[test]
    fn another_thread_can_hold_the_watch() {
        let time = ManualTime::default();
        let watch = StopWatch::start(time.clone());
        std::thread::scope(|scope| {
            scope.spawn(|| watch.suspend());
        });
        time.pass(10);
        assert_eq!(watch.elapsed(0), Duration::ZERO);
    }

    #[test]
    fn processor_time_passes_by_working_only() {
        let clock = ThinkingClock::start(TimeMeasure::Cpu);
        let mut x = 1u64;
        while clock.elapsed(0) < millis(2) {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        clock.suspend();
        let held = clock.elapsed(0);
        assert!(held >= millis(2));
        for _ in 0..100_000 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert_eq!(clock.elapsed(0), held);
    }

    #[test]
    fn wall_time_passes_by_waiting() {
        let clock = ThinkingClock::start(TimeMeasure::Wall);
        std::thread::sleep(millis(2));
        assert!(clock.elapsed(0) >= millis(2));
    }

    #[test]
    fn nodes_are_turned_into_time_exactly() {
        let clock = ThinkingClock::start(TimeMeasure::Nodes(3));
        assert_eq!(clock.elapsed(0), Duration::ZERO);
        assert_eq!(clock.elapsed(7), Duration::new(2, 333_333_333));
        assert_eq!(NodeClock::new(u64::MAX).elapsed(u64::MAX), Duration::from_secs(1));
        assert_eq!(NodeClock::new(0).elapsed(5), Duration::from_secs(5));
    }
}
