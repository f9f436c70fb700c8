//! The observers of an acting referee: they replicate its store, and one of them may take over.
//!
//! An observer sends `observe TOKEN REFEREE NUMBER EPOCH AUTHOR`: its own number, the number of the first fact that it needs,
//! the epoch of the last fact that it has, and the number of the referee that began that. It receives a line for each fact, with its number, a checksum and its JSON, and confirms
//! each number that it has stored. `back N` refuses an observer that was the referee and has recorded facts after it was taken over
//! from, which nobody was told of: it may come again without those from number N on. Heartbeats are `alive N`; the observer
//! sends each one back. `end` ends the event here, `leave` ends the observation. An observer that has everything is named in a fact, and may take over from then on.
//!
//! `fence TOKEN EPOCH REFEREE NUMBER` is what a referee that has taken over tells its predecessor: its epoch, its own number,
//! and that of the first fact that the other doesn't share.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use super::connection::{self, LineSender};
use super::listener::{ConnectionLimiter, ConnectionListener};
use super::{ConnectionLimits, Role, Service, ServiceEnd, ServiceError};
use crate::referee::guesses::{GuessLimiter, RefusedGuess};
use crate::referee::lease::{Term, yields};
use crate::referee::settings::is_same;
use crate::referee::{ConnectionEvent, ConnectionId, Fact, Notice};

/// The connections at the address for observers.
#[derive(Default)]
pub(super) struct Observers {
    token: Option<String>,
    connected: HashMap<ConnectionId, LineSender>,
    guesses: GuessLimiter,
}

/// A line of an observer or of a successor.
#[derive(Debug, PartialEq)]
enum ObserverLine<'a> {
    Observe { token: &'a str, by: u64, first: u64, term: Term },
    Fence { token: &'a str, term: Term, first: u64 },
    Alive(u64),
    Stored(u64),
    Leave,
}

impl ObserverLine<'_> {
    fn parse(line: &str) -> Option<ObserverLine<'_>> {
        let words: Vec<&str> = line.split(' ').collect();
        Some(match words[..] {
            ["observe", token, by, first, epoch, author] => {
                let (by, first) = (by.parse().ok()?, first.parse().ok()?);
                ObserverLine::Observe { token, by, first, term: (epoch.parse().ok()?, author.parse().ok()?) }
            }
            ["fence", token, epoch, author, first] => {
                let term = (epoch.parse().ok()?, author.parse().ok()?);
                ObserverLine::Fence { token, term, first: first.parse().ok()? }
            }
            ["alive", number] => ObserverLine::Alive(number.parse().ok()?),
            ["leave"] => ObserverLine::Leave,
            [number] => ObserverLine::Stored(number.parse().ok()?),
            _ => return None,
        })
    }
}

