//! The openings of a match.
//!
//! Openings are drawn by number. All programs in a round get the same opening, and the next round gets the next one, so
//! that all opponents meet all openings of a short file about equally often.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use game::book::{self, BookError, PolyglotBook};
use game::epd::{Escapes, Lexer, position_part};
use game::{
    CastlingMode, Chess, FenError, Game, Move, PgnError, PgnReader, PlayedVariant, counted, openings,
};

/// Openings in the order in which they are drawn. After the last one they are drawn again, beginning with
/// the second.
#[derive(Debug)]
pub struct MatchOpenings {
    /// Path of the file, for error messages.
    path: PathBuf,
    played: PlayedVariant,
    source: OpeningSource,
    /// Checksum of the file.
    checksum: Option<u32>,
}

/// The source of openings.
#[derive(Debug)]
enum OpeningSource {
    Listed(Vec<StoredOpening>),
    /// Moves drawn from a Polyglot book by their weights. An opening depends on the seed and its own number only, so it
    /// is reproducible.
    Book {
        book: Box<PolyglotBook<File>>,
        plies: usize,
        seed: u64,
    },
    /// Random legal moves from the start position. An opening depends on the seed and its own number only.
    Random {
        plies: usize,
        seed: u64,
    },
}

/// An opening in compact form.
#[derive(Clone, Debug)]
struct StoredOpening {
    /// FEN of the position before the first move; empty for the usual start position.
    start: Box<str>,
    moves: Box<[Move]>,
}

/// The order in which openings are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningOrder {
    /// File order, beginning with the given opening.
    Sequential {
        /// Number of the first opening, from 1.
        from: usize,
    },
    /// Random order, reproducible by its seed.
    Random {
        /// Seed of the random order.
        seed: u64,
    },
}

/// An error of an openings file.
#[derive(Debug, thiserror::Error)]
#[error("{path}{problem}")]
pub struct OpeningsError {
    /// Path of the file.
    pub path: PathBuf,
    /// What is wrong with the file.
    pub problem: OpeningsProblem,
}

