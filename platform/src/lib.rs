//! All that differs between operating systems: nobody else names `std::os`, `rustix` or `libc`, nor the crates that do the
//! same work (`signal-hook`, `wait4`). A test of this crate searches the sources for these names.
//!
//! - [`Process`]: a program in a process group of its own, which leaves nothing behind, even if we are killed.
//! - [`PipeReader`], [`PipeWriter`], [`Bell`]: pipes that don't block, and [`wait`] for several of them with a time-out. A
//!   [`Source`] is opaque, so that a system without `poll` can read each pipe on a thread of its own and have [`wait`] wait for
//!   those threads.
//! - [`signals`]: what ends or interrupts this program.
//! - [`terminal`]: size, mode and pending input of the terminal. Whether a stream is a terminal, the standard library tells.
//! - [`affinity`]: which processors a thread may use.
//! - [`FileId`], [`standard_input`], [`standard_output`], [`raise_file_limit`]: files.
//! - [`process_cpu_time`].
//!
//! Two kinds of system calls stay elsewhere because a library hides the system: the memory map of the hash table (`memmap2`,
//! with the prefetch instruction, in `search`) and serial lines (`serialport`).

pub mod affinity;
mod files;
mod pipe;
mod process;
pub mod signals;
pub mod terminal;
mod watchdog;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

pub use files::{FileId, raise_file_limit, standard_input, standard_output};
pub use pipe::{Bell, PipeRead, PipeReader, PipeWriter, Ringer, Source, bell, wait};
pub use process::{Pipes, Process, Resources};

/// Processor time that all threads of this process have used together.
pub fn process_cpu_time() -> Duration {
    // The kernel never reports a negative time here.
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}
