//! The store of an event: an append-only list of facts in an `SQLite` database that survives the death of the writing
//! process.
//!
//! A commit does not wait for the disk, because data handed to the operating system survives the death of the process.
//! Only checkpoints wait for the disk; they run on a separate thread.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};

use super::checkpoints::Checkpoints;
use super::differences::differences;
use super::fact::Fact;
use super::history::{History, Note};
use super::intake::FactStore;
use super::shown_count::ShownCount;
use super::view::unix_millis;

/// An error of the event store.
#[derive(Debug, thiserror::Error)]
pub enum EventStoreError {
    /// `SQLite` reports an error: the database is damaged, the disk is full, or the file cannot be opened.
    #[error("{path}: {error}")]
    Database {
        /// Path of the database.
        path: PathBuf,
        /// Error reported by `SQLite`.
        error: rusqlite::Error,
    },
    /// The operating system reports an error: for the lock file, or for the thread of the checkpoints.
    #[error("{path}: {error}")]
    System {
        /// Path of the file.
        path: PathBuf,
        /// Error reported by the operating system.
        error: io::Error,
    },
    /// Another referee has opened the store.
    #[error("{0} is in use by another referee")]
    InUse(PathBuf),
    /// The store belongs to another event or to one with other settings.
    #[error(
        "{path} belongs to an event with other settings ({differences}); name another folder, or use the same settings"
    )]
    OtherEvent {
        /// Path of the database.
        path: PathBuf,
        /// What differs, as `name: before, now after`.
        differences: String,
    },
    /// The file beside the store that counts the facts that were shown can't be read or written. The text names it.
    #[error("{0}")]
    ShownCount(io::Error),
    /// The file beside the store does not say how many facts were shown.
    #[error("{0} is no number of facts; take it away, if the store is no older copy")]
    Uncounted(PathBuf),
    /// A fact cannot be parsed, or contradicts an earlier one.
    #[error("{path}: fact {number}: {reason}")]
    Damaged {
        /// Path of the database.
        path: PathBuf,
        /// Number of the fact, from 1.
        number: u64,
        /// What is wrong with the fact.
        reason: String,
    },
}

impl EventStoreError {
    /// Whether stored data was lost or modified.
    pub fn is_damage(&self) -> bool {
        match self {
            EventStoreError::Damaged { .. } | EventStoreError::Uncounted(_) => true,
            // An error that SQLite did not report itself comes from content that we never write.
            EventStoreError::Database { error, .. } => error
                .sqlite_error_code()
                .is_none_or(|code| matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)),
            _ => false,
        }
    }
}

/// The store of an event. When [`EventStore::commit`] returns, the facts survive the death of the process. They may not
/// survive a crash of the computer; an observer protects against that.
pub struct EventStore {
    // The order of the fields is the order in which they are dropped. The checkpoint thread must have finished before
    // the database is closed and another referee is admitted.
    checkpoints: Checkpoints,
    database: Connection,
    _lock: File,
    path: PathBuf,
    /// What is stored, as far as it is known without reading it again.
    pub(super) history: History,
    shown: ShownCount,
}

