//! The options that a GUI may set.

use engine::{NumberSetting, Setting, Settings, SwitchSetting};
use game::Variant;

use crate::host::option_kind;
use messages::OptionKind;
use messages::uci::Message;

/// A UCI option.
#[derive(Clone, Copy, Debug)]
pub(super) enum UciOption {
    /// One of the engine's settings.
    Engine(Setting),
    /// Tells whether the GUI may let the engine ponder; `go ponder` works in any case.
    Ponder,
    /// Writes castling as king takes rook and reads positions as Chess960.
    Chess960,
    /// The variant of the following games.
    Variant,
    /// Clears the hash table and the histories of the search.
    ClearHash,
    /// Saves the settings for the next start of Herald.
    Save,
    /// Sets all settings to their defaults; the saved settings stay until others are saved.
    Reset,
    /// Describes the engine; can't be changed.
    About,
    /// A parameter of the search, to be tuned by matches.
    #[cfg(feature = "tuning")]
    Parameter(&'static engine::Parameter),
}

/// The value of `UCI_EngineAbout`.
const ABOUT: &str =
    concat!("Herald ", env!("CARGO_PKG_VERSION"), ", a chess engine and match official; GPL-3.0-or-later");

impl UciOption {
    /// Returns all options in the order in which they are announced.
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

    /// Finds an option by name, ignoring case as UCI requires. Returns it with the exact spelling of its name.
    pub(super) fn named(name: &str, settings: &Settings) -> Option<(UciOption, &'static str)> {
        let named = |option: UciOption| (option, option.definition(settings).0);
        UciOption::all().map(named).find(|(_, known)| known.eq_ignore_ascii_case(name))
    }

    /// Returns the announcement of the option. Its default is the saved value, because a GUI does not send values that
    /// equal the default.
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

/// Returns whether a setting concerns resigning and draw offers, for which UCI has no commands.
const fn is_for_agreements(setting: Setting) -> bool {
    matches!(
        setting,
        Setting::Number(NumberSetting::ResignScore | NumberSetting::DrawScore | NumberSetting::DrawMove)
            | Setting::Switch(SwitchSetting::OfferDraws)
    )
}
