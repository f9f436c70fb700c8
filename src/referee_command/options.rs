//! The options of an event, from flags or a TOML file, and the plan made of them.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arena::referee::server::{ConnectionLimits, ListenConfig, Tls, TrustedPeer};
use arena::referee::{EventSettings, ProgramSettings, SecretHash, is_fit_secret, random_bytes};
use arena::schedule::{ColourOrder, ScheduleSettings, TournamentFormat};
use arena::{Adjudication, DrawRule, MatchOpenings, OpeningOrder, Rules};
use clap::{Args, ValueEnum};
use game::{PlayedVariant, counted};
use messages::referee::Secret;
use players::Spec;
use players::transport::{Security, ServerSecurity};
use serde::{Deserialize, Serialize};
use serde_json::json;
use toml::{Table, Value};

use crate::match_command::{read_words, spec};
use crate::settings;

/// The options of an event. Their names are those of the flags and of the keys in a file.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "they are flags of the command line")]
pub(super) struct EventOptions {
    /// Folder of the event [default: event]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Address to listen at; only this machine can reach the default [default: 127.0.0.1:7676]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Let programs without a secret sign on from other machines: anybody who can connect can take their seats
    #[arg(long)]
    open: bool,
    /// Serial lines for programs, for example /dev/ttyS0,/dev/ttyS1
    #[arg(long, value_name = "DEVICE", value_delimiter = ',')]
    pub(super) serial: Vec<String>,
    /// Speed of the serial lines, in bits per second [default: 9600]
    #[arg(long)]
    pub(super) baud: Option<u32>,
    /// Address of the web page of the event, for example 127.0.0.1:8080 [default: none]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(super) live: Option<SocketAddr>,
    /// File whose first line is the director's token for the page; only for a page on 127.0.0.1 or over TLS
    #[arg(long, value_name = "FILE", requires = "live")]
    director_file: Option<PathBuf>,
    /// Program that analyses the game that the page follows, as a third opinion: a list of KEY=VALUE as `cmd=` of a PROGRAM
    #[arg(long, value_name = "ENGINE", requires = "live", allow_hyphen_values = true)]
    kibitzer: Option<String>,
    /// Games at once beside which the kibitzer analyses; beside more it rests [default: 2]
    #[arg(long, value_name = "N", requires = "kibitzer")]
    pub(super) kibitzer_games: Option<std::num::NonZeroUsize>,
    /// Address for standby referees, which take over if this one fails [default: none]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(super) observers: Option<SocketAddr>,
    /// Be a standby referee of the one at this address, with the same settings and another folder; take over if it fails
    #[arg(long, value_name = "HOST:PORT")]
    pub(super) observe: Option<String>,
    /// The witness of the referees: with it the event goes on when the observer has died, and no observer takes over that only
    /// cannot reach the referee
    #[arg(long, value_name = "HOST:PORT")]
    pub(super) witness: Option<String>,
    /// Be the witness of any events whose referees share the token, and nothing else; grants are kept in the folder
    #[arg(long, value_name = "ADDRESS:PORT", requires = "token_file", conflicts_with_all = ["witness", "observers", "observe", "listen", "live"])]
    pub(super) as_witness: Option<SocketAddr>,
    /// File whose first line is the token that the referees share
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// Use only TLS, with this certificate and its intermediate certificates (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Authorities to trust when another referee is observed or watched over TLS (PEM) [default: those of this system]
    #[arg(long, value_name = "FILE")]
    pub(super) tls_authority: Option<PathBuf>,
    /// Name of the event
    #[arg(long)]
    event: Option<String>,
    /// Site of the event
    #[arg(long)]
    site: Option<String>,
    /// Format of the tournament [default: round-robin]
    #[arg(long, value_enum)]
    format: Option<EventFormatName>,
    /// Games of each encounter of two programs: pairs with the same opening and both colours, and a single game if the number is
    /// odd [default: 2]
    #[arg(long)]
    games: Option<u32>,
    /// Rounds of a Swiss tournament [default: as many as a knockout would have]
    #[arg(long)]
    rounds: Option<u32>,
    /// Wait for the director's command before each round
    #[arg(long)]
    rounds_by_hand: bool,
    /// Time control, for example 40/7200:3600+30 [default: 300+3]
    #[arg(long, value_name = "CONTROL", allow_hyphen_values = true)]
    tc: Option<String>,
    /// Time in milliseconds by which a move may exceed the clock without losing [default: 50]
    #[arg(long, value_name = "MILLISECONDS")]
    margin: Option<u64>,
    /// File of openings: .epd, .fen, .pgn, or .bin (Polyglot) [default: none]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Shuffle the openings with this seed
    #[arg(long)]
    seed: Option<u64>,
    /// FIDE rules for draws: threefold repetition and fifty moves must be claimed, fivefold repetition and 75 moves end the game
    #[arg(long)]
    fide_draws: bool,
    /// Seconds that the opponent gets for a false draw claim [default: 0]
    #[arg(long, value_name = "SECONDS")]
    penalty: Option<u64>,
    /// Number of moves after which a game is drawn
    #[arg(long, value_name = "N")]
    max_moves: Option<NonZeroU32>,
    /// Seconds without messages to a program after `conclude` and `reset` [default: 5]
    #[arg(long, value_name = "SECONDS")]
    quiet: Option<f64>,
    /// Seconds that a program may be disconnected before it loses its game [default: 300]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    /// How often a program may reconnect in one game [default: 5]
    #[arg(long, value_name = "N")]
    returns: Option<u32>,
    /// Let local programs think on their opponents' time
    #[arg(long)]
    pub(super) ponder: bool,
    /// Games with local programs at once [default: as many as this machine has processors, with --ponder half as many]
    #[arg(long, value_name = "N")]
    local_games: Option<std::num::NonZeroUsize>,
    /// Keep running after the last game, until the director ends the service
    #[arg(long)]
    pub(super) stay: bool,
    /// Connections allowed from one address [default: 64]
    #[arg(long, value_name = "N")]
    connections_per_address: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EventFormatName {
    RoundRobin,
    Swiss,
    Knockout,
}

/// A program that may sign on, and how it is started if the referee does that.
pub(super) type ExpectedProgram = (ProgramSettings, Option<LocalProgram>);

/// A program that the referee starts itself.
#[derive(Clone)]
pub(super) struct LocalProgram {
    pub(super) spec: Spec,
    /// The secret with which it signs on, so that nobody can take its seat.
    pub(super) secret: Secret,
}

/// An event with all its settings.
pub(super) struct EventPlan {
    pub(super) event: EventSettings,
    /// The programs that the referee starts, in the order of the programs.
    pub(super) locals: Vec<Option<LocalProgram>>,
    /// The program for a third opinion.
    pub(super) kibitzer: Option<Spec>,
    /// The director's token for the page.
    pub(super) director: Option<String>,
    /// The referee's certificate.
    pub(super) tls: Option<Tls>,
    pub(super) options: EventOptions,
}

/// Takes the tables `program` out of a file.
pub(super) fn take_programs(file: &mut Table) -> Result<Vec<ExpectedProgram>> {
    let tables = (1..).zip(settings::take_tables(file, "program")?);
    let read = |(number, table)| read_program(table).with_context(|| format!("program {number}"));
    tables.map(read).collect()
}

/// Parses a program from `KEY=VALUE` words or its name alone.
pub(super) fn program(words: &str) -> Result<ExpectedProgram> {
    let name_alone = || Table::from_iter([("name".to_owned(), Value::String(words.to_owned()))]);
    let table = if words.contains('=') { read_words(words)? } else { name_alone() };
    let has_secret = table.contains_key("secret");
    ensure!(!has_secret, "secret: everybody on this machine can read command lines; say secret-file=FILE");
    read_program(table)
}

fn read_program(mut table: Table) -> Result<ExpectedProgram> {
    let mut take = |key: &str| match table.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(anyhow!("{key}: {other} is no text")),
    };
    let (name, secret, secret_file) = (take("name")?, take("secret")?, take("secret-file")?);
    let spec = if table.is_empty() { None } else { Some(spec(table)?) };
    let name = match (&name, &spec) {
        (Some(name), _) => name,
        (None, Some(spec)) => spec.command.file_name(),
        (None, None) => bail!("which program? Say name=NAME"),
    };
    let name = settings::client_name("name", name)?;
    let secret = match (secret, secret_file) {
        (Some(_), Some(_)) => bail!("secret and secret-file: expected one of them"),
        (Some(secret), None) => Some(long_enough(secret, "secret")?),
        (None, Some(file)) => Some(long_enough(settings::first_line(Path::new(&file))?, &file)?),
        (None, None) => None,
    };
    let is_local = spec.is_some();
    let (secret, local) = match (secret, spec) {
        (Some(_), Some(_)) => {
            bail!("secret: the referee makes the secret of a program that it starts itself")
        }
        (secret, None) => (secret.map(|secret| SecretHash::of_program(&name, &Secret::new(&secret))), None),
        (None, Some(spec)) => {
            let secret = random_secret();
            (Some(SecretHash::of_random(secret.clone())), Some(LocalProgram { spec, secret }))
        }
    };
    Ok((ProgramSettings { name, secret, is_local }, local))
}

