//! Move counts of the variants, and positions with known best moves.

use std::path::Path;
use std::time::Instant;

use search::{Control, Limits, Root, STACK_SIZE, Score, Table, Verdict};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Color, Outcome, Position, PositionError};
use variants::{Board, Searcher, Variant, VariantPosition, evaluate, find, key, perft, short};

fn position(variant: Variant, fen: &str) -> VariantPosition {
    let setup = fen.parse::<Fen>().unwrap_or_else(|error| panic!("{fen}: {error}")).into_setup();
    let mode = CastlingMode::detect(&setup);
    VariantPosition::from_setup(variant, setup, mode)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn count(position: &VariantPosition, depth: u32) -> u64 {
    perft(position, depth, &mut || true).expect("it goes on")
}

/// Positions for edge cases of the rules. Herald (that is, shakmaty) and python-chess 1.11 agree on all counts.
const COUNTS: &[(Variant, &str, &str, u32, u64)] = &[
    (Variant::Crazyhouse, "in check, drops only between", "k7/8/8/8/8/8/8/r5K1[NPq] w - - 0 1", 3, 32_270),
    (
        Variant::Crazyhouse,
        "a promoted queen becomes a pawn again",
        "3k4/1Q~6/8/8/8/8/1r4b1/4K3[p] b - - 0 1",
        3,
        30_204,
    ),
    (
        Variant::Crazyhouse,
        "castling, en passant and a hand",
        "r3k2r/pp4pp/8/3pP3/8/8/PP4PP/R3K2R[Nb] w KQkq d6 0 1",
        3,
        164_291,
    ),
    (
        Variant::ThreeCheck,
        "the last check ends the game",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 1+2 0 1",
        4,
        306_831,
    ),
    (
        Variant::ThreeCheck,
        "checks by castling and en passant",
        "3k4/8/8/2pP4/8/8/8/R3K3 w Q c6 1+1 0 1",
        4,
        9_540,
    ),
    (Variant::Atomic, "kings that touch are safe", "8/8/8/3kK3/8/2q2N2/8/R7 w - - 0 1", 3, 16_325),
    (
        Variant::Atomic,
        "explosions next to castling rooks",
        "r3k2r/p1p2p1p/8/3N4/3n4/8/P1P2P1P/R3K2R w KQkq - 0 1",
        4,
        396_826,
    ),
    (Variant::Atomic, "en passant explodes as well", "3rk3/8/8/3pP3/2N5/8/8/4K3 w - d6 0 1", 4, 24_048),
    (Variant::Antichess, "promotion to king", "8/PPP5/8/8/8/8/ppp5/8 w - - 0 1", 4, 14_244),
    (Variant::Antichess, "en passant is compulsory", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 6, 3_845),
    (Variant::Antichess, "kings are captured", "8/3k4/2K1k3/3r4/8/8/2p5/1R6 b - - 0 1", 5, 65_076),
    (Variant::KingOfTheHill, "both kings near the hill", "8/8/2k5/8/8/5K2/3P4/8 w - - 0 1", 5, 34_876),
    (Variant::KingOfTheHill, "the hill is attacked", "8/2q5/8/1k6/8/5K2/3R4/8 w - - 0 1", 4, 191_340),
    (
        Variant::Horde,
        "two steps from the first rank",
        "r3k2r/pppppppp/8/8/3P4/PPP2PPP/8/PPPPPPPP w kq - 0 1",
        4,
        172_913,
    ),
    (Variant::Horde, "the last pawns promote or fall", "4k3/2P5/8/8/8/8/r6P/8 w - - 0 1", 5, 79_113),
    (Variant::RacingKings, "Black may draw level", "8/2K2k2/8/8/8/8/r6R/q6Q w - - 0 1", 3, 18_642),
    (
        Variant::RacingKings,
        "moves that would give check",
        "8/8/8/1K4k1/8/3N1n2/2R2r2/1B4b1 b - - 0 1",
        4,
        246_513,
    ),
];

#[test]
fn counts_of_our_own_positions() {
    for &(variant, what, fen, depth, expected) in COUNTS {
        assert_eq!(count(&position(variant, fen), depth), expected, "{variant}: {what}, {fen}");
    }
}

/// Perft suites of other projects, which are not part of this one.
#[test]
fn counts_of_the_suites() {
    const SUITES: &[(&str, Variant)] = &[
        ("3check", Variant::ThreeCheck),
        ("antichess", Variant::Antichess),
        ("atomic", Variant::Atomic),
        ("crazyhouse", Variant::Crazyhouse),
        ("giveaway", Variant::Antichess),
        ("horde", Variant::Horde),
        ("racingkings", Variant::RacingKings),
        ("tricky", Variant::Chess),
    ];
    /// All counts of the variants; the deeper ones of chess are left to `herald perft`.
    const MOST: u64 = 6_000_000;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/perft");
    for &(name, variant) in SUITES {
        let path = folder.join(name).with_extension("perft");
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        };
        let (mut current, mut checked) = (None, 0);
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("epd", epd)) => current = Some(position(variant, epd)),
                Some(("perft", counts)) => {
                    let (depth, expected) = counts.split_once(' ').expect("depth and count");
                    let (depth, expected) = (depth.parse().unwrap(), expected.trim().parse().unwrap());
                    if expected <= MOST {
                        let position = current.as_ref().expect("a position before its counts");
                        assert_eq!(count(position, depth), expected, "{name}, depth {depth}: {line}");
                        checked += 1;
                    }
                }
                _ => {}
            }
        }
        assert!(checked > 5, "{name}: only {checked} counts");
    }
}

