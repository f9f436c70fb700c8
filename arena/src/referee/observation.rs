//! What an observer does: which facts it takes and stores, and what it does when the referee falls silent, refuses it, or lacks facts
//! that it has. As in `reign.rs`, all is decided without input or output.
//!
//! An observer applies facts as they arrive, so that it can take over at once. It does so only if the facts name it, and only
//! after it has left the connection over which it would confirm more of them.

use std::time::Instant;

use super::Fact;
use super::history::StoreSummary;
use super::intake::{FactStore, NotTaken, restore_anew};
use super::lease::Watch;
use super::peer_line::PeerLine;
use super::reign::Referee;

/// What follows from a line of the referee.
#[derive(Debug, PartialEq)]
pub(super) enum ObserverStep {
    /// The next line is awaited. Facts that arrived together may be stored together.
    Listen,
    /// This is to be answered; all facts are stored.
    Answer(PeerLine),
    /// The connection is to be left.
    Leave(Parting),
}

/// Why a connection to the observed referee is left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parting {
    /// Nothing is left to take over.
    Ended,
    /// The observer was stopped from outside.
    Stopped,
    /// It broke, or nothing comes any more.
    Lost,
    /// It was closed before anything came.
    Wordless,
    /// A line was lost or damaged on its way.
    Damaged(String),
    /// A fact contradicts what is known.
    Misfit(String),
    /// The referee refuses this one; whether that one acts.
    Refused { acts: bool, why: String },
    /// The referee has other settings.
    OtherSettings(String),
    /// The referee does not have the facts from this number on.
    Back(u64),
}

/// What an observer does then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterParting {
    /// It asks the referee again.
    Again,
    /// It takes over, if the witness lets it.
    TakeOver,
    /// If it was the last to act, it goes on by itself: it acts if nobody else may, and waits otherwise.
    GoOn,
    /// It sets aside what the referee does not have.
    GoBack,
    /// Its director has to decide.
    End,
}

/// What an observer knows of the referee, from the beginning of the process.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// Whether this process has had all facts of the referee. If not, the store may be an older copy.
    pub(super) is_current: bool,
    /// Whether it may store facts of the other only together with all of them: it was the last to act, as far as it knew.
    pub(super) needs_all: bool,
    /// When the referee was heard last.
    pub(super) watch: Option<Watch>,
}

impl<S: FactStore, T> Referee<S, T> {
    /// Whether this was the acting referee when its store was closed.
    pub(super) fn has_acted_last(&self) -> bool {
        self.event.referee == self.store.history().referee
    }

    /// Whether a fact names this referee as the one that may take over.
    fn is_named(&self) -> bool {
        self.event.observer == Some(self.store.history().referee)
    }

    /// Begins with a connection. Returns what the observer tells of its store.
    pub(super) fn begin_to_observe(&mut self) -> StoreSummary {
        // Its first facts may be others than those that its successor has.
        let is_succeeded = self.store.history().successor().is_some();
        self.observation.needs_all = is_succeeded || self.has_acted_last();
        if is_succeeded {
            self.observation.is_current = false;
            self.intake.begin_anew(&mut self.event);
        }
        let history = self.store.history();
        let shared = self.intake.shared(history.count());
        StoreSummary {
            by: history.referee,
            event: self.event.founder,
            first: shared + 1,
            term: self.event.term(),
            sum: history.checksum(shared).unwrap_or_default(),
        }
    }

