//! Options that the user can set: how an engine offers them.

use std::fmt;

use crate::OptionKind;
use crate::names::names;

/// An option that the user can set, as the engine offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDefinition {
    /// Its name; may contain blanks, but not ` -`.
    pub name: String,
    /// What values it takes, and the one it has.
    pub kind: OptionKind,
    /// What else the GUI may know about it.
    pub purpose: Option<OptionPurpose>,
}

names! {
    /// What an option of a kind is for. Older GUIs don't know these words.
    OptionPurpose {
        /// A number from a large range.
        Slider = "slider",
        /// A text that names a file.
        File = "file",
        /// A text that names a folder.
        Path = "path",
        /// A button that restores settings.
        Reset = "reset",
        /// A button that saves settings.
        Save = "save",
    }
}

const CHOICE_SEPARATOR: &str = " /// ";

impl OptionDefinition {
    /// Reads the text of an `option` feature; `None` if it isn't one.
    pub fn parse(text: &str) -> Option<OptionDefinition> {
        let (name, rest) = text.split_once(" -")?;
        let (word, value) = rest.split_once(' ').unwrap_or((rest, ""));
        // The specification writes it both ways.
        let (word, value) = (if word == "slide" { "slider" } else { word }, value.trim());
        let kind = match word {
            "check" => OptionKind::Check(value.parse::<i64>().ok()? != 0),
            "spin" | "slider" => {
                let numbers: Vec<i64> =
                    value.split_whitespace().map_while(|word| word.parse().ok()).collect();
                let [value, min, max] = *numbers.first_chunk()?;
                OptionKind::Spin { value, min, max }
            }
            "string" | "file" | "path" => OptionKind::Text(value.to_owned()),
            "combo" => parse_combo(value),
            "button" | "reset" | "save" => OptionKind::Button,
            _ => return None,
        };
        Some(OptionDefinition { name: name.to_owned(), kind, purpose: OptionPurpose::named(word) })
    }

    /// The same in words that older GUIs know, too; `None` if it is.
    pub fn simpler(&self) -> Option<OptionDefinition> {
        let kind = match (&self.kind, self.purpose) {
            (kind, Some(_)) => kind.clone(),
            (OptionKind::Combo { value, .. }, None) => OptionKind::Text(value.clone()),
            _ => return None,
        };
        Some(OptionDefinition { name: self.name.clone(), kind, purpose: None })
    }
}

fn parse_combo(value: &str) -> OptionKind {
    let choices: Vec<&str> = value.split("///").map(str::trim).collect();
    let present = choices.iter().rfind(|choice| choice.starts_with('*')).unwrap_or(&choices[0]);
    let unmarked = |choice: &str| choice.strip_prefix('*').unwrap_or(choice).to_owned();
    OptionKind::Combo { value: unmarked(present), choices: choices.into_iter().map(unmarked).collect() }
}

impl fmt::Display for OptionDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, value) = match &self.kind {
            OptionKind::Check(on) => ("check", format!(" {}", u8::from(*on))),
            OptionKind::Spin { value, min, max } => ("spin", format!(" {value} {min} {max}")),
            OptionKind::Text(text) => ("string", format!(" {text}")),
            OptionKind::Combo { value, choices } => {
                let marked = choices.iter().map(|choice| {
                    let mark = if choice == value { "*" } else { "" };
                    format!("{mark}{choice}")
                });
                ("combo", format!(" {}", marked.collect::<Vec<_>>().join(CHOICE_SEPARATOR)))
            }
            OptionKind::Button => ("button", String::new()),
        };
        write!(f, "{} -{}{value}", self.name, self.purpose.map_or(word, OptionPurpose::name))
    }
}
