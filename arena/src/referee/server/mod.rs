//! The referee's service: connections around an [`EventState`], its store and its files.
//!
//! One thread makes all decisions. It receives the input of connections and of the director, stores the resulting
//! facts, and only then sends messages: everything that a client was told is in the store. Other threads only transfer
//! bytes.

mod connection;
mod delivery;
mod files;
mod kibitzer;
mod listener;
mod match_page;
mod observer;
mod page;
mod proofs;
mod pulse;
mod rate;
mod shown;
mod standby;
mod succession;
mod term;
#[cfg(test)]
mod tests;
mod tls;
mod witness;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use pages::PageLine;
use tokio::runtime::Runtime;
use tokio::sync::{broadcast, oneshot};

use super::director::Instruction;
use super::history::Note;
use super::intake::FactStore as _;
use super::reign::Referee;
use super::view::Opinions;
use super::{
    CONSOLE, ConnectionEvent, ConnectionId, Effects, EventState, EventStore, EventStoreError, Notice, Order,
};
use connection::LineSender;
use files::EventFiles;
use kibitzer::Kibitzing;
pub use kibitzer::{KibitzedPosition, KibitzerSeat, KibitzingEnded};
use listener::{ConnectionLimiter, ConnectionListener};
pub use listener::{ConnectionLimits, ListenConfig};
pub use match_page::{MatchFigure, MatchPage, PageHeading};
use observer::Observers;
use page::{PageQuery, PageUpdate};
use proofs::ProofThread;
use pulse::Pulse;
use rate::RateLimiter;
pub use standby::{ObservationEnd, StandbyReferee, TrustedPeer};
use succession::Predecessor;
use term::Claims;
pub use tls::Tls;
#[cfg(test)]
pub(super) use witness::Grants;
pub use witness::Witness;

/// Why a service failed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Facts cannot be stored or read.
    #[error("{}", advice(.0))]
    Store(#[from] EventStoreError),
    /// A file cannot be written.
    #[error(
        "{0} cannot be written: {1}; the event stops here, and goes on with the same command when that is mended"
    )]
    File(&'static str, io::Error),
    /// The folder contradicts itself. Nothing was written.
    #[error("{folder} can't be used: {reason}")]
    Folder {
        /// The folder of the event.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A serial line cannot be used.
    #[error("{0} can't be used: {1}")]
    Line(String, io::Error),
    /// The address cannot be listened at.
    #[error("no connections can be taken at {0}: {1}")]
    Network(SocketAddr, io::Error),
    /// The store is an older copy, or a new one: an observer has what this referee has told from a fact on.
    #[error(
        "the store here is new, or an older copy: the observer has what was told from fact {0} on, so that nothing more is told from here; the \
         observer takes over if it may, and then tells this referee, started again, how the event goes on; else copy its folder"
    )]
    OlderCopy(u64),
    /// Another referee cannot be observed.
    #[error("{0} can't be observed: {1}")]
    ObservedReferee(String, io::Error),
    /// Another referee is there, and refuses to be observed, or tells what can't be. Carries its address and the reason.
    #[error("{0} can't be observed: {1}")]
    Refused(String, String),
}

/// What an error of the store means for the event.
fn advice(error: &EventStoreError) -> &'static str {
    match error {
        // The event may go on at another referee, or under its own settings.
        EventStoreError::InUse(_) | EventStoreError::OtherEvent { .. } | EventStoreError::Uncounted(_) => {
            "the folder can't be used"
        }
        error if error.is_damage() => {
            "the store is damaged; only with a copy of it, such as an observer's, the event can go on"
        }
        _ => "the event stops here and can go on later",
    }
}

/// Why a service ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEnd {
    /// All games have been played.
    Complete,
    /// The director ended it.
    Quit,
    /// The director paused it; clients look for it again.
    Pause,
    /// Another referee has taken over.
    Outdated,
}

/// A message to the deciding thread.
enum ServiceMessage {
    Connected {
        at: Instant,
        id: ConnectionId,
        output: LineSender,
        address: SocketAddr,
        role: Role,
    },
    Received(Instant, ConnectionEvent),
    Warning(String),
    Command(Order, oneshot::Sender<Result<String, String>>),
    Quit {
        is_pause: bool,
    },
    /// The referee from which this one has taken over knows the end of the event.
    EndKnown,
    /// The witness has answered a claim for an epoch.
    Claimed(u64, io::Result<bool>),
    Query(PageQuery, oneshot::Sender<Option<String>>),
    /// A third program's opinion on a game after so many plies.
    Opinion(u64, usize, PageLine),
}

