//! Conversion between shakmaty's moves and the 16-bit moves of the hash table and the reports.

use shakmaty::{Move, Position};

/// Converts a move to 16 bits. Different moves of a position remain different.
pub fn short(m: Move) -> search::Move {
    match m {
        Move::Put { role, to } => search::Move::dropping(role, to),
        Move::Castle { king, rook } => search::Move::new(king, rook),
        Move::EnPassant { from, to } | Move::Normal { from, to, promotion: None, .. } => {
            search::Move::new(from, to)
        }
        Move::Normal { from, to, promotion: Some(role), .. } => search::Move::promoting(from, to, role),
    }
}

/// Returns the legal move with this 16-bit form; `None` if there is none.
pub fn find(position: &impl Position, m: search::Move) -> Option<Move> {
    position.legal_moves().into_iter().find(|&legal| short(legal) == m)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::variant::{Antichess, Crazyhouse};
    use shakmaty::{CastlingMode, FromSetup, Position, fen::Fen};

    use super::*;

    fn position<P: Position + FromSetup>(fen: &str) -> P {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap_or_else(|e| panic!("{e}"))
    }

    fn assert_told_apart(position: &impl Position) {
        let legal = position.legal_moves();
        let shorts: HashSet<search::Move> = legal.iter().map(|&m| short(m)).collect();
        assert_eq!(shorts.len(), legal.len());
        for m in legal {
            assert_eq!(find(position, short(m)), Some(m));
        }
    }

    #[test]
    fn drops_castling_and_promotions_to_king_are_told_apart() {
        let fen = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R[QBNPqbnp] w KQkq d6 0 1";
        assert_told_apart(&position::<Crazyhouse>(fen));
        assert_told_apart(&position::<Antichess>("8/1P6/8/8/8/8/8/7k w - - 0 1"));
        let drop = short(Move::Put { role: shakmaty::Role::Knight, to: shakmaty::Square::F7 });
        assert_eq!((drop.to_string().as_str(), drop.promotion()), ("N@f7", None));
        assert_eq!(search::Move::new(shakmaty::Square::A2, shakmaty::Square::A3).dropped(), None);
    }
}
