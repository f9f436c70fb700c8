//! The standby referee ("observer"): it replicates the store of the active referee and takes over when that one fails.
//!
//! An observer applies facts as they arrive, so that it can take over at once. It does so only if the facts name it, and
//! only after it has left the connection over which it would confirm more of them.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use game::counted;
use players::transport::{self, Security, Transport};

use super::delivery::write_report;
use super::files::EventFiles;
use super::observer::checksum;
use super::term::{CLAIM_INTERVAL, FENCE_INTERVAL, FENCE_PATIENCE};
use super::witness::claim;
use super::{ListenConfig, Service, ServiceError};
use crate::referee::lease::{SILENCE, Watch};
use crate::referee::{EventState, EventStore, Fact, Notice, report, view};

/// Pause before the active referee is tried again.
const PAUSE: Duration = Duration::from_millis(50);
/// Number of connections in a row that fail because of what the referee tells before it is left.
const MOST_GARBLED: u32 = 5;

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

/// Why a connection to the observed referee was left.
enum FollowEnd {
    Over(ObservationEnd),
    /// It broke, or nothing comes any more.
    Lost,
    /// A line was lost or damaged on its way, or contradicts what is known.
    Garbled(io::Error),
    /// The referee does not have the facts from this number on.
    GoBack(u64),
}

/// Address and credentials of another referee, or of a witness.
#[derive(Clone, Debug)]
pub struct TrustedPeer {
    /// Address for observers or claims, as `HOST:PORT`.
    pub address: String,
    /// The token that the referees share, and that the witness knows.
    pub token: String,
    /// How the other end is authenticated.
    pub security: Security,
}

