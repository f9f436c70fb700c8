//! `herald openings`: positions to start matches from.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use anyhow::{Context, Result, bail};
use clap::Args;
use engine::openings::OpeningsRecipe;
use game::CastlingMode;

use crate::{progress_bar, read_threads};

/// Make openings for matches: positions after random moves that a search finds balanced, in EPD
///
/// No position comes twice. The same arguments give the same openings on any number of threads. Each opening is written as soon
/// as it is found, so that an interrupted run loses nothing.
#[derive(Args)]
#[command(after_help = "Example: herald openings --plies 8 --count 500 > openings.epd")]
pub(crate) struct OpeningsArgs {
    /// Plies from the start position
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=200))]
    plies: u32,
    /// Number of openings
    #[arg(long, default_value_t = 500)]
    count: u64,
    /// Seed of the random generator
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Largest advantage of either side
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 40,
        value_parser = clap::value_parser!(u32).range(0..=1000))]
    balance: u32,
    /// Nodes to search for each evaluation
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Number of threads; by default, one for each processor
    #[arg(long, value_name = "COUNT", value_parser = read_threads)]
    threads: Option<NonZeroUsize>,
    /// Start from random start positions of Chess960
    #[arg(long)]
    chess960: bool,
}

impl OpeningsArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let recipe = OpeningsRecipe {
            mode: CastlingMode::from_chess960(self.chess960),
            plies: self.plies,
            seed: self.seed,
            balance: self.balance,
            nodes: self.nodes,
        };
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let openings = recipe
            .openings(threads.map_or(1, NonZeroUsize::get))
            .context("the threads can't be started; try fewer with --threads")?;
        let bar = progress_bar(Some(self.count), "{bar:40} {pos}/{len} openings, {eta} left");
        let game = if self.chess960 { "Chess960" } else { "Standard" };
        let mut found = 0;
        for (number, opening) in (1..=self.count).zip(openings) {
            let record = opening.context("free some memory and try again")?;
            // The parameters distinguish openings of different runs.
            let record = record.epd(&format!("{game}.{}.{}.{number}", self.plies, self.seed));
            bar.suspend(|| writeln!(io::stdout(), "{record}")).context("the openings can't be written")?;
            bar.inc(1);
            found = number;
        }
        bar.finish_and_clear();
        if found < self.count {
            let reason = "no more seem to exist; try other --plies or a greater --balance";
            bail!("found {found} of {} openings: {reason}", self.count);
        }
        Ok(())
    }
}