/// What is wrong with an openings file. The text follows the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsProblem {
    /// The file cannot be read.
    #[error(" cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// A PGN game is invalid.
    #[error(", {0}")]
    Game(#[from] PgnError),
    /// A Polyglot book is invalid.
    #[error(": {0}")]
    Book(#[from] BookError),
    /// Its openings are missing or cannot be played.
    #[error("{0}")]
    Unfit(String),
}

/// Maximum length of a line with a position, in bytes: many times the limit of EPD ([`game::epd::LONGEST_LINE`]).
const LONGEST_LINE: u64 = 64 << 10;

/// Default number of plies drawn from a book, unless the book ends earlier.
const PLIES_OF_A_BOOK: usize = 8;

/// Number of random plies in a variant without a file of openings.
const RANDOM_PLIES: usize = 4;

impl MatchOpenings {
    /// Makes an empty set: every game begins at the start position.
    pub fn none() -> MatchOpenings {
        MatchOpenings::listed("none", PlayedVariant::CHESS, vec![StoredOpening::at("")])
    }

    /// Returns the openings of a variant without a file: for chess a set that is embedded in Herald, for Chess960 its
    /// start positions, for another variant random moves.
    pub fn default_of(played: PlayedVariant) -> MatchOpenings {
        match played {
            PlayedVariant::CHESS => MatchOpenings::embedded(),
            PlayedVariant::CHESS960 => MatchOpenings::chess960(),
            _ => MatchOpenings::random(played, RANDOM_PLIES),
        }
    }

    /// Returns the set of openings embedded in Herald.
    pub fn embedded() -> MatchOpenings {
        let openings = openings::EMBEDDED.lines().map(|line| StoredOpening::at(position_part(line)));
        MatchOpenings::listed("the embedded set", PlayedVariant::CHESS, openings.collect())
    }

    /// Returns the 960 start positions of Chess960, in the order of Scharnagl's numbers: 518 is the usual position.
    pub fn chess960() -> MatchOpenings {
        let starts = (0..openings::CHESS960_POSITIONS).map(openings::chess960);
        let openings = starts.map(|start| StoredOpening::at(&start));
        MatchOpenings::listed("Chess960", PlayedVariant::CHESS960, openings.collect())
    }

    /// Returns openings of so many random legal moves from the start position, after which nobody has won and the side
    /// to move cannot win at once. Each is different with high probability only.
    pub fn random(played: PlayedVariant, plies: usize) -> MatchOpenings {
        MatchOpenings {
            path: "random openings".into(),
            played,
            source: OpeningSource::Random { plies, seed: 1 },
            checksum: None,
        }
    }

    fn listed(name: &str, played: PlayedVariant, openings: Vec<StoredOpening>) -> MatchOpenings {
        MatchOpenings { path: name.into(), played, source: OpeningSource::Listed(openings), checksum: None }
    }

    /// Reads an openings file of a variant. The file name extension tells the format: EPD or FEN, PGN, or a Polyglot
    /// book. At most `plies` plies are taken from each game; the default for a book is 8.
    ///
    /// # Errors
    /// The file cannot be read, contains no openings, or contains one that cannot be played in this variant.
    pub fn read(
        path: &Path,
        played: PlayedVariant,
        most_plies: Option<usize>,
    ) -> Result<MatchOpenings, OpeningsError> {
        let failed = |problem| OpeningsError { path: path.to_owned(), problem };
        let source = OpeningSource::read(path, played, most_plies).map_err(failed)?;
        let checksum = Some(checksum(path).map_err(|error| failed(error.into()))?);
        Ok(MatchOpenings { path: path.to_owned(), played, source, checksum })
    }

    /// Sets the order. A book or random moves are random in either order: the generator is seeded with the seed or the
    /// number of the first opening.
    ///
    /// # Errors
    /// The requested first opening does not exist.
    pub fn ordered(mut self, order: OpeningOrder) -> Result<MatchOpenings, OpeningsError> {
        match (&mut self.source, order) {
            (OpeningSource::Listed(openings), OpeningOrder::Random { seed }) => {
                fastrand::Rng::with_seed(seed).shuffle(openings);
            }
            (OpeningSource::Listed(openings), OpeningOrder::Sequential { from }) => {
                if !(1..=openings.len()).contains(&from) {
                    let count = counted(openings.len() as u64, "opening");
                    let problem = format!(" has {count}; number {from} to begin with is not among them");
                    return Err(OpeningsError { path: self.path, problem: OpeningsProblem::Unfit(problem) });
                }
                openings.rotate_left(from - 1);
            }
            (
                OpeningSource::Book { seed, .. } | OpeningSource::Random { seed, .. },
                OpeningOrder::Random { seed: wanted },
            ) => *seed = wanted,
            (
                OpeningSource::Book { seed, .. } | OpeningSource::Random { seed, .. },
                OpeningOrder::Sequential { from },
            ) => *seed = from as u64,
        }
        Ok(self)
    }

    /// Returns the number of different openings; `None` if they are drawn from a book.
    pub fn count(&self) -> Option<usize> {
        match &self.source {
            OpeningSource::Listed(openings) => Some(openings.len()),
            OpeningSource::Book { .. } | OpeningSource::Random { .. } => None,
        }
    }

    /// Returns the CRC-32 of the file; `None` if the openings are not from a file.
    pub fn checksum(&self) -> Option<u32> {
        self.checksum
    }

    /// Returns the opening with that number, from 0.
    ///
    /// # Errors
    /// A book can no longer be read, or is damaged.
    pub fn get(&mut self, number: u64) -> Result<Game, OpeningsError> {
        match &mut self.source {
            OpeningSource::Listed(openings) => {
                Ok(openings[place_of(number, openings.len() as u64) as usize].set_up(self.played))
            }
            OpeningSource::Book { book, plies, seed } => draw(book, *plies, generator(*seed, number))
                .map_err(|error| OpeningsError { path: self.path.clone(), problem: error.into() }),
            OpeningSource::Random { plies, seed } => stroll(self.played, *plies, generator(*seed, number))
                .ok_or_else(|| OpeningsError {
                    path: self.path.clone(),
                    problem: OpeningsProblem::Unfit(format!(
                        ": no opening of {plies} random plies was found in which the game is open"
                    )),
                }),
        }
    }
}

/// Returns the CRC-32 of a file.
fn checksum(path: &Path) -> io::Result<u32> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut hasher = crc32fast::Hasher::new();
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hasher.finalize());
        }
        hasher.update(bytes);
        let length = bytes.len();
        reader.consume(length);
    }
}

