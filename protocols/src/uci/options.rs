//! The options that a GUI may set.

use engine::{NumberSetting, Setting, Settings, SwitchSetting};
use game::Variant;

use messages::uci::{Message, OptionKind};

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) enum UciOption {
    /// One of the engine's settings.
    Engine(Setting),
    /// The GUI tells whether it may let the engine ponder; `go ponder` works in any case.
    Ponder,
    /// Castling is written as king takes rook, and positions are read as Chess960.
    Chess960,
    /// The rules of the games to come.
    Variant,
    /// Forgets everything.
    ClearHash,
    /// Saves the settings, to be there when Herald is started again.
    Save,
    /// Gives all settings their defaults; what was saved stays until something else is saved.
    Reset,
    /// Tells about the engine; setting it changes nothing.
    About,
    /// A number of the search, to be tuned by matches.
    #[cfg(feature = "tuning")]
    Parameter(&'static engine::Parameter),
}

/// What `UCI_EngineAbout` says.
const ABOUT: &str =
    concat!("Herald ", env!("CARGO_PKG_VERSION"), ", a chess engine and match official; GPL-3.0-or-later");

impl UciOption {
    /// All options, in the order in which a GUI may show them.
    pub(super) fn all() -> impl Iterator<Item = UciOption> {
        let settings = Setting::ALL.into_iter().filter(|&setting| !is_for_agreements(setting));
        let options = settings.map(UciOption::Engine).chain([
            UciOption::Ponder,
            UciOption::Chess960,
            UciOption::Variant,
            UciOption::ClearHash,
            UciOption::Save,
            UciOption::Reset,
            UciOption::About,
        ]);
        #[cfg(feature = "tuning")]
        let options = options.chain(engine::PARAMETERS.iter().map(UciOption::Parameter));
        options
    }

    /// The option of this name. Capitals don't matter, as the UCI text asks.
    pub(super) fn named(name: &str) -> Option<UciOption> {
        UciOption::all().find(|option| option.name().eq_ignore_ascii_case(name))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            UciOption::Engine(setting) => setting.name(),
            UciOption::Ponder => "Ponder",
            UciOption::Chess960 => "UCI_Chess960",
            UciOption::Variant => "UCI_Variant",
            UciOption::ClearHash => "Clear Hash",
            UciOption::Save => "Save Settings",
            UciOption::Reset => "Reset Settings",
            UciOption::About => "UCI_EngineAbout",
            #[cfg(feature = "tuning")]
            UciOption::Parameter(parameter) => parameter.name,
        }
    }

    /// How the option is announced. What was saved is the default: a GUI does not send the values that it takes for set.
    pub(super) fn offer(self, settings: &Settings) -> Message {
        let kind = match self {
            UciOption::Engine(Setting::Number(setting)) => OptionKind::Spin {
                default: settings.get(setting),
                min: *setting.range().start(),
                max: *setting.range().end(),
            },
            UciOption::Engine(Setting::Switch(setting)) => {
                OptionKind::Check { default: settings.is_on(setting) }
            }
            UciOption::Engine(Setting::Path(setting)) => {
                OptionKind::String { default: settings.path(setting).to_owned() }
            }
            UciOption::Ponder | UciOption::Chess960 => OptionKind::Check { default: false },
            UciOption::Variant => OptionKind::Combo {
                default: Variant::Chess.uci().into(),
                choices: Variant::ALL.map(|variant| variant.uci().into()).into(),
            },
            UciOption::ClearHash | UciOption::Save | UciOption::Reset => OptionKind::Button,
            UciOption::About => OptionKind::String { default: ABOUT.into() },
            #[cfg(feature = "tuning")]
            UciOption::Parameter(parameter) => OptionKind::Spin {
                default: parameter.default.into(),
                min: i32::MIN.into(),
                max: i32::MAX.into(),
            },
        };
        Message::Option { name: self.name().into(), kind }
    }
}

/// Whether a setting is about resigning and agreeing on draws, for which UCI has no words.
const fn is_for_agreements(setting: Setting) -> bool {
    matches!(
        setting,
        Setting::Number(NumberSetting::ResignScore | NumberSetting::DrawScore)
            | Setting::Switch(SwitchSetting::OfferDraws)
    )
}
