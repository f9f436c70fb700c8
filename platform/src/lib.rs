//! All code that depends on the operating system: no other crate uses `std::os`, `rustix` or `libc`, nor crates for the same
//! purpose (`signal-hook`, `socket2`, `wait4`). A test of this crate searches the sources for these names.
//!
//! `unix/` and `windows/` have modules of the same names with the same public items; the modules beside them hold for both.
//!
//! - [`Process`]: a program that is killed with all that it has started, even if Herald itself is killed.
//! - [`PipeReader`], [`PipeWriter`], [`Bell`]: nonblocking pipes, and [`wait`] for several of them with a time-out. On
//!   Windows threads read and write the pipes.
//! - [`signals`]: signals that end or interrupt this program.
//! - [`terminal`]: size, mode and pending input of the terminal. The standard library tells whether a stream is a terminal.
//! - [`affinity`]: processor affinity of threads.
//! - [`FileId`], [`NamedFile`], [`find_named_twice`], [`name_count`], [`give_owner`], [`standard_input`], [`standard_output`], [`output_is_null`], [`raise_file_limit`]: files.
//! - [`notice_dead_peer`]: time-outs of a TCP connection whose other end has vanished.
//! - [`split_words`]: the words of a command line, in which Windows has backslashes in paths.
//! - [`open_with_default`]: opens a file as the desktop does, such as a page in the browser.
//! - [`lower_priority`]: leaves the processor to others.
//! - [`Usage`]: work and memory of another process.
//! - [`run_delay`]: the time that a thread waited for a processor.
//! - [`process_cpu_time`]: processor time of this process.
//!
//! Two kinds of system calls stay elsewhere because a portable library makes them: the memory map of the hash table (`memmap2`,
//! with the prefetch instruction, in `search`) and serial lines (`serialport`).

mod desktop;
mod named_file;
mod network;
mod process;
mod run_delay;
pub mod signals;
#[cfg(unix)]
#[path = "unix/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;
#[cfg(test)]
mod tests;
mod usage;
mod words;

use std::time::Duration;

pub use desktop::open_with_default;
pub use named_file::{NamedFile, find_named_twice};
pub use network::notice_dead_peer;
pub use process::{PipeRead, Pipes, Resources};
pub use run_delay::run_delay;
pub use system::*;
pub use usage::Usage;
pub use words::split_words;

/// Gives the calling thread, and the programs that it starts from now on, the lowest priority for processors. Does nothing on systems
/// where that would concern other threads, too.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    // Lowering is always allowed, and without it the thread only runs more often.
    let _ = rustix::process::nice(19);
}

/// Returns the processor time that all threads of this process have used together.
pub fn process_cpu_time() -> Duration {
    cpu_time::ProcessTime::try_now().map_or(Duration::ZERO, |time| time.as_duration())
}
