//! The features and options that Herald announces.

use engine::{NumberSetting, PathSetting, Setting, Settings};

use crate::host::option_kind;
use messages::OptionKind;
use messages::cecp::{Feature, Message, OptionDefinition, OptionPurpose, Switch, variants};

/// The engine's name as GUIs show it.
pub(super) const NAME: &str = concat!("Herald ", env!("CARGO_PKG_VERSION"));

/// The kind of endgame tables that `egtpath` may name.
pub(super) const SYZYGY: &str = "syzygy";

/// The features announced as off: moves are not in SAN, and no signals are wanted. All others are on. Features that
/// equal the protocol's default are announced too, because GUIs differ in their defaults.
const OFF: [Switch; 3] = [Switch::San, Switch::Sigint, Switch::Sigterm];

/// Settings that the GUI sets with `memory` and `cores`; they are not announced as options.
const TOLD_BY_GUI: [NumberSetting; 2] = [NumberSetting::Hash, NumberSetting::Threads];

/// An option of `feature option`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CecpOption {
    /// One of the engine's settings.
    Setting(Setting),
    /// Clears the hash table and the histories of the search.
    ClearHash,
    /// Saves the settings for the next start of Herald.
    Save,
    /// Sets all settings to their defaults; the saved settings stay until others are saved.
    Reset,
}

/// Returns the answer to `protover`, in lines short enough for any GUI.
pub(super) fn announcement(settings: &Settings) -> Vec<Message> {
    let switches = Switch::ALL.iter().copied().filter(|&switch| switch != Switch::Done);
    let switches = switches.map(|switch| Feature::Switch(switch, !OFF.contains(&switch))).collect();
    let names = vec![
        Feature::MyName(NAME.to_owned()),
        Feature::Variants(variants::names()),
        Feature::EndgameTables(vec![SYZYGY.to_owned()]),
    ];
    [switches, names].into_iter().map(Message::Features).chain(options(settings)).collect()
}

/// Returns all options again, to replace those of the GUI; `done=0` makes the GUI drop its list.
pub(super) fn options_again(settings: &Settings) -> Vec<Message> {
    let begin = Message::Features(vec![Feature::Switch(Switch::Done, false)]);
    [begin].into_iter().chain(options(settings)).collect()
}

/// Returns all options, followed by `done=1`.
fn options(settings: &Settings) -> impl Iterator<Item = Message> {
    let told = TOLD_BY_GUI.map(|setting| CecpOption::Setting(Setting::Number(setting)));
    let options = CecpOption::all().filter(move |option| !told.contains(option));
    options
        .map(|option| option.offer(settings))
        .chain([Message::Features(vec![Feature::Switch(Switch::Done, true)])])
}

/// Returns the kind of path that a setting holds.
fn purpose(setting: Setting) -> Option<OptionPurpose> {
    match setting {
        Setting::Path(PathSetting::Book | PathSetting::Network) => Some(OptionPurpose::File),
        Setting::Path(PathSetting::Tablebases) => Some(OptionPurpose::Path),
        Setting::Number(_) | Setting::Switch(_) => None,
    }
}

fn offer(option: OptionDefinition) -> Message {
    Message::Features(vec![Feature::Option(option)])
}

impl CecpOption {
    fn all() -> impl Iterator<Item = CecpOption> {
        let others = [CecpOption::ClearHash, CecpOption::Save, CecpOption::Reset];
        Setting::ALL.into_iter().map(CecpOption::Setting).chain(others)
    }

    /// Finds an option by name; also options that are not announced.
    pub(super) fn named(name: &str) -> Option<CecpOption> {
        CecpOption::all().find(|option| option.name().eq_ignore_ascii_case(name))
    }

    /// Returns the option's name as a single word, because python-chess takes a second word for the type, and without
    /// `UCI_`, which python-chess reserves.
    pub(super) fn name(self) -> String {
        match self {
            CecpOption::Setting(setting) => setting.name().replace(' ', "").replace("UCI_", ""),
            CecpOption::ClearHash => "ClearHash".to_owned(),
            CecpOption::Save => "Save".to_owned(),
            CecpOption::Reset => "Reset".to_owned(),
        }
    }

    /// Returns the announcement of the option with its current value.
    pub(super) fn offer(self, settings: &Settings) -> Message {
        offer(self.definition(settings))
    }

    /// Returns the announcement of a simpler kind of option, for GUIs that don't understand this kind; `None` if there
    /// is none.
    pub(super) fn simpler_offer(self, settings: &Settings) -> Option<Message> {
        self.definition(settings).simpler().map(offer)
    }

    fn definition(self, settings: &Settings) -> OptionDefinition {
        let (kind, purpose) = match self {
            CecpOption::Setting(setting) => (option_kind(setting, settings), purpose(setting)),
            CecpOption::ClearHash => (OptionKind::Button, None),
            CecpOption::Save => (OptionKind::Button, Some(OptionPurpose::Save)),
            CecpOption::Reset => (OptionKind::Button, Some(OptionPurpose::Reset)),
        };
        OptionDefinition { name: self.name(), kind, purpose }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_single_words() {
        for option in CecpOption::all() {
            assert_eq!(CecpOption::named(&option.name()), Some(option));
            assert!(!option.name().contains(char::is_whitespace));
        }
    }

    #[test]
    fn every_offer_can_be_made_simpler_until_any_gui_understands_it() {
        use OptionKind as K;
        let settings = Settings::default();
        for option in CecpOption::all() {
            let mut option = option.definition(&settings);
            while let Some(simpler) = option.simpler() {
                option = simpler;
            }
            let is_plain = matches!(option.kind, K::Button | K::Check(_) | K::Spin { .. } | K::Text(_));
            assert!(is_plain && option.purpose.is_none(), "{option:?}");
        }
    }
}
