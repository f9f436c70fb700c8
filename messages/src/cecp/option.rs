//! Options that the user can set: how an engine offers them.

use std::fmt;

/// An option that the user can set, as the engine offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDefinition {
    /// Its name; may contain blanks, but not ` -`.
    pub name: String,
    /// What values it takes, and the one it has.
    pub kind: OptionKind,
}

/// The values that an option takes, and the one it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
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
        Some(OptionDefinition { name: name.to_owned(), kind: OptionKind::parse(kind, value.trim())? })
    }
}

impl OptionKind {
    /// A kind that does as well and that older GUIs know, too; `None` if this is one.
    pub fn simpler(&self) -> Option<OptionKind> {
        match self {
            OptionKind::Slider { value, min, max } => {
                Some(OptionKind::Spin { value: *value, min: *min, max: *max })
            }
            OptionKind::File(text) | OptionKind::Path(text) => Some(OptionKind::Text(text.clone())),
            OptionKind::Combo { choices, current } => {
                Some(OptionKind::Text(choices.get(*current).cloned().unwrap_or_default()))
            }
            OptionKind::Reset | OptionKind::Save => Some(OptionKind::Button),
            OptionKind::Check(_) | OptionKind::Spin { .. } | OptionKind::Text(_) | OptionKind::Button => None,
        }
    }

    fn parse(kind: &str, value: &str) -> Option<OptionKind> {
        Some(match kind {
            "check" => OptionKind::Check(value.parse::<i64>().ok()? != 0),
            "spin" => {
                let (value, min, max) = three_numbers(value)?;
                OptionKind::Spin { value, min, max }
            }
            // The specification writes it both ways.
            "slider" | "slide" => {
                let (value, min, max) = three_numbers(value)?;
                OptionKind::Slider { value, min, max }
            }
            "string" => OptionKind::Text(value.to_owned()),
            "file" => OptionKind::File(value.to_owned()),
            "path" => OptionKind::Path(value.to_owned()),
            "combo" => OptionKind::parse_combo(value),
            "button" => OptionKind::Button,
            "reset" => OptionKind::Reset,
            "save" => OptionKind::Save,
            _ => return None,
        })
    }

    fn parse_combo(value: &str) -> OptionKind {
        let mut current = 0;
        let mut choices = Vec::new();
        for (index, choice) in value.split("///").map(str::trim).enumerate() {
            let marked = choice.strip_prefix('*');
            if marked.is_some() {
                current = index;
            }
            choices.push(marked.unwrap_or(choice).to_owned());
        }
        OptionKind::Combo { choices, current }
    }
}

fn three_numbers(text: &str) -> Option<(i64, i64, i64)> {
    let mut numbers = text.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(value)), Some(Ok(min)), Some(Ok(max))) => Some((value, min, max)),
        _ => None,
    }
}

impl fmt::Display for OptionDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -{}", self.name, self.kind)
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Check(on) => write!(f, "check {}", u8::from(*on)),
            OptionKind::Spin { value, min, max } => write!(f, "spin {value} {min} {max}"),
            OptionKind::Slider { value, min, max } => write!(f, "slider {value} {min} {max}"),
            OptionKind::Text(text) => write!(f, "string {text}"),
            OptionKind::File(text) => write!(f, "file {text}"),
            OptionKind::Path(text) => write!(f, "path {text}"),
            OptionKind::Combo { choices, current } => {
                let marked: Vec<String> = choices
                    .iter()
                    .enumerate()
                    .map(|(index, choice)| format!("{}{choice}", if index == *current { "*" } else { "" }))
                    .collect();
                write!(f, "combo {}", marked.join(CHOICE_SEPARATOR))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::Reset => f.write_str("reset"),
            OptionKind::Save => f.write_str("save"),
        }
    }
}
