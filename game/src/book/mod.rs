//! Opening books: which moves to play without thinking.

mod epd;
mod polyglot;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use shakmaty::{Chess, Move};

pub use epd::EpdBook;
pub use polyglot::{PolyglotBook, PolyglotBuilder};

/// A book in a file.
#[derive(Debug)]
pub enum Book {
    /// In the format of Polyglot.
    Polyglot(PolyglotBook<File>),
    /// EPD records with moves.
    Epd(EpdBook),
}

/// A move that a book recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move, which is legal.
    pub mv: Move,
    /// How often it should be chosen in proportion to the others; 0 is never.
    pub weight: u16,
    /// What a program that learns has noted; 0 if none has.
    pub learn: u32,
}

/// Why a book can't be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file can't be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// A Polyglot book does not consist of whole entries.
    #[error("no Polyglot book: its length should be a multiple of 16 bytes, but is {bytes}")]
    Truncated {
        /// The length.
        bytes: u64,
    },
    /// The entries of a Polyglot book are not in the order of their keys.
    #[error("no Polyglot book: entry {entry} is out of order")]
    Unsorted {
        /// The number of the entry, from 1.
        entry: u64,
    },
    /// A Polyglot book has more entries for a position than there are moves.
    #[error("no Polyglot book: entry {entry} is one too many for its position")]
    Crowded {
        /// The number of the entry, from 1.
        entry: u64,
    },
    /// An EPD record is faulty.
    #[error("line {line}: {problem}")]
    Epd {
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        problem: String,
    },
}

impl Book {
    /// Opens a book: EPD if the name ends in `.epd`, in Polyglot's format otherwise.
    ///
    /// # Errors
    /// If the file can't be read or is no such book.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let file = File::open(path)?;
        if path.extension().and_then(OsStr::to_str).is_some_and(|end| end.eq_ignore_ascii_case("epd")) {
            EpdBook::read(BufReader::new(file)).map(Book::Epd)
        } else {
            PolyglotBook::new(file).map(Book::Polyglot)
        }
    }

    /// The moves for a position, best first; none if the book does not know it.
    ///
    /// # Errors
    /// If the file can't be read, or turns out to be damaged.
    pub fn moves(&mut self, chess: &Chess) -> Result<Vec<BookMove>, BookError> {
        let mut moves = match self {
            Book::Polyglot(book) => book.moves(chess)?,
            Book::Epd(book) => book.moves(chess),
        };
        moves.sort_by_key(|m| std::cmp::Reverse(m.weight));
        Ok(moves)
    }
}

/// Chooses one of the moves by their weights; `None` if there is none to choose.
pub fn choose(moves: &[BookMove], random: &mut fastrand::Rng) -> Option<Move> {
    let total: u32 = moves.iter().map(|m| u32::from(m.weight)).sum();
    let mut ticket = random.u32(0..total.max(1));
    moves
        .iter()
        .find(|m| {
            let wins = ticket < u32::from(m.weight);
            ticket = ticket.saturating_sub(u32::from(m.weight));
            wins
        })
        .map(|m| m.mv)
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
