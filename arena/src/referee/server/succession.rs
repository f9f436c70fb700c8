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
use super::{Service, ServiceEnd, ServiceError, ServiceMessage, TrustedPeer};
use crate::referee::lease::{SILENCE, Term};
use crate::referee::peer_line::PeerLine;
use crate::referee::reign::{END_PATIENCE, FENCE_PATIENCE};
use crate::referee::{ConnectionId, Fact, Notice};

/// Interval at which a referee that has taken over tells its predecessor.
const FENCE_INTERVAL: Duration = Duration::from_secs(2);

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
    /// Begins to wait for the other referee to know the end, which this one knows.
    pub(super) fn wait_at_the_end(
        &mut self,
        now: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        let Some(patience) = self.referee.wait_at_the_end(now) else { return Ok(()) };
        if let Some(predecessor) = &self.predecessor {
            // Receiving fails only if the thread could not be started.
            let _ = predecessor.end.send(self.referee.store.from(1)?);
        }
        if patience < END_PATIENCE {
            return Ok(());
        }
        let other = self.predecessor.as_ref().map(|predecessor| format!("at {} ", predecessor.address));
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
        let is_reported = self.reported == Some(self.referee.store.count());
        let (may_go, observer) = self.referee.may_go_home(is_reported, now);
        if let Some(observer) = observer {
            self.observers.say(observer, &PeerLine::End);
        }
        may_go
    }

    /// Notes that the referee from which this one has taken over knows the end.
    pub(super) fn end_is_known(&mut self) -> Result<(), ServiceError> {
        self.predecessor = None;
        Ok(self.referee.end_is_known()?)
    }

    /// Sends all clients to a referee that has taken over, in a term.
    pub(super) fn leave_clients(
        &mut self,
        term: Term,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        self.connections.clear();
        self.announce(&format!("another referee has taken over, in epoch {}", term.0), tell)
    }

    /// Confirms the end that the successor has told, and that is stored.
    pub(super) fn take_end(
        &mut self,
        connection: ConnectionId,
        last: u64,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<ServiceEnd, ServiceError> {
        self.observers.say(connection, &PeerLine::Stored(last));
        self.write_end(tell)?;
        self.announce("all games have been played there; this one has them, too", tell)?;
        Ok(ServiceEnd::Complete)
    }
}
