//! `herald-trainer games`: games of Herald against itself, one a line.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use search::{STACK_SIZE, Searcher, Table};

use crate::record::GameRecord;
use crate::selfplay;

/// Play games of Herald against itself; a run that was cut off goes on where it stopped
#[derive(Args)]
#[command(after_help = "Example: herald-trainer games data/games.txt --count 10000 --nodes 1500")]
pub(crate) struct Games {
    /// The file to write, or to go on with
    file: PathBuf,
    /// How many games the file shall hold
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Other seeds, other games; the same seed, the same games, whatever the number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at a time; 0 for one a processor core
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// Hash table of each player, small so that clearing it for a new game costs nothing.
const TABLE_MEBIBYTES: usize = 4;
/// Games between two writes, for each thread: what is lost at most when the run is cut off.
const GAMES_PER_WRITE: u64 = 8;

impl Games {
    pub(crate) fn run(&self) -> Result<()> {
        let (mut file, done) = open(&self.file, &self.header())
            .with_context(|| format!("{} can't be gone on with", self.file.display()))?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .stack_size(STACK_SIZE)
            .build()
            .context("no threads can be started")?;
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {eta} left")?;
        let progress = ProgressBar::new(self.count).with_style(style).with_position(done.min(self.count));
        let batch = GAMES_PER_WRITE * pool.current_num_threads() as u64;
        let mut next = done;
        while next < self.count {
            let end = (next + batch).min(self.count);
            let games = pool.install(|| self.play(next..end, &progress))?;
            let lines: String = games.iter().map(|game| format!("{game}\n")).collect();
            file.write_all(lines.as_bytes()).context("a game can't be written")?;
            next = end;
        }
        progress.finish();
        Ok(())
    }

    /// The games of these numbers, in order.
    fn play(&self, numbers: std::ops::Range<u64>, progress: &ProgressBar) -> Result<Vec<GameRecord>> {
        let searcher = || Table::new(TABLE_MEBIBYTES).map(Searcher::new);
        numbers
            .into_par_iter()
            .map_init(searcher, |searcher, number| {
                let searcher = searcher.as_mut().map_err(|error| anyhow!("{error}"))?;
                let game = selfplay::play(searcher, self.nodes, self.seed, number);
                progress.inc(1);
                Ok(game)
            })
            .collect()
    }

    /// The first line of the file: how its games were made.
    fn header(&self) -> String {
        format!("# herald-trainer games --nodes {} --seed {}", self.nodes, self.seed)
    }
}

/// The file, ready to be appended to, and how many games it holds. A line that was cut off is cut away.
fn open(path: &Path, header: &str) -> Result<(File, u64)> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let (mut whole, mut lines) = (0, 0);
    let mut reader = BufReader::new(&file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        if lines == 0 && line.trim_ascii_end() != header.as_bytes() {
            let found = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            bail!("its games were made by {found:.80?}, not by {header:?}");
        }
        whole += line.len() as u64;
        lines += 1;
        line.clear();
    }
    file.set_len(whole)?;
    file.seek(SeekFrom::End(0))?;
    if lines == 0 {
        writeln!(file, "{header}")?;
        lines = 1;
    }
    Ok((file, lines - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(file: &Path, count: u64, threads: usize) -> Result<String> {
        Games { file: file.into(), count, nodes: 20, seed: 3, threads }.run()?;
        Ok(std::fs::read_to_string(file)?)
    }

    #[test]
    fn a_run_that_was_cut_off_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let whole = run(&folder.path().join("whole"), 12, 2).unwrap();
        assert_eq!(whole.lines().count(), 13);
        let cut = folder.path().join("cut");
        std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
        assert_eq!(run(&cut, 12, 1).unwrap(), whole);
    }

    #[test]
    fn games_made_otherwise_are_not_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other");
        std::fs::write(&file, "# herald-trainer games --nodes 7 --seed 3\n").unwrap();
        assert!(format!("{:#}", run(&file, 1, 1).unwrap_err()).contains("--nodes 7"));
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 1);
    }
}