impl Observers {
    pub(super) fn new(token: String) -> Observers {
        Observers { token: Some(token), ..Observers::default() }
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

    /// Whether a token is the one that the referees share.
    fn is_trusted(&mut self, connection: ConnectionId, told: &str, at: Instant) -> bool {
        let Some(output) = self.connected.get(&connection) else { return false };
        let is_right = || self.token.as_ref().is_some_and(|token| is_same(token, told));
        let checked: Result<(), RefusedGuess> = self.guesses.check(output.address, "", at, is_right);
        checked.is_ok()
    }

    pub(super) fn end(&mut self, observer: Option<ConnectionId>) {
        if let Some(output) = observer.and_then(|connection| self.connected.get(&connection)) {
            output.send_all("end\n".to_owned());
        }
        self.connected.clear();
    }
}

/// The checksum of a fact on its way to the observer (CRC-32 of its number and its JSON, with a blank between). What the line
/// damages must not become a fact.
pub(super) fn checksum(number: u64, fact: &str) -> u32 {
    crc32fast::hash(format!("{number} {fact}").as_bytes())
}

fn send(output: &LineSender, first: u64, facts: &[Fact]) {
    let mut lines = String::new();
    for (number, fact) in (first..).zip(facts) {
        // Serialisation cannot fail: the fact has already been stored.
        let fact = serde_json::to_string(fact).unwrap_or_default();
        let _ = writeln!(lines, "{number} {:08x} {fact}", checksum(number, &fact));
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
            connections: 256,
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

    /// Handles the input of an observer or a successor.
    pub(super) fn hear_observer(
        &mut self,
        input: &ConnectionEvent,
        at: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<ServiceEnd>, ServiceError> {
        let connection = input.connection();
        let ConnectionEvent::Line(_, line) = input else {
            if self.lease.connection() == Some(connection) {
                self.announce("the observer is gone", tell)?;
            }
            self.drop_observer(connection);
            return Ok(None);
        };
        let is_observer = self.lease.connection() == Some(connection);
        match ObserverLine::parse(line) {
            Some(ObserverLine::Fence { token, term, first })
                if self.observers.is_trusted(connection, token, at) && yields(self.event.term(), term) =>
            {
                return self.yield_to(term.0, first, tell).map(Some);
            }
            Some(ObserverLine::Observe { token, by, first, term })
                if self.observers.is_trusted(connection, token, at) =>
            {
                match self.admit(connection, by, first, term, at)? {
                    Ok(()) => {
                        let from = self.observers.connected.get(&connection).map(|output| output.address);
                        let from = from.map_or_else(String::new, |address| format!(" from {address}"));
                        self.note(&format!("an observer has come{from}"), tell)?;
                    }
                    Err(why) => {
                        self.announce(why, tell)?;
                        self.drop_observer(connection);
                    }
                }
            }
            Some(ObserverLine::Alive(number)) if is_observer => self.lease.renew(connection, number),
            Some(ObserverLine::Stored(number)) if is_observer => {
                self.lease.confirm(connection, number);
                self.appoint(at);
            }
            Some(ObserverLine::Leave) if is_observer => {
                if self.is_acting() && self.event.observer == self.lease.observer() {
                    self.event.record(Fact::Observer { by: None });
                }
                self.announce("the observer has left; nobody takes over from now on", tell)?;
                self.drop_observer(connection);
            }
            _ => {
                self.log_stranger(Some(connection), '#', "may not observe, or makes no sense")?;
                self.drop_observer(connection);
            }
        }
        Ok(None)
    }

    fn drop_observer(&mut self, connection: ConnectionId) {
        self.lease.disconnect(connection);
        self.observers.connected.remove(&connection);
    }

    /// Admits an observer, and sends it the facts that it lacks.
    fn admit(
        &mut self,
        connection: ConnectionId,
        by: u64,
        first: u64,
        term: Term,
        at: Instant,
    ) -> Result<Result<(), &'static str>, ServiceError> {
        // A term has one author, so stores whose last facts are of one term agree up to there.
        let shared = self.store.end_of(term)?;
        let Some(shared) = shared.filter(|_| first > 0) else {
            return Ok(Err(
                "an observer is refused: its store is of another event, or it was the referee since then",
            ));
        };
        if self.observer().is_some_and(|observer| observer != by) {
            return Ok(Err("an observer is refused: there is another one that may take over"));
        }
        if first > shared + 1 {
            if let Some(output) = self.observers.connected.get(&connection) {
                output.send_all(format!("back {}\n", shared + 1));
            }
            return Ok(Err(
                "an observer has recorded facts that nobody was told of; it may come again without them",
            ));
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

    /// Lets the observer take over from now on, if it has everything.
    fn appoint(&mut self, at: Instant) {
        let stored = self.store.count() + self.event.unstored();
        if self.lease.appoints(self.is_acting(), self.observer(), stored) {
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
        if let Some(number) = self.lease.beat(at) {
            let observer = self.lease.connection().and_then(|it| self.observers.connected.get(&it));
            let _ = observer.map(|output| output.send_all(format!("alive {number}\n")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_observers_are_read_or_refused() {
        let observe = ObserverLine::Observe { token: "t", by: 7, first: 1, term: (0, 3) };
        assert_eq!(ObserverLine::parse("observe t 7 1 0 3"), Some(observe));
        let fence = ObserverLine::Fence { token: "t", term: (2, 7), first: 9 };
        assert_eq!(ObserverLine::parse("fence t 2 7 9"), Some(fence));
        assert_eq!(ObserverLine::parse("alive 3"), Some(ObserverLine::Alive(3)));
        assert_eq!(ObserverLine::parse("12"), Some(ObserverLine::Stored(12)));
        for wrong in [
            "",
            "observe t 7 1 0",
            "observe t 7 1 0 x",
            "fence t 2",
            "alive",
            "-1",
            "leave now",
            "18446744073709551616",
        ] {
            assert_eq!(ObserverLine::parse(wrong), None, "{wrong}");
        }
    }
}
