//! Three-check: who gives the third check has won. Checks given are worth material, and kings must hide.

use shakmaty::variant::{ThreeCheck, Variant};
use shakmaty::{Color, Move, Position};

use super::Rules;
use crate::evaluation::{CHESS_VALUES, like_chess};

/// What it is worth to have so many checks left to give. With none left the game is over.
const CHECKS_LEFT: [i32; 4] = [0, 620, 220, 0];

impl Rules for ThreeCheck {
    const VARIANT: Variant = Variant::ThreeCheck;
    const SWING: i32 = 130;

    fn evaluate(&self) -> i32 {
        let checks = |color: Color| {
            let left = self.remaining_checks().map_or(3, |left| i32::from(u8::from(*left.get(color))));
            CHECKS_LEFT[left.clamp(0, 3) as usize]
        };
        let turn = self.turn();
        // To move first counts for more where checks do.
        let initiative = 15;
        like_chess(self.board(), turn, &CHESS_VALUES, 130) + checks(turn) - checks(!turn) + initiative
    }

    /// Checks change what the position is worth as captures do, but only the last two by enough to look at them all.
    fn is_urgent(&self, m: Move) -> bool {
        let left = self.remaining_checks().map_or(3, |left| i32::from(u8::from(*left.get(self.turn()))));
        left <= 2 && {
            let mut next = self.clone();
            next.play_unchecked(m);
            next.is_check()
        }
    }
}
