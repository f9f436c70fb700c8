//! `herald play`: Herald as a client of an EPD referee.

mod connection;
mod membership;

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use engine::{NumberSetting, SettingsFile};
use messages::input::{Input, LineReader};
use messages::referee::{Conversation, Habits, Parting};
use protocols::host::{Event, Host};
use protocols::referee::{Person, play};

use crate::session;

pub(crate) use connection::Connection;
pub(crate) use membership::{Client, Membership};

const EXAMPLES: &str = "\
Examples:
  herald play --referee chess.example:7676 --name Herald --secret-file herald.secret
  herald play --referee first:7676,second:7676 --name Herald --ponder
  herald play --referee chess.example:7676 --tls --name Herald
  herald play --serial /dev/ttyS0 --baud 9600 --name Herald --tc 40/7200

The secret is the first line of --secret-file, or stands in the environment as HERALD_SECRET.";

/// Play in an event of an EPD referee
///
/// When the connection is lost, the client tries all referees again, one after the other. Ctrl-C signs off. A fault rings the
/// terminal's bell and is told on standard error; the exit code is then 1.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Play {
    #[command(flatten)]
    membership: Membership,
    /// The name under which to sign on
    #[arg(long, default_value = "Herald")]
    name: String,
    /// A person plays, at this terminal
    #[arg(long)]
    human: bool,
    /// Size of the hash table in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(i64).range(NumberSetting::Hash.range()))]
    hash: Option<i64>,
    /// Number of search threads
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(NumberSetting::Threads.range()))]
    threads: Option<i64>,
    /// Time in milliseconds kept in reserve for each move: at least what the network takes
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 50,
        value_parser = clap::value_parser!(i64).range(NumberSetting::Overhead.range()))]
    overhead: i64,
}

impl Play {
    pub(crate) fn run(&self) -> Result<()> {
        let conversation = Conversation::new(self.membership.tc.clone());
        if self.human {
            let person = Person::new(io::stdin(), conversation, session::style())?;
            return self.membership.serve(&self.name, &mut AtTerminal(person));
        }
        self.membership.serve(&self.name, &mut Herald { host: self.host()?, conversation })
    }

    /// The engine, as the user has saved it and the flags want it.
    fn host(&self) -> Result<Host> {
        let mut host = Host::silent().context("the engine can't be started; is there enough memory?")?;
        if let Some(file) = SettingsFile::of_user() {
            for problem in host.use_settings(file) {
                eprintln!("herald: saved settings: {problem}");
            }
        }
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

/// Herald itself.
struct Herald {
    host: Host,
    conversation: Conversation,
}

/// How long the last words of a connection may take.
const LAST_WORDS: Duration = Duration::from_millis(100);

impl Client for Herald {
    fn take_part(
        &mut self,
        connection: &mut Connection,
        habits: &Habits,
        leaving: &AtomicBool,
        alarm: &mut dyn FnMut(&str),
    ) -> io::Result<Parting> {
        self.host.attach(LineReader::new(connection.reader()?))?;
        play(&mut self.host, &mut self.conversation, connection, habits, leaving, alarm)
    }

    /// Only one connection at a time speaks to the host.
    fn forget_connection(&mut self) {
        while let Some(event) = self.host.event_within(LAST_WORDS) {
            if matches!(event, Event::Input(Input::End)) {
                return;
            }
        }
    }
}

/// A person at this terminal.
struct AtTerminal(Person);

impl Client for AtTerminal {
    fn take_part(
        &mut self,
        connection: &mut Connection,
        habits: &Habits,
        leaving: &AtomicBool,
        _alarm: &mut dyn FnMut(&str),
    ) -> io::Result<Parting> {
        let reader = connection.reader()?;
        self.0.take_part(reader, connection, &mut io::stdout(), habits, leaving)
    }

    fn forget_connection(&mut self) {
        self.0.forget_connection();
    }
}
