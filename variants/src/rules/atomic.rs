//! Atomic: a capture explodes and removes all pieces around it except pawns. Exploding the opponent's king wins, even
//! in check, so a king is in danger if a piece next to it can be captured.

use shakmaty::variant::{Atomic, Variant};
use shakmaty::{Board, ByRole, Color, Move, Position, Role, Square, attacks};

use super::Rules;
use crate::evaluation::{Activity, advantage, king_place, material, pawns, phase};
use crate::exchange::Values;

/// Value of exploding the king.
const KING: i32 = 10_000;

impl Rules for Atomic {
    const VARIANT: Variant = Variant::Atomic;
    /// Low values, as pieces mostly serve to be exchanged for something near the king.
    const VALUES: Values = ByRole { pawn: 100, knight: 200, bishop: 220, rook: 340, queen: 650, king: 0 };
    const SWING: i32 = 150;

    fn evaluate(&self) -> i32 {
        let board = self.board();
        let phase = phase(board);
        let side = |color, own: &Activity, their: &Activity| {
            material(board, color, &Self::VALUES)
                + pawns(board, color)
                + own.mobility
                + king_place(board, color, phase)
                - fuses(board, color, their)
        };
        advantage(board, self.turn(), side) + 25
    }

    /// Returns the opponent's losses in the explosion minus one's own. There is no recapture.
    fn gain(&self, m: Move) -> i32 {
        if !m.is_capture() {
            return m.promotion().map_or(0, |role| Self::VALUES.get(role) - Self::VALUES.pawn);
        }
        let board = self.board();
        let worth = |square: Square| match board.piece_at(square) {
            Some(piece) if piece.color == self.turn() => -Self::VALUES.get(piece.role),
            Some(piece) if piece.role == Role::King => KING,
            Some(piece) => *Self::VALUES.get(piece.role),
            None => 0,
        };
        let captured = m.capture().map_or(0, |role| *Self::VALUES.get(role));
        let around = attacks::king_attacks(m.to()) & board.occupied() & !board.pawns();
        let blown: i32 = around.into_iter().filter(|&square| Some(square) != m.from()).map(worth).sum();
        captured - Self::VALUES.get(m.role()) + blown
    }

    fn wins_at_least(&self, m: Move, threshold: i32) -> bool {
        self.gain(m) >= threshold
    }
}

/// Returns the penalty for pieces next to their own king that can be captured, which would explode the king. Adjacent
/// kings are safe, as neither can be exploded alone.
fn fuses(board: &Board, color: Color, their: &Activity) -> i32 {
    let (Some(king), Some(other)) = (board.king_of(color), board.king_of(!color)) else { return 0 };
    let ring = attacks::king_attacks(king);
    if ring.contains(other) {
        return -40;
    }
    let ours = board.by_color(color) & !board.kings();
    // The opponent's king can't capture, as it would explode itself.
    let fuses = ring & ours & their.attacked;
    let nearby = ring & their.attacked & !board.occupied();
    70 * fuses.count() as i32 + 10 * nearby.count() as i32 + 3 * their.king_attack
}
