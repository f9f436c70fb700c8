//! Options that the user can set: how an engine offers them.

use std::fmt;

/// An option that the user can set, as the engine offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDefinition {
    /// Its name; may contain blanks, but not ` -`.
    pub name: String,
    /// What values it takes, and the one it has.
    pub kind: OptionControl,
}

/// The values that an option takes, and the one it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionControl {
    /// On or off.
    Check(bool),
    /// A number.
    Spin {
        /// The present value.
        value: i64,
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// A number from a large range.
    Slider {
        /// The present value.
        value: i64,
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// A text.
    Text(String),
    /// The name of a file.
    File(String),
    /// The name of a folder.
    Path(String),
    /// One of several texts.
    Combo {
        /// The texts.
        choices: Vec<String>,
        /// The index of the present one.
        current: usize,
    },
    /// Does something.
    Button,
    /// Restores settings.
    Reset,
    /// Saves settings.
    Save,
}

const CHOICE_SEPARATOR: &str = " /// ";

impl OptionDefinition {
    /// Reads the text of an `option` feature; `None` if it isn't one.
    pub fn parse(text: &str) -> Option<OptionDefinition> {
        let (name, rest) = text.split_once(" -")?;
        let (kind, value) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(OptionDefinition { name: name.to_owned(), kind: OptionControl::parse(kind, value.trim())? })
    }
}

impl OptionControl {
    /// A kind that does as well and that older GUIs know, too; `None` if this is one.
    pub fn simpler(&self) -> Option<OptionControl> {
        match self {
            OptionControl::Slider { value, min, max } => {
                Some(OptionControl::Spin { value: *value, min: *min, max: *max })
            }
            OptionControl::File(text) | OptionControl::Path(text) => Some(OptionControl::Text(text.clone())),
            OptionControl::Combo { choices, current } => {
                Some(OptionControl::Text(choices.get(*current).cloned().unwrap_or_default()))
            }
            OptionControl::Reset | OptionControl::Save => Some(OptionControl::Button),
            OptionControl::Check(_)
            | OptionControl::Spin { .. }
            | OptionControl::Text(_)
            | OptionControl::Button => None,
        }
    }

    fn parse(kind: &str, value: &str) -> Option<OptionControl> {
        Some(match kind {
            "check" => OptionControl::Check(value.parse::<i64>().ok()? != 0),
            "spin" => {
                let [value, min, max] = three_numbers(value)?;
                OptionControl::Spin { value, min, max }
            }
            // The specification writes it both ways.
            "slider" | "slide" => {
                let [value, min, max] = three_numbers(value)?;
                OptionControl::Slider { value, min, max }
            }
            "string" => OptionControl::Text(value.to_owned()),
            "file" => OptionControl::File(value.to_owned()),
            "path" => OptionControl::Path(value.to_owned()),
            "combo" => OptionControl::parse_combo(value),
            "button" => OptionControl::Button,
            "reset" => OptionControl::Reset,
            "save" => OptionControl::Save,
            _ => return None,
        })
    }

    fn parse_combo(value: &str) -> OptionControl {
        let choices: Vec<&str> = value.split("///").map(str::trim).collect();
        let current = choices.iter().rposition(|choice| choice.starts_with('*')).unwrap_or(0);
        let unmarked = |choice: &str| choice.strip_prefix('*').unwrap_or(choice).to_owned();
        OptionControl::Combo { choices: choices.into_iter().map(unmarked).collect(), current }
    }
}

fn three_numbers(text: &str) -> Option<[i64; 3]> {
    let numbers: Vec<i64> = text.split_whitespace().map_while(|number| number.parse().ok()).collect();
    numbers.first_chunk().copied()
}

impl fmt::Display for OptionDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -{}", self.name, self.kind)
    }
}

impl fmt::Display for OptionControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionControl::Check(on) => write!(f, "check {}", u8::from(*on)),
            OptionControl::Spin { value, min, max } => write!(f, "spin {value} {min} {max}"),
            OptionControl::Slider { value, min, max } => write!(f, "slider {value} {min} {max}"),
            OptionControl::Text(text) => write!(f, "string {text}"),
            OptionControl::File(text) => write!(f, "file {text}"),
            OptionControl::Path(text) => write!(f, "path {text}"),
            OptionControl::Combo { choices, current } => {
                let mark = |index| if index == *current { "*" } else { "" };
                let marked =
                    choices.iter().enumerate().map(|(index, choice)| format!("{}{choice}", mark(index)));
                write!(f, "combo {}", marked.collect::<Vec<_>>().join(CHOICE_SEPARATOR))
            }
            OptionControl::Button => f.write_str("button"),
            OptionControl::Reset => f.write_str("reset"),
            OptionControl::Save => f.write_str("save"),
        }
    }
}
