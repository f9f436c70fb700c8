use super::features::GROUPS;
use super::*;
use proptest::prelude::*;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup as _, Position as _, fen::Fen};

fn position(fen: &str) -> Position {
    let chess: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
    Position::from(&chess)
}

fn evaluate(position: &Position) -> i32 {
    Evaluator::new().evaluate(position).value()
}

/// The same position with the colours exchanged.
fn mirrored(position: &Position) -> Position {
    let setup = position.to_chess().to_setup(EnPassantMode::Legal).into_mirrored();
    let chess = Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .unwrap();
    Position::from(&chess)
}

/// The positions of a game in which each choice picks one of the legal moves.
fn game(choices: &[u16]) -> Vec<Position> {
    let mut positions = vec![Position::default()];
    for &choice in choices {
        let last = &positions[positions.len() - 1];
        let legal = last.legal_moves();
        if legal.is_empty() {
            break;
        }
        let next = last.make(legal[choice as usize % legal.len()]);
        positions.push(next);
    }
    positions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn colours_are_treated_alike(choices in proptest::collection::vec(any::<u16>(), 0..160)) {
        for position in game(&choices) {
            prop_assert_eq!(evaluate(&position), evaluate(&mirrored(&position)), "{}", position.to_chess().board());
        }
    }

    #[test]
    fn what_was_evaluated_before_does_not_show(choices in proptest::collection::vec(any::<u16>(), 0..160)) {
        let mut evaluator = Evaluator::new();
        for position in game(&choices) {
            let value = evaluator.evaluate(&position).value();
            prop_assert_eq!(value, evaluate(&position), "the pawn table must not show");
        }
    }
}

#[test]
fn the_groups_lie_in_a_row_and_fill_the_table() {
    let mut next = 0;
    for group in &GROUPS {
        assert_eq!(group.first, next);
        next += group.len;
    }
    assert_eq!(next, WEIGHTS.len());
}

#[test]
fn pieces_more_are_worth_what_they_are() {
    let full = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let without = |square: usize| {
        let mut setup = full.parse::<Fen>().unwrap().into_setup();
        setup.board.discard_piece_at(shakmaty::Square::new(square as u32));
        setup.castling_rights = shakmaty::Bitboard::EMPTY;
        evaluate(&Position::from(&Chess::from_setup(setup, CastlingMode::Standard).unwrap()))
    };
    let [rook, knight, queen, pawn] = [56, 57, 59, 48].map(without);
    assert!(20 < pawn && pawn < knight && knight < rook && rook < queen, "{pawn} {knight} {rook} {queen}");
}

#[test]
fn known_draws_and_wins() {
    // Two knights; a bishop of the wrong colour with a rook pawn; a rook against a bishop.
    assert!(evaluate(&position("4k3/8/8/8/8/8/8/2NNK3 w - - 0 1")).abs() < 100);
    assert!(evaluate(&position("k7/8/8/P7/8/2B5/8/4K3 w - - 0 1")).abs() < 50);
    assert!(evaluate(&position("4k3/4b3/8/8/8/8/4R3/4K3 w - - 0 1")).abs() < 100);
    // The right corner is better to drive a king to than the wrong one, and any corner better than the middle.
    let knight_and_bishop = |fen| evaluate(&position(fen));
    let right = knight_and_bishop("7k/8/5K2/8/6N1/4B3/8/8 w - - 0 1");
    let wrong = knight_and_bishop("k7/8/2K5/8/1N6/4B3/8/8 w - - 0 1");
    let middle = knight_and_bishop("8/8/8/3k4/8/3KBN2/8/8 w - - 0 1");
    assert!(right > wrong && right > middle, "{right} {wrong} {middle}");
}
