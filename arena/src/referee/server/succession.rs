//! What two referees owe each other when one has taken over from the other.
//!
//! The successor tells its predecessor of it for as long as it runs, since that one may come back at any time, and must not act. When
//! all games have been played, it tells it the end, too, with all facts that it lacks, and ends itself when that one has them: otherwise
//! the predecessor would wait for an observer that has gone home, and its director would let it play the end again. For the same reason
//! a referee that went on without its observer, as the witness let it, waits at the end for that one to come and hear it.

use std::io::{BufRead as _, BufReader};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use players::transport::{self, Transport};

use super::standby::say;
use super::{Duty, Service, ServiceEnd, ServiceError, ServiceMessage, TrustedPeer};
use crate::referee::history::Note;
use crate::referee::intake::Intake;
use crate::referee::lease::{SILENCE, Term};
use crate::referee::peer_line::PeerLine;
use crate::referee::{ConnectionEvent, ConnectionId, Fact, Notice};

/// Interval at which a referee that has taken over tells its predecessor.
const FENCE_INTERVAL: Duration = Duration::from_secs(2);
/// Time for which a connection waits on which the predecessor was told.
const FENCE_PATIENCE: Duration = Duration::from_secs(30);
/// Time for which a referee waits at the end for another one that can't go home without it.
pub(super) const END_PATIENCE: Duration = Duration::from_mins(10);
/// Time for which it waits for one that most likely knows the end already.
const END_GRACE: Duration = Duration::from_secs(5);

/// The referees before and after this one.
#[derive(Default)]
pub(super) struct Succession {
    /// The referee that has to know the end, because this one has taken over from it.
    pub(super) predecessor: Option<Predecessor>,
    /// The connection to a referee that has taken over and tells the end, and the number of the last fact.
    pub(super) successor: Option<(ConnectionId, u64)>,
    /// What it has told.
    intake: Intake,
    /// Until when this referee, which knows the end, waits for the other one to know it.
    home_at: Option<Instant>,
    /// The connection over which the observer was told the end.
    pub(super) told_over: Option<ConnectionId>,
}

/// The referee from which this one has taken over.
pub(super) struct Predecessor {
    address: String,
    /// Channel to the thread that tells it.
    end: Sender<Vec<Fact>>,
}

impl Predecessor {
    /// Begins to tell a referee that this one has begun a term, and whether the event has ended, on a thread of its own, which ends with
    /// the process. Without it the predecessor does not know, but may not act all the same.
    pub(super) fn tell(
        peer: TrustedPeer,
        term: Term,
        first: u64,
        has_ended: bool,
        service: Sender<ServiceMessage>,
    ) -> Predecessor {
        let (end, to_tell) = mpsc::channel();
        let address = peer.address.clone();
        let tell = move || {
            // One that hears of the take-over alone ends, and does not hear the end.
            let facts = has_ended.then(|| to_tell.recv_timeout(FENCE_INTERVAL).ok()).flatten();
            tell_again_and_again(&peer, term, first, facts.unwrap_or_default(), &to_tell, &service);
        };
        let _ = thread::Builder::new().name("fence".into()).spawn(tell);
        Predecessor { address, end }
    }
}

