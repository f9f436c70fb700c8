//! The highlight protocol: marks the squares to which the piece picked up by the user can move.

use std::collections::BTreeMap;

use game::Game;
use shakmaty::{File, Move, Piece, Position as _, Rank, Square};

/// A quiet move.
const QUIET: char = 'Y';
/// A capture.
const CAPTURE: char = 'R';
/// A promotion, for which the user has to choose the piece.
const PROMOTION: char = 'M';
/// A captured piece that does not stand on the target square. XBoard takes lower-case letters as colours only,
/// capitals as squares to move to.
const VICTIM: char = 'g';

/// Returns the colours of a piece's target squares in the format of `highlight`; `None` if the side to move has no
/// piece on `from`.
pub(super) fn targets(game: &Game, from: Square) -> Option<String> {
    let piece = game.position().board().piece_at(from)?;
    (piece.color == game.turn()).then(|| color_fen(&colors(game, |mv| mv.from() == Some(from))))
}

/// Returns the colours of the squares on which a pocket piece can be dropped; `None` if it is not that side's turn.
pub(super) fn drops(game: &Game, piece: Piece) -> Option<String> {
    let is_meant = |mv: &Move| matches!(mv, Move::Put { role, .. } if *role == piece.role);
    (piece.color == game.turn()).then(|| color_fen(&colors(game, is_meant)))
}

/// As [`targets`], but marks the captured pawn if the move is an en passant capture; `None` for any other move.
pub(super) fn victim(game: &Game, from: Square, at: Square) -> Option<String> {
    let is_meant = |mv: &Move| mv.is_en_passant() && mv.from() == Some(from) && mv.to() == at;
    game.legal_moves().into_iter().find(is_meant)?;
    let mut colors = colors(game, |mv| mv.from() == Some(from));
    colors.insert(Square::from_coords(at.file(), from.rank()), VICTIM);
    Some(color_fen(&colors))
}

/// Returns the colours of the target squares of the selected legal moves.
fn colors(game: &Game, is_meant: impl FnMut(&Move) -> bool) -> BTreeMap<Square, char> {
    let moves = game.legal_moves().into_iter().filter(is_meant);
    moves.map(|mv| (target(game, mv), color(mv))).collect()
}

/// Returns the square on which the user drops the piece. For castling it is the king's target square, in Chess960 the
/// rook's square.
fn target(game: &Game, mv: Move) -> Square {
    match (mv.castling_side(), mv.from()) {
        (Some(side), Some(king)) if !game.mode().is_chess960() => {
            Square::from_coords(side.king_to_file(), king.rank())
        }
        _ => mv.to(),
    }
}

fn color(mv: Move) -> char {
    match (mv.promotion(), mv.is_capture()) {
        (Some(_), _) => PROMOTION,
        (None, true) => CAPTURE,
        (None, false) => QUIET,
    }
}

/// Writes the colours like the board field of a FEN.
fn color_fen(colors: &BTreeMap<Square, char>) -> String {
    let color = |square| colors.get(&square).copied().unwrap_or('1');
    let rank = |rank| File::ALL.map(|file| color(Square::from_coords(file, rank))).iter().collect();
    let ranks: Vec<String> = Rank::ALL.into_iter().rev().map(rank).collect();
    // Replaces the longest runs of empty squares first.
    (2..=8).rev().fold(ranks.join("/"), |text, empty| text.replace(&"1".repeat(empty), &empty.to_string()))
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    fn game(fen: &str, mode: CastlingMode) -> Game {
        Game::from_fen(fen, mode).unwrap()
    }

    #[test]
    fn captures_promotions_and_castling_have_their_colours() {
        let game = game("1n2k3/P7/8/8/8/8/r7/4K2R w K - 0 1", CastlingMode::Standard);
        assert_eq!(targets(&game, Square::A7).unwrap(), "MM6/8/8/8/8/8/8/8");
        assert_eq!(targets(&game, Square::E1).unwrap(), "8/8/8/8/8/8/8/3Y1YY1");
        assert_eq!(targets(&game, Square::H1).unwrap(), "7Y/7Y/7Y/7Y/7Y/7Y/7Y/5YY1");
        assert_eq!(targets(&game, Square::E8), None, "not its turn");
        assert_eq!(targets(&game, Square::D4), None, "nobody there");
    }

    #[test]
    fn a_piece_that_can_not_move_has_no_targets() {
        assert_eq!(targets(&Game::default(), Square::A1).unwrap(), "8/8/8/8/8/8/8/8");
    }

    #[test]
    fn in_chess960_the_king_goes_to_its_rook() {
        let game = game("4k3/8/8/8/8/8/8/RK6 w A - 0 1", CastlingMode::Chess960);
        assert_eq!(targets(&game, Square::B1).unwrap(), "8/8/8/8/8/8/YYY5/Y1Y5");
    }

    #[test]
    fn the_victim_of_an_en_passant_capture_is_shown() {
        let game = game("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", CastlingMode::Standard);
        assert_eq!(targets(&game, Square::E5).unwrap(), "8/8/3RY3/8/8/8/8/8");
        assert_eq!(victim(&game, Square::E5, Square::D6).unwrap(), "8/8/3RY3/3g4/8/8/8/8");
        assert_eq!(victim(&game, Square::E5, Square::E6), None);
    }
}
