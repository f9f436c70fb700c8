//! A second referee: it has all that the first one has stored, and takes its place when it is gone.
//!
//! The observer says `observe TOKEN NUMBER`, the number of the first fact that it wants. From then on it gets a line for each
//! fact, its number and the fact itself, and answers each number that it has stored; the first referee sends nothing to anybody
//! before that. `alive` comes from time to time, `end` at the end of the service.
//!
//! An observer applies facts as they come, so that it can take over at once. A new referee begins a new epoch; clients tell the
//! highest that they know, and who hears of a higher one than its own gives up.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use players::transport::{self, Security};

use super::connection::{self, LineSender};
use super::listener::{ConnectionLimiter, ConnectionListener};
use super::{ConnectionLimits, ListenConfig, Role, Service, ServiceError, ServiceMessage};
use crate::referee::Fact;
use crate::referee::event::{ConnectionEvent, ConnectionId, EventState, Notice};
use crate::referee::settings::is_same;
use crate::referee::store::EventStore;

/// How long an observer may take to store something before the event goes on without it.
const OBSERVER_PATIENCE: Duration = Duration::from_secs(1);
/// How often observers hear that the referee is alive.
const HEARTBEAT: Duration = Duration::from_millis(400);
/// How long an observer waits for a sign of life.
const SILENCE: Duration = Duration::from_secs(2);
/// How long an observer tries to reach a referee that has hung up.
const LAST_TRY: Duration = Duration::from_millis(500);

/// The observers of a service.
#[derive(Default)]
pub(super) struct Observers {
    token: Option<String>,
    /// Those who are connected, and the last fact that each has stored; `None` before it is admitted.
    connected: HashMap<ConnectionId, (LineSender, Option<u64>)>,
    last_sign: Option<Instant>,
}

impl Observers {
    pub(super) fn new(token: String) -> Observers {
        Observers { token: Some(token), ..Observers::default() }
    }

    pub(super) fn open(&mut self, connection: ConnectionId, output: LineSender) {
        self.connected.insert(connection, (output, None));
    }

    /// Takes what came over a connection, if it is one of theirs. Returns what the director should know.
    pub(super) fn hear(&mut self, input: &ConnectionEvent, store: &EventStore) -> Option<Result<(), String>> {
        let (ConnectionEvent::Line(connection, _)
        | ConnectionEvent::Closed(connection)
        | ConnectionEvent::LimitExceeded(connection, _)
        | ConnectionEvent::Opened(connection)
        | ConnectionEvent::SerialLine(connection)) = input;
        if !self.connected.contains_key(connection) {
            return None;
        }
        let ConnectionEvent::Line(_, line) = input else {
            let (_, stored) = self.connected.remove(connection)?;
            return Some(match (input, stored) {
                (ConnectionEvent::LimitExceeded(_, limit), _) => {
                    Err(format!("an observer is sent away: {limit}"))
                }
                (_, Some(_)) => Err("an observer is gone".to_owned()),
                (_, None) => Ok(()),
            });
        };
        let told = match line.strip_prefix("observe ") {
            Some(words) => self.admit(*connection, words, store),
            None => self.acknowledge(*connection, line),
        };
        if told.is_err() {
            self.connected.remove(connection);
        }
        Some(told)
    }

    fn admit(&mut self, connection: ConnectionId, words: &str, store: &EventStore) -> Result<(), String> {
        let (token, number) = words.split_once(' ').unwrap_or((words, ""));
        let is_known = self.token.as_ref().is_some_and(|known| is_same(known, token));
        let number = number.parse::<u64>().ok().filter(|number| (1..=store.count() + 1).contains(number));
        let (true, Some(number)) = (is_known, number) else {
            return Err("somebody may not observe: wrong token, or the facts of another event".to_owned());
        };
        let facts = store.from(number).map_err(|error| error.to_string())?;
        let Some((output, stored)) = self.connected.get_mut(&connection) else { return Ok(()) };
        send(output, number, &facts);
        *stored = Some(number - 1);
        Ok(())
    }

    fn acknowledge(&mut self, connection: ConnectionId, line: &str) -> Result<(), String> {
        match (self.connected.get_mut(&connection), line.parse()) {
            (Some((_, Some(stored))), Ok(number)) => {
                *stored = number;
                Ok(())
            }
            _ => Err("an observer makes no sense".to_owned()),
        }
    }

