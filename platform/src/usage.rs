//! What the processes of a running program use now, from `/proc`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Pid;

/// What the processes of a running program use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Memory in use (resident), in bytes.
    pub memory: u64,
    /// Threads with their numbers and the processor time that each has used.
    pub threads: Vec<(u32, Duration)>,
}

impl ProcessUsage {
    /// Processor time that all threads together have used since `earlier`, which is an earlier value of the same program. Threads
    /// that have ended meanwhile are not counted.
    pub fn cpu_since(&self, earlier: &ProcessUsage) -> Duration {
        self.threads_since(earlier).sum()
    }

    /// Number of threads that have each used at least this much processor time since `earlier`.
    pub fn busy_since(&self, earlier: &ProcessUsage, least: Duration) -> usize {
        self.threads_since(earlier).filter(|used| *used >= least).count()
    }

    fn threads_since(&self, earlier: &ProcessUsage) -> impl Iterator<Item = Duration> {
        self.threads.iter().map(|(number, used)| {
            let before = earlier.threads.iter().find(|(known, _)| known == number);
            used.saturating_sub(before.map_or(Duration::ZERO, |(_, before)| *before))
        })
    }
}

/// Returns what the processes of a process group use; `None` where the system doesn't tell, or if there are none.
pub(crate) fn of_group(group: Pid) -> Option<ProcessUsage> {
    let mut usage = ProcessUsage::default();
    for process in fs::read_dir("/proc").ok()?.flatten() {
        let folder = process.path();
        if process_group(&folder) == Some(group.as_raw_nonzero().get()) {
            usage.memory += resident_memory(&folder).unwrap_or(0);
            usage.threads.extend(thread_times(&folder));
        }
    }
    (!usage.threads.is_empty()).then_some(usage)
}

/// Process group of a process. A directory of `/proc` that is no process, or has gone meanwhile, has none.
fn process_group(folder: &Path) -> Option<i32> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name, in parentheses, may contain anything. After it: state, parent, group.
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

fn resident_memory(folder: &Path) -> Option<u64> {
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn thread_times(folder: &Path) -> impl Iterator<Item = (u32, Duration)> {
    fs::read_dir(folder.join("task")).into_iter().flatten().flatten().filter_map(|thread| {
        let number = thread.file_name().to_str()?.parse().ok()?;
        let statistics = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        // The time on a processor, in nanoseconds.
        let used = statistics.split_whitespace().next()?.parse().ok()?;
        Some((number, Duration::from_nanos(used)))
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;
    use std::time::Instant;

    use crate::Process;

    use super::*;

    /// Waits until a condition holds, for ten seconds at most.
    fn eventually(mut holds: impl FnMut() -> bool) -> bool {
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if holds() {
                return true;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }

    #[test]
    fn children_count_and_idle_ones_are_not_busy() {
        if !Path::new("/proc/self/schedstat").exists() {
            return eprintln!("skipped: the system does not measure it");
        }
        let start = |script: &str| Process::start(Command::new("sh").args(["-c", script])).unwrap();
        let (busy, _pipes) = start("sh -c 'while :; do :; done' & wait");
        let before = busy.usage().unwrap();
        let least = Duration::from_millis(100);
        assert!(eventually(|| busy.usage().unwrap().busy_since(&before, least) == 1), "{before:?}");
        assert!(busy.usage().unwrap().cpu_since(&before) >= least);
        assert!(busy.usage().unwrap().memory > 100_000);
        let (idle, _pipes) = start("read line");
        let before = idle.usage().unwrap();
        thread::sleep(Duration::from_millis(200));
        assert_eq!(idle.usage().unwrap().busy_since(&before, Duration::from_millis(50)), 0);
    }
}
