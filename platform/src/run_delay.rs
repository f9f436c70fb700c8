//! The time that a thread was ready to run but waited for a processor.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek};
use std::time::Duration;

thread_local! {
    /// Scheduling statistics of this thread, where the system has them (Linux).
    static STATISTICS: RefCell<Option<File>> = RefCell::new(File::open("/proc/thread-self/schedstat").ok());
}

/// Returns the time for which this thread has been ready to run but waited for a processor, since its start; `None` if the
/// system does not measure it.
pub fn run_delay() -> Option<Duration> {
    STATISTICS.with_borrow_mut(|file| {
        let file = file.as_mut()?;
        let mut text = [0; 96];
        file.rewind().ok()?;
        let length = file.read(&mut text).ok()?;
        // Time on a processor, time of waiting for one (both in nanoseconds), number of time slices.
        let waited = str::from_utf8(&text[..length]).ok()?.split_whitespace().nth(1)?;
        waited.parse().ok().map(Duration::from_nanos)
    })
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::affinity;

    /// Three threads that compute on one processor wait for each other for most of the time.
    #[test]
    fn threads_that_share_a_processor_wait() {
        let shared = affinity::allowed().unwrap()[0];
        let busy = move || {
            affinity::restrict(&[shared]).unwrap();
            let (began, before) = (Instant::now(), run_delay());
            while began.elapsed() < Duration::from_millis(300) {}
            Some(run_delay()?.saturating_sub(before?))
        };
        let waited: Vec<_> =
            [0; 3].map(|_| thread::spawn(busy)).into_iter().map(|t| t.join().unwrap()).collect();
        if waited.iter().any(Option::is_none) {
            return eprintln!("skipped: the system does not measure it");
        }
        let all: Duration = waited.into_iter().flatten().sum();
        assert!(all > Duration::from_millis(250), "{all:?}");
    }
}
