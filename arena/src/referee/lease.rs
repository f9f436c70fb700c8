//! The right to act as the referee of an event, of which at most one holder may be live.
//!
//! An acting referee that has an observer tells nobody anything before the observer has stored the facts that it rests
//! on. An observer that begins a term of its own first leaves the connection over which it would confirm them. So the old
//! referee can tell nothing that the new one does not know, however long it was stopped and whatever its clock says.
//! docs/REFEREE.md has the argument. The lease beside it is for those who wait: the observer renews it by its answers to
//! heartbeats, and a referee whose lease has run out sends its clients away, before the observer may begin.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::ConnectionId;

/// Interval of the heartbeat between referees.
pub(super) const BEAT: Duration = Duration::from_millis(300);
/// Time for which an observer's answer lets the referee act, from the moment of the heartbeat that it answers.
pub(super) const LEASE: Duration = Duration::from_millis(1500);
/// Time without a heartbeat after which the observer may begin. It is longer than the lease by more than clocks of two
/// machines differ in that time.
pub(super) const SILENCE: Duration = Duration::from_secs(2);

/// The lease of an acting referee, and what it has to hold back until it is confirmed.
#[derive(Debug)]
pub(super) struct Lease<T> {
    observer: Option<Link>,
    held: VecDeque<(u64, T)>,
}

/// The connection to an admitted observer.
#[derive(Debug)]
struct Link {
    connection: ConnectionId,
    by: u64,
    /// Number of the last fact that it has stored.
    stored: u64,
    /// Heartbeats without an answer yet, with the moments at which they were sent.
    beats: VecDeque<(u64, Instant)>,
    next_beat: u64,
    next_at: Instant,
    /// End of the lease.
    until: Option<Instant>,
}

/// Number of heartbeats whose answers are still expected.
const MOST_BEATS: usize = 16;

/// The author of a fact: an epoch, and the referee that began it. The epochs of two referees can be equal if neither
/// knew of the other, but only one of them has been told to anybody.
pub(super) type Term = (u64, u64);

impl<T> Default for Lease<T> {
    fn default() -> Lease<T> {
        Lease { observer: None, held: VecDeque::new() }
    }
}

impl<T> Lease<T> {
    /// Whether the connected observer may take over from now on: nobody else may, and it has everything.
    pub(super) fn appoints(&self, is_acting: bool, observer: Option<u64>, stored: u64) -> bool {
        is_acting && observer.is_none() && self.connection().is_some() && self.stored() == stored
    }

    /// Whether the referee may act: nobody may take over, or the observer lets it.
    pub(super) fn is_valid(&self, observer: Option<u64>, at: Instant) -> bool {
        observer.is_none()
            || self.observer.as_ref().and_then(|link| link.until).is_some_and(|until| at < until)
    }

    /// Notes that an observer has connected that has stored so many facts. If it is back, the lease goes on.
    pub(super) fn connect(&mut self, connection: ConnectionId, by: u64, stored: u64, at: Instant) {
        let until = self.observer.take().filter(|link| link.by == by).and_then(|link| link.until);
        let (beats, next_beat) = (VecDeque::new(), 1);
        self.observer = Some(Link { connection, by, stored, beats, next_beat, next_at: at, until });
    }

    /// Begins the lease of a referee that nobody could take over from until now.
    pub(super) fn begin(&mut self, at: Instant) {
        if let Some(link) = &mut self.observer {
            link.until = Some(at + LEASE);
        }
    }

    /// The number of the observer that is or was connected last.
    pub(super) fn observer(&self) -> Option<u64> {
        self.observer.as_ref().map(|link| link.by)
    }

    /// Notes that a connection was lost. The lease is not, as the observer may be back before it runs out.
    pub(super) fn disconnect(&mut self, connection: ConnectionId) {
        if let Some(link) = self.observer.as_mut().filter(|link| link.connection == connection) {
            link.connection = 0;
        }
    }

    /// The connection of the observer, if there is one.
    pub(super) fn connection(&self) -> Option<ConnectionId> {
        self.observer.as_ref().map(|link| link.connection).filter(|&connection| connection != 0)
    }