impl ServiceMessage {
    /// The moment at which it came, if that matters.
    fn at(&self) -> Option<Instant> {
        match self {
            ServiceMessage::Connected { at, .. } | ServiceMessage::Received(at, _) => Some(*at),
            _ => None,
        }
    }
}

/// The role of a listener's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Client,
    Observer,
}

/// The programs that this machine runs for the referee. Nothing may wait for long here: moves do.
pub trait LocalPrograms: Send {
    /// Starts a program that has ended or was stopped. Returns the reply to the director; whether it could be started may show
    /// later.
    ///
    /// # Errors
    /// It is no such program, or it is running.
    fn start(&mut self, name: &str) -> Result<String, String>;

    /// Ends a program. Returns the reply to the director.
    ///
    /// # Errors
    /// It is no such program, or it is not running.
    fn stop(&mut self, name: &str) -> Result<String, String>;
}

/// A handle with which the director sends commands to a service.
#[derive(Clone)]
pub struct Director(Sender<ServiceMessage>);

impl Director {
    /// Sends an order (see [`EventState::obey`]) and waits for its result; `None` if the service has ended. If the order needs to be
    /// confirmed, the result is the question whether it is meant, and nothing has changed (see [`EventState::question`]).
    pub fn order(&self, order: Order) -> Option<Result<String, String>> {
        self.send(order).blocking_recv().ok()
    }

    /// Sends an order. The receiver gets its result, or an error if the service has ended.
    fn send(&self, order: Order) -> oneshot::Receiver<Result<String, String>> {
        let (answer, answered) = oneshot::channel();
        let _ = self.0.send(ServiceMessage::Command(order, answer));
        answered
    }

    /// Tells the director something about a local program.
    pub fn report(&self, text: String) {
        // Sending fails only if the service has ended.
        let _ = self.0.send(ServiceMessage::Warning(text));
    }

    /// Ends the service; `false` if it has already ended. The event can be resumed later. In a pause the clients are not
    /// told, and look for the referee until it is there again.
    pub fn quit(&self, is_pause: bool) -> bool {
        self.0.send(ServiceMessage::Quit { is_pause }).is_ok()
    }
}

/// What is held back until the observer has the facts on which it rests.
enum Held {
    /// Facts and what follows from them.
    Effects(Effects),
    /// The answer to an order of the director.
    Answer(Result<String, String>, oneshot::Sender<Result<String, String>>),
    /// The answer to a request of the page.
    Page(Option<String>, oneshot::Sender<Option<String>>),
}

/// A referee's service.
pub struct Service {
    /// The event, its store, and the rules by which this referee acts.
    referee: Referee<EventStore, Held>,
    files: EventFiles,
    connections: HashMap<ConnectionId, LineSender>,
    inbox: Receiver<ServiceMessage>,
    to_self: Sender<ServiceMessage>,
    /// Messages received while waiting for something else.
    postponed: VecDeque<ServiceMessage>,
    /// What came before this moment has been handled. No flag may fall later: a reply that was in time may wait in the queue.
    heard_until: Instant,
    limiter: ConnectionLimiter,
    network: Runtime,
    /// Local address of the listener.
    pub address: SocketAddr,
    tls: Option<Tls>,
    /// Number of facts at the time of the final report, if there was one.
    reported: Option<u64>,
    /// Earliest time at which the file of a game in play may be written again.
    files_due: Instant,
    observers: Observers,
    claims: Claims,
    /// The referee that has to know the end, because this one has taken over from it.
    predecessor: Option<Predecessor>,
    /// Whether the open pages were not told of a change, because something was held back.
    has_unshown: bool,
    proofs: ProofThread,
    pulse: Pulse,
    /// Limits what is logged of connections that nobody has signed on over, in bytes.
    strangers: RateLimiter,
    /// Number of their lines that were not logged.
    unlogged: u64,
    /// Identifier of the next connection.
    next_connection: Arc<AtomicU64>,
    /// Channel to the open pages.
    watchers: broadcast::Sender<PageUpdate>,
    /// The latest notices.
    log: VecDeque<String>,
    /// Whether the page accepts commands of the director.
    is_directed: bool,
    /// Maximum number of connections of the page, and of observers.
    for_page: usize,
    for_observers: usize,
    locals: Option<Box<dyn LocalPrograms>>,
    /// What a third program thinks of the games, for the page.
    opinions: BTreeMap<u64, Opinions>,
    /// The third program, if there is one.
    kibitzing: Option<Kibitzing>,
}

