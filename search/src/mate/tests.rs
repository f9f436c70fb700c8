use std::collections::HashMap;
use std::time::Instant;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, Position as _, Setup, Square};

use super::*;
use crate::{Position, STACK_SIZE};

fn chess(fen: &str) -> Chess {
    let fen: Fen = fen.parse().expect("a FEN");
    fen.into_position(CastlingMode::Chess960).expect("a legal position")
}

fn root(chess: &Chess) -> Root {
    Root { position: chess.into(), ..Root::default() }
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Runs `work` on a thread with the stack size that a solver needs.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        thread.expect("a thread").join().expect("no panic")
    })
}

fn solve_with(solver: &mut Solver, root: &Root, problem: Problem, limits: &Limits) -> Solution {
    solver.solve(root, problem, limits, &Control::new(), &Instant::now(), &mut ())
}

fn solve(root: &Root, attacker: Color, moves: u32) -> Finding {
    let problem = Problem { attacker, moves, goal: Goal::Shortest };
    let mut solver = Solver::new(4).expect("4 MiB");
    with_stack(|| solve_with(&mut solver, root, problem, &nodes(3_000_000)).finding)
}

/// Returns the position after a move of the search.
fn play(chess: &Chess, m: Move) -> Chess {
    let next = Position::from(chess).make(m);
    let found = chess.legal_moves().into_iter().find_map(|legal| {
        let after = chess.clone().play(legal).expect("legal");
        (Position::from(&after).keys() == next.keys()).then_some(after)
    });
    found.unwrap_or_else(|| panic!("{m} is not legal"))
}

/// Asserts that the finding is a mate of this length whose line is legal and ends in mate.
fn check_mate(chess: &Chess, attacker: Color, finding: &Finding, moves: u32) {
    let fen = Fen::from_position(chess, shakmaty::EnPassantMode::Legal);
    let Finding::Mate(mate) = finding else { panic!("{fen}: {finding:?} instead of a mate in {moves}") };
    assert_eq!(mate.moves, moves, "{fen}: {mate:?}");
    assert_eq!(mate.line.len() as u32 + u32::from(chess.turn() == attacker), 2 * moves, "{fen}: {mate:?}");
    let end = mate.line.iter().fold(chess.clone(), |chess, &m| play(&chess, m));
    assert!(end.is_checkmate() && end.turn() != attacker, "{fen}: {mate:?}");
}

/// Reference solver: an exhaustive search with shakmaty's rules.
#[derive(Default)]
struct BruteForce {
    known: HashMap<(Chess, u32), bool>,
}

impl BruteForce {
    fn mates(&mut self, chess: &Chess, attacker: Color, moves: u32) -> bool {
        if moves == 0 {
            return chess.turn() != attacker && chess.is_checkmate();
        }
        let key = (chess.clone(), moves);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let is_attack = chess.turn() == attacker;
        let moves_left = moves - u32::from(is_attack);
        let mut after = chess.legal_moves().into_iter().map(|m| chess.clone().play(m).expect("legal"));
        let mates = if is_attack {
            after.any(|next| self.mates(&next, attacker, moves_left))
        } else if after.len() == 0 {
            chess.is_check()
        } else {
            after.all(|next| self.mates(&next, attacker, moves_left))
        };
        self.known.insert(key, mates);
        mates
    }

    fn shortest(&mut self, chess: &Chess, attacker: Color, most: u32) -> Option<u32> {
        (0..=most).find(|&moves| self.mates(chess, attacker, moves))
    }
}

