//! What a referee does that acts, or waits until it may: when it begins and ends a term, whom it lets observe it, to whom it leaves the
//! event, and when it goes home.
//!
//! All of that is decided here, without input or output: the service and the simulation play the same rules. `observation.rs` has
//! the rules of the other side.

use std::time::{Duration, Instant};

use super::history::{Comparison, Note, StoreSummary};
use super::intake::{FactStore, Intake, restore_anew};
use super::lease::{Lease, Term};
use super::observation::Observation;
use super::peer_line::PeerLine;
use super::{ConnectionId, EventState, Fact};

/// Time for which a referee waits at the end for another one that can't go home without it.
pub(super) const END_PATIENCE: Duration = Duration::from_mins(10);
/// Time for which it waits for one that most likely knows the end already.
const END_GRACE: Duration = Duration::from_secs(5);
/// Time for which one referee waits for the next line of another that tells it the end, or hears it.
pub(super) const FENCE_PATIENCE: Duration = Duration::from_secs(30);

/// What a referee is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duty {
    /// It does not act yet, and the director has not been told why.
    Begins,
    /// It waits until nobody else can act. Its store may be an older copy of the one with which it has acted.
    Waits,
    /// It is the acting referee.
    Acts,
    /// It waits with the store with which it has acted.
    StoodDown,
}

/// What a referee has to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReignStep {
    /// It goes on acting, or waiting.
    GoOn,
    /// It begins a term.
    Begin,
    /// It ends its term: another may begin.
    StandDown,
    /// It begins to wait.
    Wait,
    /// It waits, and claims the terms from this number up to its next one from the witness, if there is one.
    Claim(u64),
}

/// What follows from what another referee tells, or from the end of its connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing yet.
    Noted,
    /// It can't be: it was damaged on its way, or is of a stranger. The connection is to be closed.
    Unfit,
    /// The connection to the observer was lost.
    Lost,
    /// An observer is admitted, and needs the facts from this number on. If it had another connection, that is to be closed.
    Admitted(u64, Option<ConnectionId>),
    /// An observer is refused, and its connection is to be closed.
    Refused(Refusal),
    /// The observer leaves, and its connection is to be closed. Whether it knows the end.
    Left(bool),
    /// Another referee has taken over in this term, and tells the end over the same connection.
    HearsEnd(Term),
    /// Another referee has taken over in this term. The connection is to be closed, and this referee ends, unless it waits to hear
    /// the end over another one: the successor may have learned it in this moment.
    Fenced(Term, bool),
    /// The successor has told the end, which is stored. So many facts are to be confirmed.
    EndTaken(u64),
    /// The successor goes on without this one, which ends.
    Outdated,
}

/// Why an observer is not admitted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It has other settings.
    Settings,
    /// It has facts from this number on that nobody was told of.
    Back(u64),
    /// It has facts from this number on that this referee has told, and lost.
    Ahead(u64),
    /// It has taken over from this referee, in a term.
    Successor(Term),
    Other(&'static str),
}

/// Why an observer is refused that has what this referee has told, and lost, and what its director has given up.
pub(super) const OLDER_COPY: &str = "it has facts of this referee that are not here: the store of one of the two is an older copy; that one \
    has to begin in a new folder";

/// Why an observer is refused while another one may take over, or has.
const OTHER_OBSERVER: &str =
    "another observer may take over; if its store is lost, `alone` at the acting referee admits this one";
const OTHER_ACTED: &str =
    "another observer has taken over; only if its store is lost for good, `alone lost` admits this one";

/// Why an observer is refused that has acted: it does not need this referee.
const ACTED_SINCE: &str =
    "it has acted since the last fact that both have, and goes on by itself; then it tells this referee how";

/// Why an observer is refused whose last term is not here.
const OTHER_EVENT: &str = "its store is of another event, or both have acted since the last fact that both have; if the folder here is new, or \
    an older copy, end this referee, take the folder away, and start both again";

#[derive(Clone, Copy)]
struct Successor {
    connection: ConnectionId,
    /// Number of the last fact.
    last: u64,
    heard_at: Instant,
}

