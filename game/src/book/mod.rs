//! Opening books: moves to play without a search.

mod polyglot;

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::{fmt, iter};

use shakmaty::{CastlingMode, Chess, Move};

use crate::epd::{Escapes, Lexer, position_part};
use crate::files::open_file;
use crate::game::Game;
use crate::lines::{LineRead, NumberedLines};

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
        let file = open_file(path)?;
        let is_epd =
            path.extension().and_then(OsStr::to_str).is_some_and(|end| end.eq_ignore_ascii_case("epd"));
        let mut bytes = Vec::new();
        let source: Box<dyn BookSource> = if is_epd {
            read_epd(BufReader::new(file))?.write(1, &mut bytes)?;
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

/// Reads a file of records, one per line. Empty lines and lines that begin with `#` are skipped.
///
/// The moves of a record are its supplied move (`sm`), otherwise all its best moves (`bm`), otherwise the first move of its
/// predicted variation (`pv`). The weight of a move is the number of records with this move.
///
/// # Errors
/// The input can't be read, or a record has an illegal position or an illegal move.
fn read_epd(input: impl BufRead) -> Result<PolyglotBuilder, BookError> {
    let mut book = PolyglotBuilder::default();
    let (mut lines, mut line) = (NumberedLines::new(input), String::new());
    loop {
        let added = match lines.read(&mut line)? {
            LineRead::End => return Ok(book),
            _ if lines.is_cut => Err("longer than a megabyte".to_owned()),
            _ if line.trim().is_empty() || line.starts_with('#') => Ok(()),
            _ => add_record(&mut book, &line),
        };
        added.map_err(|problem| BookError::Epd { line: lines.number, problem })?;
    }
}

fn add_record(book: &mut PolyglotBuilder, record: &str) -> Result<(), String> {
    let game = Game::from_fen(position_part(record), CastlingMode::Standard);
    let game = game.map_err(|error| error.to_string())?;
    for text in moves_to_play(record) {
        let m = game.parse_move(text).map_err(|error| error.to_string())?;
        let Some(chess) = game.chess() else { break };
        book.count(chess, m, 1);
    }
    Ok(())
}

/// The operands of `sm`, otherwise of `bm`, otherwise the first operand of `pv`.
fn moves_to_play(record: &str) -> Vec<&str> {
    let mut lexer = Lexer::new(record, 0, Escapes::None);
    lexer.fields();
    lexer.counters();
    let [mut supplied, mut best, mut predicted] = [const { Vec::new() }; 3];
    while let Some(opcode) = lexer.opcode() {
        let moves = match opcode.text {
            "sm" => &mut supplied,
            "bm" => &mut best,
            "pv" => &mut predicted,
            _ => continue,
        };
        moves.clear();
        moves.extend(iter::from_fn(|| lexer.operand()).map(|operand| operand.text));
    }
    predicted.truncate(1);
    [supplied, best, predicted].into_iter().find(|moves| !moves.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use shakmaty::Position as _;

    use super::*;
    use crate::book::PolyglotBook;

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

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn moves(records: &str) -> Vec<(String, u16)> {
        let mut bytes = Vec::new();
        read_epd(records.as_bytes()).unwrap().write(1, &mut bytes).unwrap();
        let mut book = PolyglotBook::new(Cursor::new(bytes)).unwrap();
        let game = Game::default();
        book.moves(game.chess().unwrap()).unwrap().iter().map(|m| (game.san(m.mv), m.weight)).collect()
    }

    #[test]
    fn the_move_to_play_goes_before_the_best_ones_and_these_before_the_line() {
        let named = |san: &str| (san.to_owned(), 1);
        let best = format!("{START} acd 5; bm Nf3 e4; id \"a; bm d4;\"; pv c4;");
        assert_eq!(moves(&best), [named("Nf3"), named("e4")]);
        assert_eq!(moves(&format!("{START} bm Nf3; sm d4;")), [named("d4")]);
        assert_eq!(moves(&format!("{START} pv c4 e5; ce 12;")), [named("c4")]);
        assert_eq!(moves(&format!("{START} id \"\"; noop ;; bm e4")), [named("e4")]);
    }

    #[test]
    fn records_of_the_same_position_add_up() {
        let records = format!("# openings\n\n{START} bm e4 d4;\n{START} 0 1; bm e4;\n{START} id \"x\";\n");
        assert_eq!(moves(&records), [("e4".to_owned(), 2), ("d4".to_owned(), 1)]);
    }

    #[test]
    fn faults_name_their_line() {
        let fault = |records: String| read_epd(records.as_bytes()).map(drop).unwrap_err().to_string();
        assert!(fault(format!("{START} bm e4;\n{START} bm e5;")).starts_with("line 2: illegal move `e5`"));
        assert!(fault("k7/8 w;".to_owned()).starts_with("line 1: FEN `k7/8 w` has 2 fields"));
    }
}
