//! The attempts of all runs, in a temporary database of `SQLite`, so that memory does not grow with the files.
//!
//! A small report never leaves memory; a large one is written to the folder for temporary files (`$SQLITE_TMPDIR`, `$TMPDIR`, then
//! `/var/tmp`), where it takes about as much space as the files. The operating system removes it with the process.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Quantity, ReportError};

type Result<T> = std::result::Result<T, ReportError>;

/// Memory of the database: pages that are kept, and as much again while rows are sorted.
const CACHE_KIB: u32 = 32 << 10;

/// An attempt in the store: the number of its run and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(i64);

impl Place {
    const BITS: u32 = 40;

    pub(super) fn new(run: usize, number: u64) -> Place {
        Place(((run as i64) << Place::BITS) | number as i64)
    }

    fn run(self) -> usize {
        (self.0 >> Place::BITS) as usize
    }
}

/// An attempt as the statistics need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tallied {
    /// The theme, or the `id` from which it is read.
    pub(super) theme: String,
    pub(super) is_solved: bool,
    /// Points gained and points of the best move.
    pub(super) points: Option<(u32, u32)>,
}

/// Identity of a problem: 128 bits of a hash of its position and name. Among 10 million problems the chance that any two are taken for
/// one is less than 1 in 10^24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProblemKey([u8; 16]);

impl ProblemKey {
    pub(super) fn new(position: &str, id: &str) -> ProblemKey {
        let half = |number: u8| {
            let mut hasher = DefaultHasher::new();
            (number, position, id).hash(&mut hasher);
            hasher.finish()
        };
        ProblemKey(((u128::from(half(0)) << 64) | u128::from(half(1))).to_be_bytes())
    }
}

/// The attempts of all runs.
#[derive(Debug)]
pub(super) struct Store {
    db: Connection,
}

