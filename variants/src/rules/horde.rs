//! Horde: White has 36 pawns and loses when all its pieces are captured; Black has the pieces of chess and loses by
//! mate.

use shakmaty::variant::{Horde, Variant};
use shakmaty::{Bitboard, Board, ByRole, Color, Position};

use super::Rules;
use crate::evaluation::{
    advantage, front_span, king_danger, king_place, material, pawn_attacks, relative_rank,
};
use crate::exchange::Values;

/// Values of the horde's pawns and promoted pieces.
const HORDE: Values = ByRole { pawn: 110, knight: 330, bishop: 340, rook: 560, queen: 1_050, king: 0 };
/// Values of Black's pieces. Rooks and queens are strong against a horde without pieces.
const ARMY: Values = ByRole { pawn: 130, knight: 300, bishop: 320, rook: 560, queen: 950, king: 0 };

impl Rules for Horde {
    const VARIANT: Variant = Variant::Horde;

    fn evaluate(&self) -> i32 {
        let board = self.board();
        advantage(board, self.turn(), |color, own, their| {
            if board.king_of(color).is_none() {
                material(board, color, &HORDE) + horde_pawns(board, color) + own.mobility
            } else {
                material(board, color, &ARMY)
                    + army_pawns(board, color)
                    + own.mobility / 2
                    + king_place(board, color, 256)
                    - king_danger(board, color, their) / 2
            }
        })
    }

    /// A horde of many pawns has spare moves.
    fn may_pass(&self) -> bool {
        let ours = self.us();
        (ours & !self.board().pawns() & !self.board().kings()).any() || ours.count() > 8
    }
}

/// Evaluates the horde's pawns: bonuses for defended and advanced pawns, and most for those without an opposing pawn in
/// front of them.
fn horde_pawns(board: &Board, color: Color) -> i32 {
    let ours = board.by_piece(color.pawn());
    let defended = (ours & pawn_attacks(board, color)).count() as i32;
    let blocked_by = front_span(board.by_piece((!color).pawn()), !color);
    let free = ours & !blocked_by;
    let advance: i32 = ours
        .into_iter()
        .map(|square| {
            let rank = relative_rank(square, color);
            3 * rank + if free.contains(square) { 2 * rank * rank } else { 0 }
        })
        .sum();
    advance + 10 * defended
}

/// Evaluates Black's passed pawns, files without pieces of the horde, and rooks and queens behind the horde.
fn army_pawns(board: &Board, color: Color) -> i32 {
    let ours = board.by_piece(color.pawn());
    let passed = ours & !front_span(board.by_color(!color) & board.pawns(), !color);
    let advance: i32 = passed.into_iter().map(|square| relative_rank(square, color).pow(2) * 3).sum();
    let horde = board.by_color(!color);
    let holes =
        shakmaty::File::ALL.into_iter().filter(|&file| (horde & Bitboard::from_file(file)).is_empty());
    let behind = (board.by_color(color) & board.rooks_and_queens())
        .into_iter()
        .filter(|&square| relative_rank(square, color) >= 5)
        .count() as i32;
    advance + 40 * holes.count() as i32 + 40 * behind
}
