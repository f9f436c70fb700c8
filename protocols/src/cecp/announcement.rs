//! What Herald announces, and the options behind it.

use engine::{Engine, OWN_BOOK, PathSetting, Setting};

use super::feature::{Feature, OptionDefinition, OptionKind, Switch};
use super::message::Message;
use super::variants;

/// Under which name GUIs show the engine.
const NAME: &str = concat!("Herald ", env!("CARGO_PKG_VERSION"));

/// The endgame tables for which `egtpath` may come.
pub(super) const SYZYGY: &str = "syzygy";

/// Switches, as they are announced; true, every one. Those that stay as the protocol has them by default are named too
/// where GUIs differ in what they take for the default.
const SWITCHES: [(Switch, bool); 19] = [
    (Switch::Ping, true),
    (Switch::SetBoard, true),
    (Switch::UserMove, true),
    (Switch::San, false),
    (Switch::PlayOther, true),
    (Switch::Colors, true),
    (Switch::Time, true),
    (Switch::Draw, true),
    (Switch::Analyze, true),
    (Switch::Exclude, true),
    (Switch::Nps, true),
    (Switch::Memory, true),
    (Switch::Smp, true),
    (Switch::Debug, true),
    (Switch::Reuse, true),
    (Switch::Name, true),
    (Switch::Ics, true),
    (Switch::Sigint, false),
    (Switch::Sigterm, false),
];

/// What can be set by `option`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineOption {
    /// A number.
    Number(Setting),
    /// Whether the engine plays from its book.
    OwnBook,
    /// Files for the engine.
    Path(PathSetting),
}

/// The answer to `protover`, in lines that are short enough for any GUI.
pub(super) fn announcement(engine: &Engine) -> Vec<Message> {
    let switches = SWITCHES.into_iter().map(|(switch, on)| Feature::Switch(switch, on)).collect();
    let names = vec![
        Feature::MyName(NAME.to_owned()),
        Feature::Variants(variants::names()),
        Feature::EndgameTables(vec![SYZYGY.to_owned()]),
    ];
    let options = EngineOption::all()
        .filter(|option| !option.has_command())
        .map(|option| vec![Feature::Option(option.definition(engine))]);
    let done = vec![Feature::Switch(Switch::Done, true)];
    [switches, names].into_iter().chain(options).chain([done]).map(Message::Features).collect()
}

impl EngineOption {
    fn all() -> impl Iterator<Item = EngineOption> {
        let numbers = Setting::ALL.into_iter().map(EngineOption::Number);
        numbers.chain([EngineOption::OwnBook]).chain(PathSetting::ALL.map(EngineOption::Path))
    }

    /// The option of this name. Known are also those that are not announced.
    pub(super) fn named(name: &str) -> Option<EngineOption> {
        EngineOption::all().find(|option| option.name() == name)
    }

    /// In one word, for python-chess takes the second for the type.
    fn name(self) -> String {
        let name = match self {
            EngineOption::Number(setting) => setting.name(),
            EngineOption::OwnBook => OWN_BOOK,
            EngineOption::Path(setting) => setting.name(),
        };
        name.replace(' ', "")
    }

    /// Whether the protocol has a command of its own for it: `memory`, `cores`, `egtpath`.
    fn has_command(self) -> bool {
        matches!(
            self,
            EngineOption::Number(Setting::Hash | Setting::Threads)
                | EngineOption::Path(PathSetting::Tablebases)
        )
    }

    fn definition(self, engine: &Engine) -> OptionDefinition {
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let kind = match self {
            EngineOption::Number(setting) => OptionKind::Spin {
                value: number(engine.get(setting)),
                min: number(*setting.range().start()),
                max: number(*setting.range().end()),
            },
            EngineOption::OwnBook => OptionKind::Check(engine.plays_from_book()),
            EngineOption::Path(setting) => OptionKind::File(engine.path(setting).to_owned()),
        };
        OptionDefinition { name: self.name(), kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_single_words() {
        for option in EngineOption::all() {
            assert_eq!(EngineOption::named(&option.name()), Some(option));
            assert!(!option.name().contains(char::is_whitespace));
        }
    }
}
