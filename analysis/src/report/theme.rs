//! Themes of problems: what a suite is divided by.

use std::collections::HashMap;
use std::str::FromStr;

use game::epd::is_opcode;
use messages::epd::Record;
use regex::Regex;

/// From what the theme of a problem is read.
#[derive(Clone, Debug, Default)]
pub enum ThemeRule {
    /// From `id`, by the part that divides the suite best.
    #[default]
    Auto,
    /// All problems have one theme.
    None,
    /// The `id` without the number of the problem.
    Id,
    /// The opcodes that tell the kind of the problem: `bm`, `am`, `dm` and so on.
    Opcodes,
    /// The operands of an operation.
    Field(String),
    /// The first group of a regular expression, or what it matches if it has none, in the operands of an operation.
    Pattern(String, Regex),
}

/// A theme rule that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// It names no opcode.
    #[error("expected auto, none, id, opcodes, an opcode, /REGEX/ or OPCODE/REGEX/")]
    Opcode,
    /// The regular expression is invalid.
    #[error("{0}")]
    Pattern(#[from] regex::Error),
}

impl FromStr for ThemeRule {
    type Err = ThemeError;

    fn from_str(text: &str) -> Result<ThemeRule, ThemeError> {
        let opcode = |opcode: &str| is_opcode(opcode).then(|| opcode.to_owned()).ok_or(ThemeError::Opcode);
        match (text, text.split_once('/')) {
            ("auto", _) => Ok(ThemeRule::Auto),
            ("none", _) => Ok(ThemeRule::None),
            ("id", _) => Ok(ThemeRule::Id),
            ("opcodes", _) => Ok(ThemeRule::Opcodes),
            (_, None) => Ok(ThemeRule::Field(opcode(text)?)),
            (_, Some((field, pattern))) => {
                let pattern = Regex::new(pattern.strip_suffix('/').ok_or(ThemeError::Opcode)?)?;
                Ok(ThemeRule::Pattern(opcode(if field.is_empty() { "id" } else { field })?, pattern))
            }
        }
    }
}

impl ThemeRule {
    /// The theme of a record, or for [`ThemeRule::Auto`] its `id`.
    pub(super) fn read(&self, record: &Record<'_>) -> String {
        match self {
            ThemeRule::Auto => operands(record, "id"),
            ThemeRule::None => String::new(),
            ThemeRule::Id => without_number(&operands(record, "id")),
            ThemeRule::Opcodes => {
                let has = |opcode: &&str| record.get(opcode).is_some();
                ["am", "bm", "dm"].into_iter().filter(has).collect::<Vec<_>>().join(" ")
            }
            ThemeRule::Field(opcode) => operands(record, opcode),
            ThemeRule::Pattern(opcode, pattern) => {
                let text = operands(record, opcode);
                let found = pattern.captures(&text);
                let group = found.and_then(|found| found.get(1).or_else(|| found.get(0)));
                group.map(|group| group.as_str().to_owned()).unwrap_or_default()
            }
        }
    }
}

/// The operands of an operation as text, without the quotation marks of a single string; empty if there is no such operation.
fn operands(record: &Record<'_>, opcode: &str) -> String {
    if opcode == "id" {
        return record.id().map(ToString::to_string).unwrap_or_default();
    }
    let Some(operation) = record.get(opcode) else { return String::new() };
    let mut alone = Record::new(record.position.clone());
    let fields = alone.to_string().len();
    alone.set(operation.clone());
    let text = alone.to_string();
    let text = text[fields..].trim_start().trim_start_matches(opcode).trim_end_matches(';').trim();
    let string = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    string.filter(|string| !string.contains('"')).unwrap_or(text).to_owned()
}

/// How the theme is read from an `id`, from the finest division to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdPart {
    /// The `id` without its last number.
    WithoutNumber,
    /// Its words, without any number.
    Words,
    /// Its first word.
    FirstWord,
    /// Nothing: there is one theme.
    Nothing,
}

impl IdPart {
    /// The theme of an `id`.
    pub(super) fn of(self, id: &str) -> String {
        match self {
            IdPart::WithoutNumber => without_number(id),
            IdPart::Words => {
                let mut words = id.to_owned();
                while number(&words).is_some() {
                    words = without_number(&words);
                }
                words
            }
            IdPart::FirstWord => id
                .split(|c: char| !c.is_alphabetic() && c != '_')
                .find(|word| !word.is_empty())
                .unwrap_or_default()
                .to_owned(),
            IdPart::Nothing => String::new(),
        }
    }
}

/// Finds the part of the `id` that divides a suite best: the first one by which two thirds of the problems, or more, are in themes of
/// three or more.
#[derive(Debug, Default)]
pub(super) struct IdPartChooser {
    problems: u64,
    /// The sizes of themes by their names, for each candidate.
    themes: [HashMap<String, u64>; 3],
}

impl IdPartChooser {
    const CANDIDATES: [IdPart; 3] = [IdPart::WithoutNumber, IdPart::Words, IdPart::FirstWord];

    /// A division into more themes is no help to a reader, and needs memory.
    const MOST_THEMES: usize = 1000;

    pub(super) fn add(&mut self, id: &str) {
        self.problems += 1;
        for (part, themes) in IdPartChooser::CANDIDATES.iter().zip(&mut self.themes) {
            if themes.len() <= IdPartChooser::MOST_THEMES {
                *themes.entry(part.of(id)).or_default() += 1;
            }
        }
    }

