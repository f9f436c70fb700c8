//! Start positions of games.

use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup as _, Setup};

use crate::random::Random;

/// Start position: the Chess960 numbers (R. Scharnagl) of White's and Black's set-ups, which may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    white: u16,
    black: u16,
}

impl Start {
    /// Number of start positions of Chess960.
    pub(crate) const COUNT: u16 = 960;
    /// Standard chess.
    pub(crate) const STANDARD: Start = Start { white: 518, black: 518 };

    /// Returns the start position with these numbers, if both are below [`Start::COUNT`].
    pub(crate) fn new(white: u16, black: u16) -> Option<Start> {
        (white < Start::COUNT && black < Start::COUNT).then_some(Start { white, black })
    }

    /// Returns a start position with independent random set-ups for White and Black.
    pub(crate) fn random(random: &mut Random) -> Start {
        let mut number = || random.below(Start::COUNT.into()) as u16;
        Start { white: number(), black: number() }
    }

    /// Returns the numbers, White's first.
    pub(crate) fn numbers(self) -> [u16; 2] {
        [self.white, self.black]
    }

    /// Returns the set-up with all castling rights.
    pub(crate) fn setup(self) -> Setup {
        let mut setup = Setup::initial();
        setup.board = Board::chess960(self.white.into());
        for (square, piece) in Board::chess960(self.black.into()) {
            if piece.color == Color::Black {
                setup.board.set_piece_at(square, piece); // on the same sixteen squares
            }
        }
        setup.castling_rights = setup.board.rooks();
        setup
    }

    /// Returns the start position.
    pub(crate) fn position(self) -> search::Position {
        if self == Start::STANDARD {
            return search::Position::default();
        }
        let chess = Chess::from_setup(self.setup(), CastlingMode::Chess960)
            .unwrap_or_else(|error| unreachable!("a start position: {error}"));
        search::Position::from(&chess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_as_their_numbers_say() {
        let standard = Start::new(518, 518).unwrap();
        assert_eq!(standard.setup(), Setup::initial());
        assert_eq!(standard.position(), search::Position::default());
        let other = Start::new(0, 959).unwrap();
        let fen = shakmaty::fen::Fen::try_from_setup(other.setup()).unwrap().to_string();
        assert!(fen.starts_with("rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w"), "{fen}");
        assert!(!other.position().legal_moves().is_empty());
        assert_eq!(Start::new(960, 0), None);
    }
}
