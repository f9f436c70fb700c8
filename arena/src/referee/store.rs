//! The store of an event: all facts, in their order, in a database that survives the death of who writes it.
//!
//! A commit does not wait for the disk: what is handed to the system survives the death of the process. Checkpoints wait for it,
//! on a thread of their own.

mod checkpoints;

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};

use super::fact::Fact;
use checkpoints::Checkpoints;

/// Why a store can't be used.
#[derive(Debug, thiserror::Error)]
pub enum EventStoreError {
    /// The database refuses: it is damaged, the disk is full, or it can't be opened.
    #[error("{path}: {error}")]
    Database {
        /// The file.
        path: PathBuf,
        /// What the database says.
        error: rusqlite::Error,
    },
    /// The system refuses: the file that keeps other referees away, or the thread for the checkpoints.
    #[error("{path}: {error}")]
    System {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another referee has it open.
    #[error("{0} is in use by another referee")]
    InUse(PathBuf),
    /// It is the store of another event, or of one with other settings.
    #[error(
        "{path} belongs to an event with other settings ({before}); name another folder, or use the same settings"
    )]
    OtherEvent {
        /// The file.
        path: PathBuf,
        /// The settings it was begun with.
        before: String,
    },
    /// A fact can't be understood, or doesn't fit what happened before.
    #[error("{path}: fact {number}: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        number: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl EventStoreError {
    /// Whether something that was stored is lost or was changed.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            EventStoreError::Damaged { .. } => true,
            // What is no fault of SQLite is something in the file that we don't put there.
            EventStoreError::Database { error, .. } => error
                .sqlite_error_code()
                .is_none_or(|code| matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)),
            _ => false,
        }
    }
}

/// The store of an event. Facts are safe against the death of the referee when [`EventStore::commit`] returns; against the
/// death of the computer, an observer is the better help.
pub struct EventStore {
    // In the order in which they must go: what the thread left is done when the database is closed, and only then comes another.
    checkpoints: Checkpoints,
    database: Connection,
    _lock: File,
    path: PathBuf,
    /// The number of the next fact, from 1.
    next: u64,
}

