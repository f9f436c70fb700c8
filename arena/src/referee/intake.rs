//! What an observer takes in: facts are applied as they arrive, so that it can take over at once, and stored together if they
//! arrived together.

use super::history::{History, Note};
use super::{EventState, Fact};

/// Where a referee stores facts.
pub(super) trait FactStore {
    /// Why facts can't be stored or read.
    type Error;
    /// What is known of the facts without reading them.
    fn history(&self) -> &History;
    /// Remembers something beside the facts.
    fn note(&mut self, note: Note) -> Result<(), Self::Error>;
    /// Takes the facts from a number on out of the event. They may be kept elsewhere.
    fn set_aside(&mut self, number: u64) -> Result<(), Self::Error>;
    /// Stores facts behind those that are there.
    fn add(&mut self, facts: &[Fact]) -> Result<(), Self::Error>;
    /// Stores these facts in the place of those that are there. What is other in them is set aside.
    fn replace(&mut self, facts: &[Fact]) -> Result<(), Self::Error>;
    /// All facts.
    fn all(&self) -> Result<Vec<Fact>, Self::Error>;
}

/// Why a fact was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotTaken {
    /// Facts before it were lost on their way.
    Gap(String),
    /// It can't follow those before.
    Misfit(String),
}

/// The facts that were applied and are not stored yet. Who leaves a connection settles or discards them, on every way out: what is in
/// memory and what is stored must not differ.
#[derive(Debug, Default)]
pub(super) struct Intake {
    facts: Vec<Fact>,
    /// Whether a fact was applied in part.
    is_spoiled: bool,
    /// Whether the facts begin with the first of the event, and take the place of those that are stored.
    is_anew: bool,
}

impl Intake {
    /// Begins with the first fact again: those that are stored may be others. What was applied before is forgotten.
    pub(super) fn begin_anew(&mut self, event: &mut EventState) {
        *self = Intake { is_anew: true, ..Intake::default() };
        event.start_over();
    }

    /// Number of facts that are stored and shared with who tells the others, of so many that are stored.
    pub(super) fn shared(&self, stored: u64) -> u64 {
        if self.is_anew { 0 } else { stored }
    }

    /// Number of the last fact that was taken, behind so many that are stored.
    pub(super) fn last(&self, stored: u64) -> u64 {
        self.shared(stored) + self.facts.len() as u64
    }

    /// Applies a fact of so many that are stored, unless it is known already.
    pub(super) fn take(
        &mut self,
        event: &mut EventState,
        stored: u64,
        number: u64,
        json: &str,
    ) -> Result<(), NotTaken> {
        let last = self.last(stored);
        if number <= last {
            return Ok(());
        }
        if number != last + 1 {
            return Err(NotTaken::Gap(format!("fact {number} came after fact {last}")));
        }
        let misfit = |error: String| NotTaken::Misfit(format!("fact {number}: {error}"));
        let fact: Fact = serde_json::from_str(json).map_err(|error| misfit(error.to_string()))?;
        if let Err(error) = event.restore(&fact) {
            self.is_spoiled = true;
            return Err(misfit(error));
        }
        self.facts.push(fact);
        Ok(())
    }

    /// Stores what was applied; whether there was anything. An event that a wrong fact has spoiled is made anew from the store.
    pub(super) fn settle<S: FactStore>(
        &mut self,
        event: &mut EventState,
        store: &mut S,
    ) -> Result<bool, S::Error> {
        let Intake { facts, is_spoiled, is_anew } = std::mem::take(self);
        match (facts.is_empty(), is_anew) {
            (false, false) => store.add(&facts)?,
            (false, true) => store.replace(&facts)?,
            (true, _) => {}
        }
        if is_spoiled || (facts.is_empty() && is_anew) {
            restore_anew(event, &store.all()?);
        }
        Ok(!facts.is_empty())
    }

    /// Forgets what was applied and is not stored.
    pub(super) fn discard<S: FactStore>(
        &mut self,
        event: &mut EventState,
        store: &S,
    ) -> Result<(), S::Error> {
        let Intake { facts, is_spoiled, is_anew } = std::mem::take(self);
        if !facts.is_empty() || is_spoiled || is_anew {
            restore_anew(event, &store.all()?);
        }
        Ok(())
    }