    /// Hears a line of the observed referee.
    pub(super) fn hear_observed(&mut self, line: PeerLine, at: Instant) -> Result<ObserverStep, S::Error> {
        if matches!(line, PeerLine::Fact(..) | PeerLine::Alive { .. }) {
            self.observation.watch = Some(Watch::new(at));
        }
        let stored = self.store.history().count();
        Ok(ObserverStep::Leave(match line {
            PeerLine::Fact(number, json) => match self.intake.take(&mut self.event, stored, number, &json) {
                Ok(()) => return Ok(ObserverStep::Listen),
                Err(NotTaken::Gap(why)) => Parting::Damaged(why),
                Err(NotTaken::Misfit(why)) => Parting::Misfit(why),
            },
            PeerLine::Alive { count, .. } if count > self.intake.last(stored) => {
                Parting::Damaged("a fact was lost on its way".to_owned())
            }
            PeerLine::Alive { beat, .. } => {
                self.observation.is_current = true;
                self.intake.settle(&mut self.event, &mut self.store)?;
                let count = self.store.history().count();
                return Ok(ObserverStep::Answer(PeerLine::Alive { beat, count }));
            }
            PeerLine::End => Parting::Ended,
            PeerLine::Back(number) => Parting::Back(number),
            PeerLine::Refused { acts, reason } => Parting::Refused { acts, why: reason },
            PeerLine::Settings(theirs) => Parting::OtherSettings(theirs),
            _ => Parting::Misfit("it tells what only an observer tells".to_owned()),
        }))
    }

    /// Whether facts may be stored. After a part of them, one that was the last to act could take itself for the one that acts.
    pub(super) fn may_store(&self) -> bool {
        self.observation.is_current || !self.observation.needs_all
    }

    /// Stores what was applied, if that may be; whether there was anything.
    pub(super) fn settle(&mut self) -> Result<bool, S::Error> {
        if self.may_store() { self.intake.settle(&mut self.event, &mut self.store) } else { Ok(false) }
    }

    /// Ends with a connection: all facts that were applied are stored, or forgotten.
    pub(super) fn end_to_observe(&mut self) -> Result<(), S::Error> {
        self.settle()?;
        self.intake.discard(&mut self.event, &self.store)
    }

    /// Decides what the observer does when the referee has fallen silent. It has no connection to it any more.
    pub(super) fn after_silence(&self) -> AfterParting {
        if self.is_named() && self.observation.is_current {
            AfterParting::TakeOver
        } else if self.has_acted_last() {
            AfterParting::GoOn
        } else {
            // The store may be an older copy, or the referee may have told more.
            AfterParting::Again
        }
    }

    /// Decides what the observer does when it is refused by a referee that acts or doesn't.
    pub(super) fn after_refusal(&self, acts: bool) -> AfterParting {
        if self.observation.watch.is_some() && self.is_named() {
            // It may take over, and whoever refuses it may have an old store.
            AfterParting::Again
        } else if !acts || self.observer().is_some() {
            // Who waits may not have heard yet that this one has taken over. And this one, if it only waits for its observer,
            // is told by that (`fence`) which facts it has to set aside.
            AfterParting::GoOn
        } else {
            AfterParting::End
        }
    }

    /// Decides what the observer does when the referee, which waits for it, does not have the last facts here.
    pub(super) fn after_back(&self) -> AfterParting {
        if self.has_acted_last() {
            // This one recorded them before it was taken over from, and has told nobody.
            AfterParting::GoBack
        } else if self.is_named() {
            // The referee recorded them, and told them when this one had stored them.
            AfterParting::TakeOver
        } else {
            AfterParting::End
        }
    }

    /// Sets aside the facts from a number on, which the referee does not have. Returns how many; `None` if they are of a kind that
    /// only who acts records: then both have acted.
    pub(super) fn go_back(&mut self, number: u64) -> Result<Option<usize>, S::Error> {
        let mut facts = self.store.all()?;
        let own = facts.split_off(facts.len().min(number as usize - 1));
        let is_told = |fact: &Fact| matches!(fact, Fact::Observer { .. } | Fact::Epoch { .. });
        if own.is_empty() || own.iter().any(is_told) {
            return Ok(None);
        }
        self.store.set_aside(number)?;
        restore_anew(&mut self.event, &facts);
        Ok(Some(own.len()))
    }
}
