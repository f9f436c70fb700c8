//! The files of a match on disk, from which an interrupted match is resumed.
//!
//! The state is a file of JSON lines: the settings first, then a line for each game in the order in which they ended. A
//! game counts as soon as its line is complete. Its PGN and the EPD of its last position are written just before, and the
//! line contains the lengths of those files after the game. Anything behind them belongs to a game that does not count and
//! is cut off when the match is resumed. A game is therefore in one file if and only if it is in the others, at whatever
//! byte the program was killed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use game::{Color, Outcome, counted, pgn_gap};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schedule::Fixture;
use crate::statistics::Points;

/// A finished game, as stored in the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Fixture of the game.
    #[serde(flatten)]
    pub fixture: Fixture,
    /// Outcome of the game.
    #[serde(flatten)]
    pub outcome: RecordedOutcome,
    /// Details that the outcome does not contain, such as the text of an illegal move; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Number of plies played, without those of the opening.
    pub plies: u32,
    /// Duration of the game, in seconds.
    pub seconds: f64,
    /// Whether the game was lost on time by no more than the lag of the referee.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
}

/// An outcome that is serialised as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "OutcomeText", into = "OutcomeText")]
pub struct RecordedOutcome(pub Outcome);

#[derive(Serialize, Deserialize)]
struct OutcomeText {
    result: String,
    reason: String,
}

impl From<RecordedOutcome> for OutcomeText {
    fn from(RecordedOutcome(outcome): RecordedOutcome) -> OutcomeText {
        OutcomeText { result: outcome.result().to_owned(), reason: outcome.to_string() }
    }
}

impl TryFrom<OutcomeText> for RecordedOutcome {
    type Error = String;

    fn try_from(words: OutcomeText) -> Result<RecordedOutcome, String> {
        let is_meant = |o: &Outcome| o.result() == words.result && o.to_string() == words.reason;
        let outcome = Outcome::all().find(is_meant).map(RecordedOutcome);
        outcome.ok_or_else(|| format!("`{} {}` is no outcome of a game", words.result, words.reason))
    }
}

impl GameEntry {
    /// Returns White's points.
    pub fn white_points(&self) -> Points {
        Points::of(self.outcome.0, Color::White)
    }
}

/// An error of the files of a match.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system reports an error.
    #[error("{path} cannot be {action}: {error}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The failed action: `opened`, `read`, `written`.
        action: &'static str,
        /// Error reported by the operating system.
        error: io::Error,
    },
    /// Another match is using the file.
    #[error("{0} is in use by another match")]
    InUse(PathBuf),
    /// The file is no state of a match and is not overwritten.
    #[error("{0} is not the state of a match; name a new file, or one that a match has written")]
    Foreign(PathBuf),
    /// The file for games or positions has something else and is not appended to.
    #[error("{path} has no {kind} at its beginning; name a new file, or one of {kind}")]
    OtherKind {
        /// Path of the file.
        path: PathBuf,
        /// What was expected.
        kind: &'static str,
    },
    /// A line of the state is damaged.
    #[error("{path}, line {line}: {reason}; the match cannot go on from this state")]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong with the line.
        reason: String,
    },
    /// The match was begun with other settings.
    #[error(
        "{path} belongs to a match with other settings: {setting} was {before}, now {now}; \
         use the same settings, or another state file"
    )]
    OtherSettings {
        /// Path of the file.
        path: PathBuf,
        /// Name of the first setting that differs.
        setting: String,
        /// Value with which the match was begun.
        before: String,
        /// Present value.
        now: String,
    },
    /// The file of games or positions was modified since the match wrote it.
    #[error("{path} is not as the match left it ({reason}); put it back, or begin anew with other files")]
    ChangedOutput {
        /// Path of the file.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
}

/// Beginning of the first line of a state file.
const SIGNATURE: &str = r#"{"herald":"match","version":1,"#;

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
struct StateLine {
    #[serde(flatten)]
    entry: GameEntry,
    /// Lengths of the files of games and of positions after this game, in bytes.
    pgn_end: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    epd_end: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(length: &u64) -> bool {
    *length == 0
}

/// The paths of the files of a match, each of which may be absent.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatchFiles<'a> {
    /// The state, from which a match is resumed.
    pub state: Option<&'a Path>,
    /// The games.
    pub pgn: Option<&'a Path>,
    /// The last positions of the games, a line each.
    pub epd: Option<&'a Path>,
}

