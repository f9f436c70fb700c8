//! The referee's service: connections around an [`Event`], with its store and its papers.
//!
//! One thread decides. It hears what connections and the director say, stores what came of it, and only then sends: what
//! anybody was told is in the store. Other threads carry bytes.

mod authority;
mod delivery;
mod door;
mod live;
mod observer;
mod papers;
mod reception;
mod scribe;
mod serial;
mod shown;
mod tls;
mod wire;

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

use super::Order;
use super::event::{Connection, Event, Input, News};
use super::store::{EventStore, EventStoreError};
use door::{Census, Door};
pub use door::{Entrance, Limits};
use live::{Question, Told};
use observer::Observers;
pub use observer::{Observed, Observer, Watch};
use papers::Papers;
pub use tls::Tls;
use wire::Writer;

/// Why a service ended before its event.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Facts cannot be stored any more, or not be read.
    #[error("{}", if .0.is_damage() { DAMAGE } else { "the event stops here and can go on later" })]
    Store(#[from] EventStoreError),
    /// A file cannot be written.
    #[error("the event stops here and can go on later: {0} cannot be written: {1}")]
    Papers(&'static str, io::Error),
    /// A serial line can't be used.
    #[error("{0} can't be used: {1}")]
    Line(String, io::Error),
    /// There is no network.
    #[error("no connections can be taken at {0}: {1}")]
    Network(SocketAddr, io::Error),
    /// Another referee can't be observed.
    #[error("{0} can't be observed: {1}")]
    Observed(String, io::Error),
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
enum Call {
    Opened { at: Instant, connection: Connection, writer: Writer, address: SocketAddr, role: Role },
    Heard(Instant, Input),
    Trouble(String),
    Director(Order, Box<dyn FnOnce(Result<String, String>) + Send>),
    Question(Question, oneshot::Sender<Option<String>>),
}

/// As what somebody connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Client,
    Observer,
}

/// The way to a service for its director.
#[derive(Clone)]
pub struct Director(Sender<Call>);

impl Director {
    /// Gives an order and waits for what comes of it; `None` if the service has ended.
    pub fn order(&self, order: Order) -> Option<Result<String, String>> {
        let (answer, answered) = mpsc::channel();
        // A director who has left doesn't want to know.
        let tell = Box::new(move |done| drop(answer.send(done)));
        self.0.send(Call::Director(order, tell)).ok()?;
        answered.recv().ok()
    }
}

/// A referee's service.
pub struct Service {
    event: Event,
    store: EventStore,
    papers: Papers,
    wires: HashMap<Connection, Wire>,
    calls: Receiver<Call>,
    sender: Sender<Call>,
    /// Calls that came while something else was awaited.
    waiting: VecDeque<Call>,
    census: Census,
    network: Runtime,
    address: SocketAddr,
    tls: Option<Tls>,
    has_reported: bool,
    /// When the file of a running game may be written next.
    papers_due: Instant,
    observers: Observers,
    /// The number of the next connection.
    next_connection: Arc<AtomicU64>,
    /// The way to those who watch.
    watchers: broadcast::Sender<Told>,
    /// The latest news.
    log: VecDeque<String>,
    /// Whether the page takes orders.
    is_directed: bool,
}

struct Wire {
    writer: Writer,
}

/// How long the thread that decides waits if nothing happens.
const GLANCE: Duration = Duration::from_millis(300);
/// Files of running games are written one at a time and not too often, so that nobody waits for them: of a thousand games each is
/// written every twenty seconds.
const BETWEEN_PAPERS: Duration = Duration::from_millis(20);
/// How many calls are heard before what came of them is stored. A store costs nearly the same for one fact and for many, but the
/// first waits for the last.
const AT_ONCE: usize = 16;

impl Service {
    /// Opens the event in its folder, begun anew or where it was left, and listens. `settings` describe what an event can't
    /// change while it lasts.
    ///
    /// # Errors
    /// The store or a file can't be used, or the address.
    pub fn open(
        mut event: Event,
        folder: &Path,
        settings: &str,
        entrance: Entrance,
    ) -> Result<Service, ServiceError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| ServiceError::Papers("the folder of the event", error))?;
        let store = EventStore::open(&folder.join("event.sqlite"), settings, |fact| event.restore(&fact))?;
        Service::around(event, store, folder, entrance)
    }

    /// A service around an event that has been restored from its store.
    fn around(
        mut event: Event,
        store: EventStore,
        folder: &Path,
        Entrance { address, limits, tls }: Entrance,
    ) -> Result<Service, ServiceError> {
        let ended = event.take_outbox().records;
        let papers =
            Papers::open(folder, &event, &ended).map_err(|error| ServiceError::Papers("games.pgn", error))?;
        let (sender, calls) = mpsc::channel();
        let census = Census::default();
        let failed = |error| ServiceError::Network(address, error);
        let network = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("network")
            .enable_all()
            .build()
            .map_err(failed)?;
        // Every client needs an open file. If there are too few, the console tells of those that can't connect.
        platform::raise_file_limit();
        let door = {
            let _inside = network.enter();
            Door::open(address, sender.clone(), limits, census.clone()).map_err(failed)?
        };
        let address = door.address().map_err(failed)?;
        let next_connection = Arc::new(AtomicU64::new(1));
        let next = Arc::clone(&next_connection);
        network.spawn(wire::serve(door, next, Role::Client, tls.clone()));
        event.open(Instant::now());
        Ok(Service {
            event,
            store,
            papers,
            wires: HashMap::new(),
            calls,
            sender,
            waiting: VecDeque::new(),
            census,
            network,
            address,
            tls,
            has_reported: false,
            papers_due: Instant::now(),
            observers: Observers::default(),
            next_connection,
            watchers: live::channel(),
            log: VecDeque::new(),
            is_directed: false,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets a program sign on over a serial line.
    ///
    /// # Errors
    /// The device can't be used.
    pub fn attach(&mut self, device: &str, baud: u32) -> Result<(), ServiceError> {
        let connection = self.next_connection.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let line = Limits::default().line;
        let writer = serial::open(device, baud, line, connection, self.sender.clone())
            .map_err(|error| ServiceError::Line(device.to_owned(), error))?;
        self.wires.insert(connection, Wire { writer });
        self.event.handle(Input::Plugged(connection), Instant::now());
        Ok(())
    }

    /// The way to it for its director.
    pub fn director(&self) -> Director {
        Director(self.sender.clone())
    }

    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Referees until all games have been played or the director ends it; with `stays`, only the latter. News go to `tell`.
    ///
    /// # Errors
    /// What happens can't be stored any more. Nobody is told of what was not.
    pub fn run(&mut self, stays: bool, tell: &mut dyn FnMut(&News)) -> Result<ServiceEnd, ServiceError> {
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
            if self.event.is_outdated() {
                self.farewell(tell)?;
                return Ok(ServiceEnd::Outdated);
            }
            if self.event.is_over(now) {
                if !std::mem::replace(&mut self.has_reported, true) {
                    self.papers
                        .report(&self.event)
                        .map_err(|error| ServiceError::Papers("the report", error))?;
                    tell(&News { urgent: true, text: "all games have been played".to_owned() });
                }
                if !stays {
                    self.farewell(tell)?;
                    return Ok(ServiceEnd::Complete);
                }
            }
        }
    }

    /// Waits for calls and takes in those that are there.
    fn hear(&mut self, tell: &mut dyn FnMut(&News)) -> Result<Option<ServiceEnd>, ServiceError> {
        let mut next = self.next_call()?;
        for _ in 0..AT_ONCE {
            let Some(call) = next else { return Ok(None) };
            match call {
                Call::Opened { connection, writer, address, role: Role::Observer, .. } => {
                    self.log(Some(connection), '#', &format!("observer connected from {address}"))?;
                    self.observers.open(connection, writer);
                }
                Call::Opened { at, connection, writer, address, role: Role::Client } => {
                    self.wires.insert(connection, Wire { writer });
                    self.log(Some(connection), '#', &format!("connected from {address}"))?;
                    self.event.handle(Input::Opened(connection), at);
                }
                Call::Heard(at, input) => {
                    if self.hear_observer(&input, tell)? {
                        // It has no part in the event.
                    } else {
                        self.hear_client(input, at)?;
                    }
                }
                Call::Trouble(text) => {
                    self.log(None, '#', &text)?;
                    tell(&News { urgent: false, text });
                }
                Call::Director(Order::Quit, answer) => {
                    answer(Ok("the service ends".to_owned()));
                    return Ok(Some(ServiceEnd::Quit));
                }
                Call::Question(question, answer) => {
                    // Who has left doesn't want to know.
                    let _ = answer.send(self.answer(&question)?);
                }
                Call::Director(order, answer) => {
                    let done = self.event.obey(&order, Instant::now());
                    self.log(None, '#', &format!("director: {order:?}"))?;
                    self.deliver(tell)?;
                    // That a game is held is no fact.
                    let _ = self.watchers.send(Told::Changed);
                    answer(done);
                }
            }
            next = self.waiting.pop_front().or_else(|| self.calls.try_recv().ok());
        }
        // That was enough at once, and the next is already out of the queue.
        if let Some(call) = next {
            self.waiting.push_front(call);
        }
        Ok(None)
    }

    /// Whether this came from an observer, which was heard then.
    fn hear_observer(&mut self, input: &Input, tell: &mut dyn FnMut(&News)) -> Result<bool, ServiceError> {
        let heard = self.observers.hear(input, &self.store);
        if let Some(Err(text)) = &heard {
            self.log(None, '#', text)?;
            tell(&News { urgent: true, text: text.clone() });
        }
        Ok(heard.is_some())
    }

    fn hear_client(&mut self, input: Input, at: Instant) -> Result<(), ServiceError> {
        match &input {
            Input::Line(connection, line) => self.log(Some(*connection), '>', line)?,
            Input::Closed(connection) => {
                self.wires.remove(connection);
                self.log(Some(*connection), '#', "closed")?;
            }
            Input::Unbearable(connection, limit) => self.log(Some(*connection), '#', limit)?,
            Input::Opened(_) | Input::Plugged(_) => {}
        }
        self.event.handle(input, at);
        Ok(())
    }

    /// The next call, if there is one before the event has something to do. Uses the time to bring papers up to date.
    fn next_call(&mut self) -> Result<Option<Call>, ServiceError> {
        if let Some(call) = self.waiting.pop_front() {
            return Ok(Some(call));
        }
        let now = Instant::now();
        let mut until =
            self.event.next_deadline().map_or(now + GLANCE, |deadline| deadline.min(now + GLANCE));
        if let Ok(call) = self.calls.try_recv() {
            return Ok(Some(call));
        }
        if now >= self.papers_due {
            let written = self.papers.catch_up(&self.event);
            written.map_err(|error| ServiceError::Papers("the file of a running game", error))?;
            self.papers_due = Instant::now() + BETWEEN_PAPERS;
        }
        if self.papers.is_behind() {
            until = until.min(self.papers_due);
        }
        match self.calls.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(call) => Ok(Some(call)),
            // Disconnected: not reached, we hold a sender ourselves.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    /// Ends the threads of the network.
    pub fn close(self) {
        self.network.shutdown_timeout(Duration::from_millis(100));
    }
}