impl Store {
    pub(super) fn new() -> Result<Store> {
        // A database without a name is temporary.
        let db = Connection::open("")?;
        db.execute_batch(&format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -{CACHE_KIB};
             BEGIN;
             CREATE TABLE attempt (place INTEGER PRIMARY KEY, key BLOB, theme TEXT, solved INTEGER, points INTEGER, best INTEGER,
                                   depth INTEGER, nodes INTEGER, millis INTEGER, line TEXT);
             CREATE TABLE unordered (first INTEGER, places BLOB);
             CREATE TABLE problem (number INTEGER PRIMARY KEY, places BLOB);"
        ))?;
        Ok(Store { db })
    }

    /// Adds an attempt, with the line of its record. `costs` are those of [`Quantity::ALL`].
    pub(super) fn add(
        &self,
        place: Place,
        key: ProblemKey,
        tallied: &Tallied,
        costs: [Option<u64>; 3],
        line: &str,
    ) -> Result<()> {
        let (points, best) = tallied.points.unzip();
        let [depth, nodes, millis] =
            costs.map(|cost| cost.map(|cost| i64::try_from(cost).unwrap_or(i64::MAX)));
        let mut insert =
            self.db.prepare_cached("INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
        insert.execute(params![
            place.0,
            key.0,
            tallied.theme,
            tallied.is_solved,
            points,
            best,
            depth,
            nodes,
            millis,
            line
        ])?;
        Ok(())
    }

    /// Brings together the attempts at a problem, those of the same key: the first one in each run, the second one in each run, and so on.
    /// The problems are numbered from 1 in the order of their first occurrence.
    pub(super) fn number_problems(&self, runs: usize) -> Result<()> {
        // Sorting spills to files and reads them from begin to end; a table of keys would be read at random.
        let mut sorted = self.db.prepare("SELECT key, place FROM attempt ORDER BY key, place")?;
        let mut insert = self.db.prepare("INSERT INTO unordered VALUES (?, ?)")?;
        let mut finish = |by_run: &mut Vec<Vec<Place>>| -> Result<()> {
            let occurrences = by_run.iter().map(Vec::len).max().unwrap_or_default();
            for occurrence in 0..occurrences {
                let places = || by_run.iter().map(|places| places.get(occurrence).copied());
                let first = places().flatten().min().map_or(0, |place| place.0);
                let bytes: Vec<u8> =
                    places().flat_map(|place| place.map_or(-1, |place| place.0).to_be_bytes()).collect();
                insert.execute(params![first, bytes])?;
            }
            by_run.iter_mut().for_each(Vec::clear);
            Ok(())
        };
        let mut rows = sorted.query([])?;
        let (mut by_run, mut last) = (vec![Vec::new(); runs], None);
        while let Some(row) = rows.next()? {
            let key: [u8; 16] = row.get(0)?;
            if last.replace(key).is_some_and(|last| last != key) {
                finish(&mut by_run)?;
            }
            let place = Place(row.get(1)?);
            by_run[place.run()].push(place);
        }
        finish(&mut by_run)?;
        self.db.execute_batch(
            "INSERT INTO problem (places) SELECT places FROM unordered ORDER BY first; DROP TABLE unordered;",
        )?;
        Ok(())
    }

    /// Visits all problems in order: number, and the attempt of each run.
    pub(super) fn visit(&self, mut visit: impl FnMut(u64, &[Option<Place>]) -> Result<()>) -> Result<()> {
        let mut select = self.db.prepare("SELECT number, places FROM problem ORDER BY number")?;
        let mut rows = select.query([])?;
        let mut places = Vec::new();
        while let Some(row) = rows.next()? {
            let bytes = row.get_ref(1)?.as_blob().unwrap_or_default();
            let place =
                |bytes: &[u8; 8]| Some(Place(i64::from_be_bytes(*bytes))).filter(|place| place.0 >= 0);
            places.clear();
            places.extend(bytes.as_chunks().0.iter().map(place));
            visit(row.get::<_, i64>(0)? as u64, &places)?;
        }
        Ok(())
    }

    pub(super) fn tallied(&self, place: Place) -> Result<Tallied> {
        let mut select =
            self.db.prepare_cached("SELECT theme, solved, points, best FROM attempt WHERE place = ?")?;
        Ok(select.query_row([place.0], |row| {
            let (points, best): (Option<u32>, Option<u32>) = (row.get(2)?, row.get(3)?);
            Ok(Tallied { theme: row.get(0)?, is_solved: row.get(1)?, points: points.zip(best) })
        })?)
    }

    /// The theme and the line of an attempt.
    pub(super) fn line(&self, place: Place) -> Result<(String, String)> {
        let mut select = self.db.prepare_cached("SELECT theme, line FROM attempt WHERE place = ?")?;
        Ok(select.query_row([place.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Number of known costs of the solutions of a run.
    pub(super) fn count_costs(&self, run: usize, quantity: Quantity) -> Result<u64> {
        let count = format!("SELECT count(*) FROM attempt WHERE {}", of_run(quantity));
        let count: Option<i64> = self.db.query_row(&count, range(run), |row| row.get(0)).optional()?;
        Ok(count.unwrap_or_default() as u64)
    }

    /// Visits the known costs of the solutions of a run in ascending order.
    pub(super) fn costs(&self, run: usize, quantity: Quantity, mut visit: impl FnMut(u64)) -> Result<()> {
        let column = column(quantity);
        let select = format!("SELECT {column} FROM attempt WHERE {} ORDER BY {column}", of_run(quantity));
        let mut select = self.db.prepare(&select)?;
        let mut rows = select.query(range(run))?;
        while let Some(row) = rows.next()? {
            visit(row.get::<_, i64>(0)? as u64);
        }
        Ok(())
    }
}

fn of_run(quantity: Quantity) -> String {
    format!("place >= ? AND place < ? AND solved AND {} IS NOT NULL", column(quantity))
}

fn range(run: usize) -> [i64; 2] {
    [Place::new(run, 0).0, Place::new(run + 1, 0).0]
}

fn column(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Depth => "depth",
        Quantity::Nodes => "nodes",
        Quantity::Millis => "millis",
    }
}
