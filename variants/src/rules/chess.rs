//! Plain chess, so that the search can play whatever position it is given, and can be compared with the main search.

use shakmaty::Chess;
use shakmaty::Position;
use shakmaty::variant::Variant;

use super::Rules;
use crate::evaluation::{CHESS_VALUES, like_chess};

impl Rules for Chess {
    const VARIANT: Variant = Variant::Chess;

    fn evaluate(&self) -> i32 {
        like_chess(self.board(), self.turn(), &CHESS_VALUES, 50)
    }
}
