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
type Paper = (PathBuf, Option<String>);

/// The way to the thread that writes. Dropped, it waits until all is written.
pub(super) struct Scribe {
    papers: Option<Sender<Paper>>,
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

/// What both sides know.
#[derive(Default)]
struct Desk {
    waiting: AtomicUsize,
    failure: Mutex<Option<io::Error>>,
}

impl Scribe {
    pub(super) fn start() -> io::Result<Scribe> {
        let (papers, orders) = mpsc::channel();
        let desk = Arc::new(Desk::default());
        let writes = Arc::clone(&desk);
        let thread = thread::Builder::new().name("papers".into()).spawn(move || writes.work(&orders))?;
        Ok(Scribe { papers: Some(papers), desk, thread: Some(thread) })
    }

    /// Whether there is room for one more file to be written.
    pub(super) fn is_free(&self) -> bool {
        self.desk.waiting.load(Ordering::Relaxed) < LONGEST_QUEUE
    }

    pub(super) fn write(&self, path: PathBuf, text: String) {
        self.order((path, Some(text)));
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, path: PathBuf) {
        self.order((path, None));
    }

    /// What went wrong since the last time.
    pub(super) fn check(&self) -> io::Result<()> {
        let mut failure = self.desk.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }

    fn order(&self, paper: Paper) {
        if let Some(papers) = &self.papers {
            self.desk.waiting.fetch_add(1, Ordering::Relaxed);
            // The thread listens until it is told that there is no more.
            let _ = papers.send(paper);
        }
    }
}

impl Desk {
    fn work(&self, orders: &Receiver<Paper>) {
        for (path, text) in orders {
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

impl Drop for Scribe {
    fn drop(&mut self) {
        self.papers = None;
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
        let scribe = Scribe::start().expect("a thread");
        for number in 0..100 {
            scribe.write(one.clone(), number.to_string());
            scribe.write(other.clone(), number.to_string());
        }
        scribe.remove(other.clone());
        scribe.remove(other.clone());
        drop(scribe);
        assert_eq!(fs::read_to_string(&one).expect("written"), "99");
        assert!(!other.exists());
        let scribe = Scribe::start().expect("a thread");
        scribe.write(folder.path().join("no/such/folder"), String::new());
        while scribe.desk.waiting.load(Ordering::Relaxed) > 0 {
            thread::yield_now();
        }
        assert!(scribe.check().is_err() && scribe.check().is_ok());
    }
}