    /// Number of facts that the observer has stored.
    pub(super) fn stored(&self) -> u64 {
        self.observer.as_ref().map_or(0, |link| link.stored)
    }

    /// Returns the number of the heartbeat to be sent now, if one is due.
    pub(super) fn beat(&mut self, at: Instant) -> Option<u64> {
        let link = self.observer.as_mut().filter(|link| link.connection != 0 && link.next_at <= at)?;
        let number = link.next_beat;
        (link.next_beat, link.next_at) = (number + 1, at + BEAT);
        link.beats.push_back((number, at));
        if link.beats.len() > MOST_BEATS {
            link.beats.pop_front();
        }
        Some(number)
    }

    /// Notes an answer to a heartbeat: the lease lasts from the moment when that was sent.
    pub(super) fn renew(&mut self, connection: ConnectionId, number: u64) {
        let Some(link) = self.observer.as_mut().filter(|link| link.connection == connection) else { return };
        while let Some((beat, sent)) = link.beats.front().copied().filter(|(beat, _)| *beat <= number) {
            link.beats.pop_front();
            if beat == number {
                link.until = link.until.max(Some(sent + LEASE));
            }
        }
    }

    /// Notes that the observer has stored the facts up to a number.
    pub(super) fn confirm(&mut self, connection: ConnectionId, number: u64) {
        if let Some(link) = self.observer.as_mut().filter(|link| link.connection == connection) {
            link.stored = link.stored.max(number);
        }
    }

    /// Holds back what rests on the facts up to a number.
    pub(super) fn hold(&mut self, number: u64, what: T) {
        self.held.push_back((number, what));
    }

    /// Returns the next thing that may be told, if there is one.
    pub(super) fn release(&mut self, observer: Option<u64>) -> Option<T> {
        let stored = if observer.is_some() { self.stored() } else { u64::MAX };
        self.held.pop_front_if(|(number, _)| *number <= stored).map(|(_, what)| what)
    }

    /// Whether something is held back.
    pub(super) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Forgets what was held back, because the term has ended.
    pub(super) fn forget(&mut self) {
        self.held.clear();
    }
}

/// The other side: what an observer knows of the referee that it observes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watch {
    heard: Instant,
}

impl Watch {
    /// Something has come from the referee.
    pub(super) fn new(at: Instant) -> Watch {
        Watch { heard: at }
    }

    /// Whether the lease of the referee has run out.
    pub(super) fn is_over(&self, at: Instant) -> bool {
        at.saturating_duration_since(self.heard) > SILENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_before_the_observer_has_it_and_the_lease_runs_from_the_heartbeat() {
        let (mut lease, begin) = (Lease::default(), Instant::now());
        let later = |millis| begin + Duration::from_millis(millis);
        lease.hold(1, 'a');
        assert!(lease.is_valid(None, begin) && !lease.is_valid(Some(7), begin));
        assert_eq!((lease.release(Some(7)), lease.release(None)), (None, Some('a')));
        lease.connect(5, 7, 1, begin);
        lease.hold(2, 'b');
        lease.hold(3, 'c');
        assert_eq!(
            (lease.beat(later(0)), lease.beat(later(100)), lease.beat(later(300))),
            (Some(1), None, Some(2))
        );
        lease.renew(5, 1);
        assert!(lease.is_valid(Some(7), later(1499)) && !lease.is_valid(Some(7), later(1500)));
        lease.renew(6, 2);
        assert!(!lease.is_valid(Some(7), later(1500)), "another connection");
        lease.confirm(5, 2);
        assert_eq!((lease.release(Some(7)), lease.release(Some(7)), lease.holds()), (Some('b'), None, true));
        lease.disconnect(5);
        lease.confirm(5, 3);
        lease.renew(5, 2);
        assert_eq!((lease.release(Some(7)), lease.beat(later(900)), lease.connection()), (None, None, None));
        let watch = Watch::new(later(100));
        assert!(!watch.is_over(later(2100)) && watch.is_over(later(2101)));
    }
}
