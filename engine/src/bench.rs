//! The benchmark: a reproducible search of fixed positions, which measures speed and gives a signature of the search.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use game::{CastlingMode, FenError, Game, Score, Variant};
use search::network::Network;
use search::{Control, Limits, STACK_SIZE, Searcher, Table, TableError};
use shakmaty::Move;

/// Default depth in plies, which takes a few seconds on current machines.
pub const DEPTH: u32 = 12;
/// Default depth for the four positions of a variant.
const VARIANT_DEPTH: u32 = 9;
/// Size of the hash table in MiB. It is small, so that the signature covers its replacement scheme.
pub const TABLE_MEBIBYTES: usize = 16;
/// Interval at which the caller is asked whether to go on.
const GLANCE: Duration = Duration::from_millis(50);
/// A variant and a FEN in each line, composed or played for this list: openings, middlegames, endgames, mates and positions
/// without legal moves. The last positions of chess are Chess960.
const POSITIONS: &str = include_str!("bench_positions.txt");

/// What is searched.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The positions of this variant.
    pub variant: Variant,
    /// Depth in plies; `None` for the default.
    pub depth: Option<u32>,
    /// The network that evaluates.
    pub network: Arc<Network>,
}

/// The search of one position.
#[derive(Debug)]
pub struct BenchStep {
    /// Number of the position, from 1.
    pub number: usize,
    /// Number of positions.
    pub positions: usize,
    /// Number of nodes searched.
    pub nodes: u64,
    /// The best move; `None` without legal moves.
    pub best: Option<Move>,
    /// The score for the side to move.
    pub score: Score,
    /// The position.
    pub game: Game,
}

/// The result of a benchmark, which is displayed as `NODES nodes NPS nps`.
#[derive(Clone, Copy, Debug)]
pub struct BenchTotal {
    /// Number of nodes, which does not depend on the machine.
    pub nodes: u64,
    /// Duration of the search.
    pub time: Duration,
}

/// Why a benchmark is impossible.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// No thread can be started.
    #[error("can't start a thread: {0}")]
    Thread(#[from] io::Error),
    /// There is no memory for the hash table.
    #[error("free some memory and try again: {0}")]
    Table(#[from] TableError),
    /// A position of the list is not legal.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The search has panicked.
    #[error("the search thread panicked")]
    Panicked,
}

impl Bench {
    /// Searches all positions with cleared tables, on a thread of its own. Each search is reported, and `None` some times a
    /// second while there is nothing to report. The benchmark ends as soon as `report` returns `false`; the total is `None`
    /// then.
    ///
    /// # Errors
    /// There is not enough memory, or no thread can be started.
    pub fn run(
        &self,
        mut report: impl FnMut(Option<&BenchStep>) -> bool,
    ) -> Result<Option<BenchTotal>, BenchError> {
        let (sender, steps) = mpsc::channel();
        let control = Control::new();
        thread::scope(|scope| {
            let bench = thread::Builder::new().name("bench".into()).stack_size(STACK_SIZE);
            let running = bench.spawn_scoped(scope, {
                let control = &control;
                move || self.search_all(control, &sender)
            })?;
            let is_complete = loop {
                let goes_on = match steps.recv_timeout(GLANCE) {
                    Ok(step) => report(Some(&step)),
                    Err(RecvTimeoutError::Timeout) => report(None),
                    Err(RecvTimeoutError::Disconnected) => break true,
                };
                if !goes_on {
                    control.stop();
                    break false;
                }
            };
            drop(steps);
            let total = running.join().map_err(|_| BenchError::Panicked)??;
            Ok(Some(total).filter(|_| is_complete))
        })
    }

    /// Searches until nobody wants the steps.
    fn search_all(&self, control: &Control, steps: &Sender<BenchStep>) -> Result<BenchTotal, BenchError> {
        let mut table = Table::new(TABLE_MEBIBYTES)?;
        let mut searcher = Searcher::default();
        searcher.use_network(Arc::clone(&self.network));
        let depth = if self.variant == Variant::Chess { DEPTH } else { VARIANT_DEPTH };
        let limits = Limits { depth: Some(self.depth.unwrap_or(depth)), ..Limits::default() };
        let games = positions(self.variant)?;
        let positions = games.len();
        let mut total = BenchTotal { nodes: 0, time: Duration::ZERO };
        let began = Instant::now();
        for (number, game) in (1..).zip(games) {
            table.clear();
            searcher.clear();
            let clock = Instant::now();
            let answer = if let Some(root) = crate::root(&game) {
                searcher.think(&mut table, &root, &limits, control, &clock, &mut ())
            } else {
                let root = crate::variant_root(&game);
                variants::Searcher::default().think(&mut table, &root, &limits, control, &clock, &mut ())
            };
            total.nodes += answer.nodes;
            let best = answer.best.and_then(|m| crate::from_search(&game, m));
            let (nodes, score) = (answer.nodes, crate::score(answer.score));
            if steps.send(BenchStep { number, positions, nodes, best, score, game }).is_err() {
                break;
            }
        }
        total.time = began.elapsed();
        Ok(total)
    }
}

impl std::fmt::Display for BenchTotal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nps = u128::from(self.nodes) * 1_000_000_000 / self.time.as_nanos().max(1);
        write!(f, "{} nodes {nps} nps", self.nodes)
    }
}

/// Returns the games to search, each with its position alone.
///
/// # Errors
/// A position of the list is not legal, which the tests exclude.
pub fn positions(variant: Variant) -> Result<Vec<Game>, FenError> {
    let named = POSITIONS.lines().filter_map(|line| line.split_once(' '));
    let of_variant = named.filter(|(name, _)| *name == variant.uci());
    of_variant.map(|(_, fen)| Game::from_variant_fen(variant, fen, CastlingMode::Standard)).collect()
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

    #[test]
    fn a_benchmark_is_reproducible_and_can_be_ended() {
        let network = crate::open_network(std::path::Path::new("")).expect("the embedded network");
        let bench = Bench { variant: Variant::Chess, depth: Some(4), network };
        let nodes = || bench.run(|_| true).expect("memory").expect("all positions").nodes;
        assert_eq!(nodes(), nodes());
        let mut seen = 0;
        let ended = bench.run(|step| {
            seen = step.map_or(seen, |step| step.number);
            seen < 3
        });
        assert!(ended.expect("memory").is_none() && seen == 3);
        let bench = Bench { depth: Some(100), ..bench };
        assert!(bench.run(|_| false).expect("memory").is_none(), "the first position ends at once");
    }
}
