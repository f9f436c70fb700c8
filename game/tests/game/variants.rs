//! Games of variants: where they start, how they are written, how they end.

use game::{
    CastlingMode, DrawReason, Game, IllegalReason, MoveError, Outcome, PgnReader, PgnTags, Variant,
    WinReason, write_pgn,
};
use proptest::prelude::*;
use shakmaty::Position as _;

fn game(variant: Variant, fen: &str) -> Game {
    Game::from_variant_fen(variant, fen, CastlingMode::Standard).unwrap_or_else(|error| panic!("{error}"))
}

fn play(game: &mut Game, moves: &str) {
    game.play_line(moves.split_whitespace()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn fens_may_be_written_in_several_ways() {
    let table = [
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[Qn] w - - 3 9", "4k3/8/8/8/8/8/8/4K3[Qn] w - - 3 9"),
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3/Qn w - - 3 9", "4k3/8/8/8/8/8/8/4K3[Qn] w - - 3 9"),
        // XBoard's empty hands, and none at all.
        (Variant::Crazyhouse, "4k3/1Q~6/8/8/8/8/8/4K3[-] b - - 0 1", "4k3/1Q~6/8/8/8/8/8/4K3[] b - - 0 1"),
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3[] w - - 0 1"),
        (Variant::ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 2+1 5 9", "4k3/8/8/8/8/8/8/4K3 w - - 2+1 5 9"),
        (Variant::ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 5 9 +1+2", "4k3/8/8/8/8/8/8/4K3 w - - 2+1 5 9"),
        (Variant::ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 5 9", "4k3/8/8/8/8/8/8/4K3 w - - 3+3 5 9"),
        // There is no castling in Antichess, whatever a GUI believes.
        (Variant::Antichess, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1"),
        (Variant::Antichess, "8/8/8/2k5/2K5/8/8/3KK3 w - - 0 1", "8/8/8/2k5/2K5/8/8/3KK3 w - - 0 1"),
    ];
    for (variant, fen, expected) in table {
        assert_eq!(game(variant, fen).fen(), expected);
    }
    for variant in Variant::ALL {
        let start = Game::new(variant);
        assert!(start.is_start_position() && start.outcome().is_none());
        assert!(game(variant, &start.fen()).is_start_position(), "{variant}");
    }
}

#[test]
fn what_is_no_position_of_the_variant_is_refused() {
    let table = [
        (
            Variant::Chess,
            "4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1",
            "FEN: board `4k3/8/8/8/8/8/8/4K3[Q]` is not eight",
        ),
        (Variant::Atomic, "4k3/8/8/8/8/8/8/4K3/Qn w - - 0 1", "FEN: board"),
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[K] w - - 0 1", "illegal position"),
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[X] w - - 0 1", "FEN: board"),
        (Variant::ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 4+x 0 1", "FEN: checks left `4+x`; expected"),
        (Variant::ThreeCheck, "4k3/8/8/8/8/8/8/4K3 w - - 0+0 0 1", "illegal position"),
        (Variant::KingOfTheHill, "8/8/8/8/8/8/8/4K3 w - - 0 1", "illegal position `8/8"),
        (Variant::Horde, "8/pppppppp/8/8/8/8/PPPPPPPP/8 w - - 0 1", "illegal position"),
        (Variant::RacingKings, "8/8/8/8/8/8/k6K/P7 w - - 0 1", "illegal position"),
        (Variant::Antichess, "8/8/8/8/8/8/8/4K3 w - - 0 1", "illegal position"),
        (Variant::Antichess, "8/8/8/8/8/8/8/8 w - - 0 1", "illegal position"),
        (Variant::Atomic, "8/8/8/8/8/8/8/4K3 w - - 0 1", "illegal position"),
    ];
    for (variant, fen, beginning) in table {
        let error = Game::from_variant_fen(variant, fen, CastlingMode::Standard).expect_err(fen).to_string();
        assert!(error.starts_with(beginning), "{variant}: {error}");
    }
}

#[test]
fn each_variant_ends_in_its_own_way() {
    use game::Color::{Black, White};
    let win = |winner, reason| Some(Outcome::Win { winner, reason });
    let table = [
        (
            Variant::Crazyhouse,
            "6rk/6pp/8/8/8/8/6PP/6K1[N] w - - 0 1",
            "N@f7",
            win(White, WinReason::Checkmate),
        ),
        (Variant::Atomic, "4k3/3q4/8/8/8/8/8/3RK3 w - - 0 1", "Rxd7", win(White, WinReason::KingExploded)),
        (
            Variant::ThreeCheck,
            "4k3/8/8/8/8/8/8/Q3K3 w - - 1+3 0 1",
            "Qa8+",
            win(White, WinReason::ThirdCheck),
        ),
        (Variant::KingOfTheHill, "4k3/8/8/3K4/8/8/8/8 b - - 0 1", "", win(White, WinReason::HillReached)),
        (Variant::KingOfTheHill, "8/8/4k3/8/8/8/8/K7 b - - 0 1", "Ke5", win(Black, WinReason::HillReached)),
        (Variant::Horde, "4k3/8/8/8/8/8/P6r/r7 b - - 0 1", "Rhxa2", win(Black, WinReason::HordeCaptured)),
        (Variant::RacingKings, "8/4K3/8/8/8/8/k7/8 w - - 0 1", "Kd8", win(White, WinReason::RaceWon)),
        // Black has the last move.
        (Variant::RacingKings, "8/4K2k/8/8/8/8/8/8 w - - 0 1", "Kd8", None),
        (
            Variant::RacingKings,
            "8/4K2k/8/8/8/8/8/8 w - - 0 1",
            "Kd8 Kh8",
            Some(Outcome::Draw(DrawReason::RaceDrawn)),
        ),
        (Variant::RacingKings, "8/4K2k/8/8/8/8/8/8 w - - 0 1", "Kd8 Kg6", win(White, WinReason::RaceWon)),
        (Variant::Antichess, "8/8/8/3p4/8/4P3/8/8 w - - 0 1", "e4 dxe4", win(White, WinReason::NothingLeft)),
        (Variant::Antichess, "8/8/8/p7/8/P7/8/8 w - - 0 1", "a4", win(Black, WinReason::Stalemated)),
        (Variant::Horde, "8/8/8/8/8/7k/7P/8 w - - 0 1", "", Some(Outcome::Draw(DrawReason::Stalemate))),
        (
            Variant::Atomic,
            "8/8/8/8/4k3/8/8/4K3 w - - 0 1",
            "",
            Some(Outcome::Draw(DrawReason::InsufficientMaterial)),
        ),
    ];
    for (variant, fen, moves, outcome) in table {
        let mut game = game(variant, fen);
        play(&mut game, moves);
        assert_eq!(game.outcome(), outcome, "{variant}: {fen} {moves}");
        assert!(
            outcome.is_none() || game.legal_moves().is_empty() || matches!(outcome, Some(Outcome::Draw(_)))
        );
    }
}

#[test]
fn drops_and_kings_of_pawns_are_written_and_read() {
    let mut game = game(Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[PN] w - - 0 1");
    for text in ["P@e4", "@e4", "p@e4", "P@e4+?"] {
        let m = game.parse_move(text).expect(text);
        assert_eq!((game.san(m).as_str(), game.coordinate(m).as_str()), ("P@e4", "P@e4"));
    }
    play(&mut game, "N@c7+");
    assert_eq!(game.fen(), "4k3/2N5/8/8/8/8/8/4K3[P] b - - 1 1");
    game.undo();
    assert_eq!(game.fen(), "4k3/8/8/8/8/8/8/4K3[PN] w - - 0 1");
    let promotion = self::game(Variant::Antichess, "8/P7/8/8/8/8/8/7k w - - 0 1");
    let m = promotion.parse_move("a7a8k").expect("a king");
    assert_eq!((promotion.san(m).as_str(), promotion.coordinate(m).as_str()), ("a8=K", "a7a8k"));
}

#[test]
fn illegal_moves_are_explained() {
    let table = [
        (Variant::Chess, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "P@e4", IllegalReason::NotInHand),
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[n] w - - 0 1", "N@e4", IllegalReason::NotInHand),
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1", "N@e8", IllegalReason::NoPlaceToDrop),
        (Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@a8", IllegalReason::NoPlaceToDrop),
        (Variant::Crazyhouse, "k3r3/8/8/8/8/8/8/4K3[N] w - - 0 1", "N@a4", IllegalReason::InCheck),
        (Variant::Antichess, "8/8/8/3p4/4P3/8/8/R7 w - - 0 1", "Ra2", IllegalReason::MustCapture),
        (Variant::Atomic, "4k3/8/8/8/8/8/4q3/3QK3 w - - 0 1", "Qxe2", IllegalReason::InCheck),
        (Variant::Atomic, "4k3/8/8/8/8/8/3n4/3QK3 w - - 0 1", "Qxd2", IllegalReason::Forbidden),
        (Variant::RacingKings, "8/8/8/8/8/k7/8/K6R w - - 0 1", "Rh3", IllegalReason::Forbidden),
        (Variant::KingOfTheHill, "4k3/8/8/3K4/8/8/8/8 b - - 0 1", "Ke7", IllegalReason::GameOver),
    ];
    for (variant, fen, text, expected) in table {
        match game(variant, fen).parse_move(text) {
            Err(MoveError::Illegal { reason, .. }) => assert_eq!(reason, expected, "{variant}: {text}"),
            other => panic!("{variant}: {text} gave {other:?}"),
        }
    }
}

/// Captures are no end of repetitions where the captured comes back.
#[test]
fn positions_repeat_in_crazyhouse_even_after_captures() {
    let mut game = game(Variant::Crazyhouse, "kr6/8/8/8/8/8/8/1R2K3[] w - - 0 1");
    // Both take a rook and drop it where the other stood.
    let cycle = "Rxb8+ Kxb8 R@b1+ Ka8 Kd1 R@b8 Kd2 Ka7 Ke1 Ka8";
    play(&mut game, cycle);
    assert_eq!(game.repetitions(), 2);
    play(&mut game, cycle);
    assert_eq!(game.claim(), Some(DrawReason::Repetition));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_can_be_read(
        which in 0..Variant::ALL.len(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    ) {
        let variant = Variant::ALL[which];
        let mut game = Game::new(variant);
        for choice in choices {
            prop_assert_eq!(game.outcome().and_then(|outcome| outcome.winner()), game.position().outcome().winner());
            let moves = game.legal_moves();
            if game.outcome().is_some() || moves.is_empty() {
                break;
            }
            let m = moves[choice.index(moves.len())];
            prop_assert_eq!(game.parse_move(&game.san(m)), Ok(m));
            prop_assert_eq!(game.parse_move(&game.coordinate(m)), Ok(m));
            game.play(m).unwrap();
        }
        let again = Game::from_variant_fen(variant, &game.fen(), game.mode()).unwrap();
        prop_assert_eq!(again.position(), game.position());
        let pgn = write_pgn(&game, &PgnTags::default(), &[]);
        let read = PgnReader::new(pgn.as_bytes()).next().unwrap().unwrap().game;
        prop_assert_eq!((read.fen(), read.variant()), (game.fen(), variant));
        prop_assert_eq!(read.outcome(), game.outcome());
    }

    #[test]
    fn no_text_makes_the_reading_panic(
        which in 0..Variant::ALL.len(),
        near in "[kKpPqQ1-8/~]{0,40}(\\[[a-zA-Z-]{0,6}\\])? [wb] [-KQkqAH]{1,5} [-a-h1-8]{1,2}( [0-9+]{1,5}){0,3}",
        text in "\\PC{0,8}|[KP]?@[a-z0-9]{0,3}",
    ) {
        let variant = Variant::ALL[which];
        if let Ok(game) = Game::from_variant_fen(variant, &near, CastlingMode::Standard) {
            let again = Game::from_variant_fen(variant, &game.fen(), game.mode()).unwrap();
            prop_assert_eq!(again.position(), game.position());
            let _ = (game.parse_move(&text), game.outcome());
        }
        let _ = Game::new(variant).parse_move(&text);
    }
}
