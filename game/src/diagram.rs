//! Board diagrams for the terminal.

use std::fmt;

use anstyle::{Ansi256Color, RgbColor};
use shakmaty::{Board, Color, File, Piece, Position as _, Rank, Square};

use crate::Game;

/// Style of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramStyle {
    /// Letters only.
    Ascii,
    /// Unicode pieces without colours.
    Unicode,
    /// Unicode pieces on coloured squares.
    Coloured,
}

/// A board diagram, displayed as nine lines without a final line end.
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    /// The pieces.
    pub board: &'a Board,
    /// The side at the bottom.
    pub viewpoint: Color,
    /// Marked squares, usually those of the last move.
    pub marked: Vec<Square>,
    /// Style.
    pub style: DiagramStyle,
}

/// The pieces, in the palette of 256 colours, which a terminal's scheme does not change.
const WHITE: Ansi256Color = Ansi256Color(15);
const BLACK: Ansi256Color = Ansi256Color(16);
const LIGHT: RgbColor = RgbColor(0xb8, 0xa0, 0x7a);
const DARK: RgbColor = RgbColor(0x80, 0x62, 0x44);
const MARKED: RgbColor = RgbColor(0x7f, 0x9a, 0x4b);

impl<'a> Diagram<'a> {
    /// The board of a game, with the last move marked.
    pub fn of(game: &'a Game, viewpoint: Color, style: DiagramStyle) -> Diagram<'a> {
        let last = game.moves().last();
        let marked = last.into_iter().flat_map(|mv| mv.from().into_iter().chain([mv.to()])).collect();
        Diagram { board: game.position().board(), viewpoint, marked, style }
    }

    /// The board from White's point of view, in letters.
    pub fn plain(board: &'a Board) -> Diagram<'a> {
        Diagram { board, viewpoint: Color::White, marked: Vec::new(), style: DiagramStyle::Ascii }
    }

    fn write_square(&self, f: &mut fmt::Formatter<'_>, square: Square) -> fmt::Result {
        let marked = self.marked.contains(&square);
        let piece = self.board.piece_at(square);
        if self.style == DiagramStyle::Coloured {
            let ground = match (marked, square.is_light()) {
                (true, _) => MARKED,
                (false, true) => LIGHT,
                (false, false) => DARK,
            };
            // Filled symbols for both sides, as outlined ones are hard to see on coloured squares.
            let symbol = piece.map_or(' ', |piece| symbol(piece.role.of(Color::Black)));
            let paint = if piece.is_some_and(|piece| piece.color.is_white()) { WHITE } else { BLACK };
            let style = paint.on(ground);
            return write!(f, "{style} {symbol} {style:#}");
        }
        let symbol = match (piece, self.style) {
            (None, _) => '.',
            (Some(piece), DiagramStyle::Ascii) => piece.char(),
            (Some(piece), _) => symbol(piece),
        };
        if marked { write!(f, "({symbol})") } else { write!(f, " {symbol} ") }
    }
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranks = Rank::ALL;
        let mut files = File::ALL;
        match self.viewpoint {
            Color::White => ranks.reverse(),
            Color::Black => files.reverse(),
        }
        for rank in ranks {
            write!(f, " {} ", rank.char())?;
            files.iter().try_for_each(|&file| self.write_square(f, Square::from_coords(file, rank)))?;
            writeln!(f)?;
        }
        write!(f, "   ")?;
        files.iter().try_for_each(|file| write!(f, " {} ", file.char()))
    }
}

/// The Unicode symbol of a piece: outlined for White, filled for Black.
pub fn symbol(piece: Piece) -> char {
    const WHITE: [char; 6] = ['♙', '♘', '♗', '♖', '♕', '♔'];
    const BLACK: [char; 6] = ['♟', '♞', '♝', '♜', '♛', '♚'];
    // Roles are numbered from 1.
    piece.color.fold_wb(WHITE, BLACK)[piece.role as usize - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_letters_from_both_sides() {
        let board = Board::new();
        let white = Diagram { marked: vec![Square::E2, Square::E4], ..Diagram::plain(&board) }.to_string();
        let lines: Vec<&str> = white.lines().collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], " 8  r  n  b  q  k  b  n  r ");
        assert_eq!(lines[4], " 4  .  .  .  . (.) .  .  . ");
        assert_eq!(lines[6], " 2  P  P  P  P (P) P  P  P ");
        assert_eq!(lines[8], "    a  b  c  d  e  f  g  h ");

        let black = Diagram { viewpoint: Color::Black, ..Diagram::plain(&board) }.to_string();
        let lines: Vec<&str> = black.lines().collect();
        assert_eq!(lines[0], " 1  R  N  B  K  Q  B  N  R ");
        assert_eq!(lines[8], "    h  g  f  e  d  c  b  a ");
    }

    #[test]
    fn escape_sequences_only_in_colour() {
        let board = Board::new();
        let drawn = |style| Diagram { style, ..Diagram::plain(&board) }.to_string();
        assert!(drawn(DiagramStyle::Coloured).contains('\u{1b}'));
        assert!(
            !drawn(DiagramStyle::Unicode).contains('\u{1b}') && drawn(DiagramStyle::Unicode).contains('♔')
        );
        assert!(drawn(DiagramStyle::Ascii).is_ascii());
    }
}
