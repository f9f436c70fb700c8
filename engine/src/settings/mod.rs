//! The settings of the engine.
//!
//! Each setting is defined here once: name, default, range, text form and storage. Every protocol presents the
//! settings in its own way. Saved settings are loaded by the sessions only, so that tools are not affected by them.

mod file;
mod values;

use std::ops::RangeInclusive;

use search::TableError;

use crate::strength::{STRONGEST, WEAKEST};
use game::TablebaseError;
use game::book::BookError;

pub use file::{SettingsFault, SettingsFile};
pub use values::Settings;

/// A setting that users can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A number.
    Number(NumberSetting),
    /// A switch.
    Switch(SwitchSetting),
    /// A path of files.
    Path(PathSetting),
}

impl Setting {
    /// All settings, in the order in which they are shown to users.
    pub const ALL: [Setting; 16] = [
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
        Setting::Number(NumberSetting::DrawMove),
    ];

    /// Returns the name, chosen as in other engines.
    pub const fn name(self) -> &'static str {
        match self {
            Setting::Number(setting) => NUMBERS[setting as usize].1,
            Setting::Switch(setting) => SWITCHES[setting as usize].1,
            Setting::Path(setting) => PATHS[setting as usize].1,
        }
    }

    /// Finds a setting by name, ignoring case and spaces.
    pub fn named(name: &str) -> Option<Setting> {
        let plain = |name: &str| name.replace(' ', "").to_ascii_lowercase();
        Setting::ALL.into_iter().find(|setting| plain(setting.name()) == plain(name))
    }
}

/// A numeric setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberSetting {
    /// Size of the hash table in MiB.
    Hash,
    /// Number of search threads.
    Threads,
    /// Number of lines to find (`MultiPV`).
    Lines,
    /// Time in milliseconds kept in reserve for each move.
    Overhead,
    /// Contempt in centipawns: how much less than its value a draw counts for the engine.
    Contempt,
    /// Playing strength in Elo if it is limited; see [`crate::Strength`].
    Elo,
    /// Maximal random error of evaluations in centipawns, which makes games differ.
    Noise,
    /// The engine resigns after three moves with a score at least this many centipawns below zero; 0 means never.
    ResignScore,
    /// Highest score in centipawns, beyond the value of a draw, at which the engine accepts a draw, and limit of the scores at which
    /// it offers one.
    DrawScore,
    /// Moves of each side after which an even game is one that has been played, so that a draw may be agreed.
    DrawMove,
}

/// The numbers with the names known from other engines, defaults and ranges.
const NUMBERS: [(NumberSetting, &str, i64, RangeInclusive<i64>); 10] = [
    (NumberSetting::Hash, "Hash", 64, 1..=1 << 25),
    (NumberSetting::Threads, "Threads", 1, 1..=1024),
    (NumberSetting::Lines, "MultiPV", 1, 1..=256),
    (NumberSetting::Overhead, "Move Overhead", 10, 0..=5000),
    (NumberSetting::Contempt, "Contempt", 0, -200..=200),
    (NumberSetting::Elo, "UCI_Elo", STRONGEST, WEAKEST..=STRONGEST),
    (NumberSetting::Noise, "Noise", 0, 0..=500),
    (NumberSetting::ResignScore, "ResignScore", 0, 0..=9800),
    (NumberSetting::DrawScore, "DrawScore", 0, -1000..=1000),
    (NumberSetting::DrawMove, "DrawMove", 30, 0..=500),
];

impl NumberSetting {
    /// Returns the value in a new engine.
    pub const fn default(self) -> i64 {
        NUMBERS[self as usize].2
    }

    /// Returns the range of allowed values.
    pub fn range(self) -> RangeInclusive<i64> {
        NUMBERS[self as usize].3.clone()
    }
}

/// A setting that is on or off. All are off in a new engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchSetting {
    /// Whether the playing strength is limited to [`NumberSetting::Elo`].
    LimitStrength,
    /// Whether the engine plays from its opening book.
    OwnBook,
    /// Whether the engine offers draws and not only accepts them.
    OfferDraws,
}

const SWITCHES: [(SwitchSetting, &str); 3] = [
    (SwitchSetting::LimitStrength, "UCI_LimitStrength"),
    (SwitchSetting::OwnBook, "OwnBook"),
    (SwitchSetting::OfferDraws, "OfferDraws"),
];

/// A setting that names files; empty means none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSetting {
    /// The opening book.
    Book,
    /// Directories with Syzygy endgame tables, separated as in the environment variable `PATH`.
    Tablebases,
    /// The network that replaces the one that is part of the program.
    Network,
}

const PATHS: [(PathSetting, &str); 3] = [
    (PathSetting::Book, "BookFile"),
    (PathSetting::Tablebases, "SyzygyPath"),
    (PathSetting::Network, "EvalFile"),
];

/// Why a setting was not changed; the old value is kept.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum SettingError {
    /// The value is outside [`NumberSetting::range`].
    #[error("{} must be between {} and {}, not {value}", Setting::Number(*setting).name(), setting.range().start(), setting.range().end())]
    OutOfRange { setting: NumberSetting, value: i64 },
    /// The value is not a number.
    #[error("{} needs a whole number, not `{value}`", Setting::Number(*setting).name())]
    NotANumber { setting: NumberSetting, value: String },
    /// The value is neither on nor off.
    #[error("{} needs true or false (1 or 0), not `{value}`", Setting::Switch(*setting).name())]
    NotASwitch { setting: SwitchSetting, value: String },
    /// There is not enough memory for the hash table.
    #[error("too little memory for a hash table of {mebibytes} MiB; the old table is kept")]
    Memory { mebibytes: i64, error: TableError },
    /// The file can't be used as a book.
    #[error("can't use `{path}` as a book: {error}")]
    Book { path: String, error: BookError },
    /// The file can't be used as a network.
    #[error("can't use `{path}` as a network: {error}")]
    Network { path: String, error: std::io::Error },
    /// The endgame tables can't be used.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_their_settings() {
        assert!((0..).zip(NUMBERS).all(|(row, (setting, ..))| setting as usize == row));
        assert!((0..).zip(SWITCHES).all(|(row, (setting, _))| setting as usize == row));
        assert!((0..).zip(PATHS).all(|(row, (setting, _))| setting as usize == row));
        assert_eq!(Setting::ALL.len(), NUMBERS.len() + SWITCHES.len() + PATHS.len());
    }
}