/// A referee with its event and its store, from the beginning of its process.
pub(super) struct Referee<S, T> {
    pub(super) event: EventState,
    pub(super) store: S,
    pub(super) lease: Lease<T>,
    duty: Duty,
    /// Whether the store had no facts when it was opened.
    was_new: bool,
    /// Whether the referee from which this one has taken over has to know the end.
    pub(super) owes_end: bool,
    /// Whether the end can't be changed any more: all games have been played, and the referee goes home after them.
    pub(super) is_settled: bool,
    /// A referee that has taken over and tells the end.
    successor: Option<Successor>,
    /// What this referee has heard as an observer or of its successor, and not stored yet.
    pub(super) intake: Intake,
    /// Until when this referee, which knows the end, waits for the other one to know it.
    home_at: Option<Instant>,
    /// The connection over which the observer was told the end.
    told_over: Option<ConnectionId>,
    pub(super) observation: Observation,
}

impl<S: FactStore, T> Referee<S, T> {
    /// The beginning of a process. The event has been restored from the store.
    pub(super) fn new(event: EventState, store: S) -> Referee<S, T> {
        Referee {
            was_new: store.history().count() == 0,
            event,
            store,
            lease: Lease::default(),
            duty: Duty::Begins,
            owes_end: false,
            is_settled: false,
            successor: None,
            intake: Intake::default(),
            home_at: None,
            told_over: None,
            observation: Observation::default(),
        }
    }

    /// Whether this is the acting referee.
    pub(super) fn is_acting(&self) -> bool {
        self.duty == Duty::Acts
    }

    /// Whether this referee only waits for the other one to know the end.
    pub(super) fn is_at_the_end(&self) -> bool {
        self.home_at.is_some()
    }

    /// The referee that may take over, if there is one besides this, or that has.
    pub(super) fn observer(&self) -> Option<u64> {
        let history = self.store.history();
        let successor = history.successor().map(|(_, by)| by);
        successor.or(self.event.observer.filter(|&observer| observer != history.referee))
    }

    /// A bug for the simulation: the store is taken for the one with which the referee has acted.
    #[cfg(test)]
    pub(super) fn trust_store(&mut self) {
        if self.duty == Duty::Waits {
            self.duty = Duty::StoodDown;
        }
    }

    /// The connection over which a referee that has taken over tells the end.
    pub(super) fn successor(&self) -> Option<ConnectionId> {
        self.successor.map(|successor| successor.connection)
    }

    /// Whether a referee that has taken over has fallen silent while it told the end.
    pub(super) fn has_lost_successor(&self, at: Instant) -> bool {
        self.successor
            .is_some_and(|successor| at.saturating_duration_since(successor.heard_at) > FENCE_PATIENCE)
    }

    /// Decides what the referee does now. Nothing else may be done before.
    pub(super) fn step(&mut self, at: Instant) -> ReignStep {
        if self.successor.is_some() {
            // It hears the end of the event.
            return ReignStep::GoOn;
        }
        let (history, observer) = (self.store.history(), self.observer());
        let is_valid = self.lease.is_valid(observer, at);
        let has_all = observer.is_none() || self.lease.stored() == history.count();
        match self.duty {
            Duty::Acts if is_valid => ReignStep::GoOn,
            Duty::Acts => ReignStep::StandDown,
            // It only tells its predecessor the end; an observer that was left fetches it from one that acts.
            _ if is_valid && has_all && self.is_at_the_end() && !history.has_left => ReignStep::GoOn,
            _ if is_valid && has_all => ReignStep::Begin,
            Duty::Begins => {
                self.duty = Duty::Waits;
                ReignStep::Wait
            }
            // The observer knows the term of the last fact that it has confirmed, or a later one: it may have claimed any of these.
            Duty::StoodDown if history.successor().is_none() && !self.is_at_the_end() => {
                ReignStep::Claim(history.epoch_of(self.lease.stored()) + 1)
            }
            // A referee that was started anew may have an older copy of the store with which it acted: it needs its observer. So does one
            // that was taken over from. At the end nothing has to go on.
            Duty::Waits | Duty::StoodDown => ReignStep::GoOn,
        }
    }

    /// Begins a term.
    pub(super) fn begin(&mut self, at: Instant) {
        self.duty = Duty::Acts;
        self.event.open(self.store.history().referee, at);
    }

    /// Ends the term: everything that is not stored is forgotten.
    pub(super) fn stand_down(&mut self) -> Result<(), S::Error> {
        self.duty = Duty::StoodDown;
        self.lease.forget();
        restore_anew(&mut self.event, &self.store.all()?);
        Ok(())
    }

    /// Goes on without the observer, as the witness lets it: a term is to be begun.
    pub(super) fn leave_observer(&mut self) -> Result<(), S::Error> {
        // It has to hear the end.
        self.store.note(Note::Left(true))?;
        self.event.dismiss_observer();
        Ok(())
    }

