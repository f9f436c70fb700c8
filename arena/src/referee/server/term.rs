//! The terms of a service: it acts while its lease is valid, and waits otherwise.
//!
//! A referee whose lease runs out does what it would do if it had died and were started again: it forgets everything that
//! is not stored, sends its clients away, and waits until its observer lets it begin a new term. If the observer has taken
//! over meanwhile, it says so (`fence`), and the service ends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::delivery::write_games_anew;
use super::witness::claim;
use super::{Duty, Service, ServiceError, ServiceMessage, TrustedPeer};
use crate::referee::history::Note;
use crate::referee::intake::restore_anew;
use crate::referee::lease::{LeaseStep, Term};
use crate::referee::{ConnectionEvent, Notice};

/// Why nothing goes on.
const WAITS: &str = "the event waits for its observer, which may have taken over: started again by its command, it tells this referee. \
    If you know that it has not taken over, `alone` goes on without it";

/// Why a referee waits that was found out, or taken over from.
const WAITS_FOR_SUCCESSOR: &str = "another referee has what this one lacks, and goes on with the event: started again by its command, it \
    tells this one how; --observe stands by for it";

/// Why a referee waits that knows the end.
const WAITS_AT_THE_END: &str =
    "all games have been played; this referee waits some seconds for the other one to know it";

impl Service {
    /// Whether this is the acting referee.
    pub(super) fn is_acting(&self) -> bool {
        self.duty == Duty::Acts
    }

    /// The referee that may take over, if there is one besides this.
    pub(super) fn observer(&self) -> Option<u64> {
        let (history, named) = (&self.store.history, self.event.observer);
        let successor = history.successor().map(|(_, by)| by);
        successor.or(named.filter(|&observer| observer != history.referee))
    }

    /// Gives back the time in which this process was stopped, and begins or ends a term as the lease wants it. Nothing else
    /// may be done before.
    pub(super) fn keep_lease(
        &mut self,
        now: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        let lost = self.pulse.outage(now);
        if self.succession.successor.is_some() {
            // It hears the end of the event.
            return Ok(());
        }
        match self.lease.step(self.is_acting(), self.observer(), self.store.count(), now) {
            LeaseStep::StandDown => self.stand_down(tell),
            // It only tells its predecessor the end; an observer that was left fetches it from one that acts.
            LeaseStep::Begin if self.is_at_the_end() && !self.store.history.has_left => Ok(()),
            LeaseStep::Begin => self.begin_term(now),
            LeaseStep::Wait if self.duty == Duty::Begins => {
                self.duty = Duty::Waits;
                match self.store.history.successor() {
                    None if self.is_at_the_end() => self.note(WAITS_AT_THE_END, tell),
                    None => self.announce(WAITS, tell),
                    Some(_) => self.announce(WAITS_FOR_SUCCESSOR, tell),
                }
            }
            // A referee that was started anew may have an older copy of the store with which it acted: it needs its observer. So does one
            // that was taken over from. At the end nothing has to go on.
            LeaseStep::Wait
                if !self.claims.has_acted
                    || self.store.history.successor().is_some()
                    || self.is_at_the_end() =>
            {
                Ok(())
            }
            LeaseStep::Wait => {
                if !self.claims.is_due(now) {
                    return Ok(());
                }
                // The observer knows the term of the last fact that it has confirmed, or a later one: it may have claimed any of these.
                let first = self.store.history.epoch_of(self.lease.stored()) + 1;
                let wanted = (self.event.epoch + 1, self.store.history.referee);
                self.claims.make(self.event.founder, first, wanted, now, &self.to_self);
                Ok(())
            }
            LeaseStep::Act => {
                if let Some(lost) = lost {
                    self.event.outage(lost, now);
                }
                Ok(())
            }
        }
    }

    pub(super) fn begin_term(&mut self, now: Instant) -> Result<(), ServiceError> {
        // Everything in the store is confirmed now.
        let kept = write_games_anew(&mut self.files, &self.event, &mut self.store)?;
        if let Some(text) = kept {
            self.event.tell(true, text);
        }
        (self.duty, self.claims.has_acted) = (Duty::Acts, true);
        self.event.open(self.store.history.referee, now);
        Ok(())
    }

    pub(super) fn stand_down(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        self.duty = Duty::Waits;
        self.lease.forget();
        restore_anew(&mut self.event, &self.store.from(1)?);
        // Serial lines stay; other clients look for the referee that acts.
        self.connections.retain(|_, output| output.address.is_unspecified());
        for &line in self.connections.keys() {
            self.event.handle(ConnectionEvent::SerialLine(line), Instant::now());
        }
        self.announce("the observer does not answer: this referee may not act any more", tell)?;
        self.announce(WAITS, tell)
    }

