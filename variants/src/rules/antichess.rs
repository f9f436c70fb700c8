//! Antichess (giveaway): a side without pieces or without moves wins, and captures are compulsory. Pieces are a burden,
//! but the side with more choices can force the other to capture.

use shakmaty::variant::{Antichess, Variant};
use shakmaty::{ByRole, Color, Move, Position, Role, attacks};

use super::Rules;
use crate::evaluation::pawn_attacks;
use crate::exchange::Values;

/// Costs of the pieces. A king can't be checked and is easily given away late; pawns take long.
const BURDEN: Values = ByRole { pawn: 90, knight: 85, bishop: 95, rook: 90, queen: 100, king: 60 };

impl Rules for Antichess {
    const VARIANT: Variant = Variant::Antichess;
    const SWING: i32 = 180;
    const CAPTURES_ARE_FORCED: bool = true;

    fn evaluate(&self) -> i32 {
        let board = self.board();
        let turn = self.turn();
        let burden = |color: Color| crate::evaluation::material(board, color, &BURDEN);
        let choices = |color: Color| {
            let empty = !board.occupied();
            let ours = board.by_color(color);
            let pieces = ours & !board.pawns();
            let moves: usize =
                pieces.into_iter().map(|square| (board.attacks_from(square) & empty).count()).sum();
            let forward = color.fold_wb(8, -8);
            let steps = (board.by_piece(color.pawn()).shift(forward) & empty).count();
            // Captures that the opponent would have to make if it were to move.
            let offers = (ours & pawn_attacks(board, !color)).count();
            4 * (moves + 2 * steps) as i32 + 10 * offers as i32
        };
        // With one piece each the distance decides; the search sees that better than any rule.
        burden(!turn) - burden(turn) + choices(turn) - choices(!turn) + 10
    }

    /// Null moves are unsound if captures are compulsory.
    fn may_pass(&self) -> bool {
        false
    }

    /// Losing a piece is good: moves that offer the most come first.
    fn gain(&self, m: Move) -> i32 {
        let to = m.to();
        let is_offered = |role: Role| {
            let reach = attacks::attacks(to, role.of(self.turn()), self.board().occupied());
            i32::from((reach & self.them()).any())
        };
        // A piece that attacks nothing on its target square need not capture with its next move.
        let captured = m.capture().map_or(0, |role| *BURDEN.get(role));
        -captured - 40 * is_offered(m.promotion().unwrap_or(m.role()))
    }

    fn wins_at_least(&self, _m: Move, threshold: i32) -> bool {
        threshold <= 0
    }
}
