//! Processor affinity of threads. Programs inherit it from the thread that starts them.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Returns the numbers of the processors that this thread may use, in ascending order.
///
/// # Errors
/// The system call fails.
pub fn allowed() -> io::Result<Vec<usize>> {
    let allowed = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&processor| allowed.is_set(processor)).collect())
}

/// Restricts this thread to these processors.
///
/// # Errors
/// The system refuses, for example because it has none of them.
pub fn restrict(processors: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    processors
        .iter()
        .filter(|&&processor| processor < CpuSet::MAX_CPU)
        .for_each(|&processor| set.set(processor));
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_restricted_to_what_it_is_told() {
        std::thread::spawn(|| {
            let last = *allowed().unwrap().last().unwrap();
            restrict(&[last]).unwrap();
            assert_eq!(allowed().unwrap(), [last]);
            assert!(restrict(&[]).is_err());
        })
        .join()
        .unwrap();
    }
}
