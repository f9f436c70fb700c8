//! Values for the options of a program, checked against the options that it offers.

use crate::{OptionValue, PlayerFault};

/// The values that an option takes, in any protocol.
pub(crate) enum OptionRange<'a> {
    /// Off or on, in the words of the protocol.
    Switch([&'static str; 2]),
    Number(i64, i64),
    Choice(&'a [String]),
    Text,
    Button,
}

/// The text of a value as the protocol sends it; `None` presses a button.
///
/// # Errors
/// [`PlayerFault::Start`]: the value does not fit.
pub(crate) fn setting(
    name: &str,
    range: &OptionRange,
    value: &OptionValue,
) -> Result<Option<String>, PlayerFault> {
    let text = value.to_string();
    let (fitting, expected) = match range {
        OptionRange::Switch([off, on]) => {
            let switch = match text.as_str() {
                "true" | "1" => Some(on),
                "false" | "0" => Some(off),
                _ => None,
            };
            (switch.map(ToString::to_string), "true or false".to_owned())
        }
        OptionRange::Number(min, max) => {
            let number = text.parse::<i64>().ok().filter(|number| (min..=max).contains(&number));
            (number.map(|number| number.to_string()), format!("a number from {min} to {max}"))
        }
        OptionRange::Choice(choices) => {
            let is_known = choices.iter().any(|choice| choice.eq_ignore_ascii_case(&text));
            (is_known.then_some(text), format!("one of {}", choices.join(", ")))
        }
        OptionRange::Text => return Ok(Some(text)),
        OptionRange::Button => return Ok(None),
    };
    let wrong = || PlayerFault::Start(format!("option {name}: expected {expected}, not \"{value}\""));
    fitting.map(Some).ok_or_else(wrong)
}

/// The fault of an option that the program doesn't have.
pub(crate) fn unknown<'a>(name: &str, offered: impl Iterator<Item = &'a str>) -> PlayerFault {
    let offered: Vec<&str> = offered.collect();
    let offered = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
    PlayerFault::Start(format!("there is no option {name}; there are: {offered}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_against_what_is_offered() {
        let choices = ["calm", "wild"].map(String::from);
        let number = OptionRange::Number(1, 8);
        let switch = OptionRange::Switch(["no", "yes"]);
        let text = |text: &str| OptionValue::Text(text.into());
        let value = |text: &str| Ok(Some(text.into()));
        assert_eq!(setting("x", &switch, &OptionValue::Bool(true)), value("yes"));
        assert_eq!(setting("x", &switch, &text("0")), value("no"));
        assert_eq!(setting("x", &number, &text("8")), value("8"));
        assert_eq!(setting("x", &OptionRange::Choice(&choices), &text("Wild")), value("Wild"));
        assert_eq!(setting("x", &OptionRange::Button, &text("")), Ok(None));
        let error = |kind, value| setting("Hash", &kind, &value).unwrap_err().to_string();
        assert_eq!(
            error(number, OptionValue::Int(9)),
            "cannot be started: option Hash: expected a number from 1 to 8, not \"9\""
        );
        assert!(error(OptionRange::Choice(&choices), text("odd")).contains("one of calm, wild"));
        assert!(
            unknown("Hsah", ["Hash", "Ponder"].into_iter()).to_string().contains("there are: Hash, Ponder")
        );
    }
}
