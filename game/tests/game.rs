//! The game state, on cases where the rules are easily got wrong.

#[path = "game/variants.rs"]
mod variants;

use game::{CastlingMode, Color, DrawReason, FenError, Game, Outcome, Variant, VariantPosition, WinReason};
use proptest::prelude::*;
use shakmaty::{Piece, Position as _, Setup, Square};

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect("a legal position")
}

fn play(game: &mut Game, moves: &str) {
    game.play_line(moves.split_whitespace()).expect("legal moves");
}

#[test]
fn the_start_position_is_known_as_such_only_before_the_first_move() {
    let mut game = Game::default();
    assert_eq!(game.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(game.is_start_position());
    play(&mut game, "Nf3 Nf6 Ng1 Ng8");
    assert!(!game.is_start_position());
    assert!(game.has_standard_start());
    assert!(!self::game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3 7").is_start_position());
}

#[test]
fn missing_counters_are_filled_in() {
    assert_eq!(game("4k3/8/8/8/8/8/8/4K2R b K -").fen(), "4k3/8/8/8/8/8/8/4K2R b K - 0 1");
    assert_eq!(game("4k3/8/8/8/8/8/8/4K2R b K - 7").fen(), "4k3/8/8/8/8/8/8/4K2R b K - 7 1");
    assert_eq!(game("4k3/8/8/8/8/8/8/4K2R_b_K_-_7_0").fen(), "4k3/8/8/8/8/8/8/4K2R b K - 7 1");
}

#[test]
fn what_the_board_contradicts_is_dropped() {
    // No rook on a1, no pawn behind the en passant square, and a square on the wrong rank.
    assert_eq!(game("4k3/8/8/8/8/8/8/4K2R w KQkq e6 0 1").fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!(game("4k3/8/8/8/8/8/8/4K3 w - e4 0 1").fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    // Nobody can capture there, so that the square means nothing.
    assert_eq!(game("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1").fen(), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
    assert_eq!(game("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1").fen(), "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
    // Two knights can't give check at once, but such boards are set up for amusement.
    assert_eq!(game("4k3/2N3N1/8/8/8/8/8/4K3 b - - 0 1").legal_moves().len(), 5);
}

#[test]
fn rights_that_only_chess960_has_switch_the_mode() {
    let switched = game("1rk2r2/8/8/8/8/8/8/1RK2R2 w KQkq - 0 1");
    assert_eq!(
        (switched.mode(), switched.fen().as_str()),
        (CastlingMode::Chess960, "1rk2r2/8/8/8/8/8/8/1RK2R2 w FBfb - 0 1")
    );
    let shredder = game("1rk2r2/8/8/8/8/8/8/1RK2R2 w FBfb - 0 1");
    assert_eq!(shredder.fen(), switched.fen());
    // X-FEN: the inner rook has to be named.
    assert_eq!(game("k7/8/8/8/8/8/8/2K1R1R1 w E - 0 1").fen(), "k7/8/8/8/8/8/8/2K1R1R1 w E - 0 1");

    let standard = game("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1");
    assert_eq!(
        (standard.mode(), standard.fen().as_str()),
        (CastlingMode::Standard, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    );
    let asked = Game::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", CastlingMode::Chess960).unwrap();
    assert_eq!(asked.fen(), "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1");
}

#[test]
fn a_refused_fen_says_what_is_wrong() {
    let refused = |fen: &str| Game::from_fen(fen, CastlingMode::Standard).expect_err(fen);
    let long = format!("{} w - - 0 1 ? ?", "x".repeat(500));
    for fen in ["", "8/8", "4k3/8/8/8/8/8/8/4K3 w -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 7", &long] {
        let error = refused(fen);
        assert!(matches!(error, FenError::Fields { .. }), "{fen}: {error}");
        assert!(error.to_string().chars().count() < 220, "{error}");
    }
    for board in [
        "4k3/8/8/8/8/8/8",
        "4k3/8/8/8/8/8/8/4K4",
        "4k3/8/8/8/8/8/8/4K2X",
        "4k3/8/8/8/8/8/8/4K3/PP",
        "4k3/8/8/8/8/8/8/4K3[Q]",
        "4k3/9/8/8/8/8/8/4K3",
    ] {
        assert_eq!(refused(&format!("{board} w - - 0 1")), FenError::Board { field: board.to_owned() });
    }
    let of = |fields: &str| refused(&format!("4k3/8/8/8/8/8/8/4K3 {fields}"));
    assert_eq!(of("x - - 0 1"), FenError::Turn { field: "x".to_owned() });
    assert_eq!(of("w KX - 0 1"), FenError::Castling { field: "KX".to_owned() });
    assert_eq!(of("w ABC - 0 1"), FenError::Castling { field: "ABC".to_owned() });
    assert_eq!(of("w - e9 0 1"), FenError::EnPassant { field: "e9".to_owned() });
    for halfmoves in ["-1", "65536", "99999999999999999999", "x", "3+3"] {
        assert_eq!(of(&format!("w - - {halfmoves} 1")), FenError::Halfmoves { field: halfmoves.to_owned() });
    }
    assert_eq!(of("w - - 0 65536"), FenError::Fullmoves { field: "65536".to_owned() });
}

#[test]
fn a_refused_position_says_what_is_wrong() {
    let refused = |fen: &str| Game::from_fen(fen, CastlingMode::Standard).expect_err(fen);
    let kings = |fen: &str| match refused(fen) {
        FenError::Kings { color, count, .. } => (color, count),
        other => panic!("{other}"),
    };
    assert_eq!(kings("8/8/8/8/8/8/8/4K3 w - - 0 1"), (Color::Black, 0));
    assert_eq!(kings("4k3/8/8/8/8/8/8/8 w - - 0 1"), (Color::White, 0));
    assert_eq!(kings("4k3/8/8/8/8/8/8/K3K3 w - - 0 1"), (Color::White, 2));
    assert!(matches!(kings("8/8/8/8/8/8/8/8 w - - 0 1"), (_, 0)));
    assert!(matches!(refused("4k2P/8/8/8/8/8/8/4K3 w - - 0 1"), FenError::PawnOnBackRank { .. }));
    assert_eq!(
        refused("4k3/8/8/8/8/8/8/4RK2 w - - 0 1").to_string(),
        "illegal position `4k3/8/8/8/8/8/8/4RK2 w - - 0 1`: black is in check, but it is not black's move"
    );
    for fen in [
        "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",  // nine pawns
        "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", // a second queen, but no pawn is missing
        "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", // seventeen men
    ] {
        assert!(matches!(refused(fen), FenError::TooMuchMaterial { .. }), "{fen}");
    }
}

#[test]
fn a_board_set_up_by_hand_obeys_the_same_rules() {
    let mut setup = Setup::empty();
    setup.board.set_piece_at(Square::E1, Piece::from_char('K').unwrap());
    setup.board.set_piece_at(Square::H1, Piece::from_char('R').unwrap());
    setup.castling_rights.add(Square::H1);
    setup.castling_rights.add(Square::A1);
    let error = Game::from_setup(Variant::Chess, setup.clone(), CastlingMode::Standard).unwrap_err();
    assert!(matches!(error, FenError::Kings { color: Color::Black, count: 0, .. }), "{error}");
    setup.board.set_piece_at(Square::E8, Piece::from_char('k').unwrap());
    let game = Game::from_setup(Variant::Chess, setup.clone(), CastlingMode::Standard).unwrap();
    assert_eq!(game.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    setup.halfmoves = 65_536;
    let error = Game::from_setup(Variant::Chess, setup, CastlingMode::Standard).unwrap_err();
    assert_eq!(error, FenError::Halfmoves { field: "65536".to_owned() });
}

#[test]
fn repetition_is_counted_from_the_first_occurrence() {
    let mut game = Game::default();
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "Nf3 Nf6 Ng1 Ng8");
    assert_eq!((game.repetitions(), game.claim()), (2, None));
    play(&mut game, "Nf3 Nf6 Ng1");
    let back = game.parse_move("Ng8").unwrap();
    assert_eq!((game.claim(), game.claim_after(back)), (None, Some(DrawReason::Repetition)));
    assert_eq!(game.claim_after(game.parse_move("Nh5").unwrap()), None);
    play(&mut game, "Ng8");
    assert_eq!((game.repetitions(), game.claim()), (3, Some(DrawReason::Repetition)));
    play(&mut game, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1");
    assert_eq!(game.automatic_draw(), None);
    play(&mut game, "Ng8");
    assert_eq!(game.automatic_draw(), Some(DrawReason::FivefoldRepetition));
    assert_eq!(game.outcome(), None);
}

#[test]
fn a_position_with_en_passant_is_not_repeated_without_it() {
    let mut game = game("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1");
    play(&mut game, "e4 Kd7 Kd1 Ke8 Ke1");
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "Kd7 Kd1 Ke8 Ke1");
    assert_eq!(game.repetitions(), 2);
    // Without a pawn to capture there, or with one that is pinned, the double step leaves no trace.
    for fen in ["4k3/8/8/8/8/8/p3P3/4K3 w - - 0 1", "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1"] {
        let mut game = self::game(fen);
        let king = game.position().board().king_of(Color::Black).unwrap();
        let away = if king == Square::E8 { ("Kd7", "Ke8") } else { ("Kb3", "Ka4") };
        play(&mut game, &format!("e4 {} Kf1 {} Ke1", away.0, away.1));
        assert_eq!(game.repetitions(), 2, "{fen}");
    }
}

#[test]
fn a_position_with_castling_rights_is_not_repeated_without_them() {
    let mut game = game("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1");
    play(&mut game, "Rg1 Rb8 Rh1 Ra8");
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "Rg1 Rb8 Rh1 Ra8");
    assert_eq!(game.repetitions(), 2);
}

#[test]
fn mate_on_the_hundredth_ply_is_mate() {
    let mut game = game("7k/5K2/8/6Q1/8/8/8/8 w - - 99 80");
    let mate = game.parse_move("Qg7").unwrap();
    let wait = game.parse_move("Qe3").unwrap();
    assert_eq!((game.claim(), game.claim_after(mate)), (None, None));
    assert_eq!(game.claim_after(wait), Some(DrawReason::FiftyMoves));
    game.play(mate).unwrap();
    assert_eq!(game.outcome(), Some(Outcome::Win { winner: Color::White, reason: WinReason::Checkmate }));
    assert_eq!((game.claim(), game.automatic_draw()), (None, None));
    game.undo();
    game.play(wait).unwrap();
    assert_eq!((game.outcome(), game.claim()), (None, Some(DrawReason::FiftyMoves)));

    assert_eq!(self::game("7k/5K2/8/6Q1/8/8/8/8 w - - 149 80").automatic_draw(), None);
    assert_eq!(
        self::game("7k/5K2/8/6Q1/8/8/8/8 w - - 150 80").automatic_draw(),
        Some(DrawReason::SeventyFiveMoves)
    );
}

#[test]
fn a_pawn_move_ends_the_count_of_fifty() {
    let game = game("7k/5K2/8/8/8/8/P5R1/8 w - - 99 80");
    assert_eq!(game.claim_after(game.parse_move("a3").unwrap()), None);
    assert_eq!(game.claim_after(game.parse_move("Rg3").unwrap()), Some(DrawReason::FiftyMoves));
}

#[test]
fn stalemate_and_dead_material_end_the_game() {
    let outcome = |fen: &str| game(fen).outcome();
    assert_eq!(outcome("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"), Some(Outcome::Draw(DrawReason::Stalemate)));
    let dead = Some(Outcome::Draw(DrawReason::InsufficientMaterial));
    assert_eq!(outcome("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), dead);
    assert_eq!(outcome("4k3/8/8/8/8/8/8/4KN2 w - - 0 1"), dead);
    assert_eq!(outcome("4k3/8/8/8/8/8/8/4KB2 w - - 0 1"), dead);
    assert_eq!(outcome("2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1"), dead);
    assert_eq!(outcome("5bk1/8/8/8/8/8/8/4KB2 w - - 0 1"), None);
    assert_eq!(outcome("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1"), None);
    assert_eq!(outcome("4k1n1/8/8/8/8/8/8/4KN2 w - - 0 1"), None);
    assert_eq!(outcome("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"), None);
}

#[test]
fn a_declared_outcome_holds_until_the_game_goes_on() {
    let resigned = Outcome::Win { winner: Color::Black, reason: WinReason::Resignation };
    let mut game = Game::default();
    play(&mut game, "e4");
    game.declare(resigned);
    assert_eq!(game.outcome(), Some(resigned));
    game.undo();
    assert_eq!(game.outcome(), None);
    game.declare(resigned);
    assert!(game.play(Game::default().parse_move("e4").unwrap()).is_ok());
    assert_eq!(game.outcome(), None);
    game.declare(resigned);
    let illegal = Game::default().parse_move("e4").unwrap();
    assert_eq!(game.play(illegal).unwrap_err().to_string(), "illegal move e2e4");
    assert_eq!((game.outcome(), game.ply()), (Some(resigned), 1));
}

#[test]
fn castling_in_chess960_may_leave_the_king_in_place() {
    let mut game = game("4k3/8/8/8/8/8/8/6KR w H - 3 9");
    let castling = game.parse_move("O-O").unwrap();
    assert_eq!(game.coordinate(castling), "g1h1");
    assert_eq!(game.san(castling), "O-O");
    game.play(castling).unwrap();
    assert_eq!(game.fen(), "4k3/8/8/8/8/8/8/5RK1 b - - 4 9");
    assert_eq!(game.undo(), Some(castling));
    assert_eq!(game.fen(), "4k3/8/8/8/8/8/8/6KR w H - 3 9");
    assert_eq!(game.undo(), None);
}

#[test]
fn lines_stop_at_the_first_illegal_move() {
    let mut ahead = Game::default();
    play(&mut ahead, "e4 e5 Nf3");
    let mut line = ahead.moves().to_vec();
    line.push(line[0]);
    let game = Game::default();
    assert_eq!(game.san_line(&line), "e4 e5 Nf3");
    assert_eq!([0, 1, 2].map(|ply| game.coordinate(line[ply])), ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(game.san(line[1]), "e7e5", "no SAN for a move of the other side");
}

#[test]
fn what_can_still_be_repeated_ends_at_the_last_pawn_move() {
    let mut game = Game::default();
    play(&mut game, "e4 Nf6 Nc3 Ng8");
    assert_eq!(game.repeatable().count(), 3);
    let mut before = Game::default();
    play(&mut before, "e4");
    assert_eq!(game.repeatable().next(), Some(before.position()));
    assert_eq!(self::game("4k3/8/8/8/8/8/8/4K2R w K - 30 40").repeatable().count(), 0);
}

/// Starts for random walks: both modes, with castling, en passant and promotions close by.
const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "brkrqnnb/pppppppp/8/8/8/8/PPPPPPPP/BRKRQNNB w DBdb - 0 1",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
];

prop_compose! {
    /// A game of up to 60 random moves.
    fn walk()(start in 0..STARTS.len(), choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60)) -> Game {
        let mut game = game(STARTS[start]);
        for choice in choices {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[choice.index(moves.len())]).unwrap();
        }
        game
    }
}

proptest! {
    #[test]
    fn undoing_everything_leads_back_to_the_start(mut game in walk()) {
        let (moves, end, repetitions) = (game.moves().to_vec(), game.fen(), game.repetitions());
        let start = game.start_fen();
        let mut taken_back: Vec<_> = std::iter::from_fn(|| game.undo()).collect();
        prop_assert_eq!(game.fen(), start);
        taken_back.reverse();
        prop_assert_eq!(&taken_back, &moves);
        for m in moves {
            game.play(m).unwrap();
        }
        prop_assert_eq!((game.fen(), game.repetitions()), (end, repetitions));
    }

    #[test]
    fn a_fen_read_back_is_the_same_position(game in walk()) {
        let again = Game::from_fen(&game.fen(), game.mode()).unwrap();
        prop_assert_eq!(again.fen(), game.fen());
        prop_assert_eq!(again.position(), game.position());
    }

    #[test]
    fn announcing_a_draw_agrees_with_claiming_it_afterwards(game in walk()) {
        for m in game.legal_moves() {
            let mut next = game.clone();
            next.play(m).unwrap();
            let announced = if game.outcome().is_some() { None } else { next.claim() };
            prop_assert_eq!(game.claim_after(m), announced);
        }
    }

    #[test]
    fn repetitions_are_those_of_the_positions_compared_one_by_one(game in walk()) {
        let mut again = Game::from_fen(&game.start_fen(), game.mode()).unwrap();
        let mut seen: Vec<VariantPosition> = vec![again.position().clone()];
        for &m in game.moves() {
            again.play(m).unwrap();
            seen.push(again.position().clone());
        }
        let count = seen.iter().filter(|position| *position == game.position()).count();
        prop_assert_eq!(game.repetitions() as usize, count);
    }

    #[test]
    fn no_text_makes_the_reading_of_fens_panic(text in any::<String>(), near in "[kKpPqQ1-8/]{0,40} [wb] [-KQkqAH]{1,5} [-a-h1-8]{1,2}( [0-9]{1,12}){0,2}") {
        for text in [text, near] {
            if let Ok(game) = Game::from_fen(&text, CastlingMode::Standard) {
                prop_assert_eq!(game.ply(), 0);
            }
        }
    }

    #[test]
    fn no_board_makes_setting_up_panic(pieces in prop::collection::vec((0u32..64, "[pnbrqkPNBRQK]"), 0..20), ep in prop::option::of(0u32..64), rights: u64) {
        let mut setup = Setup::empty();
        for (square, letter) in pieces {
            let piece = Piece::from_char(letter.chars().next().unwrap()).unwrap();
            setup.board.set_piece_at(Square::new(square), piece);
        }
        setup.board.set_piece_at(Square::E1, Piece::from_char('K').unwrap());
        setup.board.set_piece_at(Square::E8, Piece::from_char('k').unwrap());
        setup.ep_square = ep.map(Square::new);
        setup.castling_rights = shakmaty::Bitboard(rights);
        if let Ok(game) = Game::from_setup(Variant::Chess, setup, CastlingMode::Standard) {
            let again = Game::from_fen(&game.fen(), game.mode()).unwrap();
            prop_assert_eq!(again.position(), game.position());
        }
    }
}