fn long_enough(secret: String, place: &str) -> Result<String> {
    ensure!(
        is_fit_secret(&secret),
        "{place}: expected a secret of at least 8 characters, and at most 255 bytes"
    );
    Ok(secret)
}

/// A program's name, and what another referee has to have in common with this one about how it signs on. The command of a program
/// that the referee starts may differ, as machines do.
fn sign_on(program: &ProgramSettings) -> (String, serde_json::Value) {
    let told = match &program.secret {
        _ if program.is_local => "started by the referee".to_owned(),
        None => "without a secret".to_owned(),
        Some(secret) => format!("secret with checksum {:04x}", secret.fingerprint().unwrap_or_default()),
    };
    (program.name.clone(), told.into())
}

fn random_secret() -> Secret {
    Secret::new(&format!("{:032x}", u128::from_le_bytes(random_bytes())))
}

/// Whether bytes to a host leave this machine. What the name system says of a name is not trusted, except `localhost`.
fn is_remote(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host != "localhost" && !host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Reads the token in the first line of a file.
fn read_token(path: &Path) -> Result<String> {
    let token = settings::first_line(path)?;
    let is_fit = is_fit_secret(&token) && token.chars().all(|c| c.is_ascii_graphic());
    ensure!(is_fit, "{}: expected at least 8 characters without blanks, and at most 255", path.display());
    Ok(token)
}

impl EventPlan {
    pub(super) fn new(options: EventOptions, programs: Vec<ExpectedProgram>) -> Result<EventPlan> {
        let told = counted(programs.len() as u64, "program");
        ensure!(programs.len() >= 2, "{told}: expected at least 2, each with --program");
        let (programs, locals): (Vec<_>, Vec<_>) = programs.into_iter().unzip();
        for (place, ProgramSettings { name, .. }) in programs.iter().enumerate() {
            ensure!(
                programs[..place].iter().all(|other| other.name != *name),
                "two programs are called {name}"
            );
        }
        let director = options.director_file.as_deref().map(read_token).transpose()?;
        let kibitzer = options.kibitzer.as_deref().map(|words| {
            crate::match_command::program(words).with_context(|| format!("--kibitzer \"{words}\""))
        });
        let kibitzer = kibitzer.transpose()?;
        let tls = options.tls()?;
        options.check_privacy(&programs, tls.is_some())?;
        ensure!(
            director.is_none()
                || tls.is_some()
                || options.live.is_some_and(|address| address.ip().is_loopback()),
            "--director-file: the token could be read on its way to --live; use 127.0.0.1 for the page, or TLS"
        );
        Ok(EventPlan { event: options.event_settings(programs)?, locals, kibitzer, director, tls, options })
    }

    /// Whether programs without a secret may not sign on, because other machines can connect.
    pub(super) fn needs_secrets(&self) -> bool {
        self.options.is_remote_listener() && !self.options.open
    }

    /// Returns the configuration of the listener.
    pub(super) fn listen_config(&self) -> ListenConfig {
        let usual = ConnectionLimits::default();
        let per_address = self.options.connections_per_address.unwrap_or(usual.per_address);
        ListenConfig {
            address: self.options.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 7676))),
            limits: ConnectionLimits { per_address, ..usual },
            tls: self.tls.clone(),
        }
    }

    /// Returns the witness of the referees.
    pub(super) fn witness(&self) -> Result<Option<TrustedPeer>> {
        self.options.witness.as_deref().map(|address| self.peer(address)).transpose()
    }

    /// Returns another referee, or a witness. Either all referees of an event use TLS, or none does.
    pub(super) fn peer(&self, address: &str) -> Result<TrustedPeer> {
        let (address, token) = (address.to_owned(), self.token()?);
        let security = Security::new(self.tls.is_some(), self.options.tls_authority.as_deref())?;
        Ok(TrustedPeer { address, token, security })
    }

    /// Returns the token that the referees share.
    pub(super) fn token(&self) -> Result<String> {
        read_token(
            self.options.token_file.as_ref().context("--token-file: observers and the witness need one")?,
        )
    }

    /// Returns the openings in the chosen order.
    pub(super) fn openings(&self) -> Result<MatchOpenings> {
        let Some(path) = &self.options.openings else { return Ok(MatchOpenings::none()) };
        let order = match self.options.seed {
            Some(seed) => OpeningOrder::Random { seed },
            None => OpeningOrder::Sequential { from: 1 },
        };
        Ok(MatchOpenings::read(path, PlayedVariant::CHESS, None)?.ordered(order)?)
    }

    /// Returns the settings that two referees of an event must have in common: those of [`EventPlan::identity`] and those by which
    /// games are judged, as JSON. Where the openings are on this machine does not matter.
    pub(super) fn shared(&self) -> Result<String> {
        let settings = &self.event;
        let openings = self.options.openings.as_ref().map(|path| {
            let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
            anyhow::Ok(format!("checksum {:08x}", crc32fast::hash(&bytes)))
        });
        let mut shared = self.described();
        shared["openings"] = json!(openings.transpose()?);
        shared["site"] = json!(settings.site);
        shared["margin"] = json!(settings.margin.as_millis() as u64);
        shared["quiet"] = json!(settings.quiet.as_secs_f64());
        shared["patience"] = json!(settings.patience.as_secs());
        shared["returns"] = json!(settings.returns);
        shared["penalty"] = json!(settings.penalty.as_secs());
        shared["rounds-by-hand"] = json!(settings.rounds_by_hand);
        shared["stay"] = json!(self.options.stay);
        shared["ponder"] = json!(self.options.ponder);
        shared["sign-on"] = settings.programs.iter().map(sign_on).collect();
        shared["witness"] = json!(if self.options.witness.is_some() { "yes" } else { "no" });
        Ok(shared.to_string())
    }

    /// Returns the settings that must be the same in a resumed event.
    pub(super) fn identity(&self) -> String {
        self.described().to_string()
    }

    fn described(&self) -> serde_json::Value {
        let names: Vec<&str> = self.event.programs.iter().map(|program| program.name.as_str()).collect();
        let EventOptions { openings, seed, fide_draws, max_moves, .. } = &self.options;
        json!({
            "event": self.event.name, "programs": names, "schedule": self.event.schedule,
            "tc": self.event.control.to_string(), "openings": openings, "seed": seed,
            "fide-draws": fide_draws, "max-moves": max_moves,
        })
    }
}

