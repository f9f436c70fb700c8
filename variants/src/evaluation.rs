//! Evaluation terms shared by several variants. Each is for one colour, in centipawns; each variant weights and adds
//! those that it needs.

use search::attacks::by_pawns;
use shakmaty::{Bitboard, Board, ByRole, Color, File, Role, Square, attacks};

use crate::exchange::Values;

/// Piece values in chess and variants similar to it.
pub(crate) const CHESS_VALUES: Values =
    ByRole { pawn: 100, knight: 320, bishop: 330, rook: 500, queen: 950, king: 0 };

/// Returns the material of one side.
pub(crate) fn material(board: &Board, color: Color, values: &Values) -> i32 {
    let us = board.by_color(color);
    let count = |role| (us & board.by_role(role)).count() as i32 * values.get(role);
    Role::ALL.into_iter().map(count).sum()
}

/// Returns the phase of the game: non-pawn material of both sides in 1/256 of that at the start of a game of chess.
pub(crate) fn phase(board: &Board) -> i32 {
    let minor = (board.knights() | board.bishops()).count() as i32;
    let units = minor + 2 * board.rooks().count() as i32 + 4 * board.queens().count() as i32;
    (units * 256 / 24).min(256)
}

/// Returns the distance of a square from the centre of the board, 0 to 3.
pub(crate) fn distance_to_centre(square: Square) -> i32 {
    let from_middle = |index: u32| (2 * index as i32 - 7).abs() / 2;
    from_middle(square.file().to_u32()).max(from_middle(square.rank().to_u32()))
}

/// Returns the rank of a square from a side's view, 0 to 7.
pub(crate) fn relative_rank(square: Square, color: Color) -> i32 {
    let rank = square.rank().to_u32() as i32;
    color.fold_wb(rank, 7 - rank)
}

/// Returns all squares in front of the given ones, on their files.
pub(crate) fn front_span(mut squares: Bitboard, color: Color) -> Bitboard {
    let forward = color.fold_wb(8, -8);
    let step = |squares: Bitboard, times: i32| squares.shift(forward * times);
    squares = step(squares, 1);
    squares |= step(squares, 1);
    squares |= step(squares, 2);
    squares | step(squares, 4)
}

/// Returns the squares that the pawns of a side attack.
pub(crate) fn pawn_attacks(board: &Board, color: Color) -> Bitboard {
    by_pawns(color, board.by_piece(color.pawn()))
}

/// Evaluates pawn structure: bonuses for advanced and passed pawns, penalties for doubled and isolated ones.
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

/// Activity of the pieces of one side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Activity {
    /// Reachable squares, weighted by piece, plus a bonus for pieces near the centre.
    pub(crate) mobility: i32,
    /// Attacks on the squares around the opponent's king, weighted by piece.
    pub(crate) king_attack: i32,
    /// Number of pieces that take part in these attacks.
    pub(crate) attackers: i32,
    /// All attacked squares.
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

/// Returns the danger to the king of one side, about 0 to 400: attacks of the opponent's pieces, weighted more the more
/// pieces take part, and missing pawns in front of the king. 0 without a king.
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

/// Returns the squares on the two ranks in front of a square.
fn two_ranks_ahead(square: Square, color: Color) -> Bitboard {
    let rank = Bitboard::from_rank(square.rank());
    let forward = color.fold_wb(8, -8);
    rank.shift(forward) | rank.shift(2 * forward)
}

fn is_open(board: &Board, king: Square, offset: i32) -> bool {
    let file = king.file().offset(offset);
    file.is_some_and(|file| (board.pawns() & Bitboard::from_file(file)).is_empty())
}

/// Evaluates the king's square: at its own edge in the middlegame, in the centre in the endgame.
pub(crate) fn king_place(board: &Board, color: Color, phase: i32) -> i32 {
    let Some(king) = board.king_of(color) else { return 0 };
    let home = -10 * relative_rank(king, color) - if distance_to_centre(king) < 2 { 15 } else { 0 };
    let centre = 10 * (3 - distance_to_centre(king));
    (home * phase + centre * (256 - phase)) / 256
}

/// Evaluates a side as in chess: material, pawns, activity and king safety. `danger` is the weight of king danger in
/// percent.
pub(crate) fn like_chess(board: &Board, color: Color, values: &Values, danger: i32) -> i32 {
    let phase = phase(board);
    advantage(board, color, |color, own, their| {
        material(board, color, values) + pawns(board, color) + own.mobility + king_place(board, color, phase)
            - king_danger(board, color, their) * phase / 256 * danger / 100
    })
}

/// Returns the difference of a term for `color` and its opponent. The term gets the side, its activity and that of the
/// other side.
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
