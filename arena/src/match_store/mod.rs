//! The files of a match on disk, from which an interrupted match is resumed.
//!
//! The state is a file of JSON lines: the settings first, then a line for each game in the order in which they ended. A
//! game counts as soon as its line is complete. Its PGN and the EPD of its last position are written just before, and the
//! line contains the lengths of those files after the game. Anything behind them belongs to a game that does not count and
//! is cut off when the match is resumed. A game is therefore in one file if and only if it is in the others, at whatever
//! byte the program was killed.

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

#[cfg(test)]
mod tests;