/// The open files of a match.
#[derive(Debug)]
pub struct MatchStore {
    state: Option<AppendFile>,
    outputs: MatchOutputs,
}

/// The files that a match writes for others.
#[derive(Debug)]
struct MatchOutputs {
    pgn: Option<MatchOutput>,
    epd: Option<MatchOutput>,
}

/// A file of games or of positions.
#[derive(Debug)]
struct MatchOutput {
    file: AppendFile,
    kind: MatchOutputKind,
    /// What comes before the next record, so that it does not join one that was there.
    gap: &'static str,
}

/// Number of bytes of a file in which its kind is looked for.
const BEGINNING: u64 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchOutputKind {
    Games,
    Positions,
}

impl MatchStore {
    /// Opens or creates the files and locks them. `settings` contains the settings that must be the same in a resumed
    /// match, except for numbers at the places `growing` (as in `/schedule/games`), which may be larger. `restore` is called for each stored game, in the order in which they ended, and may refuse one with a
    /// reason.
    ///
    /// # Errors
    /// A file cannot be used, is in use, was made by another program or with other settings, or is damaged. The files
    /// are unchanged then.
    pub fn open(
        files: MatchFiles<'_>,
        settings: &Value,
        growing: &[&str],
        restore: impl FnMut(GameEntry) -> Result<(), String>,
    ) -> Result<MatchStore, StoreError> {
        let mut state = files.state.map(AppendFile::open).transpose()?;
        let open = |path: Option<&Path>, kind| path.map(|path| MatchOutput::open(path, kind)).transpose();
        let pgn = open(files.pgn, MatchOutputKind::Games)?;
        let epd = open(files.epd, MatchOutputKind::Positions)?;
        let mut outputs = MatchOutputs { pgn, epd };
        match &mut state {
            Some(state) => resume(state, &mut outputs, settings, growing, restore)?,
            None => outputs.check_kinds()?,
        }
        for output in outputs.all() {
            output.find_gap()?;
        }
        Ok(MatchStore { state, outputs })
    }

    /// Appends a game with its PGN and the EPD of its last position. When this returns, the game survives the death of
    /// the process.
    ///
    /// # Errors
    /// A file cannot be written. The game is then in no file; earlier games are kept.
    pub fn append(&mut self, entry: &GameEntry, pgn: &str, epd: &str) -> Result<(), StoreError> {
        let before = self.outputs.ends();
        let written = self.outputs.append(pgn, epd).and_then(|()| {
            let [pgn_end, epd_end] = self.outputs.ends();
            match &mut self.state {
                None => Ok(()),
                Some(state) => {
                    state.append(json_line(&StateLine { entry: entry.clone(), pgn_end, epd_end }).as_bytes())
                }
            }
        });
        match written {
            Ok(()) => self.outputs.all().for_each(|output| output.gap = ""),
            Err(_) => self.outputs.cut(before),
        }
        written
    }
}

impl MatchOutputs {
    fn all(&mut self) -> impl Iterator<Item = &mut MatchOutput> {
        self.pgn.iter_mut().chain(&mut self.epd)
    }

    /// Returns the lengths of both files, 0 for one that is absent.
    fn ends(&self) -> [u64; 2] {
        [&self.pgn, &self.epd].map(|output| output.as_ref().map_or(0, |output| output.file.length))
    }

    fn append(&mut self, pgn: &str, epd: &str) -> Result<(), StoreError> {
        for (output, text) in [(&mut self.pgn, pgn), (&mut self.epd, epd)] {
            if let Some(MatchOutput { file, gap, .. }) = output {
                file.append(format!("{gap}{text}").as_bytes())?;
            }
        }
        Ok(())
    }

    /// Checks that the files are what a new match may append to.
    fn check_kinds(&mut self) -> Result<(), StoreError> {
        self.all().try_for_each(|output| output.check_kind())
    }

    /// Checks that nothing was added behind these lengths by others.
    fn check_tails(&mut self, ends: [u64; 2]) -> Result<(), StoreError> {
        let outputs = [&mut self.pgn, &mut self.epd].into_iter().zip(ends);
        outputs
            .filter_map(|(output, end)| Some((output.as_mut()?, end)))
            .try_for_each(|(output, end)| output.check_tail(end))
    }

