//! Processor affinity where programs do not inherit it from the thread that starts them: Windows has it for a program as a whole, macOS
//! not at all.

use std::io::{self, ErrorKind};

/// Returns the numbers of the processors that this thread may use, in ascending order.
///
/// # Errors
/// Always: see the module.
pub fn allowed() -> io::Result<Vec<usize>> {
    Err(unsupported())
}

/// Restricts this thread to these processors.
///
/// # Errors
/// Always: see the module.
pub fn restrict(_processors: &[usize]) -> io::Result<()> {
    Err(unsupported())
}

fn unsupported() -> io::Error {
    io::Error::new(ErrorKind::Unsupported, "processors can't be assigned to programs on this system")
}
