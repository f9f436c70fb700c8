//! Option values, checked against the options that a program offers.

use messages::OptionKind;

use crate::{OptionValue, PlayerFault};

/// Converts a value to the text that the protocol sends, with its words for off and on; `None` presses a button.
///
/// # Errors
/// [`PlayerFault::Start`]: the value is invalid.
pub(crate) fn setting(
    name: &str,
    kind: &OptionKind,
    [off, on]: [&str; 2],
    value: &OptionValue,
) -> Result<Option<String>, PlayerFault> {
    let text = value.to_string();
    let (fitting, expected) = match kind {
        OptionKind::Check(_) => {
            let switch = match text.as_str() {
                "true" | "1" => Some(on),
                "false" | "0" => Some(off),
                _ => None,
            };
            (switch.map(ToString::to_string), "true or false".to_owned())
        }
        OptionKind::Spin { min, max, .. } => {
            let number = text.parse::<i64>().ok().filter(|number| (min..=max).contains(&number));
            (number.map(|number| number.to_string()), format!("a number from {min} to {max}"))
        }
        OptionKind::Combo { choices, .. } => {
            let is_known = choices.iter().any(|choice| choice.eq_ignore_ascii_case(&text));
            (is_known.then_some(text), format!("one of {}", choices.join(", ")))
        }
        OptionKind::Text(_) => return Ok(Some(text)),
        OptionKind::Button => return Ok(None),
    };
    let wrong = || PlayerFault::Start(format!("option {name}: expected {expected}, not \"{value}\""));
    fitting.map(Some).ok_or_else(wrong)
}

/// Returns the fault for an option that the program doesn't offer.
pub(crate) fn unknown<'a>(name: &str, offered: impl Iterator<Item = &'a str>) -> PlayerFault {
    let offered: Vec<&str> = offered.collect();
    let offered = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
    PlayerFault::Start(format!("there is no option {name}; available options: {offered}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_against_what_is_offered() {
        let setting =
            |name, kind: &OptionKind, value: &OptionValue| setting(name, kind, ["no", "yes"], value);
        let choices = ["calm", "wild"].map(String::from).to_vec();
        let combo = OptionKind::Combo { value: "calm".into(), choices };
        let number = OptionKind::Spin { value: 1, min: 1, max: 8 };
        let switch = OptionKind::Check(true);
        let text = |text: &str| OptionValue::Text(text.into());
        let value = |text: &str| Ok(Some(text.into()));
        assert_eq!(setting("x", &switch, &OptionValue::Bool(true)), value("yes"));
        assert_eq!(setting("x", &switch, &text("0")), value("no"));
        assert_eq!(setting("x", &number, &text("8")), value("8"));
        assert_eq!(setting("x", &combo, &text("Wild")), value("Wild"));
        assert_eq!(setting("x", &OptionKind::Button, &text("")), Ok(None));
        let error = |kind, value| setting("Hash", &kind, &value).unwrap_err().to_string();
        assert_eq!(
            error(number, OptionValue::Int(9)),
            "cannot be started: option Hash: expected a number from 1 to 8, not \"9\""
        );
        assert!(error(combo, text("odd")).contains("one of calm, wild"));
        assert!(
            unknown("Hsah", ["Hash", "Ponder"].into_iter()).to_string().contains("options: Hash, Ponder")
        );
    }
}
