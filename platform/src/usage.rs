//! What a running process and its descendants use, where the system tells it (Linux).

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// Threads and memory of a process and its descendants at a moment.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Of each thread, by its number: the time on a processor, and the time for which it was ready but waited for one.
    threads: HashMap<u32, (Duration, Duration)>,
    /// Memory in use, in bytes.
    pub resident: u64,
    /// Address space, in bytes. It grows when memory is reserved, before that is used.
    pub size: u64,
}

impl Usage {
    /// Returns what a process and its descendants use now; `None` if the system doesn't tell.
    pub fn of(process: u32) -> Option<Usage> {
        let mut usage = Usage::default();
        usage.add(process)?;
        Some(usage)
    }

    /// Returns for how long threads have worked since an earlier moment, or would have on an idle machine; over all threads. Threads
    /// that have ended meanwhile don't count.
    pub fn work_since(&self, earlier: &Usage) -> Duration {
        self.since(earlier).map(|(run, waited)| run + waited).sum()
    }

    /// Returns for how long threads have run since an earlier moment, over all threads. Threads that have ended meanwhile don't count.
    pub fn run_since(&self, earlier: &Usage) -> Duration {
        self.since(earlier).map(|(run, _)| run).sum()
    }

    /// Number of threads that have each worked for at least this time since an earlier moment, or would have on an idle machine.
    pub fn busy_since(&self, earlier: &Usage, least: Duration) -> usize {
        self.since(earlier).filter(|(run, waited)| *run + *waited >= least).count()
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

    fn add(&mut self, process: u32) -> Option<()> {
        let memory = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        let mut pages = memory.split(' ').map(|text| text.parse::<u64>().ok());
        let page = rustix::param::page_size() as u64;
        self.size += pages.next()?? * page;
        self.resident += pages.next()?? * page;
        for entry in fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten() {
            // A thread may end at any time.
            let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let Ok(times) = fs::read_to_string(entry.path().join("schedstat")) else { continue };
            let mut times = times.split_whitespace().map(|text| text.parse().map(Duration::from_nanos));
            if let (Some(Ok(run)), Some(Ok(waited))) = (times.next(), times.next()) {
                self.threads.insert(number, (run, waited));
            }
            let children = fs::read_to_string(entry.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|text| text.parse().ok()) {
                self.add(child);
            }
        }
        (!self.threads.is_empty()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    fn now() -> Option<Usage> {
        Usage::of(std::process::id())
    }

    #[test]
    fn work_and_memory_are_seen() {
        let Some(before) = now() else { return eprintln!("skipped: the system does not tell") };
        let taken = vec![1_u8; 50_000_000];
        let worker = thread::spawn(|| {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(300) {}
            now()
        });
        let after = worker.join().unwrap().unwrap();
        assert!(after.resident > before.resident + 40_000_000, "{}", taken.len());
        assert!(after.size >= after.resident);
        let work = after.work_since(&before);
        assert!(work > Duration::from_millis(250), "{work:?}");
        assert!(after.delay_since(&before) <= work);
        assert!(after.busy_since(&before, Duration::from_millis(250)) >= 1);
        assert_eq!(after.busy_since(&after, Duration::from_millis(250)), 0);
    }

    #[test]
    fn descendants_count() {
        let mut shell =
            std::process::Command::new("sh").args(["-c", "sh -c 'while :; do :; done'; :"]).spawn().unwrap();
        let before = Usage::of(shell.id());
        thread::sleep(Duration::from_millis(500));
        let after = Usage::of(shell.id());
        for child in fs::read_to_string(format!("/proc/{0}/task/{0}/children", shell.id()))
            .unwrap_or_default()
            .split(' ')
        {
            let _ = std::process::Command::new("kill").arg(child).status();
        }
        let _ = shell.kill();
        let _ = shell.wait();
        let (Some(before), Some(after)) = (before, after) else {
            return eprintln!("skipped: the system does not tell");
        };
        assert!(after.work_since(&before) > Duration::from_millis(200));
    }
}
