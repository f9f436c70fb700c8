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

use super::delivery::{write_games_anew, write_report};
use super::files::EventFiles;
use super::shown::check_folder;
use super::succession::Predecessor;
use super::term::CLAIM_INTERVAL;
use super::witness::claim;
use super::{ListenConfig, Service, ServiceError};
use crate::referee::intake::{Intake, NotTaken, restore_anew};
use crate::referee::lease::{SILENCE, Watch};
use crate::referee::peer_line::{PeerLine, checksum};
use crate::referee::store::differing;
use crate::referee::{EventState, EventStore, Fact, Notice, report, view};

/// Pause before the active referee is tried again.
const PAUSE: Duration = Duration::from_millis(50);
/// Number of these pauses after connections in a row that have brought nothing, at most.
const MOST_PAUSES: u32 = 10;
/// Number of connections in a row over which the referee tells nothing, or what can't be, before it is left.
const MOST_FAILURES: u32 = 5;
/// Maximum length of a line, in bytes. A fact is shorter by far.
const LONGEST_LINE: u64 = 1 << 20;

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
    /// It was closed before anything came.
    Wordless,
    /// A line was lost or damaged on its way.
    Damaged(String),
    /// A fact contradicts what is known.
    Misfit(String),
    /// The referee refuses this one; whether that one acts.
    Refused {
        acts: bool,
        why: String,
    },
    /// The referee has other settings.
    OtherSettings(String),
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
    intake: Intake,
    folder: PathBuf,
    /// The referee that it observes or has observed, to be told of a take-over.
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
        event: EventState,
        folder: &Path,
        settings: &str,
        witness: Option<TrustedPeer>,
    ) -> Result<StandbyReferee, ServiceError> {
        StandbyReferee::open_with(FOR_OBSERVERS, event, folder, settings, witness)
    }

    /// Opens the store. `advice` says what to do if games are lost.
    pub(super) fn open_with(
        advice: &str,
        mut event: EventState,
        folder: &Path,
        settings: &str,
        witness: Option<TrustedPeer>,
    ) -> Result<StandbyReferee, ServiceError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| ServiceError::File("the folder of the event", error))?;
        let store = EventStore::open(&folder.join("event.sqlite"), settings, |fact| event.restore(&fact))?;
        check_folder(folder, &event, &store, advice)?;
        store.accept()?;
        let (intake, folder) = (Intake::default(), folder.to_owned());
        Ok(StandbyReferee { event, store, intake, folder, predecessor: None, witness })
    }

    /// Whether this was the acting referee when its store was closed.
    pub fn has_acted_last(&self) -> bool {
        self.event.referee == self.store.referee
    }

    /// Whether all games have been played, as far as this referee knows.
    pub fn has_ended(&self) -> bool {
        self.event.has_ended()
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
    pub fn finish(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<Option<String>, ServiceError> {
        let mut files = EventFiles::open(&self.folder, &self.event)
            .map_err(|error| ServiceError::File("a file of it", error))?;
        if self.store.is_over()? && files.are_complete(&self.event) {
            return Ok(Some(report::text(&self.event)));
        }
        let kept = write_games_anew(&mut files, &self.event, &self.store)?;
        if let Some(text) = kept {
            tell(&Notice { urgent: true, text });
        }
        if !self.event.is_over(Instant::now()) {
            return Ok(None);
        }
        let (opinions, log) = (BTreeMap::new(), VecDeque::new());
        let state = view::state(&self.event, &opinions, Instant::now(), &log, false);
        write_report(&files, &self.event, &self.store, &opinions, &state)?;
        self.store.mark_over()?;
        Ok(Some(report::text(&self.event)))
    }

    /// Observes a referee until it fails or ends. `settings` describes all that both referees must have in common, as JSON.
    ///
    /// # Errors
    /// Facts cannot be stored or do not fit, the referee refuses this one or could not be reached at all, or it fails before it
    /// has let this one take over.
    pub fn watch(
        &mut self,
        referee: &TrustedPeer,
        settings: &str,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<ObservationEnd, ServiceError> {
        let (mut watch, mut failures, mut vain, mut told) = (None, 0, 0, String::new());
        self.predecessor = Some(referee.clone());
        loop {
            let (before, heard) = (self.store.count(), watch);
            let mut again = |why: String| {
                if told != why {
                    tell(&Notice { urgent: true, text: format!("asking the referee again: {why}") });
                    told = why;
                }
            };
            match self.follow(referee, settings, &mut watch, stop) {
                Ok(FollowEnd::Over(end)) => return Ok(end),
                // Told once, though the next attempts may end in the same way.
                Ok(FollowEnd::Lost | FollowEnd::Wordless) if watch.is_some() && watch == heard => {}
                Ok(FollowEnd::Lost) => {
                    tell(&Notice { urgent: true, text: "lost the referee for a moment".to_owned() });
                }
                // A line that is damaged now and then ends nothing.
                Ok(FollowEnd::Damaged(why)) if watch.is_some() => again(why),
                // It may take over, and whoever refuses it may have an old store.
                Ok(FollowEnd::Refused { why, .. }) if watch.is_some() && self.is_named() => again(why),
                // Who waits may not have heard yet that this one has taken over. And this one, if it only waits for its observer,
                // is told by that (`fence`) which facts it has to set aside.
                Ok(FollowEnd::Refused { acts, why }) if !acts || self.would_wait() => {
                    let error = io::Error::new(ErrorKind::PermissionDenied, why);
                    return Err(ServiceError::ObservedReferee(referee.address.clone(), error));
                }
                Ok(FollowEnd::Refused { why, .. } | FollowEnd::OtherSettings(why)) => {
                    return Err(ServiceError::Refused(referee.address.clone(), why));
                }
                Ok(FollowEnd::Damaged(why) | FollowEnd::Misfit(why)) => {
                    failures = if self.store.count() > before { 1 } else { failures + 1 };
                    if failures >= MOST_FAILURES {
                        return Err(ServiceError::Refused(referee.address.clone(), why));
                    }
                    again(why);
                }
                Ok(FollowEnd::Wordless) => {
                    failures += 1;
                    if failures >= MOST_FAILURES {
                        return Err(ServiceError::Refused(referee.address.clone(), WORDLESS.to_owned()));
                    }
                }
                Ok(FollowEnd::GoBack(number)) => tell(&self.go_back(referee, number)?),
                // The referee was reachable before and may return.
                Err(ServiceError::ObservedReferee(..)) if watch.is_some() => {}
                Err(error) => return Err(error),
            }
            // A referee takes few connections at once from an address.
            vain = if self.store.count() > before { 0 } else { (vain + 1).min(MOST_PAUSES) };
            thread::sleep(PAUSE * vain.max(1));
            if stop.load(Ordering::Relaxed) {
                return Ok(ObservationEnd::Stopped);
            }
            if watch.is_some_and(|watch| watch.is_over(Instant::now()))
                && self.may_take_over(referee, tell)?
            {
                return Ok(ObservationEnd::TakeOver);
            }
        }
    }

    /// Whether this referee, if it observed nobody, would wait for an observer of its own.
    fn would_wait(&self) -> bool {
        self.event.observer.is_some_and(|observer| observer != self.store.referee)
    }

    /// Whether a fact names this referee as the one that may take over.
    fn is_named(&self) -> bool {
        self.event.observer == Some(self.store.referee)
    }

    /// Whether this referee may take over from one that has fallen silent. It has no connection to it any more.
    fn may_take_over(
        &self,
        referee: &TrustedPeer,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<bool, ServiceError> {
        if !self.is_named() {
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
            return Err(ServiceError::Refused(referee.address.clone(), text.to_owned()));
        }
        self.store.set_aside(number)?;
        restore_anew(&mut self.event, &self.store.from(1)?);
        let text = format!("{} that nobody was told of set aside", counted(own.len() as u64, "fact"));
        Ok(Notice { urgent: false, text })
    }

    /// Receives facts over one connection. On every way out, all facts that were applied are stored.
    fn follow(
        &mut self,
        referee: &TrustedPeer,
        settings: &str,
        watch: &mut Option<Watch>,
        stop: &AtomicBool,
    ) -> Result<FollowEnd, ServiceError> {
        let end = self.listen(referee, settings, watch, stop);
        self.intake.settle(&mut self.event, &mut self.store)?;
        end
    }

    fn listen(
        &mut self,
        referee: &TrustedPeer,
        settings: &str,
        watch: &mut Option<Watch>,
        stop: &AtomicBool,
    ) -> Result<FollowEnd, ServiceError> {
        let failed = |error| ServiceError::ObservedReferee(referee.address.clone(), error);
        let mut output =
            transport::connect(&referee.address, &referee.security, SILENCE / 4).map_err(failed)?;
        let (by, first, term) = (self.store.referee, self.store.count() + 1, self.event.term());
        let token = referee.token.clone();
        say(&mut output, &PeerLine::Observe { token, by, first, term, settings: checksum(settings) });
        let reader = output.reader().map_err(failed)?.with_timeout(Some(Duration::from_millis(100)));
        let mut lines = BufReader::new(reader);
        let (mut line, begin) = (Vec::new(), Watch::new(Instant::now()));
        loop {
            if stop.load(Ordering::Relaxed) {
                // After this the referee goes on without us.
                say(&mut output, &PeerLine::Leave);
                output.close();
                return Ok(FollowEnd::Over(ObservationEnd::Stopped));
            }
            let left = LONGEST_LINE - line.len() as u64;
            match lines.by_ref().take(left).read_until(b'\n', &mut line) {
                // The bytes read so far are kept in the line.
                Err(error) if is_wait(&error) && !watch.unwrap_or(begin).is_over(Instant::now()) => continue,
                Err(error) if is_wait(&error) && watch.is_none() => return Err(failed(error)),
                Ok(0) | Err(_) if watch.is_none() => return Ok(FollowEnd::Wordless),
                Ok(0) | Err(_) => return Ok(FollowEnd::Lost),
                Ok(_) => {}
            }
            let whole = line.strip_suffix(b"\n");
            if whole.is_none() && (line.len() as u64) < LONGEST_LINE {
                continue;
            }
            let Some(told) = whole.and_then(PeerLine::parse) else {
                return Ok(FollowEnd::Damaged("a line was damaged on its way".to_owned()));
            };
            line.clear();
            if matches!(told, PeerLine::Fact(..) | PeerLine::Alive { .. }) {
                *watch = Some(Watch::new(Instant::now()));
            }
            if let Some(end) = self.hear(told, settings, &mut output) {
                return Ok(end);
            }
            // Facts that arrived together are stored together.
            if !lines.buffer().contains(&b'\n') && self.intake.settle(&mut self.event, &mut self.store)? {
                say(&mut output, &PeerLine::Stored(self.store.count()));
            }
        }
    }

    /// Handles a line of the referee. Returns why the connection is to be left, if it is.
    fn hear(&mut self, line: PeerLine, settings: &str, output: &mut Transport) -> Option<FollowEnd> {
        let stored = self.store.count();
        match line {
            PeerLine::Fact(number, json) => {
                let taken = self.intake.take(&mut self.event, stored, number, &json);
                return match taken {
                    Ok(()) => None,
                    Err(NotTaken::Gap(why)) => Some(FollowEnd::Damaged(why)),
                    Err(NotTaken::Misfit(why)) => Some(FollowEnd::Misfit(why)),
                };
            }
            PeerLine::Alive { beat, count } => {
                if count > self.intake.last(stored) {
                    return Some(FollowEnd::Damaged("a fact was lost on its way".to_owned()));
                }
                say(output, &PeerLine::Alive { beat, count: stored });
            }
            PeerLine::End => return Some(FollowEnd::Over(ObservationEnd::Ended)),
            PeerLine::Back(number) => return Some(FollowEnd::GoBack(number)),
            PeerLine::Refused { acts, reason } => return Some(FollowEnd::Refused { acts, why: reason }),
            PeerLine::Settings(theirs) => {
                return Some(FollowEnd::OtherSettings(other_settings(&theirs, settings)));
            }
            _ => return Some(FollowEnd::Misfit("it tells what only an observer tells".to_owned())),
        }
        None
    }

    /// Whether all games of the event have been played, and the referee from which this one has taken over does not know it yet.
    ///
    /// # Errors
    /// The store can't be read.
    pub fn owes_the_end(&self) -> Result<bool, ServiceError> {
        Ok(self.store.taken_over()?.is_some() && self.store.is_over()? && !self.store.is_told()?)
    }

    /// Makes this referee the active one, or one that waits until it may act.
    ///
    /// # Errors
    /// A file or the address cannot be used.
    pub fn take_over(self, entrance: ListenConfig) -> Result<Service, ServiceError> {
        let (by, another) = (self.store.referee, ![0, self.store.referee].contains(&self.event.referee));
        // Later terms of this referee don't count here: the other may have observed them, and taken over from one of them.
        let taken = self.store.taken_over()?;
        let taken = taken.or(another.then_some((self.store.count() + 1, self.event.epoch + 1)));
        let mut service = Service::around(self.event, self.store, &self.folder, entrance, self.witness)?;
        if let (Some(predecessor), Some((first, epoch))) = (self.predecessor, taken) {
            let text = format!("takes over from the referee at {}", predecessor.address);
            service.log(None, '#', &text)?;
            service.remember(&text);
            service.succession.predecessor =
                Some(Predecessor::tell(predecessor, (epoch, by), first, service.to_self.clone()));
        }
        Ok(service)
    }
}

/// What to do if the store of a referee that is to act does not know a game.
pub(super) const FOR_ACTING: &str = "with a newer copy, such as an observer's, the event can go on; without one name another folder, \
    or take games.pgn, running/ and the report away, and what is lost is played again; a game that is not of this event only has to \
    be taken out";

/// What to do if the store of an observer does not know a game.
const FOR_OBSERVERS: &str = "name a new, empty folder (--folder) and say `alone` at the acting referee, which waits for this one: then \
    everything is fetched from it; if none acts any more, the event can go on with a newer copy";

/// Whether nothing has come yet.
fn is_wait(error: &io::Error) -> bool {
    error.kind() == ErrorKind::TimedOut
}

/// The referee hangs up before it has said anything.
const WORDLESS: &str = "it hangs up without a word: it is no referee, one side speaks TLS and the other doesn't, or it has too many \
    connections";

/// What differs between the settings of two referees.
fn other_settings(theirs: &str, own: &str) -> String {
    let differing = differing(theirs, own);
    let told: Vec<String> =
        differing.iter().map(|(name, there, here)| format!("{name}: {there} there, {here} here")).collect();
    format!("both referees need the same settings ({})", told.join("; "))
}

/// Sends a line. If that fails, the connection is lost, and the reading side notices it.
pub(super) fn say(output: &mut Transport, line: &PeerLine) {
    let _ = output.write_all(line.encode().as_bytes());
}
