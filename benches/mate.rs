//! The mate solver against the playing search: the same positions, the same nodes, the same question (a mate within
//! so many moves, for the side to move).
//!
//! `cargo bench -p herald-search --bench mate` prints a line for each of the two: mates found, mates proven not to be
//! there, nodes, and nodes per second. The positions are random ones, the same in every run.

use std::time::Instant;

use search::mate::{Finding, Goal, Problem, Solver};
use search::{Control, Limits, Root, STACK_SIZE, Searcher, Table, Verdict};
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Piece, Position as _, Setup, Square};

const MEN: &str = "KkQRRBNNPPPPqrbbnpppp";
const POSITIONS: usize = 100;
const MOVES: u32 = 6;
const NODES: u64 = 50_000;
const MEBIBYTES: usize = 16;

/// Legal positions with these men on random squares.
fn positions() -> Vec<Root> {
    let mut random = 2026_u64;
    let mut next_square = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Square::new((random >> 33) as u32 % 64)
    };
    let mut roots = Vec::new();
    while roots.len() < POSITIONS {
        let mut setup = Setup::empty();
        for man in MEN.chars() {
            setup.board.set_piece_at(next_square(), Piece::from_char(man).expect("a piece"));
        }
        setup.turn = Color::White;
        if let Ok(chess) = Chess::from_setup(setup, CastlingMode::Standard)
            && !chess.legal_moves().is_empty()
        {
            roots.push(Root { position: (&chess).into(), ..Root::default() });
        }
    }
    roots
}

/// What one of the two found out.
#[derive(Default)]
struct Tally {
    mates: u32,
    refuted: u32,
    nodes: u64,
}

fn solve(roots: &[Root], limits: &Limits) -> Tally {
    let mut solver = Solver::new(MEBIBYTES).expect("memory");
    let mut tally = Tally::default();
    for root in roots {
        let problem = Problem { attacker: Color::White, moves: MOVES, goal: Goal::Within };
        let solution = solver.solve(root, problem, limits, &Control::new(), &Instant::now(), &mut ());
        tally.nodes += solution.nodes;
        tally.mates += u32::from(matches!(solution.finding, Finding::Mate(_)));
        tally.refuted += u32::from(solution.finding == Finding::NoMate);
    }
    tally
}

fn play(roots: &[Root], limits: &Limits) -> Tally {
    let mut searcher = Searcher::new(Table::new(MEBIBYTES).expect("memory"));
    let mut tally = Tally::default();
    for root in roots {
        searcher.clear();
        let answer = searcher.think(root, limits, &Control::new(), &Instant::now(), &mut ());
        tally.nodes += answer.nodes;
        let is_mate = matches!(answer.score.verdict(), Verdict::MateIn(moves) if moves <= MOVES);
        tally.mates += u32::from(is_mate);
    }
    tally
}

fn measure(name: &str, work: impl FnOnce() -> Tally) {
    let start = Instant::now();
    let Tally { mates, refuted, nodes } = work();
    let speed = nodes as f64 / start.elapsed().as_secs_f64();
    println!("MATE {name}: {mates} of {POSITIONS} mated, {refuted} refuted, {nodes} nodes, {speed:.0} nps");
}

fn main() {
    let roots = positions();
    let limits = Limits { nodes: Some(NODES), mate: Some(MOVES), ..Limits::default() };
    let work = || {
        measure("solver", || solve(&roots, &limits));
        measure("playing search", || play(&roots, &limits));
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        thread.expect("a thread").join().expect("no panic");
    });
}
