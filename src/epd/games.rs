//! `herald epd from-games` and `to-games`: positions of games as records, and records as games.

use std::io::{self, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use analysis::expressions::Filter;
use analysis::games::{GameOperation, GamePositions, GamesOfRecords, PositionChoice};
use analysis::{InputFile, OutputFile, Verb};
use anyhow::{Result, anyhow, bail};
use clap::{ArgGroup, Args, ValueEnum};
use game::{PgnError, PgnGame, PgnReader, counted};
use messages::epd::MoveReading;
use platform::signals;

use super::work::{InputArgs, OutputArgs, Work, explain};
use crate::{FAILED, WrongInput};

/// Write the positions of games in PGN files as EPD records
///
/// Each record has `fmvn`, `hmvc` and what --with says. By default all positions are written, with the move that was played. In `c0`
/// quotation marks become apostrophes, other letters Latin ones, and what has no Latin form `?`; how many were replaced is told.
/// Faults of games are reported with their line, and games with faults and those of variants are left out; then the exit status is 1. One
/// game is kept in memory.
#[derive(Args)]
#[command(
    group = ArgGroup::new("choice").args(["last", "openings"]),
    after_help = "Examples:
  herald epd from-games games.pgn --after 16 --every 4 --where 'pieces < 20' -o positions.epd
  herald epd from-games games.pgn --openings --with eco,c0 -o openings.epd
  herald epd from-games games.pgn --last --with id,c0 -o finals.epd"
)]
pub(crate) struct FromGamesArgs {
    /// PGN files; `-`, or none, for standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Plies before the first position of each game that is written
    #[arg(long, value_name = "PLIES", default_value_t = 0, conflicts_with = "choice")]
    after: usize,
    /// Plies before the last position of each game that is written
    #[arg(long, value_name = "PLIES", conflicts_with = "choice")]
    until: Option<usize>,
    /// Write every so manieth position only, in plies
    #[arg(long, value_name = "PLIES", default_value = "1", conflicts_with = "choice")]
    every: std::num::NonZeroUsize,
    /// Write the last position of each game only
    #[arg(long)]
    last: bool,
    /// Write the last position of each game that has a name as an opening
    #[arg(long)]
    openings: bool,
    /// Operations to write
    #[arg(long, value_enum, value_delimiter = ',', default_value = "sm", value_name = "OPCODES")]
    with: Vec<WithArg>,
    /// Plies of the game in `pv`, at most
    #[arg(long, value_name = "PLIES", default_value_t = 10)]
    pv_plies: usize,
    /// Write those records only for which this condition holds (docs/EPD-FILTERS.md); `line` is the number of the game
    #[arg(long = "where", value_name = "CONDITION", value_parser = Filter::parse)]
    condition: Option<Filter>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WithArg {
    /// The move that was played
    Sm,
    /// The moves that were played from here on; `pm` is the first
    Pv,
    /// Number of the game and plies before the position: `12.34`
    Id,
    /// Players, event, round, date and result
    C0,
    /// Code of the opening that the game went through, and its name in `v0`
    Eco,
    /// How often the position has occurred in the game
    Rc,
    /// Nothing
    None,
}

impl FromGamesArgs {
    fn positions(&self) -> GamePositions {
        let choice = match (self.last, self.openings) {
            (true, _) => PositionChoice::Last,
            (_, true) => PositionChoice::Opening,
            _ => PositionChoice::Range { first: self.after, last: self.until, step: self.every.get() },
        };
        let operations = self.with.iter().filter_map(|with| match with {
            WithArg::Sm => Some(GameOperation::Sm),
            WithArg::Pv => Some(GameOperation::Pv(self.pv_plies)),
            WithArg::Id => Some(GameOperation::Id),
            WithArg::C0 => Some(GameOperation::C0),
            WithArg::Eco => Some(GameOperation::Eco),
            WithArg::Rc => Some(GameOperation::Rc),
            WithArg::None => None,
        });
        let operations = operations.collect();
        GamePositions { choice, operations, filter: self.condition.clone() }
    }

