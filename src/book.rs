//! `herald book` and `herald openings`: opening books and sets of openings.

use std::fs;
use std::io::{self, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use analysis::{FileError, InputFile, refuse_overwriting};
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use engine::openings::OpeningsRecipe;
use game::book::{Book, PolyglotBuilder};
use game::{CastlingMode, PgnError, PgnReader, Variant, counted};

use crate::position::read_game;
use crate::{WrongInput, progress_bar, read_threads};

#[derive(Subcommand)]
pub(crate) enum BookCommand {
    Make(MakeArgs),
    Show(ShowArgs),
}

/// Make a Polyglot book from games; the weight of a move is two for each game it won and one for each that it drew or that is
/// unfinished
#[derive(Args)]
#[command(after_help = "Example: herald book make games.pgn --plies 16 --min-count 5 -o book.bin")]
pub(crate) struct MakeArgs {
    /// Games in PGN; `-` for standard input
    #[arg(required = true, value_name = "GAMES.pgn")]
    games: Vec<PathBuf>,
    /// File of the book
    #[arg(short, long, value_name = "BOOK.bin")]
    output: PathBuf,
    /// Plies of each game to use
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..))]
    plies: u32,
    /// Minimum number of games in which a move was played
    #[arg(long, default_value_t = 2, value_name = "GAMES", value_parser = clap::value_parser!(u32).range(1..))]
    min_count: u32,
}

/// Show the moves of a book with weight, share and learn value
#[derive(Args)]
#[command(
    after_help = "Example: herald book show book.bin r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -"
)]
pub(crate) struct ShowArgs {
    /// A Polyglot book, or EPD records in a file whose name ends in `.epd`
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// Read the position as Chess960: castling rights may be given as files
    #[arg(long)]
    chess960: bool,
    /// FEN of the position, as one argument or several; the start position by default
    fen: Vec<String>,
}

impl BookCommand {
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            BookCommand::Make(make) => make.run(),
            BookCommand::Show(show) => show.run(),
        }
    }
}

impl MakeArgs {
    fn run(&self) -> Result<()> {
        let mut builder = PolyglotBuilder::default();
        let (mut games, mut faulty, mut variants) = (0_u64, 0_u64, 0_u64);
        for file in self.open().map_err(WrongInput::of)? {
            let name = file.name.clone();
            let progress = progress_bar(file.length(), "{bar:40} {bytes}/{total_bytes} {eta}");
            for game in PgnReader::new(BufReader::new(progress.wrap_read(file))) {
                match game {
                    Ok(game) if game.game.chess().is_none() => variants += 1,
                    Ok(game) => {
                        games += 1;
                        builder.add(&game.game, self.plies as usize);
                    }
                    Err(error @ PgnError::Broken { .. }) => {
                        faulty += 1;
                        progress.suspend(|| tell!("herald: game left out: {name}: {error}"));
                    }
                    Err(error) => return Err(error).context(format!("can't read `{name}`")),
                }
            }
            progress.finish_and_clear();
        }
        let left_out = format!(
            "left out: {} with faults, {} of a variant",
            counted(faulty, "game"),
            counted(variants, "game")
        );
        if games == 0 {
            return Err(WrongInput::of(anyhow!("there are no games to make a book of; {left_out}")));
        }
        let mut book = Vec::new();
        let entries = builder.write(self.min_count, &mut book)?;
        let written = write_whole(&self.output, &book);
        written.with_context(|| format!("can't write `{}`", self.output.display()))?;
        let entries_noun = if entries == 1 { "entry" } else { "entries" };
        writeln!(io::stdout(), "{entries} {entries_noun} from {}; {left_out}", counted(games, "game"))?;
        if entries == 0 {
            tell!("herald: the book is empty; try a smaller --min-count");
        }
        Ok(())
    }
}

impl MakeArgs {
    /// Opens the games. Neither the book nor its temporary file may be one of them.
    fn open(&self) -> Result<Vec<InputFile>, FileError> {
        let inputs =
            self.games.iter().map(|path| InputFile::open_games(path)).collect::<Result<Vec<_>, _>>()?;
        refuse_overwriting(&self.output, &inputs)?;
        refuse_overwriting(&part(&self.output), &inputs)?;
        Ok(inputs)
    }
}

impl ShowArgs {
    fn run(&self) -> Result<()> {
        let game = read_game(Variant::Chess, &self.fen, self.chess960)?;
        let name = self.book.display();
        let chess = game.chess().context("books contain only chess")?;
        let moves = Book::open(&self.book)
            .and_then(|mut book| book.moves(chess))
            .map_err(|error| WrongInput::of(anyhow!("can't use `{name}`: {error}")))?;
        let total: u64 = moves.iter().map(|m| u64::from(m.weight)).sum();
        for m in &moves {
            let share = 100.0 * f64::from(m.weight) / total.max(1) as f64;
            writeln!(io::stdout(), "{:<8}{:>6}{share:>7.1} %  learn {}", game.san(m.mv), m.weight, m.learn)?;
        }
        if moves.is_empty() {
            tell!("herald: `{name}` has no move for this position");
        }
        Ok(())
    }
}

/// Name of the temporary file while `path` is written.
fn part(path: &Path) -> PathBuf {
    path.with_added_extension("part")
}

/// Writes a file as a whole or not at all: beside its place first, if there is no device, pipe or link.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|about| !about.is_file()) {
        return fs::write(path, bytes);
    }
    let part = part(path);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(part);
    }
    written
}

/// Make openings for matches: positions after random moves that a search finds balanced, in EPD
///
/// No position comes twice. The same arguments give the same openings on any number of threads. Each opening is written as soon
/// as it is found, so that an interrupted run loses nothing.
#[derive(Args)]
#[command(after_help = "Example: herald openings --plies 8 --count 500 > openings.epd")]
pub(crate) struct OpeningsArgs {
    /// Plies from the start position
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=200))]
    plies: u32,
    /// Number of openings
    #[arg(long, default_value_t = 500)]
    count: u64,
    /// Seed of the random generator
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Largest advantage of either side
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 40,
        value_parser = clap::value_parser!(u32).range(0..=1000))]
    balance: u32,
    /// Nodes to search for each evaluation
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Number of threads; by default, one for each processor
    #[arg(long, value_name = "COUNT", value_parser = read_threads)]
    threads: Option<NonZeroUsize>,
    /// Start from random start positions of Chess960
    #[arg(long)]
    chess960: bool,
}

impl OpeningsArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let recipe = OpeningsRecipe {
            mode: CastlingMode::from_chess960(self.chess960),
            plies: self.plies,
            seed: self.seed,
            balance: self.balance,
            nodes: self.nodes,
        };
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let openings = recipe
            .openings(threads.map_or(1, NonZeroUsize::get))
            .context("the threads can't be started; try fewer with --threads")?;
        let bar = progress_bar(Some(self.count), "{bar:40} {pos}/{len} openings, {eta} left");
        let game = if self.chess960 { "Chess960" } else { "Standard" };
        let mut found = 0;
        for (number, opening) in (1..=self.count).zip(openings) {
            let record = opening.context("free some memory and try again")?;
            // The parameters distinguish openings of different runs.
            let record = record.epd(&format!("{game}.{}.{}.{number}", self.plies, self.seed));
            bar.suspend(|| writeln!(io::stdout(), "{record}")).context("the openings can't be written")?;
            bar.inc(1);
            found = number;
        }
        bar.finish_and_clear();
        if found < self.count {
            let reason = "no more seem to exist; try other --plies or a greater --balance";
            bail!("found {found} of {} openings: {reason}", self.count);
        }
        Ok(())
    }
}
