//! What two referees owe each other when one has taken over from the other.
//!
//! The successor tells its predecessor of it for as long as it runs, since that one may come back at any time, and must not act. When
//! all games have been played, it tells it the end, too, with all facts that it lacks, and ends itself when that one has them: otherwise
//! the predecessor would wait for an observer that has gone home, and its director would let it play the end again.

use std::io::{BufRead as _, BufReader};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use players::transport::{self, Transport};

use super::standby::say;
use super::{Duty, Service, ServiceEnd, ServiceError, ServiceMessage, TrustedPeer};
use crate::referee::intake::{Intake, restore_anew};
use crate::referee::lease::{SILENCE, Term, yields};
use crate::referee::peer_line::PeerLine;
use crate::referee::{ConnectionEvent, ConnectionId, Fact, Notice};

/// Interval at which a referee that has taken over tells its predecessor.
const FENCE_INTERVAL: Duration = Duration::from_secs(2);
/// Time for which a connection waits on which the predecessor was told.
const FENCE_PATIENCE: Duration = Duration::from_secs(30);
/// Time for which a referee that has taken over tries to tell its predecessor the end of the event.
const END_PATIENCE: Duration = Duration::from_mins(10);

/// The referees before and after this one.
#[derive(Default)]
pub(super) struct Succession {
    /// The referee that has to know the end, because this one has taken over from it.
    pub(super) predecessor: Option<Predecessor>,
    /// The connection to a referee that has taken over and tells the end, and the number of the last fact.
    pub(super) successor: Option<(ConnectionId, u64)>,
    /// What it has told.
    intake: Intake,
}

/// The referee from which this one has taken over.
pub(super) struct Predecessor {
    address: String,
    /// Number of the first fact that it does not have.
    first: u64,
    /// Channel to the thread that tells it.
    end: Sender<Vec<Fact>>,
    /// Since when it is told the end.
    told_since: Option<Instant>,
}

impl Predecessor {
    /// Begins to tell a referee that this one has begun a term, on a thread of its own, which ends with the process. Without it the
    /// predecessor does not know, but may not act all the same.
    pub(super) fn tell(
        peer: TrustedPeer,
        term: Term,
        first: u64,
        service: Sender<ServiceMessage>,
    ) -> Predecessor {
        let (end, to_tell) = mpsc::channel();
        let address = peer.address.clone();
        let tell = move || tell_again_and_again(&peer, term, first, &to_tell, &service);
        let _ = thread::Builder::new().name("fence".into()).spawn(tell);
        Predecessor { address, first, end, told_since: None }
    }
}

/// Tells the predecessor whenever it can be reached, until it knows the end.
fn tell_again_and_again(
    peer: &TrustedPeer,
    term: Term,
    first: u64,
    end: &Receiver<Vec<Fact>>,
    service: &Sender<ServiceMessage>,
) {
    let mut facts = Vec::new();
    loop {
        if let Ok(mut output) = transport::connect(&peer.address, &peer.security, SILENCE) {
            let last = if facts.is_empty() { 0 } else { first + facts.len() as u64 - 1 };
            say(&mut output, &PeerLine::Fence { token: peer.token.clone(), term, first, last });
            for (number, fact) in (first..).zip(&facts) {
                // Serialisation cannot fail: the fact has been stored.
                say(&mut output, &PeerLine::Fact(number, serde_json::to_string(fact).unwrap_or_default()));
            }
            if hears_stored(&output, last) {
                // Sending fails only if the service has ended.
                drop(service.send(ServiceMessage::EndKnown));
                return;
            }
            output.close();
        }
        match end.recv_timeout(FENCE_INTERVAL) {
            Ok(told) => facts = told,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Waits for the predecessor to store the last fact, or to hang up. One that is stopped hears it when it goes on, so that the
/// connection is kept.
fn hears_stored(output: &Transport, last: u64) -> bool {
    let Ok(reader) = output.reader() else { return false };
    let mut line = Vec::new();
    let read = BufReader::new(reader.with_timeout(Some(FENCE_PATIENCE))).read_until(b'\n', &mut line);
    let told = read.ok().and_then(|_| PeerLine::parse(line.strip_suffix(b"\n")?));
    last > 0 && told == Some(PeerLine::Stored(last))
}

impl Service {
    /// Whether the referee from which this one has taken over, if there is one, knows the end of the event. If it does not, it is
    /// told, for some time.
    pub(super) fn is_end_known(
        &mut self,
        now: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<bool, ServiceError> {
        let has_all = self.lease.connection().is_some() && self.lease.stored() == self.store.count();
        if has_all {
            self.end_is_known()?;
        }
        let Some(predecessor) = &mut self.succession.predecessor else { return Ok(true) };
        if let Some(since) = predecessor.told_since {
            return Ok(now.saturating_duration_since(since) > END_PATIENCE);
        }
        predecessor.told_since = Some(now);
        // Receiving fails only if the thread could not be started.
        let _ = predecessor.end.send(self.store.from(predecessor.first)?);
        let text = format!(
            "the referee at {} does not know the end yet: this one waits for it to come back, for {} minutes; then the same command \
             waits again, and `quit` does not wait",
            predecessor.address,
            END_PATIENCE.as_secs() / 60
        );
        self.note(&text, tell)?;
        Ok(false)
    }

    /// Notes that the predecessor knows the end.
    pub(super) fn end_is_known(&mut self) -> Result<(), ServiceError> {
        if self.succession.predecessor.take().is_some() {
            self.store.mark_told()?;
        }
        Ok(())
    }

    /// The term of a referee that has taken over from this one, if that is known.
    pub(super) fn successor_term(&self) -> Result<Option<Term>, ServiceError> {
        Ok(self.store.fenced()?.filter(|term| yields(self.event.term(), *term)))
    }

    /// Leaves the event to a referee that has taken over. What was stored here meanwhile and told to nobody is set aside. If the event is
    /// over, the facts up to a last one follow.
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
        self.store.mark_fenced(term)?;
        let own = (self.store.count() + 1).saturating_sub(first);
        if first > 0 && own > 0 {
            self.store.set_aside(first)?;
        }
        self.announce(&format!("another referee has taken over, in epoch {}", term.0), tell)?;
        if last == 0 {
            return Ok(Some(ServiceEnd::Outdated));
        }
        restore_anew(&mut self.event, &self.store.from(1)?);
        self.succession.successor = Some((connection, last));
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
        if !is_taken || !self.event.has_ended() {
            return Ok(Some(ServiceEnd::Outdated));
        }
        // All or nothing: with a part of them, this referee could take itself for the one that acts.
        self.succession.intake.settle(&mut self.event, &mut self.store)?;
        self.store.mark_over()?;
        if let Some((connection, _)) = self.succession.successor {
            self.observers.say(connection, &PeerLine::Stored(last));
        }
        self.write_end(tell)?;
        self.announce("all games have been played there; this one has them, too", tell)?;
        Ok(Some(ServiceEnd::Complete))
    }
}
