//! Identity of files, and the limit of open files.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::process::{Resource, getrlimit, setrlimit};

/// Identity of a regular file, independent of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Identity of an open file; `None` if it is no regular file, or if the system call fails.
    pub fn of(file: &File) -> Option<FileId> {
        FileId::by(&file.metadata().ok()?)
    }

    /// Identity of the file at a path, which isn't opened; `None` if it is missing or no regular file, or if the system call
    /// fails.
    pub fn at(path: &Path) -> Option<FileId> {
        FileId::by(&fs::metadata(path).ok()?)
    }

    fn by(about: &Metadata) -> Option<FileId> {
        about.is_file().then(|| FileId { device: about.dev(), inode: about.ino() })
    }
}

/// Number of names (hard links) of a file.
///
/// # Errors
/// The file is missing, or the system call fails.
pub fn name_count(path: &Path) -> io::Result<u64> {
    Ok(fs::metadata(path)?.nlink())
}

/// Gives a file the owner and the group of another, as far as the system allows: a user can't give files away.
///
/// # Errors
/// The owner differs and can't be changed, or the system call fails.
pub fn give_owner(file: &File, about: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) == (about.uid(), about.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(about.uid()), Some(about.gid()))
}

/// Whether standard output is the null device: given as such, or because it was closed when the program began.
pub fn output_is_null() -> bool {
    let output = standard_output().and_then(|output| output.metadata());
    output.is_ok_and(|output| fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == output.rdev()))
}

/// Returns standard input as a file, to query its properties.
///
/// # Errors
/// It is closed, or there are no more descriptors.
pub fn standard_input() -> io::Result<File> {
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Returns standard output as a file, to query its properties.
///
/// # Errors
/// It is closed, or there are no more descriptors.
pub fn standard_output() -> io::Result<File> {
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

/// Raises the limit of open files of this process to the maximum that the system allows, and returns it; `None` if there is no
/// limit.
pub fn raise_file_limit() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current
}
