//! Names and ECO codes of openings, by position, so that transpositions count.

use std::collections::HashMap;
use std::sync::LazyLock;

use shakmaty::{CastlingMode, Chess, Position as _};

use crate::{Game, VariantPosition, read_move};

/// Code, name and moves, one opening a line.
const LINES: &str = include_str!("../data/opening_names.tsv");

/// An opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedOpening {
    /// Code of the Encyclopaedia of Chess Openings: `C42`.
    pub eco: &'static str,
    /// Name with its variation: `Petrov Defence: Classical Attack`.
    pub name: &'static str,
}

/// What is known about the opening of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOpening {
    /// The last opening that the game went through.
    pub opening: NamedOpening,
    /// Number of plies after which it was reached.
    pub named_at: usize,
    /// Number of plies after which the game left the known lines.
    pub theory: usize,
}

/// Positions of all lines, with the name of the opening that ends there.
static POSITIONS: LazyLock<HashMap<Chess, Option<NamedOpening>>> = LazyLock::new(|| {
    let mut positions = HashMap::new();
    for (opening, moves) in lines() {
        let mut position = Chess::default();
        for word in moves.split(' ') {
            // A test plays all lines.
            let Ok(mv) = read_move(&position, CastlingMode::Standard, word) else { break };
            position.play_unchecked(mv);
            positions.entry(position.clone()).or_insert(None);
        }
        positions.insert(position, Some(opening));
    }
    positions
});

/// The openings of the table with their moves.
fn lines() -> impl Iterator<Item = (NamedOpening, &'static str)> {
    LINES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split('\t');
        let (eco, name) = (fields.next()?, fields.next()?);
        Some((NamedOpening { eco, name }, fields.next()?))
    })
}

/// The opening that has just been reached with this position; `None` if it has no name.
pub fn opening_at(position: &Chess) -> Option<NamedOpening> {
    POSITIONS.get(position).copied().flatten()
}

impl Game {
    /// The opening of the game; `None` if the game went through none, as in a variant.
    pub fn opening(&self) -> Option<GameOpening> {
        let mut opening: Option<(NamedOpening, usize)> = None;
        let mut theory = 0;
        for (ply, position) in self.positions().enumerate().skip(1) {
            let VariantPosition::Chess(position) = position else { return None };
            // Lines may be left and reached again by a transposition, but not long after.
            if let Some(name) = POSITIONS.get(position) {
                theory = ply;
                opening = name.map(|name| (name, ply)).or(opening);
            } else if ply > theory + LONGEST_DETOUR {
                break;
            }
        }
        opening.map(|(opening, named_at)| GameOpening { opening, named_at, theory })
    }
}

/// Maximum number of plies outside the lines of the table between two that are in it.
const LONGEST_DETOUR: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(moves: &str) -> Option<GameOpening> {
        let mut game = Game::default();
        game.play_line(moves.split_whitespace()).expect("legal moves");
        game.opening()
    }

    #[test]
    fn all_lines_are_legal_and_end_in_different_positions() {
        let mut ends = HashMap::new();
        for (opening, moves) in lines() {
            let mut position = Chess::default();
            for word in moves.split(' ') {
                let mv = read_move(&position, CastlingMode::Standard, word).expect(moves);
                position.play_unchecked(mv);
            }
            let is_code = matches!(opening.eco.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']);
            assert!(is_code && !opening.name.is_empty(), "{opening:?}");
            assert_eq!(ends.insert(position, moves), None, "{moves}");
        }
        assert!(ends.len() > 450, "{}", ends.len());
    }

    #[test]
    fn transpositions_count() {
        let straight = opening("d4 Nf6 c4 e6 Nc3 Bb4 e3").expect("a name");
        assert_eq!((straight.opening.eco, straight.theory, straight.named_at), ("E40", 7, 7));
        assert_eq!(opening("c4 e6 Nc3 Nf6 d4 Bb4 e3").expect("a name").opening, straight.opening);
        let left = opening("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 h3").expect("a name");
        assert_eq!((left.opening.name, left.named_at, left.theory), ("Ruy Lopez: Closed", 13, 14));
        assert_eq!(opening(""), None);
    }
}
