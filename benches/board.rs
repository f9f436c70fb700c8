//! The position against its yardstick: shakmaty's `Chess`, built without the `variant` feature.
//!
//! Yardstick and candidate take turns in one process, so that their ratio holds on a busy machine: a line `RATIO name
//! value` for each group, from the medians. After each turn the branch predictor has to learn anew. Criterion's own times
//! of each side follow; there, the same positions come thousands of times, until the processor knows them by heart.

#![allow(missing_docs)] // of what criterion's macro makes

use std::cell::RefCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use search::{Move, MoveList, Position, perft};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn chess(fen: &str) -> Chess {
    fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
}

/// Positions of random games, the same in every run, with a legal move for each. Each side has a list of its own, so
/// that neither reads past the other's positions.
struct Corpus {
    yardstick: Vec<(Chess, shakmaty::Move)>,
    candidate: Vec<(Position, Move)>,
}

fn corpus() -> Corpus {
    let mut random = 2026_u64;
    let mut next = |bound: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    let mut corpus = Corpus { yardstick: Vec::new(), candidate: Vec::new() };
    while corpus.yardstick.len() < 500 {
        let mut chess = Chess::default();
        for _ in 0..100 {
            let moves = chess.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[next(moves.len())];
            corpus.candidate.push((Position::from(&chess), encode(m)));
            corpus.yardstick.push((chess.clone(), m));
            chess.play_unchecked(m);
        }
    }
    corpus
}

fn encode(m: shakmaty::Move) -> Move {
    match (m, m.promotion()) {
        (shakmaty::Move::Castle { king, rook }, _) => Move::new(king, rook),
        (_, Some(role)) => Move::promoting(m.from().unwrap(), m.to(), role),
        _ => Move::new(m.from().unwrap(), m.to()),
    }
}

/// Times both in turns and prints how many times faster the candidate is, from the medians of the rounds.
fn ratio(name: &str, rounds: usize, mut yardstick: impl FnMut() -> u64, mut candidate: impl FnMut() -> u64) {
    let time = |work: &mut dyn FnMut() -> u64| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        times[0].push(time(&mut yardstick));
        times[1].push(time(&mut candidate));
    }
    let [yardstick, candidate] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    let spread = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "RATIO {name}: {:.2} (yardstick {:.3} ms, candidate {:.3} ms, medians of {rounds})",
        yardstick.as_secs_f64() / candidate.as_secs_f64(),
        spread(yardstick),
        spread(candidate),
    );
}

fn bench_perft(criterion: &mut Criterion) {
    for (name, fen, depth) in [("start", START, 6), ("kiwipete", KIWIPETE, 5)] {
        let (chess, position) = (chess(fen), Position::from(&chess(fen)));
        let (c, p) = (chess.clone(), position.clone());
        ratio(&format!("perft/{name}/{depth}"), 7, || shakmaty::perft(&c, depth), || perft(&p, depth));
        let mut group = criterion.benchmark_group(format!("perft/{name}/4"));
        group.sample_size(20);
        group.bench_function("shakmaty", |bench| bench.iter(|| shakmaty::perft(black_box(&chess), 4)));
        group.bench_function("herald", |bench| bench.iter(|| perft(black_box(&position), 4)));
        group.finish();
    }
}

type Yardstick<'a> = &'a dyn Fn(&(Chess, shakmaty::Move)) -> u64;
type Candidate<'a> = &'a dyn Fn(&(Position, Move)) -> u64;

fn bench_operations(criterion: &mut Criterion) {
    let corpus = corpus();
    // The search keeps one list a thread.
    let list = RefCell::new(MoveList::default());
    let yardstick = |work: Yardstick| corpus.yardstick.iter().map(work).sum::<u64>();
    let candidate = |work: Candidate| corpus.candidate.iter().map(work).sum::<u64>();
    let pairs: [(&str, Yardstick, Candidate); 4] = [
        ("tactical", &|(chess, _)| chess.capture_moves().len() as u64, &|(position, _)| {
            let mut list = list.borrow_mut();
            list.clear();
            position.generate_tactical(&mut list);
            list.len() as u64
        }),
        ("all moves", &|(chess, _)| chess.legal_moves().len() as u64, &|(position, _)| {
            let mut list = list.borrow_mut();
            list.clear();
            position.generate(&mut list);
            list.len() as u64
        }),
        (
            "make and key",
            &|(chess, m)| {
                let mut next = chess.clone();
                next.play_unchecked(*m);
                next.zobrist_hash::<shakmaty::zobrist::Zobrist64>(shakmaty::EnPassantMode::Legal).0
            },
            &|(position, m)| position.make(*m).keys().full,
        ),
        ("hash move legality", &|(chess, m)| u64::from(chess.is_legal(*m)), &|(position, m)| {
            u64::from(position.is_legal(*m))
        }),
    ];
    for (name, old, new) in pairs {
        ratio(name, 301, || yardstick(old), || candidate(new));
        let mut group = criterion.benchmark_group(format!("{name} of {} positions", corpus.candidate.len()));
        group.bench_function("shakmaty", |bench| bench.iter(|| yardstick(old)));
        group.bench_function("herald", |bench| bench.iter(|| candidate(new)));
        group.finish();
    }
    // shakmaty has no static exchange evaluation.
    criterion.bench_function(&format!("see of {} positions", corpus.candidate.len()), |bench| {
        bench.iter(|| candidate(&|(position, m)| u64::from(position.see_at_least(*m, 0))));
    });
}

criterion_group!(benches, bench_perft, bench_operations);
criterion_main!(benches);
