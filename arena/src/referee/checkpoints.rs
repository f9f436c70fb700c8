//! Checkpoints of the store: what is in the log of `SQLite` reaches the database and the disk.

use std::io;

use rusqlite::Connection;

use super::job_thread::JobThread;

/// Number of facts stored between two checkpoints. The log grows by some kilobytes for each fact.
pub(super) const FACTS_BETWEEN: u64 = 10_000;
/// Length of the log, in pages, beyond which a checkpoint blocks the writer: a quarter of a gigabyte.
const MOST_PAGES: i64 = 262_144;

/// A thread that makes checkpoints over its own connection to the database.
pub(super) struct Checkpoints {
    /// Number of the fact before which the next checkpoint is due.
    due: u64,
    thread: JobThread<(), rusqlite::Error>,
}

impl Checkpoints {
    /// Starts the thread on its own connection; `next` is the number of the next fact of the store.
    pub(super) fn start(database: Connection, next: u64) -> io::Result<Checkpoints> {
        let make = move |()| {
            // The writer continues meanwhile, so the log may not be empty afterwards.
            if checkpoint(&database, "PASSIVE")? > MOST_PAGES {
                // The rest is short. The writer waits for it, and the log starts from its beginning again.
                checkpoint(&database, "FULL")?;
            }
            Ok(())
        };
        Ok(Checkpoints { due: next + FACTS_BETWEEN, thread: JobThread::start("checkpoints", make)? })
    }

    /// Reports that all facts before the number `next` are stored, and makes a checkpoint if one is due.
    ///
    /// # Errors
    /// An earlier checkpoint failed.
    pub(super) fn stored_before(&mut self, next: u64) -> rusqlite::Result<()> {
        if next >= self.due {
            self.due = next + FACTS_BETWEEN;
            self.thread.check()?;
            self.thread.add(());
        }
        Ok(())
    }
}

/// Makes a checkpoint and returns the length of the log in pages.
fn checkpoint(database: &Connection, mode: &str) -> rusqlite::Result<i64> {
    database.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get(1))
}