    pub(super) fn run(&self) -> Result<()> {
        let stdin = [PathBuf::from("-")];
        let paths = if self.files.is_empty() { &stdin[..] } else { &self.files };
        let inputs = paths.iter().map(|path| InputFile::open_games(path).map_err(explain));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let output = match &self.output {
            Some(path) => OutputFile::create(path, &inputs),
            None => OutputFile::standard(&inputs),
        };
        let mut output = output.map_err(explain)?;
        let interrupt = Arc::<AtomicBool>::default();
        signals::set_flag_then_exit(&interrupt, FAILED.into())?;
        let (positions, mut counts) = (self.positions(), WrittenGames::default());
        for input in inputs {
            let name = input.name.clone();
            for (game, number) in PgnReader::new(BufReader::with_capacity(1 << 16, input)).zip(1..) {
                if interrupt.load(Ordering::Relaxed) {
                    bail!("interrupted after {}; {}", counted(counts.games, "game"), output.abandon());
                }
                if let Err(error @ PgnError::Unreadable(_)) = game {
                    bail!("can't read `{name}`: {error}; {}", output.abandon());
                }
                let records = counts.take(&positions, game, &name, number);
                if let Err(error) = output.write(records.as_bytes()) {
                    // The reader of a pipe that has closed it needs no more.
                    let is_over = output.is_standard() && error.kind() == io::ErrorKind::BrokenPipe;
                    return Err(if is_over { error.into() } else { output.error(error).into() });
                }
            }
        }
        output.finish().map_err(explain)?;
        let WrittenGames { games, records, faulty, replaced } = counts;
        let replaced = told_replaced(replaced);
        writeln!(io::stderr(), "{} of {}{replaced}", counted(records, "record"), counted(games, "game"))?;
        if faulty > 0 {
            bail!("{} left out", counted(faulty, "game"));
        }
        Ok(())
    }
}

#[derive(Default)]
struct WrittenGames {
    games: u64,
    records: u64,
    faulty: u64,
    /// Characters that EPD can't write.
    replaced: u64,
}

/// What is told about characters that were replaced.
fn told_replaced(count: u64) -> String {
    if count == 0 { String::new() } else { format!("; {} replaced", counted(count, "character")) }
}

impl WrittenGames {
    /// The records of a game as lines. Faults are reported.
    fn take(
        &mut self,
        positions: &GamePositions,
        game: Result<PgnGame, PgnError>,
        name: &str,
        number: u64,
    ) -> String {
        self.games += 1;
        let (records, replaced) = match game {
            Ok(game) => (positions.records(&game, name, number), positions.replaced(&game)),
            Err(error) => {
                self.faulty += 1;
                match error {
                    PgnError::Broken { line, fault } => tell!("{name}:{line}: error: {fault}"),
                    PgnError::Unreadable(error) => tell!("{name}: error: {error}"),
                }
                return String::new();
            }
        };
        let Some(records) = records else {
            self.faulty += 1;
            tell!("{name}: error: game {number} is of a variant, which EPD can't write");
            return String::new();
        };
        self.records += records.len() as u64;
        self.replaced += replaced * records.len() as u64;
        records.into_iter().map(|record| record + "\n").collect()
    }
}

/// Write EPD records as games in a PGN file
///
/// Each game begins in the position of a record (tags `SetUp` and `FEN`), with the moves of its `pv`, else of `sv`, `sm` or `bm`. Further
/// moves of `bm` are variations. All operations stand in a comment before the first move, `id` also in the tag `White`, `eco` in `ECO`.
/// Braces become parentheses there, as PGN has no escape for them; how many characters were replaced is told.
/// Records that can't be read or are illegal are reported and left out; then the exit status is 1. Nothing is kept in memory.
#[derive(Args)]
#[command(after_help = "Example: herald epd to-games suite.epd --event 'Win at Chess' -o suite.pgn")]
pub(crate) struct ToGamesArgs {
    /// Name of the event, for the tag `Event`
    #[arg(long, default_value = "EPD")]
    event: String,
    #[command(flatten)]
    input: InputArgs,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ToGamesArgs {
    pub(super) fn run(&self) -> Result<()> {
        if self.event.contains(char::is_control) {
            return Err(WrongInput::of(anyhow!("the name of the event has control characters")));
        }
        let reader = self.input.reader(MoveReading::Repair);
        let filter = self.input.files.condition.clone();
        let verb = Verb::quick(GamesOfRecords { event: self.event.clone(), reader, filter });
        let output = OutputArgs::to(self.output.as_deref());
        let counts = Work::new(&self.input, &output)?.run(&verb)?;
        let unplayed = match counts.missed {
            0 => String::new(),
            count => format!("; {} had moves that can't be played", counted(count, "record")),
        };
        let (games, records) = (counted(counts.found, "game"), counted(counts.records, "record"));
        tell!("{games} of {records}{unplayed}{}", told_replaced(counts.notes));
        if counts.failed > 0 {
            bail!("{} left out", counted(counts.failed, "record"));
        }
        Ok(())
    }
}