    fn admitted(&self) -> impl Iterator<Item = &LineSender> {
        self.connected.values().filter(|(_, stored)| stored.is_some()).map(|(output, _)| output)
    }

    pub(super) fn tell(&self, first: u64, facts: &[Fact]) {
        self.admitted().for_each(|output| send(output, first, facts));
    }

    /// Whether all have stored the facts up to this one.
    pub(super) fn have(&self, number: u64) -> bool {
        self.connected.values().all(|(_, stored)| stored.is_none_or(|stored| stored >= number))
    }

    /// Sends those away who have not.
    pub(super) fn leave_behind(&mut self, number: u64) {
        self.connected.retain(|_, (_, stored)| stored.is_none_or(|stored| stored >= number));
    }

    pub(super) fn show_life(&mut self, now: Instant) {
        if self.last_sign.is_none_or(|last| now >= last + HEARTBEAT) {
            self.last_sign = Some(now);
            self.admitted().for_each(|output| output.send_all("alive\n".to_owned()));
        }
    }

    pub(super) fn end(&mut self) {
        self.admitted().for_each(|output| output.send_all("end\n".to_owned()));
        self.connected.clear();
    }
}

fn send(output: &LineSender, first: u64, facts: &[Fact]) {
    let mut lines = String::new();
    for (number, fact) in (first..).zip(facts) {
        // Facts can be written: they have been stored.
        let fact = serde_json::to_string(fact).unwrap_or_default();
        let _ = writeln!(lines, "{number} {fact}");
    }
    output.send_all(lines);
}

impl Service {
    /// Lets other referees observe, at an address of its own: who knows the token gets all facts, before anybody is told of them.
    /// Returns the address, with the port that was chosen if it has none.
    ///
    /// # Errors
    /// The address can't be used.
    pub fn let_observe(&mut self, address: SocketAddr, token: String) -> Result<SocketAddr, ServiceError> {
        let failed = |error| ServiceError::Network(address, error);
        let limits = ConnectionLimits {
            connections: 8,
            per_address: 8,
            lines_per_second: u32::MAX,
            ..ConnectionLimits::default()
        };
        let listener = {
            let _inside = self.network.enter();
            ConnectionListener::open(address, self.to_self.clone(), limits, ConnectionLimiter::default())
                .map_err(failed)?
        };
        let bound = listener.address().map_err(failed)?;
        let next = Arc::clone(&self.next_connection);
        self.network.spawn(connection::serve(listener, next, Role::Observer, self.tls.clone()));
        self.observers = Observers::new(token);
        Ok(bound)
    }

    /// Lets observers have the facts, and waits until they have stored them.
    pub(super) fn share(&mut self, facts: &[Fact], tell: &mut dyn FnMut(&Notice)) {
        let last = self.store.count();
        self.observers.tell(last + 1 - facts.len() as u64, facts);
        let until = Instant::now() + OBSERVER_PATIENCE;
        while !self.observers.have(last) {
            match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(ServiceMessage::Received(at, input)) => match self.observers.hear(&input, &self.store) {
                    None => self.postponed.push_back(ServiceMessage::Received(at, input)),
                    Some(Ok(())) => {}
                    Some(Err(text)) => tell(&Notice { urgent: true, text }),
                },
                Ok(call) => self.postponed.push_back(call),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.observers.leave_behind(last);
                    let text = "an observer is too slow; the event goes on without it".to_owned();
                    tell(&Notice { urgent: true, text });
                    return;
                }
            }
        }
    }
}

/// How observing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservationEnd {
    /// The referee is gone: take its place.
    TakeOver,
    /// The service has ended in good order.
    Ended,
    /// It was to stop.
    Stopped,
}

/// The referee that is observed.
#[derive(Clone, Copy, Debug)]
pub struct ObservedReferee<'a> {
    /// `HOST:PORT`, where it lets others observe.
    pub address: &'a str,
    /// What proves that one may.
    pub token: &'a str,
    /// How it proves itself.
    pub security: &'a Security,
}

/// A referee that stands by.
pub struct StandbyReferee {
    event: EventState,
    store: EventStore,
    folder: PathBuf,
}

