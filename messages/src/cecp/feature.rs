//! What an engine can do and wants: the `feature` line.

use std::fmt;

use super::option::OptionDefinition;

/// One `NAME=VALUE` of a `feature` line.
///
/// Texts can't contain `"`, for which the protocol has no way to write it; it is shown as `'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A feature that is on or off.
    Switch(Switch, bool),
    /// Names of the variants played.
    Variants(Vec<String>),
    /// Kinds of endgame tables read.
    EndgameTables(Vec<String>),
    /// The engine's name.
    MyName(String),
    /// An option that the user can set.
    Option(OptionDefinition),
    /// Anything else.
    Other {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
}

/// Features that are on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// No more features follow (on), or wait for more (off).
    Done,
    /// `ping`
    Ping,
    /// `setboard` instead of `edit`
    SetBoard,
    /// `playother`
    PlayOther,
    /// Moves in SAN.
    San,
    /// Moves after the word `usermove`.
    UserMove,
    /// `time`, `otim`
    Time,
    /// `draw`
    Draw,
    /// SIGINT before commands.
    Sigint,
    /// SIGTERM after `quit`.
    Sigterm,
    /// One process for many games.
    Reuse,
    /// `analyze`
    Analyze,
    /// `white`, `black`
    Colors,
    /// `ics`
    Ics,
    /// `name`
    Name,
    /// `pause`, `resume`
    Pause,
    /// `nps`
    Nps,
    /// Lines that begin with `#`.
    Debug,
    /// `memory`
    Memory,
    /// `cores`
    Smp,
    /// `exclude`, `include`
    Exclude,
    /// `setscore`
    SetScore,
    /// `lift`, `put`, `hover`
    Highlight,
}

impl Switch {
    /// Each with its name in the `feature` line, and what holds for an engine that does not mention it.
    const TABLE: [(Switch, &str, bool); 23] = [
        (Switch::Done, "done", false),
        (Switch::Ping, "ping", false),
        (Switch::SetBoard, "setboard", false),
        (Switch::PlayOther, "playother", false),
        (Switch::San, "san", false),
        (Switch::UserMove, "usermove", false),
        (Switch::Time, "time", true),
        (Switch::Draw, "draw", false),
        (Switch::Sigint, "sigint", true),
        (Switch::Sigterm, "sigterm", true),
        (Switch::Reuse, "reuse", true),
        (Switch::Analyze, "analyze", true),
        (Switch::Colors, "colors", true),
        (Switch::Ics, "ics", false),
        (Switch::Name, "name", false),
        (Switch::Pause, "pause", false),
        (Switch::Nps, "nps", false),
        (Switch::Debug, "debug", false),
        (Switch::Memory, "memory", false),
        (Switch::Smp, "smp", false),
        (Switch::Exclude, "exclude", false),
        (Switch::SetScore, "setscore", false),
        (Switch::Highlight, "highlight", false),
    ];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Switch> {
        Switch::TABLE.into_iter().map(|(switch, ..)| switch)
    }

    /// The name in the `feature` line.
    pub const fn name(self) -> &'static str {
        Switch::TABLE[self as usize].1
    }

    /// What holds for an engine that doesn't mention the feature.
    pub const fn default(self) -> bool {
        Switch::TABLE[self as usize].2
    }
}

impl Feature {
    /// Reads what follows the word `feature`; what can't be understood is passed over.
    pub fn parse_line(text: &str) -> Vec<Feature> {
        let mut features = Vec::new();
        let mut rest = text;
        while let Some((name, after)) = rest.split_once('=') {
            // Only the last word before `=` can be the name: what stands before it belongs to nothing.
            let name = name.split_whitespace().last().unwrap_or("");
            let (value, next) = split_value(after);
            if !name.is_empty() {
                features.push(Feature::parse(name, value));
            }
            rest = next;
        }
        features
    }

    fn parse(name: &str, value: &str) -> Feature {
        let other = || Feature::Other { name: name.to_owned(), value: value.to_owned() };
        let list = || value.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned);
        match name {
            "variants" => Feature::Variants(list().collect()),
            "egt" => Feature::EndgameTables(list().collect()),
            "myname" => Feature::MyName(value.to_owned()),
            "option" => OptionDefinition::parse(value).map_or_else(other, Feature::Option),
            _ => match (Switch::all().find(|switch| switch.name() == name), value) {
                (Some(switch), "0") => Feature::Switch(switch, false),
                (Some(switch), "1") => Feature::Switch(switch, true),
                _ => other(),
            },
        }
    }
}

