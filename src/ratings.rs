//! `herald ratings`: ratings of players from any games.

use std::io::Read;
use std::path::PathBuf;

use analysis::{InputFile, OutputFile};
use anyhow::{Context as _, Result, anyhow};
use arena::ratings::{GameTally, RatingList, RatingOptions, RatingsReport, RatingsSections};
use clap::{Args, ValueEnum};
use game::excerpt;

use crate::{WrongInput, progress_bar};

/// Rate the players of any games, with errors, from the tags of PGN files
///
/// The ratings make the results most likely, with draws as half wins and an advantage of the first move. Errors come from
/// the spread of the results: of pairs of games with the same opening and both colours where there are any, and of single
/// games elsewhere. Players who cannot be compared are listed in groups of their own.
#[derive(Args)]
#[command(
    after_help = "Example: herald ratings games.pgn more.pgn --anchor \"Stockfish 15.1=3500\" --superiority"
)]
pub(crate) struct RatingsArgs {
    /// Games in PGN; `-` for standard input
    #[arg(required = true, value_name = "GAMES.pgn")]
    games: Vec<PathBuf>,
    /// Mean rating of the players, if there is no anchor
    #[arg(long, value_name = "ELO", default_value_t = 2300.0, allow_negative_numbers = true, value_parser = read_elo)]
    average: f64,
    /// Fix the rating of a player; repeat it for more players
    #[arg(long = "anchor", value_name = "NAME=ELO", value_parser = read_anchor)]
    anchors: Vec<(String, f64)>,
    /// Advantage of the first move [default: estimated from the games]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, value_parser = read_elo)]
    first_move: Option<f64>,
    /// Format of the list
    #[arg(long, value_enum, default_value_t = RatingsFormat::Text)]
    format: RatingsFormat,
    /// Add the likelihood of superiority of each player over each other; CSV has no place for it, JSON and pages always have it
    #[arg(long)]
    superiority: bool,
    /// Add the results of each player against each opponent; as above
    #[arg(long)]
    head_to_head: bool,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RatingsFormat {
    Text,
    Csv,
    Json,
    Html,
}

fn read_elo(text: &str) -> Result<f64, &'static str> {
    let elo = text.parse().ok().filter(|elo: &f64| elo.abs() <= 10_000.0);
    elo.ok_or("expected a number from -10000 to 10000")
}

fn read_anchor(text: &str) -> Result<(String, f64), &'static str> {
    let (name, elo) = text.rsplit_once('=').ok_or("expected NAME=ELO")?;
    Ok((name.to_owned(), read_elo(elo)?))
}

impl RatingsArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let inputs = self.games.iter().map(|path| InputFile::open_games(path)).collect::<Result<Vec<_>, _>>();
        let inputs = inputs.map_err(WrongInput::of)?;
        let output = match &self.output {
            Some(path) => OutputFile::create(path, &inputs),
            None => OutputFile::standard(&inputs),
        };
        let mut output = output
            .map_err(|error| if error.is_wrong_input() { WrongInput::of(error) } else { error.into() })?;
        let tally = read(inputs)?;
        let options = RatingOptions {
            average: self.average,
            anchors: self.anchors.clone(),
            first_move: self.first_move,
        };
        let list = RatingList::new(&tally, &options);
        let list = list.map_err(|name| WrongInput::of(unknown_anchor(&name, &tally.players)))?;
        let written = output.write(self.formatted(&list).as_bytes());
        if output.is_standard() {
            written?;
        } else {
            written.map_err(|error| output.error(error))?;
        }
        Ok(output.finish()?)
    }

    fn formatted(&self, list: &RatingList) -> String {
        let report = RatingsReport(list);
        let sections = RatingsSections { superiority: self.superiority, head_to_head: self.head_to_head };
        match self.format {
            RatingsFormat::Text => report.text(sections),
            RatingsFormat::Csv => report.csv(),
            RatingsFormat::Json => report.json().to_string() + "\n",
            RatingsFormat::Html => report.html("Ratings"),
        }
    }
}

/// Maximum number of players that an error names.
const MOST_NAMED: usize = 8;

/// Returns the error about an anchor that is not among the players. It names some of them, first those that have its name in theirs.
fn unknown_anchor(name: &str, players: &[String]) -> anyhow::Error {
    let wanted = name.to_lowercase();
    let mut players: Vec<&String> = players.iter().collect();
    players.sort_by_cached_key(|player| !player.to_lowercase().contains(&wanted));
    let named: Vec<String> =
        players.iter().take(MOST_NAMED).map(|player| format!("`{}`", excerpt(player))).collect();
    let more = if players.len() > named.len() { " and others" } else { "" };
    let (name, named) = (excerpt(name), named.join(", "));
    anyhow!("--anchor: there is no player `{name}` in the games, but {named}{more}")
}

/// Counts the games of all files.
fn read(inputs: Vec<InputFile>) -> Result<GameTally> {
    let mut tally = GameTally::default();
    for input in inputs {
        let name = input.name.clone();
        let progress = progress_bar(input.length(), "{bar:40} {bytes}/{total_bytes} {eta}");
        let mut input: Box<dyn Read> = Box::new(progress.wrap_read(input));
        tally.read(&mut input).with_context(|| format!("can't read `{name}`"))?;
        progress.finish_and_clear();
    }
    if tally.games() == 0 {
        let left_out = tally.left_out;
        let noun = "there are no games to rate";
        if left_out.unfinished + left_out.nameless == 0 {
            return Err(WrongInput::of(anyhow!(
                "{noun}; expected PGN with the tags White, Black and Result"
            )));
        }
        return Err(WrongInput::of(anyhow!(
            "{noun}: {} without a result, {} without two players",
            left_out.unfinished,
            left_out.nameless
        )));
    }
    Ok(tally)
}
