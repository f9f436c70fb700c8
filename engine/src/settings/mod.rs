//! The settings of the engine.
//!
//! A setting is defined once, here: name, default, range, how its text is read and where it is kept. Protocols show settings in
//! their own ways. What a user has saved is loaded by the sessions, so that tools never see it.

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
            Setting::Number(setting) => NUMBERS[setting as usize].1,
            Setting::Switch(setting) => SWITCHES[setting as usize].1,
            Setting::Path(setting) => PATHS[setting as usize].1,
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

/// Each number with the name that users of today's programs know, its default and its range.
const NUMBERS: [(NumberSetting, &str, i64, RangeInclusive<i64>); 9] = [
    (NumberSetting::Hash, "Hash", 64, 1..=1 << 25),
    (NumberSetting::Threads, "Threads", 1, 1..=1024),
    (NumberSetting::Lines, "MultiPV", 1, 1..=256),
    (NumberSetting::Overhead, "Move Overhead", 10, 0..=5000),
    (NumberSetting::Contempt, "Contempt", 0, -200..=200),
    (NumberSetting::Elo, "UCI_Elo", STRONGEST, WEAKEST..=STRONGEST),
    (NumberSetting::Noise, "Noise", 0, 0..=500),
    (NumberSetting::ResignScore, "ResignScore", 0, 0..=9800),
    (NumberSetting::DrawScore, "DrawScore", 0, -1000..=1000),
];

impl NumberSetting {
    /// The value of a new engine.
    pub const fn default(self) -> i64 {
        NUMBERS[self as usize].2
    }

    /// The values that can be set.
    pub fn range(self) -> RangeInclusive<i64> {
        NUMBERS[self as usize].3.clone()
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

const SWITCHES: [(SwitchSetting, &str); 3] = [
    (SwitchSetting::LimitStrength, "UCI_LimitStrength"),
    (SwitchSetting::OwnBook, "OwnBook"),
    (SwitchSetting::OfferDraws, "OfferDraws"),
];

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

const PATHS: [(PathSetting, &str); 3] = [
    (PathSetting::Book, "BookFile"),
    (PathSetting::Tablebases, "SyzygyPath"),
    (PathSetting::Network, "EvalFile"),
];

/// Why a setting was not changed; the old value stays.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum SettingError {
    /// The value lies outside [`NumberSetting::range`].
    #[error("{} must be between {} and {}, not {value}", Setting::Number(*setting).name(), setting.range().start(), setting.range().end())]
    OutOfRange { setting: NumberSetting, value: i64 },
    /// The value is no number.
    #[error("{} needs a whole number, not `{value}`", Setting::Number(*setting).name())]
    NotANumber { setting: NumberSetting, value: String },
    /// The value is neither on nor off.
    #[error("{} needs true or false (1 or 0), not `{value}`", Setting::Switch(*setting).name())]
    NotASwitch { setting: SwitchSetting, value: String },
    /// There is not enough memory for the hash table.
    #[error("too little memory for a hash table of {mebibytes} MiB; the old one stays")]
    Memory { mebibytes: i64, error: TableError },
    /// There is no book in the file.
    #[error("can't use `{path}` as a book: {error}")]
    Book { path: String, error: BookError },
    /// There is no network in the file.
    #[error("can't use `{path}` as a network: {error}")]
    Network { path: String, error: NetworkFault },
    /// There are no endgame tables where they should be.
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
