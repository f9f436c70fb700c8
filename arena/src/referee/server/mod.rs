//! The referee's service: connections around an [`EventState`], with its store and its files.
//!
//! One thread decides. It hears what connections and the director say, stores what came of it, and only then sends: what
//! anybody was told is in the store. Other threads carry bytes.

mod connection;
mod delivery;
mod director_auth;
mod file_writer;
mod files;
mod listener;
mod observer;
mod page;
mod page_data;
mod page_listener;
mod serial;
mod tls;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::{broadcast, oneshot};

use super::event::{ConnectionEvent, ConnectionId, EventState, Notice};
use super::store::{EventStore, EventStoreError};
use connection::LineSender;
use files::EventFiles;
use listener::{ConnectionLimiter, ConnectionListener};
pub use listener::{ConnectionLimits, ListenConfig};
use observer::Observers;
pub use observer::{ObservationEnd, ObservedReferee, StandbyReferee};
use page::{PageQuery, PageUpdate};
pub use tls::Tls;

/// Why a service ended before its event.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Facts cannot be stored any more, or not be read.
    #[error("{}", if .0.is_damage() { DAMAGE } else { "the event stops here and can go on later" })]
    Store(#[from] EventStoreError),
    /// A file cannot be written.
    #[error("the event stops here and can go on later: {0} cannot be written: {1}")]
    File(&'static str, io::Error),
    /// A serial line can't be used.
    #[error("{0} can't be used: {1}")]
    Line(String, io::Error),
    /// There is no network.
    #[error("no connections can be taken at {0}: {1}")]
    Network(SocketAddr, io::Error),
    /// Another referee can't be observed.
    #[error("{0} can't be observed: {1}")]
    ObservedReferee(String, io::Error),
}

/// What is left to do when the store has lost something.
const DAMAGE: &str =
    "the store is damaged; only with a copy of it, such as an observer's, the event can go on";

/// How a service ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEnd {
    /// All games have been played.
    Complete,
    /// The director has ended it.
    Quit,
    /// Another referee has taken over.
    Outdated,
}

/// What the thread that decides hears.
enum ServiceMessage {
    Connected { at: Instant, id: ConnectionId, output: LineSender, address: SocketAddr, role: Role },
    Received(Instant, ConnectionEvent),
    Warning(String),
    Command(String, oneshot::Sender<Result<String, String>>),
    Quit,
    Query(PageQuery, oneshot::Sender<Option<String>>),
}

/// As what somebody connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Client,
    Observer,
}

/// The way to a service for its director.
#[derive(Clone)]
pub struct Director(Sender<ServiceMessage>);

impl Director {
    /// Gives an order (see [`EventState::obey`]) and waits for what comes of it; `None` if the service has ended.
    pub fn order(&self, words: String) -> Option<Result<String, String>> {
        self.send(words).blocking_recv().ok()
    }

    /// Gives an order. What comes of it comes later, and never if the service has ended.
    fn send(&self, words: String) -> oneshot::Receiver<Result<String, String>> {
        let (answer, answered) = oneshot::channel();
        let _ = self.0.send(ServiceMessage::Command(words, answer));
        answered
    }

    /// Ends the service; `false` if it has ended already. The event can go on later.
    pub fn quit(&self) -> bool {
        self.0.send(ServiceMessage::Quit).is_ok()
    }
}

/// A referee's service.
pub struct Service {
    /// The event.
    pub event: EventState,
    store: EventStore,
    files: EventFiles,
    connections: HashMap<ConnectionId, LineSender>,
    inbox: Receiver<ServiceMessage>,
    to_self: Sender<ServiceMessage>,
    /// Calls that came while something else was awaited.
    postponed: VecDeque<ServiceMessage>,
    limiter: ConnectionLimiter,
    network: Runtime,
    /// Where it listens.
    pub address: SocketAddr,
    tls: Option<Tls>,
    has_reported: bool,
    /// When the file of a running game may be written next.
    files_due: Instant,
    observers: Observers,
    /// The number of the next connection.
    next_connection: Arc<AtomicU64>,
    /// The way to those who watch.
    watchers: broadcast::Sender<PageUpdate>,
    /// The latest news.
    log: VecDeque<String>,
    /// Whether the page takes orders.
    is_directed: bool,
}

