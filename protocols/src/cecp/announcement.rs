//! What Herald announces, and the options behind it.

use engine::{Engine, Setting};

use super::feature::{Feature, OptionDefinition, OptionKind, Switch};
use super::message::Message;

/// Under which name GUIs show the engine.
const NAME: &str = concat!("Herald ", env!("CARGO_PKG_VERSION"));

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

/// The answer to `protover`, in lines that are short enough for any GUI.
pub(super) fn announcement(engine: &Engine) -> Vec<Message> {
    let switches = SWITCHES.into_iter().map(|(switch, on)| Feature::Switch(switch, on)).collect();
    let names = vec![
        Feature::MyName(NAME.to_owned()),
        Feature::Variants(["normal", "fischerandom"].map(str::to_owned).into()),
    ];
    let options = Setting::ALL
        .into_iter()
        .filter(|&setting| !has_command(setting))
        .map(|setting| vec![Feature::Option(definition(engine, setting))]);
    let done = vec![Feature::Switch(Switch::Done, true)];
    [switches, names].into_iter().chain(options).chain([done]).map(Message::Features).collect()
}

/// Settings for which the protocol has a command of its own, `memory` and `cores`.
fn has_command(setting: Setting) -> bool {
    matches!(setting, Setting::Hash | Setting::Threads)
}

fn definition(engine: &Engine, setting: Setting) -> OptionDefinition {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let kind = OptionKind::Spin {
        value: number(engine.get(setting)),
        min: number(*setting.range().start()),
        max: number(*setting.range().end()),
    };
    OptionDefinition { name: option_name(setting), kind }
}

/// In one word, for python-chess takes the second for the type.
fn option_name(setting: Setting) -> String {
    setting.name().replace(' ', "")
}

/// The setting behind an option's name. Known are also those that are not announced.
pub(super) fn setting(name: &str) -> Option<Setting> {
    Setting::ALL.into_iter().find(|&setting| option_name(setting) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_single_words() {
        for setting in Setting::ALL {
            assert_eq!(super::setting(&option_name(setting)), Some(setting));
            assert!(!option_name(setting).contains(char::is_whitespace));
        }
    }
}