    pub(super) fn choose(&self) -> IdPart {
        let divides = |themes: &HashMap<String, u64>| {
            let grouped: u64 = themes.values().filter(|size| **size >= 3).sum();
            themes.len() == 1
                || (themes.len() <= IdPartChooser::MOST_THEMES && 3 * grouped >= 2 * self.problems)
        };
        let candidates = IdPartChooser::CANDIDATES.into_iter().zip(&self.themes);
        candidates.into_iter().find(|(_, themes)| divides(themes)).map_or(IdPart::Nothing, |(part, _)| part)
    }
}

/// The name without the number of the problem: of `STS(v1.0) Undermine.001` it is `STS(v1.0) Undermine`, of
/// `E_E_T 001 - B vs B` it is `E_E_T - B vs B`. The number is the last group of digits, with one letter behind it or none, that is no
/// part of a word or of another number. A name without a number stays.
fn without_number(id: &str) -> String {
    let Some((begin, end)) = number(id) else { return id.to_owned() };
    let before = id[..begin].trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
    let after = id[end..].trim();
    match (before, after) {
        (before, "") => before.to_owned(),
        ("", after) => after.trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned(),
        (before, after) => format!("{before} {after}"),
    }
}

/// Begin and end of the number.
fn number(id: &str) -> Option<(usize, usize)> {
    let mut end = id.len();
    // Groups of adjacent letters and digits.
    for group in id.rsplit(|c: char| !c.is_alphanumeric()) {
        let begin = end - group.len();
        let digits = group.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && group.len() <= digits.len() + 1
        {
            return Some((begin, end));
        }
        end = id[..begin].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use messages::epd::RecordReader;

    #[test]
    fn the_number_is_taken_out_of_a_name() {
        for (id, theme) in [
            ("WAC.001", "WAC"),
            ("BK.24", "BK"),
            ("STS(v1.0) Undermine.001", "STS(v1.0) Undermine"),
            ("STS(v11.0) Activity of King.100", "STS(v11.0) Activity of King"),
            ("E_E_T 001 - B vs B", "E_E_T - B vs B"),
            ("E_E_T 70b - D vs T&L&B", "E_E_T - D vs T&L&B"),
            ("arasan2024.1", "arasan2024"),
            ("7: pins", "pins"),
            ("12", ""),
            ("Lasker", "Lasker"),
            ("", ""),
            ("ééé 3 ü", "ééé ü"),
        ] {
            assert_eq!(without_number(id), theme, "{id}");
        }
        assert_eq!(IdPart::Words.of("1.5.IQ.918"), "IQ");
        assert_eq!(IdPart::FirstWord.of("1.5.IQ.918"), "IQ");
        assert_eq!(IdPart::FirstWord.of("E_E_T 70b - D vs T&L&B"), "E_E_T");
    }

    fn chosen(ids: impl IntoIterator<Item = String>) -> IdPart {
        let mut chooser = IdPartChooser::default();
        ids.into_iter().for_each(|id| chooser.add(&id));
        chooser.choose()
    }

    #[test]
    fn the_part_that_groups_problems_is_chosen() {
        // The number of the problem, of the game and of the source change with each problem.
        assert_eq!(chosen((1..=180).map(|n| format!("{n}.{}.IQ.{}", n % 7, 900 + n))), IdPart::Words);
        assert_eq!(chosen((1..=300).map(|n| format!("WAC.{n:03}"))), IdPart::WithoutNumber);
        assert_eq!(
            chosen((0..90).map(|n| format!("{}.{n}", ["pin", "fork", "skewer"][n % 3]))),
            IdPart::WithoutNumber
        );
        assert_eq!(
            chosen((0..90).map(|n| ["pin", "fork", "skewer"][n % 3].to_owned())),
            IdPart::WithoutNumber
        );
        assert_eq!(chosen((0..90).map(|n| format!("{n}.pin.{}.7", 2 * n))), IdPart::Words);
        assert_eq!(
            chosen((0..90).map(|n| format!("{} {n} by player {n:c<9}", ["Pin", "Fork"][n % 2]))),
            IdPart::FirstWord
        );
        let names = |n: u8| format!("{}{}", char::from(b'a' + n % 26), char::from(b'a' + n / 26));
        assert_eq!(chosen((0..90).map(names)), IdPart::Nothing, "each name is one of its own");
        assert_eq!(
            chosen((0..2000).map(|n| format!("theme{} x{}", n / 2, "y".repeat(n / 9)))),
            IdPart::FirstWord
        );
    }

    fn theme(rule: &str, operations: &str) -> String {
        let text = format!("8/8/8/8/8/8/8/K1k5 w - - {operations}");
        let record = RecordReader::default().read(&text, 1).record.expect("a record");
        rule.parse::<ThemeRule>().expect("a rule").read(&record)
    }

    #[test]
    fn a_theme_comes_from_where_the_user_says() {
        let record = r#"am Ka2; c3 "pins and forks"; ce 12; dm 3; id "1.5.IQ.918"; Motif a b;"#;
        for (rule, expected) in [
            ("auto", "1.5.IQ.918"),
            ("none", ""),
            ("id", "1.5.IQ"),
            ("opcodes", "am dm"),
            ("c3", "pins and forks"),
            ("c4", ""),
            ("ce", "12"),
            ("Motif", "a b"),
            ("/[A-Z]+/", "IQ"),
            (r"/^(\d+)\./", "1"),
            ("/x/", ""),
            (r"c3/(\w+)$/", "forks"),
        ] {
            assert_eq!(theme(rule, record), expected, "{rule}");
        }
        for wrong in ["", "3", "/(/", "/a", "a b", "a b/x/", "c3/"] {
            assert!(wrong.parse::<ThemeRule>().is_err(), "{wrong}");
        }
    }
}