/// How long the thread that decides waits if nothing happens.
const GLANCE: Duration = Duration::from_millis(300);
/// Files of running games are written one at a time and not too often, so that nobody waits for them: of a thousand games each is
/// written every twenty seconds.
const BETWEEN_FILES: Duration = Duration::from_millis(20);
/// How many inbox are heard before what came of them is stored. A store costs nearly the same for one fact and for many, but the
/// first waits for the last.
const AT_ONCE: usize = 16;

impl Service {
    /// Opens the event in its folder, begun anew or where it was left, and listens. `settings` describe what an event can't
    /// change while it lasts.
    ///
    /// # Errors
    /// The store or a file can't be used, or the address.
    pub fn open(
        event: EventState,
        folder: &Path,
        settings: &str,
        entrance: ListenConfig,
    ) -> Result<Service, ServiceError> {
        StandbyReferee::open(event, folder, settings)?.take_over(entrance)
    }

    /// A service around an event that has been restored from its store.
    fn around(
        mut event: EventState,
        store: EventStore,
        folder: &Path,
        ListenConfig { address, limits, tls }: ListenConfig,
    ) -> Result<Service, ServiceError> {
        let ended = event.take_effects().finished;
        let files = EventFiles::open(folder, &event, &ended)
            .map_err(|error| ServiceError::File("games.pgn", error))?;
        let (to_self, inbox) = mpsc::channel();
        let limiter = ConnectionLimiter::default();
        let failed = |error| ServiceError::Network(address, error);
        let network = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("network")
            .enable_all()
            .build()
            .map_err(failed)?;
        // Every client needs an open file. If there are too few, the console tells of those that can't connect.
        platform::raise_file_limit();
        let listener = {
            let _inside = network.enter();
            ConnectionListener::open(address, to_self.clone(), limits, limiter.clone()).map_err(failed)?
        };
        let address = listener.address().map_err(failed)?;
        let next_connection = Arc::new(AtomicU64::new(1));
        let next = Arc::clone(&next_connection);
        network.spawn(connection::serve(listener, next, Role::Client, tls.clone()));
        event.open(Instant::now());
        Ok(Service {
            event,
            store,
            files,
            connections: HashMap::new(),
            inbox,
            to_self,
            postponed: VecDeque::new(),
            limiter,
            network,
            address,
            tls,
            has_reported: false,
            files_due: Instant::now(),
            observers: Observers::default(),
            next_connection,
            watchers: page::channel(),
            log: VecDeque::new(),
            is_directed: false,
        })
    }

    /// Lets a program sign on over a serial line.
    ///
    /// # Errors
    /// The device can't be used.
    pub fn attach(&mut self, device: &str, baud: u32) -> Result<(), ServiceError> {
        let connection = self.next_connection.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let output = serial::open(device, baud, connection, self.to_self.clone())
            .map_err(|error| ServiceError::Line(device.to_owned(), error))?;
        self.connections.insert(connection, output);
        self.event.handle(ConnectionEvent::SerialLine(connection), Instant::now());
        Ok(())
    }

    /// The way to it for its director.
    pub fn director(&self) -> Director {
        Director(self.to_self.clone())
    }

    /// Referees until all games have been played or the director ends it; with `stays`, only the latter. Notice go to `tell`.
    ///
    /// # Errors
    /// What happens can't be stored any more. Nobody is told of what was not.
    pub fn run(&mut self, stays: bool, tell: &mut dyn FnMut(&Notice)) -> Result<ServiceEnd, ServiceError> {
        self.deliver(tell)?;
        loop {
            if let Some(end) = self.hear(tell)? {
                self.farewell(tell)?;
                return Ok(end);
            }
            let now = Instant::now();
            self.observers.show_life(now);
            self.event.tick(now);
            self.deliver(tell)?;
            if self.event.outdated {
                self.farewell(tell)?;
                return Ok(ServiceEnd::Outdated);
            }
            if self.event.is_over(now) {
                if !std::mem::replace(&mut self.has_reported, true) {
                    self.files
                        .report(&self.event)
                        .map_err(|error| ServiceError::File("the report", error))?;
                    tell(&Notice { urgent: true, text: "all games have been played".to_owned() });
                }
                if !stays {
                    self.farewell(tell)?;
                    return Ok(ServiceEnd::Complete);
                }
            }
        }
    }

