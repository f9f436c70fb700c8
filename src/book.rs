//! `herald book`: makes opening books and shows their moves.

use std::fs;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use analysis::{FileError, InputFile, refuse_overwriting};
use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand};
use game::book::{Book, PolyglotBuilder};
use game::{PgnError, PgnReader, Variant, counted};

use crate::perft::read_game;
use crate::{WrongInput, progress_bar};

#[derive(Subcommand)]
pub(crate) enum BookCommand {
    Make(MakeArgs),
    Show(ShowArgs),
}

/// Make a Polyglot book from games; the weight of a move is two for each game it won and one for each it drew
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
                        progress.suspend(|| eprintln!("herald: game left out: {name}: {error}"));
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
            eprintln!("herald: the book is empty; try a smaller --min-count");
        }
        Ok(())
    }
}

impl MakeArgs {
    /// Opens the games. Neither the book nor its temporary file may be one of them.
    fn open(&self) -> Result<Vec<InputFile>, FileError> {
        let inputs = self.games.iter().map(|path| InputFile::open(path)).collect::<Result<Vec<_>, _>>()?;
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
            eprintln!("herald: `{name}` has no move for this position");
        }
        Ok(())
    }
}

/// Name of the temporary file while `path` is written.
fn part(path: &Path) -> PathBuf {
    path.with_added_extension("part")
}

/// Writes a file atomically; a device or a pipe is written directly.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
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