/// Time that `SQLite` waits for a checkpoint or for another program that reads the database before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// A commit writes whole pages, so small pages are better for a few facts at a time.
const TABLES: &str = "
    PRAGMA page_size = 1024;
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS event (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS facts (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, game INTEGER, fact TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS set_aside (number INTEGER, at INTEGER NOT NULL, game INTEGER, fact TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS games ON facts (game, number);
";

impl EventStore {
    /// Opens or creates the store and passes all facts to `restore`. `settings` are those that cannot change during an
    /// event.
    ///
    /// # Errors
    /// See [`EventStoreError`].
    pub fn open(
        path: &Path,
        settings: &str,
        mut restore: impl FnMut(Fact) -> Result<(), String>,
    ) -> Result<EventStore, EventStoreError> {
        let unlocked = |error| EventStoreError::System { path: path.with_extension("lock"), error };
        let lock = lock(path).map_err(unlocked)?.ok_or_else(|| EventStoreError::InUse(path.to_owned()))?;
        let failed = |error| EventStoreError::Database { path: path.to_owned(), error };
        let has_bytes = |path: &Path| path.metadata().is_ok_and(|about| about.len() > 0);
        if !has_bytes(path) && has_bytes(&path.with_extension("sqlite-wal")) {
            // SQLite would delete the log.
            let reason = "event.sqlite is lost, and event.sqlite-wal is there".to_owned();
            return Err(EventStoreError::Damaged { path: path.to_owned(), number: 1, reason });
        }
        let database = connect(path).map_err(failed)?;
        database.execute_batch(TABLES).map_err(failed)?;
        let before: Option<String> = database
            .query_row("SELECT value FROM event WHERE name = 'settings'", [], |row| row.get(0))
            .optional()
            .map_err(failed)?;
        match before {
            Some(before) if before != settings => {
                let differences = differences(&before, settings);
                return Err(EventStoreError::OtherEvent { path: path.to_owned(), differences });
            }
            Some(_) => {}
            None => {
                let insert = "INSERT INTO event (name, value) VALUES ('settings', ?1)";
                database.execute(insert, [settings]).map_err(failed)?;
            }
        }
        let mut history = History::new(referee(&database).map_err(failed)?);
        recall(&database, &mut history).map_err(failed)?;
        read(&database, path, failed, &mut history, &mut restore)?;
        let checkpoints = Checkpoints::start(connect(path).map_err(failed)?, history.count() + 1)
            .map_err(|error| EventStoreError::System { path: path.to_owned(), error })?;
        let shown = ShownCount::read(path.with_extension("shown"))?;
        let path = path.to_owned();
        Ok(EventStore { checkpoints, database, _lock: lock, path, history, shown })
    }

    /// From now on the database takes over what is in its log when it is closed.
    ///
    /// # Errors
    /// `SQLite` refuses.
    pub(super) fn accept(&self) -> Result<(), EventStoreError> {
        let done = self.database.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        done.map(drop).map_err(|error| EventStoreError::Database { path: self.path.clone(), error })
    }

    /// Stores facts in one transaction.
    ///
    /// # Errors
    /// The facts cannot be stored. The event must not continue without them.
    pub fn commit(&mut self, facts: &[Fact]) -> Result<(), EventStoreError> {
        if facts.is_empty() {
            return Ok(());
        }
        let failed = |error| EventStoreError::Database { path: self.path.clone(), error };
        let known = self.history.count();
        if let Err(error) = insert(&mut self.database, &mut self.history, facts) {
            // Nothing was stored.
            self.history.cut(known);
            return Err(failed(error));
        }
        self.checkpoints.stored_before(self.history.count() + 1).map_err(failed)
    }

    /// Notes that somebody is shown what rests on the facts up to a number. That is a matter of a file beside the database: an older copy of
    /// the database does not know it.
    ///
    /// # Errors
    /// The file can't be written. Nobody may be shown anything.
    pub(super) fn mark_shown(&mut self, number: u64) -> Result<(), EventStoreError> {
        self.shown.raise(number)
    }

    /// The number of facts that somebody was shown, if they are not all here.
    pub(super) fn shown_and_lost(&self) -> Option<u64> {
        Some(self.shown.count).filter(|&count| count > self.count())
    }

    /// Returns all facts about a game since its latest start.
    ///
    /// # Errors
    /// The facts cannot be read.
    pub fn game(&self, game: u64) -> Result<Vec<Fact>, EventStoreError> {
        Ok(since_beginning(&self.all_about(game)?))
    }

    /// Returns all facts about a game.
    ///
    /// # Errors
    /// The facts cannot be read.
    pub(super) fn all_about(&self, game: u64) -> Result<Vec<Fact>, EventStoreError> {
        self.select("SELECT fact FROM facts WHERE game = ?1 ORDER BY number", game as i64)
    }

    /// Returns all facts from the given number on.
    ///
    /// # Errors
    /// The facts cannot be read.
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

    /// The games that have facts that were set aside.
    ///
    /// # Errors
    /// The store can't be read.
    pub(super) fn games_set_aside(&self) -> Result<BTreeSet<u64>, EventStoreError> {
        let failed = |error| EventStoreError::Database { path: self.path.clone(), error };
        let query = "SELECT DISTINCT game FROM set_aside WHERE game IS NOT NULL";
        let mut statement = self.database.prepare_cached(query).map_err(failed)?;
        let games = statement.query_map([], |row| row.get::<_, i64>(0)).map_err(failed)?;
        games.map(|game| game.map(|game| game as u64)).collect::<Result<_, _>>().map_err(failed)
    }

    /// Returns the number of facts.
    pub fn count(&self) -> u64 {
        self.history.count()
    }
}

impl FactStore for EventStore {
    type Error = EventStoreError;

    fn history(&self) -> &History {
        &self.history
    }

    fn note(&mut self, note: Note) -> Result<(), EventStoreError> {
        let failed = |error| EventStoreError::Database { path: self.path.clone(), error };
        let (name, value) = note.words(self.history.count());
        let insert = "INSERT OR REPLACE INTO event (name, value) VALUES (?1, ?2)";
        self.database.execute(insert, [name, &value]).map_err(failed)?;
        self.history.recall(name, &value);
        Ok(())
    }

    fn set_aside(&mut self, number: u64) -> Result<(), EventStoreError> {
        let failed = |error| EventStoreError::Database { path: self.path.clone(), error };
        let transaction = self.database.transaction().map_err(failed)?;
        transaction
            .execute("INSERT INTO set_aside SELECT * FROM facts WHERE number >= ?1", [number as i64])
            .and_then(|_| transaction.execute("DELETE FROM facts WHERE number >= ?1", [number as i64]))
            .map_err(failed)?;
        // Nobody was shown these facts, unless two referees have acted.
        self.shown.lower(number - 1)?;
        transaction.commit().map_err(failed)?;
        self.history.cut(number - 1);
        Ok(())
    }

    fn add(&mut self, facts: &[Fact]) -> Result<(), EventStoreError> {
        self.commit(facts)
    }

    fn replace(&mut self, facts: &[Fact]) -> Result<(), EventStoreError> {
        let stored = self.from(1)?;
        let shared = stored.iter().zip(facts).take_while(|(own, other)| own == other).count();
        if shared < stored.len() {
            self.set_aside(shared as u64 + 1)?;
        }
        self.commit(&facts[shared..])
    }

    fn all(&self) -> Result<Vec<Fact>, EventStoreError> {
        self.from(1)
    }
}

/// Of all facts about a game returns those that make it what it is: those since it last began.
pub(super) fn since_beginning(facts: &[Fact]) -> Vec<Fact> {
    // There may be earlier facts, such as `Released`, or the game was finished before and reopened.
    let began = facts.iter().rposition(|fact| matches!(fact, Fact::Began { .. }));
    let facts = &facts[began.unwrap_or(facts.len())..];
    let again = facts.iter().rposition(|fact| matches!(fact, Fact::Restarted { .. }));
    match again {
        // The `Began` fact, then everything after the last restart.
        Some(at) => facts[..1].iter().chain(&facts[at + 1..]).cloned().collect(),
        None => facts.to_vec(),
    }
}

/// Returns the number of the referee to which the store belongs; a new one gets one.
fn referee(database: &Connection) -> rusqlite::Result<u64> {
    let number = i64::from_le_bytes(super::random_bytes()) & i64::MAX;
    let insert = "INSERT OR IGNORE INTO event (name, value) VALUES ('referee', ?1)";
    database.execute(insert, [number.max(1).to_string()])?;
    let query = "SELECT value FROM event WHERE name = 'referee'";
    let text: String = database.query_row(query, [], |row| row.get(0))?;
    Ok(text.parse().unwrap_or(1))
}

/// Opens a connection. Commits only hand data to the operating system, which is enough to survive the death of the
/// process. Automatic checkpoints are off; explicit checkpoints wait for the disk.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let database = Connection::open(path)?;
    database.busy_timeout(PATIENCE)?;
    database.execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = NORMAL;")?;
    // A store that is refused stays as it is: its log may belong to a newer database.
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(database)
}

/// Locks a file against other processes until the lock is dropped, by a file beside it; `None` if another has it. The lock of a
/// killed process may take a moment to disappear.
pub(super) fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = File::options().create(true).append(true).open(path.with_extension("lock"))?;
    for _ in 0..10 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
            // On systems without file locks the director is responsible.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(file)),
        }
    }
    Ok(None)
}

