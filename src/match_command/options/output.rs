//! What is written and shown.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use players::{Log, TextLog};
use players::{PgnField, PgnFields};
use serde::{Deserialize, Serialize};

use crate::settings::{self, LogFile};

/// Number of bytes of a file in which the time of a log is looked for.
const LONGEST_BEGINNING: u64 = 1024;

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Output")]
pub(in crate::match_command) struct OutputOptions {
    /// Append the games to this file
    #[arg(long, value_name = "FILE")]
    pub(in crate::match_command) pgn: Option<PathBuf>,
    /// What the comments of the PGN tell of each move: all, none or a list of score, depth, time, seldepth, nodes, nps,
    /// hashfull, tbhits, latency, lag, pv, clock [default: score,depth,time,nodes,clock]
    #[arg(long, value_name = "LIST")]
    pgn_fields: Option<String>,
    /// Write the engines' principal variations to the PGN: the field pv in addition
    #[arg(long)]
    variations: bool,
    /// Append the last position of each game to this file, in EPD (in a variant as FEN)
    #[arg(long, value_name = "FILE")]
    pub(in crate::match_command) epd: Option<PathBuf>,
    /// Append all messages of all engines, and their standard error, to this file
    #[arg(long, value_name = "FILE")]
    pub(in crate::match_command) log: Option<PathBuf>,
    /// Append the messages of each engine to a file of its name in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "log")]
    log_folder: Option<PathBuf>,
    /// Print a line about the match after every N games, with --json an event; 0: never [default: 10; on a terminal, where
    /// a table is shown instead, and with --json: never]. A game that is lost by a fault always has a line
    #[arg(long, value_name = "N")]
    pub(in crate::match_command) report_every: Option<u64>,
    /// Print the whole table after every N games [default: at the end only]
    #[arg(long, value_name = "N")]
    pub(in crate::match_command) table_every: Option<u64>,
    /// Show the match on a web page at this address, for example 127.0.0.1:8080
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(in crate::match_command) live: Option<SocketAddr>,
}

impl OutputOptions {
    pub(in crate::match_command) fn fields(&self) -> Result<PgnFields> {
        ensure!(self.table_every != Some(0), "--table-every 0: expected at least 1");
        let fields = match &self.pgn_fields {
            None => PgnFields::default(),
            Some(text) => text.parse().map_err(|error: String| anyhow!("--pgn-fields: {error}"))?,
        };
        Ok(if self.variations { fields.with(PgnField::Variation) } else { fields })
    }

    /// Opens the logs.
    pub(in crate::match_command) fn logs(&self) -> Result<EngineLogs> {
        ensure!(
            self.log.is_none() || self.log_folder.is_none(),
            "--log and --log-folder: expected one of them"
        );
        if let Some(folder) = &self.log_folder {
            fs::create_dir_all(folder).with_context(|| format!("--log-folder {}", folder.display()))?;
        }
        if let Some(path) = &self.log {
            check_log(path)?;
        }
        let (shared, folder) = (settings::open_log(self.log.as_deref())?, self.log_folder.clone());
        Ok(EngineLogs { shared, folder, taken: BTreeSet::new(), began: Instant::now() })
    }
}

/// Refuses to append to a file that is no log: its first line has no time and no sign of who spoke.
fn check_log(path: &Path) -> Result<()> {
    let Ok(true) = fs::metadata(path).map(|about| about.is_file()) else { return Ok(()) };
    let mut line = Vec::new();
    let file = fs::File::open(path).with_context(|| format!("--log {} cannot be read", path.display()))?;
    BufReader::new(file.take(LONGEST_BEGINNING)).read_until(b'\n', &mut line)?;
    let time = line.split(|&byte| byte == b' ').next().unwrap_or_default();
    let is_time = str::from_utf8(time).is_ok_and(|time| time.parse::<f64>().is_ok_and(f64::is_finite));
    ensure!(line.is_empty() || is_time, "--log {} is no log of a match; name a new file", path.display());
    Ok(())
}

/// The logs of the engines: one that they share, or one for each.
pub(in crate::match_command) struct EngineLogs {
    shared: Option<LogFile>,
    folder: Option<PathBuf>,
    /// Names of the files in the folder so far, in small letters: some systems make no difference.
    taken: BTreeSet<String>,
    began: Instant,
}

impl EngineLogs {
    /// Returns the log of an engine, if there is one.
    pub(in crate::match_command) fn of(&mut self, name: &str) -> Result<Option<Arc<dyn Log>>> {
        let file = match &self.folder {
            None => self.shared.clone(),
            Some(folder) => {
                // The name is the engine's own and may contain anything.
                let plain = |c: char| if c.is_alphanumeric() || " .+-()".contains(c) { c } else { '_' };
                let name: String = name.trim_start_matches('.').chars().map(plain).collect();
                let mut file = name.clone();
                let mut copies = 1;
                while !self.taken.insert(file.to_lowercase()) {
                    copies += 1;
                    file = format!("{name} ({copies})");
                }
                settings::open_log(Some(&folder.join(file + ".log")))?
            }
        };
        Ok(file.map(|file| Arc::new(TextLog::new(name, self.began, file)) as Arc<dyn Log>))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_a_log_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = Some(folder.path().to_owned());
        let mut logs =
            EngineLogs { shared: None, folder: path, taken: BTreeSet::new(), began: Instant::now() };
        for name in ["A:B*?", "A_B__", "a_b__", "..C"] {
            assert!(logs.of(name).expect(name).is_some());
        }
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let names = entries.map(|entry| entry.expect("a file").file_name().into_string().expect("a name"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        assert_eq!(names, ["A_B__ (2).log", "A_B__.log", "C.log", "a_b__ (3).log"]);
    }
}
