//! The observers of an acting referee: they replicate its store, and one of them may take over.
//!
//! An observer tells its number, the event, the first fact that it needs, the term of its last one, and the checksums of its settings and
//! of its facts. It receives every fact, and confirms each that it has stored. `back` refuses an observer that was the referee and has recorded
//! facts after it was taken over from, which nobody was told of: it may come again without them. `end` ends the event here,
//! `leave` ends the observation. An observer that has everything is named in a fact, and may take over from then on.
//!
//! `fence` is what a referee that has taken over tells its predecessor. The lines are in [`PeerLine`].

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use super::connection::{self, LineSender};
use super::listener::{ConnectionLimiter, ConnectionListener};
use super::{ConnectionLimits, Role, Service, ServiceEnd, ServiceError};
use crate::referee::guesses::{GuessLimiter, RefusedGuess};
use crate::referee::peer_line::{PeerLine, checksum};
use crate::referee::reign::{Heard, OLDER_COPY, Refusal};
use crate::referee::settings::is_same;
use crate::referee::{ConnectionEvent, ConnectionId, Fact, Notice};

/// Maximum number of connections at the address for observers.
pub(super) const MOST_CONNECTIONS: usize = 256;

/// Maximum length of a line, in bytes. A fact is shorter.
const LONGEST_LINE: usize = 64 * 1024;

/// The connections at the address for observers.
#[derive(Default)]
pub(super) struct Observers {
    token: Option<String>,
    /// What an observer must have in common with this referee, as JSON.
    settings: String,
    connected: HashMap<ConnectionId, LineSender>,
    guesses: GuessLimiter,
    /// Counts the connections.
    pub(super) limiter: ConnectionLimiter,
}

impl From<RefusedGuess> for Refusal {
    fn from(wrong: RefusedGuess) -> Refusal {
        Refusal::Other(match wrong {
            RefusedGuess::Wrong => "its token is wrong",
            RefusedGuess::Wait(_) => "after wrong tokens its address has to wait",
        })
    }
}

impl Refusal {
    /// What the director is told.
    fn notice(&self) -> String {
        match self {
            Refusal::Back(_) => {
                "an observer has recorded facts that nobody was told of; it may come again without them"
                    .to_owned()
            }
            Refusal::Ahead(number) => format!(
                "the store here is an older copy: the observer has what was told from fact {number} on, and takes over; to stand by for \
                 it, use --observe"
            ),
            Refusal::Successor(_) => {
                "the store here is an older copy: the observer has taken over since".to_owned()
            }
            Refusal::Settings => "an observer is refused: its settings are others; it says which".to_owned(),
            Refusal::Other(why) => format!("an observer is refused: {why}"),
        }
    }

    /// What the observer is told.
    fn line(&self, settings: &str, acts: bool) -> PeerLine {
        match self {
            Refusal::Settings => PeerLine::Settings(settings.to_owned()),
            Refusal::Back(number) | Refusal::Ahead(number) => PeerLine::Back(*number),
            // It acts when this referee is gone.
            Refusal::Successor(_) => PeerLine::Refused { acts: false, reason: OLDER_COPY.to_owned() },
            Refusal::Other(why) => PeerLine::Refused { acts, reason: (*why).to_owned() },
        }
    }
}

impl Observers {
    pub(super) fn new(token: String, settings: String, limiter: ConnectionLimiter) -> Observers {
        Observers { token: Some(token), settings, limiter, ..Observers::default() }
    }

    pub(super) fn open(&mut self, connection: ConnectionId, output: LineSender) {
        self.connected.insert(connection, output);
    }

    /// The address of an observer, as text.
    pub(super) fn address(&self, connection: ConnectionId) -> String {
        self.connected.get(&connection).map_or_else(|| "?".to_owned(), |output| output.address.to_string())
    }

    /// Whether an input comes from one of their connections.
    pub(super) fn have(&self, input: &ConnectionEvent) -> bool {
        self.connected.contains_key(&input.connection())
    }

    /// Checks that a line which only a referee of this event may send comes from one: `None` if it does not.
    fn check(
        &mut self,
        connection: ConnectionId,
        line: Option<PeerLine>,
        at: Instant,
    ) -> Result<Option<PeerLine>, Refusal> {
        match &line {
            Some(PeerLine::Fence { token, .. }) if self.check_token(connection, token, at).is_err() => {
                Ok(None)
            }
            Some(PeerLine::Observe { token, settings, .. }) => {
                self.check_token(connection, token, at)?;
                if *settings == checksum(&self.settings) { Ok(line) } else { Err(Refusal::Settings) }
            }
            _ => Ok(line),
        }
    }

    /// Checks that a token is the one that the referees share.
    fn check_token(&mut self, connection: ConnectionId, told: &str, at: Instant) -> Result<(), RefusedGuess> {
        let output = self.connected.get(&connection).ok_or(RefusedGuess::Wrong)?;
        let is_right = || self.token.as_ref().is_some_and(|token| is_same(token, told));
        self.guesses.check(output.address, "", at, is_right)
    }

    /// Sends a line to one of them.
    pub(super) fn say(&self, connection: ConnectionId, line: &PeerLine) {
        if let Some(output) = self.connected.get(&connection) {
            output.send_all(line.encode());
        }
    }

    pub(super) fn end(&mut self, observer: Option<ConnectionId>) {
        if let Some(connection) = observer {
            self.say(connection, &PeerLine::End);
        }
        self.connected.clear();
    }
}

fn send(output: &LineSender, first: u64, facts: &[Fact]) {
    let mut lines = String::new();
    for (number, fact) in (first..).zip(facts) {
        // Serialisation cannot fail: the fact has already been stored.
        let fact = serde_json::to_string(fact).unwrap_or_default();
        lines += &PeerLine::Fact(number, fact).encode();
    }
    output.send_all(lines);
}

