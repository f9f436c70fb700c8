//! Three-check: the side that gives the third check wins. Checks are worth material, and king safety counts more.

use shakmaty::variant::{ThreeCheck, Variant};
use shakmaty::{Color, Move, Position};

use super::{Rules, gives_direct_check};
use crate::evaluation::{CHESS_VALUES, like_chess};

/// Bonus by the number of checks left to give. With none left the game is over.
const CHECKS_LEFT: [i32; 4] = [0, 620, 220, 0];

impl Rules for ThreeCheck {
    const VARIANT: Variant = Variant::ThreeCheck;
    const SWING: i32 = 130;
    const CHECKS_ARE_URGENT: bool = true;

    fn evaluate(&self) -> i32 {
        let checks = |color: Color| CHECKS_LEFT[checks_left(self, color).min(3)];
        let turn = self.turn();
        // Having the move counts more than in chess.
        let initiative = 15;
        like_chess(self.board(), turn, &CHESS_VALUES, 130) + checks(turn) - checks(!turn) + initiative
    }

    /// The last check wins.
    fn is_urgent(&self, m: Move) -> bool {
        checks_left(self, self.turn()) == 1 && gives_direct_check(self, m)
    }
}

fn checks_left(position: &ThreeCheck, color: Color) -> usize {
    position.remaining_checks().map_or(3, |left| usize::from(u8::from(*left.get(color))))
}
