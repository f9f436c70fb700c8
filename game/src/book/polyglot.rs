//! Polyglot's opening books: entries of 16 bytes, sorted by the key of their position, all numbers big-endian.
//!
//! | bytes | content |
//! | --- | --- |
//! | 8 | key of the position: Zobrist, with Polyglot's own random numbers |
//! | 2 | move: to, from (six bits each, a1 = 0, b1 = 1), promotion (1 knight ... 4 queen); castling is king takes rook |
//! | 2 | weight: how often to choose the move in proportion to the others |
//! | 4 | learn: free for the programs that use the book |

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom, Write};

use shakmaty::variant::VariantPosition;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position as _};

use super::{BookError, BookMove};
use crate::game::Game;

const ENTRY_SIZE: usize = 16;

/// Maximum number of entries for one position; no position has as many moves.
const MOST_MOVES: u64 = 256;

/// The key of a position. A pseudo-legal en passant capture is part of it, even if a pin forbids the capture.
fn key(chess: &Chess) -> u64 {
    chess.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

/// A move in 15 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct MoveCode(u16);

impl MoveCode {
    fn new(m: Move) -> MoveCode {
        // Only drops have no origin square; they don't occur in chess.
        let from = m.from().unwrap_or(m.to());
        // Pieces are numbered from 1 for the pawn.
        let promotion = m.promotion().map_or(0, |role| role as u16 - 1);
        MoveCode(promotion << 12 | (from as u16) << 6 | m.to() as u16)
    }

    /// The legal move with this code; `None` if there is none, for example after a collision of keys.
    fn legal_move(self, chess: &Chess) -> Option<Move> {
        chess.legal_moves().into_iter().find(|&m| MoveCode::new(m) == self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BookEntry {
    key: u64,
    code: MoveCode,
    weight: u16,
    learn: u32,
}

impl BookEntry {
    fn from_bytes(bytes: [u8; ENTRY_SIZE]) -> BookEntry {
        let number = u128::from_be_bytes(bytes);
        BookEntry {
            key: (number >> 64) as u64,
            code: MoveCode((number >> 48) as u16),
            weight: (number >> 32) as u16,
            learn: number as u32,
        }
    }

    fn to_bytes(self) -> [u8; ENTRY_SIZE] {
        let BookEntry { key, code, weight, learn } = self;
        let number =
            u128::from(key) << 64 | u128::from(code.0) << 48 | u128::from(weight) << 32 | u128::from(learn);
        number.to_be_bytes()
    }
}

/// A book that is searched in its file, without loading it into memory.
#[derive(Debug)]
pub struct PolyglotBook<R> {
    source: R,
    entries: u64,
}

impl<R: Read + Seek> PolyglotBook<R> {
    /// Opens a book.
    ///
    /// # Errors
    /// The file can't be read, or its length is not a multiple of the entry size.
    pub fn new(mut source: R) -> Result<PolyglotBook<R>, BookError> {
        let bytes = source.seek(SeekFrom::End(0))?;
        let size = ENTRY_SIZE as u64;
        if !bytes.is_multiple_of(size) {
            return Err(BookError::Truncated { bytes });
        }
        Ok(PolyglotBook { source, entries: bytes / size })
    }

    /// The moves for a position in the order of the book. Entries without a legal move are skipped.
    ///
    /// # Errors
    /// The file can't be read or is not sorted.
    pub fn moves(&mut self, chess: &Chess) -> Result<Vec<BookMove>, BookError> {
        let key = key(chess);
        let first = self.first_with(key)?;
        let mut moves = Vec::new();
        for index in first..self.entries {
            let entry = self.entry(index)?;
            match entry.key.cmp(&key) {
                Ordering::Less => return Err(BookError::Unsorted { entry: index + 1 }),
                Ordering::Equal if index - first == MOST_MOVES => {
                    return Err(BookError::Crowded { entry: index + 1 });
                }
                Ordering::Equal => {}
                Ordering::Greater => break,
            }
            let BookEntry { code, weight, learn, .. } = entry;
            moves.extend(code.legal_move(chess).map(|mv| BookMove { mv, weight, learn }));
        }
        Ok(moves)
    }

    /// The index of the first entry whose key is not below `key`.
    fn first_with(&mut self, key: u64) -> Result<u64, BookError> {
        let (mut low, mut high) = (0, self.entries);
        // Bounds of the keys between `low` and `high`.
        let (mut least, mut greatest) = (0, u64::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.entry(middle)?.key;
            if !(least..=greatest).contains(&found) {
                return Err(BookError::Unsorted { entry: middle + 1 });
            }
            if found < key {
                (low, least) = (middle + 1, found);
            } else {
                (high, greatest) = (middle, found);
            }
        }
        Ok(low)
    }

    fn entry(&mut self, index: u64) -> io::Result<BookEntry> {
        let mut bytes = [0; ENTRY_SIZE];
        self.source.seek(SeekFrom::Start(index * ENTRY_SIZE as u64))?;
        self.source.read_exact(&mut bytes)?;
        Ok(BookEntry::from_bytes(bytes))
    }
}

/// Counts the moves of games and writes them as a book.
#[derive(Clone, Debug, Default)]
pub struct PolyglotBuilder {
    moves: HashMap<(u64, MoveCode), MoveResults>,
}

/// Results of the games with a move.
#[derive(Clone, Copy, Debug, Default)]
struct MoveResults {
    games: u32,
    /// Two for a win of the side that played it, one for a draw or an unknown result.
    points: u32,
}

impl PolyglotBuilder {
    /// Adds the first `plies` plies of a game. Games of variants are ignored.
    pub fn add(&mut self, game: &Game, plies: usize) {
        let VariantPosition::Chess(mut chess) = game.start().clone() else { return };
        let winner = game.outcome().and_then(|outcome| outcome.winner());
        let points = |mover: Color| winner.map_or(1, |winner| if winner == mover { 2 } else { 0 });
        for &m in game.moves().iter().take(plies) {
            self.count(&chess, m, points(chess.turn()));
            chess.play_unchecked(m);
        }
    }

    /// Adds a game in which a move was played, with the points for the move.
    pub(super) fn count(&mut self, chess: &Chess, m: Move, points: u32) {
        let results = self.moves.entry((key(chess), MoveCode::new(m))).or_default();
        results.games = results.games.saturating_add(1);
        results.points = results.points.saturating_add(points);
    }

    /// Writes the book and returns its number of entries. A move is included if it was played in at least `min_count` games
    /// and did not lose all of them. Its weight is its number of points, scaled down to fit into 16 bits.
    ///
    /// # Errors
    /// The book can't be written.
    pub fn write(&self, min_count: u32, output: &mut impl Write) -> io::Result<u64> {
        let mut kept: Vec<(u64, u32, MoveCode)> = self
            .moves
            .iter()
            .filter(|(_, results)| results.games >= min_count && results.points > 0)
            .map(|(&(key, code), results)| (key, results.points, code))
            .collect();
        // In the order of keys; the best moves of a position first.
        kept.sort_unstable_by_key(|&(key, points, code)| (key, Reverse(points), code));
        for position in kept.chunk_by(|(one, ..), (other, ..)| one == other) {
            let most = position.first().map_or(1, |&(_, points, _)| points);
            for &(key, points, code) in position {
                let entry = BookEntry { key, code, weight: weight(points, most), learn: 0 };
                output.write_all(&entry.to_bytes())?;
            }
        }
        Ok(kept.len() as u64)
    }
}

/// Points as a weight, where `most` is what the best move of the position made.
fn weight(points: u32, most: u32) -> u16 {
    let greatest = u64::from(u16::MAX);
    let scaled = u64::from(points) * greatest / u64::from(most.max(u16::MAX.into()));
    scaled.max(1) as u16
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;
    use shakmaty::CastlingMode;

    use super::*;

    fn game(moves: &str, result: Option<Color>) -> Game {
        let mut game = Game::default();
        game.play_line(moves.split_whitespace()).unwrap();
        if let Some(winner) = result {
            game.declare(crate::Outcome::Win { winner, reason: crate::WinReason::Resignation });
        }
        game
    }

    fn book_of(entries: &[BookEntry]) -> PolyglotBook<Cursor<Vec<u8>>> {
        let bytes = entries.iter().flat_map(|entry| entry.to_bytes()).collect();
        PolyglotBook::new(Cursor::new(bytes)).unwrap()
    }

    fn entry(key: u64, weight: u16) -> BookEntry {
        BookEntry { key, code: MoveCode::new(Game::default().parse_move("e4").unwrap()), weight, learn: 7 }
    }

    fn found(book: &mut PolyglotBook<Cursor<Vec<u8>>>, game: &Game) -> Vec<(String, u16)> {
        let moves = book.moves(game.chess().unwrap()).unwrap();
        moves.iter().map(|m| (game.san(m.mv), m.weight)).collect()
    }

    #[test]
    fn keys_are_those_of_the_format_s_page() {
        let after = |moves: &str| key(game(moves, None).chess().unwrap());
        assert_eq!(after(""), 0x463b_9618_1691_fc9c);
        assert_eq!(after("e4 d5 e5 f5"), 0x22a4_8b5a_8e47_ff78);
        assert_eq!(after("e4 d5 e5 f5 Ke2"), 0x652a_607c_a3f2_42c1);
        assert_eq!(after("a4 b5 h4 b4 c4"), 0x3c81_23ea_7b06_7637);
        assert_eq!(after("a4 b5 h4 b4 c4 bxc3 Ra3"), 0x5c3f_9b82_9b27_9560);
    }

    #[test]
    fn a_pinned_pawn_still_counts_for_the_key() {
        // The key that python-chess 1.11.2 gives for the position.
        let game = Game::from_fen("8/8/8/8/k2Pp2R/8/8/K7 b - d3 0 1", CastlingMode::Standard).unwrap();
        assert_eq!(key(game.chess().unwrap()), 0x2947_3bea_bb89_6c84);
    }

    #[test]
    fn moves_are_packed_as_the_format_says() {
        let code = |fen: &str, text: &str| {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            let m = game.parse_move(text).unwrap();
            assert_eq!(MoveCode::new(m).legal_move(game.chess().unwrap()), Some(m));
            MoveCode::new(m).0
        };
        assert_eq!(code("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 0 1", "e4"), 0o1434);
        assert_eq!(code("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 0 1", "O-O"), 0o0407);
        assert_eq!(code("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 0 1", "O-O-O"), 0o0400);
        assert_eq!(code("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=R"), 0o36070);
        assert_eq!(code("1k6/8/8/8/8/8/8/1K2R3 w E - 0 1", "O-O"), 0o0104);
    }

    #[test]
    fn games_become_a_book() {
        let mut builder = PolyglotBuilder::default();
        builder.add(&game("e4 e5 Nf3", Some(Color::White)), 2);
        builder.add(&game("e4 c5", Some(Color::Black)), 2);
        builder.add(&game("d4", None), 2);
        builder.add(&game("e4 e5", None), 2);
        let mut bytes = Vec::new();
        assert_eq!(builder.write(1, &mut bytes).unwrap(), 4);
        let mut book = PolyglotBook::new(Cursor::new(bytes)).unwrap();
        assert_eq!(book.entries, 4);
        assert_eq!(found(&mut book, &Game::default()), [("e4".to_owned(), 3), ("d4".to_owned(), 1)]);
        assert_eq!(found(&mut book, &game("e4", None)), [("c5".to_owned(), 2), ("e5".to_owned(), 1)]);
        assert!(found(&mut book, &game("e4 e5", None)).is_empty());
        assert_eq!(builder.write(2, &mut Vec::new()).unwrap(), 2);
    }

    #[test]
    fn weights_that_would_not_fit_are_scaled() {
        assert_eq!([weight(1, 3), weight(65_535, 65_535), weight(0, 9)], [1, 65_535, 1]);
        assert_eq!(
            [weight(131_070, 131_070), weight(65_535, 131_070), weight(1, 131_070)],
            [65_535, 32_767, 1]
        );
    }

    #[test]
    fn damaged_books_are_refused() {
        let start = Game::default();
        let own = key(start.chess().unwrap());
        assert!(matches!(
            PolyglotBook::new(Cursor::new(vec![0; 17])),
            Err(BookError::Truncated { bytes: 17 })
        ));
        let mut unsorted = book_of(&[entry(5, 1), entry(own, 1), entry(4, 1)]);
        assert!(matches!(unsorted.moves(start.chess().unwrap()), Err(BookError::Unsorted { entry: 3 })));
        let mut crowded = book_of(&vec![entry(own, 1); 300]);
        assert!(matches!(crowded.moves(start.chess().unwrap()), Err(BookError::Crowded { entry: 257 })));
        let mut sound = book_of(&[entry(4, 1), entry(own, 1), entry(own, 2), entry(u64::MAX, 3)]);
        let moves = sound.moves(start.chess().unwrap()).unwrap();
        assert_eq!(moves.iter().map(|m| (m.weight, m.learn)).collect::<Vec<_>>(), [(1, 7), (2, 7)]);
        assert!(book_of(&[]).moves(start.chess().unwrap()).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn entries_keep_all_their_bits(bytes in any::<[u8; ENTRY_SIZE]>()) {
            prop_assert_eq!(BookEntry::from_bytes(bytes).to_bytes(), bytes);
        }

        #[test]
        fn arbitrary_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(mut book) = PolyglotBook::new(Cursor::new(bytes)) {
                let _ = book.moves(&Chess::default());
            }
        }

        #[test]
        fn every_position_of_a_sorted_book_is_found(mut keys in prop::collection::vec(any::<u64>(), 0..50)) {
            let own = key(&Chess::default());
            keys.push(own);
            keys.sort_unstable();
            let entries: Vec<BookEntry> = keys.iter().map(|&key| entry(key, 1)).collect();
            let expected = keys.iter().filter(|&&key| key == own).count();
            prop_assert_eq!(book_of(&entries).moves(&Chess::default()).unwrap().len(), expected);
        }
    }
}