/// Longest time that the deciding thread waits for a message.
const GLANCE: Duration = Duration::from_millis(200);
/// Interval between two files of games in play. They are written one at a time so that no client waits for them; with a
/// thousand games, each is written every twenty seconds.
const BETWEEN_FILES: Duration = Duration::from_millis(20);
/// Maximum number of messages handled before the resulting facts are stored. Storing one fact costs nearly as much as
/// storing many, but the first reply has to wait for the last.
const AT_ONCE: usize = 16;
/// Bytes of log that strangers may cause in a second.
const STRANGERS_LOG: f64 = 2048.0;
/// Number of open files that are for the event itself.
const RESERVED_FILES: usize = 64;
/// Number of open files without which a referee does not begin.
const LEAST_FILES: usize = 128;

impl Service {
    /// Begins or resumes the event in its folder, and listens. `settings` describes the settings that cannot change
    /// during an event. With a witness the event goes on when its observer has died.
    ///
    /// # Errors
    /// The store, a file or the address cannot be used.
    pub fn open(
        event: EventState,
        folder: &Path,
        settings: &str,
        entrance: ListenConfig,
        witness: Option<TrustedPeer>,
    ) -> Result<Service, ServiceError> {
        StandbyReferee::open_with(standby::FOR_ACTING, event, folder, settings, witness)?.take_over(entrance)
    }

    /// Makes a service from an event that has been restored from its store.
    fn around(
        referee: Referee<EventStore, Held>,
        folder: &Path,
        ListenConfig { address, limits, tls }: ListenConfig,
        witness: Option<TrustedPeer>,
    ) -> Result<Service, ServiceError> {
        let event_files = EventFiles::open(folder, &referee.event)
            .map_err(|error| ServiceError::File("a file of it", error))?;
        let (to_self, inbox) = mpsc::channel();
        let limiter = ConnectionLimiter::default();
        let failed = |error| ServiceError::Network(address, error);
        let network = network_runtime().map_err(failed)?;
        let shares = FileShares::of_this_process().map_err(failed)?;
        let limits = ConnectionLimits { connections: limits.connections.min(shares.clients), ..limits };
        let proofs = ProofThread::start(to_self.clone()).map_err(failed)?;
        let listening = network.enter();
        let pulse = Pulse::start();
        let listener =
            ConnectionListener::open(address, to_self.clone(), limits, limiter.clone()).map_err(failed)?;
        drop(listening);
        let address = listener.address;
        let next_connection = Arc::new(AtomicU64::new(1));
        let next = Arc::clone(&next_connection);
        network.spawn(connection::serve(listener, next, Role::Client, tls.clone(), pulse.clone()));
        Ok(Service {
            referee,
            files: event_files,
            connections: HashMap::new(),
            inbox,
            to_self,
            postponed: VecDeque::new(),
            heard_until: Instant::now(),
            limiter,
            network,
            address,
            tls,
            reported: None,
            files_due: Instant::now(),
            observers: Observers::default(),
            claims: Claims::new(witness),
            predecessor: None,
            has_unshown: false,
            proofs,
            pulse,
            strangers: RateLimiter::new(STRANGERS_LOG, 16.0 * STRANGERS_LOG),
            unlogged: 0,
            next_connection,
            watchers: page::channel(),
            log: VecDeque::new(),
            is_directed: false,
            for_page: shares.page,
            for_observers: shares.observers,
            locals: None,
            opinions: BTreeMap::new(),
            kibitzing: None,
        })
    }

    /// The event.
    pub fn event(&self) -> &EventState {
        &self.referee.event
    }

    /// Accepts sign-ons over a serial line.
    ///
    /// # Errors
    /// The device cannot be used.
    pub fn attach(&mut self, device: &str, baud: u32) -> Result<(), ServiceError> {
        let connection = self.next_connection.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let output = connection::open_serial(device, baud, connection, self.to_self.clone())
            .map_err(|error| ServiceError::Line(device.to_owned(), error))?;
        self.connections.insert(connection, output);
        self.referee.event.handle(ConnectionEvent::SerialLine(connection), Instant::now());
        Ok(())
    }

    /// Returns a handle for the director.
    pub fn director(&self) -> Director {
        Director(self.to_self.clone())
    }