    fn cut(&mut self, ends: [u64; 2]) {
        for (output, end) in [&mut self.pgn, &mut self.epd].into_iter().zip(ends) {
            if let Some(output) = output {
                output.file.cut(end);
            }
        }
    }
}

impl MatchOutput {
    fn open(path: &Path, kind: MatchOutputKind) -> Result<MatchOutput, StoreError> {
        Ok(MatchOutput { file: AppendFile::open(path)?, kind, gap: "" })
    }

    /// Checks that what the file begins with is of its kind.
    fn check_kind(&self) -> Result<(), StoreError> {
        let AppendFile { path, file, length } = &self.file;
        // A device has no length.
        if *length == 0 {
            return Ok(());
        }
        let failed = |error| StoreError::Io { path: path.clone(), action: "read", error };
        let mut start = file;
        let mut bytes = Vec::new();
        start.rewind().and_then(|()| start.take(BEGINNING).read_to_end(&mut bytes)).map_err(failed)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
        let is_own = match self.kind {
            // Tags, comments, or moves without any tags.
            MatchOutputKind::Games => {
                bytes.starts_with(b"1.") || bytes.first().is_some_and(|first| b"[%;{".contains(first))
            }
            // Placement and side to move.
            MatchOutputKind::Positions => {
                let mut fields = bytes.split(u8::is_ascii_whitespace);
                let is_placement = fields.next().is_some_and(|placement| placement.contains(&b'/'));
                is_placement && matches!(fields.next(), Some(b"w" | b"b")) || bytes.starts_with(b"#")
            }
        };
        if bytes.is_empty() || is_own {
            return Ok(());
        }
        let kind = if self.kind == MatchOutputKind::Games { "games in PGN" } else { "positions in EPD" };
        Err(StoreError::OtherKind { path: path.clone(), kind })
    }

    fn find_gap(&mut self) -> Result<(), StoreError> {
        let AppendFile { path, file, length } = &self.file;
        let failed = |error| StoreError::Io { path: path.clone(), action: "read", error };
        self.gap = match self.kind {
            _ if *length == 0 => "",
            MatchOutputKind::Games => pgn_gap(&mut &*file).map_err(failed)?,
            MatchOutputKind::Positions => {
                let mut last = [0];
                let mut file = file;
                file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(failed)?;
                if last == *b"\n" { "" } else { "\n" }
            }
        };
        Ok(())
    }

    /// Checks that the file contains nothing behind `end` except a game, or a position, that was being written when the
    /// program was killed.
    fn check_tail(&mut self, end: u64) -> Result<(), StoreError> {
        let AppendFile { path, file, length } = &self.file;
        let changed = |reason: String| StoreError::ChangedOutput { path: path.clone(), reason };
        if *length < end {
            return Err(changed(format!("it has {} of {end}", counted(*length, "byte"))));
        }
        let failed = |error| StoreError::Io { path: path.clone(), action: "read", error };
        let mut tail = file;
        tail.seek(SeekFrom::Start(end)).map_err(failed)?;
        let mut records = 0;
        for line in BufReader::new(tail).split(b'\n') {
            let line = line.map_err(failed)?;
            records += usize::from(match self.kind {
                MatchOutputKind::Games => line.starts_with(b"[Event "),
                MatchOutputKind::Positions => !line.is_empty(),
            });
            if records > 1 {
                return Err(changed("games were added to it".to_owned()));
            }
        }
        Ok(())
    }
}

