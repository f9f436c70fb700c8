//! Moves in the long algebraic notation of CEGO.

use std::fmt;
use std::str::FromStr;

use game::Game;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move, Role};

use super::MalformedMessage;

/// A move: origin, target and promotion. Castling is written with the squares of the king (`e1g1`). Legality is checked
/// by [`LongMove::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LongMove(UciMove);

impl LongMove {
    /// Converts a move of standard chess; `None` for a drop.
    pub fn of(m: Move) -> Option<LongMove> {
        LongMove::new(m.to_uci(CastlingMode::Standard))
    }

    /// Creates a move; `None` for a promotion to a pawn or king.
    fn new(written: UciMove) -> Option<LongMove> {
        let UciMove::Normal { promotion, .. } = written else { return None };
        let is_known = !matches!(promotion, Some(Role::Pawn | Role::King));
        is_known.then_some(LongMove(written))
    }

    /// Returns the legal move of `game` with this notation, if there is one. Castling as king takes rook and a
    /// promotion without its letter are not accepted.
    pub fn find(self, game: &Game) -> Option<Move> {
        game.legal_moves().into_iter().find(|&m| LongMove::of(m) == Some(self))
    }
}

impl FromStr for LongMove {
    type Err = MalformedMessage;

    fn from_str(text: &str) -> Result<LongMove, MalformedMessage> {
        // Other spellings, for instance with capitals, are rejected.
        let written = text.parse().ok().filter(|written: &UciMove| written.to_string() == text);
        let expected = "a move such as e2e4 or e7e8q, in lower case";
        written.and_then(LongMove::new).ok_or_else(|| MalformedMessage::new(expected, text))
    }
}

impl fmt::Display for LongMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use shakmaty::Square;

    use super::*;

    /// Generates moves that can be written.
    pub(in crate::cego) fn long_move() -> impl Strategy<Value = LongMove> {
        let square = || (0..64_u32).prop_map(Square::new);
        let roles = vec![Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        let promotion = prop::option::of(prop::sample::select(roles));
        (square(), square(), promotion)
            .prop_map(|(from, to, promotion)| LongMove(UciMove::Normal { from, to, promotion }))
    }

    fn found(fen: &str, text: &str) -> Option<String> {
        let game = Game::from_fen(fen, CastlingMode::Standard).expect("a position");
        let m = text.parse::<LongMove>().expect("well-formed").find(&game)?;
        Some(game.san(m))
    }

    #[test]
    fn each_kind_of_move_has_one_spelling() {
        let castling = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        assert_eq!(found(castling, "e1g1").as_deref(), Some("O-O"));
        assert_eq!(found(castling, "e1c1").as_deref(), Some("O-O-O"));
        assert_eq!(found(castling, "e1h1"), None);
        let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(found(en_passant, "e5d6").as_deref(), Some("exd6"));
        let promotion = "8/4P3/8/8/8/8/k7/4K3 w - - 0 1";
        assert_eq!(found(promotion, "e7e8n").as_deref(), Some("e8=N"));
        assert_eq!(found(promotion, "e7e8"), None);
        assert_eq!(found(promotion, "e1e2q"), None);
    }
}
