//! Openings for matches: positions after random moves that a search finds balanced.
//!
//! Each candidate is searched with an empty hash table, in batches of 64. The result therefore depends on the recipe
//! alone and not on the number of threads.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::path::Path;
use std::time::Instant;

use fastrand::Rng;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use search::{Control, Limits, STACK_SIZE, Searcher, Table, TableError};
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{Board, CastlingMode, Move, Position as _, Role, Setup};

use game::{Game, Score, epd};

use crate::bridge::{root, score, to_search};
use crate::position_file::PositionFile;

/// The parameters of a set of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningsRecipe {
    /// Standard chess, or Chess960 from any of its 960 start positions.
    pub mode: CastlingMode,
    /// Number of plies from the start position.
    pub plies: u32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Greatest advantage of either side, in centipawns.
    pub balance: u32,
    /// Number of nodes searched for the score.
    pub nodes: u64,
}

/// A position from which games are started.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The game up to the position.
    pub game: Game,
    /// Score for the side to move.
    pub score: Score,
    /// Search depth in plies.
    pub depth: u32,
    /// Number of nodes searched.
    pub nodes: u64,
}

/// An iterator over openings with distinct positions. It ends when no more are found.
///
/// The result depends on the recipe alone, not on the number of threads. All positions result from the same number of
/// plies, so the same side is always to move, and no position is another one with colours reversed.
pub struct Openings {
    recipe: OpeningsRecipe,
    random: Rng,
    /// Positions from which random moves are played; `None` for start positions.
    book: Option<PositionFile>,
    threads: ThreadPool,
    seen: HashSet<VariantPosition>,
    found: VecDeque<Opening>,
}

/// Why no opening is found.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// There is no memory for the search.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadPoolBuildError),
    /// The book cannot be used.
    #[error("the book cannot be used: {0}")]
    Book(#[from] io::Error),
}

/// Number of candidates searched together on all threads; small, so that results come soon.
const BATCH: usize = 64;
/// Number of consecutive batches without an opening after which the iterator ends.
const PATIENCE: usize = 1000;
/// Size of the hash table in MiB: large enough for short searches, and quickly allocated.
const TABLE_MEBIBYTES: usize = 1;

impl OpeningsRecipe {
    /// Returns an iterator over openings by this recipe, which searches on `threads` threads.
    ///
    /// # Errors
    /// If the threads can't be started.
    pub fn openings(self, threads: usize) -> Result<Openings, ThreadPoolBuildError> {
        let threads = ThreadPoolBuilder::new().num_threads(threads.max(1)).stack_size(STACK_SIZE).build()?;
        let random = Rng::with_seed(self.seed);
        Ok(Openings {
            recipe: self,
            random,
            book: None,
            threads,
            seen: HashSet::new(),
            found: VecDeque::new(),
        })
    }

    /// Searches the position and returns it as an opening if it is balanced. Each search starts with an empty hash
    /// table, so that its result does not depend on earlier searches.
    fn judge(&self, game: Game) -> Result<Option<Opening>, TableError> {
        let mut table = Table::new(TABLE_MEBIBYTES)?;
        let Some(root) = root(&game) else { return Ok(None) };
        let limits = Limits { nodes: Some(self.nodes.max(1)), ..Limits::default() };
        let answer =
            Searcher::default().think(&mut table, &root, &limits, &Control::new(), &Instant::now(), &mut ());
        let score = score(answer.score);
        let is_balanced = score.value().unsigned_abs() <= self.balance.into();
        let opening = Opening { game, score, depth: answer.depth, nodes: answer.nodes };
        Ok(Some(opening).filter(|_| is_balanced))
    }
}