/// Returns the place of an opening among `count`, from 0. When they are used up they come again beginning with the next
/// one: with a book of 100 openings, two programs that meet in every fifth round would else meet the same 20 for ever.
pub(crate) fn place_of(number: u64, count: u64) -> u64 {
    (number + number / count) % count
}

/// Each opening has its own generator. The multiplier separates neighbouring seeds.
fn generator(seed: u64, number: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number)
}

impl OpeningSource {
    fn read(
        path: &Path,
        played: PlayedVariant,
        most_plies: Option<usize>,
    ) -> Result<OpeningSource, OpeningsProblem> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let open = || File::open(path).map(BufReader::new);
        let empty = || OpeningsProblem::Unfit(" has no openings in it".to_owned());
        let openings = match extension.as_str() {
            "epd" | "fen" | "txt" => read_positions(open()?, played)?,
            "pgn" => read_games(open()?, played, most_plies.unwrap_or(usize::MAX))?,
            "bin" if played != PlayedVariant::CHESS => {
                return Err(OpeningsProblem::Unfit(format!(
                    ": a Polyglot book has moves of chess, but {} is played here; take positions (.epd) or \
                     games (.pgn)",
                    played.name()
                )));
            }
            "bin" => {
                let mut book = Box::new(PolyglotBook::new(File::open(path)?)?);
                if book.moves(&Chess::default())?.is_empty() {
                    return Err(empty());
                }
                return Ok(OpeningSource::Book {
                    book,
                    plies: most_plies.unwrap_or(PLIES_OF_A_BOOK),
                    seed: 0,
                });
            }
            _ => {
                let expected =
                    ": expected a file of openings whose name ends in .epd, .fen, .txt, .pgn or .bin";
                return Err(OpeningsProblem::Unfit(expected.to_owned()));
            }
        };
        if openings.is_empty() { Err(empty()) } else { Ok(OpeningSource::Listed(openings)) }
    }
}

impl StoredOpening {
    /// Makes an opening without moves.
    fn at(start: &str) -> StoredOpening {
        StoredOpening { start: start.into(), moves: [].into() }
    }

    fn set_up(&self, played: PlayedVariant) -> Game {
        let mut game = if self.start.is_empty() {
            played.start()
        } else {
            played.read(&self.start).expect("the position was read before")
        };
        for &m in &self.moves {
            game.play(m).expect("the game was read before");
        }
        game
    }
}

/// Draws moves from a book until the book has no move or the next one would end the game.
fn draw(book: &mut PolyglotBook<File>, plies: usize, mut random: fastrand::Rng) -> Result<Game, BookError> {
    let mut game = Game::default();
    while game.ply() < plies {
        let Some(chess) = game.chess() else { break };
        let Some(m) = book::choose(&book.moves(chess)?, &mut random) else { break };
        if game.play(m).is_err() || game.outcome().is_some() {
            game.undo();
            break;
        }
    }
    Ok(game)
}

/// Number of attempts to find an opening of random moves.
const ATTEMPTS: usize = 1000;

/// Plays random moves until there is an opening in which the game is open; `None` if there seems to be none.
fn stroll(played: PlayedVariant, plies: usize, mut random: fastrand::Rng) -> Option<Game> {
    let mut attempt = || {
        let mut game = played.start();
        while game.ply() < plies {
            let m = random.choice(game.legal_moves())?;
            game.play(m).ok()?;
        }
        Some(game).filter(is_open)
    };
    (0..ATTEMPTS).find_map(|_| attempt())
}

/// Whether a game goes on and the side to move has no move that wins at once.
fn is_open(game: &Game) -> bool {
    let wins = |&m: &Move| {
        let mut next = game.clone();
        next.play(m).is_ok() && next.outcome().is_some_and(|outcome| outcome.winner() == Some(game.turn()))
    };
    game.outcome().is_none() && !game.legal_moves().iter().any(wins)
}

