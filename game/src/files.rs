//! Files that settings name.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens a regular file for reading. To open a pipe would wait for its writer, and an engine that waits hears nothing.
///
/// # Errors
/// The file can't be opened, or is a pipe, a device or a folder.
pub fn open_file(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::other("it is no regular file"))
    }
}
