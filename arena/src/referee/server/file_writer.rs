//! Files that come and go while games are played. A thread of its own writes and removes them, because the system may keep
//! whoever does that waiting for the disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// So many files may wait to be written.
const LONGEST_QUEUE: usize = 8;

/// What is to become of a file: what is in it, or nothing, if it is to be removed.
type FileJob = (PathBuf, Option<String>);

/// The way to the thread that writes. Dropped, it waits until all is written.
pub(super) struct FileWriter {
    files: Option<Sender<FileJob>>,
    status: Arc<WriterStatus>,
    thread: Option<JoinHandle<()>>,
}

/// What both sides know.
#[derive(Default)]
struct WriterStatus {
    waiting: AtomicUsize,
    failure: Mutex<Option<io::Error>>,
}

impl FileWriter {
    pub(super) fn start() -> io::Result<FileWriter> {
        let (files, jobs) = mpsc::channel();
        let status = Arc::new(WriterStatus::default());
        let writes = Arc::clone(&status);
        let thread = thread::Builder::new().name("files".into()).spawn(move || writes.work(&jobs))?;
        Ok(FileWriter { files: Some(files), status, thread: Some(thread) })
    }

    /// Whether there is room for one more file to be written.
    pub(super) fn is_free(&self) -> bool {
        self.status.waiting.load(Ordering::Relaxed) < LONGEST_QUEUE
    }

    pub(super) fn write(&self, path: PathBuf, text: String) {
        self.queue((path, Some(text)));
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, path: PathBuf) {
        self.queue((path, None));
    }

    /// What went wrong since the last time.
    pub(super) fn check(&self) -> io::Result<()> {
        let mut failure = self.status.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }

    fn queue(&self, job: FileJob) {
        if let Some(files) = &self.files {
            self.status.waiting.fetch_add(1, Ordering::Relaxed);
            // The thread listens until it is told that there is no more.
            let _ = files.send(job);
        }
    }
}

impl WriterStatus {
    fn work(&self, jobs: &Receiver<FileJob>) {
        for (path, text) in jobs {
            if let Err(error) = carry_out(&path, text) {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn carry_out(path: &Path, text: Option<String>) -> io::Result<()> {
    match text {
        Some(text) => fs::write(path, text),
        None => match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        self.files = None;
        if let Some(thread) = self.thread.take() {
            // Its panic has told what was wrong.
            let _ = thread.join();
        }
    }
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
            writer.write(one.clone(), number.to_string());
            writer.write(other.clone(), number.to_string());
        }
        writer.remove(other.clone());
        writer.remove(other.clone());
        drop(writer);
        assert_eq!(fs::read_to_string(&one).expect("written"), "99");
        assert!(!other.exists());
        let writer = FileWriter::start().expect("a thread");
        writer.write(folder.path().join("no/such/folder"), String::new());
        while writer.status.waiting.load(Ordering::Relaxed) > 0 {
            thread::yield_now();
        }
        assert!(writer.check().is_err() && writer.check().is_ok());
    }
}
