//! The standby referee ("observer"): it replicates the store of the active referee and takes over when that one fails.
//!
//! An observer applies facts as they arrive, so that it can take over at once. It does so only if the facts name it, and
//! only after it has left the connection over which it would confirm more of them.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use players::transport::{self, Security, Transport};

use super::term::FENCE_INTERVAL;
use super::{ListenConfig, Service, ServiceError};
use crate::referee::lease::{SILENCE, Watch};
use crate::referee::{EventState, EventStore, Fact, Notice};

/// Pause before the active referee is tried again.
const PAUSE: Duration = Duration::from_millis(50);

/// Why observation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservationEnd {
    /// The active referee failed; the observer should take over.
    TakeOver,
    /// The service ended normally.
    Ended,
    /// Observation was stopped from outside.
    Stopped,
}

/// Address and credentials of the active referee.
#[derive(Clone, Debug)]
pub struct ObservedReferee {
    /// Address for observers, as `HOST:PORT`.
    pub address: String,
    /// Token that admits observers.
    pub token: String,
    /// How the active referee is authenticated.
    pub security: Security,
}

/// A standby referee.
pub struct StandbyReferee {
    event: EventState,
    store: EventStore,
    folder: PathBuf,
    /// The referee that it has observed, to be told of the take-over.
    predecessor: Option<ObservedReferee>,
}