/// Returns positions from which an engine can play games with itself, for OpenBench's generation of training data. They
/// depend on the seed and the book alone. As many have White to move as Black.
///
/// # Errors
/// The book cannot be opened, or no thread can be started.
pub fn training_positions(
    seed: u64,
    book: Option<&Path>,
) -> Result<impl Iterator<Item = Result<Opening, OpeningError>>, OpeningError> {
    // A book has done a part of the work, and its positions may be uneven on purpose.
    let (plies, balance) = if book.is_some() { (4, 400) } else { (8, 200) };
    let openings = |more: u32| -> Result<Openings, OpeningError> {
        let seed = seed.wrapping_mul(2).wrapping_add(more.into());
        let recipe =
            OpeningsRecipe { mode: CastlingMode::Standard, plies: plies + more, seed, balance, nodes: 1000 };
        let book = book.map(PositionFile::open).transpose()?;
        Ok(Openings { book, ..recipe.openings(1)? })
    };
    let (mut even, mut odd) = (openings(0)?, openings(1)?);
    let mut is_even = false;
    Ok(std::iter::from_fn(move || {
        is_even = !is_even;
        if is_even { even.next() } else { odd.next() }
    }))
}

impl Openings {
    /// Returns a new position in which the game is not over; `None` if the moves led to another.
    fn candidate(&mut self) -> io::Result<Option<Game>> {
        let mut game = match &mut self.book {
            Some(book) => book.draw(&mut self.random)?,
            None => start(self.recipe.mode, &mut self.random),
        };
        for _ in 0..self.recipe.plies {
            let moves = sensible_moves(&game);
            let Some(&m) = self.random.choice(&moves) else { return Ok(None) };
            if game.play(m).is_err() {
                return Ok(None);
            }
        }
        let is_new = game.outcome().is_none() && self.seen.insert(game.position().clone());
        Ok(is_new.then_some(game))
    }

