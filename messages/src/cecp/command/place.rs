//! Squares and holdings in `lift` and `put`.

use std::fmt;
use std::str::FromStr;

use shakmaty::{Color, Piece, Role, Square};

use super::CommandError;

/// Place where the user grabs or drops a piece: on the board or in a holding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the board.
    Square(Square),
    /// In hand. The specification has no squares for holdings; these are the names of XBoard.
    Hand(Piece),
}

/// Columns of the holdings: XBoard continues the files of the board, with a gap of one.
const HANDS: [(char, Color); 2] = [('j', Color::White), ('_', Color::Black)];

/// Order of the pieces in a holding, starting at the owner's side of the board.
const ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl Place {
    fn hand(text: &str) -> Option<Place> {
        let (_, color) = HANDS.into_iter().find(|&(column, _)| text.starts_with(column))?;
        let rank: usize = text[1..].parse().ok().filter(|rank| (1..=8).contains(rank))?;
        let &role = ROLES.get(color.fold_wb(rank - 1, 8 - rank))?;
        Some(Place::Hand(Piece { color, role }))
    }
}

impl FromStr for Place {
    type Err = CommandError;

    fn from_str(text: &str) -> Result<Place, CommandError> {
        let square = text.parse().ok().map(Place::Square);
        square.or_else(|| Place::hand(text)).ok_or(CommandError::BadSquare)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Square(square) => write!(f, "{square}"),
            Place::Hand(Piece { color, role }) => {
                let (column, _) = HANDS[color.fold_wb(0, 1)];
                let number = ROLES.iter().position(|known| known == role).unwrap_or(ROLES.len());
                write!(f, "{column}{}", color.fold_wb(number + 1, 8 - number))
            }
        }
    }
}