/// Reads the stored match, or begins a new one. Changes nothing before all checks have passed.
fn resume(
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
    for place in growing {
        let now = settings.pointer(place);
        if let Some(before) = header.settings.pointer_mut(place).filter(|before| is_less(before, now)) {
            *before = now.cloned().unwrap_or_default();
        }
    }
    if let Some((setting, before, now)) = difference("", &header.settings, settings) {
        return Err(StoreError::OtherSettings { path: state.path.clone(), setting, before, now });
    }
    let mut ends = [header.pgn_begin, header.epd_begin];
    while let Some(line) = lines.next()? {
        let line: StateLine =
            serde_json::from_str(&line).map_err(|error| lines.damaged(&error.to_string()))?;
        restore(line.entry).map_err(|reason| lines.damaged(&reason))?;
        ends = [line.pgn_end, line.epd_end];
    }
    let complete = lines.complete;
    outputs.check_tails(ends)?;
    outputs.cut(ends);
    state.cut(complete);
    Ok(())
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

fn json_line(value: &impl Serialize) -> String {
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

/// A file to which complete records are appended.
#[derive(Debug)]
struct AppendFile {
    path: PathBuf,
    file: File,
    /// Length of the valid part, in bytes.
    length: u64,
}

impl AppendFile {
    fn open(path: &Path) -> Result<AppendFile, StoreError> {
        let failed = |error| StoreError::Io { path: path.to_owned(), action: "opened", error };
        let options = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = options.map_err(failed)?;
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => return Err(StoreError::InUse(path.to_owned())),
            // On systems without file locks the user is responsible.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => {}
        }
        let length = file.metadata().map_err(failed)?.len();
        Ok(AppendFile { path: path.to_owned(), file, length })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if let Err(error) = self.file.write_all(bytes) {
            self.cut(self.length);
            return Err(StoreError::Io { path: self.path.clone(), action: "written", error });
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Truncates the file to `length`. If that fails, the next resumption does it.
    fn cut(&mut self, length: u64) {
        let _ = self.file.set_len(length);
        self.length = length;
    }
}

/// A reader of the complete lines of a file.
struct StateLines<'a> {
    path: &'a Path,
    reader: BufReader<&'a File>,
    number: u64,
    /// Number of bytes of the lines read so far.
    complete: u64,
    /// Bytes behind the last complete line.
    torn: Vec<u8>,
}

/// Maximum length of a line, in bytes; enough for the settings of hundreds of programs.
const LONGEST_LINE: u64 = 16 << 20;

impl<'a> StateLines<'a> {
    /// Reads the lines of a file that has just been opened.
    fn of(log: &'a AppendFile) -> StateLines<'a> {
        let reader = BufReader::new(&log.file);
        StateLines { path: &log.path, reader, number: 0, complete: 0, torn: Vec::new() }
    }

    fn next(&mut self) -> Result<Option<String>, StoreError> {
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let failed = |error| StoreError::Io { path: self.path.to_owned(), action: "read", error };
        let read = read.map_err(failed)? as u64;
        if line.last() != Some(&b'\n') {
            self.torn = line;
            return if read == LONGEST_LINE { Err(self.damaged("the line is too long")) } else { Ok(None) };
        }
        line.pop();
        self.number += 1;
        self.complete += read;
        // If the first line is not UTF-8, the file is not a state file.
        String::from_utf8(line).map(Some).map_err(|_| match self.number {
            1 => StoreError::Foreign(self.path.to_owned()),
            _ => self.damaged("this is no text"),
        })
    }

    fn damaged(&self, reason: &str) -> StoreError {
        StoreError::Damaged { path: self.path.to_owned(), line: self.number, reason: reason.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use game::{DrawReason, WinReason};
    use serde_json::json;

    use super::*;

    fn entry(number: u64) -> GameEntry {
        let outcome = match number % 2 {
            0 => Outcome::Win { winner: Color::Black, reason: WinReason::TimeForfeit },
            _ => Outcome::Draw(DrawReason::Agreement),
        };
        GameEntry {
            fixture: Fixture { number, round: 1, white: 0, black: 1, opening: number / 2 },
            outcome: RecordedOutcome(outcome),
            detail: "with \"quotes\" and\nlines".to_owned(),
            plies: 17,
            seconds: 0.25,
            late: number == 2,
        }
    }

    #[test]
    fn files_of_another_kind_are_not_appended_to() {
        let files = Files::new();
        let kept = |pgn: &str, epd: &str| {
            fs::write(&files.pgn, pgn).unwrap();
            fs::write(&files.epd, epd).unwrap();
            let paths = MatchFiles { state: None, pgn: Some(&files.pgn), epd: Some(&files.epd) };
            let opened = MatchStore::open(paths, &json!({}), &[], |_| Ok(()));
            assert_eq!(fs::read_to_string(&files.pgn).unwrap(), pgn);
            opened.map(drop)
        };
        for (pgn, epd) in [("", ""), (&*pgn(1), &*epd(1)), ("\n; old games\n1. e4 *\n", "\n")] {
            assert!(kept(pgn, epd).is_ok(), "{pgn} {epd}");
        }
        for (pgn, epd) in [("#!/bin/sh\n", ""), ("\x7fELF", ""), ("", "[Event \"x\"]\n")] {
            assert!(matches!(kept(pgn, epd), Err(StoreError::OtherKind { .. })), "{pgn} {epd}");
        }
    }

    fn pgn(number: u64) -> String {
        format!("[Event \"{number}\"]\n\n1. e4 *\n\n")
    }

    fn epd(number: u64) -> String {
        format!("4k3/8/8/8/8/8/8/4K3 w - - id \"{number}\";\n")
    }

    struct Files {
        _folder: tempfile::TempDir,
        state: PathBuf,
        pgn: PathBuf,
        epd: PathBuf,
    }

    impl Files {
        fn new() -> Files {
            let folder = tempfile::tempdir().unwrap();
            let [state, pgn, epd] = ["a.state", "a.pgn", "a.epd"].map(|name| folder.path().join(name));
            Files { state, pgn, epd, _folder: folder }
        }

        fn open_with(&self, settings: &Value) -> Result<(MatchStore, Vec<GameEntry>), StoreError> {
            let mut restored = Vec::new();
            let restore = |entry| {
                restored.push(entry);
                Ok(())
            };
            let store = MatchStore::open(self.paths(), settings, &["/schedule/games"], restore)?;
            Ok((store, restored))
        }

        fn paths(&self) -> MatchFiles<'_> {
            MatchFiles { state: Some(&self.state), pgn: Some(&self.pgn), epd: Some(&self.epd) }
        }

        fn open(&self) -> Result<(MatchStore, Vec<GameEntry>), StoreError> {
            self.open_with(&json!({ "games": 2 }))
        }
    }

    #[test]
    fn killed_at_any_byte_no_game_is_lost_or_doubled() {
        let files = Files::new();
        let others = "[Event \"of somebody else\"]\n\n*";
        fs::write(&files.pgn, others).unwrap();
        fs::write(&files.epd, "4k3/8/8/8/8/8/8/4K2R w - -").unwrap();
        // The contents of both files after each write, as a kill would leave them.
        let contents = || [&files.state, &files.pgn, &files.epd].map(|path| fs::read(path).unwrap());
        let mut moments = Vec::new();
        let (mut store, _) = files.open().unwrap();
        for number in 0..3 {
            let mut now = contents();
            store.append(&entry(number), &pgn(number), &epd(number)).unwrap();
            // The files are written one after the other, the state last.
            let after = contents();
            for place in [1, 2, 0] {
                for end in now[place].len()..after[place].len() {
                    now[place] = after[place][..end].to_vec();
                    moments.push((number, now.clone()));
                }
                now[place].clone_from(&after[place]);
            }
        }
        drop(store);
        for (games, [state, text, positions]) in moments {
            fs::write(&files.state, &state).unwrap();
            fs::write(&files.pgn, &text).unwrap();
            fs::write(&files.epd, &positions).unwrap();
            let (mut store, restored) = files.open().unwrap();
            assert_eq!(restored, (0..games).map(entry).collect::<Vec<_>>());
            let gap = |games| if games == 0 { "" } else { "\n\n" };
            let expected =
                |games| (0..games).fold(format!("{others}{}", gap(games)), |text, n| text + &pgn(n));
            assert_eq!(fs::read_to_string(&files.pgn).unwrap(), expected(games));
            store.append(&entry(games), &pgn(games), &epd(games)).unwrap();
            drop(store);
            assert_eq!(fs::read_to_string(&files.pgn).unwrap(), expected(games + 1));
            assert_eq!(fs::read_to_string(&files.epd).unwrap().lines().count() as u64, games + 2);
            assert_eq!(files.open().unwrap().1.len() as u64, games + 1);
        }
    }

    #[test]
    fn a_header_that_was_never_completed_is_no_match_yet() {
        let files = Files::new();
        files.open().unwrap();
        let header = fs::read(&files.state).unwrap();
        for end in 0..header.len() {
            fs::write(&files.state, &header[..end]).unwrap();
            assert!(files.open().unwrap().1.is_empty());
            assert_eq!(fs::read(&files.state).unwrap(), header);
        }
    }

    #[test]
    fn other_settings_are_refused_by_name() {
        let files = Files::new();
        let settings = |hash: u32| json!({ "engines": [{ "name": "A" }, { "options": { "Hash": hash } }] });
        files.open_with(&settings(16)).unwrap();
        let error = files.open_with(&settings(32)).unwrap_err().to_string();
        assert!(error.contains("engines.2.options.Hash was 16, now 32"), "{error}");
        let error = files.open().unwrap_err().to_string();
        assert!(error.contains("engines was [") && error.contains("now null"), "{error}");
    }

    #[test]
    fn a_match_may_become_longer_but_not_shorter() {
        let files = Files::new();
        let settings = |games: u32| json!({ "schedule": { "games": games }, "seed": 1 });
        let (mut store, _) = files.open_with(&settings(2)).unwrap();
        store.append(&entry(0), &pgn(0), &epd(0)).unwrap();
        drop(store);
        assert_eq!(files.open_with(&settings(4)).unwrap().1, [entry(0)]);
        let error = files.open_with(&settings(1)).unwrap_err().to_string();
        assert!(error.contains("schedule.games was 2, now 1"), "{error}");
        let error =
            files.open_with(&json!({ "schedule": { "games": 9 }, "seed": 2 })).unwrap_err().to_string();
        assert!(error.contains("seed was 1, now 2"), "{error}");
    }

    #[test]
    fn foreign_damaged_and_changed_files_are_refused_and_left_alone() {
        let files = Files::new();
        for foreign in ["my diary", "my diary\n", "{}\n", "\u{0}", &format!("{SIGNATURE}\"notes\":1}}")] {
            fs::write(&files.state, foreign).unwrap();
            assert!(matches!(files.open(), Err(StoreError::Foreign(_))), "{foreign}");
            assert_eq!(fs::read_to_string(&files.state).unwrap(), foreign);
        }
        fs::write(&files.state, "").unwrap();
        let (mut store, _) = files.open().unwrap();
        assert!(matches!(files.open(), Err(StoreError::InUse(_))));
        store.append(&entry(0), &pgn(0), &epd(0)).unwrap();
        drop(store);
        let whole = (fs::read_to_string(&files.state).unwrap(), fs::read_to_string(&files.pgn).unwrap());

        fs::write(&files.state, format!("{}{{}}\n", whole.0)).unwrap();
        let error = files.open().unwrap_err().to_string();
        assert!(error.contains("line 3: missing field"), "{error}");
        fs::write(
            &files.state,
            whole.0.replace("Black forfeits", "Nobody forfeits").replace("White forfeits", "x"),
        )
        .unwrap();
        assert!(files.open().unwrap_err().to_string().contains("is no outcome of a game"));
        let only_state = MatchFiles { pgn: None, epd: None, ..files.paths() };
        let refused = MatchStore::open(only_state, &json!({ "games": 2 }), &[], |_| Err("no".to_owned()));
        assert!(matches!(refused, Err(StoreError::Damaged { line: 2, .. })));

        fs::write(&files.state, &whole.0).unwrap();
        for changed in ["", &whole.1[1..], &format!("{}{}{}", whole.1, pgn(7), pgn(8))] {
            fs::write(&files.pgn, changed).unwrap();
            assert!(matches!(files.open(), Err(StoreError::ChangedOutput { .. })), "{changed}");
            assert_eq!(fs::read_to_string(&files.pgn).unwrap(), changed);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_leaves_the_game_out_of_both_files() {
        let files = Files::new();
        let full = Path::new("/dev/full");
        let settings = json!({ "games": 2 });
        let open = |files| MatchStore::open(files, &settings, &[], |_| Ok(()));
        let first = open(MatchFiles { state: Some(full), ..MatchFiles::default() });
        assert!(first.is_err(), "before the first game");
        let mut store = open(MatchFiles { pgn: Some(full), ..files.paths() }).unwrap();
        let error = store.append(&entry(0), &pgn(0), &epd(0)).unwrap_err().to_string();
        assert!(error.starts_with("/dev/full cannot be written: No space left"), "{error}");
        drop(store);
        let mut state = files.open().unwrap();
        assert!(state.1.is_empty());
        // The disk of the state file is full, that of the PGN file is not.
        state.0.state = Some(AppendFile {
            path: full.to_owned(),
            file: OpenOptions::new().append(true).open(full).unwrap(),
            length: 0,
        });
        assert!(state.0.append(&entry(0), &pgn(0), &epd(0)).is_err());
        assert_eq!(fs::read_to_string(&files.pgn).unwrap(), "");
        assert_eq!(fs::read_to_string(&files.epd).unwrap(), "");
    }
}