    /// Hears from the witness whether this referee may go on without its observer.
    pub(super) fn hear_witness(
        &mut self,
        epoch: u64,
        granted: io::Result<bool>,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        self.claims.is_pending = false;
        if self.is_acting() || epoch != self.event.epoch + 1 {
            return Ok(());
        }
        match granted {
            Ok(true) => {
                // It has to hear the end.
                self.store.note(Note::Left(true))?;
                self.event.dismiss_observer();
                self.begin_term(Instant::now())?;
                self.announce("the witness lets this referee go on without its observer", tell)
            }
            Ok(false) => self
                .claims
                .tell_once("the witness has let the observer take over: this referee waits, and `alone` would make two")
                .map_or(Ok(()), |text| self.announce(&text, tell)),
            Err(error) => {
                let text = format!("the witness can't be asked: {error}");
                self.claims.tell_once(&text).map_or(Ok(()), |text| self.announce(&text, tell))
            }
        }
    }

    /// Goes on without the observer, because the director knows that it has not taken over, or that all that it has is lost.
    pub(super) fn go_alone(&mut self, is_other_lost: bool, now: Instant) -> Result<String, String> {
        if let Some((epoch, _)) = self.store.history.successor().filter(|_| !is_other_lost) {
            return Err(format!(
                "another referee has taken over, in epoch {epoch}, and what it has decided would be decided again; only if its folder is \
                 lost for good, `alone lost` goes on here"
            ));
        }
        if self.observer().is_none() {
            return Err("nobody else may take over".to_owned());
        }
        if let Some(connection) = self.lease.connection() {
            let address = self.observers.address(connection);
            return Err(format!("the observer is connected from {address}; end it there"));
        }
        if is_other_lost {
            let noted = self.store.note(Note::Fenced(None)).and_then(|()| self.store.note(Note::GivenUp));
            noted.map_err(|error| error.to_string())?;
        }
        self.event.dismiss_observer();
        if !self.is_acting() {
            self.begin_term(now).map_err(|error| error.to_string())?;
        }
        Ok("the event goes on; nobody takes over".to_owned())
    }

    /// Tells the director something urgent that does not come from the event.
    pub(super) fn announce(&mut self, text: &str, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        self.inform(true, text, tell)
    }

    /// Tells the director something that does not come from the event.
    pub(super) fn note(&mut self, text: &str, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        self.inform(false, text, tell)
    }

    fn inform(
        &mut self,
        urgent: bool,
        text: &str,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        self.log(None, '#', text)?;
        self.remember(text);
        tell(&Notice { urgent, text: text.to_owned() });
        Ok(())
    }
}

/// Interval between two claims.
pub(super) const CLAIM_INTERVAL: Duration = Duration::from_millis(500);

/// The claims of a referee that waits for its observer, if there is a witness.
pub(super) struct Claims {
    witness: Option<TrustedPeer>,
    /// Whether this process has acted.
    has_acted: bool,
    is_pending: bool,
    /// The number that was claimed last.
    reached: Arc<AtomicU64>,
    due: Option<Instant>,
    /// What the director was told last.
    told: String,
}

impl Claims {
    pub(super) fn new(witness: Option<TrustedPeer>) -> Claims {
        Claims {
            witness,
            has_acted: false,
            is_pending: false,
            reached: Arc::default(),
            due: None,
            told: String::new(),
        }
    }

    /// Whether a claim is to be made now.
    fn is_due(&self, now: Instant) -> bool {
        self.witness.is_some() && !self.is_pending && self.due.is_none_or(|due| now >= due)
    }

    /// Claims the terms from a number up to the last one, each after the one before was granted, on a thread of its own. An attempt
    /// that was not answered goes on where it stopped: the witness may have granted it.
    fn make(
        &mut self,
        event: u64,
        first: u64,
        (last, by): Term,
        now: Instant,
        service: &Sender<ServiceMessage>,
    ) {
        let Some(witness) = self.witness.clone() else { return };
        let (service, reached) = (service.clone(), Arc::clone(&self.reached));
        let ask = move || {
            let mut granted = Ok(true);
            for epoch in first.max(reached.load(Ordering::Relaxed))..=last {
                reached.store(epoch, Ordering::Relaxed);
                granted = claim(&witness, event, (epoch, by));
                if !matches!(granted, Ok(true)) {
                    break;
                }
            }
            // Sending fails only if the service has ended.
            let _ = service.send(ServiceMessage::Claimed(last, granted));
        };
        self.due = Some(now + CLAIM_INTERVAL);
        self.is_pending = thread::Builder::new().name("claim".into()).spawn(ask).is_ok();
    }

    /// Returns a text for the director, unless it was the last one.
    fn tell_once(&mut self, text: &str) -> Option<String> {
        let is_new = self.told != text;
        text.clone_into(&mut self.told);
        is_new.then(|| text.to_owned())
    }
}