/// Reads positions, one per line. Skips empty lines and lines that begin with `#`.
fn read_positions(
    mut file: impl BufRead,
    played: PlayedVariant,
) -> Result<Vec<StoredOpening>, OpeningsProblem> {
    let mut openings = Vec::new();
    let mut line = Vec::new();
    for number in 1_u64.. {
        let faulty = |reason: String| OpeningsProblem::Unfit(format!(", line {number}: {reason}"));
        line.clear();
        let read = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            break;
        }
        if read == LONGEST_LINE {
            return Err(faulty("the line is too long for a position".to_owned()));
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let fen = fen_of(text);
        let game = played.read(&fen).map_err(|error: FenError| faulty(error.to_string()))?;
        if let Some(outcome) = game.outcome() {
            return Err(faulty(format!("the game is over in this position: {outcome}")));
        }
        openings.push(StoredOpening::at(&fen));
    }
    Ok(openings)
}

/// The position of a line as FEN. The counters are those behind the position, or the operations `hmvc` and `fmvn`. The
/// checks of Three-check (`3+3` before the counters or `+0+0` behind them) are kept.
fn fen_of(line: &str) -> String {
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'+');
    let (fields, rest) = split_words(line, 4);
    let numbers: Vec<&str> = rest.split_whitespace().take(3).take_while(is_number).collect();
    if numbers.iter().any(|word| word.contains('+')) {
        return format!("{fields} {}", numbers.join(" "));
    }
    let position = position_part(line);
    let mut lexer = Lexer::new(line, 0, Escapes::None);
    if lexer.fields().is_none() || lexer.counters()[0].is_some() {
        return position.to_owned();
    }
    let mut counters = ["0", "1"];
    while let Some(opcode) = lexer.opcode() {
        let place = ["hmvc", "fmvn"].iter().position(|counter| *counter == opcode.text);
        if let Some((place, operand)) = place.zip(lexer.operand()) {
            counters[place] = operand.text;
        }
    }
    format!("{position} {}", counters.join(" "))
}

/// Splits a line behind so many words.
fn split_words(line: &str, count: usize) -> (&str, &str) {
    let mut rest = line;
    for _ in 0..count {
        rest = rest.trim_start();
        rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
    }
    line.split_at(line.len() - rest.len())
}

