//! The arguments of `herald link`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arena::MatchOpenings;
use clap::Args;
use game::{Phase, Phases, PlayedVariant, TimeControl};
use messages::autoplayer::{MatchTerms, MoveNotation};
use messages::cecp::{Command, TimeSession};
use players::link::LinkPlace;
use players::transport::{Security, ServerSecurity, TransportListener};
use players::{CommandLine, OptionValue, Protocol, Spec};

use crate::match_command::program;
use crate::settings;

/// The line to the other end.
#[derive(Args)]
pub(super) struct LineArgs {
    /// Wait for the other end, and have the settings of the match
    #[arg(long, conflicts_with = "slave")]
    pub(super) master: bool,
    /// Connect to the master, and take the settings of the match from it
    #[arg(long)]
    slave: bool,
    /// TCP port of the master
    #[arg(long, default_value_t = 5020)]
    port: u16,
    /// Host of the master; for the master itself the address at which it waits [default: localhost, for the master all addresses]
    #[arg(long)]
    host: Option<String>,
    /// Serial line with a null modem, instead of TCP
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["host", "port"])]
    modem: Option<PathBuf>,
    /// Speed of the serial line, in bits per second
    #[arg(long, default_value_t = 9600, requires = "modem")]
    baud: u32,
    /// File whose first line is a secret; the other end must have the same one
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Master: use TLS, with this certificate and its intermediate certificates (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with_all = ["slave", "modem"])]
    tls_certificate: Option<PathBuf>,
    /// Master: private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Slave: use TLS; the master needs a certificate for its host name from an authority that this system trusts
    #[arg(long, conflicts_with_all = ["master", "modem"])]
    tls: bool,
    /// Slave: use TLS and trust only the authorities in this PEM file, for example the master's own certificate
    #[arg(long, value_name = "FILE", conflicts_with_all = ["master", "modem"])]
    tls_authority: Option<PathBuf>,
    /// Time without a line after which this end gives up, also before the first link, and time in which the other end must go on
    /// with the match [default: 300 for a line that breaks; the first link is awaited as long as it takes]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
}

/// Default time without a line after which a match is given up.
const PATIENCE: Duration = Duration::from_mins(5);

impl LineArgs {
    /// Checks that one role is given.
    pub(super) fn check_role(&self) -> Result<()> {
        ensure!(
            self.master || self.slave,
            "which end is this? Say --master on the machine that waits and has the settings, --slave --host MASTER on the other one"
        );
        Ok(())
    }

    /// Time without a line: for one that breaks, and for the first one, if that is limited.
    pub(super) fn patience(&self) -> (Duration, Option<Duration>) {
        let given = self.patience.map(Duration::from_secs);
        (given.unwrap_or(PATIENCE), given)
    }

    pub(super) fn secret(&self) -> Result<Option<String>> {
        let secret = match &self.secret_file {
            Some(path) => Some(settings::first_line(path)?),
            None => std::env::var("HERALD_SECRET").ok().map(|secret| secret.trim().to_owned()),
        };
        ensure!(secret.as_deref() != Some(""), "the secret is empty");
        Ok(secret)
    }

    /// Where the other end is. A master begins to listen.
    pub(super) fn place(&self) -> Result<LinkPlace> {
        if let Some(device) = &self.modem {
            let place = LinkPlace::serial(device.clone(), self.baud);
            return place.with_context(|| format!("--modem {} cannot be a serial line", device.display()));
        }
        let address = |default| {
            let host = self.host.as_deref().unwrap_or(default);
            // The colons of an IPv6 address need brackets before a port.
            if host.contains(':') {
                format!("[{host}]:{}", self.port)
            } else {
                format!("{host}:{}", self.port)
            }
        };
        if !self.master {
            let security = Security::new(self.tls, self.tls_authority.as_deref())?;
            return Ok(LinkPlace::Connect(address("localhost"), security));
        }
        let security = match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => ServerSecurity::read(certificate, key)?,
            _ => ServerSecurity::default(),
        };
        let address = address("0.0.0.0");
        let listener = TransportListener::bind(&address, security)
            .with_context(|| format!("cannot listen at {address}"))?;
        Ok(LinkPlace::Listen(listener))
    }
}

