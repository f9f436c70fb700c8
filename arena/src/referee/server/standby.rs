//! The standby referee ("observer"): it replicates the store of the active referee and takes over when that one fails.
//!
//! What it does is decided in `observation.rs`. Here are its connections, and what its director is told.

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
use super::succession::{Predecessor, tell_once};
use super::term::CLAIM_INTERVAL;
use super::witness::claim;
use super::{Held, ListenConfig, Service, ServiceError};
use crate::referee::differences::differing;
use crate::referee::history::{Note, StoreSummary};
use crate::referee::intake::FactStore as _;
use crate::referee::lease::{SILENCE, Watch};
use crate::referee::observation::{AfterParting, ObserverStep, Parting};
use crate::referee::peer_line::{PeerLine, checksum};
use crate::referee::regular::named;
use crate::referee::reign::{END_PATIENCE, Referee};
use crate::referee::{EventState, EventStore, Notice, report, view};

/// Pause before the active referee is tried again.
const PAUSE: Duration = Duration::from_millis(50);
/// Number of these pauses after connections in a row that have brought nothing, at most.
const MOST_PAUSES: u32 = 10;
/// Number of connections in a row over which the referee tells nothing, or what can't be, before it is left.
const MOST_FAILURES: u32 = 5;
/// Time for which a referee is waited for that does not run yet.
const FIRST_PATIENCE: Duration = Duration::from_mins(1);
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

/// The attempts to observe a referee.
struct Tries {
    address: String,
    /// Until when one is waited for that can't be reached yet.
    until: Instant,
    /// Number of connections in a row that have brought no fact: of all, and of those that tell what can't be, or nothing.
    vain: u32,
    failures: u32,
    /// What the director was told last.
    told: String,
}

impl Tries {
    fn new(address: &str, patience: Duration) -> Tries {
        let (address, until) = (address.to_owned(), Instant::now() + patience);
        Tries { address, until, vain: 0, failures: 0, told: String::new() }
    }

    /// Waits for the referee as at the beginning.
    fn begin_again(&mut self, patience: Duration) {
        *self = Tries::new(&self.address, patience);
    }

    /// Counts a connection.
    fn count(&mut self, has_brought: bool) {
        if has_brought {
            (self.vain, self.failures) = (0, 0);
        } else {
            self.vain = (self.vain + 1).min(MOST_PAUSES);
        }
    }

    /// Waits before the next one: a referee takes few connections at once from an address.
    fn pause(&self) {
        thread::sleep(PAUSE * self.vain.max(1));
    }

    /// Whether a referee that can't be reached may not have been started yet.
    fn may_wait_for(&self, error: &io::Error) -> bool {
        let is_certain = matches!(
            error.kind(),
            ErrorKind::PermissionDenied | ErrorKind::InvalidData | ErrorKind::InvalidInput
        );
        Instant::now() < self.until && !is_certain
    }

    /// Tells the director once that the referee is asked again.
    fn again(&mut self, why: String, tell: &mut dyn FnMut(&Notice)) {
        if self.told != why {
            tell(&Notice { urgent: true, text: format!("asking the referee again: {why}") });
            self.told = why;
        }
    }

    /// Counts a connection that tells nothing, or what can't be.
    fn fail(&mut self, why: &str) -> Result<(), ServiceError> {
        self.failures += 1;
        if self.failures < MOST_FAILURES { Ok(()) } else { Err(self.refused(why.to_owned())) }
    }

    fn refused(&self, why: String) -> ServiceError {
        ServiceError::Refused(self.address.clone(), why)
    }

    fn unobserved(&self, kind: ErrorKind, why: String) -> ServiceError {
        ServiceError::ObservedReferee(self.address.clone(), io::Error::new(kind, why))
    }
}

