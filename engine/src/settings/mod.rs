//! What users may set: each setting with its name, its default and its range. The protocols show them in their own ways.

mod file;
mod values;

use std::ops::RangeInclusive;

use search::TableError;

use crate::network::NetworkFault;
use crate::strength::{STRONGEST, WEAKEST};
use game::TablebaseError;
use game::book::BookError;

pub use file::{SettingsFault, SettingsFile};
pub use values::Settings;

/// Something that users may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A number.
    Number(NumberSetting),
    /// On or off.
    Switch(SwitchSetting),
    /// Files.
    Path(PathSetting),
}

impl Setting {
    /// All settings, in the order in which users may see them.
    pub const ALL: [Setting; 15] = [
        Setting::Number(NumberSetting::Hash),
        Setting::Number(NumberSetting::Threads),
        Setting::Number(NumberSetting::Lines),
        Setting::Number(NumberSetting::Overhead),
        Setting::Number(NumberSetting::Contempt),
        Setting::Switch(SwitchSetting::LimitStrength),
        Setting::Number(NumberSetting::Elo),
        Setting::Number(NumberSetting::Noise),
        Setting::Switch(SwitchSetting::OwnBook),
        Setting::Path(PathSetting::Book),
        Setting::Path(PathSetting::Tablebases),
        Setting::Path(PathSetting::Network),
        Setting::Number(NumberSetting::ResignScore),
        Setting::Switch(SwitchSetting::OfferDraws),
        Setting::Number(NumberSetting::DrawScore),
    ];

    /// The name that users of today's programs know.
    pub const fn name(self) -> &'static str {
        match self {
            Setting::Number(setting) => setting.name(),
            Setting::Switch(setting) => setting.name(),
            Setting::Path(setting) => setting.name(),
        }
    }

    /// The setting of this name; capitals and blanks don't matter.
    pub fn named(name: &str) -> Option<Setting> {
        let plain = |name: &str| name.replace(' ', "").to_ascii_lowercase();
        Setting::ALL.into_iter().find(|setting| plain(setting.name()) == plain(name))
    }
}

/// A number that users may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberSetting {
    /// Size of the hash table in MiB.
    Hash,
    /// Number of search threads.
    Threads,
    /// Number of best lines to find.
    Lines,
    /// Time in milliseconds kept in reserve for each move.
    Overhead,
    /// How many centipawns a draw is worth less to the engine than it is.
    Contempt,
    /// The strength to play with if it is limited: see [`crate::Strength`].
    Elo,
    /// By how many centipawns evaluations are off, at most and at random, so that games differ.
    Noise,
    /// The engine resigns if it has stood so many centipawns worse for three moves; 0 means never.
    ResignScore,
    /// A position in which the engine stands at most so many centipawns better is one to agree on a draw in.
    DrawScore,
}

impl NumberSetting {
    /// All of them.
    pub const ALL: [NumberSetting; 9] = [
        NumberSetting::Hash,
        NumberSetting::Threads,
        NumberSetting::Lines,
        NumberSetting::Overhead,
        NumberSetting::Contempt,
        NumberSetting::Elo,
        NumberSetting::Noise,
        NumberSetting::ResignScore,
        NumberSetting::DrawScore,
    ];

    /// The name that users of today's programs know.
    pub const fn name(self) -> &'static str {
        match self {
            NumberSetting::Hash => "Hash",
            NumberSetting::Threads => "Threads",
            NumberSetting::Lines => "MultiPV",
            NumberSetting::Overhead => "Move Overhead",
            NumberSetting::Contempt => "Contempt",
            NumberSetting::Elo => "UCI_Elo",
            NumberSetting::Noise => "Noise",
            NumberSetting::ResignScore => "ResignScore",
            NumberSetting::DrawScore => "DrawScore",
        }
    }

    /// The value of a new engine.
    pub const fn default(self) -> i64 {
        match self {
            NumberSetting::Hash => 64,
            NumberSetting::Threads | NumberSetting::Lines => 1,
            NumberSetting::Overhead => 10,
            NumberSetting::Elo => STRONGEST,
            NumberSetting::Contempt
            | NumberSetting::Noise
            | NumberSetting::ResignScore
            | NumberSetting::DrawScore => 0,
        }
    }

    /// The values that can be set.
    pub const fn range(self) -> RangeInclusive<i64> {
        match self {
            NumberSetting::Hash => 1..=1 << 25,
            NumberSetting::Threads => 1..=1024,
            NumberSetting::Lines => 1..=256,
            NumberSetting::Overhead => 0..=5000,
            NumberSetting::Contempt => -200..=200,
            NumberSetting::Elo => WEAKEST..=STRONGEST,
            NumberSetting::Noise => 0..=500,
            NumberSetting::ResignScore => 0..=9800,
            NumberSetting::DrawScore => -1000..=1000,
        }
    }
}

/// Something that users may switch on and off. All of it is off in a new engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchSetting {
    /// Whether the engine plays as weakly as [`NumberSetting::Elo`] says.
    LimitStrength,
    /// Whether the engine plays from its book.
    OwnBook,
    /// Whether the engine offers draws, too, and does not only accept them.
    OfferDraws,
}

impl SwitchSetting {
    /// All of them.
    pub const ALL: [SwitchSetting; 3] =
        [SwitchSetting::LimitStrength, SwitchSetting::OwnBook, SwitchSetting::OfferDraws];

    /// The name that users of today's programs know.
    pub const fn name(self) -> &'static str {
        match self {
            SwitchSetting::LimitStrength => "UCI_LimitStrength",
            SwitchSetting::OwnBook => "OwnBook",
            SwitchSetting::OfferDraws => "OfferDraws",
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
    /// The network to evaluate positions with instead of the one that is part of the program.
    Network,
}

impl PathSetting {
    /// All of them.
    pub const ALL: [PathSetting; 3] = [PathSetting::Book, PathSetting::Tablebases, PathSetting::Network];

    /// The name that users of today's programs know.
    pub const fn name(self) -> &'static str {
        match self {
            PathSetting::Book => "BookFile",
            PathSetting::Tablebases => "SyzygyPath",
            PathSetting::Network => "EvalFile",
        }
    }
}

/// Why a setting was not changed; the old value stays.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The value lies outside [`NumberSetting::range`].
    #[error("{} must be between {} and {}, not {value}", setting.name(), setting.range().start(), setting.range().end())]
    OutOfRange {
        /// The setting.
        setting: NumberSetting,
        /// The value that was asked for.
        value: i64,
    },
    /// The value is no number.
    #[error("{} needs a whole number, not `{value}`", setting.name())]
    NotANumber {
        /// The setting.
        setting: NumberSetting,
        /// The value that was asked for.
        value: String,
    },
    /// The value is neither on nor off.
    #[error("{} needs true or false (1 or 0), not `{value}`", setting.name())]
    NotASwitch {
        /// The setting.
        setting: SwitchSetting,
        /// The value that was asked for.
        value: String,
    },
    /// There is not enough memory for the hash table.
    #[error("too little memory for a hash table of {mebibytes} MiB; the old one stays")]
    Memory {
        /// The size that was asked for.
        mebibytes: i64,
        /// What the system says.
        error: TableError,
    },
    /// There is no book in the file.
    #[error("can't use `{path}` as a book: {error}")]
    Book {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: BookError,
    },
    /// There is no network in the file.
    #[error("can't use `{path}` as a network: {error}")]
    Network {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: NetworkFault,
    },
    /// There are no endgame tables where they should be.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
}
