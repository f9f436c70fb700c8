//! Tests of the translation between games and search.

use game::{CastlingMode, Game, Move, Variant};
use proptest::prelude::*;

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect("a legal position")
}

fn play(game: &mut Game, moves: &str) {
    game.play_line(moves.split_whitespace()).expect("legal moves");
}

/// Converts a move to the search's type and back.
fn there_and_back(game: &Game, m: Move) -> Option<Move> {
    engine::from_search(game, engine::to_search(m))
}

#[test]
fn lines_stop_at_the_first_illegal_move() {
    let mut ahead = Game::default();
    play(&mut ahead, "e4 e5 Nf3");
    let mut line = ahead.moves().to_vec();
    line.push(line[0]);
    let searched: Vec<search::Move> = line.iter().map(|m| engine::to_search(*m)).collect();
    assert_eq!(engine::line_from_search(&Game::default(), &searched), line[..3]);
}

#[test]
fn castling_of_chess960_comes_back() {
    let game = game("4k3/8/8/8/8/8/8/6KR w H - 3 9");
    let castling = game.parse_move("O-O").unwrap();
    assert_eq!(there_and_back(&game, castling), Some(castling));
}

#[test]
fn the_root_knows_what_can_still_be_repeated() {
    let mut game = Game::default();
    play(&mut game, "e4 Nf6 Nc3 Ng8");
    let root = engine::root(&game).unwrap();
    assert_eq!(root.earlier_keys.len(), 3);
    assert_eq!(root.allowed, None);
    let mut before = Game::default();
    play(&mut before, "e4");
    assert_eq!(root.earlier_keys[0], engine::root(&before).unwrap().position.keys().full);
}

/// Start positions of random walks: both castling modes, with castling, en passant and promotions nearby.
const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "brkrqnnb/pppppppp/8/8/8/8/PPPPPPPP/BRKRQNNB w DBdb - 0 1",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
];

proptest! {
    #[test]
    fn the_search_sees_the_same_position(
        start in 0..STARTS.len(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let mut game = game(STARTS[start]);
        for choice in choices {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[choice.index(moves.len())]).unwrap();
        }
        let root = engine::root(&game).unwrap();
        let moves = root.position.legal_moves();
        let mut ours: Vec<_> = moves.iter().map(|m| engine::from_search(&game, *m)).collect();
        let mut theirs: Vec<_> = game.legal_moves().into_iter().map(Some).collect();
        ours.sort_by_key(|m| format!("{m:?}"));
        theirs.sort_by_key(|m| format!("{m:?}"));
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn moves_of_variants_come_back(
        which in 0..Variant::ALL.len(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    ) {
        let mut game = Game::new(Variant::ALL[which]);
        for choice in choices {
            let moves = game.legal_moves();
            if game.outcome().is_some() || moves.is_empty() {
                break;
            }
            let m = moves[choice.index(moves.len())];
            prop_assert_eq!(there_and_back(&game, m), Some(m));
            game.play(m).unwrap();
        }
    }
}
