//! The positions from which the games of a match begin.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use engine::{CastlingMode, FenError, Game, Move, PgnError, PgnReader};

/// Openings, in the order in which they are drawn. There is always one more: after the last comes the first.
#[derive(Clone, Debug)]
pub struct Openings {
    mode: CastlingMode,
    openings: Vec<Opening>,
}

/// An opening in little room.
#[derive(Clone, Debug)]
struct Opening {
    /// The position before the first move; the start position of the game if it is empty.
    start: Box<str>,
    moves: Box<[Move]>,
}

/// In which order openings are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As in the file, from the one with this number (from 1) on.
    Sequential {
        /// The first.
        from: usize,
    },
    /// Shuffled; the same seed shuffles in the same way.
    Random {
        /// The seed.
        seed: u64,
    },
}

/// What openings are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A position on each line, in EPD or FEN.
    Positions,
    /// Games in PGN.
    Pgn,
}

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("{path} cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The name of the file doesn't tell what is in it.
    #[error("{0}: expected a file of openings whose name ends in .epd, .fen or .pgn")]
    UnknownFormat(PathBuf),
    /// A position cannot be used.
    #[error("{path}, line {line}: {reason}")]
    Position {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A game cannot be used.
    #[error("{path}, {error}")]
    Game {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: PgnError,
    },
    /// A game is over before the programs could play.
    #[error("{path}, game {number}: it is over after {plies} plies of opening; take fewer plies")]
    Over {
        /// The file.
        path: PathBuf,
        /// The game, from 1.
        number: usize,
        /// Its length.
        plies: usize,
    },
    /// There is nothing in the file.
    #[error("{0} has no openings in it")]
    Empty(PathBuf),
    /// The first opening wanted is not there.
    #[error("{path} has {openings} openings; opening {from} to begin with is not among them")]
    Beyond {
        /// The file.
        path: PathBuf,
        /// How many there are.
        openings: usize,
        /// Which was wanted.
        from: usize,
    },
}

/// The longest line with a position, in bytes. EPD has at most 1024 (EPD specification, 5).
const LONGEST_LINE: u64 = 64 << 10;

impl Format {
    /// What a file's name says of its format.
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "epd" | "fen" | "txt" => Some(Format::Positions),
            "pgn" => Some(Format::Pgn),
            _ => None,
        }
    }
}

impl Openings {
    /// No openings: every game begins at the start position.
    pub fn none() -> Openings {
        Openings {
            mode: CastlingMode::Standard,
            openings: vec![Opening { start: "".into(), moves: [].into() }],
        }
    }

    /// The 960 start positions of Chess960, in the order of their numbers.
    pub fn chess960() -> Openings {
        let opening = |number| Opening { start: chess960_fen(number).into(), moves: [].into() };
        Openings { mode: CastlingMode::Chess960, openings: (0..960).map(opening).collect() }
    }

    /// Reads a file of openings; of games at most so many plies are taken.
    ///
    /// # Errors
    /// The file cannot be read, has no openings, or one that cannot be played from.
    pub fn read(
        path: &Path,
        format: Format,
        mode: CastlingMode,
        most_plies: Option<usize>,
    ) -> Result<Openings, OpeningsError> {
        let unreadable = |error| OpeningsError::Unreadable { path: path.to_owned(), error };
        let file = BufReader::new(File::open(path).map_err(unreadable)?);
        let openings = match format {
            Format::Positions => read_positions(path, file, mode),
            Format::Pgn => read_games(path, file, most_plies.unwrap_or(usize::MAX)),
        }?;
        if openings.is_empty() {
            return Err(OpeningsError::Empty(path.to_owned()));
        }
        Ok(Openings { mode, openings })
    }

    /// Puts them in order. `path` is where they came from, for the error.
    ///
    /// # Errors
    /// The opening to begin with is not there.
    pub fn ordered(mut self, order: Order, path: &Path) -> Result<Openings, OpeningsError> {
        match order {
            Order::Random { seed } => fastrand::Rng::with_seed(seed).shuffle(&mut self.openings),
            Order::Sequential { from } => {
                let openings = self.openings.len();
                if !(1..=openings).contains(&from) {
                    return Err(OpeningsError::Beyond { path: path.to_owned(), openings, from });
                }
                self.openings.rotate_left(from - 1);
            }
        }
        Ok(self)
    }

