//! Files that are created and removed while games are played. A separate thread does it, because these system calls may
//! wait for the disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::referee::job_thread::JobThread;

/// Maximum number of files that wait to be written.
const LONGEST_QUEUE: usize = 8;

/// Path of a file and its new contents; `None` removes the file.
type FileJob = (PathBuf, Option<String>);

/// Handle of the writing thread. Dropping it waits until all files have been written.
pub(super) struct FileWriter {
    thread: JobThread<FileJob, io::Error>,
    waiting: Arc<AtomicUsize>,
}

impl FileWriter {
    pub(super) fn start() -> io::Result<FileWriter> {
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let write = move |(path, text): FileJob| {
            left.fetch_sub(1, Ordering::Relaxed);
            carry_out(&path, text)
        };
        Ok(FileWriter { thread: JobThread::start("files", write)?, waiting })
    }

    /// Whether another file can be queued.
    pub(super) fn is_free(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < LONGEST_QUEUE
    }

    /// Writes a file, or removes it if `text` is `None`.
    pub(super) fn write(&self, path: PathBuf, text: Option<String>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.thread.add((path, text));
    }

    /// Returns the error that stopped the thread, once. No file is written after an error.
    pub(super) fn check(&mut self) -> io::Result<()> {
        self.thread.check()
    }
}

fn carry_out(path: &Path, text: Option<String>) -> io::Result<()> {
    let Some(text) = text else {
        return fs::remove_file(path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
    };
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_ordered_is_done_in_order_and_faults_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let writer = FileWriter::start().expect("a thread");
        for number in 0..100 {
            writer.write(one.clone(), Some(number.to_string()));
            writer.write(other.clone(), Some(number.to_string()));
        }
        writer.write(other.clone(), None);
        writer.write(other.clone(), None);
        drop(writer);
        assert_eq!(fs::read_to_string(&one).expect("written"), "99");
        assert!(!other.exists());
        let mut writer = FileWriter::start().expect("a thread");
        writer.write(folder.path().join("no/such/folder"), Some(String::new()));
        while writer.check().is_ok() {
            std::thread::yield_now();
        }
        assert!(writer.check().is_ok(), "it is told once");
    }
}
