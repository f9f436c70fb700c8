//! Evaluation of endings against a lone king. Such positions are excluded from the training data, so the network cannot
//! win them. Here material counts in full, the lone king is driven to where it can be mated, and known draws score 0.
//!
//! All values are in centipawns.

use shakmaty::{Bitboard, Color, File, Rank, Role, Square};

use crate::{Position, Score, attacks};

/// Values of the pieces from pawn to queen.
const PIECE_VALUES: [i32; 5] = [120, 380, 420, 700, 1200];
/// Bonus for material that can mate, so that pawns are promoted and pieces given up if necessary.
const CAN_MATE: i32 = 300;
/// Per step by which the distance of the kings is less than the maximum.
const NEAR: i32 = 20;
/// Per step of the lone king from the centre, along files and ranks.
const OFF_CENTER: i32 = 20;
/// Per step of the lone king towards a corner in which bishop and knight can mate. On the way there it leaves the edge
/// for a while, so this exceeds [`OFF_CENTER`].
const TO_CORNER: i32 = 40;
/// For a pawn, times the square of its rank counted from 0.
const ADVANCED: i32 = 8;
/// Per step by which the strong king is nearer to the square in front of the pawn than the lone king, times the pawn's
/// rank.
const ESCORTED: i32 = 5;
/// Per rank by which the strong king is ahead of a pawn, clamped to -1 ..= 2.
const KING_AHEAD: i32 = 20;
/// For a pawn that the lone king can neither catch nor stop.
const PROMOTES: i32 = 300;

/// Returns the evaluation, for the side to move, of a position in which one side has only its king.
pub(crate) fn evaluate(position: &Position) -> Score {
    let strong = Color::from_white(position.by_color(Color::White).more_than_one());
    let value = value_for(position, strong);
    Score::centipawns(if position.turn() == strong { value } else { -value })
}

fn value_for(position: &Position, strong: Color) -> i32 {
    let can_mate = can_mate(position, strong);
    let pawns = position.pieces(strong, Role::Pawn);
    if !can_mate && (pawns.is_empty() || is_wrong_rook_pawn(position, strong)) {
        return 0;
    }
    let count = |role| position.pieces(strong, role).count() as i32;
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let material: i32 = roles.into_iter().zip(PIECE_VALUES).map(|(role, value)| value * count(role)).sum();
    let advance: i32 = pawns.into_iter().map(|pawn| advance(position, strong, pawn)).sum();
    material + advance + if can_mate { CAN_MATE + drive(position, strong) } else { 0 }
}

/// Whether the pieces of a side, pawns aside, can force mate on a lone king.
fn can_mate(position: &Position, strong: Color) -> bool {
    let bishops = position.pieces(strong, Role::Bishop);
    let knights = position.pieces(strong, Role::Knight);
    let major = position.pieces(strong, Role::Rook) | position.pieces(strong, Role::Queen);
    let both_colors = (bishops & Bitboard::DARK_SQUARES).any() && (bishops & Bitboard::LIGHT_SQUARES).any();
    major.any() || both_colors || bishops.any() && knights.any() || knights.count() > 2
}

/// Whether all pawns are on one rook's file, no bishop controls the corner where they promote, and the lone king holds it.
fn is_wrong_rook_pawn(position: &Position, strong: Color) -> bool {
    let (pawns, bishops) = (position.pieces(strong, Role::Pawn), position.pieces(strong, Role::Bishop));
    let Some(file) = [File::A, File::H].into_iter().find(|&file| pawns.is_subset(Bitboard::from_file(file)))
    else {
        return false;
    };
    let corner = Square::from_coords(file, strong.fold_wb(Rank::Eighth, Rank::First));
    position.pieces(strong, Role::Knight).is_empty()
        && (bishops & of_same_color(corner)).is_empty()
        && position.king(!strong).distance(corner) <= 1
}

/// Returns the bonus for driving the lone king to where it can be mated.
fn drive(position: &Position, strong: Color) -> i32 {
    let (king, lone) = (position.king(strong), position.king(!strong));
    let to_goal = match bishop_beside_knight(position, strong) {
        Some(bishop) => {
            let corners = Bitboard::CORNERS & of_same_color(bishop);
            let steps = corners.into_iter().map(|corner| steps_apart(lone, corner)).min().unwrap_or(0);
            TO_CORNER * (7 - steps)
        }
        None => OFF_CENTER * off_center(lone),
    };
    NEAR * (7 - king.distance(lone) as i32) + to_goal
}

/// Returns the bishop of a side whose only pieces are bishop and knight; pawns are ignored.
fn bishop_beside_knight(position: &Position, strong: Color) -> Option<Square> {
    let pieces = position.by_color(strong) & !position.by_role(Role::Pawn) & !position.by_role(Role::King);
    let bishop = position.pieces(strong, Role::Bishop).single_square()?;
    let knight = position.pieces(strong, Role::Knight).single_square()?;
    (pieces == Bitboard::from(bishop).with(knight)).then_some(bishop)
}

/// Returns the bonus of a pawn beyond its material value.
fn advance(position: &Position, strong: Color, pawn: Square) -> i32 {
    let rank = rank_for(strong, pawn);
    let Some(next) = pawn.offset(strong.fold_wb(8, -8)) else { return 0 };
    let distance = |color: Color| position.king(color).distance(next) as i32;
    let ahead = rank_for(strong, position.king(strong)) - rank;
    let promotes =
        is_unstoppable(position, strong, pawn) || is_on_key_square(position.king(strong), strong, pawn);
    ADVANCED * rank * rank
        + ESCORTED * rank * (distance(!strong) - distance(strong))
        + KING_AHEAD * ahead.clamp(-1, 2)
        + if promotes { PROMOTES } else { 0 }
}

