//! Compares the search's position with shakmaty's: move counts, legal moves, legality of all move codes, and keys.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use search::{Move, Position, perft};
use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _, PositionError};

fn chess(fen: &str) -> Chess {
    let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    fen.into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Positions for edge cases of the rules. Herald, shakmaty and Stockfish agree on all counts.
const COUNTS: &[(&str, &str, u32, u64)] = &[
    ("the start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
    (
        "Kiwipete: castling, pins, en passant, promotions",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        4,
        4_085_603,
    ),
    ("en passant would uncover a rook on the rank", "8/8/8/8/R2pP2k/8/3K4/8 b - e3 0 1", 5, 77_933),
    ("the pawn that gives check can be taken en passant", "8/8/8/2k5/3Pp3/8/8/4K2B b - d3 0 1", 5, 44_154),
    ("en passant along the line of a pin", "4k3/8/8/K1pP3q/8/8/8/7b w - c6 0 1", 5, 121_492),
    (
        "a pawn pinned on a diagonal may take en passant on it",
        "7b/8/5P2/3pP3/8/2K5/8/4k3 w - d6 0 1",
        5,
        40_079,
    ),
    ("promotions on both wings, with captures", "r1n1k3/1P4P1/8/8/8/8/1p4p1/R1N1K3 w Q - 0 1", 4, 409_933),
    ("promotion as the only way out of check", "k7/7P/8/8/8/8/6q1/K6b w - - 0 1", 5, 117_386),
    ("double check: only the king moves", "4k3/8/8/8/4r3/8/5n2/R3K2R w KQ - 0 1", 5, 768_139),
    (
        "castling through and out of attacks, both sides",
        "r3k2r/8/2n4N/1b4B1/1B4b1/2N4n/8/R3K2R w KQkq - 0 1",
        4,
        2_426_993,
    ),
    (
        "a capture takes the right to castle away",
        "r3k2r/1B4b1/8/8/8/8/1b4B1/R3K2R b KQkq - 0 1",
        4,
        1_363_049,
    ),
    ("218 legal moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 3, 19_073),
    ("rook ending with two passed pawns", "8/1k4p1/8/P7/5r2/2K5/1P4R1/8 b - - 3 41", 5, 2_536_822),
    ("an open middlegame", "r2q1rk1/1b2bppp/ppn1pn2/8/2BP4/P1N2N2/1P2QPPP/R1BR2K1 b - - 1 13", 4, 3_280_724),
    (
        "Chess960: king and rook change places",
        "1rk2r2/ppp2ppp/8/8/8/8/PPP2PPP/1RK2R2 w FBfb - 0 1",
        4,
        193_277,
    ),
    ("Chess960: the castling rook shields its king", "4k3/8/8/8/8/8/5P2/rR2K1R1 w GB - 0 1", 4, 75_395),
    ("Chess960: castling with the king in place", "5bk1/5ppp/8/8/8/8/PP6/1NR1BKR1 w GC - 0 1", 4, 168_599),
    ("Chess960: a start position", "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w KQkq - 0 1", 4, 163_115),
    (
        "Chess960: castling onto the square of the rook",
        "qr2k1r1/p1ppbppp/8/4n3/4N3/8/P1PPBPPP/QR2K1R1 b GBgb - 4 9",
        4,
        3_283_472,
    ),
];

#[test]
fn move_counts_of_our_own_positions() {
    for &(name, fen, depth, count) in COUNTS {
        assert_eq!(perft(&Position::from(&chess(fen)), depth), count, "{name}: {fen}");
    }
}

#[test]
fn shakmaty_counts_the_same_one_ply_less_deep() {
    for &(name, fen, depth, _) in COUNTS {
        let (chess, depth) = (chess(fen), depth - 1);
        assert_eq!(perft(&Position::from(&chess), depth), shakmaty::perft(&chess, depth), "{name}: {fen}");
    }
}

/// Runs a file of `FEN ;D1 count ;D2 count ...` up to a depth.
fn run_suite(name: &str, max_depth: u32) {
    let Some(path) = shared_data(&["perft", name]) else {
        eprintln!("skipped: {name} is not here");
        return;
    };
    let text = fs::read_to_string(path).expect("the suite can be read");
    let mut checked = 0;
    for line in text.lines() {
        let mut fields = line.split(';').map(str::trim);
        let Some(fen) = fields.next().filter(|fen| !fen.is_empty()) else { continue };
        let position = Position::from(&chess(fen));
        for field in fields {
            let (depth, count) = field[1..].split_once(' ').expect("a depth and a count");
            let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.trim().parse().unwrap());
            if depth <= max_depth {
                assert_eq!(perft(&position, depth), count, "{fen} depth {depth}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "only {checked} counts in {name}");
}

/// Returns a file of the shared data beside the project, if it exists.
fn shared_data(parts: &[&str]) -> Option<PathBuf> {
    let mut path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    path.extend(parts);
    path.exists().then_some(path)
}

#[test]
fn the_standard_suite() {
    run_suite("standard.epd", 5);
}

#[test]
fn the_chess960_suite() {
    run_suite("chess960.epd", 4);
}

/// Returns all 16-bit moves: all origins, targets and promotion pieces (or none), each with the highest bit set.
fn all_move_codes() -> impl Iterator<Item = Move> {
    (0..=u16::MAX).filter_map(Move::from_bits).filter(|&m| Move::to_bits(Some(m)) >> 12 & 7 <= 5)
}

fn encode(m: shakmaty::Move) -> Move {
    match m {
        shakmaty::Move::Normal { from, to, promotion: Some(role), .. } => Move::promoting(from, to, role),
        shakmaty::Move::Normal { from, to, .. } | shakmaty::Move::EnPassant { from, to } => {
            Move::new(from, to)
        }
        shakmaty::Move::Castle { king, rook } => Move::new(king, rook),
        shakmaty::Move::Put { .. } => unreachable!("no drops in chess"),
    }
}

/// Compares one position.
fn compare(chess: &Chess, position: &Position) {
    let context = || Fen::from_position(chess, EnPassantMode::Legal).to_string();
    assert_eq!(*position, Position::from(chess), "{}", context());
    assert_eq!(*position.keys(), position.keys_from_scratch(), "{}", context());
    assert_eq!(position.checkers(), chess.checkers(), "{}", context());
    assert_eq!(Position::from(&position.to_chess()), *position, "{}", context());

    let mut expected: Vec<u16> =
        chess.legal_moves().into_iter().map(|m| Move::to_bits(Some(encode(m)))).collect();
    let mut moves: Vec<u16> = position.legal_moves().iter().map(|&m| Move::to_bits(Some(m))).collect();
    expected.sort_unstable();
    moves.sort_unstable();
    assert_eq!(moves, expected, "{}", context());

    let mut staged = search::MoveList::default();
    position.generate_tactical(&mut staged);
    assert!(staged.iter().all(|&m| position.is_tactical(m)), "{}", context());
    let tactical = staged.len();
    position.generate_quiet(&mut staged);
    assert!(staged[tactical..].iter().all(|&m| !position.is_tactical(m)), "{}", context());
    assert_eq!(staged.len(), moves.len(), "{}", context());

    for m in chess.legal_moves() {
        let mut after = chess.clone();
        after.play_unchecked(m);
        assert_eq!(position.gives_check(encode(m)), after.is_check(), "{m:?} in {}", context());
        assert_eq!(position.captured(encode(m)), m.capture(), "{m:?} in {}", context());
    }
}

fn compare_legality(chess: &Chess, position: &Position) {
    let legal: Vec<Move> = chess.legal_moves().into_iter().map(encode).collect();
    for m in all_move_codes() {
        assert_eq!(position.is_legal(m), legal.contains(&m), "{m} in {chess:?}");
    }
}

/// Plays random moves and compares each position. Equal positions must have equal keys, different ones different keys.
fn walk(start: &Chess, choices: &[prop::sample::Index]) {
    let mut chess = start.clone();
    let mut position = Position::from(&chess);
    let mut keys: HashMap<Zobrist128, u64> = HashMap::new();
    for choice in choices {
        compare(&chess, &position);
        let identity = chess.zobrist_hash::<Zobrist128>(EnPassantMode::Legal);
        assert_eq!(*keys.entry(identity).or_insert(position.keys().full), position.keys().full);
        let moves = chess.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[choice.index(moves.len())];
        position = position.make(encode(m));
        chess.play_unchecked(m);
    }
    compare_legality(&chess, &position);
    let distinct: std::collections::HashSet<u64> = keys.values().copied().collect();
    assert_eq!(distinct.len(), keys.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_walks_agree_with_shakmaty(
        start in prop::sample::select(COUNTS),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..150),
    ) {
        walk(&chess(start.1), &choices);
    }

    #[test]
    fn random_walks_of_chess960_agree_with_shakmaty(
        (white, black) in (0u32..960, 0u32..960),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..150),
    ) {
        walk(&double_chess960(white, black), &choices);
    }
}

/// Returns a start position with different Chess960 set-ups for White and Black.
fn double_chess960(white: u32, black: u32) -> Chess {
    use shakmaty::{Bitboard, Board, Color, FromSetup as _, Setup};
    let (ours, theirs) = (Board::chess960(white), Board::chess960(black));
    let mut setup = Setup::empty();
    for (board, color) in [(ours, Color::White), (theirs, Color::Black)] {
        for square in board.by_color(color) {
            setup.board.set_piece_at(square, board.piece_at(square).expect("occupied"));
        }
    }
    setup.castling_rights = setup.board.rooks() & Bitboard::BACKRANKS;
    Chess::from_setup(setup, CastlingMode::Chess960).expect("start positions are legal")
}

#[test]
fn passing_changes_only_the_turn() {
    let position = Position::from(&chess("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 2"));
    let passed = position.make_null();
    assert_eq!(*passed.keys(), passed.keys_from_scratch());
    assert_ne!(position.turn(), passed.turn());
    assert_eq!(position.keys().pawn, passed.keys().pawn);
    assert_eq!(passed.make_null().halfmoves(), 2);
}

#[test]
fn the_key_ignores_an_en_passant_square_that_nobody_can_use() {
    let [with, without] = ["d6", "-"].map(|square| {
        Position::from(&chess(&format!("4k3/8/8/K2pP2r/8/8/8/8 w - {square} 0 1"))).keys().full
    });
    assert_eq!(with, without, "the capture would expose the king");
}

#[test]
fn the_hash_table_tells_positions_near_the_fifty_move_limit_from_others() {
    let at = |halfmoves| Position::from(&chess(&format!("8/8/8/3k4/8/3K4/3R4/8 w - - {halfmoves} 80")));
    assert_eq!(at(0).keys().full, at(95).keys().full, "they repeat each other");
    assert_eq!(at(0).table_key(), at(19).table_key());
    let keys = [19, 20, 28, 60, 95].map(|halfmoves| at(halfmoves).table_key());
    let distinct: std::collections::HashSet<u64> = keys.into_iter().collect();
    assert_eq!(distinct.len(), keys.len());
}

/// Exchanges calculated by hand (pawn 100, minor piece 320, rook 500, queen 950).
#[test]
fn static_exchanges() {
    for (fen, m, value) in [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
        ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
        ("4k3/8/2p5/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5", -400),
        ("4k3/8/2p5/3p4/8/3R4/3R4/3QK3 w - - 0 1", "d3d5", -300),
        ("3rk3/3r4/8/3p4/8/3R4/3R4/3QK3 w - - 0 1", "d3d5", 100),
        ("4k3/8/8/3n4/8/8/6B1/4K3 w - - 0 1", "g2d5", 320),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 1350),
        ("r2bk3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7a8q", 1350),
        ("3rk3/8/8/1pPr4/8/8/8/4K3 w - b6 0 1", "c5b6", 100),
        ("8/8/2k5/3r4/4K3/8/8/8 w - - 0 1", "e4e3", 0),
        ("4k3/8/8/8/8/6n1/8/R3K2R w KQ - 0 1", "e1a1", 0),
    ] {
        let position = Position::from(&chess(fen));
        let m = *position.legal_moves().iter().find(|legal| legal.to_string() == m).expect("legal");
        assert!(position.see_at_least(m, value), "{m} in {fen} is worth {value}");
        assert!(!position.see_at_least(m, value + 1), "{m} in {fen} is not worth more than {value}");
    }
}