#[test]
fn counting_can_be_ended() {
    let start = VariantPosition::new(Variant::Crazyhouse);
    let mut asked = 0;
    let mut goes_on = || {
        asked += 1;
        asked <= 10
    };
    assert_eq!(perft(&start, 5, &mut goes_on), None);
    assert_eq!(asked, 11);
}

/// Runs a test with the stack size that the search needs.
fn with_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

struct Analyst {
    table: Table,
    searcher: Searcher,
}

impl Analyst {
    fn new() -> Analyst {
        Analyst { table: Table::new(4).expect("memory"), searcher: Searcher::default() }
    }

    fn think(&mut self, root: &Root<Board>, limits: &Limits) -> search::Answer {
        self.searcher.think(&mut self.table, root, limits, &Control::new(), &Instant::now(), &mut ())
    }
}

fn root(position: VariantPosition) -> Root<Board> {
    Root::new(Board::Single(position), Vec::new())
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Regression test: a game was lost on time in this position, where forced captures after the first ply took 886,814
/// nodes.
#[test]
fn forced_captures_have_an_end() {
    with_stack(|| {
        let fen = "rnb1kbnr/pp1ppp1p/6p1/q7/3Q2P1/1P6/P1P1PP1P/RNB1KBNR w - - 1 5";
        let answer = Analyst::new().think(&root(position(Variant::Antichess, fen)), &depth(1));
        assert!(answer.best.is_some() && answer.nodes < 50_000, "{answer:?}");
    });
}

/// Positions of each variant that are won by its rules in one or two moves.
#[test]
fn wins_are_found_by_the_rules_of_the_variant() {
    const WINS: &[(Variant, &str, u32, &str)] = &[
        // A drop mates.
        (Variant::Crazyhouse, "6rk/6pp/8/8/8/8/6PP/6K1[N] w - - 0 1", 1, "N@f7"),
        // The third check wins although it is no mate.
        (Variant::ThreeCheck, "4k3/8/8/8/8/8/4P3/Q3K3 w - - 1+3 0 1", 1, ""),
        // A knight next to the king blows up both.
        (Variant::Atomic, "rnbqkbnr/pppp1ppp/8/4N3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1", 1, ""),
        // The last piece is given away.
        (Variant::Antichess, "8/8/8/3p4/8/4P3/8/8 w - - 0 1", 1, "e3e4"),
        (Variant::KingOfTheHill, "4k3/8/8/8/8/3K4/7r/8 w - - 0 1", 1, ""),
        // The last pawn of the horde falls.
        (Variant::Horde, "4k3/8/8/8/8/8/P6r/r7 b - - 0 1", 1, ""),
        (Variant::RacingKings, "8/4K3/8/8/8/8/k7/8 w - - 0 1", 1, ""),
        (Variant::Chess, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, "d1d8"),
    ];
    with_stack(|| {
        for &(variant, fen, moves, best) in WINS {
            let before = position(variant, fen);
            let answer = Analyst::new().think(&root(before.clone()), &depth(5));
            assert_eq!(answer.score.verdict(), Verdict::MateIn(moves), "{variant}: {fen}");
            let played = answer.best.expect("a move");
            assert!(best.is_empty() || played.to_string() == best, "{variant}: {played} in {fen}");
            let mut after = before.clone();
            let m = find(&after, played).expect("a legal move");
            after.play_unchecked(m);
            // Antichess is won only after the opponent's capture.
            if variant != Variant::Antichess {
                assert_eq!(after.outcome().winner(), Some(before.turn()), "{variant}: {fen}");
            }
        }
    });
}

/// Capturing the queen stalemates the last pawn of the horde, which does not win.
#[test]
fn quiescence_sees_a_stalemate() {
    with_stack(|| {
        let fen = "5Q1k/p7/P7/8/8/8/1q6/5r2 b - - 0 1";
        let answer = Analyst::new().think(&root(position(Variant::Horde, fen)), &depth(1));
        assert_eq!(answer.best.map(|m| m.to_string()).as_deref(), Some("h8h7"), "{answer:?}");
    });
}

/// Finished games are not searched; their score is the result.
#[test]
fn a_game_that_is_over_has_no_move() {
    const OVER: &[(Variant, &str, Score)] = &[
        (Variant::KingOfTheHill, "4k3/8/8/8/3K4/8/8/8 b - - 0 1", Score::mated_at(0)),
        (Variant::ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 3+0 0 1", Score::mated_at(0)),
        (Variant::Atomic, "8/8/8/8/8/8/8/4K3 b - - 0 1", Score::mated_at(0)),
        (Variant::Antichess, "8/8/8/8/8/8/8/4k3 w - - 0 1", Score::mate_at(0)),
        // The stalemated side wins.
        (Variant::Antichess, "8/8/8/8/p7/P7/8/8 w - - 0 1", Score::mate_at(0)),
        (Variant::Horde, "4k3/8/8/8/8/8/8/8 w - - 0 1", Score::mated_at(0)),
        (Variant::RacingKings, "4K3/8/8/8/8/8/k7/8 b - - 0 1", Score::mated_at(0)),
        (Variant::RacingKings, "4K2k/8/8/8/8/8/8/8 w - - 0 1", Score::DRAW),
        (Variant::Crazyhouse, "R5k1/5ppp/8/8/8/8/5PPP/6K1[] b - - 0 1", Score::mated_at(0)),
    ];
    with_stack(|| {
        for &(variant, fen, score) in OVER {
            let position = position(variant, fen);
            assert_eq!(evaluate(&position), score, "{variant}: {fen}");
            let answer = Analyst::new().think(&root(position), &depth(3));
            assert_eq!((answer.best, answer.score), (None, score), "{variant}: {fen}");
        }
    });
}

#[test]
fn a_search_depends_on_nothing_but_its_memory_and_its_arguments() {
    with_stack(|| {
        for variant in Variant::ALL {
            let think = || Analyst::new().think(&root(VariantPosition::new(variant)), &depth(5));
            let (first, second) = (think(), think());
            assert_eq!(first, second, "{variant}");
            assert!(first.best.is_some() && first.ponder.is_some() && first.depth == 5, "{variant}");
        }
    });
}

#[test]
fn limits_hold() {
    with_stack(|| {
        let position = VariantPosition::new(Variant::Crazyhouse);
        let start = root(position.clone());
        let limits = Limits { nodes: Some(5_000), ..Limits::default() };
        let answer = Analyst::new().think(&start, &limits);
        assert_eq!(answer.nodes, 5_000);
        let only = short(find_uci(&position, "h2h4"));
        let answer = Analyst::new().think(&Root { allowed: Some(vec![only]), ..start.clone() }, &depth(4));
        assert_eq!(answer.best, Some(only));
        let none = Root { allowed: Some(Vec::new()), ..start };
        let answer = Analyst::new().think(&none, &depth(4));
        assert_eq!((answer.best, answer.score), (None, Score::DRAW));
    });
}

fn find_uci(position: &VariantPosition, uci: &str) -> shakmaty::Move {
    uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(position).unwrap()
}

/// White's move repeats a position of the game for the third time, which is a draw whatever the material.
#[test]
fn repetitions_of_the_game_count() {
    with_stack(|| {
        let start = position(Variant::Crazyhouse, "7k/8/8/8/8/8/q7/1Q2K3[] w - - 20 40");
        let mut after = start.clone();
        let m = find_uci(&start, "b1b8");
        after.play_unchecked(m);
        // Two earlier occurrences, so another check draws.
        let earlier = vec![key(&after), 1, 2, 3, key(&after), 4, 5];
        let answer = Analyst::new()
            .think(&Root { earlier_keys: earlier, allowed: Some(vec![short(m)]), ..root(start) }, &depth(3));
        assert_eq!(answer.score, Score::DRAW);
    });
}

/// Random games: mirrored positions have equal evaluations, and equal positions have equal keys.
#[test]
fn random_games_of_all_variants() {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n as u64) as usize
    };
    for variant in Variant::ALL {
        let mut ends = 0;
        for _ in 0..20 {
            let mut current = VariantPosition::new(variant);
            for _ in 0..150 {
                let moves = current.legal_moves();
                if current.is_variant_end() || moves.is_empty() {
                    ends +=
                        usize::from(current.variant_outcome() != Outcome::Unknown || current.is_checkmate());
                    break;
                }
                check_symmetry(&current);
                current.play_unchecked(moves[below(moves.len())]);
            }
        }
        println!("{variant}: {ends} of 20 games ended by their rules");
    }
}

fn check_symmetry(position: &VariantPosition) {
    let setup = position.to_setup(shakmaty::EnPassantMode::Legal);
    let again = VariantPosition::from_setup(position.variant(), setup.clone(), CastlingMode::Standard);
    if let Ok(again) = again {
        assert_eq!(key(&again), key(position));
    }
    // Racing Kings and Horde are not symmetric.
    if matches!(position.variant(), Variant::RacingKings | Variant::Horde) {
        return;
    }
    let mirrored =
        VariantPosition::from_setup(position.variant(), setup.into_mirrored(), CastlingMode::Standard);
    if let Ok(mirrored) = mirrored {
        assert_eq!(mirrored.turn() == Color::White, position.turn() == Color::Black);
        assert_eq!(evaluate(&mirrored), evaluate(position), "{position:?}");
    }
}
