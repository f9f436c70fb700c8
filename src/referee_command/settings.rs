//! What an event is to be like: flags or the keys of a TOML file, checked and put together.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arena::referee::server::{ConnectionLimits, ListenConfig, Tls};
use arena::referee::{EventSettings, ProgramSettings};
use arena::schedule::{self, TournamentFormat};
use arena::{Adjudication, DrawRule, MatchOpenings, OpeningOrder, OpeningsFormat, Rules};
use clap::{Args, ValueEnum};
use game::{CastlingMode, TimeControl};
use messages::referee::Secret;
use players::Spec;
use players::transport::Security;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toml::{Table, Value};

use crate::match_command::{read_words, spec};

/// Settings as they are given. Their names are those of the flags and of the keys in a file.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "they are flags of the command line")]
pub(super) struct EventOptions {
    /// Where the event is kept [default: event]
    #[arg(long, value_name = "FOLDER")]
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
    /// The address to listen at; only this machine can reach the default [default: 127.0.0.1:7676]
    #[arg(long, value_name = "ADDRESS:PORT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    listen: Option<SocketAddr>,
    /// Serial lines over which programs sign on, for example /dev/ttyS0,/dev/ttyS1
    #[arg(long, value_name = "DEVICE", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) serial: Vec<String>,
    /// The speed of the serial lines, in bits per second [default: 9600]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baud: Option<u32>,
    /// Where the event can be watched in a browser, for example 127.0.0.1:8080 [default: nowhere]
    #[arg(long, value_name = "ADDRESS:PORT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<SocketAddr>,
    /// The file whose first line signs the director in on the page; only where nobody can listen in: on this machine or over TLS
    #[arg(long, value_name = "FILE", requires = "live")]
    #[serde(skip_serializing_if = "Option::is_none")]
    director_file: Option<PathBuf>,
    /// Where other referees may observe, to take over if this one dies [default: nowhere]
    #[arg(long, value_name = "ADDRESS:PORT", requires = "token_file")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) observers: Option<SocketAddr>,
    /// Observe the referee there, with the same settings and a folder of one's own, and take over if it dies
    #[arg(long, value_name = "HOST:PORT", requires = "token_file")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) observe: Option<String>,
    /// The file whose first line is known to the referees alone
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token_file: Option<PathBuf>,
    /// Speak nothing but TLS, with this certificate and those between it and its authority (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_certificate: Option<PathBuf>,
    /// The key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_key: Option<PathBuf>,
    /// Whom to trust when another referee is observed or watched over TLS (PEM) [default: as this system does]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tls_authority: Option<PathBuf>,
    /// The name of the event
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    /// Where it takes place
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    /// How the programs meet [default: round-robin; two programs play a match]
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<EventFormatName>,
    /// Games that two programs play against each other: in pairs, each opening with both colours, and of an odd number the last
    /// one single [default: 2]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u32>,
    /// The rounds of a Swiss tournament [default: the logarithm of the programs]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    /// Begin each round by the director's word
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rounds_by_hand: bool,
    /// The time control, for example 40/7200:3600+30 [default: 300+3]
    #[arg(long, value_name = "CONTROL", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    tc: Option<String>,
    /// How far a clock may be overdrawn with a move, in milliseconds [default: 0]
    #[arg(long, value_name = "MILLISECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<u64>,
    /// A file of openings: .epd, .fen, .pgn, or .bin (Polyglot) [default: none]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    openings: Option<PathBuf>,
    /// Draw the openings at random, by this seed
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// Repetitions and fifty moves have to be claimed; five repetitions and 75 moves end the game (FIDE)
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fide_draws: bool,
    /// What the opponent gets for a false draw claim, in seconds [default: 0]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    penalty: Option<u64>,
    /// A game of so many moves is a draw
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_moves: Option<NonZeroU32>,
    /// How long nothing is sent to a program after `conclude` and `reset`, in seconds [default: 5]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet: Option<f64>,
    /// How long a program may be gone before it has lost its game, in seconds [default: 300]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    patience: Option<u64>,
    /// How often a program may come back to the same game [default: 5]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<u32>,
    /// Let local programs think in their opponents' time
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ponder: bool,
    /// Stay when all games have been played, until the director ends it
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stay: bool,
    /// How many connections may come from one address [default: 64]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    connections_per_address: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EventFormatName {
    RoundRobin,
    Swiss,
    Knockout,
}