#[test]
fn mates_are_found_and_proven_shortest() {
    // All composed for this project, with few enough pieces for brute force.
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
        ("8/8/8/8/8/5k2/4q3/7K b - - 0 1", 1),
        // The quiet moves of rook and king, and of the queen, which must not stalemate.
        ("k7/8/2K5/8/8/8/8/7R w - - 0 1", 2),
        ("7k/8/4K3/8/8/8/8/1Q6 w - - 0 1", 3),
        ("4k3/8/4K3/8/8/8/8/R7 w - - 0 1", 1),
        ("3k4/8/4K3/8/8/8/8/R7 w - - 0 1", 2),
        ("8/8/8/8/4k3/8/3q4/7K b - - 0 1", 2),
    ] {
        let chess = chess(fen);
        let finding = solve(&root(&chess), chess.turn(), 6);
        assert_eq!(BruteForce::default().shortest(&chess, chess.turn(), 6), Some(moves), "{fen}");
        check_mate(&chess, chess.turn(), &finding, moves);
        assert!(matches!(finding, Finding::Mate(Mate { is_shortest: true, .. })), "{fen}");
        assert_eq!(solve(&root(&chess), chess.turn(), moves - 1), Finding::NoMate, "{fen}");
        // The side to move of a won position is not mated.
        assert_eq!(solve(&root(&chess), !chess.turn(), 2), Finding::NoMate, "{fen}");
    }
}

/// Deterministic random numbers (the generator of D. Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns a legal position with kings and these pieces on random squares, sometimes with castling rights.
    fn position(&mut self, men: &str) -> Chess {
        loop {
            let mut setup = Setup::empty();
            for man in "Kk".chars().chain(men.chars()) {
                let square = Square::new(self.below(64) as u32);
                let piece = shakmaty::Piece::from_char(man).expect("a piece");
                setup.board.set_piece_at(square, piece);
            }
            setup.turn = Color::from_white(self.below(2) == 0);
            if let Ok(chess) = Chess::from_setup(setup.clone(), CastlingMode::Chess960)
                && chess.board().occupied().count() == men.len() + 2
            {
                // Castling rights where king and rook happen to stand on the right squares.
                setup.castling_rights = chess.board().rooks();
                return Chess::from_setup(setup, CastlingMode::Chess960).unwrap_or(chess);
            }
        }
    }
}

#[test]
fn random_positions_are_judged_as_by_brute_force() {
    let mut random = Random(2026);
    let mut solver = Solver::new(1).expect("1 MiB");
    let mut mates = 0;
    with_stack(|| {
        for men in ["Q", "RR", "QP", "QN", "PPp", "RBp", "QRr", "NNPp", "QBrp", "PPpp"] {
            for _ in 0..100 {
                let chess = random.position(men);
                for attacker in [Color::White, Color::Black] {
                    let problem = Problem { attacker, moves: 2, goal: Goal::Shortest };
                    let found = solve_with(&mut solver, &root(&chess), problem, &Limits::default()).finding;
                    match BruteForce::default().shortest(&chess, attacker, 2) {
                        Some(moves) => {
                            check_mate(&chess, attacker, &found, moves);
                            mates += 1;
                        }
                        None => assert_eq!(found, Finding::NoMate, "{:?}", chess.board()),
                    }
                }
            }
        }
    });
    assert!(mates > 40, "only {mates} mates");
}

#[test]
fn keys_are_told_without_making_the_move() {
    let mut random = Random(7);
    let mut told = 0;
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        for _ in 0..40 {
            let mut position = Position::from(&chess(fen));
            for _ in 0..60 {
                let moves = position.legal_moves();
                for &m in moves.iter() {
                    let key = position.full_key_after(m);
                    assert!(key.is_none_or(|key| key == position.make(m).keys().full), "{m}");
                    told += u32::from(key.is_some());
                }
                if moves.is_empty() {
                    break;
                }
                position = position.make(moves[random.below(moves.len() as u64) as usize]);
            }
        }
    }
    assert!(told > 50_000, "only {told} keys");
}

#[test]
fn a_knight_may_be_the_only_promotion_that_mates() {
    let chess = chess("6br/5P1k/5K2/6P1/8/8/8/8 w - - 0 1");
    let finding = solve(&root(&chess), Color::White, 1);
    check_mate(&chess, Color::White, &finding, 1);
    let Finding::Mate(mate) = finding else { unreachable!() };
    assert_eq!(mate.line[0].to_string(), "f7f8n");
}

