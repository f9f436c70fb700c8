//! FEN of the first move message.

use std::fmt;
use std::str::FromStr;

use game::{CastlingMode, Game};
use shakmaty::fen::Fen;
use shakmaty::{Board, Chess, PositionErrorKinds, Square};

use super::MalformedMessage;

/// A well-formed FEN: six fields separated by single spaces, castling rights as `KQkq` in that order. Legality is
/// checked by [`StrictFen::game`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictFen(String);

impl StrictFen {
    /// Returns the current position of `game`.
    ///
    /// # Errors
    /// The castling rights are those of Chess960, which the protocol cannot express.
    pub fn of(game: &Game) -> Result<StrictFen, MalformedMessage> {
        game.fen().parse()
    }

    /// Creates a game that starts in this position.
    ///
    /// # Errors
    /// The position is illegal in standard chess. The protocol has no Chess960, where `e1g1` would be ambiguous.
    pub fn game(&self) -> Result<Game, String> {
        let game = Game::from_fen(&self.0, CastlingMode::Standard).map_err(|error| error.to_string())?;
        // `Game` drops rights that contradict the board; here they are an error.
        let contradictions = Fen::from_ascii(self.0.as_bytes())
            .ok()
            .and_then(|fen| fen.into_position::<Chess>(CastlingMode::Standard).err())
            .map_or(PositionErrorKinds::empty(), |error| error.kinds());
        let problem = if contradictions.contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS) {
            "castling rights without king and rook on their squares"
        } else if contradictions.contains(PositionErrorKinds::INVALID_EP_SQUARE) {
            "no pawn can just have passed the en passant square"
        } else {
            return Ok(game);
        };
        Err(format!("impossible position `{self}`: {problem}"))
    }
}

impl FromStr for StrictFen {
    type Err = MalformedMessage;

    fn from_str(text: &str) -> Result<StrictFen, MalformedMessage> {
        let mut words = text.splitn(6, ' ');
        let [Some(board), Some(turn), Some(castling), Some(en_passant), Some(halfmoves), Some(fullmoves)] =
            std::array::from_fn(|_| words.next())
        else {
            return Err(MalformedMessage::new("a FEN of six fields", text));
        };
        for (field, is_well_formed, expected) in [
            (board, is_board(board), "the board of a FEN"),
            (turn, matches!(turn, "w" | "b"), "`w` or `b`"),
            (castling, is_castling(castling), "castling rights, `-` or letters of KQkq in that order"),
            (en_passant, is_en_passant(en_passant, turn), "an en passant square or `-`"),
            (halfmoves, is_counter(halfmoves), "a halfmove clock from 0 to 65535"),
            (fullmoves, is_counter(fullmoves) && fullmoves != "0", "a move number from 1 to 65535"),
        ] {
            if !is_well_formed {
                return Err(MalformedMessage::new(expected, field));
            }
        }
        Ok(StrictFen(text.to_owned()))
    }
}

/// Returns true if the field is a board in canonical form.
fn is_board(field: &str) -> bool {
    Board::from_ascii_board_fen(field.as_bytes()).is_ok_and(|board| board.to_string() == field)
}

fn is_castling(field: &str) -> bool {
    let in_order: String = "KQkq".chars().filter(|&letter| field.contains(letter)).collect();
    field == "-" || !field.is_empty() && field == in_order
}

/// Returns true for `-` or a square that a pawn of the side not to move can have passed.
fn is_en_passant(field: &str, turn: &str) -> bool {
    let rank = if turn == "w" { "6" } else { "3" };
    field == "-"
        || field.ends_with(rank)
            && Square::from_ascii(field.as_bytes()).is_ok_and(|square| square.to_string() == field)
}

fn is_counter(field: &str) -> bool {
    let is_plain = field == "0" || !field.starts_with('0');
    is_plain && field.bytes().all(|byte| byte.is_ascii_digit()) && field.parse::<u16>().is_ok()
}

