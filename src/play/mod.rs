//! `herald play`: Herald as a client of an EPD referee.

mod client;

use std::io;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use engine::NumberSetting;
use messages::input::{Input, LineReader};
use messages::referee::ClientState;
use protocols::host::{Event, Host};
use protocols::referee::{Person, play};

use crate::session;

pub(crate) use client::ClientArgs;

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