#[test]
fn en_passant_can_be_the_only_way_out() {
    // The pawn that came to d4 gives check, and only the pawn on e4 can take it.
    let escape = chess("3R4/8/R7/4k3/3Pp3/8/8/5RK1 b - d3 0 1");
    assert_eq!(escape.legal_moves().len(), 1);
    assert_eq!(solve(&root(&escape), Color::White, 0), Finding::NoMate);
    let before = chess("3R4/8/R7/4k3/4p3/8/3P4/5RK1 w - - 0 1");
    let push = Move::new(Square::D2, Square::D4);
    let only = Root { allowed: Some(vec![push]), ..root(&before) };
    assert_eq!(solve(&only, Color::White, 1), Finding::NoMate);
    let without = chess("3R4/8/R7/4k3/4b3/8/3P4/5RK1 w - - 0 1");
    let only = Root { allowed: Some(vec![push]), ..root(&without) };
    check_mate(&without, Color::White, &solve(&only, Color::White, 1), 1);
}

#[test]
fn castling_is_an_escape_in_chess960_too() {
    for pieces in ["5kr1/6N1/8/R6p/5K1p/6p1/2Q5/8", "K4kr1/1p6/6p1/4R3/6Q1/2p5/6N1/8"] {
        let (with, without) = (chess(&format!("{pieces} w g - 0 1")), chess(&format!("{pieces} w - - 0 1")));
        check_mate(&without, Color::White, &solve(&root(&without), Color::White, 2), 2);
        assert_eq!(solve(&root(&with), Color::White, 2), Finding::NoMate, "{pieces}");
    }
}