impl StandbyReferee {
    /// Opens the observer's own store, in its own folder.
    ///
    /// # Errors
    /// The store cannot be used.
    pub fn open(
        mut event: EventState,
        folder: &Path,
        settings: &str,
    ) -> Result<StandbyReferee, ServiceError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| ServiceError::File("the folder of the event", error))?;
        let store = EventStore::open(&folder.join("event.sqlite"), settings, |fact| event.restore(&fact))?;
        Ok(StandbyReferee { event, store, folder: folder.to_owned(), predecessor: None })
    }

    /// Whether this was the acting referee when its store was closed.
    pub fn has_acted_last(&self) -> bool {
        self.event.referee == self.store.referee
    }

    /// Observes a referee until it fails or ends.
    ///
    /// # Errors
    /// Facts cannot be stored or do not fit, or the referee could not be reached at all, or it fails before it has let this
    /// one take over.
    pub fn watch(
        &mut self,
        referee: &ObservedReferee,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<ObservationEnd, ServiceError> {
        let mut watch = None;
        loop {
            match self.follow(referee, &mut watch, stop) {
                Ok(Some(end)) => return Ok(end),
                Ok(None) => {
                    tell(&Notice { urgent: true, text: "lost the referee for a moment".to_owned() });
                }
                // The referee was reachable before and may return.
                Err(ServiceError::ObservedReferee(..)) if watch.is_some() => {}
                Err(error) => return Err(error),
            }
            thread::sleep(PAUSE);
            if watch.is_some_and(|watch| watch.is_over(Instant::now())) {
                return self.judge(referee);
            }
        }
    }

    /// Decides whether this referee may take over from one that has fallen silent. It has no connection to it any more.
    fn judge(&mut self, referee: &ObservedReferee) -> Result<ObservationEnd, ServiceError> {
        if self.event.observer != Some(self.store.referee) {
            let text = "it fell silent before it had let this referee take over";
            let error = io::Error::new(ErrorKind::TimedOut, text);
            return Err(ServiceError::ObservedReferee(referee.address.clone(), error));
        }
        self.predecessor = Some(referee.clone());
        Ok(ObservationEnd::TakeOver)
    }

    /// Receives facts over one connection; `None` if the connection broke or nothing comes any more.
    fn follow(
        &mut self,
        referee: &ObservedReferee,
        watch: &mut Option<Watch>,
        stop: &AtomicBool,
    ) -> Result<Option<ObservationEnd>, ServiceError> {
        let failed = |error| ServiceError::ObservedReferee(referee.address.clone(), error);
        let mut output =
            transport::connect(&referee.address, &referee.security, SILENCE / 4).map_err(failed)?;
        let (by, first) = (self.store.referee, self.store.count() + 1);
        let (epoch, author) = self.event.term();
        let hello = format!("observe {} {by} {first} {epoch} {author}\n", referee.token);
        output.write_all(hello.as_bytes()).map_err(failed)?;
        let reader = output.reader().map_err(failed)?.with_timeout(Some(Duration::from_millis(100)));
        let mut lines = BufReader::new(reader);
        let mut line = String::new();
        let (mut facts, mut is_admitted, begin) = (Vec::new(), false, Watch::new(Instant::now()));
        loop {
            if stop.load(Ordering::Relaxed) {
                // After this the referee goes on without us.
                let _ = output.write_all(b"leave\n");
                output.close();
                return Ok(Some(ObservationEnd::Stopped));
            }
            match lines.read_line(&mut line) {
                Ok(0) if !is_admitted && watch.is_none() => {
                    let text = "it hung up: the token is wrong, this store is not that of the event there, or one side \
                        speaks TLS and the other doesn't";
                    return Err(failed(io::Error::new(ErrorKind::PermissionDenied, text)));
                }
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    if watch.unwrap_or(begin).is_over(Instant::now()) {
                        output.close();
                        return if watch.is_some() {
                            Ok(None)
                        } else {
                            Err(failed(ErrorKind::TimedOut.into()))
                        };
                    }
                    // The bytes read so far are kept in the line.
                    continue;
                }
                Err(_) => return Ok(None),
            }
            is_admitted = true;
            *watch = Some(Watch::new(Instant::now()));
            let told = line.trim_end();
            let is_over = told == "end";
            if let Some(beat) = told.strip_prefix("alive ") {
                answer(&mut output, &format!("alive {beat}\n"));
            } else if !is_over {
                facts.push(self.take_fact(told, facts.len())?);
            }
            line.clear();
            // Facts that arrived together are stored together.
            let is_last = is_over || !lines.buffer().contains(&b'\n');
            if is_last && !facts.is_empty() {
                self.store.commit(&facts)?;
                facts.clear();
                answer(&mut output, &format!("{}\n", self.store.count()));
            }
            if is_over {
                return Ok(Some(ObservationEnd::Ended));
            }
        }
    }

    /// Applies a received fact. `pending` is the number of earlier facts that are not yet stored.
    fn take_fact(&mut self, line: &str, pending: usize) -> Result<Fact, ServiceError> {
        let senseless = |reason: String| {
            ServiceError::File("what the referee tells", io::Error::new(ErrorKind::InvalidData, reason))
        };
        let (number, fact) = line.split_once(' ').ok_or_else(|| senseless("no fact".to_owned()))?;
        let number: u64 = number.parse().map_err(|_| senseless("no number".to_owned()))?;
        let before = self.store.count() + pending as u64;
        if number != before + 1 {
            return Err(senseless(format!("fact {number} after {before}")));
        }
        let fact: Fact = serde_json::from_str(fact).map_err(|error| senseless(error.to_string()))?;
        self.event.restore(&fact).map_err(senseless)?;
        Ok(fact)
    }

    /// Makes this referee the active one, or one that waits until it may act.
    ///
    /// # Errors
    /// A file or the address cannot be used.
    pub fn take_over(self, entrance: ListenConfig) -> Result<Service, ServiceError> {
        let (epoch, by, first) = (self.event.epoch + 1, self.store.referee, self.store.count() + 1);
        let service = Service::around(self.event, self.store, &self.folder, entrance)?;
        if let Some(predecessor) = self.predecessor {
            let fence = format!("fence {} {epoch} {by} {first}\n", predecessor.token);
            // It ends with the process. Without it the predecessor does not know, but may not act all the same.
            let tell = move || tell_again_and_again(&predecessor, &fence);
            let _ = thread::Builder::new().name("fence".into()).spawn(tell);
        }
        Ok(service)
    }
}

/// Writes an answer. If that fails, the connection is lost, and the reading side notices it.
fn answer(output: &mut Transport, text: &str) {
    let _ = output.write_all(text.as_bytes());
}

/// Tells the predecessor of the take-over whenever it can be reached.
fn tell_again_and_again(predecessor: &ObservedReferee, fence: &str) {
    loop {
        if let Ok(mut output) = transport::connect(&predecessor.address, &predecessor.security, SILENCE) {
            answer(&mut output, fence);
            thread::sleep(FENCE_INTERVAL / 4);
            output.close();
        }
        thread::sleep(FENCE_INTERVAL);
    }
}
