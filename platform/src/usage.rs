//! What a running process and its descendants use, where the system tells it (Linux).

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Ticks of the clock of `/proc` in a second, whatever the kernel's own clock is.
const CLOCK_TICKS: f64 = 100.0;

/// Work of the threads of a process and its descendants up to a moment.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Of each thread, by its number: the time on a processor, and the time for which it was ready but waited for one.
    threads: HashMap<u32, (Duration, Duration)>,
    /// Of each process, by its number: the time on processors, of threads that have ended, too. It is less exact.
    processes: HashMap<u32, Duration>,
    /// The threads that worked at that moment, or waited for a processor.
    ready: HashSet<u32>,
}

impl Usage {
    /// Returns what the processes have used; `None` if the system doesn't tell.
    pub(crate) fn of(processes: &[u32]) -> Option<Usage> {
        let mut usage = Usage::default();
        for &process in processes {
            usage.add(process);
        }
        (!usage.threads.is_empty()).then_some(usage)
    }

    /// Returns the number of processors that the threads have kept busy since an earlier moment, or would have on an idle machine
    /// with enough of them. `period` is the time between the two. For threads that have ended meanwhile no waiting is known.
    ///
    /// A thread that is always ready counts as one, however long the machine keeps it waiting; one that sleeps counts by its work
    /// in the time in which it didn't wait.
    pub fn processors_since(&self, earlier: &Usage, period: Duration) -> f64 {
        let by_threads: f64 = self
            .since(earlier)
            .map(|(run, waited)| {
                let own = period.saturating_sub(waited);
                let is_always_ready = own < period / 20;
                if is_always_ready { 1.0 } else { (run.as_secs_f64() / own.as_secs_f64()).min(1.0) }
            })
            .sum();
        let by_processes = self.processes.iter().map(|(number, run)| {
            let before = earlier.processes.get(number).copied().unwrap_or_default();
            run.saturating_sub(before).as_secs_f64() / period.as_secs_f64()
        });
        by_threads.max(by_processes.sum())
    }

    /// Returns for how long threads have run since an earlier moment, over all threads. Threads that have ended meanwhile don't count.
    pub fn run_since(&self, earlier: &Usage) -> Duration {
        self.since(earlier).map(|(run, _)| run).sum()
    }

    /// Number of threads that have each worked for at least this time since an earlier moment, or would have on an idle machine.
    pub fn busy_since(&self, earlier: &Usage, least: Duration) -> usize {
        self.since(earlier).filter(|(run, waited)| *run + *waited >= least).count()
    }

    /// Whether a thread worked or waited for a processor at each of these moments. How long one has waited that hasn't got one yet is
    /// not known.
    pub fn is_always_ready(moments: &[Usage]) -> bool {
        let Some((first, later)) = moments.split_first() else { return false };
        first.ready.iter().any(|thread| later.iter().all(|usage| usage.ready.contains(thread)))
    }

    /// Returns for how long the machine has kept a thread waiting since an earlier moment; of the thread that waited longest.
    pub fn delay_since(&self, earlier: &Usage) -> Duration {
        self.since(earlier).map(|(_, waited)| waited).max().unwrap_or_default()
    }

    fn since(&self, earlier: &Usage) -> impl Iterator<Item = (Duration, Duration)> {
        self.threads.iter().map(|(number, (run, waited))| {
            let (run_before, waited_before) = earlier.threads.get(number).copied().unwrap_or_default();
            (run.saturating_sub(run_before), waited.saturating_sub(waited_before))
        })
    }

    fn add(&mut self, process: u32) {
        if let Some(run) = run_time(process) {
            self.processes.insert(process, run);
        }
        // A process or a thread may end at any time.
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return };
        for entry in threads.flatten() {
            let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let Ok(times) = fs::read_to_string(entry.path().join("schedstat")) else { continue };
            let mut times = times.split_whitespace().map(|text| text.parse().map(Duration::from_nanos));
            if let (Some(Ok(run)), Some(Ok(waited))) = (times.next(), times.next()) {
                self.threads.insert(number, (run, waited));
            }
            if status(&entry.path()).is_some_and(|status| status.first().is_some_and(|state| state == "R")) {
                self.ready.insert(number);
            }
        }
    }
}

/// Returns the memory in use of processes, in bytes, where pages that several of them share are divided among these; `None` if the
/// system doesn't tell. Memory that was reserved and never touched doesn't count.
pub(crate) fn memory_of(processes: &[u32]) -> Option<u64> {
    let sizes: Vec<u64> = processes.iter().filter_map(|&process| memory(process)).collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum())
}

fn memory(process: u32) -> Option<u64> {
    let maps = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let share = maps.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(share.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

fn run_time(process: u32) -> Option<Duration> {
    let status = status(Path::new(&format!("/proc/{process}")))?;
    let ticks = status.get(11)?.parse::<u64>().ok()? + status.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_secs_f64(ticks as f64 / CLOCK_TICKS))
}

/// The fields of a process's status after its number and name.
pub(crate) fn status(process: &Path) -> Option<Vec<String>> {
    let status = fs::read_to_string(process.join("stat")).ok()?;
    // The name of the program stands in parentheses, and may have some itself.
    Some(status.rsplit_once(") ")?.1.split(' ').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn work_and_memory_are_seen() {
        let own = [std::process::id()];
        let Some(before) = Usage::of(&own) else { return eprintln!("skipped: the system does not tell") };
        let before_memory = memory_of(&own).unwrap();
        let taken = vec![1_u8; 50_000_000];
        let reserved: Vec<u8> = Vec::with_capacity(200_000_000);
        let began = Instant::now();
        let worker = thread::spawn(move || {
            while began.elapsed() < Duration::from_millis(300) {}
            Usage::of(&own)
        });
        let after = worker.join().unwrap().unwrap();
        let grown = memory_of(&own).unwrap() - before_memory;
        assert!(
            (40_000_000..150_000_000).contains(&grown),
            "{grown} {} {}",
            taken.len(),
            reserved.capacity()
        );
        let processors = after.processors_since(&before, began.elapsed());
        assert!(processors > 0.8, "{processors}");
        assert!(after.busy_since(&before, Duration::from_millis(250)) >= 1);
        assert_eq!(after.busy_since(&after, Duration::from_millis(250)), 0);
    }
}