/// The rule of the square: whether the pawn promotes before the lone king can be there.
fn is_unstoppable(position: &Position, strong: Color, pawn: Square) -> bool {
    let goal = Square::from_coords(pawn.file(), strong.fold_wb(Rank::Eighth, Rank::First));
    let rank = rank_for(strong, pawn);
    let steps = 7 - rank - i32::from(rank == 1);
    let lost = i32::from(position.turn() != strong);
    (attacks::between(pawn, goal).with(goal) & position.occupied()).is_empty()
        && position.king(!strong).distance(goal) as i32 > steps + lost
}

/// Whether the king stands on a key square, from which the pawn promotes whoever is to move.
fn is_on_key_square(king: Square, strong: Color, pawn: Square) -> bool {
    let ahead = rank_for(strong, king) - rank_for(strong, pawn);
    match pawn.file() {
        File::A | File::H => king.file().distance(pawn.file()) == 1 && rank_for(strong, king) >= 6,
        file if king.file().distance(file) > 1 => false,
        _ => ahead == 2 || ahead == 1 && rank_for(strong, pawn) >= 4,
    }
}

/// Returns the rank of a square from a side's view, from 0.
fn rank_for(color: Color, square: Square) -> i32 {
    color.fold_wb(square.rank(), square.rank().flip_vertical()) as i32
}

/// Returns all squares of the colour of `square`.
fn of_same_color(square: Square) -> Bitboard {
    if square.is_dark() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES }
}

/// Returns the number of steps from the four centre squares, along files and ranks, in 0 ..= 6.
fn off_center(square: Square) -> i32 {
    let off = |coordinate: i32| if coordinate < 4 { 3 - coordinate } else { coordinate - 4 };
    off(square.file() as i32) + off(square.rank() as i32)
}

/// Returns the distance along files plus the distance along ranks.
fn steps_apart(a: Square, b: Square) -> i32 {
    (a.file() as i32 - b.file() as i32).abs() + (a.rank() as i32 - b.rank() as i32).abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup as _, Position as _, fen::Fen};

    fn position(fen: &str) -> Position {
        let chess: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        Position::from(&chess)
    }

    fn value(fen: &str) -> i32 {
        evaluate(&position(fen)).value()
    }

    /// Returns the position with colours exchanged.
    fn mirrored(position: &Position) -> Position {
        let setup = position.to_chess().to_setup(EnPassantMode::Legal).into_mirrored();
        Position::from(&Chess::from_setup(setup, CastlingMode::Standard).unwrap())
    }

    proptest! {
        #[test]
        fn colours_are_treated_alike(
            squares in proptest::sample::subsequence((0..64).collect::<Vec<u32>>(), 2..7).prop_shuffle(),
            roles in proptest::collection::vec(1..6usize, 5),
            turn: bool,
        ) {
            let mut setup = shakmaty::Setup::empty();
            setup.turn = Color::from_white(turn);
            for (index, &square) in squares.iter().enumerate() {
                let piece = match index {
                    0 => Role::King.of(Color::White),
                    1 => Role::King.of(Color::Black),
                    _ => Role::ALL[roles[index - 2] - 1].of(Color::White),
                };
                setup.board.set_piece_at(Square::new(square), piece);
            }
            let Ok(chess) = Chess::from_setup(setup, CastlingMode::Standard) else { return Ok(()) };
            let position = Position::from(&chess);
            prop_assert_eq!(evaluate(&position), evaluate(&mirrored(&position)), "{}", chess.board());
            let strong = position.turn().fold_wb(1, -1) * evaluate(&position).value();
            prop_assert!(strong >= 0, "{}: {}", chess.board(), strong);
        }
    }

    #[test]
    fn known_draws_are_worth_nothing() {
        // Two knights; bishops of one colour; a rook's pawn, alone and with a bishop of the wrong colour, against a king in the corner.
        for fen in [
            "4k3/8/8/8/8/8/8/2NNK3 w - - 0 1",
            "4k3/8/8/8/8/8/2B5/1B2K3 w - - 0 1",
            "k7/8/8/P7/8/8/8/4K3 w - - 0 1",
            "k7/8/8/P7/8/2B5/8/4K3 w - - 0 1",
        ] {
            assert_eq!(value(fen), 0, "{fen}");
        }
        assert!(
            value("k7/8/8/P7/8/2B5/8/5K2 w - - 0 1") == 0 && value("k7/8/8/P7/8/3B4/8/4K3 w - - 0 1") > 300
        );
    }

    #[test]
    fn more_wins_more() {
        let with = |pieces: &str| value(&format!("4k3/8/8/8/8/8/8/{pieces}K3 w - - 0 1"));
        let [rook, queen, both] = ["3R", "3Q", "2RQ"].map(with);
        assert!(300 < rook && rook < queen && queen < both, "{rook} {queen} {both}");
        // A pawn that runs, one with its king ahead of it, and one that is lost.
        let [runs, escorted, lost] = [
            "8/8/8/7P/8/k7/8/7K w - - 0 1",
            "8/8/2k5/8/3K4/8/3P4/8 w - - 0 1",
            "8/8/8/8/8/3k4/3P4/K7 b - - 0 1",
        ]
        .map(|fen| value(fen).abs());
        assert!(runs > escorted && escorted > lost, "{runs} {escorted} {lost}");
    }

    #[test]
    fn the_corner_of_the_bishop_is_the_right_one() {
        let right = value("7k/8/5K2/8/6N1/4B3/8/8 w - - 0 1");
        let wrong = value("k7/8/2K5/8/1N6/4B3/8/8 w - - 0 1");
        let middle = value("8/8/8/3k4/8/3KBN2/8/8 w - - 0 1");
        assert!(right > wrong && right > middle, "{right} {wrong} {middle}");
    }
}