    fn find(&mut self) -> Result<(), OpeningError> {
        let recipe = self.recipe;
        for _ in 0..PATIENCE {
            let mut batch = Vec::new();
            for _ in 0..BATCH {
                batch.extend(self.candidate()?);
            }
            let judged =
                self.threads.install(|| batch.into_par_iter().map(|game| recipe.judge(game)).collect());
            let judged: Result<Vec<Option<Opening>>, TableError> = judged;
            self.found.extend(judged?.into_iter().flatten());
            if !self.found.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

impl Iterator for Openings {
    type Item = Result<Opening, OpeningError>;

    fn next(&mut self) -> Option<Result<Opening, OpeningError>> {
        if self.found.is_empty()
            && let Err(error) = self.find()
        {
            return Some(Err(error));
        }
        self.found.pop_front().map(Ok)
    }
}

impl Opening {
    /// Returns the opening as an EPD record with `id` and the results of the search: `acd`, `acn`, `ce`. EPD has no
    /// notation for quotation marks, so in `id` they become apostrophes.
    pub fn epd(&self, id: &str) -> String {
        let operations = [
            ("acd", self.depth.to_string()),
            ("acn", self.nodes.to_string()),
            ("ce", self.score.value().to_string()),
            ("id", epd::quoted(id)),
        ];
        epd::record(&self.game, &operations)
    }
}

fn start(mode: CastlingMode, random: &mut Rng) -> Game {
    if mode.is_standard() {
        return Game::default();
    }
    let mut setup = Setup::initial();
    setup.board = Board::chess960(random.u32(..960));
    setup.castling_rights = setup.board.rooks();
    Game::from_setup(Variant::Chess, setup, mode)
        .unwrap_or_else(|error| unreachable!("a start position: {error}"))
}

/// Returns the moves that neither lose material on their target square nor give up castling needlessly; all moves if
/// there are none.
fn sensible_moves(game: &Game) -> Vec<Move> {
    let Some(root) = root(game) else { return Vec::new() };
    let position = root.position;
    let castling_rooks = game.position().castles().castling_rights() & position.us();
    let gives_up_castling = |m: &Move| match m.role() {
        Role::King => castling_rooks.any() && !m.is_castle() && !position.is_check(),
        Role::Rook => m.from().is_some_and(|from| castling_rooks.contains(from)),
        _ => false,
    };
    let is_sensible = |m: &Move| !gives_up_castling(m) && position.see_at_least(to_search(*m), 0);
    let legal = game.legal_moves();
    let sensible: Vec<Move> = legal.iter().copied().filter(is_sensible).collect();
    if sensible.is_empty() { legal.into_iter().collect() } else { sensible }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: OpeningsRecipe =
        OpeningsRecipe { mode: CastlingMode::Standard, plies: 6, seed: 1, balance: 50, nodes: 500 };

    fn records(recipe: OpeningsRecipe, threads: usize, count: usize) -> Vec<String> {
        let openings = recipe.openings(threads).expect("threads");
        openings.take(count).map(|opening| opening.expect("memory").epd("test")).collect()
    }

    #[test]
    fn the_recipe_alone_decides_what_comes_out() {
        let first = records(RECIPE, 1, 100);
        assert_eq!(records(RECIPE, 3, 100), first);
        assert_ne!(records(OpeningsRecipe { seed: 2, ..RECIPE }, 1, 100), first);
    }

    #[test]
    fn openings_are_as_wanted_and_none_comes_twice() {
        for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
            let openings = OpeningsRecipe { mode, ..RECIPE }.openings(2).expect("threads");
            let mut seen = HashSet::new();
            for opening in openings.take(150) {
                let opening = opening.expect("memory");
                assert_eq!((opening.game.ply(), opening.game.mode()), (6, mode));
                assert!(opening.score.value().abs() <= 50 && opening.depth > 0);
                assert!(seen.insert(opening.game.position().clone()));
            }
            assert_eq!(seen.len(), 150);
        }
    }

    #[test]
    fn the_embedded_openings_are_legal_balanced_and_different() {
        let mut seen = HashSet::new();
        for record in game::openings::EMBEDDED.lines() {
            let (position, operations) = record.split_at(record.find(" acd ").expect(record));
            let game = Game::from_fen(position, CastlingMode::Standard).expect(record);
            assert!(game.mode().is_standard() && game.outcome().is_none(), "{record}");
            assert!(seen.insert(game.position().clone()), "{record}");
            let operation = |opcode| {
                operations.split(';').find_map(|operation| operation.trim_start().strip_prefix(opcode))
            };
            let score: i32 = operation("ce ").expect(record).parse().expect(record);
            assert!(score.abs() <= 40, "{record}");
            assert_eq!(operation("id "), Some(&*format!("\"Standard.8.1.{}\"", seen.len())));
        }
        assert_eq!((seen.len(), game::openings::EMBEDDED.ends_with(";\n")), (400, true));
    }

    #[test]
    fn training_positions_depend_on_seed_and_book() {
        let fens = |seed, book: Option<&Path>| -> Vec<String> {
            let positions = training_positions(seed, book).expect("threads");
            positions.take(20).map(|opening| opening.expect("memory").game.fen()).collect()
        };
        let first = fens(u64::MAX, None);
        assert_eq!(first, fens(u64::MAX, None));
        assert_ne!(first, fens(1, None));
        assert_eq!(first.iter().filter(|fen| fen.contains(" w ")).count(), 10);
        let folder = tempfile::tempdir().expect("a folder");
        let book = folder.path().join("book.epd");
        std::fs::write(&book, "4k3/4p3/8/8/8/8/4P3/4K3 w - -\n").expect("written");
        let from_book = fens(1, Some(&book));
        let board = |fen: &str| fen.split(' ').next().map(str::to_owned).expect("a board");
        assert!(from_book.iter().all(|fen| !board(fen).contains(['Q', 'R', 'B', 'N', 'q', 'r', 'b', 'n'])));
        assert!(training_positions(1, Some(&folder.path().join("none"))).is_err());
    }

    #[test]
    fn it_ends_when_there_are_no_more() {
        let recipe = OpeningsRecipe { plies: 1, balance: 1000, nodes: 1, ..RECIPE };
        assert_eq!(records(recipe, 1, 1000).len(), 20);
        let recipe = OpeningsRecipe { plies: 0, mode: CastlingMode::Chess960, ..recipe };
        assert_eq!(records(recipe, 1, 10_000).len(), 960);
    }

    #[test]
    fn a_record_says_what_the_search_has_found() {
        let mut game = Game::default();
        game.play(game.parse_move("e4").expect("legal")).expect("legal");
        let opening = Opening { game, score: Score::Centipawns(-25), depth: 9, nodes: 1000 };
        assert_eq!(
            opening.epd("a \"b\""),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 \
             acd 9; acn 1000; ce -25; fmvn 1; hmvc 0; id \"a 'b'\";"
        );
    }
}