impl StandbyReferee {
    /// Opens the observer's own store, in a folder of its own.
    ///
    /// # Errors
    /// The store can't be used.
    pub fn open(
        mut event: EventState,
        folder: &Path,
        settings: &str,
    ) -> Result<StandbyReferee, ServiceError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| ServiceError::File("the folder of the event", error))?;
        let store = EventStore::open(&folder.join("event.sqlite"), settings, |fact| event.restore(&fact))?;
        Ok(StandbyReferee { event, store, folder: folder.to_owned() })
    }

    /// Observes a referee until it is gone.
    ///
    /// # Errors
    /// Facts can't be stored, or make no sense here; or the referee was never there.
    pub fn watch(
        &mut self,
        referee: &ObservedReferee<'_>,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<ObservationEnd, ServiceError> {
        let mut has_seen = false;
        loop {
            match self.follow(referee, stop) {
                Ok(Some(end)) => return Ok(end),
                Ok(None) => has_seen = true,
                // It was there before, and may come back.
                Err(ServiceError::ObservedReferee(..)) if has_seen => {}
                Err(error) => return Err(error),
            }
            let until = Instant::now() + LAST_TRY;
            let mut is_back = false;
            while Instant::now() < until && !is_back {
                thread::sleep(Duration::from_millis(50));
                is_back = transport::is_there(referee.address, SILENCE);
            }
            if !is_back {
                return Ok(ObservationEnd::TakeOver);
            }
            tell(&Notice { urgent: true, text: "lost the referee for a moment".to_owned() });
        }
    }

    /// Follows one connection; `None` if it broke.
    fn follow(
        &mut self,
        referee: &ObservedReferee<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<ObservationEnd>, ServiceError> {
        let failed = |error| ServiceError::ObservedReferee(referee.address.to_owned(), error);
        let mut output = transport::connect(referee.address, referee.security, SILENCE).map_err(failed)?;
        let first = self.store.count() + 1;
        output.write_all(format!("observe {} {first}\n", referee.token).as_bytes()).map_err(failed)?;
        let reader = output.reader().map_err(failed)?.with_timeout(Some(Duration::from_millis(100)));
        let mut lines = BufReader::new(reader);
        let (mut line, mut heard) = (String::new(), Instant::now());
        let mut facts = Vec::new();
        let mut is_admitted = false;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(Some(ObservationEnd::Stopped));
            }
            match lines.read_line(&mut line) {
                Ok(0) if !is_admitted => {
                    let text = "it hung up: the token is wrong, or one side speaks TLS and the other doesn't";
                    return Err(failed(io::Error::new(ErrorKind::PermissionDenied, text)));
                }
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    if heard.elapsed() > SILENCE {
                        return Ok(Some(ObservationEnd::TakeOver));
                    }
                    // What was read so far stays in the line.
                    continue;
                }
                Err(_) => return Ok(None),
            }
            (heard, is_admitted) = (Instant::now(), true);
            let is_over = line.trim_end() == "end";
            if !matches!(line.trim_end(), "alive" | "end") {
                facts.push(self.take_fact(line.trim_end(), facts.len())?);
            }
            line.clear();
            // What came together is stored together.
            let is_last = is_over || !lines.buffer().contains(&b'\n');
            if is_last && !facts.is_empty() {
                self.store.commit(&facts)?;
                facts.clear();
                output.write_all(format!("{}\n", self.store.count()).as_bytes()).map_err(failed)?;
            }
            if is_over {
                return Ok(Some(ObservationEnd::Ended));
            }
        }
    }

    /// Takes note of a fact; so many before it are not stored yet.
    fn take_fact(&mut self, line: &str, pending: usize) -> Result<Fact, ServiceError> {
        let senseless = |reason: String| {
            ServiceError::File("what the referee tells", io::Error::new(ErrorKind::InvalidData, reason))
        };
        let (number, fact) = line.split_once(' ').ok_or_else(|| senseless("no fact".to_owned()))?;
        let number: u64 = number.parse().map_err(|_| senseless("no number".to_owned()))?;
        let before = self.store.count() + pending as u64;
        if number != before + 1 {
            return Err(senseless(format!("fact {number} after {before}")));
        }
        let fact: Fact = serde_json::from_str(fact).map_err(|error| senseless(error.to_string()))?;
        self.event.restore(&fact).map_err(senseless)?;
        Ok(fact)
    }

    /// Takes the place of the referee that is gone.
    ///
    /// # Errors
    /// A file or the address can't be used.
    pub fn take_over(self, entrance: ListenConfig) -> Result<Service, ServiceError> {
        Service::around(self.event, self.store, &self.folder, entrance)
    }
}
