//! The options of a match, from flags or a TOML file, and the plan made of them.

use std::num::NonZeroU32;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arena::schedule::{ScheduleSettings, TournamentFormat};
use arena::statistics::{EloModel, Sprt};
use arena::{
    Adjudication, Concurrency, DrawRule, MatchConfig, MatchOpenings, OpeningOrder, OpeningsError,
    Participant, PgnVariations, Rules,
};
use clap::{Args, ValueEnum};
use game::{CastlingMode, PgnTags, SyzygyTables, counted};
use platform::FileId;
use players::{Spec, TextLog};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::participants::EngineTables;
use crate::settings;

/// The options of a match. Their names are those of the flags and of the keys in a file.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "they are flags of the command line")]
pub(super) struct MatchOptions {
    /// Default protocol for engines that do not set one
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,
    /// Default time control for engines that do not set one
    #[arg(long, value_name = "CONTROL", allow_hyphen_values = true)]
    tc: Option<String>,
    /// Format of the tournament [default: round-robin]
    #[arg(long, value_enum)]
    pub(super) format: Option<FormatName>,
    /// Games of each encounter of two programs in a round; even, since every opening is played with both colours
    /// [default: 2; with --sprt as many as it takes]
    #[arg(long)]
    games: Option<u32>,
    /// Rounds of a round robin or gauntlet [default: 1] or of a Swiss tournament [default: as many as a knockout would have]
    #[arg(long)]
    rounds: Option<u32>,
    /// In a gauntlet, the number of engines that play all the others [default: 1]
    #[arg(long)]
    challengers: Option<usize>,
    /// File of openings: .epd, .fen, .pgn, or .bin (Polyglot) [default: 400 built-in openings; with --chess960 its
    /// 960 start positions]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Order of the openings [default: sequential]
    #[arg(long, value_enum)]
    order: Option<OrderName>,
    /// Seed of the random order [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// First opening of a sequential order [default: 1]
    #[arg(long, value_name = "N")]
    start: Option<usize>,
    /// Plies taken from each opening at most [default: all; 8 from a Polyglot book]
    #[arg(long)]
    plies: Option<usize>,
    /// Play Chess960
    #[arg(long)]
    chess960: bool,
    /// Stop when a sequential probability ratio test has decided whether the first engine is stronger by ELO0 or by ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Probability of accepting ELO1 when ELO0 is true [default: 0.05]
    #[arg(long)]
    alpha: Option<f64>,
    /// Probability of accepting ELO0 when ELO1 is true [default: 0.05]
    #[arg(long)]
    beta: Option<f64>,
    /// Elo scale of the test [default: normalised]
    #[arg(long, value_enum, value_name = "MODEL")]
    elo_model: Option<ModelName>,
    /// Adjudicate draws, for example "movenumber=40 movecount=8 score=10": from move 40 on, after 8 moves in which both
    /// engines' scores were within 10 centipawns
    #[arg(long, value_name = "WHEN")]
    draw: Option<String>,
    /// Adjudicate wins, for example "movecount=4 score=600 twosided=true"
    #[arg(long, value_name = "WHEN")]
    resign: Option<String>,
    /// Adjudicate with the Syzygy tables in these folders, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    tablebases: Option<String>,
    /// Number of moves after which a game is drawn
    #[arg(long, value_name = "N")]
    max_moves: Option<NonZeroU32>,
    /// FIDE rules for draws: threefold repetition and fifty moves must be claimed, fivefold repetition and 75 moves end the game
    #[arg(long)]
    fide_draws: bool,
    /// Games played at the same time, at most 1024 [default: 1]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Pin each game to its own share of the processor's cores
    #[arg(long)]
    pin: bool,
    /// Append the games to this file
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Write the engines' principal variations to the PGN
    #[arg(long)]
    variations: bool,
    /// File with the state of the match; a match is resumed if it exists
    #[arg(long, value_name = "FILE")]
    pub(super) state: Option<PathBuf>,
    /// Append all messages to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Event for the PGN
    #[arg(long)]
    event: Option<String>,
    /// Site for the PGN
    #[arg(long)]
    site: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FormatName {
    #[default]
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OrderName {
    Sequential,
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ModelName {
    Logistic,
    #[value(alias = "normalized")]
    #[serde(alias = "normalized")]
    Normalised,
}

/// Number of games of an SPRT if none is given: more than a test of a single Elo needs.
const GAMES_OF_AN_SPRT: u32 = 100_000;

/// Maximum number of games at the same time: each needs a dozen threads and open files.
const MOST_AT_A_TIME: usize = 1024;

/// A match with all its settings.
pub(super) struct MatchPlan {
    pub(super) config: MatchConfig,
    pub(super) schedule: ScheduleSettings,
    pub(super) sprt: Option<Sprt>,
    pub(super) concurrency: Concurrency,
    pub(super) options: MatchOptions,
}

impl MatchPlan {
    pub(super) fn new(options: MatchOptions, engines: EngineTables) -> Result<MatchPlan> {
        let concurrency = Concurrency { games: options.concurrency.unwrap_or(1), pin: options.pin };
        ensure!(
            (1..=MOST_AT_A_TIME).contains(&concurrency.games),
            "--concurrency {}: expected 1 to {MOST_AT_A_TIME}",
            concurrency.games
        );
        let rules = options.rules()?;
        let sprt = options.sprt()?;
        let log = settings::open_log(options.log.as_deref())?;
        let began = Instant::now();
        let participants =
            engines.participants(&|name| Some(Arc::new(TextLog::new(name, began, log.clone()?))))?;
        let schedule = options.schedule(participants.len())?;
        let mut tags = PgnTags::default();
        tags.set("Event", options.event.as_deref().unwrap_or("herald match"));
        if let Some(site) = &options.site {
            tags.set("Site", site);
        }
        let variations = if options.variations { PgnVariations::Shown } else { PgnVariations::Hidden };
        let config = MatchConfig { participants, rules, tags, variations };
        Ok(MatchPlan { config, schedule, sprt, concurrency, options })
    }

    pub(super) fn name(&self, program: usize) -> &str {
        &self.config.participants[program].seat.name
    }

    /// Returns the openings in the chosen order.
    pub(super) fn openings(&self) -> Result<MatchOpenings, OpeningsError> {
        let MatchOptions { openings, chess960, plies, order, seed, start, .. } = &self.options;
        let mode = CastlingMode::from_chess960(*chess960);
        let openings = match openings {
            Some(path) => MatchOpenings::read(path, mode, *plies)?,
            None if *chess960 => MatchOpenings::chess960(),
            None => MatchOpenings::embedded(),
        };
        openings.ordered(match order {
            Some(OrderName::Random) => OpeningOrder::Random { seed: seed.unwrap_or(1) },
            Some(OrderName::Sequential) | None => OpeningOrder::Sequential { from: start.unwrap_or(1) },
        })
    }

    /// Returns the settings that must be the same in a resumed match.
    pub(super) fn identity(&self, openings: &MatchOpenings) -> serde_json::Value {
        let options = &self.options;
        let engine = |participant: &Participant| {
            let patience = Spec::new(participant.spec.command.clone(), participant.spec.protocol).patience;
            json!({
                "name": participant.seat.name, "spec": Spec { patience, ..participant.spec.clone() },
                "tc": participant.seat.control.to_string(), "margin": participant.seat.margin.as_millis() as u64,
                "ponder": participant.seat.ponder,
            })
        };
        json!({
            "engines": self.config.participants.iter().map(engine).collect::<Vec<_>>(),
            "schedule": self.schedule, "chess960": options.chess960,
            "openings": {
                "file": options.openings, "count": openings.count(), "order": options.order, "seed": options.seed,
                "start": options.start, "plies": options.plies,
            },
            "sprt": {
                "bounds": options.sprt, "alpha": options.alpha, "beta": options.beta, "elo-model": options.elo_model,
            },
            "draw": options.draw, "resign": options.resign, "max-moves": options.max_moves,
            "tablebases": options.tablebases, "fide-draws": options.fide_draws, "pgn": options.pgn,
        })
    }
}

impl MatchOptions {
    fn schedule(&self, programs: usize) -> Result<ScheduleSettings> {
        let format = self.format.unwrap_or_default();
        if self.challengers.is_some() && format != FormatName::Gauntlet {
            bail!("--challengers is for --format gauntlet");
        }
        let games = self.games.unwrap_or(if self.sprt.is_some() { GAMES_OF_AN_SPRT } else { 2 });
        let all_games = || {
            let games = u64::from(games) * u64::from(self.rounds.unwrap_or(1));
            u32::try_from(games).map_err(|_| anyhow!("--games {games}: more than can be played"))
        };
        let (format, games) = match format {
            FormatName::RoundRobin => (TournamentFormat::RoundRobin, all_games()?),
            FormatName::Gauntlet => {
                (TournamentFormat::Gauntlet { challengers: self.challengers.unwrap_or(1) }, all_games()?)
            }
            FormatName::Swiss => (TournamentFormat::swiss(self.rounds, programs), games),
            FormatName::Knockout if self.rounds.is_some() => bail!("--rounds is not for --format knockout"),
            FormatName::Knockout => (TournamentFormat::Knockout, games),
        };
        ensure!(
            games.is_multiple_of(2),
            "{} for each encounter: expected an even number, since every opening is played with both colours",
            counted(games.into(), "game")
        );
        Ok(ScheduleSettings { programs, format, games })
    }

    /// Refuses a file that has two roles, as games that are appended to the openings.
    pub(super) fn check_files(&self, settings: Option<&Path>) -> Result<()> {
        let roles = [
            ("the settings", settings),
            ("--openings", self.openings.as_deref()),
            ("--pgn", self.pgn.as_deref()),
            ("--state", self.state.as_deref()),
            ("--log", self.log.as_deref()),
        ];
        let files: Vec<_> =
            roles.into_iter().filter_map(|(role, path)| Some((role, identity(path?)?))).collect();
        for (place, (role, file)) in files.iter().enumerate() {
            if let Some((other, _)) = files[..place].iter().find(|(_, earlier)| earlier == file) {
                bail!("{other} and {role} name the same file: expected one for each");
            }
        }
        Ok(())
    }

    fn sprt(&self) -> Result<Option<Sprt>> {
        let Some(text) = &self.sprt else {
            ensure!(
                self.alpha.is_none() && self.beta.is_none() && self.elo_model.is_none(),
                "--alpha, --beta and --elo-model are for --sprt"
            );
            return Ok(None);
        };
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let hypotheses = text.split_once(',').and_then(|(elo0, elo1)| Some((number(elo0)?, number(elo1)?)));
        let (elo0, elo1) =
            hypotheses.with_context(|| format!("--sprt {text}: expected two differences, as in 0,5"))?;
        let model = match self.elo_model {
            Some(ModelName::Logistic) => EloModel::Logistic,
            Some(ModelName::Normalised) | None => EloModel::Normalised,
        };
        Ok(Some(Sprt::new(elo0, elo1, self.alpha.unwrap_or(0.05), self.beta.unwrap_or(0.05), model)?))
    }

    fn rules(&self) -> Result<Rules> {
        let tablebases = self.tablebases.as_deref().map(|folders| {
            SyzygyTables::open(folders).map(Arc::new).with_context(|| format!("--tablebases {folders}"))
        });
        let adjudication = Adjudication {
            tablebases: tablebases.transpose()?,
            draw: self.draw.as_deref().map(|text| by_score("--draw", text)).transpose()?,
            resign: self.resign.as_deref().map(|text| by_score("--resign", text)).transpose()?,
            longest: self.max_moves,
        };
        let draws = if self.fide_draws { DrawRule::Automatic } else { DrawRule::Claimed };
        Ok(Rules { draws, adjudication, ..Rules::default() })
    }
}

/// The identity of a file, or the path of one that is still to be made; `None` for a device, which several may share.
fn identity(path: &Path) -> Option<Result<FileId, PathBuf>> {
    let is_new = !path.exists();
    FileId::at(path).map(Ok).or_else(|| is_new.then(|| path::absolute(path).ok()).flatten().map(Err))
}

/// Parses an adjudication rule of `KEY=VALUE` words. Separated by line feeds they are TOML.
fn by_score<T: DeserializeOwned>(flag: &str, text: &str) -> Result<T> {
    let lines = text.split_whitespace().collect::<Vec<_>>().join("\n");
    toml::from_str(&lines).map_err(|error| anyhow!("{flag} \"{text}\": {}", error.message()))
}