    /// Runs the service until all games have been played or the director ends it; if `stays` is set, until the director
    /// ends it. Notices are passed to `tell`.
    ///
    /// # Errors
    /// A fact cannot be stored. Nobody was told of its effects.
    pub fn run(&mut self, stays: bool, tell: &mut dyn FnMut(&Notice)) -> Result<ServiceEnd, ServiceError> {
        let begin = Instant::now();
        if !stays && self.referee.store.history.is_over() {
            if self.referee.is_end_told() {
                return self.end_again(tell);
            }
            self.wait_at_the_end(begin, tell)?;
        }
        self.referee.is_settled = false;
        self.keep_lease(begin, tell)?;
        self.deliver(tell)?;
        loop {
            if let Some(end) = self.hear(tell)? {
                let end = self.settle(end, tell)?;
                if end != ServiceEnd::Outdated {
                    self.farewell(end, tell)?;
                }
                return Ok(end);
            }
            let now = Instant::now();
            if self.referee.has_lost_successor(now) {
                return Ok(ServiceEnd::Outdated);
            }
            self.keep_lease(now, tell)?;
            self.beat(now);
            if self.referee.is_acting() {
                self.referee.event.tick(self.heard_until.min(now));
            }
            self.deliver(tell)?;
            if self.referee.is_acting() && self.referee.event.is_over(now) && !self.referee.lease.holds() {
                self.close_event(stays, now, tell)?;
            }
            if !stays && self.may_go_home(now) {
                if !self.referee.is_acting() {
                    return self.end_again(tell);
                }
                self.farewell(ServiceEnd::Complete, tell)?;
                return Ok(ServiceEnd::Complete);
            }
        }
    }

    /// Reports the end of an event, and sends the programs home.
    fn close_event(
        &mut self,
        stays: bool,
        now: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        let reported = self.reported.replace(self.referee.store.count());
        // The other referee may know the end already, without what would be ordered here.
        self.referee.is_settled = !stays;
        if reported != self.reported {
            self.referee.store.note(Note::Over)?;
            if !stays {
                // Writing may take longer than the observer waits; nothing is left to take over.
                self.wait_at_the_end(now, tell)?;
                self.may_go_home(now);
            }
            self.report()?;
            let text = match reported {
                None => "all games have been played",
                Some(_) => "the report is written anew",
            };
            tell(&Notice { urgent: reported.is_none(), text: text.to_owned() });
        }
        if !stays {
            self.referee.event.send_home(now);
            self.deliver(tell)?;
        }
        Ok(())
    }