impl fmt::Display for StrictFen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use shakmaty::{Color, Piece, Role};

    use super::*;

    /// Generates well-formed FENs, of which hardly any is a legal position.
    pub(in crate::cego) fn strict_fen() -> impl Strategy<Value = StrictFen> {
        let piece = (prop::sample::select(Role::ALL.to_vec()), any::<bool>())
            .prop_map(|(role, white)| Piece { role, color: Color::from_white(white) });
        let board = vec(((0..64_u32).prop_map(Square::new), piece), 0..32)
            .prop_map(|pieces| pieces.into_iter().collect::<Board>());
        let castling =
            prop::sample::subsequence(vec!["K", "Q", "k", "q"], 0..=4).prop_map(|rights| match rights[..] {
                [] => "-".to_owned(),
                _ => rights.concat(),
            });
        let en_passant = prop::option::of(prop::sample::select(vec!["a", "d", "h"]));
        (board, any::<bool>(), castling, en_passant, any::<u16>(), 1..=u16::MAX).prop_map(
            |(board, white, castling, en_passant, halfmoves, fullmoves)| {
                let (turn, rank) = if white { ("w", "6") } else { ("b", "3") };
                let square = en_passant.map_or("-".to_owned(), |file| format!("{file}{rank}"));
                format!("{board} {turn} {castling} {square} {halfmoves} {fullmoves}")
                    .parse()
                    .expect("well-formed")
            },
        )
    }

    #[test]
    fn fens_that_are_not_well_formed() {
        let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        for rest in [
            "w KQkq -",
            "w KQkq - 0",
            "w KQkq - 0 1 ",
            "w KQkq - 0 1 2",
            "W KQkq - 0 1",
            "w KQkqK - 0 1",
            "w QK - 0 1",
            "w HAha - 0 1",
            "w KQkq - -1 1",
            "w KQkq - +1 1",
            "w KQkq - 00 1",
            "w KQkq - 0 0",
            "w KQkq - 0 65536",
            "w KQkq e3 0 1",
            "b KQkq e6 0 1",
            "b KQkq E3 0 1",
            "b KQkq 3 0 1",
            "w  KQkq - 0 1",
            "w KQkq  - 0 1",
            "w KQkq -\t0 1",
        ] {
            assert!(format!("{board} {rest}").parse::<StrictFen>().is_err(), "{rest:?}");
        }
        for board in [
            "",
            "8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/9",
            "8/8/8/8/8/8/8/44",
            "8/8/8/8/8/8/8/7",
            "8/8/8/8/8/8/8/7x",
            "8/8/8/8/8/8/8/7Q~",
            "8/8/8/8/8/8/8/8[]",
        ] {
            assert!(format!("{board} w - - 0 1").parse::<StrictFen>().is_err(), "{board:?}");
        }
    }

    #[test]
    fn positions_that_cannot_be() {
        for (fen, reason) in [
            ("8/8/8/8/8/8/8/8 w - - 0 1", "kings"),
            ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "in check"),
            ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "pawn"),
            ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling"),
            // Squares from which a king may castle only in Chess960.
            ("1k6/8/8/8/8/8/8/RK5R w KQ - 0 1", "castling"),
            ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en passant"),
        ] {
            let error = fen.parse::<StrictFen>().expect("well-formed").game().expect_err(fen);
            assert!(error.contains(reason), "{fen}: {error}");
        }
    }

    #[test]
    fn a_position_is_written_as_the_documents_example_has_it() {
        let mut game = Game::default();
        game.play(game.parse_move("e4").expect("legal")).expect("legal");
        let fen = StrictFen::of(&game).expect("no Chess960");
        assert_eq!(fen.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        assert_eq!(fen.game().expect("possible").fen(), game.fen());
        let fen = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1";
        let chess960 = Game::from_fen(fen, CastlingMode::Chess960).expect("a position");
        assert!(StrictFen::of(&chess960).is_err());
    }
}
