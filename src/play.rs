//! `herald play`: Herald as a client of an EPD referee; arguments and connections of all such clients.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::Args;
use engine::NumberSetting;
use game::TimeControl;
use messages::input::{Input, LineReader};
use messages::referee::{ClientConfig, ClientState, DisconnectReason, Secret};
use platform::signals;
use players::transport::{self, PeerAddress, Security, Transport};
use protocols::host::{Event, Host};
use protocols::referee::{Person, play};

use crate::{WrongInput, session, settings};

const EXAMPLES: &str = "\
Examples:
  herald play --referee chess.example:7676 --name Herald --secret-file herald.secret
  herald play --referee first:7676,second:7676 --name Herald --ponder
  herald play --referee chess.example:7676 --tls --name Herald
  herald play --serial /dev/ttyS0 --baud 9600 --name Herald --tc 40/7200

The secret is the first line of --secret-file, or the environment variable HERALD_SECRET.";

/// Play in an event of an EPD referee
///
/// When the connection is lost, the client tries all referees again, one after the other. Ctrl-C signs off. A fault is reported
/// on standard error with the terminal's bell; the exit code is then 1.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    client: ClientArgs,
    /// Name to sign on with
    #[arg(long, default_value = "Herald")]
    name: String,
    /// Let a person play at this terminal
    #[arg(long)]
    human: bool,
    /// Size of the hash table in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(i64).range(NumberSetting::Hash.range()))]
    hash: Option<i64>,
    /// Number of search threads
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(NumberSetting::Threads.range()))]
    threads: Option<i64>,
    /// Time in milliseconds kept in reserve for each move: at least the latency of the network
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 50,
        value_parser = clap::value_parser!(i64).range(NumberSetting::Overhead.range()))]
    overhead: i64,
}

/// Time limit for the remaining lines of a closed connection.
const LEFT_OVER: Duration = Duration::from_millis(100);

impl PlayArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let mut client = ClientState::new(self.client.tc.clone());
        if self.human {
            let mut person = Person::new(io::stdin(), client, session::style())?;
            return self.client.serve(&self.name, |mut transport, config, leaving, _| {
                let reader = transport.reader()?;
                let disconnect = person.take_part(reader, &mut transport, &mut io::stdout(), config, leaving);
                transport.close();
                person.forget_connection();
                disconnect
            });
        }
        let mut host = self.host()?;
        self.client.serve(&self.name, |mut transport, config, leaving, alarm| {
            host.attach(LineReader::new(transport.reader()?))?;
            let disconnect = play(&mut host, &mut client, &mut transport, config, leaving, alarm);
            transport.close();
            // Remaining lines must not be taken for those of the next connection.
            while let Some(event) = host.event_within(LEFT_OVER) {
                if matches!(event, Event::Input(Input::End)) {
                    break;
                }
            }
            disconnect
        })
    }

    /// Creates the engine with the user's saved settings and the options of the command line.
    fn host(&self) -> Result<Host> {
        let mut host = session::with_settings(Host::silent())?;
        let flags = [
            (NumberSetting::Hash, self.hash),
            (NumberSetting::Threads, self.threads),
            (NumberSetting::Overhead, Some(self.overhead)),
        ];
        for (setting, value) in flags {
            if let Some(value) = value {
                host.engine.set(setting, value)?;
            }
        }
        Ok(host)
    }
}