/// How long the database waits for its own checkpoints, or for somebody who reads it with another program, before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// A commit writes whole pages, so that small ones are better for a few facts at a time.
const TABLES: &str = "
    PRAGMA page_size = 1024;
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS event (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS facts (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, game INTEGER, fact TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS games ON facts (game, number);
";

impl EventStore {
    /// Opens the store, or makes it, and hands all facts to `restore`. `settings` are those that an event can't change.
    ///
    /// # Errors
    /// See [`EventStoreError`].
    pub fn open(
        path: &Path,
        settings: &str,
        mut restore: impl FnMut(Fact) -> Result<(), String>,
    ) -> Result<EventStore, EventStoreError> {
        let lock = lock(path)?;
        let failed = |error| EventStoreError::Database { path: path.to_owned(), error };
        let database = connect(path).map_err(failed)?;
        database.execute_batch(TABLES).map_err(failed)?;
        let before: Option<String> = database
            .query_row("SELECT value FROM event WHERE name = 'settings'", [], |row| row.get(0))
            .optional()
            .map_err(failed)?;
        match before {
            Some(before) if before != settings => {
                return Err(EventStoreError::OtherEvent { path: path.to_owned(), before });
            }
            Some(_) => {}
            None => {
                let insert = "INSERT INTO event (name, value) VALUES ('settings', ?1)";
                database.execute(insert, [settings]).map_err(failed)?;
            }
        }
        let next = read(&database, path, failed, &mut restore)?;
        let checkpoints = Checkpoints::start(connect(path).map_err(failed)?, next)
            .map_err(|error| EventStoreError::System { path: path.to_owned(), error })?;
        Ok(EventStore { checkpoints, database, _lock: lock, path: path.to_owned(), next })
    }

    /// Stores facts: all of them or none.
    ///
    /// # Errors
    /// They can't be stored. The event must not go on without.
    pub fn commit(&mut self, facts: &[Fact]) -> Result<(), EventStoreError> {
        if facts.is_empty() {
            return Ok(());
        }
        let failed = |error| EventStoreError::Database { path: self.path.clone(), error };
        self.next = insert(&mut self.database, self.next, facts).map_err(failed)?;
        self.checkpoints.stored_before(self.next).map_err(failed)
    }

    /// All facts about a game, from its latest beginning on.
    ///
    /// # Errors
    /// They can't be read.
    pub fn game(&self, game: u64) -> Result<Vec<Fact>, EventStoreError> {
        let facts = self.select("SELECT fact FROM facts WHERE game = ?1 ORDER BY number", game as i64)?;
        // The director may have had a word about it before.
        let began = facts.iter().position(|fact| matches!(fact, Fact::Began { .. }));
        let facts = &facts[began.unwrap_or(facts.len())..];
        let again = facts.iter().rposition(|fact| matches!(fact, Fact::Restarted { .. }));
        Ok(match again {
            // As it began, and then what came after the last restart.
            Some(at) => facts[..1].iter().chain(&facts[at + 1..]).cloned().collect(),
            None => facts.to_vec(),
        })
    }

    /// All facts from one number on.
    ///
    /// # Errors
    /// They can't be read.
    pub fn from(&self, number: u64) -> Result<Vec<Fact>, EventStoreError> {
        self.select("SELECT fact FROM facts WHERE number >= ?1 ORDER BY number", number as i64)
    }

    fn select(&self, query: &str, number: i64) -> Result<Vec<Fact>, EventStoreError> {
        let failed = |error| EventStoreError::Database { path: self.path.clone(), error };
        let mut statement = self.database.prepare_cached(query).map_err(failed)?;
        let texts = statement.query_map([number], |row| row.get::<_, String>(0)).map_err(failed)?;
        let mut facts = Vec::new();
        for text in texts {
            let text = text.map_err(failed)?;
            let damaged = |error: serde_json::Error| EventStoreError::Damaged {
                path: self.path.clone(),
                number: number as u64,
                reason: error.to_string(),
            };
            facts.push(serde_json::from_str(&text).map_err(damaged)?);
        }
        Ok(facts)
    }

    /// How many facts there are.
    pub fn count(&self) -> u64 {
        self.next - 1
    }
}

/// A connection. What is committed by it is handed to the system, which is enough to survive the process; only checkpoints
/// wait for the disk, and they don't come of themselves.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let database = Connection::open(path)?;
    database.busy_timeout(PATIENCE)?;
    database.execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = NORMAL;")?;
    Ok(database)
}

/// Keeps other referees from a store, as long as the file is held. One that was killed may take a moment to let go of it.
fn lock(store: &Path) -> Result<File, EventStoreError> {
    let path = store.with_extension("lock");
    let file = File::options().create(true).append(true).open(&path);
    let file = file.map_err(|error| EventStoreError::System { path, error })?;
    for _ in 0..10 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
            // Where files cannot be locked the director has to take care.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
    Err(EventStoreError::InUse(store.to_owned()))
}

/// Stores facts under the numbers from `number` on and returns the next.
fn insert(database: &mut Connection, mut number: u64, facts: &[Fact]) -> rusqlite::Result<u64> {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64;
    let transaction = database.transaction()?;
    {
        let insert = "INSERT INTO facts (number, at, game, fact) VALUES (?1, ?2, ?3, ?4)";
        let mut statement = transaction.prepare_cached(insert)?;
        for fact in facts {
            let text = serde_json::to_string(fact)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
            let game = fact.game().map(|game| game as i64);
            statement.execute(params![number as i64, at, game, text])?;
            number += 1;
        }
    }
    transaction.commit()?;
    Ok(number)
}

/// Reads all facts and returns the number of the next.
fn read(
    database: &Connection,
    path: &Path,
    failed: impl Fn(rusqlite::Error) -> EventStoreError,
    restore: &mut impl FnMut(Fact) -> Result<(), String>,
) -> Result<u64, EventStoreError> {
    let mut statement =
        database.prepare("SELECT number, fact FROM facts ORDER BY number").map_err(&failed)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    let mut next = 1;
    while let Some(row) = rows.next().map_err(&failed)? {
        let number = row.get::<_, i64>(0).map_err(&failed)? as u64;
        let damaged = |reason| EventStoreError::Damaged { path: path.to_owned(), number, reason };
        let text: String = row.get(1).map_err(|error| damaged(error.to_string()))?;
        if number != next {
            return Err(damaged(format!("expected fact {next}")));
        }
        let fact = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        restore(fact).map_err(damaged)?;
        next += 1;
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(path: &Path, settings: &str) -> Result<(EventStore, Vec<Fact>), EventStoreError> {
        let mut facts = Vec::new();
        let store = EventStore::open(path, settings, |fact| {
            facts.push(fact);
            Ok(())
        })?;
        Ok((store, facts))
    }

    #[test]
    fn what_was_committed_is_there_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("event.sqlite");
        let told = [Fact::Epoch { epoch: 1 }, Fact::Round { round: 3 }];
        let (mut store, before) = facts(&path, "{}").expect("a store");
        assert!(before.is_empty());
        store.commit(&told[..1]).expect("stored");
        store.commit(&told[1..]).expect("stored");
        assert!(matches!(facts(&path, "{}"), Err(EventStoreError::InUse(_))));
        // As after SIGKILL, but for the lock, which the system takes away then.
        drop(store);
        let (store, after) = facts(&path, "{}").expect("a store");
        assert_eq!((after.as_slice(), store.count()), (&told[..], 2));
        drop(store);
        assert!(matches!(facts(&path, "{\"x\":1}"), Err(EventStoreError::OtherEvent { .. })));
    }

    #[test]
    fn damage_is_told_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("event.sqlite");
        let (mut store, _) = facts(&path, "{}").expect("a store");
        store.commit(&[Fact::Epoch { epoch: 1 }]).expect("stored");
        store.database.execute("UPDATE facts SET fact = '{\"fact\":\"odd\"}'", []).expect("changed");
        drop(store);
        let error = facts(&path, "{}").map(|_| ()).expect_err("damaged").to_string();
        assert!(error.contains("fact 1: unknown variant `odd`"), "{error}");
        std::fs::write(&path, b"no database at all, but long enough to be looked at").expect("written");
        let error = facts(&path, "{}").map(|_| ()).expect_err("no database");
        assert!(matches!(error, EventStoreError::Database { .. }) && error.is_damage(), "{error}");
    }

    #[test]
    fn no_damage_does_more_than_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("event.sqlite");
        let (mut store, _) = facts(&path, "{}").expect("a store");
        let told = [Fact::Epoch { epoch: 1 }, Fact::Round { round: 3 }, Fact::Released { game: 7 }];
        store.commit(&told).expect("stored");
        drop(store);
        let sound = std::fs::read(&path).expect("a store");
        let mut random = fastrand::Rng::with_seed(1);
        let mut damages = 0;
        for _ in 0..300 {
            let mut bytes = sound.clone();
            // Most of the file is empty.
            let full: Vec<usize> = (0..bytes.len()).filter(|&place| bytes[place] != 0).collect();
            for _ in 0..random.usize(1..4) {
                bytes[full[random.usize(..full.len())]] = random.u8(..);
            }
            std::fs::write(&path, bytes).expect("written");
            damages += usize::from(facts(&path, "{}").is_err_and(|error| error.is_damage()));
        }
        assert!(damages > 100, "{damages}");
    }
}