/// Splits off a value: up to the closing quotation mark, or up to the next blank.
fn split_value(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Switch(switch, on) => write!(f, "{}={}", switch.name(), u8::from(*on)),
            Feature::Variants(names) => write_quoted(f, "variants", &names.join(",")),
            Feature::EndgameTables(names) => write_quoted(f, "egt", &names.join(",")),
            Feature::MyName(name) => write_quoted(f, "myname", name),
            Feature::Option(option) => write_quoted(f, "option", &option.to_string()),
            Feature::Other { name, value } if value.parse::<i64>().is_ok() => write!(f, "{name}={value}"),
            Feature::Other { name, value } => write_quoted(f, name, value),
        }
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "{name}=\"{}\"", value.replace('"', "'"))
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::option::OptionControl;
    use super::*;

    #[test]
    fn the_example_of_the_specification() {
        let option = |text: &str| Feature::Option(OptionDefinition::parse(text).unwrap());
        assert_eq!(
            Feature::parse_line(r#"memory=1 egt="nalimov,scorpio" setboard=1"#),
            [
                Feature::Switch(Switch::Memory, true),
                Feature::EndgameTables(vec!["nalimov".into(), "scorpio".into()]),
                Feature::Switch(Switch::SetBoard, true),
            ]
        );
        assert_eq!(Feature::parse_line(r#"option="resign -check 1""#), [option("resign -check 1")]);
        assert_eq!(
            OptionDefinition::parse("resign threshold (centi-Pawn): -slider 500 100 1000"),
            Some(OptionDefinition {
                name: "resign threshold (centi-Pawn):".into(),
                kind: OptionControl::Slider { value: 500, min: 100, max: 1000 },
            })
        );
        assert_eq!(
            OptionDefinition::parse("Style -combo calm /// *wild /// odd").map(|option| option.kind),
            Some(OptionControl::Combo {
                choices: ["calm", "wild", "odd"].map(str::to_owned).into(),
                current: 1
            })
        );
    }

    #[test]
    fn the_table_has_the_order_of_the_switches() {
        assert!(Switch::all().enumerate().all(|(place, switch)| switch as usize == place));
    }

    #[test]
    fn defaults_are_those_of_the_specification() {
        let on: Vec<&str> = Switch::all().filter(|switch| switch.default()).map(Switch::name).collect();
        assert_eq!(on, ["time", "sigint", "sigterm", "reuse", "analyze", "colors"]);
    }

    fn word() -> impl Strategy<Value = String> {
        "[a-zA-Z][a-zA-Z0-9]{0,9}"
    }

    fn kind() -> impl Strategy<Value = OptionControl> {
        prop_oneof![
            any::<bool>().prop_map(OptionControl::Check),
            any::<(i64, i64, i64)>().prop_map(|(value, min, max)| OptionControl::Spin { value, min, max }),
            any::<(i64, i64, i64)>().prop_map(|(value, min, max)| OptionControl::Slider { value, min, max }),
            word().prop_map(OptionControl::Text),
            word().prop_map(OptionControl::File),
            Just(OptionControl::Path(String::new())),
            (proptest::collection::vec(word(), 1..5), any::<usize>()).prop_map(|(choices, current)| {
                let current = current % choices.len();
                OptionControl::Combo { choices, current }
            }),
            Just(OptionControl::Button),
            Just(OptionControl::Reset),
            Just(OptionControl::Save),
        ]
    }

    pub(in crate::cecp) fn feature() -> impl Strategy<Value = Feature> {
        let switch = proptest::sample::select(Switch::all().collect::<Vec<_>>());
        prop_oneof![
            (switch, any::<bool>()).prop_map(|(switch, on)| Feature::Switch(switch, on)),
            proptest::collection::vec(word(), 0..4).prop_map(Feature::Variants),
            proptest::collection::vec(word(), 0..4).prop_map(Feature::EndgameTables),
            "[a-zA-Z0-9 .=]{0,20}".prop_map(Feature::MyName),
            ("[a-z]{1,8}( [a-z]{1,8})?", kind())
                .prop_map(|(name, kind)| Feature::Option(OptionDefinition { name, kind })),
            ("x[a-z]{0,8}", "[a-z0-9 ]{0,9}").prop_map(|(name, value)| Feature::Other { name, value }),
        ]
    }
}
