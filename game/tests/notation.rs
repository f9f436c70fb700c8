//! Moves as people and programs write them.

use game::{CastlingMode, Game, IllegalReason, MoveError};
use proptest::prelude::*;

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect("a legal position")
}

/// What `text` means, in SAN.
fn read(game: &Game, text: &str) -> String {
    game.parse_move(text).map_or_else(|error| error.to_string(), |m| game.san(m))
}

fn reason(game: &Game, text: &str) -> IllegalReason {
    match game.parse_move(text) {
        Err(MoveError::Illegal { reason, .. }) => reason,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn one_move_has_many_spellings() {
    let start = Game::default();
    for text in ["Nf3", "g1f3", "G1F3", "g1-f3", "Ng1f3", "Ng1-f3", "Ngf3", "N1f3", " Nf3+!? ", "Nf3#"] {
        assert_eq!(read(&start, text), "Nf3", "{text}");
    }
    for text in ["e4", "e2e4", "E2E4", "e2-e4", "Pe4", "e4!!"] {
        assert_eq!(read(&start, text), "e4", "{text}");
    }
    let capture = game("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    for text in ["exd5", "ed5", "e4d5", "e4xd5", "e4:d5", "xd5"] {
        assert_eq!(read(&capture, text), "exd5", "{text}");
    }
    assert_eq!(reason(&capture, "d5"), IllegalReason::Unreachable, "a push is no capture");
    let en_passant = game("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    for text in ["exd6", "exd6 e.p.", "exd6e.p.", "e5d6"] {
        assert_eq!(read(&en_passant, text), "exd6", "{text}");
    }
}

#[test]
fn promotions_name_their_piece_in_either_case() {
    let game = game("8/4P2k/8/8/8/8/8/4K3 w - - 0 1");
    for text in ["e7e8q", "e7e8Q", "E7E8Q", "e8=Q", "e8Q", "e8q", "e8(Q)", "e8/Q", "e7-e8=Q"] {
        assert_eq!(read(&game, text), "e8=Q", "{text}");
    }
    assert_eq!(read(&game, "e7e8n"), "e8=N");
    for text in ["e7e8", "e8"] {
        assert!(matches!(game.parse_move(text), Err(MoveError::Ambiguous { .. })), "{text}");
    }
    assert_eq!(reason(&game, "e7e8k"), IllegalReason::Unreachable);
    assert_eq!(reason(&Game::default(), "e2e4q"), IllegalReason::Unreachable);
}

#[test]
fn a_capital_b_is_a_bishop_and_a_small_one_a_file() {
    let game = game("4k3/8/8/8/8/2p5/1P6/B3K3 w - - 0 1");
    assert_eq!(read(&game, "bxc3"), "bxc3");
    assert_eq!(read(&game, "B2C3"), "bxc3", "capitals throughout are coordinates");
    let bishop = self::game("4k3/8/8/8/8/2p5/8/B3K3 w - - 0 1");
    assert_eq!(read(&bishop, "B1c3"), "Bxc3");
    assert_eq!(read(&bishop, "Bc3"), "Bxc3");
}

#[test]
fn ambiguous_moves_list_their_candidates() {
    let game = game("4k3/8/8/8/R6R/8/8/4K3 w - - 0 1");
    assert_eq!(
        game.parse_move("Rd4").unwrap_err().to_string(),
        "ambiguous move `Rd4`: it could be Rad4 or Rhd4"
    );
    assert!(matches!(game.parse_move("R4d4"), Err(MoveError::Ambiguous { .. })));
    assert_eq!(read(&game, "Raxd4+"), "Rad4");
    // The other knight is pinned, so that nothing has to be said about it.
    let pinned = self::game("4k3/4r3/8/8/8/8/4N3/1N2K3 w - - 0 1");
    assert_eq!(read(&pinned, "Nc3"), "Nc3");
    assert_eq!(pinned.coordinate(pinned.parse_move("Nc3").unwrap()), "b1c3");
}

#[test]
fn castling_has_its_own_spellings() {
    let both = game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for text in ["O-O", "0-0", "o-o", "OO", "e1g1", "e1h1", "E1G1", "O-O+", "0-0!"] {
        assert_eq!(read(&both, text), "O-O", "{text}");
    }
    for text in ["O-O-O", "0-0-0", "e1c1", "e1a1"] {
        assert_eq!(read(&both, text), "O-O-O", "{text}");
    }
    assert_eq!(both.coordinate(both.parse_move("O-O-O").unwrap()), "e1c1");
}

#[test]
fn in_chess960_a_king_s_move_has_precedence_over_castling() {
    let near = game("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    assert_eq!(read(&near, "f1g1"), "Kg1");
    assert_eq!(read(&near, "f1h1"), "O-O");
    let far = Game::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1", CastlingMode::Chess960).unwrap();
    assert_eq!(read(&far, "e1g1"), "O-O");
    assert_eq!(far.coordinate(far.parse_move("e1g1").unwrap()), "e1h1");
    // The rook stands where the king goes: only king takes rook is possible.
    assert_eq!(read(&game("4k3/8/8/8/8/8/8/5KR1 w G - 0 1"), "f1g1"), "O-O");
    assert_eq!(read(&game("4k3/8/8/8/8/8/8/6KR w H - 0 1"), "g1g1"), "O-O");
}

#[test]
fn an_illegal_move_says_why() {
    let start = Game::default();
    assert_eq!(reason(&start, "e3e4"), IllegalReason::EmptySquare);
    assert_eq!(reason(&start, "e7e5"), IllegalReason::OpponentsPiece);
    assert_eq!(reason(&start, "e2e5"), IllegalReason::Unreachable);
    assert_eq!(reason(&start, "Nd4"), IllegalReason::Unreachable);
    assert_eq!(reason(&start, "a1a2"), IllegalReason::Unreachable);
    assert_eq!(reason(&start, "e1g1"), IllegalReason::CastlingPrevented);
    assert_eq!(reason(&game("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), "O-O"), IllegalReason::NoCastlingRight);
    let check = game("4k3/4r3/8/8/8/8/3P4/4K1N1 w - - 0 1");
    assert_eq!(reason(&check, "d4"), IllegalReason::InCheck);
    assert_eq!(reason(&check, "d2d3"), IllegalReason::InCheck);
    assert_eq!(reason(&check, "d5"), IllegalReason::Unreachable);
    let pinned = game("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1");
    assert_eq!(reason(&pinned, "Nc3"), IllegalReason::ExposesKing);
    assert_eq!(
        pinned.parse_move("Nc3").unwrap_err().to_string(),
        "illegal move `Nc3`: it leaves the king in check"
    );
}

#[test]
fn what_is_no_move_is_unreadable() {
    let long = "e".repeat(1000);
    for text in [
        "", " ", "-", "--", "@@@@", "0000", "1-0", "1/2-1/2", "*", "e", "e9", "i4", "Qe", "X@f7", "e2e4e5",
        "hello", "Ñf3", "e2e4\0", "K", "é", &long,
    ] {
        let error = Game::default().parse_move(text).expect_err(text);
        assert!(matches!(error, MoveError::Unreadable { .. }), "{text}: {error}");
        assert!(error.to_string().chars().count() < 200);
    }
}

/// A middle game with captures, castling and checks, promotions, four knights for the same squares, and Chess960.
const STARTS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "k7/8/8/2N1N3/1N3N2/8/8/4K3 w - - 0 1",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
];

proptest! {
    #[test]
    fn a_written_move_read_back_is_the_same(start in 0..STARTS.len(), choices in prop::collection::vec(any::<prop::sample::Index>(), 0..30)) {
        let mut game = game(STARTS[start]);
        for choice in choices {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            for &m in &moves {
                let san = game.san(m);
                prop_assert_eq!(game.parse_move(&san), Ok(m), "{}", &san);
                prop_assert_eq!(game.parse_move(&game.coordinate(m)), Ok(m));
                let bare: String = san.chars().filter(|c| !"x+#=-".contains(*c)).collect();
                prop_assert_eq!(game.parse_move(&bare), Ok(m), "{}", &bare);
            }
            game.play(moves[choice.index(moves.len())]).unwrap();
        }
    }

    #[test]
    fn no_text_makes_the_reading_of_moves_panic(text in any::<String>(), near in "[KQRBNPO0a-h1-8x=+#@-]{0,9}") {
        let game = game(STARTS[0]);
        for text in [text, near] {
            match game.parse_move(&text) {
                Ok(m) => prop_assert!(game.legal_moves().contains(&m)),
                Err(error) => prop_assert!(!error.to_string().contains('\n')),
            }
        }
    }
}
