//! What a started program has: pipes and resources.

use std::ops::AddAssign;
use std::time::Duration;

use crate::{PipeReader, PipeWriter};

/// Pipes to and from a program.
pub struct Pipes {
    /// To its standard input.
    pub input: PipeWriter,
    /// From its standard output.
    pub output: PipeReader,
    /// From its standard error.
    pub error: PipeReader,
}

/// Resources used by a program, including children that it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Processor time, user and system.
    pub cpu: Duration,
    /// Peak memory, in bytes.
    pub peak_memory: u64,
}

/// Adds the resources of a later process.
impl AddAssign for Resources {
    fn add_assign(&mut self, later: Resources) {
        self.cpu += later.cpu;
        self.peak_memory = self.peak_memory.max(later.peak_memory);
    }
}

/// Result of a nonblocking read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeRead {
    /// Number of bytes read, at least one.
    Bytes(usize),
    /// No data for now.
    Nothing,
    /// End of the data: every writer has closed the pipe.
    End,
}
