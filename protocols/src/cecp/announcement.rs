//! The features that Herald announces, and its options.

use engine::{NumberSetting, PathSetting, Setting, Settings};

use super::variants;
use crate::host::option_kind;
use messages::OptionKind;
use messages::cecp::{Feature, Message, OptionDefinition, OptionPurpose, Switch};

/// The engine's name, as GUIs show it.
pub(super) const NAME: &str = concat!("Herald ", env!("CARGO_PKG_VERSION"));

/// The endgame tables for which `egtpath` may come.
pub(super) const SYZYGY: &str = "syzygy";

/// What is announced as off: moves are no SAN, and no signals are wanted. All else is on. Also named is what the protocol takes for the
/// default, as GUIs differ in that.
const OFF: [Switch; 3] = [Switch::San, Switch::Sigint, Switch::Sigterm];

/// Settings that the GUI sets by `memory` and `cores`. They are not offered as options.
const TOLD_BY_GUI: [NumberSetting; 2] = [NumberSetting::Hash, NumberSetting::Threads];

/// What can be set or done by `option`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CecpOption {
    /// One of the engine's settings.
    Setting(Setting),
    /// Clears the hash table and all histories.
    ClearHash,
    /// Saves the settings, to be there when Herald is started again.
    Save,
    /// Gives all settings their defaults; what was saved stays until something else is saved.
    Reset,
}

/// The answer to `protover`, in lines that are short enough for any GUI.
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

/// The options once more, in place of those that the GUI has: `done=0` makes it drop them.
pub(super) fn options_again(settings: &Settings) -> Vec<Message> {
    let begin = Message::Features(vec![Feature::Switch(Switch::Done, false)]);
    [begin].into_iter().chain(options(settings)).collect()
}

/// All options, and that no more follow.
fn options(settings: &Settings) -> impl Iterator<Item = Message> {
    let told = TOLD_BY_GUI.map(|setting| CecpOption::Setting(Setting::Number(setting)));
    let options = CecpOption::all().filter(move |option| !told.contains(option));
    options
        .map(|option| option.offer(settings))
        .chain([Message::Features(vec![Feature::Switch(Switch::Done, true)])])
}

/// What a setting names.
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

    /// The option of this name. Known are also those that are not announced.
    pub(super) fn named(name: &str) -> Option<CecpOption> {
        CecpOption::all().find(|option| option.name().eq_ignore_ascii_case(name))
    }

    /// A single word: python-chess takes a second word for the type. Without `UCI_`, which python-chess reserves.
    pub(super) fn name(self) -> String {
        match self {
            CecpOption::Setting(setting) => setting.name().replace(' ', "").replace("UCI_", ""),
            CecpOption::ClearHash => "ClearHash".to_owned(),
            CecpOption::Save => "Save".to_owned(),
            CecpOption::Reset => "Reset".to_owned(),
        }
    }

    /// The option as it stands.
    pub(super) fn offer(self, settings: &Settings) -> Message {
        offer(self.definition(settings))
    }

    /// The option in a simpler form, for a GUI that doesn't understand its kind; `None` if there is none.
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