/// A standby referee.
pub struct StandbyReferee {
    event: EventState,
    store: EventStore,
    folder: PathBuf,
    /// The referee that it has observed, to be told of the take-over.
    predecessor: Option<TrustedPeer>,
    /// Who has to agree to a take-over.
    witness: Option<TrustedPeer>,
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
        witness: Option<TrustedPeer>,
    ) -> Result<StandbyReferee, ServiceError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| ServiceError::File("the folder of the event", error))?;
        let store = EventStore::open(&folder.join("event.sqlite"), settings, |fact| event.restore(&fact))?;
        let games = std::fs::metadata(folder.join("games.pgn"));
        if store.count() == 0 && games.is_ok_and(|about| about.len() > 0) {
            let reason = "it has games of an event whose store is empty or lost; with a copy of event.sqlite, such as an \
                observer's, the event can go on; else name another folder";
            return Err(ServiceError::Folder { folder: folder.to_owned(), reason });
        }
        Ok(StandbyReferee { event, store, folder: folder.to_owned(), predecessor: None, witness })
    }

    /// Whether this was the acting referee when its store was closed.
    pub fn has_acted_last(&self) -> bool {
        self.event.referee == self.store.referee
    }

    /// Whether all games of the event had been played when its store was closed.
    ///
    /// # Errors
    /// The store can't be read.
    pub fn is_over(&self) -> Result<bool, ServiceError> {
        Ok(self.store.is_over()?)
    }

    /// Writes the games that have been played and, if there are no more to come, the report. Returns the report.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn finish(&mut self) -> Result<Option<String>, ServiceError> {
        let failed = |error| ServiceError::File("games.pgn or the report", error);
        let mut files = EventFiles::open(&self.folder, &self.event).map_err(failed)?;
        let finished = self.event.take_effects().finished;
        files.rewrite_games(&self.event.settings.tags(), &finished).map_err(failed)?;
        if !self.event.is_over(Instant::now()) {
            return Ok(None);
        }
        let (opinions, log) = (BTreeMap::new(), VecDeque::new());
        let state = view::state(&self.event, &opinions, Instant::now(), &log, false);
        write_report(&files, &self.event, &self.store, &opinions, &state)?;
        self.store.mark_over()?;
        Ok(Some(report::text(&self.event)))
    }

    /// Observes a referee until it fails or ends.
    ///
    /// # Errors
    /// Facts cannot be stored or do not fit, or the referee could not be reached at all, or it fails before it has let this
    /// one take over.
    pub fn watch(
        &mut self,
        referee: &TrustedPeer,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<ObservationEnd, ServiceError> {
        let (mut watch, mut failures) = (None, 0);
        loop {
            let (before, heard) = (self.store.count(), watch);
            match self.follow(referee, &mut watch, stop) {
                Ok(FollowEnd::Over(end)) => return Ok(end),
                // Told once, though the next attempts may end in the same way.
                Ok(FollowEnd::Lost) if watch == heard => {}
                Ok(FollowEnd::Lost) => {
                    tell(&Notice { urgent: true, text: "lost the referee for a moment".to_owned() });
                }
                Ok(FollowEnd::Garbled(error)) => {
                    failures = if self.store.count() > before { 1 } else { failures + 1 };
                    if failures >= MOST_GARBLED {
                        return Err(ServiceError::ObservedReferee(referee.address.clone(), error));
                    }
                    tell(&Notice { urgent: true, text: format!("asking the referee again: {error}") });
                }
                Ok(FollowEnd::GoBack(number)) => tell(&self.go_back(referee, number)?),
                // The referee was reachable before and may return.
                Err(ServiceError::ObservedReferee(..)) if watch.is_some() => {}
                Err(error) => return Err(error),
            }
            thread::sleep(PAUSE);
            if stop.load(Ordering::Relaxed) {
                return Ok(ObservationEnd::Stopped);
            }
            if watch.is_some_and(|watch| watch.is_over(Instant::now()))
                && self.may_take_over(referee, tell)?
            {
                self.predecessor = Some(referee.clone());
                return Ok(ObservationEnd::TakeOver);
            }
        }
    }

    /// Whether this referee may take over from one that has fallen silent. It has no connection to it any more.
    fn may_take_over(
        &self,
        referee: &TrustedPeer,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<bool, ServiceError> {
        if self.event.observer != Some(self.store.referee) {
            let text = "it fell silent before it had let this referee take over";
            let error = io::Error::new(ErrorKind::TimedOut, text);
            return Err(ServiceError::ObservedReferee(referee.address.clone(), error));
        }
        let Some(witness) = &self.witness else { return Ok(true) };
        let claimed = claim(witness, self.event.founder, (self.event.epoch + 1, self.store.referee));
        if let Ok(true) = claimed {
            return Ok(true);
        }
        let text = match claimed {
            Ok(_) => "the referee is silent, but the witness lets it go on".to_owned(),
            Err(error) => {
                format!("the referee is silent, and so is the witness at {}: {error}", witness.address)
            }
        };
        tell(&Notice { urgent: true, text });
        thread::sleep(CLAIM_INTERVAL);
        Ok(false)
    }

    /// Sets the facts from a number on aside, which the referee does not have: this one recorded them before it was taken over
    /// from, and has told nobody.
    fn go_back(&mut self, referee: &TrustedPeer, number: u64) -> Result<Notice, ServiceError> {
        let own = self.store.from(number)?;
        if own.is_empty() || own.iter().any(|fact| matches!(fact, Fact::Observer { .. } | Fact::Epoch { .. }))
        {
            let text = "both referees have acted for the same event; the one that is wrong has to begin in a new folder";
            let error = io::Error::new(ErrorKind::InvalidData, text);
            return Err(ServiceError::ObservedReferee(referee.address.clone(), error));
        }
        self.store.set_aside(number)?;
        self.event.start_over();
        for fact in self.store.from(1)? {
            // It was applied when it was stored.
            let _ = self.event.restore(&fact);
        }
        let text = format!("{} that nobody was told of set aside", counted(own.len() as u64, "fact"));
        Ok(Notice { urgent: false, text })
    }

    /// Receives facts over one connection.
    fn follow(
        &mut self,
        referee: &TrustedPeer,
        watch: &mut Option<Watch>,
        stop: &AtomicBool,
    ) -> Result<FollowEnd, ServiceError> {
        let failed = |error| ServiceError::ObservedReferee(referee.address.clone(), error);
        let mut output =
            transport::connect(&referee.address, &referee.security, SILENCE / 4).map_err(failed)?;
        let (by, first) = (self.store.referee, self.store.count() + 1);
        let (epoch, author) = self.event.term();
        let hello = format!("observe {} {by} {first} {epoch} {author}\n", referee.token);
        output.write_all(hello.as_bytes()).map_err(failed)?;
        let reader = output.reader().map_err(failed)?.with_timeout(Some(Duration::from_millis(100)));
        let mut lines = BufReader::new(reader);
        let (mut line, mut facts, begin) = (String::new(), Vec::new(), Watch::new(Instant::now()));
        loop {
            if stop.load(Ordering::Relaxed) {
                // After this the referee goes on without us.
                answer(&mut output, "leave\n");
                output.close();
                return Ok(FollowEnd::Over(ObservationEnd::Stopped));
            }
            match lines.read_line(&mut line) {
                Ok(0) if watch.is_none() => return Err(failed(refused())),
                // The bytes read so far are kept in the line.
                Err(error) if is_wait(&error) && !watch.unwrap_or(begin).is_over(Instant::now()) => continue,
                Err(error) if is_wait(&error) && watch.is_none() => return Err(failed(error)),
                Ok(0) | Err(_) => return Ok(FollowEnd::Lost),
                Ok(_) => *watch = Some(Watch::new(Instant::now())),
            }
            let end = self.take_line(line.trim_end(), &mut facts, &mut output);
            line.clear();
            // Facts that arrived together are stored together.
            if (end.is_some() || !lines.buffer().contains(&b'\n')) && !facts.is_empty() {
                self.store.commit(&facts)?;
                facts.clear();
                answer(&mut output, &format!("{}\n", self.store.count()));
            }
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }

    /// Takes a line of the referee. A fact is applied and added to `facts`, which are to be stored. Returns why the connection is
    /// to be left, if it is.
    fn take_line(&mut self, line: &str, facts: &mut Vec<Fact>, output: &mut Transport) -> Option<FollowEnd> {
        match line.split_once(' ') {
            None if line == "end" => return Some(FollowEnd::Over(ObservationEnd::Ended)),
            Some(("alive", beat)) => answer(output, &format!("alive {beat}\n")),
            Some(("back", number)) if number.parse().is_ok_and(|number: u64| number > 0) => {
                return number.parse().ok().map(FollowEnd::GoBack);
            }
            _ => match self.take_fact(line, facts.len()) {
                Ok(fact) => facts.extend(fact),
                Err(reason) => {
                    return Some(FollowEnd::Garbled(io::Error::new(ErrorKind::InvalidData, reason)));
                }
            },
        }
        None
    }

    /// Applies a received fact; `None` if it is known already. `pending` is the number of earlier facts that are not yet stored.
    fn take_fact(&mut self, line: &str, pending: usize) -> Result<Option<Fact>, String> {
        let parts = line.split_once(' ').and_then(|(number, rest)| Some((number, rest.split_once(' ')?)));
        let (number, (sum, fact)) = parts.ok_or("it tells something that is no fact")?;
        let number: u64 = number.parse().map_err(|_| "it tells a fact without a number")?;
        if u32::from_str_radix(sum, 16) != Ok(checksum(number, fact)) {
            return Err(format!("fact {number} was damaged on its way"));
        }
        let before = self.store.count() + pending as u64;
        if number <= before {
            return Ok(None);
        }
        if number != before + 1 {
            return Err(format!("it tells fact {number} after fact {before}"));
        }
        let fact: Fact = serde_json::from_str(fact).map_err(|error| format!("fact {number}: {error}"))?;
        self.event.restore(&fact).map_err(|error| format!("fact {number}: {error}"))?;
        Ok(Some(fact))
    }

    /// Makes this referee the active one, or one that waits until it may act.
    ///
    /// # Errors
    /// A file or the address cannot be used.
    pub fn take_over(self, entrance: ListenConfig) -> Result<Service, ServiceError> {
        let (epoch, by, first) = (self.event.epoch + 1, self.store.referee, self.store.count() + 1);
        let mut service = Service::around(self.event, self.store, &self.folder, entrance, self.witness)?;
        if let Some(predecessor) = self.predecessor {
            let text = format!("takes over from the referee at {}", predecessor.address);
            service.log(None, '#', &text)?;
            service.remember(&text);
            let fence = format!("fence {} {epoch} {by} {first}\n", predecessor.token);
            // It ends with the process. Without it the predecessor does not know, but may not act all the same.
            let tell = move || tell_again_and_again(&predecessor, &fence);
            let _ = thread::Builder::new().name("fence".into()).spawn(tell);
        }
        Ok(service)
    }
}

/// Whether nothing has come yet.
fn is_wait(error: &io::Error) -> bool {
    error.kind() == ErrorKind::TimedOut
}

/// The referee has hung up before it has said anything.
fn refused() -> io::Error {
    let text = "it hung up: the token is wrong, this store is not that of the event there, there is another observer, or one \
        side speaks TLS and the other doesn't";
    io::Error::new(ErrorKind::PermissionDenied, text)
}

/// Writes an answer. If that fails, the connection is lost, and the reading side notices it.
fn answer(output: &mut Transport, text: &str) {
    let _ = output.write_all(text.as_bytes());
}

/// Tells the predecessor of the take-over whenever it can be reached. One that is stopped hears it when it goes on: the
/// connection is kept until it hangs up.
fn tell_again_and_again(predecessor: &TrustedPeer, fence: &str) {
    loop {
        if let Ok(mut output) = transport::connect(&predecessor.address, &predecessor.security, SILENCE) {
            answer(&mut output, fence);
            if let Ok(reader) = output.reader() {
                let _ = reader.with_timeout(Some(FENCE_PATIENCE)).read(&mut [0; 64]);
            }
            output.close();
        }
        thread::sleep(FENCE_INTERVAL);
    }
}
