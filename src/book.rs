//! `herald book`: opening books made and looked into.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand};
use game::book::{Book as BookFile, PolyglotBuilder};
use game::{PgnError, PgnReader, Variant};
use indicatif::{ProgressBar, ProgressStyle};

use crate::WrongInput;
use crate::perft::read_game;

/// Make opening books and look into them
#[derive(Args)]
#[command(after_help = "Example: herald book make games.pgn -o book.bin")]
pub(crate) struct Book {
    #[command(subcommand)]
    order: Order,
}

#[derive(Subcommand)]
enum Order {
    Make(Make),
    Show(Show),
}

/// Make a Polyglot book from games; the weight of a move is two for each game it won and one for each it drew
#[derive(Args)]
#[command(after_help = "Example: herald book make games.pgn --plies 16 --min-count 5 -o book.bin")]
struct Make {
    /// The games, in PGN
    #[arg(required = true, value_name = "GAMES.pgn")]
    games: Vec<PathBuf>,
    /// The book
    #[arg(short, long, value_name = "BOOK.bin")]
    output: PathBuf,
    /// How many plies of each game to take in
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..))]
    plies: u32,
    /// In how many games a move must occur
    #[arg(long, default_value_t = 2, value_name = "GAMES", value_parser = clap::value_parser!(u32).range(1..))]
    min_count: u32,
}

/// Show the moves of a book: weight, share, and what a program has learnt
#[derive(Args)]
#[command(
    after_help = "Example: herald book show book.bin r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -"
)]
struct Show {
    /// The book: a Polyglot book, or EPD records in a file whose name ends in `.epd`
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// Chess960: castling rights may be written by files
    #[arg(long)]
    chess960: bool,
    /// The position, as one word or several; the start position by default
    fen: Vec<String>,
}

impl Book {
    pub(crate) fn run(&self) -> Result<()> {
        match &self.order {
            Order::Make(make) => make.run(),
            Order::Show(show) => show.run(),
        }
    }
}

impl Make {
    fn run(&self) -> Result<()> {
        let mut builder = PolyglotBuilder::default();
        let mut count = Count::default();
        for path in &self.games {
            self.take_in(path, &mut builder, &mut count)?;
        }
        if count.games == 0 {
            return Err(anyhow!(WrongInput).context("there are no games to make a book of"));
        }
        let entries = write_whole(&self.output, |output| builder.write(self.min_count, output))
            .with_context(|| format!("can't write `{}`", self.output.display()))?;
        writeln!(
            io::stdout(),
            "{entries} entries from {} games, {} faulty games left out",
            count.games,
            count.faulty
        )?;
        Ok(())
    }

    fn take_in(&self, path: &Path, builder: &mut PolyglotBuilder, count: &mut Count) -> Result<()> {
        let file = open(path)?;
        let progress = ProgressBar::new(file.metadata().map_or(0, |about| about.len()));
        let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta}");
        progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        for game in PgnReader::new(BufReader::new(progress.wrap_read(file))) {
            match game {
                Ok(game) => {
                    count.games += 1;
                    builder.add(&game.game, self.plies as usize);
                }
                Err(error @ PgnError::Broken { .. }) => {
                    count.faulty += 1;
                    progress.suspend(|| eprintln!("herald: game left out: {}: {error}", path.display()));
                }
                Err(error) => return Err(anyhow!(error).context(format!("can't read `{}`", path.display()))),
            }
        }
        progress.finish_and_clear();
        Ok(())
    }
}

/// How many games were read.
#[derive(Default)]
struct Count {
    games: u64,
    faulty: u64,
}

impl Show {
    fn run(&self) -> Result<()> {
        let game = read_game(Variant::Chess, &self.fen, self.chess960)?;
        let name = self.book.display();
        let chess = game.chess().context("books know only chess")?;
        let moves = BookFile::open(&self.book)
            .and_then(|mut book| book.moves(chess))
            .map_err(|error| anyhow!(WrongInput).context(error).context(format!("can't use `{name}`")))?;
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

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| {
        anyhow!(WrongInput).context(error).context(format!("can't open `{}`", path.display()))
    })
}

/// Writes a file that is there either whole or not at all; a device or a pipe is written as it goes.
fn write_whole<T>(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>) -> io::Result<T> {
    let is_special = fs::metadata(path).is_ok_and(|about| !about.is_file());
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let target = if is_special { path } else { Path::new(&part) };
    let mut output = BufWriter::new(File::create(target)?);
    let written = write(&mut output).and_then(|value| output.flush().map(|()| value));
    if is_special {
        return written;
    }
    let kept = written.and_then(|value| fs::rename(target, path).map(|()| value));
    if kept.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(target);
    }
    kept
}
