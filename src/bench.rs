//! `herald bench`: a reproducible search that measures speed and gives a signature of the search.

use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use engine::bench::Bench;
use game::Variant;

use crate::WrongInput;
use crate::position::read_variant;

/// Search fixed positions to a fixed depth; ends with `NODES nodes NPS nps`, where NODES never depends on the machine
#[derive(Args)]
#[command(after_help = "Example: herald bench 10")]
pub(crate) struct BenchArgs {
    /// Depth of the search, in plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// Search positions of a variant instead: crazyhouse, 3check, atomic, antichess, kingofthehill, horde, racingkings
    #[arg(long, value_name = "NAME", value_parser = read_variant, default_value = "chess")]
    variant: Variant,
    /// File of the network [default: the embedded network]
    #[arg(long, value_name = "FILE", conflicts_with = "variant")]
    network: Option<PathBuf>,
}

impl BenchArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let path = self.network.clone().unwrap_or_default();
        let network = engine::open_network(&path)
            .map_err(|error| WrongInput::of(anyhow!("{} can't be used: {error}", path.display())))?;
        let bench = Bench { variant: self.variant, depth: self.depth, network };
        let total = bench.run(|step| {
            let Some(step) = step else { return true };
            let best = step.best.map_or("none".into(), |m| step.game.san(m));
            let (number, count, nodes) = (step.number, step.positions, step.nodes);
            let (score, fen) = (step.score.to_string(), step.game.fen());
            tell!("{number:>2}/{count}  {nodes:>10} nodes  {best:<8} {score:>7}  {fen}");
            true
        })?;
        writeln!(io::stdout(), "{}", total.context("the benchmark was ended")?)?;
        Ok(())
    }
}
