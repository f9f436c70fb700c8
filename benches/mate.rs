//! Compares the mate solver with the playing search: the same positions, node limit and number of moves to mate in, for
//! the side to move.
//!
//! `cargo bench -p herald-search --bench mate` prints one line for each: mates found, positions proven to have no mate,
//! nodes, and nodes per second. The positions are random, but the same in every run.
//!
//! With `-- FILE [NODES]` only the solver runs, on a file of records such as `FEN bm #3;`, where the side to move mates
//! in three, or `bm #-3`, where it is mated, with 1,000,000 nodes each by default, on all processors. A mate counts if
//! it is no longer than stated and its line is legal and ends in mate. `tests/peers/mates.py` runs other programs on
//! the same records.

use std::fs;
use std::sync::Mutex;
use std::time::Instant;

use search::mate::{Finding, Goal, Mate, Problem, Solver};
use search::{Control, Limits, Root, STACK_SIZE, Searcher, Table, Verdict};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Piece, Position as _, Setup, Square};

const MEN: &str = "KkQRRBNNPPPPqrbbnpppp";
const POSITIONS: usize = 100;
const MOVES: u32 = 6;
const NODES: u64 = 50_000;
const MEBIBYTES: usize = 16;

/// Returns legal positions with given pieces on random squares.
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

/// Results of one of the two.
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
    let mut table = Table::new(MEBIBYTES).expect("memory");
    let mut searcher = Searcher::default();
    let mut tally = Tally::default();
    for root in roots {
        table.clear();
        searcher.clear();
        let answer = searcher.think(&mut table, root, limits, &Control::new(), &Instant::now(), &mut ());
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

/// A record of the file.
struct Record {
    root: Root,
    attacker: Color,
    moves: u32,
}

impl Record {
    fn read(line: &str) -> Option<Record> {
        let (fen, distance) = line.trim_end().trim_end_matches(';').split_once(" bm #")?;
        let distance: i32 = distance.parse().ok()?;
        let chess: Chess = fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()?;
        let turn = chess.turn();
        let attacker = if distance > 0 { turn } else { !turn };
        let root = Root { position: (&chess).into(), ..Root::default() };
        Some(Record { root, attacker, moves: distance.unsigned_abs() })
    }

    /// Whether the line of a mate is legal and ends in mate.
    fn is_right(&self, mate: &Mate) -> bool {
        let mut position = self.root.position.clone();
        let is_legal = mate.line.iter().all(|mv| {
            let is_legal = position.legal_moves().contains(mv);
            if is_legal {
                position = position.make(*mv);
            }
            is_legal
        });
        is_legal
            && position.is_check()
            && position.legal_moves().is_empty()
            && position.turn() != self.attacker
    }
}

/// Solves all records of a file and prints how many mates were found.
fn suite(path: &str, nodes: u64) {
    let text = fs::read_to_string(path).expect("a file of records");
    let records: Vec<Record> = text.lines().filter_map(Record::read).collect();
    let (next, tallies) = (Mutex::new(records.iter()), Mutex::new([0; 2]));
    let work = || {
        let mut solver = Solver::new(MEBIBYTES).expect("memory");
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        loop {
            let Some(record) = next.lock().expect("no panic").next() else { break };
            let problem = Problem { attacker: record.attacker, moves: record.moves, goal: Goal::Within };
            let solution =
                solver.solve(&record.root, problem, &limits, &Control::new(), &Instant::now(), &mut ());
            if let Finding::Mate(mate) = solution.finding
                && mate.moves <= record.moves
                && record.is_right(&mate)
            {
                let is_mover = record.attacker == record.root.position.turn();
                tallies.lock().expect("no panic")[usize::from(is_mover)] += 1;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work).expect("a thread");
        }
    });
    let [mated, found] = tallies.into_inner().expect("no panic");
    println!("MATE {} of {}: the mover mates in {found}, is mated in {mated}", found + mated, records.len());
}

fn main() {
    let mut given = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    if let Some(path) = given.next() {
        let nodes = given.next().map_or(1_000_000, |nodes| nodes.parse().expect("a number of nodes"));
        suite(&path, nodes);
        return;
    }
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