    /// Gives up all that a referee has decided that has taken over, as its store is lost for good.
    pub(super) fn give_other_up(&mut self) -> Result<(), S::Error> {
        if self.successor.take().is_some() {
            self.intake.discard(&mut self.event, &self.store)?;
        }
        self.store.note(Note::Fenced(None))?;
        self.store.note(Note::GivenUp)
    }
}

/// Observers.
impl<S: FactStore, T> Referee<S, T> {
    /// Hears a line of another referee; `None` if it was damaged. Its token and settings are right.
    pub(super) fn hear(
        &mut self,
        connection: ConnectionId,
        line: Option<PeerLine>,
        at: Instant,
    ) -> Result<Heard, S::Error> {
        if let Some(successor) = self.successor.as_mut().filter(|known| known.connection == connection) {
            successor.heard_at = at;
            let last = successor.last;
            return self.hear_successor(line, last);
        }
        let is_observer = self.lease.connection() == Some(connection);
        let stored = self.store.history().count();
        match line {
            Some(PeerLine::Fence { term, first, last, .. }) if self.store.history().is_succeeded_by(term) => {
                return self.yield_to(connection, term, first, last, at);
            }
            Some(PeerLine::Observe { store, .. }) => return self.admit(connection, &store, at),
            // What can't be confirmed yet was damaged in spite of its checksum.
            Some(PeerLine::Alive { beat, count }) if is_observer && count <= stored => {
                self.lease.renew(connection, beat);
                self.lease.confirm(connection, count);
            }
            Some(PeerLine::Stored(count)) if is_observer && count <= stored => {
                self.lease.confirm(connection, count);
            }
            Some(PeerLine::Leave) if is_observer => return self.let_go(connection),
            _ => return Ok(Heard::Unfit),
        }
        self.appoint(at);
        Ok(Heard::Noted)
    }

    /// Notes that a connection was closed or lost.
    pub(super) fn lose(&mut self, connection: ConnectionId) -> Heard {
        if self.successor() == Some(connection) {
            return Heard::Outdated;
        }
        let is_observer = self.lease.connection() == Some(connection);
        self.lease.disconnect(connection);
        if is_observer { Heard::Lost } else { Heard::Noted }
    }

    /// Admits an observer or refuses it.
    fn admit(
        &mut self,
        connection: ConnectionId,
        observer: &StoreSummary,
        at: Instant,
    ) -> Result<Heard, S::Error> {
        let &StoreSummary { by, first, term, .. } = observer;
        if let Err(refusal) = self.judge(observer) {
            if let Refusal::Ahead(_) = refusal {
                // It takes over, and nothing may go on here without it.
                self.store.note(Note::Fenced(Some((term.0 + 1, by))))?;
            }
            return Ok(Heard::Refused(refusal));
        }
        if self.store.history().has_left && !self.event.has_ended() {
            self.store.note(Note::Left(false))?;
        }
        let old = self.lease.connection();
        self.lease.connect(connection, by, first - 1, at);
        self.appoint(at);
        Ok(Heard::Admitted(first, old))
    }

    /// Whether an observer may be admitted.
    fn judge(&self, observer: &StoreSummary) -> Result<(), Refusal> {
        let history = self.store.history();
        let compared = match history.compare(self.event.founder, observer) {
            Comparison::Foreign if self.has_lost_all_to(observer) => Comparison::Ahead(1),
            compared => compared,
        };
        if compared == Comparison::Foreign {
            let is_own = observer.event == self.event.founder && observer.term.1 == observer.by;
            let has_acted_since = !self.is_acting() && is_own;
            return Err(Refusal::Other(if has_acted_since { ACTED_SINCE } else { OTHER_EVENT }));
        }
        if self.observer().is_some_and(|known| known != observer.by) {
            let is_succeeded = history.successor().is_some();
            return Err(Refusal::Other(if is_succeeded { OTHER_ACTED } else { OTHER_OBSERVER }));
        }
        Err(match compared {
            Comparison::Behind | Comparison::Foreign => return Ok(()),
            Comparison::Back(from) => Refusal::Back(from),
            Comparison::Ahead(_) | Comparison::Successor if history.is_other_given_up => {
                Refusal::Other(OLDER_COPY)
            }
            Comparison::Ahead(from) => Refusal::Ahead(from),
            Comparison::Successor => Refusal::Successor(observer.term),
        })
    }

