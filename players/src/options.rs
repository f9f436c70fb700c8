//! Values for the options of a program, held against what it offers.

use crate::{Fault, OptionValue};

/// What an option takes, in whatever protocol.
pub(crate) enum Kind<'a> {
    Check,
    Number { min: i64, max: i64 },
    Choice(&'a [String]),
    Text,
    Button,
}

/// What is to be told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Switch(bool),
    Value(String),
    Press,
}

/// Holds a value against what the option takes.
///
/// # Errors
/// [`Fault::Start`]: it does not fit.
pub(crate) fn fit(name: &str, kind: &Kind, value: &OptionValue) -> Result<Setting, Fault> {
    let wrong =
        |expected: String| Fault::Start(format!("option {name}: expected {expected}, not \"{value}\""));
    match kind {
        Kind::Check => value.as_bool().map(Setting::Switch).ok_or_else(|| wrong("true or false".into())),
        Kind::Number { min, max } => value
            .as_int()
            .filter(|number| (min..=max).contains(&number))
            .map(|number| Setting::Value(number.to_string()))
            .ok_or_else(|| wrong(format!("a number from {min} to {max}"))),
        Kind::Choice(choices) => {
            let text = value.to_string();
            let known = choices.iter().any(|choice| choice.eq_ignore_ascii_case(&text));
            if known {
                Ok(Setting::Value(text))
            } else {
                Err(wrong(format!("one of {}", choices.join(", "))))
            }
        }
        Kind::Text => Ok(Setting::Value(value.to_string())),
        Kind::Button => Ok(Setting::Press),
    }
}

/// The fault of an option that the program doesn't have.
pub(crate) fn unknown<'a>(name: &str, offered: impl Iterator<Item = &'a str>) -> Fault {
    let offered: Vec<&str> = offered.collect();
    let offered = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
    Fault::Start(format!("there is no option {name}; there are: {offered}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_against_what_is_offered() {
        let choices = ["calm", "wild"].map(String::from);
        let number = Kind::Number { min: 1, max: 8 };
        let text = |text: &str| OptionValue::Text(text.into());
        let value = |text: &str| Ok(Setting::Value(text.into()));
        assert_eq!(fit("x", &Kind::Check, &OptionValue::Bool(true)), Ok(Setting::Switch(true)));
        assert_eq!(fit("x", &Kind::Check, &text("0")), Ok(Setting::Switch(false)));
        assert_eq!(fit("x", &number, &text("8")), value("8"));
        assert_eq!(fit("x", &Kind::Choice(&choices), &text("Wild")), value("Wild"));
        assert_eq!(fit("x", &Kind::Button, &text("")), Ok(Setting::Press));
        let error = |kind, value| fit("Hash", &kind, &value).unwrap_err().to_string();
        assert_eq!(
            error(number, OptionValue::Int(9)),
            "cannot be started: option Hash: expected a number from 1 to 8, not \"9\""
        );
        assert!(error(Kind::Choice(&choices), text("odd")).contains("one of calm, wild"));
        assert!(
            unknown("Hsah", ["Hash", "Ponder"].into_iter()).to_string().contains("there are: Hash, Ponder")
        );
    }
}
