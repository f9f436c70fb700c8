//! Racing Kings: the first king to reach the last rank wins (if Black's king reaches it with the next move, the game is
//! drawn). Checks are forbidden, so a king is stopped by attacking the squares ahead of it.

use shakmaty::variant::{RacingKings, Variant};
use shakmaty::{Bitboard, Board, ByRole, Color, Move, Position, Rank, Role, attacks};

use super::Rules;
use crate::evaluation::{Activity, advantage, material};
use crate::exchange::Values;

/// Bonus of a king by its rank.
const RACE: [i32; 8] = [0, 90, 190, 310, 450, 620, 850, 1_300];

impl Rules for RacingKings {
    const VARIANT: Variant = Variant::RacingKings;
    const VALUES: Values = ByRole { pawn: 0, knight: 260, bishop: 300, rook: 420, queen: 750, king: 0 };
    const SWING: i32 = 160;

    fn evaluate(&self) -> i32 {
        let board = self.board();
        let side = |color, own: &Activity, their: &Activity| {
            material(board, color, &Self::VALUES) + own.mobility / 2 + race(board, color, their.attacked)
        };
        // Being to move is worth part of a rank.
        advantage(board, self.turn(), side) + 40
    }

    fn is_urgent(&self, m: Move) -> bool {
        m.role() == Role::King && m.to().rank() == Rank::Eighth
    }
}

/// Evaluates the progress of a king and its free squares on the next two ranks.
fn race(board: &Board, color: Color, attacked: Bitboard) -> i32 {
    let Some(king) = board.king_of(color) else { return 0 };
    let rank = king.rank().to_usize();
    let Some(next) = king.rank().offset(1) else { return RACE[rank] };
    let open = !attacked & !board.by_color(color);
    let steps = attacks::king_attacks(king) & Bitboard::from_rank(next) & open;
    let beyond = next.offset(1).map_or(Bitboard::EMPTY, |rank: Rank| {
        let reach = steps.into_iter().map(attacks::king_attacks).fold(Bitboard::EMPTY, |a, b| a | b);
        reach & Bitboard::from_rank(rank) & open
    });
    let freedom = match (steps.is_empty(), beyond.is_empty()) {
        (true, _) => -40,
        (false, true) => 20,
        (false, false) => 60,
    };
    let urgency = RACE[rank] / 8;
    RACE[rank] + freedom + urgency * i32::from(!steps.is_empty())
}