/// Arguments of a client.
#[derive(Args)]
pub(crate) struct ClientArgs {
    /// Address of the referee; several addresses, separated by commas, if other referees may take over
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', required_unless_present = "serial")]
    referee: Vec<PeerAddress>,
    /// Serial device to which the referee is connected
    #[arg(long, value_name = "DEVICE", conflicts_with = "referee")]
    serial: Option<PathBuf>,
    /// Speed of the serial line, in bits per second
    #[arg(long, default_value_t = 9600, requires = "serial")]
    baud: u32,
    /// Use TLS; the referee needs a certificate for its host name from an authority that this system trusts
    #[arg(long, conflicts_with = "serial")]
    tls: bool,
    /// Use TLS and trust only the authorities in this PEM file, for example the referee's own certificate
    #[arg(long, value_name = "FILE", conflicts_with = "serial")]
    tls_authority: Option<PathBuf>,
    /// File whose first line is the secret of the participant
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Time control, if the referee doesn't send it
    #[arg(long, value_name = "CONTROL", default_value = "5/move", allow_hyphen_values = true)]
    pub(crate) tc: TimeControl,
    /// Use only the specification of 1995: no exact clocks, no epochs
    #[arg(long)]
    plain: bool,
    /// Think on the opponent's time
    #[arg(long)]
    ponder: bool,
    /// Time to look for a referee, at the start and after a lost connection; then the client gives up
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    patience: u64,
}

/// Pause before all addresses are tried again; it grows each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// A connection that ends earlier counts as a failed attempt to find a referee.
const LASTING: Duration = Duration::from_secs(2);
/// Time limit for a host to answer, and again for the TLS handshake.
const TO_CONNECT: Duration = Duration::from_secs(5);

impl ClientArgs {
    /// Signs on under this name and takes part, over one connection after the other. `take_part` calls its last argument if a
    /// person has to help.
    pub(crate) fn serve(
        &self,
        name: &str,
        mut take_part: impl FnMut(
            Transport,
            &ClientConfig,
            &AtomicBool,
            &mut dyn FnMut(&str),
        ) -> io::Result<DisconnectReason>,
    ) -> Result<()> {
        let config = self.config(name).map_err(WrongInput::of)?;
        let security = Security::new(self.tls, self.tls_authority.as_deref()).map_err(WrongInput::of)?;
        let leaving = Arc::new(AtomicBool::new(false));
        // The second signal ends the program without signing off.
        signals::set_flag_then_exit(&leaving, 1)?;
        let mut fault = None;
        let mut referees = RefereeSearch::new(self.addresses(), Duration::from_secs(self.patience));
        while let Some((address, transport)) = referees.connect(&security, &leaving)? {
            let begin = Instant::now();
            tell!("herald: signing on to {address} as {}", config.name);
            let mut alarm = |reason: &str| {
                call_for_help(reason);
                fault = Some(reason.to_owned());
            };
            match take_part(transport, &config, &leaving, &mut alarm) {
                Ok(DisconnectReason::ByReferee) => {
                    tell!("herald: the referee has closed the event");
                    break;
                }
                Ok(DisconnectReason::SignedOff) => {
                    tell!("herald: signed off");
                    break;
                }
                Ok(DisconnectReason::Refused) => return Err(refused(&config, fault.as_deref())),
                Ok(DisconnectReason::TryAgain { after, why }) => {
                    tell!("herald: {address} does not let {} play now ({why}); trying again", config.name);
                    referees.fail(anyhow!("{address} does not let {} play: {why}", config.name), false);
                    referees.wait(after, &leaving);
                }
                Ok(DisconnectReason::Outdated) => {
                    referees.fail(anyhow!("{address} is a referee of an older epoch"), false);
                }
                // Another referee may have taken over. A write error means that the connection is lost as well.
                Ok(DisconnectReason::Lost) | Err(_) => {
                    tell!("herald: lost {address}");
                    if begin.elapsed() < LASTING {
                        referees.fail(anyhow!("{address} ended the connection at once"), false);
                    } else {
                        referees = referees.anew();
                    }
                }
            }
        }
        fault.map_or(Ok(()), |reason| Err(anyhow!("there was a fault: {reason}")))
    }

    fn addresses(&self) -> Vec<PeerAddress> {
        match &self.serial {
            Some(device) => vec![PeerAddress::Serial { device: device.clone(), baud: self.baud }],
            None => self.referee.clone(),
        }
    }

    fn config(&self, name: &str) -> Result<ClientConfig> {
        let secret = match &self.secret_file {
            Some(path) => Some(settings::first_line(path)?),
            None => std::env::var("HERALD_SECRET").ok(),
        };
        Ok(ClientConfig {
            name: settings::client_name("--name", name)?,
            secret: secret.map(|secret| Secret::new(secret.trim())),
            extended: !self.plain,
            ponder: self.ponder,
        })
    }
}

