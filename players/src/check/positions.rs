//! Positions for the rules of several protocols.

/// The first moves of a game.
pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A middlegame that is in no opening book, without forced moves. White to move.
pub(super) const MIDDLEGAME: &str = "r2q1rk1/1b2bppp/p1n1pn2/1pp5/P2P4/1BN1PN2/1P2QPPP/R1BR2K1 w - - 0 13";

/// White mates by 1. Ra8.
pub(super) const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

/// Black mates by 1... Ra1.
pub(super) const MATE_IN_ONE_BY_BLACK: &str = "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1";

/// White mates in two by 1. Rb7 and 2. Ra8.
pub(super) const MATE_IN_TWO: &str = "6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1";

/// Black has two moves, after each of which the rook on the b-file mates.
pub(super) const MATED_IN_ONE: &str = "6k1/R7/8/8/8/8/8/1R4K1 b - - 0 1";

/// Black is mated.
pub(super) const MATED: &str = "R6k/6pp/8/8/8/8/6PP/6K1 b - - 0 1";

/// White is mated.
pub(super) const WHITE_MATED: &str = "6k1/6pp/8/8/8/8/6PP/r6K w - - 0 1";

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

/// White has mate in one, by castling only, and Black in the last two.
pub(super) const CASTLING_MATES: [&str; 4] = [
    "8/8/8/8/N7/8/7R/1k2K2R w K - 0 1",
    "8/8/8/8/8/8/2Q5/R3K1k1 w Q - 0 1",
    "K3k2r/5r2/8/1P6/8/8/8/8 b k - 0 1",
    "r3k2K/r7/8/8/8/8/5b2/8 b q - 0 1",
];

/// Positions, and the only legal move, after which castling is the only mate in one.
pub(super) const CASTLING_MATES_NEXT: [(&str, &str); 2] =
    [("8/8/8/8/8/8/6Q1/2k1K2R b K - 0 1", "c1b1"), ("r3k2K/1q6/8/8/8/8/8/8 w q - 0 1", "h8g8")];

/// The only legal move is to capture en passant.
pub(super) const ONLY_EN_PASSANT: [&str; 2] =
    ["8/8/2b5/1pP5/3q4/1K6/3k3n/r7 w - b6 0 2", "7k/K4R2/8/6Q1/3Pp3/4P2P/8/8 b - d3 0 2"];

/// All legal moves are promotions.
pub(super) const ONLY_PROMOTIONS: [&str; 2] =
    ["8/4P1k1/8/8/8/6q1/8/7K w - - 0 1", "7k/8/6Q1/8/8/8/4p1K1/8 b - - 0 1"];

/// Positions, White's only legal move in each, and a move of Black's to which White has only one reply: castling to either side, a
/// capture en passant, a double step that has to be captured so, and a promotion to a knight.
pub(super) const ONE_REPLY: [(&str, [&str; 2]); 5] = [
    ("4k2r/8/7q/7K/8/8/8/8 w k - 0 1", ["h5g4", "e8g8"]),
    ("r3k1K1/8/8/4n3/8/8/8/7q w q - 0 1", ["g8g7", "e8c8"]),
    ("8/8/1r6/4b3/2p1k1p1/2K1n3/3P4/8 w - - 0 1", ["d2d4", "c4d3"]),
    ("8/1p6/2b5/2P5/3q4/8/1K1k3n/r7 w - - 0 1", ["b2b3", "b7b5"]),
    ("3b4/8/8/8/2p5/8/1pk5/K7 w - - 0 1", ["a1a2", "b2b1n"]),
];

/// The same with castling in Chess960.
pub(super) const ONE_REPLY_CHESS960: [(&str, [&str; 2]); 2] = [
    ("3K2kr/8/4p3/1b6/2q5/8/8/8 w h - 0 1", ["d8e7", "g8h8"]),
    ("r2k1K2/7r/8/8/8/8/8/8 w a - 0 1", ["f8g8", "d8a8"]),
];

#[cfg(test)]
mod tests {
    use game::{CastlingMode, Game};

    use super::*;

    fn moves_in(fen: &str, mode: CastlingMode, played: &[&str]) -> Vec<String> {
        let mut game = Game::from_fen(fen, mode).unwrap();
        for text in played {
            assert_eq!(game.legal_moves().len() == 1, game.turn() == game::Color::White, "{fen}");
            game.play(game.parse_move(text).unwrap()).unwrap();
        }
        game.legal_moves().iter().map(|&m| game.san(m)).collect()
    }

    #[test]
    fn there_is_one_move() {
        assert_eq!(moves_in(ONLY_CASTLING, CastlingMode::Chess960, &[]), ["O-O"]);
        for fen in ONLY_EN_PASSANT {
            assert_eq!(moves_in(fen, CastlingMode::Standard, &[]).len(), 1, "{fen}");
            let without = fen.replace(" b6 ", " - ").replace(" d3 ", " - ");
            assert!(moves_in(&without, CastlingMode::Standard, &[]).is_empty(), "{without}");
        }
        for (fen, moves) in ONE_REPLY {
            assert_eq!(moves_in(fen, CastlingMode::Standard, &moves).len(), 1, "{fen}");
        }
        for (fen, moves) in ONE_REPLY_CHESS960 {
            assert_eq!(moves_in(fen, CastlingMode::Chess960, &moves).len(), 1, "{fen}");
        }
    }

    #[test]
    fn only_promotions_are_legal() {
        for (fen, to) in ONLY_PROMOTIONS.iter().zip(["e8=", "e1="]) {
            let moves = moves_in(fen, CastlingMode::Standard, &[]);
            assert!(moves.len() == 4 && moves.iter().all(|san| san.starts_with(to)), "{fen}: {moves:?}");
        }
    }

    #[test]
    fn either_side_mates() {
        for (fen, mate) in [(MATE_IN_ONE, "a1a8"), (MATE_IN_ONE_BY_BLACK, "a8a1")] {
            assert!(moves_in(fen, CastlingMode::Standard, &[]).iter().any(|san| san.ends_with('#')));
            let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            game.play(game.parse_move(mate).unwrap()).unwrap();
            assert!(game.outcome().is_some_and(|outcome| outcome.winner() == Some(!game.turn())), "{fen}");
        }
        for fen in [MATED, WHITE_MATED] {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            assert!(game.outcome().is_some_and(|outcome| outcome.winner() == Some(!game.turn())), "{fen}");
        }
    }

    #[test]
    fn only_castling_mates() {
        let mates = |game: &Game| -> Vec<String> {
            let moves = game.legal_moves().iter().map(|&m| game.san(m)).collect::<Vec<_>>();
            moves.into_iter().filter(|san| san.ends_with('#')).collect()
        };
        let is_castling = |mates: Vec<String>| matches!(&mates[..], [san] if san.starts_with("O-O"));
        for fen in CASTLING_MATES {
            assert!(is_castling(mates(&Game::from_fen(fen, CastlingMode::Standard).unwrap())), "{fen}");
        }
        for (fen, only) in CASTLING_MATES_NEXT {
            let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            assert_eq!(game.legal_moves().len(), 1, "{fen}");
            game.play(game.parse_move(only).unwrap()).unwrap();
            assert!(is_castling(mates(&game)), "{fen}");
        }
    }
}
