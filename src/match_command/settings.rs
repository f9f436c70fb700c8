//! What a match is to be like: flags or the keys of a TOML file, checked and put together.

use std::fs::File;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arena::schedule::{self, TournamentFormat};
use arena::statistics::{EloModel, Sprt};
use arena::{
    Adjudication, Concurrency, DrawByScore, DrawRule, MatchConfig, MatchOpenings, OpeningOrder,
    OpeningsError, OpeningsFormat, PgnVariations, ResignByScore, Rules,
};
use clap::{Args, ValueEnum};
use game::{CastlingMode, PgnTags, SyzygyTables};
use players::{Spec, TextLog};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::participants::EngineTables;

/// Settings as they are given. Their names are those of the flags and of the keys in a file.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "they are flags of the command line")]
pub(super) struct MatchOptions {
    /// What every program speaks that doesn't say otherwise
    #[arg(long, value_name = "PROTOCOL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    /// The time control of every program that doesn't say otherwise
    #[arg(long, value_name = "CONTROL", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    tc: Option<String>,
    /// How the programs meet
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<FormatName>,
    /// Games that two programs play against each other in a round; even, since openings are played with both colours
    /// [default: 2; with --sprt as many as it takes]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u32>,
    /// Rounds: how often everybody meets everybody, or the rounds of a Swiss tournament [default: 1, or the logarithm]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    /// In a gauntlet, how many of the programs meet all the others [default: 1]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    challengers: Option<usize>,
    /// A file of openings: .epd, .fen, .pgn, or .bin (Polyglot)
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    openings: Option<PathBuf>,
    /// In which order openings are drawn [default: sequential]
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<OrderName>,
    /// What the random order depends on [default: 1]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// The first opening of a sequential order [default: 1]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    /// At most so many plies of each opening [default: all; 8 from a Polyglot book]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<usize>,
    /// Chess960; without --openings, from its 960 start positions
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    chess960: bool,
    /// Stop as soon as it is known whether the first engine is stronger by ELO0 or by ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<String>,
    /// How often the test may say ELO1 though it is ELO0 [default: 0.05]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<f64>,
    /// How often the test may say ELO0 though it is ELO1 [default: 0.05]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    beta: Option<f64>,
    /// Which Elo the test is about [default: normalised]
    #[arg(long, value_enum, value_name = "MODEL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    elo_model: Option<ModelName>,
    /// Adjudicate draws, for example "movenumber=40 movecount=8 score=10": from move 40 on, when both have seen at most
    /// 10 centipawns for 8 moves
    #[arg(long, value_name = "WHEN")]
    #[serde(skip_serializing_if = "Option::is_none")]
    draw: Option<String>,
    /// Adjudicate wins, for example "movecount=4 score=600 twosided=true"
    #[arg(long, value_name = "WHEN")]
    #[serde(skip_serializing_if = "Option::is_none")]
    resign: Option<String>,
    /// Adjudicate what these endgame tables know: folders with Syzygy tables, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tablebases: Option<String>,
    /// A game of so many moves is a draw
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_moves: Option<NonZeroU32>,
    /// Repetitions and fifty moves have to be claimed; five repetitions and 75 moves end the game (FIDE)
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fide_draws: bool,
    /// How many games at a time [default: 1]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<usize>,
    /// Divide the processor's cores among the games, so that none disturbs another
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pin: bool,
    /// Append the games to this file
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pgn: Option<PathBuf>,
    /// Show what the programs expected in the PGN
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    variations: bool,
    /// Keep the state of the match in this file, and go on from there if it exists
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<PathBuf>,
    /// Append all that is said to this file
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<PathBuf>,
    /// The name of the event, for the PGN
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    /// Where it takes place, for the PGN
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FormatName {
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

/// With an SPRT and nothing said about games: a hundred thousand, more than a test of a single Elo needs.
const GAMES_OF_AN_SPRT: u32 = 100_000;

/// A match as it will be played.
pub(super) struct MatchPlan {
    pub(super) config: MatchConfig,
    pub(super) schedule: schedule::ScheduleSettings,
    pub(super) sprt: Option<Sprt>,
    pub(super) workers: Concurrency,
    pub(super) pgn: Option<PathBuf>,
    pub(super) state: Option<PathBuf>,
    settings: MatchOptions,
}

impl MatchPlan {
    pub(super) fn new(settings: &MatchOptions, wanted: EngineTables) -> Result<MatchPlan> {
        let rules = settings.rules()?;
        let sprt = settings.sprt()?;
        let log = settings.open_log()?;
        let participants = wanted.participants(&|name| {
            let file = log.as_ref()?;
            Some(Arc::new(TextLog::new(name, file.began, file.file.try_clone().ok()?)))
        })?;
        let schedule = settings.schedule(participants.len())?;
        let workers = Concurrency { games: settings.concurrency.unwrap_or(1), pin: settings.pin };
        ensure!(workers.games > 0, "--concurrency 0: expected at least 1");
        let mut tags = PgnTags::default();
        tags.set("Event", settings.event.as_deref().unwrap_or("herald match"));
        if let Some(site) = &settings.site {
            tags.set("Site", site);
        }
        let variations = if settings.variations { PgnVariations::Shown } else { PgnVariations::Hidden };
        Ok(MatchPlan {
            config: MatchConfig { participants, rules, tags, variations },
            schedule,
            sprt,
            workers,
            pgn: settings.pgn.clone(),
            state: settings.state.clone(),
            settings: settings.clone(),
        })
    }

    pub(super) fn name(&self, program: usize) -> &str {
        &self.config.participants[program].name
    }

    /// The openings, in order.
    pub(super) fn openings(&self) -> Result<MatchOpenings, OpeningsError> {
        let settings = &self.settings;
        let mode = CastlingMode::from_chess960(settings.chess960);
        let (openings, path) = match &settings.openings {
            Some(path) => {
                let format =
                    OpeningsFormat::of(path).ok_or_else(|| OpeningsError::UnknownFormat(path.clone()))?;
                (MatchOpenings::read(path, format, mode, settings.plies)?, path.as_path())
            }
            None if settings.chess960 => (MatchOpenings::chess960(), Path::new("Chess960")),
            None => (MatchOpenings::embedded(), Path::new("the embedded set")),
        };
        let order = match settings.order {
            Some(OrderName::Random) => OpeningOrder::Random { seed: settings.seed.unwrap_or(1) },
            Some(OrderName::Sequential) | None => {
                OpeningOrder::Sequential { from: settings.start.unwrap_or(1) }
            }
        };
        openings.ordered(order, path)
    }

    /// What a match that goes on must have in common with the one that was begun.
    pub(super) fn identity(&self, openings: &MatchOpenings) -> serde_json::Value {
        let MatchOptions { order, seed, start, plies, chess960, sprt, alpha, beta, elo_model, .. } =
            &self.settings;
        let MatchOptions { draw, resign, max_moves, tablebases, fide_draws, pgn, openings: file, .. } =
            &self.settings;
        let participants: Vec<_> = self
            .config
            .participants
            .iter()
            .map(|participant| {
                let spec = Spec {
                    patience: Spec::new(participant.spec.command.clone(), participant.spec.protocol).patience,
                    ..participant.spec.clone()
                };
                json!({
                    "name": participant.name, "spec": spec, "tc": participant.control.to_string(),
                    "margin": participant.margin.as_millis() as u64, "ponder": participant.ponder,
                })
            })
            .collect();
        json!({
            "engines": participants, "schedule": self.schedule, "chess960": chess960,
            "openings": { "file": file, "count": openings.count(), "order": order, "seed": seed, "start": start, "plies": plies },
            "sprt": { "bounds": sprt, "alpha": alpha, "beta": beta, "elo-model": elo_model },
            "draw": draw, "resign": resign, "max-moves": max_moves, "tablebases": tablebases, "fide-draws": fide_draws, "pgn": pgn,
        })
    }
}

/// A log of all traffic.
struct LogFile {
    file: File,
    began: Instant,
}

impl MatchOptions {
    fn schedule(&self, programs: usize) -> Result<schedule::ScheduleSettings> {
        let format = self.format.unwrap_or(FormatName::RoundRobin);
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
            FormatName::Swiss => {
                // As many rounds as a knockout would need.
                let rounds = programs.next_power_of_two().trailing_zeros();
                (TournamentFormat::Swiss { rounds: self.rounds.unwrap_or(rounds) }, games)
            }
            FormatName::Knockout if self.rounds.is_some() => bail!("--rounds is not for --format knockout"),
            FormatName::Knockout => (TournamentFormat::Knockout, games),
        };
        ensure!(
            games.is_multiple_of(2),
            "{games} games for each encounter: expected an even number, since every opening is played with both colours"
        );
        Ok(schedule::ScheduleSettings { programs, format, games })
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
        let rate = |given: Option<f64>| given.unwrap_or(0.05);
        Ok(Some(Sprt::new(elo0, elo1, rate(self.alpha), rate(self.beta), model)?))
    }

    fn rules(&self) -> Result<Rules> {
        let draw = self
            .draw
            .as_deref()
            .map(|text| draw_by_score(text).with_context(|| format!("--draw \"{text}\"")));
        let resign = self
            .resign
            .as_deref()
            .map(|text| resign_by_score(text).with_context(|| format!("--resign \"{text}\"")));
        let tablebases = self
            .tablebases
            .as_deref()
            .map(|folders| SyzygyTables::open(folders).with_context(|| format!("--tablebases {folders}")));
        let adjudication = Adjudication {
            tablebases: tablebases.transpose()?.map(Arc::new),
            draw: draw.transpose()?,
            resign: resign.transpose()?,
            longest: self.max_moves,
        };
        let draws = if self.fide_draws { DrawRule::Automatic } else { DrawRule::Claimed };
        Ok(Rules { draws, adjudication, ..Rules::default() })
    }

    fn open_log(&self) -> Result<Option<LogFile>> {
        let Some(path) = &self.log else { return Ok(None) };
        let opened = File::options().append(true).create(true).open(path);
        let file = opened.with_context(|| format!("{} cannot be opened", path.display()))?;
        Ok(Some(LogFile { file, began: Instant::now() }))
    }
}

fn draw_by_score(text: &str) -> Result<DrawByScore> {
    let mut draw = DrawByScore { from_move: 1, moves: NonZeroU32::MIN, within: 0 };
    for (key, value) in pairs(text)? {
        match key {
            "movenumber" => draw.from_move = number(key, value)?,
            "movecount" => draw.moves = number(key, value)?,
            "score" => draw.within = number(key, value)?,
            _ => bail!("`{key}`: expected movenumber, movecount or score"),
        }
    }
    Ok(draw)
}

fn resign_by_score(text: &str) -> Result<ResignByScore> {
    let mut resign = ResignByScore { moves: NonZeroU32::MIN, beyond: 1000, both: false };
    for (key, value) in pairs(text)? {
        match key {
            "movecount" => resign.moves = number(key, value)?,
            "score" => resign.beyond = number(key, value)?,
            "twosided" => {
                resign.both = value.parse().map_err(|_| anyhow!("twosided: expected true or false"))?;
            }
            _ => bail!("`{key}`: expected movecount, score or twosided"),
        }
    }
    Ok(resign)
}

fn pairs(text: &str) -> Result<Vec<(&str, &str)>> {
    let pair = |word| str::split_once(word, '=').ok_or_else(|| anyhow!("`{word}` is not KEY=VALUE"));
    text.split_whitespace().map(pair).collect()
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| anyhow!("{key}: `{value}` is no number that can be meant"))
}