    /// Whether this referee began in a new folder, and an observer that comes has facts of the event: then this one has lost all of them.
    /// Once a game has been played, the observer may as well be one of an earlier event.
    fn has_lost_all_to(&self, observer: &StoreSummary) -> bool {
        let &StoreSummary { by, first, term: (_, author), .. } = observer;
        let history = self.store.history();
        let is_own = self.was_new && self.event.founder == history.referee;
        let begins = is_own && self.is_acting() && self.event.results.is_empty();
        let is_successor = history.successor().is_some_and(|(_, successor)| successor == by);
        // Who acted last goes on by itself when it is refused.
        let waits = is_successor && author != by && !self.is_acting();
        first > 1 && (begins || waits)
    }

    /// Lets the observer take over from now on, if it has everything.
    fn appoint(&mut self, at: Instant) {
        // At the end nothing is left to take over.
        let is_at_the_end = self.is_settled && self.event.has_ended();
        let stored = self.store.history().count() + self.event.unstored();
        if !is_at_the_end && self.lease.appoints(self.is_acting(), self.observer(), stored) {
            self.event.record(Fact::Observer { by: self.lease.observer() });
            self.lease.begin(at);
        }
    }

    /// The observer leaves: it knows the end of the event, or will not take over.
    fn let_go(&mut self, connection: ConnectionId) -> Result<Heard, S::Error> {
        let knows_end = self.told_over == Some(connection);
        if knows_end {
            self.end_is_known()?;
        } else if self.is_acting() && self.event.observer == self.lease.observer() {
            self.event.record(Fact::Observer { by: None });
        }
        Ok(Heard::Left(knows_end))
    }
}

/// Succession, and the end of the event.
impl<S: FactStore, T> Referee<S, T> {
    /// Leaves the event to a referee that has taken over. What was stored here from a first fact on was told to nobody, and is set
    /// aside. If the event is over, all facts follow, up to a last one.
    pub(super) fn yield_to(
        &mut self,
        connection: ConnectionId,
        term: Term,
        first: u64,
        last: u64,
        at: Instant,
    ) -> Result<Heard, S::Error> {
        self.duty = Duty::Waits;
        self.lease.forget();
        self.store.note(Note::Fenced(Some(term)))?;
        if first > 0 && first <= self.store.history().count() {
            self.store.set_aside(first)?;
        }
        if last == 0 {
            let is_end_near = self.event.has_ended() && self.home_at.take().is_some();
            return Ok(Heard::Fenced(term, is_end_near));
        }
        // What it has may be other facts than the first ones here: this store may be an older copy with which this referee went on.
        self.intake.begin_anew(&mut self.event);
        self.successor = Some(Successor { connection, last, heard_at: at });
        Ok(Heard::HearsEnd(term))
    }

    /// Takes a fact of the successor, and stores all of them with the last one.
    fn hear_successor(&mut self, line: Option<PeerLine>, last: u64) -> Result<Heard, S::Error> {
        let stored = self.store.history().count();
        let is_taken = match line {
            Some(PeerLine::Fact(number, json)) => {
                self.intake.take(&mut self.event, stored, number, &json).is_ok()
            }
            _ => false,
        };
        if is_taken && self.intake.last(stored) < last {
            return Ok(Heard::Noted);
        }
        if !is_taken || !self.event.has_ended() {
            return Ok(Heard::Outdated);
        }
        // All or nothing: with a part of them, this referee could take itself for the one that acts.
        self.intake.settle(&mut self.event, &mut self.store)?;
        self.store.note(Note::Over)?;
        self.store.note(Note::Told)?;
        Ok(Heard::EndTaken(last))
    }

    /// For how long this referee waits at the end for another one to know it; `None` if nobody else has to.
    fn end_patience(&self) -> Option<Duration> {
        if self.owes_end || self.store.history().has_left {
            Some(END_PATIENCE)
        } else if self.observer().is_some() || self.lease.connection().is_some() {
            Some(END_GRACE)
        } else {
            None
        }
    }

    /// Whether nobody else has to know the end of the event, which this referee knows.
    pub(super) fn is_end_told(&self) -> bool {
        self.store.history().is_told() || self.end_patience().is_none()
    }

    /// Begins to wait for the other referee to know the end, which this one knows. Returns for how long, if it did not wait before.
    pub(super) fn wait_at_the_end(&mut self, at: Instant) -> Option<Duration> {
        let patience = self.end_patience().filter(|_| self.home_at.is_none())?;
        self.home_at = Some(at + patience);
        Some(patience)
    }

