//! King of the Hill: a king on one of the four centre squares wins.

use shakmaty::variant::{KingOfTheHill, Variant};
use shakmaty::{Bitboard, Color, Move, Position, Role};

use super::Rules;
use crate::evaluation::{CHESS_VALUES, distance_to_centre, like_chess, phase};

/// Bonus of a king by its distance from the hill, in the middlegame and in the endgame.
const APPROACH: [(i32, i32); 4] = [(0, 0), (70, 400), (10, 220), (0, 0)];

impl Rules for KingOfTheHill {
    const VARIANT: Variant = Variant::KingOfTheHill;
    const SWING: i32 = 110;

    fn evaluate(&self) -> i32 {
        let board = self.board();
        let phase = phase(board);
        let approach = |color: Color| {
            let Some(king) = board.king_of(color) else { return 0 };
            let (crowded, empty) = APPROACH[distance_to_centre(king) as usize];
            (crowded * phase + empty * (256 - phase)) / 256
        };
        // Attacks on the hill keep the opponent's king off.
        let guard = |color: Color| {
            let held = Bitboard::CENTER
                .into_iter()
                .filter(|&square| board.attacks_to(square, color, board.occupied()).any());
            12 * held.count() as i32
        };
        let turn = self.turn();
        let hill = |color| approach(color) + guard(color);
        like_chess(board, turn, &CHESS_VALUES, 60) + hill(turn) - hill(!turn)
    }

    fn is_urgent(&self, m: Move) -> bool {
        m.role() == Role::King && Bitboard::CENTER.contains(m.to()) && !m.is_castle()
    }
}