/// The engine.
#[derive(Args)]
pub(super) struct LinkEngineArgs {
    /// Engine
    #[arg(long, value_name = "ENGINE", allow_hyphen_values = true)]
    engine: Option<String>,
    /// Protocol of the engine: uci, cecp, cego, or autoplayer, Hyatt's dialect
    #[arg(long)]
    protocol: Option<Protocol>,
    /// Name of the engine [default: the name that it reports]
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Rating of the engine
    #[arg(long)]
    pub(super) rating: Option<u32>,
    /// Let the engine think on the opponent's time. Not if both engines share one processor
    #[arg(long)]
    pub(super) ponder: bool,
    /// Moves to an engine of the dialect: san or coordinates [default: san]
    #[arg(long)]
    notation: Option<MoveNotation>,
    /// Do not tell an engine of the dialect its own clock (`time`)
    #[arg(long)]
    no_time: bool,
    /// Engine and its arguments
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "engine")]
    command: Vec<String>,
}

impl LinkEngineArgs {
    pub(super) fn spec(&self) -> Result<Spec> {
        let protocol = self.protocol.unwrap_or(Protocol::Uci);
        let mut spec = match &self.engine {
            None if self.command.is_empty() => {
                bail!("which engine plays? Say for example --engine \"gnuchess --xboard\" --protocol cecp")
            }
            None => Spec::new(CommandLine::from_words(self.command.iter().cloned())?, protocol),
            Some(words) if words.contains("cmd=") => {
                ensure!(self.protocol.is_none(), "--protocol: say protocol= with cmd=");
                program(words).with_context(|| format!("--engine \"{words}\""))?
            }
            Some(words) => Spec::new(words.parse().context("--engine")?, protocol),
        };
        let is_dialect = spec.protocol == Protocol::Autoplayer;
        ensure!(
            is_dialect || (self.notation.is_none() && !self.no_time),
            "--notation and --no-time are for --protocol autoplayer"
        );
        if self.notation == Some(MoveNotation::Coordinates) {
            spec.options.insert("Moves".to_owned(), OptionValue::Text("coordinates".to_owned()));
        }
        if self.no_time {
            spec.options.insert("Time".to_owned(), OptionValue::Bool(false));
        }
        Ok(spec)
    }
}

/// The settings of the match, which the master has.
#[derive(Args)]
pub(super) struct LinkMatchArgs {
    /// Time control: Hyatt's, in minutes: 40/120/20/60 (40 moves in 120 minutes, then 20 in 60, again and again) or 40/120; or
    /// PGN's, in seconds: 60+1, 40/7200:20/3600, 5/move [default: 40/120/20/60]
    #[arg(long, value_name = "CONTROL", conflicts_with = "slave", allow_hyphen_values = true)]
    tc: Option<String>,
    /// Time control as the dialect's `level` has it, in minutes: "40 120 20 60", or "0 5 12" with an increment in seconds
    #[arg(long, value_name = "LEVEL", conflicts_with_all = ["slave", "tc"])]
    level: Option<String>,
    /// Number of games; the colours alternate [default: 1]
    #[arg(long, conflicts_with = "slave", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: Option<u32>,
    /// File of openings, each of which is played with both colours: .epd, .fen, .pgn, or .bin (Polyglot) [default: none]
    #[arg(long, value_name = "FILE", conflicts_with = "slave")]
    openings: Option<PathBuf>,
    /// Play Chess960
    #[arg(long, conflicts_with = "slave")]
    chess960: bool,
    /// Name of the event, for PGN
    #[arg(long, conflicts_with = "slave")]
    event: Option<String>,
    /// Site of the event, for PGN
    #[arg(long, conflicts_with = "slave")]
    site: Option<String>,
}

/// Longest text of a tag, in characters: the lines of a link are limited.
const LONGEST_TAG: usize = 200;

impl LinkMatchArgs {
    pub(super) fn openings(&self) -> Result<MatchOpenings> {
        let played = if self.chess960 { PlayedVariant::CHESS960 } else { PlayedVariant::CHESS };
        Ok(match &self.openings {
            Some(path) => MatchOpenings::read(path, played, None)?,
            None if self.chess960 => MatchOpenings::chess960(),
            None => MatchOpenings::none(),
        })
    }

