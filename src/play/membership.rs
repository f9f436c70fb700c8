//! What all clients of a referee have in common: where it is, who they are, and how they come back to it.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use game::TimeControl;
use messages::referee::{Habits, Parting, Secret};
use players::network::Security;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::connection::{Connection, Place};
use crate::WrongInput;

/// Flags of a client.
#[derive(Args)]
pub(crate) struct Membership {
    /// Where the referee is; several, separated by commas, if others may take its place
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', required_unless_present = "serial")]
    referee: Vec<String>,
    /// The serial line on which the referee is
    #[arg(long, value_name = "DEVICE", conflicts_with = "referee")]
    serial: Option<PathBuf>,
    /// The speed of the serial line, in bits per second
    #[arg(long, default_value_t = 9600, requires = "serial")]
    baud: u32,
    /// Speak TLS to the referee; it has to prove its name to the authorities that this system trusts
    #[arg(long, conflicts_with = "serial")]
    tls: bool,
    /// Speak TLS, and trust these authorities alone, for example the referee's own certificate (PEM)
    #[arg(long, value_name = "FILE", conflicts_with = "serial")]
    tls_authority: Option<PathBuf>,
    /// The file whose first line proves the name
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// The time control, if the referee doesn't tell it
    #[arg(long, value_name = "CONTROL", default_value = "5/move", allow_hyphen_values = true)]
    pub(crate) tc: TimeControl,
    /// Speak nothing but what the specification of 1995 has: no exact clocks, no epochs
    #[arg(long)]
    plain: bool,
    /// Think in the opponent's time
    #[arg(long)]
    ponder: bool,
    /// How long to look for a referee before giving up
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    patience: u64,
}

/// How soon a referee is tried again: a little later each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What a client does over one connection.
pub(crate) trait Client {
    /// Signs on and takes part until the connection ends.
    fn take_part(
        &mut self,
        connection: &mut Connection,
        habits: &Habits,
        leaving: &AtomicBool,
        alarm: &mut dyn FnMut(&str),
    ) -> io::Result<Parting>;

    /// The connection is closed; what was still to come from it no longer matters.
    fn forget_connection(&mut self) {}
}

impl Membership {
    /// Lets a client take part under this name, over one connection after the other.
    pub(crate) fn serve(&self, name: &str, client: &mut dyn Client) -> Result<()> {
        let places = self.places().map_err(WrongInput::of)?;
        let habits = self.habits(name).map_err(WrongInput::of)?;
        let security = Security::new(self.tls, self.tls_authority.as_deref()).map_err(WrongInput::of)?;
        let leaving = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The second time there is no waiting.
            signal_hook::flag::register_conditional_shutdown(signal, 1, Arc::clone(&leaving))?;
            signal_hook::flag::register(signal, Arc::clone(&leaving))?;
        }
        let mut alarms = Alarms::default();
        loop {
            let Some(mut connection) = self.connect(&places, &security, &leaving)? else {
                return alarms.end();
            };
            eprintln!("herald: signing on to {} as {}", connection.place, habits.name);
            let parting =
                client.take_part(&mut connection, &habits, &leaving, &mut |reason| alarms.ring(reason));
            match parting {
                Ok(Parting::Disconnected) => {
                    eprintln!("herald: the referee has closed the event");
                    return alarms.end();
                }
                Ok(Parting::SignedOff) => {
                    eprintln!("herald: signed off");
                    return alarms.end();
                }
                Ok(Parting::Refused) => bail!("the referee does not let {} play", habits.name),
                // To those who take over; what cannot be written to is gone as well.
                Ok(Parting::Lost | Parting::Outdated) | Err(_) => {
                    eprintln!("herald: lost {}", connection.place);
                    connection.close();
                    client.forget_connection();
                }
            }
        }
    }

    fn places(&self) -> Result<Vec<Place>> {
        if let Some(device) = &self.serial {
            return Ok(vec![Place::Serial { device: device.clone(), baud: self.baud }]);
        }
        self.referee.iter().map(|text| Place::network(text)).collect()
    }

    fn habits(&self, name: &str) -> Result<Habits> {
        let name = name.trim();
        let is_fit = name.chars().all(|c| c.is_ascii_graphic() || c == ' ') && !name.contains('"');
        ensure!(
            is_fit && (1..=100).contains(&name.len()),
            "--name {}: expected 1 to 100 printing ASCII characters",
            game::excerpt(name)
        );
        let secret = match &self.secret_file {
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("{} cannot be read", path.display()))?;
                Some(text.lines().next().unwrap_or_default().to_owned())
            }
            None => std::env::var("HERALD_SECRET").ok(),
        };
        Ok(Habits {
            name: name.to_owned(),
            secret: secret.map(|secret| Secret::new(secret.trim())),
            extended: !self.plain,
            ponder: self.ponder,
        })
    }

    /// Tries one referee after the other until one is there; `None` if the user has had enough.
    fn connect(
        &self,
        places: &[Place],
        security: &Security,
        leaving: &AtomicBool,
    ) -> Result<Option<Connection>> {
        let until = Instant::now() + Duration::from_secs(self.patience);
        let mut pause = FIRST_PAUSE;
        let mut is_told = false;
        loop {
            let (mut last, mut is_hopeless) = (None, true);
            for place in places {
                if leaving.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                match Connection::open(place, security) {
                    Ok(connection) => return Ok(Some(connection)),
                    Err(error) => {
                        is_hopeless &= error.kind() == ErrorKind::InvalidData;
                        last = Some(anyhow!(error).context(format!("{place} can't be reached")));
                    }
                }
            }
            let error = last.unwrap_or_else(|| anyhow!("no referee"));
            // All are there, and none is the right one: time doesn't change that.
            if is_hopeless || Instant::now() >= until {
                return Err(error);
            }
            if !is_told {
                eprintln!("herald: {error:#}; trying again for {} s", self.patience);
                is_told = true;
            }
            thread::sleep(pause);
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }
}

/// Calls for human help.
#[derive(Default)]
struct Alarms {
    last: Option<String>,
}

impl Alarms {
    fn ring(&mut self, reason: &str) {
        let bell = if io::stderr().is_terminal() { "\u{7}" } else { "" };
        // Whoever is not there can't be called.
        let _ = writeln!(io::stderr(), "{bell}herald: help is needed: {reason}");
        self.last = Some(reason.to_owned());
    }

    fn end(self) -> Result<()> {
        match self.last {
            Some(reason) => bail!("there was a fault: {reason}"),
            None => Ok(()),
        }
    }
}
