//! The games of the input files, one after the other.

use std::io::{self, BufReader, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::InputFile;
use analysis::annotate::AnnotationJob;
use anyhow::Result;
use game::TreeReader;
use indicatif::ProgressBar;

use crate::epd::explain;
use crate::progress_bar;

/// The input files.
pub(super) struct Games {
    paths: Vec<PathBuf>,
}

impl Games {
    pub(super) fn new(paths: Vec<PathBuf>) -> Games {
        Games { paths }
    }

    /// Opens all files.
    pub(super) fn open(&self) -> Result<Vec<InputFile>> {
        self.paths.iter().map(|path| InputFile::open_games(path).map_err(explain)).collect()
    }

    /// Whether all games can be read a second time.
    pub(super) fn are_files(&self) -> bool {
        self.paths.iter().all(|path| path != Path::new("-"))
    }

    /// The games of all files in order.
    pub(super) fn jobs(inputs: Vec<InputFile>) -> impl Iterator<Item = io::Result<AnnotationJob>> + Send {
        inputs.into_iter().flat_map(|input| {
            let file: Arc<str> = input.name.as_str().into();
            let games = TreeReader::new(BufReader::with_capacity(1 << 16, input));
            (1..).zip(games).map(move |(number, parsed)| {
                Ok(AnnotationJob { file: Arc::clone(&file), number, parsed: parsed? })
            })
        })
    }

    /// A bar that counts the positions of each of `programs`. On a terminal, files are read once before, to know how many there are.
    pub(super) fn progress_bar(&self, inputs: &[InputFile], programs: u64) -> ProgressBar {
        let is_countable = io::stderr().is_terminal() && inputs.iter().all(|input| input.length().is_some());
        let template = if is_countable {
            "{bar:40} {pos}/{len} positions, {msg}, {eta} left"
        } else {
            "{spinner} {pos} positions, {msg}"
        };
        let positions =
            (is_countable && programs > 0).then(|| self.open().ok().map(count_positions)).flatten();
        progress_bar(positions.map(|positions| positions * programs), template)
    }
}

fn count_positions(inputs: Vec<InputFile>) -> u64 {
    Games::jobs(inputs).map_while(Result::ok).map(|job| job.parsed.tree.mainline.moves.len() as u64 + 1).sum()
}
