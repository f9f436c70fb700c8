//! All that differs between operating systems: nobody else names `std::os`, `rustix` or `libc`.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time that all threads of this process have used together.
pub fn process_cpu_time() -> Duration {
    // The kernel never reports a negative time here.
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}