    /// Waits for inbox and takes in those that are there.
    fn hear(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<Option<ServiceEnd>, ServiceError> {
        let mut next = self.next_message()?;
        for _ in 0..AT_ONCE {
            let Some(message) = next else { return Ok(None) };
            match message {
                ServiceMessage::Connected { id, output, address, role: Role::Observer, .. } => {
                    self.log(Some(id), '#', &format!("observer connected from {address}"))?;
                    self.observers.open(id, output);
                }
                ServiceMessage::Connected { at, id, output, address, role: Role::Client } => {
                    self.connections.insert(id, output);
                    self.log(Some(id), '#', &format!("connected from {address}"))?;
                    self.event.handle(ConnectionEvent::Opened(id), at);
                }
                ServiceMessage::Received(at, input) => {
                    // An observer has no part in the event.
                    if !self.hear_observer(&input, tell)? {
                        self.hear_client(input, at)?;
                    }
                }
                ServiceMessage::Warning(text) => {
                    self.log(None, '#', &text)?;
                    tell(&Notice { urgent: false, text });
                }
                ServiceMessage::Quit => return Ok(Some(ServiceEnd::Quit)),
                ServiceMessage::Query(query, answer) => {
                    // Who has left doesn't want to know.
                    let _ = answer.send(self.answer(&query)?);
                }
                ServiceMessage::Command(words, answer) => {
                    let done = self.event.obey(&words, Instant::now());
                    self.log(None, '#', &format!("director: {words}"))?;
                    self.deliver(tell)?;
                    // That a game is held is no fact.
                    let _ = self.watchers.send(PageUpdate::Changed);
                    // A director who has left doesn't want to know.
                    let _ = answer.send(done);
                }
            }
            next = self.postponed.pop_front().or_else(|| self.inbox.try_recv().ok());
        }
        // That was enough at once, and the next is already out of the queue.
        if let Some(message) = next {
            self.postponed.push_front(message);
        }
        Ok(None)
    }

    /// Whether this came from an observer, which was heard then.
    fn hear_observer(
        &mut self,
        input: &ConnectionEvent,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<bool, ServiceError> {
        let heard = self.observers.hear(input, &self.store);
        if let Some(Err(text)) = &heard {
            self.log(None, '#', text)?;
            tell(&Notice { urgent: true, text: text.clone() });
        }
        Ok(heard.is_some())
    }

    fn hear_client(&mut self, input: ConnectionEvent, at: Instant) -> Result<(), ServiceError> {
        match &input {
            ConnectionEvent::Line(connection, line) => self.log(Some(*connection), '>', line)?,
            ConnectionEvent::Closed(connection) => {
                self.connections.remove(connection);
                self.log(Some(*connection), '#', "closed")?;
            }
            ConnectionEvent::LimitExceeded(connection, limit) => self.log(Some(*connection), '#', limit)?,
            ConnectionEvent::Opened(_) | ConnectionEvent::SerialLine(_) => {}
        }
        self.event.handle(input, at);
        Ok(())
    }

    /// The next message, if there is one before the event has something to do. Uses the time to bring files up to date.
    fn next_message(&mut self) -> Result<Option<ServiceMessage>, ServiceError> {
        if let Some(message) = self.postponed.pop_front() {
            return Ok(Some(message));
        }
        let now = Instant::now();
        let mut until =
            self.event.next_deadline().map_or(now + GLANCE, |deadline| deadline.min(now + GLANCE));
        if let Ok(message) = self.inbox.try_recv() {
            return Ok(Some(message));
        }
        if now >= self.files_due {
            let written = self.files.catch_up(&self.event);
            written.map_err(|error| ServiceError::File("the file of a running game", error))?;
            self.files_due = Instant::now() + BETWEEN_FILES;
        }
        if !self.files.behind.is_empty() {
            until = until.min(self.files_due);
        }
        match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            // Disconnected: not reached, we hold a to_self ourselves.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    /// Ends the threads of the network.
    pub fn close(self) {
        self.network.shutdown_timeout(Duration::from_millis(100));
    }
}
