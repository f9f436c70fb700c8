//! The files of a match on disk, from which an interrupted match is resumed.
//!
//! The state is a file of JSON lines: the settings first, then a line for each game in the order in which they ended. A line contains the
//! lengths of the files of games and of positions after its game. It is written first, without its end, then the game's PGN and the EPD of
//! its last position, then the end of the line: the game counts as soon as that is there. What a line without an end announces is cut off
//! when the match is resumed, and anything else that stands in the files was added by others. A game is therefore in one file if and only
//! if it is in the others, at whatever byte the program was killed.

mod append_file;
mod entry;
mod error;
mod outputs;
mod state;

use std::path::Path;

use serde_json::Value;

use append_file::AppendFile;
pub use entry::{GameEntry, RecordedOutcome};
pub use error::StoreError;
use outputs::MatchOutputs;
use state::{StateLine, json_line};

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

impl MatchStore {
    /// Returns the settings of the match that a state file contains, if there is one. Whether the match can go on is asked by
    /// [`MatchStore::open`].
    pub fn settings(state: &Path) -> Option<Value> {
        state::settings(state)
    }

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
        let mut state = files.state.map(AppendFile::open_stored).transpose()?;
        let mut outputs = MatchOutputs::open(files)?;
        match &mut state {
            Some(state) => state::resume(state, &mut outputs, settings, growing, restore)?,
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
        let before = (self.state.as_ref().map(|state| state.length), self.outputs.ends());
        let [pgn_end, epd_end] = self.outputs.ends_after(pgn, epd);
        let written = self.write(&StateLine { entry: entry.clone(), pgn_end, epd_end }, pgn, epd);
        if written.is_ok() {
            self.outputs.all().for_each(|output| output.gap = "");
        } else {
            self.outputs.cut(before.1);
            if let (Some(state), Some(length)) = (&mut self.state, before.0) {
                state.cut(length);
            }
        }
        written
    }

    fn write(&mut self, line: &StateLine, pgn: &str, epd: &str) -> Result<(), StoreError> {
        if let Some(state) = &mut self.state {
            state.append(json_line(line).trim_end().as_bytes())?;
        }
        self.outputs.append(pgn, epd)?;
        self.state.as_mut().map_or(Ok(()), |state| state.append(b"\n"))
    }
}

#[cfg(test)]
mod tests;