/// A program as it is given.
pub(super) struct ExpectedProgram {
    settings: ProgramSettings,
    spec: Option<Spec>,
}

/// An event as it will be held.
pub(super) struct EventPlan {
    pub(super) event: EventSettings,
    /// How local programs are started, in the order of the programs.
    pub(super) commands: Vec<Option<Spec>>,
    pub(super) folder: PathBuf,
    listen: SocketAddr,
    pub(super) live: Option<SocketAddr>,
    /// What proves the director on the page.
    pub(super) director: Option<String>,
    limits: ConnectionLimits,
    /// What the referee proves itself with.
    pub(super) tls: Option<Tls>,
    pub(super) ponder: bool,
    pub(super) stays: bool,
    pub(super) settings: EventOptions,
}

/// Takes the tables `program` out of a file.
pub(super) fn take_programs(file: &mut Table) -> Result<Vec<ExpectedProgram>> {
    let expected = "program: expected tables, each of which begins with [[program]]";
    let tables = match file.remove("program") {
        None => Vec::new(),
        Some(Value::Array(tables)) => tables,
        Some(_) => bail!(expected),
    };
    tables
        .into_iter()
        .enumerate()
        .map(|(number, table)| match table {
            Value::Table(table) => read_program(table).with_context(|| format!("program {}", number + 1)),
            _ => Err(anyhow!(expected)),
        })
        .collect()
}

/// A program from words, or from its name alone.
pub(super) fn program(words: &str) -> Result<ExpectedProgram> {
    if !words.contains('=') {
        let mut table = Table::new();
        table.insert("name".to_owned(), Value::String(words.to_owned()));
        return read_program(table);
    }
    read_program(read_words(words)?)
}

fn read_program(mut table: Table) -> Result<ExpectedProgram> {
    let mut take = |key: &str| match table.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(anyhow!("{key}: {other} is no text")),
    };
    let (name, secret) = (take("name")?, take("secret")?);
    let spec = if table.is_empty() { None } else { Some(spec(table)?) };
    let name = match (&name, &spec) {
        (Some(name), _) => name.trim().to_owned(),
        (None, Some(spec)) => spec.command.file_name().to_owned(),
        (None, None) => bail!("which program? Say name=NAME"),
    };
    let is_fit = name.chars().all(|c| c.is_ascii_graphic() || c == ' ') && !name.contains('"');
    ensure!(is_fit && (1..=100).contains(&name.len()), "name: expected 1 to 100 printing ASCII characters");
    ensure!(secret.as_deref() != Some(""), "secret: an empty one proves nothing");
    let secret = secret.map(|secret| Secret::new(&secret));
    Ok(ExpectedProgram { settings: ProgramSettings { name, secret }, spec })
}

/// The first line of a file, which proves something.
fn read_token(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let token = text.lines().next().unwrap_or_default().trim();
    let is_fit = (8..=255).contains(&token.len()) && token.chars().all(|c| c.is_ascii_graphic());
    ensure!(is_fit, "{}: expected at least 8 characters without blanks, and at most 255", path.display());
    Ok(token.to_owned())
}

