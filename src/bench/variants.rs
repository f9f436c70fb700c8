//! The same for variants, with their own searcher.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use game::{CastlingMode, Game, Variant};
use search::{Control, Limits, Table};
use variants::Searcher;

use super::TABLE_MEBIBYTES;

/// Takes a few seconds a variant.
pub(super) const DEPTH: u32 = 9;

/// The nodes of all positions of a variant, and the time they took.
pub(super) fn search_all(variant: Variant, depth: u32) -> Result<(u64, Duration)> {
    let mut table = Table::new(TABLE_MEBIBYTES).context("free some memory and try again")?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut total = 0;
    let began = Instant::now();
    for fen in positions(variant) {
        let game = read(variant, fen)?;
        table.clear();
        let root = engine::variant_root(&game);
        let answer =
            Searcher::default().think(&mut table, &root, &limits, &Control::new(), &Instant::now(), &mut ());
        total += answer.nodes;
        let best =
            answer.best.and_then(|m| engine::from_search(&game, m)).map_or("none".into(), |m| game.san(m));
        eprintln!("{:>10} nodes  {best:<8} {:?} {}", answer.nodes, answer.score, game.fen());
    }
    Ok((total, began.elapsed()))
}

fn read(variant: Variant, fen: &str) -> Result<Game> {
    if fen.is_empty() {
        return Ok(Game::new(variant));
    }
    Game::from_variant_fen(variant, fen, CastlingMode::Standard)
        .with_context(|| format!("bench position {fen}"))
}

/// The start position (empty), and positions made up or played for this list.
fn positions(variant: Variant) -> &'static [&'static str] {
    match variant {
        Variant::Chess => &[""],
        Variant::Crazyhouse => &[
            "",
            "r1bqk2r/ppp2ppp/2n2n2/3pp3/1b1PP3/2N2N2/PPP1BPPP/R1BQ1RK1[] b kq - 1 6",
            "r2q1rk1/ppp2ppp/3p1n2/2b1p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQ1RK1[N] w - - 0 9",
            "r1b2rk1/ppp1qppp/8/3pn3/8/2PB4/PPQ2PPP/R4RK1[BNPPbnn] w - - 0 18",
        ],
        Variant::ThreeCheck => &[
            "",
            "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 3+3 5 4",
            "r2q1rk1/ppp2ppp/2npbn2/4p3/1bB1P3/2NPBN2/PPP2PPP/R2Q1RK1 w - - 2+2 4 9",
            "2r3k1/5ppp/p3p3/1p1bP3/3P4/P2Q4/1P3PPP/2q1R1K1 w - - 1+2 0 25",
        ],
        Variant::Atomic => &[
            "",
            "rnbqkb1r/pppp1ppp/4pn2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3",
            "r1b1kb1r/ppp2ppp/2n1p3/3p4/3P4/2N2P2/PPP3PP/R1BQKB1R w KQkq - 0 8",
            "4k2r/pp3p1p/4p1p1/2b5/8/2P2N2/PP3PPP/R3K2R b KQk - 0 16",
        ],
        Variant::Antichess => &[
            "",
            "rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - - 0 2",
            "rn1qk1nr/p1p2p1p/4p3/8/7P/2N5/P1PP1PP1/R1B1K1NR w - - 0 8",
            "8/1p3k2/8/2r5/4P3/8/1N3P2/6R1 b - - 0 24",
        ],
        Variant::KingOfTheHill => &[
            "",
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
            "r2q1rk1/ppp2ppp/2npbn2/4p3/1bB1P3/2NPBN2/PPP2PPP/R2Q1RK1 w - - 4 9",
            "8/pp3k1p/2p2p2/4p3/4P1p1/2P3P1/PP2K2P/3r2R1 b - - 0 31",
        ],
        Variant::Horde => &[
            "",
            "r1bqkbnr/p1pppppp/2n5/1pP2PP1/PP1PPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP b kq - 0 3",
            "r1b1k2r/2p2p2/2n1p3/P1PpP1P1/1P1P1P1P/2P1P1P1/PP1P1PPP/P2P1P1P w kq - 0 16",
            "2k5/8/3r4/1PP2PP1/P2P3P/1P3P2/P1P4P/8 b - - 0 40",
        ],
        Variant::RacingKings => &[
            "",
            "8/8/8/8/5K2/8/k1bnNBR1/qrb1NB1Q b - - 3 4",
            "8/8/3K4/8/k7/2n1N3/1rb2BR1/1q3B1Q w - - 0 10",
            "8/2K5/5k2/8/2n5/1r2R3/8/q6Q b - - 0 18",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_are_legal_and_not_over() {
        for variant in Variant::ALL {
            for fen in positions(variant) {
                let game = read(variant, fen).unwrap_or_else(|error| panic!("{variant}: {error:#}"));
                assert_eq!(game.outcome(), None, "{variant}: {fen}");
                assert!(!game.legal_moves().is_empty(), "{variant}: {fen}");
            }
        }
    }
}
