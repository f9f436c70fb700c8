//! Bughouse on one of its two boards: captured pieces go to the captor's partner, and pieces to drop come from the
//! partner.

use std::num::NonZeroU32;

use shakmaty::variant::{Crazyhouse, Variant};
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, Castles, Color, EnPassantMode, FromSetup, Move, MoveList, Outcome,
    Position, PositionError, RemainingChecks, Setup, Square,
};

use super::{Pass, Rules, crazyhouse};
use crate::exchange;

/// A board of Bughouse. shakmaty adds captured pieces to the captor's pocket, so the pockets are stored here and drops
/// of other pieces are filtered out.
#[derive(Clone)]
pub(crate) struct Bughouse {
    board: Crazyhouse,
    hands: ByColor<ByRole<u8>>,
}

impl Bughouse {
    /// Creates a board with its current pockets.
    pub(crate) fn new(board: Crazyhouse) -> Bughouse {
        let hands = board.pockets().copied().unwrap_or_default();
        Bughouse { board, hands }
    }
}

impl Rules for Bughouse {
    const VARIANT: Variant = Variant::Crazyhouse;
    const SWING: i32 = 150;
    const CHECKS_ARE_URGENT: bool = true;

    fn evaluate(&self) -> i32 {
        crazyhouse::evaluate(self)
    }

    /// The partner's gain is not visible on this board, but is worth about as much as the visible one.
    fn gain(&self, m: Move) -> i32 {
        crazyhouse::gain(self, m)
    }

    fn wins_at_least(&self, m: Move, threshold: i32) -> bool {
        exchange::wins_at_least(self, m, &crazyhouse::VALUES, threshold / 2)
    }
}

impl Pass for Bughouse {
    fn pass(self) -> Option<Bughouse> {
        let mode = self.board.castles().mode();
        let mut setup = Setup { pockets: Some(self.hands), ..self.board.to_setup(EnPassantMode::Always) };
        setup.swap_turn();
        // Pieces of both boards may come together here.
        let board = Crazyhouse::from_setup(setup, mode).or_else(PositionError::ignore_too_much_material);
        board.ok().map(Bughouse::new)
    }
}

impl Position for Bughouse {
    fn legal_moves(&self) -> MoveList {
        let hand = self.hands.get(self.turn());
        let mut moves = self.board.legal_moves();
        moves.retain(|m| !matches!(m, Move::Put { role, .. } if *hand.get(*role) == 0));
        moves
    }

    fn play_unchecked(&mut self, m: Move) {
        if let Move::Put { role, .. } = m {
            let count = self.hands.get_mut(self.board.turn()).get_mut(role);
            *count = count.saturating_sub(1);
        }
        self.board.play_unchecked(m);
    }

    fn pockets(&self) -> Option<&ByColor<ByRole<u8>>> {
        Some(&self.hands)
    }

    fn board(&self) -> &Board {
        self.board.board()
    }

    fn promoted(&self) -> Bitboard {
        self.board.promoted()
    }

    fn turn(&self) -> Color {
        self.board.turn()
    }

    fn castles(&self) -> &Castles {
        self.board.castles()
    }

    fn maybe_ep_square(&self) -> Option<Square> {
        self.board.maybe_ep_square()
    }

    fn remaining_checks(&self) -> Option<&ByColor<RemainingChecks>> {
        None
    }

    fn halfmoves(&self) -> u32 {
        self.board.halfmoves()
    }

    fn fullmoves(&self) -> NonZeroU32 {
        self.board.fullmoves()
    }

    fn is_variant_end(&self) -> bool {
        false
    }

    /// The partner may send more pieces.
    fn has_insufficient_material(&self, _color: Color) -> bool {
        false
    }

    fn variant_outcome(&self) -> Outcome {
        Outcome::Unknown
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    fn bughouse(fen: &str) -> Bughouse {
        Bughouse::new(fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap())
    }

    fn drops(position: &Bughouse) -> usize {
        position.legal_moves().iter().filter(|m| m.is_put()).count()
    }

    #[test]
    fn what_is_captured_is_gone_and_what_is_dropped_is_used_up() {
        let mut position = bughouse("4k3/8/8/3q4/4P3/8/8/4K3[N] w - - 0 1");
        assert_eq!(drops(&position), 60);
        let capture = position.legal_moves().into_iter().find(|m| m.is_capture()).unwrap();
        position.play_unchecked(capture);
        position = position.pass().unwrap();
        assert_eq!((drops(&position), position.hands.white.queen), (61, 0));
        let drop = position.legal_moves().into_iter().find(|m| m.is_put()).unwrap();
        position.play_unchecked(drop);
        assert_eq!(drops(&position.clone().pass().unwrap_or(position)), 0);
    }
}
