//! `herald bench`: a reproducible search that measures speed and gives a signature of the search.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use game::{CastlingMode, Game, Variant};
use search::network::Network;
use search::{Control, Limits, STACK_SIZE, Searcher, Table};

use crate::WrongInput;
use crate::position::read_variant;

/// Search fixed positions to a fixed depth; ends with `NODES nodes NPS nps`, where NODES never depends on the machine
#[derive(Args)]
#[command(after_help = "Example: herald bench 10")]
pub(crate) struct Bench {
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

/// Default depth, which takes a few seconds on current machines.
const DEPTH: u32 = 12;
/// Default depth for the four positions of a variant.
const VARIANT_DEPTH: u32 = 9;
/// Size of the hash table. It is small, so that the signature covers its replacement scheme.
const TABLE_MEBIBYTES: usize = 16;
/// A variant and a FEN in each line, composed or played for this list: openings, middlegames, endgames, mates and positions
/// without legal moves. The last positions of chess are Chess960.
const POSITIONS: &str = include_str!("bench_positions.txt");

impl Bench {
    pub(crate) fn run(&self) -> Result<()> {
        let variant = self.variant;
        let depth = self.depth.unwrap_or(if variant == Variant::Chess { DEPTH } else { VARIANT_DEPTH });
        let path = self.network.clone().unwrap_or_default();
        let network = engine::open_network(&path)
            .map_err(|error| WrongInput::of(anyhow!("{} can't be used: {error}", path.display())))?;
        let bench = std::thread::Builder::new().name("bench".into()).stack_size(STACK_SIZE);
        let running = bench.spawn(move || search_all(variant, depth, network));
        let running = running.context("can't start a thread")?;
        let (nodes, time) = running.join().map_err(|_| anyhow!("the search thread panicked"))??;
        let nps = u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1);
        writeln!(io::stdout(), "{nodes} nodes {nps} nps")?;
        Ok(())
    }
}

/// Searches all positions of a variant with cleared tables. Returns the nodes and the time.
fn search_all(variant: Variant, depth: u32, network: Arc<Network>) -> Result<(u64, Duration)> {
    let mut table = Table::new(TABLE_MEBIBYTES).context("free some memory and try again")?;
    let mut searcher = Searcher::default();
    searcher.use_network(network);
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let games = positions(variant)?;
    let mut total = 0;
    let began = Instant::now();
    for (number, game) in (1..).zip(&games) {
        table.clear();
        searcher.clear();
        let (control, clock) = (Control::new(), Instant::now());
        let answer = if let Some(root) = engine::root(game) {
            searcher.think(&mut table, &root, &limits, &control, &clock, &mut ())
        } else {
            let root = engine::variant_root(game);
            variants::Searcher::default().think(&mut table, &root, &limits, &control, &clock, &mut ())
        };
        total += answer.nodes;
        let best = answer.best.and_then(|m| engine::from_search(game, m));
        let best = best.map_or("none".into(), |m| game.san(m));
        let (count, nodes, score) = (games.len(), answer.nodes, engine::score(answer.score).to_string());
        eprintln!("{number:>2}/{count}  {nodes:>10} nodes  {best:<8} {score:>7}  {}", game.fen());
    }
    Ok((total, began.elapsed()))
}

fn positions(variant: Variant) -> Result<Vec<Game>> {
    let named = POSITIONS.lines().filter_map(|line| line.split_once(' '));
    let of_variant = named.filter(|(name, _)| read_variant(name) == Ok(variant));
    let read = |(_, fen)| Game::from_variant_fen(variant, fen, CastlingMode::Standard).context(fen);
    of_variant.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_are_legal_and_different() {
        let games = positions(Variant::Chess).expect("legal positions");
        let fens: std::collections::BTreeSet<String> = games.iter().map(Game::fen).collect();
        assert_eq!((games.len(), fens.len()), (40, 40));
        assert_eq!(games.iter().filter(|game| game.mode() == CastlingMode::Chess960).count(), 4);
    }

    #[test]
    fn positions_of_variants_are_legal_and_not_over() {
        for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::Chess) {
            let games = positions(variant).unwrap_or_else(|error| panic!("{variant}: {error:#}"));
            assert_eq!(games.len(), 4);
            for game in games {
                assert_eq!(game.outcome(), None, "{variant}: {}", game.fen());
                assert!(!game.legal_moves().is_empty(), "{variant}: {}", game.fen());
            }
        }
    }
}