    pub(super) fn terms(&self) -> Result<MatchTerms> {
        let text = |given: &Option<String>| given.clone().unwrap_or_else(|| "?".to_owned());
        for (option, given) in [("--event", &self.event), ("--site", &self.site)] {
            let length = given.as_ref().map_or(0, |text| text.chars().count());
            ensure!(
                length <= LONGEST_TAG,
                "{option} has {length} characters; expected at most {LONGEST_TAG}"
            );
        }
        let control = match (&self.tc, &self.level) {
            (Some(tc), _) => read_control(tc).with_context(|| format!("--tc {tc}"))?,
            (None, Some(level)) => read_level(level).with_context(|| format!("--level \"{level}\""))?,
            (None, None) => read_control("40/120/20/60")?,
        };
        Ok(MatchTerms {
            games: self.games.unwrap_or(1),
            control: control.to_string(),
            event: text(&self.event),
            site: text(&self.site),
        })
    }
}

/// Reads a time control of the proposal, which is that of `level` and so in minutes, or one of PGN, in seconds. What could be
/// either is refused.
fn read_control(text: &str) -> Result<TimeControl> {
    let parts: Vec<&str> = text.split('/').collect();
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    let is_time = |text: &str| match text.split_once(':') {
        None => is_number(text),
        Some((minutes, seconds)) => is_number(minutes) && is_number(seconds) && seconds.len() == 2,
    };
    match parts[..] {
        [moves, time, later, then]
            if [moves, later].into_iter().all(is_number) && [time, then].into_iter().all(is_time) =>
        {
            read_level(&parts.join(" "))
        }
        [moves, time] if is_number(moves) && is_time(time) => read_level(&format!("{moves} {time} 0")),
        [moves, time]
            if is_number(moves) && time.starts_with(|c: char| c.is_ascii_digit()) && !time.contains(':') =>
        {
            bail!(
                "minutes or seconds? {moves}/MINUTES is Hyatt's; with an increment: --level \"{moves} MINUTES SECONDS\""
            )
        }
        _ => text.parse().map_err(|error| anyhow!("{error}; or Hyatt's, in minutes: 40/120/20/60 or 40/120")),
    }
}

/// Reads the parameters of either form of `level`.
fn read_level(text: &str) -> Result<TimeControl> {
    let phase = |TimeSession { moves, time }, increment| Phase {
        moves: (moves > 0).then_some(moves),
        time,
        increment,
    };
    let phases = match format!("level {text}").parse() {
        Ok(Command::Level { moves, base, increment }) if text.split_whitespace().count() == 3 => {
            vec![phase(TimeSession { moves, time: base }, increment)]
        }
        Ok(Command::Sessions { first, later }) => {
            [first, later].map(|part| phase(part, Duration::ZERO)).into()
        }
        _ => bail!("expected MOVES TIME MOVES TIME or MOVES TIME INCREMENT, in numbers"),
    };
    Ok(TimeControl::Clock(Phases::new(phases)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_of_the_proposal_and_of_pgn() {
        let read = |text| read_control(text).map(|control| control.to_string());
        assert_eq!(read("40/120/20/60").unwrap(), "40/7200:20/3600");
        assert_eq!(read("60+1").unwrap(), "60+1");
        assert_eq!(read("40/120").unwrap(), "40/7200");
        assert_eq!(read("40/7200:20/3600").unwrap(), "40/7200:20/3600");
        assert_eq!(read("5/move").unwrap(), "5/move");
        assert_eq!(read("40/2:30").unwrap(), "40/150");
        assert_eq!(read("40/2:30/20/1:00").unwrap(), "40/150:20/60");
        assert_eq!(read("40/120:1800").unwrap(), "40/120:1800");
        for text in [
            "40/120/20",
            "0/120/20/60",
            "40/x/20/60",
            "40/120/20/60/9",
            "40/120/20/60+2",
            "40/120+5",
            "40/0.5",
            "",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn both_forms_of_level() {
        let read = |text| read_level(text).map(|control| control.to_string());
        assert_eq!(read("40 120 20 60").unwrap(), "40/7200:20/3600");
        assert_eq!(read("0 5 12").unwrap(), "300+12");
        assert_eq!(read("40 0:30 0").unwrap(), "40/30");
        for text in ["40 120", "40 120 20 60 1", "0 0 0", "a b c"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
