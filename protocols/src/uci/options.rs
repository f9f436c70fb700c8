//! The options that a GUI may set.

use engine::{NumberSetting, Setting, Settings, SwitchSetting};
use game::Variant;

use crate::host::option_kind;
use messages::OptionKind;
use messages::uci::Message;

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
    /// Clears the hash table and all histories.
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

    /// The option of this name, and how the name is written. Capitals don't matter, as the UCI text asks.
    pub(super) fn named(name: &str, settings: &Settings) -> Option<(UciOption, &'static str)> {
        let named = |option: UciOption| (option, option.definition(settings).0);
        UciOption::all().map(named).find(|(_, known)| known.eq_ignore_ascii_case(name))
    }

    /// How the option is announced. What was saved is the default: a GUI does not send the values that it takes for set.
    pub(super) fn offer(self, settings: &Settings) -> Message {
        let (name, kind) = self.definition(settings);
        Message::Option { name: name.into(), kind }
    }

    fn definition(self, settings: &Settings) -> (&'static str, OptionKind) {
        match self {
            UciOption::Engine(setting) => (setting.name(), option_kind(setting, settings)),
            UciOption::Ponder => ("Ponder", OptionKind::Check(false)),
            UciOption::Chess960 => ("UCI_Chess960", OptionKind::Check(false)),
            UciOption::Variant => {
                let choices = Variant::ALL.map(|variant| variant.uci().into()).into();
                ("UCI_Variant", OptionKind::Combo { value: Variant::Chess.uci().into(), choices })
            }
            UciOption::ClearHash => ("Clear Hash", OptionKind::Button),
            UciOption::Save => ("Save Settings", OptionKind::Button),
            UciOption::Reset => ("Reset Settings", OptionKind::Button),
            UciOption::About => ("UCI_EngineAbout", OptionKind::Text(ABOUT.into())),
            #[cfg(feature = "tuning")]
            UciOption::Parameter(parameter) => {
                let (min, max) = (i32::MIN.into(), i32::MAX.into());
                (parameter.name, OptionKind::Spin { value: parameter.default.into(), min, max })
            }
        }
    }
}

/// Whether a setting is about resigning and agreeing on draws, for which UCI has no commands.
const fn is_for_agreements(setting: Setting) -> bool {
    matches!(
        setting,
        Setting::Number(NumberSetting::ResignScore | NumberSetting::DrawScore)
            | Setting::Switch(SwitchSetting::OfferDraws)
    )
}