#[test]
fn the_defender_is_mated_whatever_it_plays() {
    let chess = chess("k7/8/1K6/8/8/8/8/7R b - - 0 1");
    check_mate(&chess, Color::White, &solve(&root(&chess), Color::White, 3), 1);
    let mated = self::chess("k6R/8/1K6/8/8/8/8/8 b - - 0 1");
    check_mate(&mated, Color::White, &solve(&root(&mated), Color::White, 0), 0);
    let stalemate = self::chess("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(solve(&root(&stalemate), Color::White, 5), Finding::NoMate);
    let lone = self::chess("7k/8/6K1/6B1/8/8/8/8 w - - 0 1");
    assert_eq!(solve(&root(&lone), Color::White, MAX_MOVES + 1), Finding::NoMate);
}

#[test]
fn mate_on_the_hundredth_ply_comes_before_the_fifty_moves() {
    for (halfmoves, is_mate) in [(0, true), (97, true), (98, false), (99, false)] {
        let chess = chess(&format!("7k/8/8/8/8/8/R7/1R4K1 w - - {halfmoves} 80"));
        let finding = solve(&root(&chess), Color::White, 2);
        assert_eq!(finding != Finding::NoMate, is_mate, "after {halfmoves}: {finding:?}");
    }
    // A pawn move resets the halfmove clock in time.
    let chess = chess("7k/8/8/8/8/8/R5P1/1R4K1 w - - 98 80");
    assert_eq!(solve(&root(&chess), Color::White, 2), Finding::NoMate);
    let Finding::Mate(mate) = solve(&root(&chess), Color::White, 6) else { panic!("a mate") };
    assert_eq!(play(&chess, mate.line[0]).halfmoves(), 0);
    check_mate(&chess, Color::White, &Finding::Mate(mate.clone()), mate.moves);
}

#[test]
fn a_position_that_comes_up_for_the_third_time_is_no_way_to_mate() {
    let chess = chess("7k/8/8/8/8/8/R7/1R4K1 w - - 20 40");
    let fresh = root(&chess);
    let Finding::Mate(mate) = solve(&fresh, Color::White, 2) else { panic!("a mate in two") };
    // Every position after a first move that mates in two has occurred twice.
    let after = |m: &Move| fresh.position.make(*m).keys().full;
    let twice: Vec<u64> =
        fresh.position.legal_moves().iter().flat_map(|m| [after(m), 1, after(m), 2]).collect();
    let repeated = Root { earlier_keys: twice, ..fresh.clone() };
    assert_eq!(solve(&repeated, Color::White, 2), Finding::NoMate);
    let once = Root { earlier_keys: vec![after(&mate.line[0]), 1], ..fresh };
    check_mate(&chess, Color::White, &solve(&once, Color::White, 2), 2);
}

#[test]
fn limits_and_the_control_are_obeyed() {
    let chess = chess("r1bq1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 w - - 0 9");
    let problem = Problem { attacker: Color::White, moves: 6, goal: Goal::Within };
    let mut solver = Solver::new(1).expect("1 MiB");
    with_stack(|| {
        for limit in [0, 1, 1000, 12_345] {
            let solution = solve_with(&mut solver, &root(&chess), problem, &nodes(limit));
            assert_eq!(solution, Solution { finding: Finding::Undecided, nodes: limit });
        }
        let time = crate::TimeLimit::PerMove(std::time::Duration::from_millis(20));
        let limits = Limits { time, ..Limits::default() };
        assert_eq!(solve_with(&mut solver, &root(&chess), problem, &limits).finding, Finding::Undecided);
        let control = Control::new();
        control.stop();
        let stopped =
            solver.solve(&root(&chess), problem, &Limits::default(), &control, &Instant::now(), &mut ());
        assert_eq!(stopped.finding, Finding::Undecided);
    });
}

/// The solver begins with a look at the control, so that a suspended one has found nothing.
#[test]
fn a_suspended_solver_stands_still_and_goes_on() {
    let chess = chess("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1");
    let problem = Problem { attacker: Color::White, moves: 4, goal: Goal::Shortest };
    let control = Control::new();
    control.suspend();
    std::thread::scope(|scope| {
        let solved = scope.spawn(|| {
            let mut solver = Solver::new(1).expect("1 MiB");
            let limits = Limits::default();
            with_stack(|| solver.solve(&root(&chess), problem, &limits, &control, &Instant::now(), &mut ()))
        });
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert!(!solved.is_finished());
        control.resume();
        check_mate(&chess, Color::White, &solved.join().expect("no panic").finding, 2);
    });
}

#[test]
fn only_allowed_moves_are_considered() {
    let chess = chess("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1");
    let ladder = Move::new(Square::A2, Square::A7);
    let only = Root { allowed: Some(vec![ladder]), ..root(&chess) };
    check_mate(&chess, Color::White, &solve(&only, Color::White, 4), 2);
    let slow = Move::new(Square::G1, Square::H1);
    let rest = BruteForce::default().shortest(&play(&chess, slow), Color::White, 3).expect("a mate");
    let only = Root { allowed: Some(vec![slow]), ..root(&chess) };
    check_mate(&chess, Color::White, &solve(&only, Color::White, 6), 1 + rest);
    let nothing = Root { allowed: Some(Vec::new()), ..root(&chess) };
    assert_eq!(solve(&nothing, Color::White, 4), Finding::NoMate);
    assert_eq!(solve(&nothing, Color::Black, 4), Finding::NoMate);
}

#[derive(Default)]
struct Heard(Vec<Score>);

impl Observer for Heard {
    fn report(&mut self, report: &Report) {
        assert!(!report.principal_variation.is_empty());
        self.0.push(report.score);
    }
}

#[test]
fn the_observer_hears_of_ever_shorter_mates() {
    let chess = chess("7k/8/4K3/8/8/8/8/1Q6 w - - 0 1");
    let problem = Problem { attacker: Color::White, moves: 12, goal: Goal::Shortest };
    let mut heard = Heard::default();
    let solution = with_stack(|| {
        let mut solver = Solver::new(1).expect("1 MiB");
        let limits = Limits::default();
        solver.solve(&root(&chess), problem, &limits, &Control::new(), &Instant::now(), &mut heard)
    });
    check_mate(&chess, Color::White, &solution.finding, 3);
    assert_eq!(heard.0.last(), Some(&Score::mate_at(5)));
    assert!(heard.0.is_sorted(), "{:?}", heard.0);
}

#[test]
fn a_told_line_is_proven_where_the_solver_alone_reaches_its_limit() {
    // A mate in eight with the queen: quiet moves of the king and many replies.
    let chess = chess("8/8/8/5k2/8/8/4Q3/4K3 w - - 0 1");
    let root = root(&chess);
    let mut few_men = FewMen::default();
    let problem = Problem { attacker: Color::White, moves: 20, goal: Goal::Within };
    let Some(Finding::Mate(told)) = few_men.solve(&root, problem) else { panic!("a mate with the queen") };
    let problem = Problem { moves: told.moves, ..problem };
    let mut solver = Solver::new(16).expect("16 MiB");
    let (control, clock) = (Control::new(), Instant::now());
    let limits = nodes(1_000_000);
    let proven = with_stack(|| {
        solver.solve_told(&root, problem, (&told.line, &mut Silent), &limits, &control, &clock)
    });
    check_mate(&chess, Color::White, &proven.finding, told.moves);
    let alone = with_stack(|| solve_with(&mut solver, &root, problem, &limits));
    assert!(proven.nodes < alone.nodes, "{} and {} nodes", proven.nodes, alone.nodes);
    // A line that is illegal, or leads elsewhere, does no harm.
    let mut other = told.line.clone();
    other.reverse();
    let short = Problem { moves: 1, ..problem };
    let wrong =
        with_stack(|| solver.solve_told(&root, short, (&other, &mut Silent), &limits, &control, &clock));
    assert_eq!(wrong.finding, Finding::NoMate);
}

/// Has no advice.
struct Silent;

impl Adviser for Silent {
    fn advise(&mut self, _: &Position, _: u32) -> (Option<Vec<Move>>, u64) {
        (None, 0)
    }
}

/// Knows all endings of few men, and counts how often it is asked.
#[derive(Default)]
struct Expert(FewMen, u64);

impl Adviser for Expert {
    fn advise(&mut self, position: &Position, moves: u32) -> (Option<Vec<Move>>, u64) {
        self.1 += 1;
        let root = Root { position: position.clone(), ..Root::default() };
        let problem = Problem { attacker: position.turn(), moves, goal: Goal::Within };
        match self.0.solve(&root, problem) {
            Some(Finding::Mate(mate)) => (Some(mate.line), 1),
            _ => (None, 1),
        }
    }
}

#[test]
fn advice_shortens_the_proof() {
    let chess = chess("8/8/8/5k2/8/8/4Q3/4K3 w - - 0 1");
    let root = root(&chess);
    let (control, clock, limits) = (Control::new(), Instant::now(), nodes(3_000_000));
    let (moves, alone, advised, asked) = with_stack(|| {
        let (mut solver, mut expert) = (Solver::new(16).expect("16 MiB"), Expert::default());
        let told = expert.advise(&root.position, 16).0.expect("a mate with the queen");
        let moves = told.len().div_ceil(2) as u32;
        let problem = Problem { attacker: Color::White, moves, goal: Goal::Within };
        let mut prove = |adviser: &mut dyn Adviser| {
            solver.solve_told(&root, problem, (&told, adviser), &limits, &control, &clock)
        };
        let (alone, advised) = (prove(&mut Silent), prove(&mut expert));
        (moves, alone, advised, expert.1)
    });
    check_mate(&chess, Color::White, &advised.finding, moves);
    assert!(asked > 1 && advised.nodes < alone.nodes, "{asked}, {} and {}", advised.nodes, alone.nodes);
}
