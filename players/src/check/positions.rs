//! Positions for the rules of several protocols.

/// The first moves of a game.
pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A middlegame that is in no opening book, without forced moves. White to move.
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

/// White is lost.
pub(super) const LOST: &str = "1n1qk3/pppppppp/8/8/8/8/PPPPPPPP/1N2K3 w - - 0 1";

/// White is lost, and Black's next move of a knight is the fiftieth.
pub(super) const FORTY_NINE_MOVES: &str = "1n1qk3/pppppppp/8/8/8/8/PPPPPPPP/1N2K3 b - - 99 80";

/// The same, and it is the forty-ninth.
pub(super) const FORTY_EIGHT_MOVES: &str = "1n1qk3/pppppppp/8/8/8/8/PPPPPPPP/1N2K3 b - - 97 80";

/// White wins.
pub(super) const WON: &str = "1n2k3/pppppppp/8/8/8/8/PPPPPPPP/1N1QK3 w - - 0 1";

/// White's moves are legal in no other position here.
pub(super) const ROOK_ENDGAME: &str = "k7/8/8/3K3R/8/8/8/8 w - - 0 1";

/// An endgame with Black to move.
pub(super) const ENDGAME: &str = "8/5pk1/6p1/7p/3R3P/6P1/r4PK1/8 b - - 5 40";

/// A position, and moves with castling on either side.
pub(super) const AFTER_CASTLING: (&str, [&str; 4]) =
    ("r3k2r/pppq1ppp/2np1n2/4p3/4P3/2NP1N2/PPPQ1PPP/R3K2R w KQkq - 0 10", ["e1g1", "e8c8", "f1e1", "d7h3"]);

/// A position, and moves with an en passant capture and promotions.
pub(super) const AFTER_PAWNS: (&str, [&str; 4]) =
    ("4k2r/4p1P1/8/3P4/8/8/2p5/4K3 b k - 0 1", ["e7e5", "d5e6", "c2c1n", "g7h8q"]);

/// A Chess960 position in which both sides can castle to both sides.
pub(super) const CHESS960: &str = "1rk3r1/pppqpppp/8/8/8/8/PPPQPPPP/1RK3R1 w GBgb - 0 1";

/// White's only legal move in Chess960 is to castle: the king stays, the rook goes to f1.
pub(super) const ONLY_CASTLING: &str = "6k1/8/8/8/8/3n3p/3n3P/6KR w H - 0 1";

/// White is mated by 1... Ra1 unless it castles.
pub(super) const SAVED_BY_CASTLING: &str = "6k1/5ppp/8/8/8/r7/1r3PPP/4K2R w K - 0 1";

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