    /// The other referee most likely knows the end: it is not waited for much longer.
    pub(super) fn hurry(&mut self, at: Instant) {
        self.home_at = self.home_at.map(|until| until.min(at + END_GRACE));
    }

    /// Whether this referee may go home: the other one knows the end, or was waited for. `is_reported`: this one has reported all facts.
    /// Returns also the connection of an observer that has everything and is to be told the end.
    pub(super) fn may_go_home(&mut self, is_reported: bool, at: Instant) -> (bool, Option<ConnectionId>) {
        let history = self.store.history();
        if !(is_reported || self.is_at_the_end()) || self.successor.is_some() || !history.is_over() {
            return (false, None);
        }
        let has_all = self.lease.stored() == history.count();
        let connection = self.lease.connection().filter(|&known| has_all && self.told_over != Some(known));
        if connection.is_some() {
            self.told_over = connection;
            // It has everything, also if it can't answer any more.
            self.hurry(at);
        }
        (self.is_end_told() || self.home_at.is_none_or(|until| at > until), connection)
    }

    /// Notes that the other referee knows the end.
    pub(super) fn end_is_known(&mut self) -> Result<(), S::Error> {
        self.owes_end = false;
        self.store.note(Note::Told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchOpenings;
    use crate::referee::history::History;
    use crate::referee::intake::MemoryStore;
    use crate::referee::observation::ObserverStep;
    use crate::referee::tests::settings;

    /// Referee 7, which has acted, at the moment in which referee 5 begins to tell it the end.
    fn told_the_end(at: Instant) -> Referee<MemoryStore, ()> {
        let event = EventState::new(settings(&["A", "B"]), MatchOpenings::none()).expect("an event");
        let store = MemoryStore { history: History::new(7), ..MemoryStore::default() };
        let mut referee = Referee::new(event, store);
        referee.begin(at);
        referee.event.record(Fact::Observer { by: Some(5) });
        let Ok(()) = referee.store.add(&referee.event.take_effects().facts);
        let fence = PeerLine::Fence { token: String::new(), term: (2, 5), first: 0, last: 9 };
        assert_eq!(referee.hear(1, Some(fence), at), Ok(Heard::HearsEnd((2, 5))));
        referee
    }

    #[test]
    fn a_successor_that_falls_silent_is_lost() {
        let at = Instant::now();
        let referee = told_the_end(at);
        assert!(!referee.has_lost_successor(at + FENCE_PATIENCE));
        assert!(referee.has_lost_successor(at + FENCE_PATIENCE + Duration::from_millis(1)));
    }

    #[test]
    fn who_gives_a_successor_up_that_tells_the_end_goes_on_with_its_own_store() {
        let at = Instant::now();
        let mut referee = told_the_end(at);
        assert_eq!((referee.event.epoch, referee.successor()), (0, Some(1)));
        let Ok(()) = referee.give_other_up();
        assert_eq!((referee.event.epoch, referee.successor()), (1, None));
        // What it still says counts for nothing.
        assert_eq!(referee.lose(1), Heard::Noted);
        assert!(referee.store.history.successor().is_none());
    }

    #[test]
    fn an_observer_that_was_new_and_has_taken_over_does_not_leave_the_event_to_its_predecessor() {
        let event = EventState::new(settings(&["A", "B"]), MatchOpenings::none()).expect("an event");
        let store = MemoryStore { history: History::new(7), ..MemoryStore::default() };
        let (mut referee, at) = (Referee::<_, ()>::new(event, store), Instant::now());
        for (number, fact) in (1..).zip([Fact::Epoch { epoch: 1, by: 5 }, Fact::Observer { by: Some(7) }]) {
            let json = serde_json::to_string(&fact).expect("JSON");
            let heard = referee.hear_observed(PeerLine::Fact(number, json), at);
            assert_eq!(heard, Ok(ObserverStep::Listen));
        }
        let Ok(()) = referee.end_to_observe();
        assert_eq!(referee.step(at), ReignStep::Begin);
        referee.begin(at);
        let Ok(()) = referee.store.add(&referee.event.take_effects().facts);
        // It had begun a term, too, which it has told to nobody.
        let former = StoreSummary { by: 5, event: 5, first: 4, term: (2, 5), sum: 0 };
        let line = PeerLine::Observe { token: String::new(), store: former, settings: 0 };
        let heard = referee.hear(1, Some(line), at);
        assert!(matches!(heard, Ok(Heard::Refused(Refusal::Other(OTHER_EVENT)))), "{heard:?}");
        assert_eq!((referee.is_acting(), referee.store.history.successor()), (true, None));
    }
}
