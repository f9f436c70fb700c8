//! `herald bench`: the same work every time, as a measure of speed and a signature of the search.

mod variants;

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

/// Search fixed positions to a fixed depth; ends with `NODES nodes NPS nps`, where NODES never depends on the machine
#[derive(Args)]
#[command(after_help = "Example: herald bench 10")]
pub(crate) struct Bench {
    /// Depth of the search, in plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// Search positions of a variant instead: crazyhouse, 3check, atomic, antichess, kingofthehill, horde, racingkings
    #[arg(long, value_name = "NAME", value_parser = crate::perft::read_variant)]
    variant: Option<Variant>,
    /// The network's file [default: the network that is part of the program]
    #[arg(long, value_name = "FILE", conflicts_with = "variant")]
    network: Option<PathBuf>,
}

/// Takes a few seconds on a machine of today.
const DEPTH: u32 = 12;
/// Small, so that replacement in the table is part of the signature.
const TABLE_MEBIBYTES: usize = 16;

impl Bench {
    pub(crate) fn run(&self) -> Result<()> {
        let depth = self.depth;
        let variant = self.variant.filter(|&variant| variant != Variant::Chess);
        let path = self.network.clone().unwrap_or_default();
        let network = engine::open_network(&path).map_err(|error| {
            anyhow!(WrongInput).context(format!("{} can't be used: {error}", path.display()))
        })?;
        let work = move || match variant {
            Some(variant) => variants::search_all(variant, depth.unwrap_or(variants::DEPTH)),
            None => search_all(depth.unwrap_or(DEPTH), network),
        };
        let bench = std::thread::Builder::new().name("bench".into()).stack_size(STACK_SIZE);
        let running = bench.spawn(work).context("no thread can be started")?;
        let (nodes, time) = running.join().map_err(|_| anyhow!("the search died"))??;
        let nps = u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1);
        writeln!(io::stdout(), "{nodes} nodes {nps} nps")?;
        Ok(())
    }
}

/// The nodes of all positions, and the time they took.
fn search_all(depth: u32, network: Arc<Network>) -> Result<(u64, Duration)> {
    let mut table = Table::new(TABLE_MEBIBYTES).context("free some memory and try again")?;
    let mut searcher = Searcher::default();
    searcher.use_network(network);
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut total = 0;
    let began = Instant::now();
    for (index, (mode, fen)) in positions().enumerate() {
        let game = Game::from_fen(fen, mode).with_context(|| format!("bench position {fen}"))?;
        table.clear();
        searcher.clear();
        let root = engine::root(&game).context("a position of chess")?;
        let answer = searcher.think(&mut table, &root, &limits, &Control::new(), &Instant::now(), &mut ());
        total += answer.nodes;
        let best =
            answer.best.and_then(|m| engine::from_search(&game, m)).map_or("none".into(), |m| game.san(m));
        eprintln!("{:>2}/{}  {:>10} nodes  {best:<8} {fen}", index + 1, positions().count(), answer.nodes);
    }
    Ok((total, began.elapsed()))
}

fn positions() -> impl Iterator<Item = (CastlingMode, &'static str)> {
    let standard = STANDARD.iter().map(|fen| (CastlingMode::Standard, *fen));
    standard.chain(CHESS960.iter().map(|fen| (CastlingMode::Chess960, *fen)))
}