    /// How many there are before the first comes again.
    pub fn count(&self) -> usize {
        self.openings.len()
    }

    /// The opening of that number, from 0.
    pub fn get(&self, number: u64) -> Game {
        let opening = &self.openings[(number % self.openings.len() as u64) as usize];
        let mut game = if opening.start.is_empty() {
            Game::default()
        } else {
            Game::from_fen(&opening.start, self.mode).expect("the position was read before")
        };
        for &m in &opening.moves {
            game.play(m).expect("the game was read before");
        }
        game
    }
}

/// Lines with positions; empty ones and those that begin with `#` are passed over.
fn read_positions(
    path: &Path,
    mut file: impl BufRead,
    mode: CastlingMode,
) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        let faulty = |reason: String| OpeningsError::Position { path: path.to_owned(), line: number, reason };
        line.clear();
        let read = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let read = read.map_err(|error| OpeningsError::Unreadable { path: path.to_owned(), error })? as u64;
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
        let fen = position_of(text);
        let game = Game::from_fen(&fen, mode).map_err(|error: FenError| faulty(error.to_string()))?;
        if let Some(outcome) = game.outcome() {
            return Err(faulty(format!("the game is over in this position: {outcome}")));
        }
        openings.push(Opening { start: fen.into(), moves: [].into() });
    }
    Ok(openings)
}

/// The part of a line that is the position: four fields, and two more if they are the counters of a FEN and not the
/// beginning of EPD's operations.
fn position_of(line: &str) -> String {
    let fields: Vec<&str> = line.split_whitespace().take(6).collect();
    let counters =
        fields[4.min(fields.len())..].iter().take_while(|field| field.parse::<u16>().is_ok()).count();
    fields[..(4 + counters).min(fields.len())].join(" ")
}

fn read_games(path: &Path, file: impl BufRead, most_plies: usize) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings = Vec::new();
    for (number, read) in (1..).zip(PgnReader::new(file)) {
        let mut game = read.map_err(|error| OpeningsError::Game { path: path.to_owned(), error })?.game;
        while game.ply() > most_plies {
            game.undo();
        }
        if game.legal_moves().is_empty() {
            return Err(OpeningsError::Over { path: path.to_owned(), number, plies: game.ply() });
        }
        let start = if game.has_standard_start() && game.mode() == CastlingMode::Standard {
            String::new()
        } else {
            game.start_fen()
        };
        openings.push(Opening { start: start.into(), moves: game.moves().into() });
    }
    Ok(openings)
}

/// The start position of that number, from 0 to 959 (the numbers are Scharnagl's; 518 is the usual one).
fn chess960_fen(number: usize) -> String {
    let mut rank = [None; 8];
    let (rest, light) = (number / 4, number % 4);
    rank[2 * light + 1] = Some('b');
    let (rest, dark) = (rest / 4, rest % 4);
    rank[2 * dark] = Some('b');
    let (knights, queen) = (rest / 6, rest % 6);
    place(&mut rank, queen, 'q');
    // The ten ways to put two knights on five squares: the first as far to the left as can be.
    let pairs: Vec<(usize, usize)> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
    let (first, second) = pairs[knights];
    place(&mut rank, second, 'n');
    place(&mut rank, first, 'n');
    for piece in ['r', 'k', 'r'] {
        place(&mut rank, 0, piece);
    }
    let black: String = rank.into_iter().flatten().collect();
    let rooks = (0..8).rev().filter(|&file| rank[file] == Some('r'));
    let rights: String = rooks.map(|file| char::from(b'a' + file as u8)).collect();
    format!(
        "{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{rights} - 0 1",
        black.to_uppercase(),
        rights.to_uppercase()
    )
}