    /// A bug for the simulation: what was applied is never stored.
    #[cfg(test)]
    pub(super) fn forget(&mut self) {
        self.facts.clear();
    }
}

/// Applies all stored facts to an event that forgets what it knows.
pub(super) fn restore_anew(event: &mut EventState, facts: &[Fact]) {
    event.start_over();
    for fact in facts {
        // It was applied when it was stored.
        let _ = event.restore(fact);
    }
}

/// What tests store.
#[cfg(test)]
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryStore {
    pub(super) facts: Vec<Fact>,
    pub(super) history: History,
}

#[cfg(test)]
impl FactStore for MemoryStore {
    type Error = std::convert::Infallible;

    fn history(&self) -> &History {
        &self.history
    }

    fn note(&mut self, note: Note) -> Result<(), Self::Error> {
        let (name, value) = note.words(self.history.count());
        self.history.recall(name, &value);
        Ok(())
    }

    fn set_aside(&mut self, number: u64) -> Result<(), Self::Error> {
        self.facts.truncate(number as usize - 1);
        self.history.cut(number - 1);
        Ok(())
    }

    fn add(&mut self, facts: &[Fact]) -> Result<(), Self::Error> {
        for fact in facts {
            self.history.push(fact, &serde_json::to_string(fact).expect("JSON"));
        }
        self.facts.extend_from_slice(facts);
        Ok(())
    }

    fn replace(&mut self, facts: &[Fact]) -> Result<(), Self::Error> {
        self.set_aside(1)?;
        self.add(facts)
    }

    fn all(&self) -> Result<Vec<Fact>, Self::Error> {
        Ok(self.facts.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchOpenings;
    use crate::referee::MoveWords;
    use crate::referee::tests::settings;

    fn began(game: u64, round: u32) -> Fact {
        Fact::Began {
            game,
            round,
            white: 0,
            black: 1,
            opening: 0,
            start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            moves: Vec::new(),
            at: 0,
        }
    }

    #[test]
    fn what_is_applied_is_stored_whatever_comes_next() {
        let mut event = EventState::new(settings(&["A", "B"]), MatchOpenings::none()).expect("an event");
        let (mut intake, mut store) = (Intake::default(), MemoryStore::default());
        let json = |fact: &Fact| serde_json::to_string(fact).expect("JSON");
        let mv = Fact::Moved { game: 0, mv: "e2e4".to_owned(), used: 1, words: MoveWords::default() };
        let told = [Fact::Epoch { epoch: 1, by: 1 }, began(0, 1), mv.clone()];
        for (number, fact) in (1..).zip(&told) {
            intake.take(&mut event, 0, number, &json(fact)).expect("it fits");
        }
        intake.take(&mut event, 0, 2, &json(&told[1])).expect("known already");
        assert!(matches!(intake.take(&mut event, 0, 5, &json(&mv)), Err(NotTaken::Gap(_))));
        // The same move again does not fit, and must leave no trace.
        assert!(matches!(intake.take(&mut event, 0, 4, &json(&mv)), Err(NotTaken::Misfit(_))));
        assert_eq!((store.facts.len(), intake.last(0)), (0, 3));
        assert_eq!(intake.settle(&mut event, &mut store), Ok(true));
        assert_eq!(store.facts, told);
        assert_eq!(event.live_games[&0].record.moves.len(), 1);
        assert_eq!(intake.settle(&mut event, &mut store), Ok(false));
        let answer = Fact::Moved { game: 0, mv: "e7e5".to_owned(), used: 1, words: MoveWords::default() };
        for _ in 0..2 {
            intake.take(&mut event, 3, 4, &json(&answer)).expect("it fits, also after it was forgotten");
            intake.discard(&mut event, &store).expect("forgotten");
            assert_eq!((intake.last(3), event.live_games[&0].record.moves.len()), (3, 1));
        }
    }
}
