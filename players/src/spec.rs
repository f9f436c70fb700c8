//! The specification of a program: command line, protocol and settings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use messages::OptionKind;
use serde::{Deserialize, Serialize};

use crate::{PlayerFault, Protocol, Repair};

/// Command line, protocol and settings of a program. Example in TOML:
///
/// ```toml
/// command = "stockfish"
/// protocol = "uci"
/// options = { Hash = 64, Ponder = false }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spec {
    /// Name to use instead of the one that the program reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Program and arguments: one string, quoted as for a shell, or a list.
    pub command: CommandLine,
    /// Protocol of the program.
    pub protocol: Protocol,
    /// Working directory; a relative path of the program is relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Environment variables, in addition to those of this process.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Options by the program's own names. An unknown name is an error.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, OptionValue>,
    /// Memory for its tables, in MiB; sent if the program supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Number of search threads; sent if the program supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// Number of best lines to report (`MultiPV`); sent to UCI programs that support it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Lines that are sent to it once its options are set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// Known faults of the program that its conversation avoids.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub repairs: BTreeSet<Repair>,
    /// Time limit for the program to get ready, at the start and for each game. In TOML, seconds.
    #[serde(default = "default_patience", with = "seconds")]
    pub patience: Duration,
    /// Time limit for the program to end before it is killed. In TOML, seconds.
    #[serde(default = "default_grace", with = "seconds")]
    pub grace: Duration,
}

impl Spec {
    /// A program with default settings.
    pub fn new(command: CommandLine, protocol: Protocol) -> Spec {
        Spec {
            name: None,
            command,
            protocol,
            directory: None,
            environment: BTreeMap::new(),
            options: BTreeMap::new(),
            memory: None,
            threads: None,
            lines: None,
            init: Vec::new(),
            repairs: BTreeSet::new(),
            patience: default_patience(),
            grace: default_grace(),
        }
    }
}

/// XBoard's time limit for features.
const fn default_patience() -> Duration {
    Duration::from_secs(10)
}

const fn default_grace() -> Duration {
    Duration::from_secs(2)
}

/// A program and its arguments: at least one word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "CommandText")]
pub struct CommandLine(Vec<String>);

/// Forms of a command line in a file.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a command line, or a list of its words")]
enum CommandText {
    Line(String),
    List(Vec<String>),
}

/// Error of parsing a command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// There is no program.
    #[error("a command line begins with a program, but this one is empty")]
    Empty,
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed in the command line: {0}")]
    Quotation(String),
}

impl CommandLine {
    /// Builds a command line from words, the first of which is the program.
    ///
    /// # Errors
    /// There is no program, or it is the empty string.
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Result<CommandLine, CommandLineError> {
        let words: Vec<String> = words.into_iter().collect();
        let has_program = words.first().is_some_and(|program| !program.is_empty());
        if has_program { Ok(CommandLine(words)) } else { Err(CommandLineError::Empty) }
    }

    /// Path of the program, or a name that is looked up in `PATH`.
    pub fn program(&self) -> &str {
        &self.0[0]
    }

    /// Arguments of the program.
    pub fn arguments(&self) -> &[String] {
        &self.0[1..]
    }

    /// File name of the program: the fallback for its name.
    pub fn file_name(&self) -> &str {
        Path::new(self.program()).file_name().and_then(|name| name.to_str()).unwrap_or(self.program())
    }
}

impl FromStr for CommandLine {
    type Err = CommandLineError;

    /// Parses words with the quotation marks and backslashes of a POSIX shell, but without its variables and patterns.
    fn from_str(text: &str) -> Result<CommandLine, CommandLineError> {
        let words = platform::split_words(text).map_err(|_| CommandLineError::Quotation(text.to_owned()))?;
        CommandLine::from_words(words)
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shell_words::join(&self.0))
    }
}

impl TryFrom<CommandText> for CommandLine {
    type Error = CommandLineError;

    fn try_from(words: CommandText) -> Result<CommandLine, CommandLineError> {
        match words {
            CommandText::Line(line) => line.parse(),
            CommandText::List(words) => CommandLine::from_words(words),
        }
    }
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// A switch.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Anything else; an empty text presses a button.
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Bool(on) => on.fmt(f),
            OptionValue::Int(number) => number.fmt(f),
            OptionValue::Text(text) => f.write_str(text),
        }
    }
}

/// Durations as seconds with decimals.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(duration.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        Duration::try_from_secs_f64(seconds).map_err(|_| D::Error::custom("expected seconds, 0 or more"))
    }
}

/// Converts a value to the text that the protocol sends, with its words for off and on; `None` presses a button.
///
/// # Errors
/// [`PlayerFault::Start`]: the value is invalid.
pub(crate) fn option_setting(
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
pub(crate) fn unknown_option<'a>(name: &str, offered: impl Iterator<Item = &'a str>) -> PlayerFault {
    let offered: Vec<&str> = offered.collect();
    let offered = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
    PlayerFault::Start(format!("there is no option {name}; available options: {offered}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_toml_and_back() {
        let text = "
        name = 'Fish'
        command = 'stockfish \"two words\" x\\ y'
        protocol = 'uci'
        directory = '/tmp'
        patience = 2
        memory = 64
        options = { Hash = 16, Ponder = true, SyzygyPath = '/a;b' }
        environment = { OMP_NUM_THREADS = '1' }
    ";
        let spec: Spec = toml::from_str(text).unwrap();
        assert_eq!(spec.command.program(), "stockfish");
        assert_eq!(spec.command.arguments(), ["two words", "x y"]);
        assert_eq!((spec.patience, spec.grace), (Duration::from_secs(2), default_grace()));
        assert_eq!(spec.options["Ponder"], OptionValue::Bool(true));
        assert_eq!(toml::from_str::<Spec>(&toml::to_string(&spec).unwrap()).unwrap(), spec);

        let short: Spec = toml::from_str("command = ['a b', 'c']\nprotocol = 'cego'").unwrap();
        let words = CommandLine::from_words(["a b", "c"].map(String::from)).unwrap();
        assert_eq!(short, Spec::new(words, Protocol::Cego));
    }

    #[test]
    fn errors_say_what_was_expected() {
        let error = |text: &str| toml::from_str::<Spec>(text).unwrap_err().to_string();
        assert!(
            error("command = 'x'\nprotocol = 'usi'")
                .contains("expected one of `cecp`, `uci`, `cego`, `autoplayer`")
        );
        assert!(error("command = ''\nprotocol = 'uci'").contains("begins with a program"));
        assert!(error("command = 3\nprotocol = 'uci'").contains("a command line, or a list of its words"));
        assert!(error("command = '\"x'\nprotocol = 'uci'").contains("not closed"));
        assert!(error("command = 'x'\nprotocol = 'uci'\npatience = -1").contains("0 or more"));
        assert!(error("command = 'x'\nprotocol = 'uci'\ncolour = 1").contains("unknown field `colour`"));
    }

    #[test]
    fn a_command_line_is_shown_as_it_is_read() {
        let line: CommandLine = "/opt/engine --hash 3 'a b'".parse().unwrap();
        assert_eq!(line.to_string(), "/opt/engine --hash 3 'a b'");
        assert_eq!(line.file_name(), "engine");
    }

    #[test]
    fn values_are_held_against_what_is_offered() {
        let setting =
            |name, kind: &OptionKind, value: &OptionValue| option_setting(name, kind, ["no", "yes"], value);
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
            unknown_option("Hsah", ["Hash", "Ponder"].into_iter())
                .to_string()
                .contains("options: Hash, Ponder")
        );
    }
}