impl EventOptions {
    /// Whether only options for watching are set.
    pub(super) fn is_for_watching(&self) -> bool {
        settings::given(self).is_ok_and(|table| table.keys().all(|key| key == "tls-authority"))
    }

    /// Returns the folder of the event, or of a witness.
    pub(super) fn folder(&self) -> &Path {
        self.folder.as_deref().unwrap_or(Path::new("event"))
    }

    /// Returns the token and the certificate of a witness.
    pub(super) fn witness_identity(&self, address: SocketAddr) -> Result<(String, ServerSecurity)> {
        let token = read_token(self.token_file.as_ref().context("--token-file: the witness needs one")?)?;
        let security = match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => ServerSecurity::read(certificate, key)?,
            _ => ServerSecurity::default(),
        };
        ensure!(
            address.ip().is_loopback() || self.tls_certificate.is_some(),
            "--as-witness: the token could be read on its way; use 127.0.0.1, or TLS"
        );
        Ok((token, security))
    }

    fn is_remote_listener(&self) -> bool {
        self.listen.is_some_and(|address| !address.ip().is_loopback())
    }

    /// Refuses settings with which strangers could take a seat, or read a token on its way.
    fn check_privacy(&self, programs: &[ProgramSettings], has_tls: bool) -> Result<()> {
        let without = programs.iter().find(|program| program.secret.is_none());
        if let (true, false, Some(program)) = (self.is_remote_listener(), self.open, without) {
            bail!(
                "--listen: {} has no secret, so that anybody who can connect can take its seat; say secret-file=FILE for each program, or --open",
                program.name
            );
        }
        let observers = self.observers.map(|address| address.to_string());
        let (observe, witness) = (self.observe.as_ref(), self.witness.as_ref());
        let addresses = [("--observers", observers.as_ref()), ("--observe", observe), ("--witness", witness)];
        for (flag, address) in addresses {
            ensure!(
                has_tls || !address.is_some_and(|address| is_remote(address)),
                "{flag}: the token could be read on its way; use 127.0.0.1, or TLS"
            );
        }
        Ok(())
    }

    fn event_settings(&self, programs: Vec<ProgramSettings>) -> Result<EventSettings> {
        let quiet = self.quiet.unwrap_or(5.0);
        ensure!((0.0..=86_400.0).contains(&quiet), "--quiet {quiet}: expected seconds, from 0 to a day");
        let draws = if self.fide_draws { DrawRule::Automatic } else { DrawRule::Claimed };
        let adjudication = Adjudication { longest: self.max_moves, ..Adjudication::default() };
        Ok(EventSettings {
            name: self.event.clone().unwrap_or_else(|| "herald referee".to_owned()),
            site: self.site.clone().unwrap_or_else(|| "?".to_owned()),
            schedule: self.schedule(programs.len())?,
            programs,
            control: self.tc.as_deref().unwrap_or("300+3").parse()?,
            margin: Duration::from_millis(self.margin.unwrap_or(50)),
            rules: Rules { draws, adjudication, ..Rules::default() },
            quiet: Duration::from_secs_f64(quiet),
            patience: Duration::from_secs(self.patience.unwrap_or(300)),
            returns: self.returns.unwrap_or(5),
            rounds_by_hand: self.rounds_by_hand,
            penalty: Duration::from_secs(self.penalty.unwrap_or(0)),
            local_games: Some(self.local_games()),
            sign_on_time: Duration::from_secs(10),
        })
    }

    /// In each game one program thinks, and with --ponder both do.
    fn local_games(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let usual = || if self.ponder { processors() / 2 } else { processors() };
        self.local_games.map_or_else(usual, std::num::NonZeroUsize::get).max(1)
    }

    fn tls(&self) -> Result<Option<Tls>> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => Ok(Some(Tls::read(certificate, key)?)),
            (None, None) => Ok(None),
            _ => bail!("--tls-certificate and --tls-key: expected both or neither"),
        }
    }

    fn schedule(&self, programs: usize) -> Result<ScheduleSettings> {
        let format = match self.format {
            Some(EventFormatName::Swiss) => TournamentFormat::swiss(self.rounds, programs),
            _ if self.rounds.is_some() => bail!("--rounds is for --format swiss"),
            Some(EventFormatName::Knockout) => TournamentFormat::Knockout,
            Some(EventFormatName::RoundRobin) | None => TournamentFormat::RoundRobin,
        };
        Ok(ScheduleSettings { programs, format, games: self.games.unwrap_or(2), colours: ColourOrder::Pairs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_referees_have_in_common_what_a_successor_would_do_otherwise() {
        let folder = tempfile::tempdir().expect("a folder");
        let with_secret = |secret: &str| {
            let file = folder.path().join(secret);
            std::fs::write(&file, secret).expect("written");
            format!("name=A secret-file={}", file.display())
        };
        let shared = |first: &str, options: EventOptions| {
            let programs = [first, "B"].map(|words| program(words).expect("a program"));
            EventPlan::new(options, programs.into()).and_then(|plan| plan.shared()).expect("a plan")
        };
        let usual = || shared("A", EventOptions::default());
        assert_eq!(usual(), usual());
        let (one, other) = (with_secret("open-sesame"), with_secret("open-barley"));
        let secret = |words: &str| shared(words, EventOptions::default());
        assert_eq!(secret(&one), secret(&one), "the same on each machine");
        let differing = [
            secret(&one),
            secret(&other),
            secret("name=A cmd=stockfish"),
            shared("A", EventOptions { stay: true, ..EventOptions::default() }),
            shared("A", EventOptions { ponder: true, ..EventOptions::default() }),
        ];
        for (place, settings) in differing.iter().enumerate() {
            assert!(*settings != usual() && !differing[..place].contains(settings), "{settings}");
            assert!(!settings.contains("sesame"), "{settings}");
        }
        let more = std::num::NonZeroUsize::new(7);
        assert_eq!(shared("A", EventOptions { local_games: more, ..EventOptions::default() }), usual());
    }
}
