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
use super::{Service, ServiceError, ServiceMessage, TrustedPeer};
use crate::referee::lease::Term;
use crate::referee::reign::ReignStep;
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
    /// Gives back the time in which this process was stopped, and begins or ends a term as the lease wants it. Nothing else
    /// may be done before.
    pub(super) fn keep_lease(
        &mut self,
        now: Instant,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<(), ServiceError> {
        let lost = self.pulse.outage(now);
        match self.referee.step(now) {
            ReignStep::StandDown => self.stand_down(tell),
            ReignStep::Begin => self.begin_term(now),
            ReignStep::Wait => match self.referee.store.history.successor() {
                None if self.referee.is_at_the_end() => self.note(WAITS_AT_THE_END, tell),
                None => self.announce(WAITS, tell),
                Some(_) => self.announce(WAITS_FOR_SUCCESSOR, tell),
            },
            ReignStep::Claim(first) => {
                if self.claims.is_due(now) {
                    let wanted = (self.referee.event.epoch + 1, self.referee.store.history.referee);
                    self.claims.make(self.referee.event.founder, first, wanted, now, &self.to_self);
                }
                Ok(())
            }
            ReignStep::GoOn => {
                if let Some(lost) = lost.filter(|_| self.referee.is_acting()) {
                    self.referee.event.outage(lost, now);
                }
                Ok(())
            }
        }
    }

    pub(super) fn begin_term(&mut self, now: Instant) -> Result<(), ServiceError> {
        // Everything in the store is confirmed now.
        let kept = write_games_anew(&mut self.files, &self.referee.event, &mut self.referee.store)?;
        if let Some(text) = kept {
            self.referee.event.tell(true, text);
        }
        self.referee.begin(now);
        Ok(())
    }

    pub(super) fn stand_down(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<(), ServiceError> {
        self.referee.stand_down()?;
        // Serial lines stay; other clients look for the referee that acts.
        self.connections.retain(|_, output| output.address.is_unspecified());
        for &line in self.connections.keys() {
            self.referee.event.handle(ConnectionEvent::SerialLine(line), Instant::now());
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
        if self.referee.is_acting() || epoch != self.referee.event.epoch + 1 {
            return Ok(());
        }
        match granted {
            Ok(true) => {
                self.referee.leave_observer()?;
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
        if let Some((epoch, _)) = self.referee.store.history.successor().filter(|_| !is_other_lost) {
            return Err(format!(
                "another referee has taken over, in epoch {epoch}, and what it has decided would be decided again; only if its folder is \
                 lost for good, `alone lost` goes on here"
            ));
        }
        if self.referee.observer().is_none() {
            return Err("nobody else may take over".to_owned());
        }
        if let Some(connection) = self.referee.lease.connection() {
            let address = self.observers.address(connection);
            return Err(format!("the observer is connected from {address}; end it there"));
        }
        if is_other_lost {
            self.referee.give_other_up().map_err(|error| error.to_string())?;
        }
        self.referee.event.dismiss_observer();
        if !self.referee.is_acting() {
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
    is_pending: bool,
    /// The number that was claimed last.
    reached: Arc<AtomicU64>,
    due: Option<Instant>,
    /// What the director was told last.
    told: String,
}

impl Claims {
    pub(super) fn new(witness: Option<TrustedPeer>) -> Claims {
        Claims { witness, is_pending: false, reached: Arc::default(), due: None, told: String::new() }
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
