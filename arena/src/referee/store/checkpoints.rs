//! Checkpoints of a store: what is in its write-ahead log goes to the database. They wait for the disk, so a thread makes them.

use std::io;

use rusqlite::Connection;

use crate::referee::job_thread::JobThread;

/// So many facts are stored between two checkpoints. The log grows by some kilobytes for each of them.
const FACTS_BETWEEN: u64 = 10_000;
/// The most pages that the log may have without a moment in which its writer waits: a quarter of a gigabyte.
const MOST_PAGES: i64 = 262_144;

/// Checkpoints, made by a thread with a connection of its own.
pub(super) struct Checkpoints {
    /// The number of the fact before which the next one is due.
    due: u64,
    thread: JobThread<(), rusqlite::Error>,
}

impl Checkpoints {
    /// Begins with a connection of its own to a store in which `next` is the number of the next fact.
    pub(super) fn start(database: Connection, next: u64) -> io::Result<Checkpoints> {
        let make = move |()| {
            // Who writes goes on meanwhile, so that the log may not be empty afterwards.
            if checkpoint(&database, "PASSIVE")? > MOST_PAGES {
                // Now there is little left to do, for which the writer waits; then the log begins anew.
                checkpoint(&database, "FULL")?;
            }
            Ok(())
        };
        Ok(Checkpoints { due: next + FACTS_BETWEEN, thread: JobThread::start("checkpoints", make)? })
    }

    /// All facts before the number `next` are stored: makes a checkpoint if it is time.
    ///
    /// # Errors
    /// An earlier one could not be made.
    pub(super) fn stored_before(&mut self, next: u64) -> rusqlite::Result<()> {
        if next >= self.due {
            self.due = next + FACTS_BETWEEN;
            self.thread.check()?;
            self.thread.add(());
        }
        Ok(())
    }
}

/// Makes a checkpoint and returns how many pages the log has.
fn checkpoint(database: &Connection, mode: &str) -> rusqlite::Result<i64> {
    database.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get(1))
}

#[cfg(test)]
mod tests {
    use super::super::{EventStore, Fact};
    use super::*;

    #[test]
    fn what_is_in_the_log_reaches_the_database_while_facts_are_stored() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("event.sqlite");
        let mut store = EventStore::open(&path, "{}", |_| Ok(())).expect("a store");
        let size = || std::fs::metadata(&path).expect("a file").len();
        let facts = vec![Fact::Epoch { epoch: 1 }; FACTS_BETWEEN as usize / 2];
        store.commit(&facts).expect("stored");
        let before = size();
        store.commit(&facts).expect("stored");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while size() == before {
            assert!(std::time::Instant::now() < until, "no checkpoint was made");
            std::thread::yield_now();
        }
        drop(store);
        // The last one out leaves nothing in the log.
        assert!(!folder.path().join("event.sqlite-wal").exists());
    }
}