/// Made up or played for this list: openings, middlegames, endgames, mates and positions without a move.
const STANDARD: [&str; 36] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "rnbqk2r/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 4 5",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "r1bq1rk1/ppp1npbp/3p1np1/3Pp3/2P1P3/2N2N2/PP2BPPP/R1BQ1RK1 w - - 1 9",
    "rnbqkb1r/pp3ppp/2p1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQKB1R b KQkq - 0 5",
    "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 3 5",
    "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 1 3",
    "rnbqkbnr/ppp2ppp/4p3/3pP3/3P4/8/PPP2PPP/RNBQKBNR b KQkq - 0 3",
    "r1bqk2r/pp2bppp/2nppn2/8/3NP3/2N1B3/PPP1BPPP/R2Q1RK1 b kq - 3 8",
    "r2q1rk1/pp1bbppp/2nppn2/8/3NPP2/2N1B3/PPP1B1PP/R2Q1RK1 w - - 1 10",
    "r2q1rk1/1b1nbppp/pp1ppn2/8/2PNP3/1PN1B3/P3BPPP/R2Q1RK1 w - - 0 12",
    "2rq1rk1/pp1bppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/2KR1B1R w - - 6 11",
    "r1b2rk1/2q1bppp/p2ppn2/1p4P1/3NPP2/2N1B3/PPP1Q2P/2KR1B1R b - - 0 14",
    "r4rk1/pp2qppp/2pb1n2/3p4/3P4/2NBPQ2/PP3PPP/R4RK1 w - - 4 14",
    "3r1rk1/pp3pp1/1qp1bn1p/4p3/4P3/1PN2PP1/P1Q1B1KP/3R1R2 b - - 2 20",
    "r3r1k1/1pq2pp1/p1pb1n1p/3p4/3P1B2/2PB1Q1P/PP3PP1/R3R1K1 w - - 4 18",
    "2r2rk1/1bq1bppp/pp1ppn2/8/2P1PP2/1PN1BB2/P2Q2PP/2R2RK1 b - - 5 17",
    "4rrk1/1b3pp1/p2q1n1p/1p1p4/3Pn3/PBN1PN1P/1P3PP1/2RQ1RK1 w - - 0 21",
    "r1b1r1k1/pp3p1p/2nq2p1/3p4/3P1P2/2NQ2N1/PP4PP/R4RK1 w - - 0 19",
    "1k1r3r/ppp2ppp/2nq1n2/3p1b2/3P1B2/2N1QN2/PPP2PPP/1K1R3R w - - 8 13",
    "r3k2r/pb1nqpp1/1pp1pn1p/3p4/1bPP4/1PN1PN2/PBQ1BPPP/R3K2R w KQkq - 2 11",
    "8/5pk1/4p1p1/3pP2p/1p1P1P2/1P2K1P1/7P/8 w - - 0 40",
    "8/8/1p1k4/p1p1p3/P1P1P1p1/1P1K2P1/8/8 b - - 3 45",
    "8/2k5/8/1PK5/8/8/8/8 w - - 0 1",
    "6k1/5ppp/8/1r6/8/4R2P/5PP1/6K1 b - - 2 36",
    "8/1r3pk1/4p1p1/p3P2p/R4P1P/4K1P1/8/8 w - - 1 42",
    "8/5p2/4b1pk/1p2B2p/1P2P2P/5KP1/8/8 b - - 5 48",
    "8/3n1pk1/6p1/1p1Np2p/1P2P2P/4K1P1/5P2/8 w - - 0 41",
    "3q2k1/5pp1/4p2p/1Q6/8/4P2P/5PP1/6K1 w - - 3 38",
    "8/8/8/3k4/8/3KP3/3R4/5r2 w - - 10 70",
    "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1",
    "k7/8/1Q6/8/8/8/8/K7 b - - 0 1",
];

/// Chess960, with castling rights in Shredder's letters.
const CHESS960: [&str; 4] = [
    "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
    "bqnrkrnb/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/BQNRKRNB w FDfd - 0 2",
    "1rk3r1/ppp2ppp/2nbqn2/3pp3/3PP3/2NBQN2/PPP2PPP/1RK3R1 b GBgb - 4 9",
    "rk2r3/pp3ppp/8/8/8/8/PP3PPP/RK2R3 w EAea - 0 15",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_are_legal_and_different() {
        let fens: std::collections::BTreeSet<String> = positions()
            .map(|(mode, fen)| {
                Game::from_fen(fen, mode).unwrap_or_else(|error| panic!("{fen}: {error}")).fen()
            })
            .collect();
        assert_eq!(fens.len(), positions().count());
    }
}