/// Stores facts behind those that are known, and adds them to these.
fn insert(database: &mut Connection, history: &mut History, facts: &[Fact]) -> rusqlite::Result<()> {
    let at = unix_millis(SystemTime::now()) as i64;
    let transaction = database.transaction()?;
    {
        let insert = "INSERT INTO facts (number, at, game, fact) VALUES (?1, ?2, ?3, ?4)";
        let mut statement = transaction.prepare_cached(insert)?;
        for fact in facts {
            let text = serde_json::to_string(fact)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
            let game = fact.game().map(|game| game as i64);
            history.push(fact, &text);
            statement.execute(params![history.count() as i64, at, game, text])?;
        }
    }
    transaction.commit()
}

/// Reads all notes.
fn recall(database: &Connection, history: &mut History) -> rusqlite::Result<()> {
    let mut statement = database.prepare("SELECT name, value FROM event")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        history.recall(&row.get::<_, String>(0)?, &row.get::<_, String>(1)?);
    }
    Ok(())
}

/// Reads all facts.
fn read(
    database: &Connection,
    path: &Path,
    failed: impl Fn(rusqlite::Error) -> EventStoreError,
    history: &mut History,
    restore: &mut impl FnMut(Fact) -> Result<(), String>,
) -> Result<(), EventStoreError> {
    let mut statement =
        database.prepare("SELECT number, fact FROM facts ORDER BY number").map_err(&failed)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    while let Some(row) = rows.next().map_err(&failed)? {
        let number = row.get::<_, i64>(0).map_err(&failed)? as u64;
        let damaged = |reason| EventStoreError::Damaged { path: path.to_owned(), number, reason };
        let text: String = row.get(1).map_err(|error| damaged(error.to_string()))?;
        if number != history.count() + 1 {
            return Err(damaged(format!("expected fact {}", history.count() + 1)));
        }
        let fact: Fact = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        // As it is sent: an earlier version may have written it in other words.
        history.push(&fact, &serde_json::to_string(&fact).unwrap_or_default());
        restore(fact).map_err(damaged)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{EventStore, Fact, *};
    use crate::referee::checkpoints::FACTS_BETWEEN;

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
        let told = [Fact::Epoch { epoch: 1, by: 1 }, Fact::Round { round: 3 }];
        let (mut store, before) = facts(&path, "{}").expect("a store");
        assert!(before.is_empty());
        store.commit(&told[..1]).expect("stored");
        store.commit(&told[1..]).expect("stored");
        assert!(matches!(facts(&path, "{}"), Err(EventStoreError::InUse(_))));
        // Simulates SIGKILL, except that the lock is released here by us.
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
        store.commit(&[Fact::Epoch { epoch: 1, by: 1 }]).expect("stored");
        store.database.execute("UPDATE facts SET fact = '{\"fact\":\"odd\"}'", []).expect("changed");
        store.accept().expect("allowed");
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
        let told = [Fact::Epoch { epoch: 1, by: 1 }, Fact::Round { round: 3 }, Fact::Released { game: 7 }];
        store.commit(&told).expect("stored");
        store.accept().expect("allowed");
        drop(store);
        let sound = std::fs::read(&path).expect("a store");
        let mut random = fastrand::Rng::with_seed(1);
        let mut damages = 0;
        for _ in 0..300 {
            let mut bytes = sound.clone();
            // Most bytes of the file are zero.
            let full: Vec<usize> = (0..bytes.len()).filter(|&place| bytes[place] != 0).collect();
            for _ in 0..random.usize(1..4) {
                bytes[full[random.usize(..full.len())]] = random.u8(..);
            }
            std::fs::write(&path, bytes).expect("written");
            damages += usize::from(facts(&path, "{}").is_err_and(|error| error.is_damage()));
        }
        assert!(damages > 100, "{damages}");
    }

    #[test]
    fn what_is_in_the_log_reaches_the_database_while_facts_are_stored() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("event.sqlite");
        let mut store = EventStore::open(&path, "{}", |_| Ok(())).expect("a store");
        let size = || std::fs::metadata(&path).expect("a file").len();
        let facts = vec![Fact::Epoch { epoch: 1, by: 1 }; FACTS_BETWEEN as usize / 2];
        store.commit(&facts).expect("stored");
        let before = size();
        store.commit(&facts).expect("stored");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while size() == before {
            assert!(std::time::Instant::now() < until, "no checkpoint was made");
            std::thread::yield_now();
        }
        drop(store);
        // A store that was not accepted keeps its log; closing the last connection of another empties it.
        let log = folder.path().join("event.sqlite-wal");
        assert!(log.exists());
        let store = EventStore::open(&path, "{}", |_| Ok(())).expect("a store");
        store.accept().expect("allowed");
        drop(store);
        assert!(!log.exists());
    }

    #[test]
    fn a_log_without_its_database_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, log) = (folder.path().join("event.sqlite"), folder.path().join("event.sqlite-wal"));
        for database in [None, Some("")] {
            std::fs::write(&log, "log").expect("written");
            if let Some(text) = database {
                std::fs::write(&path, text).expect("written");
            }
            let opened = EventStore::open(&path, "{}", |_| Ok(()));
            assert!(opened.is_err_and(|error| error.is_damage()));
            assert_eq!(std::fs::read_to_string(&log).expect("there"), "log");
        }
    }
}
