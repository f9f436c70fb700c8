//! Opening books: moves to play without a search.

mod epd;
mod polyglot;

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::Path;

use shakmaty::{Chess, Move};

pub use polyglot::{PolyglotBook, PolyglotBuilder};

/// A book in a file: a Polyglot book, or EPD records with moves, which are converted to a Polyglot book in memory.
#[derive(Debug)]
pub struct Book(PolyglotBook<Box<dyn BookSource>>);

trait BookSource: Read + Seek + fmt::Debug + Send {}

impl<T: Read + Seek + fmt::Debug + Send> BookSource for T {}

/// A move that a book recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move, which is legal.
    pub mv: Move,
    /// Relative frequency of the choice; 0 means never.
    pub weight: u16,
    /// Learn value of programs that use the book; 0 by default.
    pub learn: u32,
}

/// Why a book can't be used. Lines and entries are counted from 1.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says all that its fields mean")]
pub enum BookError {
    /// The file can't be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// A Polyglot book does not consist of whole entries.
    #[error("not a Polyglot book: expected a length that is a multiple of 16 bytes, found {bytes}")]
    Truncated { bytes: u64 },
    /// The entries of a Polyglot book are not in the order of their keys.
    #[error("not a Polyglot book: entry {entry} is out of order")]
    Unsorted { entry: u64 },
    /// A Polyglot book has more entries for a position than there are moves.
    #[error("not a Polyglot book: entry {entry} exceeds the maximum number of moves for its position")]
    Crowded { entry: u64 },
    /// An EPD record is faulty.
    #[error("line {line}: {problem}")]
    Epd { line: u64, problem: String },
}

impl Book {
    /// Opens a book: EPD if the name ends in `.epd`, in Polyglot's format otherwise.
    ///
    /// # Errors
    /// The file can't be read or is not a book.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let file = File::open(path)?;
        let is_epd =
            path.extension().and_then(OsStr::to_str).is_some_and(|end| end.eq_ignore_ascii_case("epd"));
        let mut bytes = Vec::new();
        let source: Box<dyn BookSource> = if is_epd {
            epd::read(BufReader::new(file))?.write(1, &mut bytes)?;
            Box::new(Cursor::new(bytes))
        } else {
            Box::new(file)
        };
        PolyglotBook::new(source).map(Book)
    }

    /// Moves for a position, best first; empty if the book does not contain the position.
    ///
    /// # Errors
    /// The file can't be read or is damaged.
    pub fn moves(&mut self, chess: &Chess) -> Result<Vec<BookMove>, BookError> {
        let mut moves = self.0.moves(chess)?;
        moves.sort_by_key(|m| std::cmp::Reverse(m.weight));
        Ok(moves)
    }
}

/// Chooses a move at random by weight; `None` if no move has a weight above 0.
pub fn choose(moves: &[BookMove], random: &mut fastrand::Rng) -> Option<Move> {
    let total: u32 = moves.iter().map(|m| u32::from(m.weight)).sum();
    let ticket = random.u32(0..total.max(1));
    let sums = moves.iter().scan(0, |sum, m| {
        *sum += u32::from(m.weight);
        Some((*sum, m.mv))
    });
    sums.into_iter().find(|(sum, _)| ticket < *sum).map(|(_, mv)| mv)
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use super::*;

    #[test]
    fn moves_are_chosen_by_weight() {
        let legal = Chess::default().legal_moves();
        let candidates = [(legal[0], 3), (legal[1], 0), (legal[2], 1)];
        let moves = candidates.map(|(mv, weight)| BookMove { mv, weight, learn: 0 });
        let mut random = fastrand::Rng::with_seed(1);
        let chosen: Vec<Move> = (0..4000).filter_map(|_| choose(&moves, &mut random)).collect();
        let times = |m: Move| chosen.iter().filter(|&&c| c == m).count();
        assert!((2850..3150).contains(&times(legal[0])), "{}", times(legal[0]));
        assert_eq!((chosen.len(), times(legal[1])), (4000, 0));
    }

    #[test]
    fn nothing_is_chosen_from_nothing() {
        let mut random = fastrand::Rng::with_seed(1);
        let mv = Chess::default().legal_moves()[0];
        assert_eq!(choose(&[], &mut random), None);
        assert_eq!(choose(&[BookMove { mv, weight: 0, learn: 0 }], &mut random), None);
    }
}