/// Tells the predecessor whenever it can be reached, until it knows the end.
fn tell_again_and_again(
    peer: &TrustedPeer,
    term: Term,
    first: u64,
    mut facts: Vec<Fact>,
    end: &Receiver<Vec<Fact>>,
    service: &Sender<ServiceMessage>,
) {
    loop {
        if tell_once(peer, term, first, &facts) {
            // Sending fails only if the service has ended.
            drop(service.send(ServiceMessage::EndKnown));
            return;
        }
        match end.recv_timeout(FENCE_INTERVAL) {
            Ok(told) => facts = told,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Tells the predecessor of a take-over, and all facts, if they lead to the end of the event; whether it has stored them.
pub(super) fn tell_once(peer: &TrustedPeer, term: Term, first: u64, facts: &[Fact]) -> bool {
    let Ok(mut output) = transport::connect(&peer.address, &peer.security, SILENCE) else { return false };
    say(&mut output, &PeerLine::Fence { token: peer.token.clone(), term, first, last: facts.len() as u64 });
    let is_stored = tell_end(&mut output, facts);
    output.close();
    is_stored
}

/// Sends the predecessor the facts that it lacks, by the number of those that it has; whether it has stored all. Without the end of the
/// event there are none, and it hangs up. One that is stopped hears it when it goes on, so that the connection is kept.
fn tell_end(output: &mut Transport, facts: &[Fact]) -> bool {
    let Ok(reader) = output.reader() else { return false };
    let mut lines = BufReader::new(reader.with_timeout(Some(FENCE_PATIENCE)));
    let mut stored = || {
        let mut line = Vec::new();
        lines.read_until(b'\n', &mut line).ok()?;
        match PeerLine::parse(line.strip_suffix(b"\n")?) {
            Some(PeerLine::Stored(count)) => Some(count as usize),
            _ => None,
        }
    };
    let Some(missing) = stored().and_then(|count| facts.get(count..)) else { return false };
    let mut number = (facts.len() - missing.len()) as u64;
    for fact in missing {
        number += 1;
        // Serialisation cannot fail: the fact has been stored.
        say(output, &PeerLine::Fact(number, serde_json::to_string(fact).unwrap_or_default()));
    }
    !facts.is_empty() && (missing.is_empty() || stored() == Some(facts.len()))
}

impl Service {
    /// Whether nobody else has to know the end of the event, which this referee knows.
    pub(super) fn is_end_told(&self) -> bool {
        self.end_patience().is_none() || self.store.history.is_told()
    }

    /// For how long this referee waits at the end for another one to know it.
    fn end_patience(&self) -> Option<Duration> {
        if self.succession.predecessor.is_some() || self.store.history.has_left {
            Some(END_PATIENCE)
        } else if self.observer().is_some() || self.lease.connection().is_some() {
            Some(END_GRACE)
        } else {
            None
        }
    }

    /// Begins to wait for the other referee to know the end, which this one knows.
    pub(super) fn wait_at_the_end(
        &mut self,
        now: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        let Some(patience) = self.end_patience() else { return Ok(()) };
        if self.succession.home_at.is_some() {
            return Ok(());
        }
        self.succession.home_at = Some(now + patience);
        if let Some(predecessor) = &self.succession.predecessor {
            // Receiving fails only if the thread could not be started.
            let _ = predecessor.end.send(self.store.from(1)?);
        }
        if patience < END_PATIENCE {
            return Ok(());
        }
        let other =
            self.succession.predecessor.as_ref().map(|predecessor| format!("at {} ", predecessor.address));
        let text = format!(
            "the other referee {}does not know the end yet: this one waits for it to come back, for {} minutes; then the same command \
             waits again, and `quit` does not wait",
            other.unwrap_or_default(),
            END_PATIENCE.as_secs() / 60
        );
        self.note(&text, tell)
    }

    /// Tells the end to an observer that has everything. Whether this referee may go home: the other one knows the end, or was waited
    /// for.
    pub(super) fn may_go_home(&mut self, now: Instant) -> bool {
        let is_reported = self.reported == Some(self.store.count());
        if !(is_reported || self.is_at_the_end())
            || self.succession.successor.is_some()
            || !self.store.history.is_over()
        {
            return false;
        }
        let connection =
            self.lease.connection().filter(|_| self.is_acting() && self.lease.stored() == self.store.count());
        if let Some(observer) = connection.filter(|_| self.succession.told_over != connection) {
            self.succession.told_over = connection;
            // It has everything, also if it can't answer any more.
            self.succession.home_at = self.succession.home_at.map(|until| until.min(now + END_GRACE));
            self.observers.say(observer, &PeerLine::End);
        }
        self.is_end_told() || self.succession.home_at.is_none_or(|until| now > until)
    }

    /// Whether this referee only waits for the other one to know the end.
    pub(super) fn is_at_the_end(&self) -> bool {
        self.succession.home_at.is_some()
    }

    /// Notes that the other referee knows the end.
    pub(super) fn end_is_known(&mut self) -> Result<(), ServiceError> {
        self.succession.predecessor = None;
        Ok(self.store.note(Note::Told)?)
    }

    /// Leaves the event to a referee that has taken over. What was stored here meanwhile and told to nobody is set aside. If the event is
    /// over, all facts follow, up to a last one.
    pub(super) fn yield_to(
        &mut self,
        connection: ConnectionId,
        term: Term,
        first: u64,
        last: u64,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<ServiceEnd>, ServiceError> {
        self.duty = Duty::Waits;
        self.lease.forget();
        self.connections.clear();
        self.store.note(Note::Fenced(Some(term)))?;
        let own = (self.store.count() + 1).saturating_sub(first);
        if first > 0 && own > 0 {
            self.store.set_aside(first)?;
        }
        self.announce(&format!("another referee has taken over, in epoch {}", term.0), tell)?;
        if last == 0 {
            // One that knows the end waits for the next line: its successor may have learned it in this moment.
            let is_end_near = self.event.has_ended() && self.succession.home_at.take().is_some();
            self.drop_observer(connection);
            return Ok((!is_end_near).then_some(ServiceEnd::Outdated));
        }
        // What it has may be other facts than the first ones here: this store may be an older copy with which this referee went on.
        self.succession.intake.begin_anew(&mut self.event);
        self.succession.successor = Some((connection, last));
        self.observers.say(connection, &PeerLine::Stored(0));
        Ok(None)
    }

    /// Takes a fact of the successor, or the end of the connection to it.
    pub(super) fn hear_successor(
        &mut self,
        input: &ConnectionEvent,
        last: u64,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<ServiceEnd>, ServiceError> {
        let stored = self.store.count();
        let told = match input {
            ConnectionEvent::Line(_, line) => PeerLine::parse(line.as_bytes()),
            _ => None,
        };
        let is_taken = match told {
            Some(PeerLine::Fact(number, json)) => {
                self.succession.intake.take(&mut self.event, stored, number, &json).is_ok()
            }
            _ => false,
        };
        if is_taken && self.succession.intake.last(stored) < last {
            return Ok(None);
        }
        match self.succession.successor {
            Some((connection, _)) if is_taken => self.take_end(connection, last, tell).map(Some),
            _ => Ok(Some(ServiceEnd::Outdated)),
        }
    }

    /// Stores the end that the successor has told.
    fn take_end(
        &mut self,
        connection: ConnectionId,
        last: u64,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<ServiceEnd, ServiceError> {
        if !self.event.has_ended() {
            return Ok(ServiceEnd::Outdated);
        }
        // All or nothing: with a part of them, this referee could take itself for the one that acts.
        self.succession.intake.settle(&mut self.event, &mut self.store)?;
        self.store.note(Note::Over)?;
        self.store.note(Note::Told)?;
        self.observers.say(connection, &PeerLine::Stored(last));
        self.write_end(tell)?;
        self.announce("all games have been played there; this one has them, too", tell)?;
        Ok(ServiceEnd::Complete)
    }
}
