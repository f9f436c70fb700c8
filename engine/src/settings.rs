//! What users may set, and why it may fail.

use std::ops::RangeInclusive;

use search::TableError;

use crate::book::BookError;
use crate::tablebases::TablebaseError;

/// The name of the setting that [`crate::Engine::use_own_book`] changes.
pub const OWN_BOOK: &str = "OwnBook";

/// A number that users may set; each protocol shows these settings in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Size of the hash table in MiB.
    Hash,
    /// Number of search threads.
    Threads,
    /// Number of best lines to find.
    Lines,
    /// Time in milliseconds kept in reserve for each move.
    Overhead,
}

impl Setting {
    /// All settings.
    pub const ALL: [Setting; 4] = [Setting::Hash, Setting::Threads, Setting::Lines, Setting::Overhead];

    /// The name that users of today's programs know.
    pub const fn name(self) -> &'static str {
        match self {
            Setting::Hash => "Hash",
            Setting::Threads => "Threads",
            Setting::Lines => "MultiPV",
            Setting::Overhead => "Move Overhead",
        }
    }

    /// The value of a new engine.
    pub const fn default(self) -> u64 {
        match self {
            Setting::Hash => 64,
            Setting::Threads | Setting::Lines => 1,
            Setting::Overhead => 10,
        }
    }

    /// The values that can be set.
    pub const fn range(self) -> RangeInclusive<u64> {
        match self {
            Setting::Hash => 1..=1 << 25,
            Setting::Threads => 1..=1024,
            Setting::Lines => 1..=256,
            Setting::Overhead => 0..=5000,
        }
    }
}

/// Files that users may name. Without a name there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSetting {
    /// The opening book.
    Book,
    /// Directories with Syzygy endgame tables, separated as in the environment variable `PATH`.
    Tablebases,
}

impl PathSetting {
    /// All of them.
    pub const ALL: [PathSetting; 2] = [PathSetting::Book, PathSetting::Tablebases];

    /// The name that users of today's programs know.
    pub const fn name(self) -> &'static str {
        match self {
            PathSetting::Book => "BookFile",
            PathSetting::Tablebases => "SyzygyPath",
        }
    }
}

/// Why a setting was not changed; the old value stays.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The value lies outside [`Setting::range`].
    #[error("{} must be between {} and {}, not {value}", setting.name(), setting.range().start(), setting.range().end())]
    OutOfRange {
        /// The setting.
        setting: Setting,
        /// The value that was asked for.
        value: u64,
    },
    /// There is not enough memory for the hash table.
    #[error(transparent)]
    Memory(#[from] TableError),
    /// There is no book in the file.
    #[error("can't use `{path}` as a book: {error}")]
    Book {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: BookError,
    },
    /// There are no endgame tables where they should be.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
}
