//! The options that a GUI may set.

use engine::{OWN_BOOK, PathSetting, Setting, Variant};

use super::{Message, OptionKind};

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UciOption {
    /// One of the engine's settings.
    Engine(Setting),
    /// Whether the engine plays from its book.
    OwnBook,
    /// Files for the engine.
    Path(PathSetting),
    /// The GUI tells whether it may let the engine ponder; `go ponder` works in any case.
    Ponder,
    /// Castling is written as king takes rook, and positions are read as Chess960.
    Chess960,
    /// The rules of the games to come.
    Variant,
    /// Forgets everything.
    ClearHash,
    /// Tells about the engine; setting it changes nothing.
    About,
}

/// What `UCI_EngineAbout` says.
const ABOUT: &str =
    concat!("Herald ", env!("CARGO_PKG_VERSION"), ", a chess engine and match official; GPL-3.0-or-later");

impl UciOption {
    /// All options, in the order in which a GUI may show them.
    pub(super) const ALL: [UciOption; 12] = [
        UciOption::Engine(Setting::Hash),
        UciOption::Engine(Setting::Threads),
        UciOption::Engine(Setting::Lines),
        UciOption::Engine(Setting::Overhead),
        UciOption::OwnBook,
        UciOption::Path(PathSetting::Book),
        UciOption::Path(PathSetting::Tablebases),
        UciOption::Ponder,
        UciOption::Chess960,
        UciOption::Variant,
        UciOption::ClearHash,
        UciOption::About,
    ];

    /// The option of this name. Capitals don't matter, as the UCI text asks.
    pub(super) fn named(name: &str) -> Option<UciOption> {
        UciOption::ALL.into_iter().find(|option| option.name().eq_ignore_ascii_case(name))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            UciOption::Engine(setting) => setting.name(),
            UciOption::OwnBook => OWN_BOOK,
            UciOption::Path(setting) => setting.name(),
            UciOption::Ponder => "Ponder",
            UciOption::Chess960 => "UCI_Chess960",
            UciOption::Variant => "UCI_Variant",
            UciOption::ClearHash => "Clear Hash",
            UciOption::About => "UCI_EngineAbout",
        }
    }

    /// How the option is announced.
    pub(super) fn offer(self) -> Message {
        let kind = match self {
            UciOption::Engine(setting) => OptionKind::Spin {
                default: setting.default() as i64,
                min: *setting.range().start() as i64,
                max: *setting.range().end() as i64,
            },
            UciOption::Path(_) => OptionKind::String { default: String::new() },
            UciOption::OwnBook | UciOption::Ponder | UciOption::Chess960 => {
                OptionKind::Check { default: false }
            }
            UciOption::Variant => OptionKind::Combo {
                default: Variant::Chess.uci().into(),
                choices: Variant::ALL.map(|variant| variant.uci().into()).into(),
            },
            UciOption::ClearHash => OptionKind::Button,
            UciOption::About => OptionKind::String { default: ABOUT.into() },
        };
        Message::Option { name: self.name().into(), kind }
    }
}
