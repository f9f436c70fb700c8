//! Terms that several variants share. Each is for one colour, in centipawns; a variant weighs and adds what matters to it.

use search::attacks::by_pawns;
use shakmaty::{Bitboard, Board, ByRole, Color, File, Role, Square, attacks};

use crate::exchange::Values;

/// What pieces are worth where the aim is mate, and as good as that.
pub(crate) const CHESS_VALUES: Values =
    ByRole { pawn: 100, knight: 320, bishop: 330, rook: 500, queen: 950, king: 0 };

/// The material of one side.
pub(crate) fn material(board: &Board, color: Color, values: &Values) -> i32 {
    let us = board.by_color(color);
    let count = |role| (us & board.by_role(role)).count() as i32 * values.get(role);
    Role::ALL.into_iter().map(count).sum()
}

/// Non-pawn material of both sides compared with the start of a game of chess, in 1/256: how much of a middlegame it is.
pub(crate) fn phase(board: &Board) -> i32 {
    let minor = (board.knights() | board.bishops()).count() as i32;
    let units = minor + 2 * board.rooks().count() as i32 + 4 * board.queens().count() as i32;
    (units * 256 / 24).min(256)
}

/// How far a square is from the centre of the board, 0 to 3.
pub(crate) fn distance_to_centre(square: Square) -> i32 {
    let from_middle = |index: u32| (2 * index as i32 - 7).abs() / 2;
    from_middle(square.file().to_u32()).max(from_middle(square.rank().to_u32()))
}

/// The rank from a side's own point of view, 0 to 7.
pub(crate) fn relative_rank(square: Square, color: Color) -> i32 {
    let rank = square.rank().to_u32() as i32;
    color.fold_wb(rank, 7 - rank)
}

/// All squares in front of those given, on their files.
pub(crate) fn front_span(mut squares: Bitboard, color: Color) -> Bitboard {
    let forward = color.fold_wb(8, -8);
    let step = |squares: Bitboard, times: i32| squares.shift(forward * times);
    squares = step(squares, 1);
    squares |= step(squares, 1);
    squares |= step(squares, 2);
    squares | step(squares, 4)
}

/// The squares that the pawns of a side attack.
pub(crate) fn pawn_attacks(board: &Board, color: Color) -> Bitboard {
    by_pawns(color, board.by_piece(color.pawn()))
}

/// Pawns: the further ahead the better, passed ones most; not doubled, not alone.
pub(crate) fn pawns(board: &Board, color: Color) -> i32 {
    let ours = board.by_piece(color.pawn());
    let theirs = board.by_piece((!color).pawn());
    let their_front = front_span(theirs, !color);
    let their_sides = (their_front & !Bitboard::from_file(File::A)).shift(-1)
        | (their_front & !Bitboard::from_file(File::H)).shift(1);
    let passed = ours & !their_front & !their_sides;
    let defended = ours & pawn_attacks(board, color);
    let doubled = ours & front_span(ours, color);
    let advance = |square: Square| {
        let rank = relative_rank(square, color);
        let centre = 3 - distance_to_centre(square);
        2 * rank + 4 * centre + if passed.contains(square) { 3 * rank * rank } else { 0 }
    };
    ours.into_iter().map(advance).sum::<i32>() + 8 * defended.count() as i32 - 15 * doubled.count() as i32
}

/// What the pieces of one side do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Activity {
    /// Squares that can be reached, weighed by the piece; and pieces near the centre.
    pub(crate) mobility: i32,
    /// Attacks on the squares around the opponent's king, weighed by the piece.
    pub(crate) king_attack: i32,
    /// How many pieces take part in that.
    pub(crate) attackers: i32,
    /// All squares that are attacked.
    pub(crate) attacked: Bitboard,
}

impl Activity {
    pub(crate) fn of(board: &Board, color: Color) -> Activity {
        let occupied = board.occupied();
        let their_king = board.king_of(!color);
        let zone = their_king.map_or(Bitboard::EMPTY, |king| attacks::king_attacks(king).with(king));
        let free = !board.by_color(color) & !pawn_attacks(board, !color);
        let ours = pawn_attacks(board, color);
        let mut activity = Activity { attacked: ours, ..Activity::default() };
        activity.king_attack += (ours & zone).count() as i32;
        for (role, per_square, expected, per_attack) in
            [(Role::Knight, 4, 4, 3), (Role::Bishop, 4, 6, 3), (Role::Rook, 3, 6, 4), (Role::Queen, 1, 12, 6)]
        {
            for square in board.by_piece(role.of(color)) {
                let reach = attacks::attacks(square, role.of(color), occupied);
                let near_king = (reach & zone).count() as i32;
                activity.mobility += per_square * ((reach & free).count() as i32 - expected);
                if role != Role::Rook {
                    activity.mobility += 5 * (3 - distance_to_centre(square));
                }
                activity.king_attack += per_attack * near_king;
                activity.attackers += i32::from(near_king > 0);
                activity.attacked |= reach;
            }
        }
        if let Some(king) = board.king_of(color) {
            activity.attacked |= attacks::king_attacks(king);
        }
        activity
    }
}

