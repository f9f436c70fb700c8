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
use crate::referee::history::{Comparison, Note, StoreSummary};
use crate::referee::lease::Term;
use crate::referee::peer_line::{PeerLine, checksum};
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

/// Why an observer is refused that has what this referee has told, and lost, and what its director has given up.
const OLDER_COPY: &str = "it has facts of this referee that are not here: the store of one of the two is an older copy; that one has to \
    begin in a new folder";

/// Why an observer is refused while another one may take over, or has.
const OTHER_OBSERVER: &str =
    "another observer may take over; if its store is lost, `alone` at the acting referee admits this one";
const OTHER_ACTED: &str =
    "another observer has taken over; only if its store is lost for good, `alone lost` admits this one";

/// Why an observer is refused that has acted: it does not need this referee.
const ACTED_SINCE: &str =
    "it has acted since the last fact that both have, and goes on by itself; then it tells this referee how";

/// Why an observer is refused whose last term is not here.
const OTHER_EVENT: &str = "its store is of another event, or both have acted since the last fact that both have; if the folder here is new, or \
    an older copy, end this referee, take the folder away, and start both again";

/// Why an observer is not admitted.
enum Refusal {
    /// It has other settings.
    Settings,
    /// It has facts from this number on that nobody was told of.
    Back(u64),
    /// It has facts from this number on that this referee has told, and lost.
    Ahead(u64),
    /// It has taken over from this referee, in a term.
    Successor(Term),
    Other(&'static str),
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
            Refusal::Settings => "an observer is refused: its settings are others; it says which".to_owned(),
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

    /// Checks that a token is the one that the referees share.
    fn check(&mut self, connection: ConnectionId, told: &str, at: Instant) -> Result<(), RefusedGuess> {
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
        if let Some((_, last)) = self.succession.successor.filter(|(known, _)| *known == connection) {
            return self.hear_successor(input, last, tell);
        }
        let is_observer = self.lease.connection() == Some(connection);
        let ConnectionEvent::Line(_, line) = input else {
            if is_observer {
                self.announce("the observer is gone", tell)?;
            }
            self.drop_observer(connection);
            return Ok(None);
        };
        let stored = self.store.count();
        match PeerLine::parse(line.as_bytes()) {
            Some(PeerLine::Fence { token, term, first, last })
                if self.observers.check(connection, &token, at).is_ok()
                    && self.store.history.is_succeeded_by(term) =>
            {
                return self.yield_to(connection, term, first, last, tell);
            }
            Some(PeerLine::Observe { token, store, settings }) => {
                let admitted = match self.observers.check(connection, &token, at) {
                    Ok(()) if settings != checksum(&self.observers.settings) => Err(Refusal::Settings),
                    Ok(()) => self.admit(connection, &store, at)?,
                    Err(wrong) => Err(wrong.into()),
                };
                self.answer_observer(connection, &admitted, tell)?;
                // Each moment in which this one acts may tell somebody what contradicts the observer.
                match admitted {
                    Err(Refusal::Ahead(from)) if self.is_acting() => {
                        self.see_off();
                        return Err(ServiceError::OlderCopy(from));
                    }
                    Err(Refusal::Successor(term)) if self.is_acting() => {
                        self.see_off();
                        return self.yield_to(connection, term, 0, 0, tell);
                    }
                    _ => {}
                }
            }
            // What can't be confirmed yet was damaged in spite of its checksum.
            Some(PeerLine::Alive { beat, count }) if is_observer && count <= stored => {
                self.lease.renew(connection, beat);
                self.confirm(connection, count, at);
            }
            Some(PeerLine::Stored(count)) if is_observer && count <= stored => {
                self.confirm(connection, count, at);
            }
            Some(PeerLine::Leave) if is_observer => self.let_go(connection, tell)?,
            _ => {
                self.log_stranger(Some(connection), '#', "may not observe, or was damaged on its way")?;
                self.drop_observer(connection);
            }
        }
        Ok(None)
    }

    /// The observer leaves: it knows the end of the event, or will not take over.
    fn let_go(
        &mut self,
        connection: ConnectionId,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        if self.succession.told_over == Some(connection) {
            self.end_is_known()?;
        } else {
            if self.is_acting() && self.event.observer == self.lease.observer() {
                self.event.record(Fact::Observer { by: None });
            }
            self.announce("the observer has left; nobody takes over from now on", tell)?;
        }
        self.drop_observer(connection);
        Ok(())
    }

    fn confirm(&mut self, connection: ConnectionId, count: u64, at: Instant) {
        self.lease.confirm(connection, count);
        self.appoint(at);
    }

    /// Tells the director that an observer was admitted, or both why it is refused. Strangers, who do not know the token, are only
    /// logged.
    fn answer_observer(
        &mut self,
        connection: ConnectionId,
        admitted: &Result<(), Refusal>,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        let Err(refusal) = admitted else {
            let from = self.observers.address(connection);
            return self.note(&format!("an observer has come from {from}"), tell);
        };
        let text = refusal.notice();
        if self.log_stranger(Some(connection), '#', &text)? {
            self.remember(&text);
            tell(&Notice { urgent: true, text });
        }
        self.observers.say(connection, &refusal.line(&self.observers.settings, self.is_acting()));
        self.drop_observer(connection);
        Ok(())
    }

    pub(super) fn drop_observer(&mut self, connection: ConnectionId) {
        self.lease.disconnect(connection);
        self.observers.connected.remove(&connection);
    }

    /// Admits an observer, and sends it the facts that it lacks.
    fn admit(
        &mut self,
        connection: ConnectionId,
        observer: &StoreSummary,
        at: Instant,
    ) -> Result<Result<(), Refusal>, ServiceError> {
        let &StoreSummary { by, first, term, .. } = observer;
        let compared = self.compare(observer);
        if compared == Comparison::Foreign {
            let has_acted_since = !self.is_acting() && observer.event == self.event.founder && term.1 == by;
            return Ok(Err(Refusal::Other(if has_acted_since { ACTED_SINCE } else { OTHER_EVENT })));
        }
        if self.observer().is_some_and(|observer| observer != by) {
            let is_succeeded = self.store.history.successor().is_some();
            return Ok(Err(Refusal::Other(if is_succeeded { OTHER_ACTED } else { OTHER_OBSERVER })));
        }
        match compared {
            Comparison::Back(from) => return Ok(Err(Refusal::Back(from))),
            Comparison::Ahead(_) | Comparison::Successor if self.store.history.is_other_given_up => {
                return Ok(Err(Refusal::Other(OLDER_COPY)));
            }
            Comparison::Ahead(from) => {
                // It takes over, and nothing may go on here without it.
                self.store.note(Note::Fenced(Some((term.0 + 1, by))))?;
                return Ok(Err(Refusal::Ahead(from)));
            }
            Comparison::Successor => return Ok(Err(Refusal::Successor(term))),
            Comparison::Behind | Comparison::Foreign => {}
        }
        if self.store.history.has_left && !self.event.has_ended() {
            self.store.note(Note::Left(false))?;
        }
        if let Some(old) = self.lease.connection() {
            self.drop_observer(old);
        }
        let facts = self.store.from(first)?;
        if let Some(output) = self.observers.connected.get(&connection) {
            send(output, first, &facts);
        }
        self.lease.connect(connection, by, first - 1, at);
        self.appoint(at);
        Ok(Ok(()))
    }

    /// Compares this store with that of an observer.
    fn compare(&self, observer: &StoreSummary) -> Comparison {
        match self.store.history.compare(self.event.founder, observer) {
            Comparison::Foreign if self.has_lost_all_to(observer) => Comparison::Ahead(1),
            compared => compared,
        }
    }

    /// Whether this referee began in a new folder, and an observer that comes has facts of the event: then this one has lost all of them.
    /// Once a game has been played, the observer may as well be one of an earlier event.
    fn has_lost_all_to(&self, observer: &StoreSummary) -> bool {
        let &StoreSummary { by, first, term: (_, author), .. } = observer;
        let begins = self.store.was_new && self.is_acting() && self.event.results.is_empty();
        // Who acted last goes on by itself when it is refused.
        let successor = self.store.history.successor().map(|(_, successor)| successor);
        let waits = successor == Some(by) && author != by && !self.is_acting();
        first > 1 && (begins || waits)
    }

    /// Lets the observer take over from now on, if it has everything.
    fn appoint(&mut self, at: Instant) {
        // At the end nothing is left to take over.
        let is_at_the_end = self.is_settled && self.event.has_ended();
        let stored = self.store.count() + self.event.unstored();
        if !is_at_the_end && self.lease.appoints(self.is_acting(), self.observer(), stored) {
            self.event.record(Fact::Observer { by: self.lease.observer() });
            self.lease.begin(at);
        }
    }

    /// Sends facts to the observer.
    pub(super) fn share(&mut self, facts: &[Fact]) {
        let observer =
            self.lease.connection().and_then(|connection| self.observers.connected.get(&connection));
        if let Some(output) = observer {
            send(output, self.store.count() + 1 - facts.len() as u64, facts);
        }
    }

    /// Sends a heartbeat to the observer when one is due.
    pub(super) fn beat(&mut self, at: Instant) {
        if let Some(beat) = self.lease.beat(at) {
            let line = PeerLine::Alive { beat, count: self.store.count() };
            if let Some(connection) = self.lease.connection() {
                self.observers.say(connection, &line);
            }
        }
    }
}
