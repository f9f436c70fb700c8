//! The desktop.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// The program that opens a file with the application that the user has chosen for its kind, and the arguments before the file.
const OPENER: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("open", &[])
} else if cfg!(windows) {
    ("cmd", &["/C", "start", ""])
} else {
    ("xdg-open", &[])
};

/// Opens a file with the application that the user has chosen for its kind, without waiting for it.
///
/// # Errors
/// There is no program that could do so.
pub fn open_with_default(path: &Path) -> io::Result<()> {
    let (program, arguments) = OPENER;
    let mut command = Command::new(program);
    command.args(arguments).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // The program is waited for so that no dead process stays behind.
    thread::Builder::new().name("desktop".into()).spawn(move || child.wait())?;
    Ok(())
}
