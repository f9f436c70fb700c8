//! `herald-trainer generate`: self-play games.

mod selfplay;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use search::STACK_SIZE;
use search::network::Network;

use crate::record::{ChunkWriter, Recipe};
use crate::{InputError, MOST_MINUTES, MOST_THREADS, read_network, say, within};
use selfplay::SelfPlayer;
pub(crate) use selfplay::game_from;

/// Generate self-play games; an interrupted run is continued by the same command
#[derive(Args)]
#[command(
    after_help = "Example: herald-trainer generate data/selfplay --games 100000 --nodes 500 --minutes 60"
)]
pub(crate) struct Generate {
    /// Output folder; each file holds 16384 games
    folder: PathBuf,
    /// Total number of games with this seed
    #[arg(long, default_value_t = 10_000)]
    games: u64,
    /// Nodes per move: no new iteration starts after this many; the search is stopped at eight times as many
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Percentage of games that start from Chess960 positions, with independent set-ups for White and Black
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100))]
    chess960: u32,
    /// Network file [default: embedded network]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Random seed; the same seed gives the same games on any number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads; 0 means one per processor core
    #[arg(long, default_value_t = 0, value_parser = within(0, MOST_THREADS))]
    threads: usize,
    /// Start no new game after this number of minutes
    #[arg(long, value_parser = within(0.0, MOST_MINUTES))]
    minutes: Option<f64>,
}

const GAMES_PER_CHUNK: u64 = 1 << 14;

impl Generate {
    pub(crate) fn run(&self) -> Result<()> {
        let network = read_network(self.network.as_deref().unwrap_or(Path::new("")))?;
        let recipe = Recipe {
            seed: self.seed,
            soft_nodes: self.nodes,
            chess960_percent: self.chess960,
            network: network.fingerprint,
        };
        let writer = ChunkWriter::resume(&self.folder, recipe, GAMES_PER_CHUNK).context(InputError)?;
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {eta} left")?;
        let progress =
            ProgressBar::new(self.games).with_style(style).with_position(writer.games().min(self.games));
        let mut output =
            Output { writer, progress, early: BTreeMap::new(), games: 0, nodes: 0, time: Duration::ZERO };
        self.play(&recipe, &network, &mut output)?;
        output.finish();
        Ok(())
    }

    fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// Plays and writes the missing games.
    fn play(&self, recipe: &Recipe, network: &Arc<Network>, output: &mut Output) -> Result<()> {
        let end = self.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
        let next = AtomicU64::new(output.writer.games());
        let number = || {
            let is_late = end.is_some_and(|end| Instant::now() >= end);
            let number = (!is_late).then(|| next.fetch_add(1, Ordering::Relaxed));
            number.filter(|&number| number < self.games)
        };
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.threads() {
                let sender = sender.clone();
                let mut player = SelfPlayer::new(network)?;
                let work = move || {
                    while let Some(number) = number() {
                        if sender.send((number, play_one(&mut player, recipe, number))).is_err() {
                            break; // the games can't be written
                        }
                    }
                };
                std::thread::Builder::new()
                    .stack_size(STACK_SIZE)
                    .spawn_scoped(scope, work)
                    .context("can't start a thread")?;
            }
            drop(sender);
            receiver.into_iter().try_for_each(|(number, finished)| output.take(number, finished))
        })
    }
}

/// What a thread hands over: an encoded game, its nodes and its time.
struct Finished {
    game: Vec<u8>,
    nodes: u64,
    time: Duration,
}

fn play_one(player: &mut SelfPlayer, recipe: &Recipe, number: u64) -> Finished {
    let begun = Instant::now();
    let (game, nodes) = selfplay::play(player, recipe, number);
    Finished { game: game.encode(), nodes, time: begun.elapsed() }
}

/// Writes games in the order of their numbers, so that the files do not depend on the number of threads.
struct Output {
    writer: ChunkWriter,
    progress: ProgressBar,
    /// Encoded games that wait for earlier ones.
    early: BTreeMap<u64, Vec<u8>>,
    games: u64,
    nodes: u64,
    /// Total time of all threads.
    time: Duration,
}

impl Output {
    fn take(&mut self, number: u64, finished: Finished) -> Result<()> {
        self.games += 1;
        self.nodes += finished.nodes;
        self.time += finished.time;
        self.early.insert(number, finished.game);
        while let Some(game) = self.early.remove(&self.writer.games()) {
            self.writer.append(&game)?;
            self.progress.inc(1);
        }
        Ok(())
    }

    fn finish(self) {
        let Output { progress, games, nodes, time, .. } = self;
        let speed = nodes as f64 / time.as_secs_f64().max(1e-9);
        progress.finish_and_clear();
        say(format_args!("{games} games, {nodes} nodes, {speed:.0} nodes per second and thread"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path, games: u64, threads: usize) -> Vec<u8> {
        let generate = Generate {
            folder: folder.into(),
            games,
            nodes: 20,
            chess960: 50,
            network: None,
            seed: 3,
            threads,
            minutes: None,
        };
        generate.run().unwrap();
        std::fs::read(folder.join("seed-3-0000000.games")).unwrap()
    }

    #[test]
    fn a_run_that_was_cut_off_goes_on_and_threads_do_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let whole = run(&folder.path().join("whole"), 12, 2);
        let cut = folder.path().join("cut");
        assert!(whole.starts_with(&run(&cut, 5, 1)));
        let file = cut.join("seed-3-0000000.games");
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() - 3]).unwrap();
        assert_eq!(run(&cut, 12, 3), whole);
        assert_eq!(run(&cut, 12, 1), whole, "nothing is left to do");
    }
}
