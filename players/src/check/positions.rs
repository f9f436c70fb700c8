//! Positions for the rules of several protocols.

/// A middlegame that is in no opening book, and in which no move is forced. White is on move.
pub(super) const MIDDLEGAME: &str = "r2q1rk1/1b2bppp/p1n1pn2/1pp5/P2P4/1BN1PN2/1P2QPPP/R1BR2K1 w - - 0 13";

/// White mates by 1. Ra8.
pub(super) const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

/// White mates in two by 1. Rb7 and 2. Ra8.
pub(super) const MATE_IN_TWO: &str = "6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1";

/// Black has two moves, after each of which the rook on the b-file mates.
pub(super) const MATED_IN_ONE: &str = "6k1/R7/8/8/8/8/8/1R4K1 b - - 0 1";

/// Black is mated.
pub(super) const MATED: &str = "R6k/6pp/8/8/8/8/6PP/6K1 b - - 0 1";

/// Black is stalemated.
pub(super) const STALEMATED: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// Both sides can castle to both sides.
pub(super) const CASTLING: &str = "r3k2r/pppq1ppp/2np1n2/4p3/4P3/2NP1N2/PPPQ1PPP/R3K2R w KQkq - 0 10";

/// White's only legal move in Chess960 is to castle: the king stays, the rook goes to f1.
pub(super) const ONLY_CASTLING: &str = "6k1/8/8/8/8/3n3p/3n3P/6KR w H - 0 1";

#[cfg(test)]
mod tests {
    use game::{CastlingMode, Game};

    use super::*;

    #[test]
    fn castling_is_the_only_move() {
        let game = Game::from_fen(ONLY_CASTLING, CastlingMode::Chess960).unwrap();
        let moves: Vec<String> = game.legal_moves().iter().map(|&m| game.san(m)).collect();
        assert_eq!(moves, ["O-O"]);
    }
}
