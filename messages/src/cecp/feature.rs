//! What an engine can do and wants: the `feature` line.

use std::fmt;

use super::option::OptionDefinition;
use crate::names::names;

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

names! {
    /// Features that are on or off.
    Switch {
        /// No more features follow (on), or wait for more (off).
        Done = "done",
        /// `ping`
        Ping = "ping",
        /// `setboard` instead of `edit`
        SetBoard = "setboard",
        /// `playother`
        PlayOther = "playother",
        /// Moves in SAN.
        San = "san",
        /// Moves after the word `usermove`.
        UserMove = "usermove",
        /// `time`, `otim`
        Time = "time",
        /// `draw`
        Draw = "draw",
        /// SIGINT before commands.
        Sigint = "sigint",
        /// SIGTERM after `quit`.
        Sigterm = "sigterm",
        /// One process for many games.
        Reuse = "reuse",
        /// `analyze`
        Analyze = "analyze",
        /// `white`, `black`
        Colors = "colors",
        /// `ics`
        Ics = "ics",
        /// `name`
        Name = "name",
        /// `pause`, `resume`
        Pause = "pause",
        /// `nps`
        Nps = "nps",
        /// Lines that begin with `#`.
        Debug = "debug",
        /// `memory`
        Memory = "memory",
        /// `cores`
        Smp = "smp",
        /// `exclude`, `include`
        Exclude = "exclude",
        /// `setscore`
        SetScore = "setscore",
        /// `lift`, `put`, `hover`
        Highlight = "highlight",
    }
}

impl Switch {
    /// What holds for an engine that doesn't mention the feature.
    pub fn default(self) -> bool {
        use Switch as S;
        matches!(self, S::Time | S::Sigint | S::Sigterm | S::Reuse | S::Analyze | S::Colors)
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
            _ => match (Switch::named(name), value) {
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
            Feature::Switch(switch, on) => write!(f, "{switch}={}", u8::from(*on)),
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

    use super::super::option::OptionPurpose;
    use super::*;
    use crate::OptionKind;

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
                kind: OptionKind::Spin { value: 500, min: 100, max: 1000 },
                purpose: Some(OptionPurpose::Slider),
            })
        );
        assert_eq!(
            OptionDefinition::parse("Style -combo calm /// *wild /// odd").map(|option| option.kind),
            Some(OptionKind::Combo {
                value: "wild".to_owned(),
                choices: ["calm", "wild", "odd"].map(str::to_owned).into(),
            })
        );
    }

    #[test]
    fn defaults_are_those_of_the_specification() {
        let on: Vec<&str> =
            Switch::ALL.iter().filter(|switch| switch.default()).map(|switch| switch.name()).collect();
        assert_eq!(on, ["time", "sigint", "sigterm", "reuse", "analyze", "colors"]);
    }

    fn word() -> impl Strategy<Value = String> {
        "[a-zA-Z][a-zA-Z0-9]{0,9}"
    }

    fn kind() -> impl Strategy<Value = (OptionKind, Option<OptionPurpose>)> {
        use OptionPurpose as P;
        let spin =
            || any::<(i64, i64, i64)>().prop_map(|(value, min, max)| OptionKind::Spin { value, min, max });
        let text = || prop_oneof![word(), Just(String::new())].prop_map(OptionKind::Text);
        let combo = (proptest::collection::vec(word(), 1..5), any::<prop::sample::Index>()).prop_map(
            |(choices, present)| OptionKind::Combo { value: present.get(&choices).clone(), choices },
        );
        let of = |purposes: &'static [P]| prop::option::of(prop::sample::select(purposes));
        prop_oneof![
            any::<bool>().prop_map(|on| (OptionKind::Check(on), None)),
            (spin(), of(&[P::Slider])),
            (text(), of(&[P::File, P::Path])),
            combo.prop_map(|kind| (kind, None)),
            of(&[P::Reset, P::Save]).prop_map(|purpose| (OptionKind::Button, purpose)),
        ]
    }

    pub(in crate::cecp) fn feature() -> impl Strategy<Value = Feature> {
        let switch = proptest::sample::select(Switch::ALL);
        prop_oneof![
            (switch, any::<bool>()).prop_map(|(switch, on)| Feature::Switch(switch, on)),
            proptest::collection::vec(word(), 0..4).prop_map(Feature::Variants),
            proptest::collection::vec(word(), 0..4).prop_map(Feature::EndgameTables),
            "[a-zA-Z0-9 .=]{0,20}".prop_map(Feature::MyName),
            ("[a-z]{1,8}( [a-z]{1,8})?", kind()).prop_map(|(name, (kind, purpose))| Feature::Option(
                OptionDefinition { name, kind, purpose }
            )),
            ("x[a-z]{0,8}", "[a-z0-9 ]{0,9}").prop_map(|(name, value)| Feature::Other { name, value }),
        ]
    }
}
