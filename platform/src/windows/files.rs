//! Identity of files.

use std::fs::{File, Metadata};
use std::io;
use std::os::windows::io::AsHandle as _;
use std::path::Path;

use winapi_util::Handle;
use winapi_util::file::information;

/// Identity of a regular file, independent of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    volume: u64,
    number: u64,
}

impl FileId {
    /// Identity of an open file; `None` if it is no regular file, or if the system call fails.
    pub fn of(file: &File) -> Option<FileId> {
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let about = information(file).ok()?;
        Some(FileId { volume: about.volume_serial_number(), number: about.file_index() })
    }

    /// Identity of the file at a path; `None` if it is missing or no regular file, or if the system call fails.
    pub fn at(path: &Path) -> Option<FileId> {
        FileId::of(&File::open(path).ok()?)
    }
}

/// Number of names (hard links) of a file.
///
/// # Errors
/// The file is missing, or the system call fails.
pub fn name_count(path: &Path) -> io::Result<u64> {
    Ok(information(Handle::from_path_any(path)?)?.number_of_links())
}

/// Does nothing: a new file gets its owner from the folder.
///
/// # Errors
/// Never.
pub fn give_owner(_file: &File, _about: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Whether standard output is known to be the null device. This system doesn't tell.
pub const fn output_is_null() -> bool {
    false
}

/// Returns standard input as a file, to query its properties.
///
/// # Errors
/// It is closed, or there are no more handles.
pub fn standard_input() -> io::Result<File> {
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Returns standard output as a file, to query its properties.
///
/// # Errors
/// It is closed, or there are no more handles.
pub fn standard_output() -> io::Result<File> {
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

/// Returns `None`: there is no limit of open files.
pub fn raise_file_limit() -> Option<u64> {
    None
}