/// Returns the error of a client that the referee has refused, for this reason if it gave one.
fn refused(config: &ClientConfig, reason: Option<&str>) -> anyhow::Error {
    let lacks_secret = config.secret.is_none() && reason.is_some_and(|reason| reason.contains("secret"));
    let hint = if lacks_secret { "; no secret was given: see --secret-file and HERALD_SECRET" } else { "" };
    anyhow!("the referee does not let {} play{hint}", config.name)
}

/// The search for a referee. It goes on until a connection has lasted, so that a referee that accepts connections and ends them
/// at once is as good as none.
struct RefereeSearch {
    addresses: Vec<PeerAddress>,
    /// Index of the next address to try in this round.
    next: usize,
    /// The last failure, and whether all failures of this round were ones that time does not mend.
    error: Option<anyhow::Error>,
    is_hopeless: bool,
    patience: Duration,
    since: Instant,
    pause: Duration,
    is_reported: bool,
}

impl RefereeSearch {
    fn new(addresses: Vec<PeerAddress>, patience: Duration) -> RefereeSearch {
        RefereeSearch {
            addresses,
            next: 0,
            error: None,
            is_hopeless: true,
            patience,
            since: Instant::now(),
            pause: FIRST_PAUSE,
            is_reported: false,
        }
    }

    /// Begins a new search, with the referee after the one that was tried last.
    fn anew(mut self) -> RefereeSearch {
        let tried = self.next % self.addresses.len();
        self.addresses.rotate_left(tried);
        RefereeSearch::new(self.addresses, self.patience)
    }

    /// Tries one referee after the other until one accepts a connection; `None` if the user has interrupted that.
    ///
    /// # Errors
    /// No referee was found in time, or none of them is the right one.
    fn connect(
        &mut self,
        security: &Security,
        leaving: &AtomicBool,
    ) -> Result<Option<(PeerAddress, Transport)>> {
        loop {
            while let Some(address) = self.addresses.get(self.next).cloned() {
                if leaving.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                self.next += 1;
                match transport::open(&address, security, TO_CONNECT) {
                    Ok(transport) => return Ok(Some((address, transport))),
                    Err(error) => {
                        let is_hopeless = error.kind() == ErrorKind::InvalidData;
                        self.fail(anyhow!(error).context(format!("{address} can't be reached")), is_hopeless);
                    }
                }
            }
            let error = self.error.take().unwrap_or_else(|| anyhow!("no referee"));
            if self.is_hopeless || self.since.elapsed() >= self.patience {
                return Err(error);
            }
            if !self.is_reported {
                tell!("herald: {error:#}; trying again for {} s", self.patience.as_secs());
                self.is_reported = true;
            }
            thread::sleep(self.pause);
            self.pause = (self.pause * 3 / 2).min(LONGEST_PAUSE);
            (self.next, self.is_hopeless) = (0, true);
        }
    }

    /// Waits as long as a referee has asked, unless the user interrupts it or other referees may be tried.
    fn wait(&self, pause: Duration, leaving: &AtomicBool) {
        let until = Instant::now() + pause;
        let is_last = self.next >= self.addresses.len();
        while is_last && Instant::now() < until && !leaving.load(Ordering::Relaxed) {
            thread::sleep(FIRST_PAUSE);
        }
    }

    /// The address that was tried last is no referee to play under. Others may be.
    fn fail(&mut self, error: anyhow::Error, is_hopeless: bool) {
        self.is_hopeless &= is_hopeless;
        self.error = Some(error);
    }
}

/// Prints a message for the user, and rings the terminal's bell.
fn call_for_help(reason: &str) {
    let bell = if io::stderr().is_terminal() { "\u{7}" } else { "" };
    // If standard error is closed, there is no user to help.
    let _ = writeln!(io::stderr(), "{bell}herald: help is needed: {reason}");
}