impl Service {
    /// Accepts observers at a separate address. A referee that knows the token receives all facts before clients are
    /// told of them, if its settings are the same: `settings` describes them as JSON. Returns the local address, with the actual
    /// port if port 0 was given.
    ///
    /// # Errors
    /// The address cannot be used.
    pub fn let_observe(
        &mut self,
        address: SocketAddr,
        token: String,
        settings: String,
    ) -> Result<SocketAddr, ServiceError> {
        let limits = ConnectionLimits {
            connections: self.for_observers,
            per_address: 8,
            line: LONGEST_LINE,
            lines_per_second: u32::MAX,
        };
        let _inside = self.network.enter();
        let (to_self, limiter) = (self.to_self.clone(), ConnectionLimiter::default());
        let listener = ConnectionListener::open(address, to_self, limits, limiter.clone())
            .map_err(|error| ServiceError::Network(address, error))?;
        let (bound, next) = (listener.address, Arc::clone(&self.next_connection));
        let pulse = self.pulse.clone();
        tokio::spawn(connection::serve(listener, next, Role::Observer, self.tls.clone(), pulse));
        self.observers = Observers::new(token, settings, limiter);
        Ok(bound)
    }

    /// Handles the input of an observer or a successor.
    pub(super) fn hear_observer(
        &mut self,
        input: &ConnectionEvent,
        at: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<ServiceEnd>, ServiceError> {
        let connection = input.connection();
        let heard = if let ConnectionEvent::Line(_, line) = input {
            match self.observers.check(connection, PeerLine::parse(line.as_bytes()), at) {
                Ok(line) => self.referee.hear(connection, line, at)?,
                // It tells the end, and nothing else.
                Err(_) if self.referee.successor() == Some(connection) => Heard::Outdated,
                Err(refusal) => Heard::Refused(refusal),
            }
        } else {
            let heard = self.referee.lose(connection);
            self.drop_observer(connection);
            heard
        };
        match heard {
            Heard::Noted => {}
            Heard::Unfit => {
                self.log_stranger(Some(connection), '#', "may not observe, or was damaged on its way")?;
                self.drop_observer(connection);
            }
            Heard::Lost => self.announce("the observer is gone", tell)?,
            Heard::Admitted(first, old) => self.welcome(connection, first, old, tell)?,
            Heard::Refused(refusal) => return self.refuse(connection, &refusal, tell),
            Heard::Left(knows_end) => {
                if knows_end {
                    self.predecessor = None;
                } else {
                    self.announce("the observer has left; nobody takes over from now on", tell)?;
                }
                self.drop_observer(connection);
            }
            Heard::HearsEnd(term) => {
                self.leave_clients(term, tell)?;
                self.observers.say(connection, &PeerLine::Stored(0));
            }
            Heard::Fenced(term, waits) => {
                self.leave_clients(term, tell)?;
                self.drop_observer(connection);
                return Ok((!waits).then_some(ServiceEnd::Outdated));
            }
            Heard::EndTaken(last) => return self.take_end(connection, last, tell).map(Some),
            Heard::Outdated => return Ok(Some(ServiceEnd::Outdated)),
        }
        Ok(None)
    }

    /// Sends an observer that was admitted the facts that it lacks, from a number on.
    fn welcome(
        &mut self,
        connection: ConnectionId,
        first: u64,
        old: Option<ConnectionId>,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        if let Some(old) = old.filter(|&old| old != connection) {
            self.drop_observer(old);
        }
        let facts = self.referee.store.from(first)?;
        if let Some(output) = self.observers.connected.get(&connection) {
            send(output, first, &facts);
        }
        let from = self.observers.address(connection);
        self.note(&format!("an observer has come from {from}"), tell)
    }

    /// Tells an observer and the director why it is refused. Strangers, who do not know the token, are only logged.
    fn refuse(
        &mut self,
        connection: ConnectionId,
        refusal: &Refusal,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<ServiceEnd>, ServiceError> {
        let (text, acts) = (refusal.notice(), self.referee.is_acting());
        if self.log_stranger(Some(connection), '#', &text)? {
            self.remember(&text);
            tell(&Notice { urgent: true, text });
        }
        self.observers.say(connection, &refusal.line(&self.observers.settings, acts));
        self.drop_observer(connection);
        // Each moment in which this one acts may tell somebody what contradicts the observer.
        match *refusal {
            Refusal::Ahead(from) if acts => {
                self.see_off();
                Err(ServiceError::OlderCopy(from))
            }
            Refusal::Successor(term) if acts => {
                self.see_off();
                let heard = self.referee.yield_to(connection, term, 0, 0, Instant::now())?;
                self.leave_clients(term, tell)?;
                Ok((heard == Heard::Fenced(term, false)).then_some(ServiceEnd::Outdated))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn drop_observer(&mut self, connection: ConnectionId) {
        self.referee.lease.disconnect(connection);
        self.observers.connected.remove(&connection);
    }

    /// Sends facts to the observer.
    pub(super) fn share(&mut self, facts: &[Fact]) {
        let observer =
            self.referee.lease.connection().and_then(|connection| self.observers.connected.get(&connection));
        if let Some(output) = observer {
            send(output, self.referee.store.count() + 1 - facts.len() as u64, facts);
        }
    }

    /// Sends a heartbeat to the observer when one is due.
    pub(super) fn beat(&mut self, at: Instant) {
        if let Some(beat) = self.referee.lease.beat(at) {
            let line = PeerLine::Alive { beat, count: self.referee.store.count() };
            if let Some(connection) = self.referee.lease.connection() {
                self.observers.say(connection, &line);
            }
        }
    }
}