/// Puts a piece on the free square with so many free ones to its left.
fn place(rank: &mut [Option<char>; 8], free_before: usize, piece: char) {
    if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(free_before) {
        *square = Some(piece);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    const IN_ORDER: Order = Order::Sequential { from: 1 };

    fn read(name: &str, text: impl AsRef<[u8]>, most_plies: Option<usize>) -> Result<Openings, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let openings = Openings::read(&path, Format::of(&path).unwrap(), CastlingMode::Standard, most_plies);
        openings.map_err(|error| error.to_string().replace(folder.path().to_str().unwrap(), ""))
    }

    fn fens(openings: &Openings) -> Vec<String> {
        (0..openings.count() as u64).map(|number| openings.get(number).fen()).collect()
    }

    #[test]
    fn positions_with_and_without_counters_and_operations() {
        let text = "\u{feff}4k3/8/8/8/8/8/8/4K2R w K - 3 40\r\n\n# a comment\n\
                    4k3/8/8/8/8/8/8/4K2R w K - id \"7 8\"; ce 30;\n4k3/8/8/8/8/8/8/4K2R b - -";
        let openings = read("a.epd", text, None).unwrap();
        let expected =
            ["w K - 3 40", "w K - 0 1", "b - - 0 1"].map(|rest| format!("4k3/8/8/8/8/8/8/4K2R {rest}"));
        assert_eq!(fens(&openings), expected);
        assert_eq!(openings.get(4).fen(), expected[1], "after the last comes the first");
    }

    #[test]
    fn games_as_far_as_wanted() {
        let text = "1. e4 e5 2. Nf3 *\n\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 3 40\"]\n\n40. O-O Kd7 *";
        let openings = read("a.pgn", text, Some(2)).unwrap();
        let first = openings.get(0);
        assert_eq!((first.ply(), first.start_fen().as_str()), (2, Game::default().fen().as_str()));
        assert_eq!(openings.get(1).fen(), "8/3k4/8/8/8/8/8/5RK1 w - - 5 41");
        assert_eq!(read("a.pgn", text, None).unwrap().get(0).ply(), 3);
    }

    #[test]
    fn errors_say_where() {
        let error = |name, text: &[u8]| read(name, text, None).unwrap_err();
        assert!(error("a.fen", b"\n4k3/8/8/8/8/8/8/4K2R w\n").starts_with("/a.fen, line 2: FEN"));
        assert_eq!(
            error("a.fen", b"k7/8/1Q6/8/8/8/8/K7 b - -"),
            "/a.fen, line 1: the game is over in this position: Stalemate"
        );
        assert!(error("a.epd", &[b'x'; 100_000]).contains("too long"));
        assert_eq!(error("a.epd", b"\n"), "/a.epd has no openings in it");
        assert!(error("a.pgn", b"1. e4 *\n\n1. e5 *").starts_with("/a.pgn, line 3: illegal move"));
        assert!(error("a.pgn", b"1. f3 e5 2. g4 Qh4# 0-1").contains("game 1: it is over after 4 plies"));
        let missing = Path::new("/nowhere/a.pgn");
        assert!(Openings::read(missing, Format::Pgn, CastlingMode::Standard, None).is_err());
    }

    #[test]
    fn random_order_is_a_shuffle_by_its_seed() {
        let text = "1. e4 *\n\n1. d4 *\n\n1. c4 *\n\n1. b4 *\n\n1. a4 *\n\n1. f4 *\n\n1. g4 *\n\n1. h4 *\n\n";
        let openings = read("a.pgn", text, None).unwrap();
        let drawn = |order| fens(&openings.clone().ordered(order, Path::new("a.pgn")).unwrap());
        let sorted = |fens: Vec<String>| fens.into_iter().collect::<BTreeSet<_>>();
        let [first, again, other] = [1, 1, 2].map(|seed| drawn(Order::Random { seed }));
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_eq!(sorted(first), sorted(drawn(IN_ORDER)));
        assert_eq!(
            drawn(Order::Sequential { from: 3 })[..7],
            drawn(IN_ORDER)[2..][..6].iter().chain(&drawn(IN_ORDER)[..1]).cloned().collect::<Vec<_>>()
        );
        assert!(openings.ordered(Order::Sequential { from: 9 }, Path::new("a.pgn")).is_err());
    }

    #[test]
    fn there_are_960_start_positions() {
        let openings = Openings::chess960();
        let all: BTreeSet<String> = fens(&openings).into_iter().collect();
        assert_eq!(all.len(), 960);
        let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";
        assert_eq!(openings.get(518).fen(), usual);
        assert!(
            openings.get(0).fen().starts_with("bbqnnrkr/")
                && openings.get(959).fen().starts_with("rkrnnqbb/")
        );
        assert_eq!(Openings::none().get(3).fen(), Game::default().fen());
    }
}
