//! The standby referee ("observer"): it replicates the store of the active referee and takes over when that one fails.
//!
//! The observer sends `observe TOKEN NUMBER`, with the number of the first fact that it needs. It then receives a line
//! for each fact, with its number and its JSON, and acknowledges each number that it has stored. The active referee
//! sends no messages to clients before the acknowledgement. It sends `alive` as a heartbeat and `end` at the end of the
//! service.
//!
//! An observer applies facts as they arrive, so that it can take over at once. A new referee begins a new epoch.
//! Clients send the highest epoch that they know, and a referee that learns of a higher epoch than its own stops.

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
use crate::referee::settings::is_same;
use crate::referee::{ConnectionEvent, ConnectionId, EventState, EventStore, Fact, Notice};

/// Time that an observer has to store facts before the event continues without it.
const OBSERVER_PATIENCE: Duration = Duration::from_secs(1);
/// Interval of the heartbeat.
const HEARTBEAT: Duration = Duration::from_millis(400);
/// Time without a heartbeat after which the active referee is considered dead.
const SILENCE: Duration = Duration::from_secs(2);
/// Time in which an observer tries to reconnect after the active referee has closed the connection.
const LAST_TRY: Duration = Duration::from_millis(500);

/// The connected observers of a service.
#[derive(Default)]
pub(super) struct Observers {
    token: Option<String>,
    /// The connections, and the last fact that each observer has stored; `None` before it is admitted.
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

    /// Handles an input if it comes from an observer's connection. Returns a notice for the director, if any.
    pub(super) fn hear(&mut self, input: &ConnectionEvent, store: &EventStore) -> Option<Result<(), String>> {
        let (ConnectionEvent::Line(connection, _)
        | ConnectionEvent::Closed(connection)
        | ConnectionEvent::LimitExceeded(connection, _)
        | ConnectionEvent::Opened(connection)
        | ConnectionEvent::Proved(connection, _)
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

    /// Whether all observers have stored the facts up to the given number.
    pub(super) fn have(&self, number: u64) -> bool {
        self.connected.values().all(|(_, stored)| stored.is_none_or(|stored| stored >= number))
    }

    /// Disconnects the observers that have not stored the facts up to the given number.
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
        // Serialisation cannot fail: the fact has already been stored.
        let fact = serde_json::to_string(fact).unwrap_or_default();
        let _ = writeln!(lines, "{number} {fact}");
    }
    output.send_all(lines);
}

impl Service {
    /// Accepts observers at a separate address. A referee that knows the token receives all facts before clients are
    /// told of them. Returns the local address, with the actual port if port 0 was given.
    ///
    /// # Errors
    /// The address cannot be used.
    pub fn let_observe(&mut self, address: SocketAddr, token: String) -> Result<SocketAddr, ServiceError> {
        let limits = ConnectionLimits {
            connections: 8,
            per_address: 8,
            lines_per_second: u32::MAX,
            ..ConnectionLimits::default()
        };
        let _inside = self.network.enter();
        let (to_self, limiter) = (self.to_self.clone(), ConnectionLimiter::default());
        let listener = ConnectionListener::open(address, to_self, limits, limiter)
            .map_err(|error| ServiceError::Network(address, error))?;
        let (bound, next) = (listener.address, Arc::clone(&self.next_connection));
        let pulse = self.pulse.clone();
        tokio::spawn(connection::serve(listener, next, Role::Observer, self.tls.clone(), pulse));
        self.observers = Observers::new(token);
        Ok(bound)
    }

    /// Sends facts to the observers and waits for their acknowledgements.
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

/// Why observation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservationEnd {
    /// The active referee failed; the observer should take over.
    TakeOver,
    /// The service ended normally.
    Ended,
    /// Observation was stopped from outside.
    Stopped,
}

/// Address and credentials of the active referee.
#[derive(Clone, Copy, Debug)]
pub struct ObservedReferee<'a> {
    /// Address for observers, as `HOST:PORT`.
    pub address: &'a str,
    /// Token that admits observers.
    pub token: &'a str,
    /// How the active referee is authenticated.
    pub security: &'a Security,
}

/// A standby referee.
pub struct StandbyReferee {
    event: EventState,
    store: EventStore,
    folder: PathBuf,
}

impl StandbyReferee {
    /// Opens the observer's own store, in its own folder.
    ///
    /// # Errors
    /// The store cannot be used.
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

    /// Observes a referee until it fails or ends.
    ///
    /// # Errors
    /// Facts cannot be stored or do not fit, or the referee could not be reached at all.
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
                // The referee was reachable before and may return.
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

    /// Receives facts over one connection; `None` if the connection broke.
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
                    // The bytes read so far are kept in the line.
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
            // Facts that arrived together are stored together.
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

    /// Applies a received fact. `pending` is the number of earlier facts that are not yet stored.
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

    /// Makes this referee the active one.
    ///
    /// # Errors
    /// A file or the address cannot be used.
    pub fn take_over(self, entrance: ListenConfig) -> Result<Service, ServiceError> {
        Service::around(self.event, self.store, &self.folder, entrance)
    }
}