/// How exposed the king of one side is, about 0 to 400: by the attack of the other side's pieces, which counts more the
/// more take part, and by missing pawns in front of it. 0 without a king.
pub(crate) fn king_danger(board: &Board, color: Color, attack: &Activity) -> i32 {
    let Some(king) = board.king_of(color) else { return 0 };
    let shelter = attacks::king_attacks(king) | front_span(attacks::king_attacks(king), color);
    let near = Bitboard::from_rank(king.rank()) | two_ranks_ahead(king, color);
    let pawns = (board.by_piece(color.pawn()) & shelter & near).count().min(3) as i32;
    let open_files = (0..3).filter(|offset| is_open(board, king, offset - 1)).count() as i32;
    let exposure = 12 * (3 - pawns) + 8 * open_files + 6 * relative_rank(king, color).min(4);
    let assault = attack.king_attack * (1 + attack.attackers);
    exposure + (assault * (16 + exposure / 4) / 16).min(400)
}

/// The two ranks in front of a square.
fn two_ranks_ahead(square: Square, color: Color) -> Bitboard {
    let rank = Bitboard::from_rank(square.rank());
    let forward = color.fold_wb(8, -8);
    rank.shift(forward) | rank.shift(2 * forward)
}

fn is_open(board: &Board, king: Square, offset: i32) -> bool {
    let file = king.file().offset(offset);
    file.is_some_and(|file| (board.pawns() & Bitboard::from_file(file)).is_empty())
}

/// A king in the middlegame stands well at its own edge, in the endgame in the centre.
pub(crate) fn king_place(board: &Board, color: Color, phase: i32) -> i32 {
    let Some(king) = board.king_of(color) else { return 0 };
    let home = -10 * relative_rank(king, color) - if distance_to_centre(king) < 2 { 15 } else { 0 };
    let centre = 10 * (3 - distance_to_centre(king));
    (home * phase + centre * (256 - phase)) / 256
}

/// What chess and the variants near to it are about, from the view of `color`; `danger` is what a king in danger
/// counts, in percent.
pub(crate) fn like_chess(board: &Board, color: Color, values: &Values, danger: i32) -> i32 {
    let phase = phase(board);
    advantage(board, color, |color, own, their| {
        material(board, color, values) + pawns(board, color) + own.mobility + king_place(board, color, phase)
            - king_danger(board, color, their) * phase / 256 * danger / 100
    })
}

/// What a side has by some reckoning, less what the other one has. It is told the side, its activity and the other one's.
pub(crate) fn advantage(board: &Board, color: Color, of: impl Fn(Color, &Activity, &Activity) -> i32) -> i32 {
    let [ours, theirs] = [color, !color].map(|color| Activity::of(board, color));
    of(color, &ours, &theirs) - of(!color, &theirs, &ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_reach_the_edge_and_do_not_wrap() {
        let squares = Bitboard::from(Square::H2) | Bitboard::from(Square::A7);
        assert_eq!(front_span(squares, Color::White).count(), 6 + 1);
        assert_eq!(front_span(squares, Color::Black).count(), 1 + 6);
    }

    #[test]
    fn a_mirrored_board_is_worth_the_same_for_the_other_side() {
        for board in ["r3k2r/1P6/8/3pP3/8/8/8/R3K2R", "6k1/5ppp/8/3q4/8/4R2P/5PP1/6K1", "8/8/8/8/8/8/8/8"] {
            let board = Board::from_ascii_board_fen(board.as_bytes()).unwrap();
            let value = like_chess(&board, Color::White, &CHESS_VALUES, 100);
            assert_eq!(like_chess(&board.clone().into_mirrored(), Color::Black, &CHESS_VALUES, 100), value);
            assert_eq!(like_chess(&board, Color::Black, &CHESS_VALUES, 100), -value);
        }
    }

    #[test]
    fn distances_to_the_centre() {
        assert_eq!([Square::E4, Square::C4, Square::B2, Square::H8].map(distance_to_centre), [0, 1, 2, 3]);
    }
}