impl EventPlan {
    pub(super) fn new(settings: EventOptions, programs: Vec<ExpectedProgram>) -> Result<EventPlan> {
        ensure!(programs.len() >= 2, "{} programs: expected at least 2, each with --program", programs.len());
        for (place, program) in programs.iter().enumerate() {
            let name = &program.settings.name;
            ensure!(
                programs[..place].iter().all(|other| other.settings.name != *name),
                "two programs are called {name}"
            );
        }
        let control: TimeControl = settings.tc.as_deref().unwrap_or("300+3").parse()?;
        let quiet = settings.quiet.unwrap_or(5.0);
        ensure!((0.0..=86_400.0).contains(&quiet), "--quiet {quiet}: expected seconds, from 0 to a day");
        let draws = if settings.fide_draws { DrawRule::Automatic } else { DrawRule::Claimed };
        let adjudication = Adjudication { longest: settings.max_moves, ..Adjudication::default() };
        let (specs, programs): (Vec<_>, Vec<_>) =
            programs.into_iter().map(|program| (program.spec, program.settings)).unzip();
        let event = EventSettings {
            name: settings.event.clone().unwrap_or_else(|| "herald referee".to_owned()),
            site: settings.site.clone().unwrap_or_else(|| "?".to_owned()),
            schedule: settings.schedule(programs.len())?,
            programs,
            control,
            margin: Duration::from_millis(settings.margin.unwrap_or(0)),
            rules: Rules { draws, adjudication, ..Rules::default() },
            quiet: Duration::from_secs_f64(quiet),
            patience: Duration::from_secs(settings.patience.unwrap_or(300)),
            returns: settings.returns.unwrap_or(5),
            rounds_by_hand: settings.rounds_by_hand,
            penalty: Duration::from_secs(settings.penalty.unwrap_or(0)),
            sign_on_time: Duration::from_secs(10),
        };
        let director = settings.director_file.as_deref().map(read_token).transpose()?;
        let tls = settings.tls()?;
        ensure!(
            director.is_none()
                || tls.is_some()
                || settings.live.is_some_and(|address| address.ip().is_loopback()),
            "--director-file: the token may be listened to on its way to --live; show the page at 127.0.0.1, or speak TLS"
        );
        let usual = ConnectionLimits::default();
        let per_address = settings.connections_per_address.unwrap_or(usual.per_address);
        Ok(EventPlan {
            event,
            commands: specs,
            folder: settings.folder.clone().unwrap_or_else(|| PathBuf::from("event")),
            listen: settings.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 7676))),
            live: settings.live,
            director,
            limits: ConnectionLimits { per_address, ..usual },
            tls,
            ponder: settings.ponder,
            stays: settings.stay,
            settings,
        })
    }

    /// Where the referee listens, and how.
    pub(super) fn listen_config(&self) -> ListenConfig {
        ListenConfig { address: self.listen, limits: self.limits.clone(), tls: self.tls.clone() }
    }

    /// How the referee that is observed proves itself: the referees of an event all speak TLS, or none does.
    pub(super) fn security(&self) -> Result<Security> {
        Ok(Security::new(self.tls.is_some(), self.settings.tls_authority.as_deref())?)
    }

    /// What the referees know of each other.
    pub(super) fn token(&self) -> Result<String> {
        let path = self.settings.token_file.as_ref().context("--token-file: observers need one")?;
        read_token(path)
    }

    /// The openings, in order.
    pub(super) fn openings(&self) -> Result<MatchOpenings> {
        let Some(path) = &self.settings.openings else { return Ok(MatchOpenings::none()) };
        let format = OpeningsFormat::of(path)
            .with_context(|| format!("{}: expected .epd, .fen, .pgn or .bin", path.display()))?;
        let openings = MatchOpenings::read(path, format, CastlingMode::Standard, None)?;
        let order = match self.settings.seed {
            Some(seed) => OpeningOrder::Random { seed },
            None => OpeningOrder::Sequential { from: 1 },
        };
        Ok(openings.ordered(order, Path::new(path))?)
    }

    /// What an event that goes on must have in common with the one that was begun.
    pub(super) fn identity(&self) -> String {
        let names: Vec<&str> = self.event.programs.iter().map(|program| program.name.as_str()).collect();
        let EventOptions { openings, seed, fide_draws, max_moves, .. } = &self.settings;
        json!({
            "event": self.event.name, "programs": names, "schedule": self.event.schedule,
            "tc": self.event.control.to_string(), "openings": openings, "seed": seed,
            "fide-draws": fide_draws, "max-moves": max_moves,
        })
        .to_string()
    }
}

impl EventOptions {
    fn tls(&self) -> Result<Option<Tls>> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => Ok(Some(Tls::read(certificate, key)?)),
            (None, None) => Ok(None),
            _ => bail!("--tls-certificate and --tls-key: expected both or neither"),
        }
    }

    /// Whether nothing is set but what matters to who watches.
    pub(super) fn is_for_watching(&self) -> bool {
        Table::try_from(self).is_ok_and(|table| table.keys().all(|key| key == "tls-authority"))
    }

    fn schedule(&self, programs: usize) -> Result<schedule::ScheduleSettings> {
        let format = match self.format {
            Some(EventFormatName::Swiss) => {
                let rounds = programs.next_power_of_two().trailing_zeros();
                TournamentFormat::Swiss { rounds: self.rounds.unwrap_or(rounds) }
            }
            _ if self.rounds.is_some() => bail!("--rounds is for --format swiss"),
            Some(EventFormatName::Knockout) => TournamentFormat::Knockout,
            Some(EventFormatName::RoundRobin) | None => TournamentFormat::RoundRobin,
        };
        Ok(schedule::ScheduleSettings { programs, format, games: self.games.unwrap_or(2) })
    }
}