fn read_games(
    file: impl BufRead,
    played: PlayedVariant,
    most_plies: usize,
) -> Result<Vec<StoredOpening>, OpeningsProblem> {
    let mut openings = Vec::new();
    for (number, read) in (1_u64..).zip(PgnReader::new(file)) {
        let mut game = read?.game;
        let faulty = |reason: String| OpeningsProblem::Unfit(format!(", game {number}: {reason}"));
        let found = PlayedVariant::of(&game);
        // The lines of chess are lines of Chess960, and a position of Chess960 is recognised by its castling rights.
        if found.variant != played.variant {
            let (found, played) = (found.name(), played.name());
            return Err(faulty(format!("it is a game of {found}, but {played} is played here")));
        }
        while game.ply() > most_plies {
            game.undo();
        }
        if game.legal_moves().is_empty() {
            let reason = format!("it is over at ply {} of its opening; take fewer plies", game.ply());
            return Err(faulty(reason));
        }
        let start = if game.has_standard_start() && found.mode == CastlingMode::Standard {
            String::new()
        } else {
            game.start_fen()
        };
        openings.push(StoredOpening { start: start.into(), moves: game.moves().into() });
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    const IN_ORDER: OpeningOrder = OpeningOrder::Sequential { from: 1 };

    fn read(name: &str, text: impl AsRef<[u8]>, most_plies: Option<usize>) -> Result<MatchOpenings, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let openings = MatchOpenings::read(&path, PlayedVariant::CHESS, most_plies);
        openings.map_err(|error| error.to_string().replace(folder.path().to_str().unwrap(), ""))
    }

    fn fens(openings: &mut MatchOpenings) -> Vec<String> {
        let count = openings.count().unwrap() as u64;
        (0..count).map(|number| openings.get(number).unwrap().fen()).collect()
    }

    #[test]
    fn positions_with_and_without_counters_and_operations() {
        let text = "\u{feff}4k3/8/8/8/8/8/8/4K2R w K - 3 40\r\n\n# a comment\n\
                    4k3/8/8/8/8/8/8/4K2R w K - id \"7 8\"; ce 30;\n4k3/8/8/8/8/8/8/4K2R b - - fmvn 9; hmvc 7;";
        let mut openings = read("a.epd", text, None).unwrap();
        let expected =
            ["w K - 3 40", "w K - 0 1", "b - - 7 9"].map(|rest| format!("4k3/8/8/8/8/8/8/4K2R {rest}"));
        assert_eq!(fens(&mut openings), expected);
        assert_eq!(openings.get(3).unwrap().fen(), expected[1], "after the last one they begin one farther");
    }

    #[test]
    fn games_as_far_as_wanted() {
        let text = "1. e4 e5 2. Nf3 *\n\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 3 40\"]\n\n40. O-O Kd7 *";
        let mut openings = read("a.pgn", text, Some(2)).unwrap();
        let first = openings.get(0).unwrap();
        assert_eq!((first.ply(), first.start_fen().as_str()), (2, Game::default().fen().as_str()));
        assert_eq!(openings.get(1).unwrap().fen(), "8/3k4/8/8/8/8/8/5RK1 w - - 5 41");
        assert_eq!(read("a.pgn", text, None).unwrap().get(0).unwrap().ply(), 3);
    }

    #[test]
    fn errors_say_where() {
        let error = |name, text: &[u8]| read(name, text, None).unwrap_err();
        assert!(error("a.fen", b"\n4k3/8/8/8/8/8/8/4K2R w\n").starts_with("/a.fen, line 2: FEN"));
        assert_eq!(
            error("a.fen", b"k7/8/1Q6/8/8/8/8/K7 b - -"),
            "/a.fen, line 1: the game is over in this position: Stalemate"
        );
        assert!(error("a.epd", &b"x".repeat(100_000)).contains("too long"));
        assert_eq!(error("a.epd", b"\n"), "/a.epd has no openings in it");
        assert!(error("a.pgn", b"1. e4 *\n\n1. e5 *").starts_with("/a.pgn, line 3: illegal move"));
        assert!(error("a.pgn", b"1. f3 e5 2. g4 Qh4# 0-1").contains("game 1: it is over at ply 4"));
        let missing = Path::new("/nowhere/a.pgn");
        assert!(MatchOpenings::read(missing, PlayedVariant::CHESS, None).is_err());
    }

    #[test]
    fn random_order_is_a_shuffle_by_its_seed() {
        let text = "1. e4 *\n\n1. d4 *\n\n1. c4 *\n\n1. b4 *\n\n1. a4 *\n\n1. f4 *\n\n1. g4 *\n\n1. h4 *\n\n";
        let ordered = |order| read("a.pgn", text, None).unwrap().ordered(order);
        let drawn = |order| fens(&mut ordered(order).unwrap());
        let sorted = |fens: Vec<String>| fens.into_iter().collect::<BTreeSet<_>>();
        let [first, again, other] = [1, 1, 2].map(|seed| drawn(OpeningOrder::Random { seed }));
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_eq!(sorted(first), sorted(drawn(IN_ORDER)));
        assert_eq!(
            drawn(OpeningOrder::Sequential { from: 3 })[..7],
            drawn(IN_ORDER)[2..][..6].iter().chain(&drawn(IN_ORDER)[..1]).cloned().collect::<Vec<_>>()
        );
        assert!(ordered(OpeningOrder::Sequential { from: 9 }).is_err());
    }

    #[test]
    fn there_are_960_start_positions() {
        let mut openings = MatchOpenings::chess960();
        let all: BTreeSet<String> = fens(&mut openings).into_iter().collect();
        assert_eq!(all.len(), 960);
        let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";
        assert_eq!(openings.get(518).unwrap().fen(), usual);
        for (number, rank) in [(0, "bbqnnrkr/"), (959, "rkrnnqbb/")] {
            assert!(openings.get(number).unwrap().fen().starts_with(rank));
        }
        assert_eq!(fens(&mut MatchOpenings::embedded()).len(), 400);
        assert_eq!(MatchOpenings::none().get(3).unwrap().fen(), Game::default().fen());
    }

    #[test]
    fn books_are_drawn_from_by_seed_and_number() {
        let mut builder = book::PolyglotBuilder::default();
        for game in PgnReader::new(
            &b"1. e4 e5 2. Nf3 * 1. d4 d5 2. c4 * 1. e4 c5 * 1. c4 * 1. f3 e5 2. g4 * 1. f3 e5 2. g4 Qh4# 0-1"[..],
        ) {
            builder.add(&game.unwrap().game, 9);
        }
        let mut bytes = Vec::new();
        builder.write(1, &mut bytes).unwrap();
        let drawn = |seed, plies| {
            let openings = read("a.bin", &bytes, plies).unwrap();
            let mut openings = openings.ordered(OpeningOrder::Random { seed }).unwrap();
            (0..50).map(|number| openings.get(number).unwrap()).collect::<Vec<_>>()
        };
        let fens = |games: Vec<Game>| games.iter().map(Game::fen).collect::<Vec<_>>();
        assert_eq!(fens(drawn(1, None)), fens(drawn(1, None)));
        assert_ne!(fens(drawn(1, None)), fens(drawn(2, None)));
        assert!(drawn(1, Some(1)).iter().all(|game| game.ply() == 1));
        assert!(drawn(1, None).iter().all(|game| (1..=3).contains(&game.ply()) && game.outcome().is_none()));
        assert_eq!(fens(drawn(1, None)).into_iter().collect::<BTreeSet<_>>().len(), 5);
        assert!(read("a.bin", b"no book", None).unwrap_err().starts_with("/a.bin: not a Polyglot book"));
        assert!(read("a.bin", b"", None).unwrap_err().contains("has no openings"));
    }

    #[test]
    fn variants_begin_with_random_moves_that_leave_the_game_open() {
        for played in PlayedVariant::all().filter(|played| played.variant != PlayedVariant::CHESS.variant) {
            let drawn = |seed| {
                let openings = MatchOpenings::default_of(played).ordered(OpeningOrder::Random { seed });
                let mut openings = openings.unwrap();
                (0..20).map(|number| openings.get(number).unwrap()).collect::<Vec<_>>()
            };
            let games = drawn(1);
            assert!(games.iter().all(|game| game.ply() == 4 && game.has_standard_start() && is_open(game)));
            let fens = |games: &[Game]| games.iter().map(Game::fen).collect::<BTreeSet<_>>();
            assert!(fens(&games).len() > 15, "{}", played.name());
            assert_eq!(fens(&games), fens(&drawn(1)));
            assert_ne!(fens(&games), fens(&drawn(2)));
        }
        let mut hopeless = MatchOpenings::random(PlayedVariant::named("racingkings").unwrap(), 4000);
        assert!(hopeless.get(0).unwrap_err().to_string().contains("no opening of 4000 random plies"));
    }

    #[test]
    fn files_hold_openings_of_the_variant() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str, text: &str, variant: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let openings = MatchOpenings::read(&path, PlayedVariant::named(variant).unwrap(), None);
            openings.map(|mut openings| fens(&mut openings)).map_err(|error| error.problem.to_string())
        };
        let zh = "r1b1kb1r/ppp2ppp/2n5/8/8/8/PPPPPPPP/RNBQKBNR[QNp] w KQkq - 0 7";
        assert_eq!(read("a.epd", &format!("{zh}\n"), "crazyhouse").unwrap().len(), 1);
        assert!(read("a.epd", zh, "chess").unwrap_err().contains("line 1: FEN: board"));
        let checks = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for line in
            [format!("{checks} 2+3 0 1"), format!("{checks} 0 1 +1+0"), format!("{checks} 2+3 0 1 id \"x\";")]
        {
            assert!(read("a.epd", &line, "3check").unwrap()[0].contains("2+3 0 1"), "{line}");
        }
        let game = "[Variant \"Atomic\"]\n\n1. Nf3 f6 2. Nd4 *\n";
        assert_eq!(read("a.pgn", game, "atomic").unwrap().len(), 1);
        let error = read("a.pgn", game, "horde").unwrap_err();
        assert_eq!(error, ", game 1: it is a game of atomic, but horde is played here");
        assert!(read("a.bin", "", "atomic").unwrap_err().contains("moves of chess"));
        let line = read("a.pgn", "1. e4 e5 *", "chess960").unwrap();
        assert!(line[0].contains("HAha"), "{line:?}");
    }
}