/// A standby referee.
pub struct StandbyReferee {
    referee: Referee<EventStore, Held>,
    folder: PathBuf,
    /// The referee that it observes or has observed, to be told of a take-over.
    pub(super) predecessor: Option<TrustedPeer>,
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
            .map_err(|error| ServiceError::File("the folder of the event", named(folder, &error)))?;
        let store = EventStore::open(&folder.join("event.sqlite"), settings, |fact| event.restore(&fact))?;
        check_folder(folder, &event, &store, advice)?;
        store.accept()?;
        let (referee, folder) = (Referee::new(event, store), folder.to_owned());
        Ok(StandbyReferee { referee, folder, predecessor: None, witness })
    }

    /// Whether this was the acting referee when its store was closed.
    pub fn has_acted_last(&self) -> bool {
        self.referee.has_acted_last()
    }

    /// Whether all games have been played, as far as this referee knows.
    pub fn has_ended(&self) -> bool {
        self.referee.event.has_ended()
    }

    /// Writes the games that have been played and, if there are no more to come, the report. Returns the report.
    ///
    /// # Errors
    /// A file can't be written.
    pub fn finish(&mut self, tell: &mut dyn FnMut(&Notice)) -> Result<Option<String>, ServiceError> {
        let mut files = EventFiles::open(&self.folder, &self.referee.event)
            .map_err(|error| ServiceError::File("a file of it", error))?;
        if self.referee.store.history.is_over() && files.are_complete(&self.referee.event) {
            return Ok(Some(report::text(&self.referee.event)));
        }
        let kept = write_games_anew(&mut files, &self.referee.event, &mut self.referee.store)?;
        if let Some(text) = kept {
            tell(&Notice { urgent: true, text });
        }
        if !self.referee.event.is_over(Instant::now()) {
            return Ok(None);
        }
        let (opinions, log) = (BTreeMap::new(), VecDeque::new());
        let state = view::state(&self.referee.event, &opinions, Instant::now(), &log, false);
        write_report(&files, &self.referee.event, &self.referee.store, &opinions, &state)?;
        self.referee.store.note(Note::Over)?;
        Ok(Some(report::text(&self.referee.event)))
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
        self.predecessor = Some(referee.clone());
        self.referee.observation.watch = None;
        let mut tries = Tries::new(&referee.address, self.patience());
        loop {
            let before = self.referee.store.count();
            let heard = self.referee.observation.watch;
            let end = self.follow(referee, settings, stop);
            tries.count(self.referee.store.count() > before);
            let is_same = self.referee.observation.watch == heard;
            if let Some(end) = self.judge(end, &mut tries, is_same, tell)? {
                return Ok(end);
            }
            tries.pause();
            if stop.load(Ordering::Relaxed) {
                return Ok(ObservationEnd::Stopped);
            }
            let is_silent = self.referee.observation.watch.is_some_and(|watch| watch.is_over(Instant::now()));
            if is_silent && self.may_take_over(&mut tries, tell)? {
                return Ok(ObservationEnd::TakeOver);
            }
        }
    }

    /// For how long a referee is waited for that can't be reached yet.
    fn patience(&self) -> Duration {
        match (self.has_acted_last(), self.has_ended()) {
            // The programs wait for this one.
            (true, _) => Duration::ZERO,
            (false, false) => FIRST_PATIENCE,
            // It may have come back with an older copy of its store.
            (false, true) if self.referee.store.history.is_told() => Duration::ZERO,
            (false, true) => END_PATIENCE,
        }
    }

    /// Decides what follows from the end of a connection: whether the observation ends, too. `is_same`: nothing came over it.
    fn judge(
        &mut self,
        end: Result<Parting, ServiceError>,
        tries: &mut Tries,
        is_same: bool,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<ObservationEnd>, ServiceError> {
        let has_heard = self.referee.observation.watch.is_some();
        match end {
            Ok(Parting::Ended) => {
                self.referee.store.note(Note::Told)?;
                return Ok(Some(ObservationEnd::Ended));
            }
            Ok(Parting::Stopped) => return Ok(Some(ObservationEnd::Stopped)),
            Ok(Parting::Back(number)) => return self.hear_back(number, tries, tell),
            // Told once, though the next attempts may end in the same way.
            Ok(Parting::Lost | Parting::Wordless) if has_heard && is_same => {}
            Ok(Parting::Lost) => {
                tell(&Notice { urgent: true, text: "lost the referee for a moment".to_owned() });
            }
            // A line that is damaged now and then ends nothing.
            Ok(Parting::Damaged(why)) if has_heard => tries.again(why, tell),
            Ok(Parting::Refused { acts, why }) => match self.referee.after_refusal(acts) {
                AfterParting::Again => tries.again(why, tell),
                AfterParting::GoOn => return Err(tries.unobserved(ErrorKind::PermissionDenied, why)),
                _ => return Err(tries.refused(why)),
            },
            Ok(Parting::OtherSettings(why)) => return Err(tries.refused(why)),
            Ok(Parting::Damaged(why) | Parting::Misfit(why)) => {
                tries.fail(&why)?;
                tries.again(why, tell);
            }
            Ok(Parting::Wordless) => tries.fail(WORDLESS)?,
            // The referee was reachable before and may return, or does not run yet.
            Err(ServiceError::ObservedReferee(..)) if has_heard => {}
            Err(ServiceError::ObservedReferee(address, error)) if tries.may_wait_for(&error) => {
                tries.again(format!("{address} can't be observed: {error}"), tell);
            }
            Err(error) => return Err(error),
        }
        Ok(None)
    }

    /// Whether this referee may take over from one that has fallen silent. It has no connection to it any more.
    fn may_take_over(
        &mut self,
        tries: &mut Tries,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<bool, ServiceError> {
        match self.referee.after_silence() {
            AfterParting::TakeOver => return Ok(self.is_let(tries, tell)),
            AfterParting::GoOn => {
                let text = "it fell silent before it had let this referee take over".to_owned();
                return Err(tries.unobserved(ErrorKind::TimedOut, text));
            }
            _ => {}
        }
        let text = "the referee fell silent before this one had all facts, and may take over: it waits for the referee";
        tell(&Notice { urgent: true, text: text.to_owned() });
        self.referee.observation.watch = None;
        tries.begin_again(self.patience());
        Ok(false)
    }

    /// Whether the witness, if there is one, lets this referee take over.
    fn is_let(&self, tries: &mut Tries, tell: &mut dyn FnMut(&Notice)) -> bool {
        let Some(witness) = &self.witness else { return true };
        let text = match claim(
            witness,
            self.referee.event.founder,
            (self.referee.event.epoch + 1, self.referee.store.history.referee),
        ) {
            Ok(true) => return true,
            Ok(false) => "it is silent, but the witness lets it go on".to_owned(),
            Err(error) => format!("it is silent, and so is the witness at {}: {error}", witness.address),
        };
        tries.again(text, tell);
        thread::sleep(CLAIM_INTERVAL);
        false
    }

    /// Hears that the referee, which waits for this one, does not have the facts from a number on.
    fn hear_back(
        &mut self,
        number: u64,
        tries: &mut Tries,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<ObservationEnd>, ServiceError> {
        let text = format!(
            "the store of the referee is an older copy: it lacks what was told from fact {number} on"
        );
        match self.referee.after_back() {
            AfterParting::GoBack => {
                let Some(own) = self.referee.go_back(number)? else {
                    return Err(tries.refused(BOTH_ACTED.to_owned()));
                };
                let text = format!("{} that nobody was told of set aside", counted(own as u64, "fact"));
                tell(&Notice { urgent: false, text });
                Ok(None)
            }
            AfterParting::TakeOver => {
                tell(&Notice { urgent: true, text });
                // If the event has ended, it has lost that, too.
                self.referee.store.note(Note::Untold)?;
                Ok(self.is_let(tries, tell).then_some(ObservationEnd::TakeOver))
            }
            _ => Err(tries.refused(format!("{text}, and this one may not take over; it needs a newer copy"))),
        }
    }

    /// Receives facts over one connection. On every way out, all facts that were applied are stored, or forgotten.
    fn follow(
        &mut self,
        referee: &TrustedPeer,
        settings: &str,
        stop: &AtomicBool,
    ) -> Result<Parting, ServiceError> {
        let store = self.referee.begin_to_observe();
        let end = self.listen(referee, store, settings, stop);
        self.referee.end_to_observe()?;
        end
    }

    fn listen(
        &mut self,
        referee: &TrustedPeer,
        store: StoreSummary,
        settings: &str,
        stop: &AtomicBool,
    ) -> Result<Parting, ServiceError> {
        let failed = |error| ServiceError::ObservedReferee(referee.address.clone(), error);
        let mut output =
            transport::connect(&referee.address, &referee.security, SILENCE / 4).map_err(failed)?;
        let (token, settings_sum) = (referee.token.clone(), checksum(settings));
        say(&mut output, &PeerLine::Observe { token, store, settings: settings_sum });
        let reader = output.reader().map_err(failed)?.with_timeout(Some(Duration::from_millis(100)));
        let mut lines = BufReader::new(reader);
        let (mut line, begin) = (Vec::new(), Watch::new(Instant::now()));
        loop {
            if stop.load(Ordering::Relaxed) {
                // After this the referee goes on without us.
                say(&mut output, &PeerLine::Leave);
                output.close();
                return Ok(Parting::Stopped);
            }
            let (left, watch) = (LONGEST_LINE - line.len() as u64, self.referee.observation.watch);
            match lines.by_ref().take(left).read_until(b'\n', &mut line) {
                // The bytes read so far are kept in the line.
                Err(error) if is_wait(&error) && !watch.unwrap_or(begin).is_over(Instant::now()) => continue,
                Err(error) if is_wait(&error) && watch.is_none() => return Err(failed(error)),
                Ok(0) | Err(_) if watch.is_none() => return Ok(Parting::Wordless),
                Ok(0) | Err(_) => return Ok(Parting::Lost),
                Ok(_) => {}
            }
            let whole = line.strip_suffix(b"\n");
            if whole.is_none() && (line.len() as u64) < LONGEST_LINE {
                continue;
            }
            let Some(told) = whole.and_then(PeerLine::parse) else {
                return Ok(Parting::Damaged("a line was damaged on its way".to_owned()));
            };
            line.clear();
            if let Some(end) = self.hear(told, settings, &mut output)? {
                return Ok(end);
            }
            // Facts that arrived together are stored together.
            let is_last = !lines.buffer().contains(&b'\n');
            if is_last && self.referee.settle()? {
                say(&mut output, &PeerLine::Stored(self.referee.store.count()));
            }
        }
    }

    /// Handles a line of the referee. Returns why the connection is to be left, if it is.
    fn hear(
        &mut self,
        line: PeerLine,
        settings: &str,
        output: &mut Transport,
    ) -> Result<Option<Parting>, ServiceError> {
        match self.referee.hear_observed(line, Instant::now())? {
            ObserverStep::Listen => Ok(None),
            ObserverStep::Answer(answer) => {
                say(output, &answer);
                Ok(None)
            }
            ObserverStep::Leave(Parting::OtherSettings(theirs)) => {
                Ok(Some(Parting::OtherSettings(other_settings(&theirs, settings))))
            }
            ObserverStep::Leave(end) => {
                if end == Parting::Ended {
                    // It knows that this one knows.
                    say(output, &PeerLine::Leave);
                }
                Ok(Some(end))
            }
        }
    }

    /// Whether all games of the event have been played, and the other referee knows it.
    pub fn is_end_told(&self) -> bool {
        self.referee.store.history.is_over() && self.referee.store.history.is_told()
    }

    /// Tells the end of the event once more to the referee from which this one took over: it may wait for it, or play on, with an older copy of
    /// its store. Whether it needed that, and has all facts now.
    ///
    /// # Errors
    /// The store can't be read.
    pub fn tell_end_again(&self, predecessor: &TrustedPeer) -> Result<bool, ServiceError> {
        let Some((term, first)) = self.referee.store.history.taken_over() else { return Ok(false) };
        Ok(tell_once(predecessor, term, first, &self.referee.store.from(1)?))
    }

    /// Makes this referee the active one, or one that waits until it may act.
    ///
    /// # Errors
    /// A file or the address cannot be used.
    pub fn take_over(self, entrance: ListenConfig) -> Result<Service, ServiceError> {
        let taken = self.referee.store.history.takes_over();
        let mut service = Service::around(self.referee, &self.folder, entrance, self.witness)?;
        if let (Some(predecessor), Some((term, first))) = (self.predecessor, taken) {
            let text = format!("takes over from the referee at {}", predecessor.address);
            service.log(None, '#', &text)?;
            service.remember(&text);
            service.referee.owes_end = true;
            service.predecessor = Some(Predecessor::tell(
                predecessor,
                term,
                first,
                service.referee.event.has_ended(),
                service.to_self.clone(),
            ));
        }
        Ok(service)
    }
}

/// What to do if the store of a referee that is to act does not know a game.
pub(super) const FOR_ACTING: &str = "with a newer copy, such as an observer's, the event can go on; without one name another folder, \
    or take games.pgn, running/, the report and event.shown away, and what is lost is played again; a game that is not of this event only has to \
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

/// Why an observer can't go back.
const BOTH_ACTED: &str =
    "both referees have acted for the same event; the one that is wrong has to begin in a new folder";

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
