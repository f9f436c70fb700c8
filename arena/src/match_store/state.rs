//! The state: its header with the settings, its lines, and how a match is resumed from it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::append_file::{AppendFile, LONGEST_LINE, StateLines};
use super::outputs::MatchOutputs;
use super::{GameEntry, StoreError};

/// Beginning of the first line of a state file.
pub(super) const SIGNATURE: &str = r#"{"herald":"match","version":1,"#;

#[derive(Serialize, Deserialize)]
struct StateHeader {
    herald: String,
    version: u32,
    settings: Value,
    /// Lengths of the files of games and of positions before the first game, in bytes.
    pgn_begin: u64,
    #[serde(default)]
    epd_begin: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct StateLine {
    #[serde(flatten)]
    pub(super) entry: GameEntry,
    /// Lengths of the files of games and of positions after this game, in bytes.
    pub(super) pgn_end: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) epd_end: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(length: &u64) -> bool {
    *length == 0
}

/// Returns the settings of the match that a file contains, if there is one.
pub(super) fn settings(path: &Path) -> Option<Value> {
    if !path.is_file() {
        return None;
    }
    let mut header = String::new();
    BufReader::new(File::open(path).ok()?).take(LONGEST_LINE).read_line(&mut header).ok()?;
    let header: StateHeader = serde_json::from_str(&header).ok()?;
    Some(header.settings)
}

/// Reads the stored match, or begins a new one. Changes nothing before all checks have passed.
pub(super) fn resume(
    state: &mut AppendFile,
    outputs: &mut MatchOutputs,
    settings: &Value,
    growing: &[&str],
    mut restore: impl FnMut(GameEntry) -> Result<(), String>,
) -> Result<(), StoreError> {
    let mut lines = StateLines::of(state);
    let Some(header) = lines.next()? else {
        let torn = lines.torn;
        outputs.check_kinds()?;
        return begin(state, &torn, settings, outputs.ends());
    };
    if !header.starts_with(SIGNATURE) {
        return Err(StoreError::Foreign(state.path.clone()));
    }
    let mut header: StateHeader =
        serde_json::from_str(&header).map_err(|error| lines.damaged(&error.to_string()))?;
    let mut settings = settings.clone();
    adapt(&mut header.settings, &mut settings, growing);
    if let Some((setting, before, now)) = difference("", &header.settings, &settings) {
        return Err(StoreError::OtherSettings { path: state.path.clone(), setting, before, now });
    }
    let mut ends = [header.pgn_begin, header.epd_begin];
    while let Some(line) = lines.next()? {
        let line: StateLine =
            serde_json::from_str(&line).map_err(|error| lines.damaged(&error.to_string()))?;
        restore(line.entry).map_err(|reason| lines.damaged(&reason))?;
        ends = [line.pgn_end, line.epd_end];
    }
    // A line without an end announces what was being written when the program was killed.
    let begun: Option<StateLine> = serde_json::from_slice(&lines.torn).ok();
    let most = begun.map_or(ends, |line| [line.pgn_end, line.epd_end]);
    let complete = lines.complete;
    outputs.check_lengths(ends, most)?;
    outputs.cut(ends);
    state.cut(complete);
    Ok(())
}

/// Makes the stored settings comparable with those of now: numbers at the places `growing` may be larger now, and older versions wrote
/// other things.
fn adapt(stored: &mut Value, settings: &mut Value, growing: &[&str]) {
    for place in growing {
        let now = settings.pointer(place);
        if let Some(before) = stored.pointer_mut(place).filter(|before| is_less(before, now)) {
            *before = now.cloned().unwrap_or_default();
        }
    }
    // Older states do not know the checksum.
    if stored.pointer("/openings/checksum").is_none()
        && let Some(Value::Object(openings)) = settings.get_mut("openings")
    {
        openings.remove("checksum");
    }
    // In older states a name that the user gave stands in a second place.
    let engines = stored.get_mut("engines").and_then(Value::as_array_mut);
    for engine in engines.into_iter().flatten() {
        if let Some(Value::Object(spec)) = engine.get_mut("spec") {
            spec.remove("name");
        }
    }
}

fn is_less(before: &Value, now: Option<&Value>) -> bool {
    before.as_u64().zip(now.and_then(Value::as_u64)).is_some_and(|(before, now)| before < now)
}

/// Begins a match in a file that is empty or contains the beginning of this match's first line.
fn begin(
    state: &mut AppendFile,
    torn: &[u8],
    settings: &Value,
    [pgn_begin, epd_begin]: [u64; 2],
) -> Result<(), StoreError> {
    let (herald, settings) = ("match".to_owned(), settings.clone());
    let header = json_line(&StateHeader { herald, version: 1, settings, pgn_begin, epd_begin });
    if !header.as_bytes().starts_with(torn) {
        return Err(StoreError::Foreign(state.path.clone()));
    }
    state.cut(0);
    state.append(header.as_bytes())
}

pub(super) fn json_line(value: &impl Serialize) -> String {
    // Serialisation cannot fail: the records contain no maps with keys other than strings.
    let mut line = serde_json::to_string(value).expect("a record can be written in JSON");
    line.push('\n');
    line
}

/// Returns the name of the first setting that differs, and both values.
fn difference(place: &str, before: &Value, now: &Value) -> Option<(String, String, String)> {
    let join = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match (before, now) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let value = |map: &serde_json::Map<String, Value>, key| map.get(key).cloned().unwrap_or_default();
            keys.into_iter().find_map(|key| difference(&join(key), &value(a, key), &value(b, key)))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let places = a.iter().zip(b).enumerate();
            places.into_iter().find_map(|(i, (a, b))| difference(&join(&(i + 1).to_string()), a, b))
        }
        _ => (before != now).then(|| (place.to_owned(), before.to_string(), now.to_string())),
    }
}