    /// Ends the service of an event that was over before. Everybody who was there then was told. The files may have been lost since.
    fn end_again(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<ServiceEnd, ServiceError> {
        let text = if self.files.are_complete(&self.referee.event) {
            "all games have been played; nothing is written anew"
        } else {
            self.write_end(tell)?;
            "all games have been played; games.pgn and the report are written anew"
        };
        tell(&Notice { urgent: false, text: text.to_owned() });
        Ok(ServiceEnd::Complete)
    }

    /// Waits for a message and handles it together with those already in the queue.
    fn hear(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<Option<ServiceEnd>, ServiceError> {
        let mut next = self.next_message()?;
        for _ in 0..AT_ONCE {
            let Some(message) = next else { return Ok(None) };
            self.heard_until = message.at().unwrap_or(self.heard_until);
            self.keep_lease(Instant::now(), tell)?;
            match message {
                ServiceMessage::Connected { id, output, address, role: Role::Observer, .. } => {
                    self.log_stranger(Some(id), '#', &format!("observer connected from {address}"))?;
                    self.observers.open(id, output);
                }
                // Clients go on to the referee that acts.
                ServiceMessage::Connected { role: Role::Client, .. } if !self.referee.is_acting() => {}
                ServiceMessage::Connected { at, id, output, address, role: Role::Client } => {
                    self.connections.insert(id, output);
                    self.log_stranger(Some(id), '#', &format!("connected from {address}"))?;
                    self.referee.event.handle(ConnectionEvent::Opened(id), at);
                }
                ServiceMessage::Received(at, input) => {
                    // An observer is not a participant of the event.
                    if !self.observers.have(&input) {
                        self.hear_client(input, at)?;
                    } else if let Some(end) = self.hear_observer(&input, at, tell)? {
                        return Ok(Some(end));
                    }
                }
                ServiceMessage::Warning(text) => {
                    if self.log_stranger(None, '#', &text)? {
                        tell(&Notice { urgent: false, text });
                    }
                }
                ServiceMessage::Opinion(game, ply, opinion) => self.hear_opinion(game, ply, opinion),
                ServiceMessage::EndKnown => self.end_is_known()?,
                ServiceMessage::Claimed(epoch, granted) => self.hear_witness(epoch, granted, tell)?,
                ServiceMessage::Quit { is_pause: false } => return Ok(Some(ServiceEnd::Quit)),
                ServiceMessage::Quit { is_pause: true } => return Ok(Some(ServiceEnd::Pause)),
                ServiceMessage::Query(query, answer) => {
                    let found = page::answer(self, &query)?;
                    self.referee.lease.hold(self.referee.store.count(), Held::Page(found, answer));
                }
                ServiceMessage::Command(order, answer) => {
                    let done = self.carry_out(&order, tell)?;
                    self.deliver(tell)?;
                    if done.is_err() || !self.referee.is_acting() {
                        // It rests on no fact, and would wait as long as the observer is not there.
                        drop(answer.send(done));
                    } else {
                        self.referee.lease.hold(self.referee.store.count(), Held::Answer(done, answer));
                        self.release(tell)?;
                    }
                }
            }
            next = self.take_message();
        }
        // The batch is full, and the next message has already been taken from the queue.
        if let Some(message) = next {
            self.postponed.push_front(message);
        }
        Ok(None)
    }

    /// How the service ends: `quit` after the last game is no early end. Then there is a report.
    fn settle(&mut self, end: ServiceEnd, tell: &mut dyn FnMut(&Notice)) -> Result<ServiceEnd, ServiceError> {
        if end != ServiceEnd::Quit {
            return Ok(end);
        }
        if !self.referee.is_acting() {
            // It may wait for the other one after the end.
            return Ok(if self.referee.store.history.is_over() { ServiceEnd::Complete } else { end });
        }
        self.deliver(tell)?;
        if !self.referee.event.has_ended() || self.referee.lease.holds() {
            return Ok(end);
        }
        if self.reported != Some(self.referee.store.count()) {
            self.report()?;
        }
        self.referee.store.note(Note::Over)?;
        Ok(ServiceEnd::Complete)
    }

    /// Carries out an order of the director. Of one that can't be undone and is not confirmed, the answer is the question whether it is
    /// meant.
    fn carry_out(
        &mut self,
        order: &Order,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Result<String, String>, ServiceError> {
        // The facts of a game are read from the store.
        self.deliver(tell)?;
        let is_question = order.needs_confirmation();
        let text = format!("order ({}): {}", order.by(), order.words());
        self.log(None, '#', &(text.clone() + if is_question { " (not confirmed)" } else { "" }))?;
        if order.by() != CONSOLE && !is_question {
            tell(&Notice { urgent: false, text });
        }
        let now = Instant::now();
        let (is_acting, instruction) = (self.referee.is_acting(), order.instruction());
        let is_shown =
            matches!(instruction, Ok(Instruction::Status | Instruction::Pairings | Instruction::Help));
        let done = match (&instruction, &mut self.locals) {
            (Ok(Instruction::Alone { is_other_lost }), _) => self.go_alone(*is_other_lost, now),
            (Ok(Instruction::Quit { is_pause }), _) if !is_question => {
                // It is handled after this order; the receiver is this service.
                let _ = self.to_self.send(ServiceMessage::Quit { is_pause: *is_pause });
                Ok(if *is_pause { "the service pauses" } else { "the service ends" }.to_owned())
            }
            _ if !is_acting => Err("the event waits for its observer".to_owned()),
            _ if self.referee.is_settled && !is_shown => {
                Err("all games have been played; orders after the last one need --stay".to_owned())
            }
            (Ok(Instruction::Start(name)), Some(locals)) => locals.start(name),
            (Ok(Instruction::Stop(name)), Some(locals)) => locals.stop(name),
            (Ok(Instruction::Status), _) => {
                let status = self.referee.event.obey(order, &|_| Ok(Vec::new()), now);
                status.map(|status| status + "\n" + &self.about_observer())
            }
            _ => {
                let past = |game| self.referee.store.game(game).map_err(|error| error.to_string());
                if is_question {
                    self.referee.event.question(order, &past, now)
                } else {
                    self.referee.event.obey(order, &past, now)
                }
            }
        };
        match (&done, instruction) {
            (Err(why), _) => self.log(None, '#', &format!("refused: {}", game::excerpt(why)))?,
            // The event has not seen these.
            (Ok(_), Ok(Instruction::Alone { .. } | Instruction::Start(_) | Instruction::Stop(_))) => {
                self.referee.event.note_order(order);
            }
            _ => {}
        }
        Ok(done)
    }

    /// Tells whether somebody can take over.
    fn about_observer(&self) -> String {
        let lacks = self.referee.store.count().saturating_sub(self.referee.lease.stored());
        match (self.referee.observer(), self.referee.lease.connection()) {
            (None, None) => "observer: none".to_owned(),
            (Some(observer), None) => format!("observer {observer:x}: not connected"),
            (named, Some(connection)) => {
                let by = named.or(self.referee.lease.observer()).unwrap_or_default();
                let address = self.observers.address(connection);
                let state = match (lacks, named) {
                    (0, Some(_)) => "up to date; it may take over".to_owned(),
                    (0, None) => "up to date".to_owned(),
                    _ => format!("{} behind", game::counted(lacks, "fact")),
                };
                format!("observer {by:x} at {address}: {state}")
            }
        }
    }

    /// Lets the director start and stop the programs of this machine.
    pub fn manage(&mut self, locals: Box<dyn LocalPrograms>) {
        self.locals = Some(locals);
    }

    fn hear_client(&mut self, input: ConnectionEvent, at: Instant) -> Result<(), ServiceError> {
        match &input {
            // A heartbeat.
            ConnectionEvent::Line(_, line) if line.is_empty() => {}
            ConnectionEvent::Line(connection, line) => self.log_line(*connection, '>', line)?,
            ConnectionEvent::Closed(connection) => {
                self.log_line(*connection, '#', "closed")?;
                self.connections.remove(connection);
            }
            ConnectionEvent::LimitExceeded(connection, limit) => self.log_line(*connection, '#', limit)?,
            ConnectionEvent::Opened(_) | ConnectionEvent::SerialLine(_) | ConnectionEvent::Proved(..) => {}
        }
        if self.referee.is_acting() {
            self.referee.event.handle(input, at);
        }
        Ok(())
    }

    /// Returns the next message, or `None` when a timer of the event is due. Updates files while it waits.
    fn next_message(&mut self) -> Result<Option<ServiceMessage>, ServiceError> {
        if let Some(message) = self.take_message() {
            return Ok(Some(message));
        }
        let now = Instant::now();
        let mut until =
            self.referee.event.next_deadline().map_or(now + GLANCE, |deadline| deadline.min(now + GLANCE));
        if now >= self.files_due {
            let written = self.files.catch_up(&self.referee.event);
            written.map_err(|error| ServiceError::File("the file of a running game", error))?;
            self.files_due = Instant::now() + BETWEEN_FILES;
        }
        if !self.files.behind.is_empty() {
            until = until.min(self.files_due);
        }
        match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            // Disconnection cannot happen, because we hold the sender `to_self`.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(self.take_message()),
        }
    }

    /// Takes a message that has come already.
    fn take_message(&mut self) -> Option<ServiceMessage> {
        let now = Instant::now();
        let message = self.postponed.pop_front().or_else(|| self.inbox.try_recv().ok());
        if message.is_none() {
            self.heard_until = now;
        }
        message
    }

    /// Shuts the network threads down.
    pub fn close(self) {
        self.network.shutdown_timeout(Duration::from_millis(100));
    }
}

/// The threads of the network.
pub(super) fn network_runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name("network").enable_all().build()
}

/// How many of the open files of this process the connections of each listener may have. Every one needs a file, and strangers must
/// not take those of the store.
#[derive(Debug)]
struct FileShares {
    clients: usize,
    page: usize,
    observers: usize,
}

impl FileShares {
    /// # Errors
    /// Fewer are allowed than an event needs.
    fn of_this_process() -> io::Result<FileShares> {
        let files = platform::raise_file_limit();
        FileShares::of(files.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX)))
    }

    fn of(files: usize) -> io::Result<FileShares> {
        if files < LEAST_FILES {
            let text =
                format!("{files} open files are allowed; expected at least {LEAST_FILES} (`ulimit -n`)");
            return Err(io::Error::other(text));
        }
        let page = page::MOST_CONNECTIONS.min(files / 4);
        let observers = observer::MOST_CONNECTIONS.min(files / 16);
        Ok(FileShares { clients: files - RESERVED_FILES - page - observers, page, observers })
    }
}
