//! What a referee knows of its store without reading it again. By this it compares the store with that of another referee, and
//! knows who has taken over from whom.

use super::fact::Fact;
use super::lease::Term;

/// Something that a referee remembers beside the facts of its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// All games have been played, and everybody was told.
    Over,
    /// The other referee knows the end of the event, too.
    Told,
    /// The other referee has lost the end of the event.
    Untold,
    /// Whether this referee has gone on without its observer, which knows nothing of it.
    Left(bool),
    /// Another referee has taken over, in this term.
    Fenced(Option<Term>),
    /// The director has given up what the other referee has.
    GivenUp,
}

impl Note {
    /// Name and value of the note beside so many facts, as they are stored.
    pub(super) fn words(self, count: u64) -> (&'static str, String) {
        match self {
            Note::Over => ("over", count.to_string()),
            Note::Told => ("told", count.to_string()),
            Note::Untold => ("told", String::new()),
            Note::Left(has_left) => ("left", u8::from(has_left).to_string()),
            Note::Fenced(None) => ("fenced", String::new()),
            Note::Fenced(Some((epoch, by))) => ("fenced", format!("{epoch} {by}")),
            Note::GivenUp => ("given-up", "1".to_owned()),
        }
    }
}

/// What a store knows of its facts, and the notes beside them.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Number of the referee that the store belongs to, at random.
    pub(super) referee: u64,
    /// For each fact the checksum of all facts up to it.
    sums: Vec<u32>,
    /// The terms, each with the number of the fact with which it began.
    terms: Vec<(u64, Term)>,
    /// The referees that might take over, each with the number of the fact that named it.
    named: Vec<(u64, u64)>,
    /// With how many facts the event was over, and with how many the other referee knew it.
    over: Option<u64>,
    told: Option<u64>,
    /// Whether this referee has gone on without its observer.
    pub(super) has_left: bool,
    /// Whether the director has given up what the other referee has.
    pub(super) is_other_given_up: bool,
    /// The term in which another referee has taken over.
    fenced: Option<Term>,
}

impl History {
    /// The history of a store without facts.
    pub(super) fn new(referee: u64) -> History {
        History { referee, ..History::default() }
    }

    /// Adds the next fact. `json` is how it is sent.
    pub(super) fn push(&mut self, fact: &Fact, json: &str) {
        let mut sum = crc32fast::Hasher::new_with_initial(self.sums.last().copied().unwrap_or(0));
        sum.update(json.as_bytes());
        self.sums.push(sum.finalize());
        match *fact {
            Fact::Epoch { epoch, by } => self.terms.push((self.count(), (epoch, by))),
            Fact::Observer { by: Some(by) } => self.named.push((self.count(), by)),
            _ => {}
        }
    }

    /// Keeps so many facts.
    pub(super) fn cut(&mut self, count: u64) {
        self.sums.truncate(count as usize);
        self.terms.retain(|&(number, _)| number <= count);
        self.named.retain(|&(number, _)| number <= count);
    }

    /// Takes a note, as it is stored.
    pub(super) fn recall(&mut self, name: &str, value: &str) {
        let term = |(epoch, by): (&str, &str)| Some((epoch.parse().ok()?, by.parse().ok()?));
        match name {
            "over" => self.over = value.parse().ok(),
            "told" => self.told = value.parse().ok(),
            "left" => self.has_left = value == "1",
            "fenced" => self.fenced = value.split_once(' ').and_then(term),
            "given-up" => self.is_other_given_up = true,
            _ => {}
        }
    }

    /// Number of facts.
    pub(super) fn count(&self) -> u64 {
        self.sums.len() as u64
    }

    /// The checksum of so many facts, from the first on; `None` if there are not so many.
    pub(super) fn checksum(&self, count: u64) -> Option<u32> {
        count.checked_sub(1).map_or(Some(0), |last| self.sums.get(last as usize).copied())
    }

    /// The latest term.
    pub(super) fn term(&self) -> Term {
        self.terms.last().map_or((0, 0), |&(_, term)| term)
    }

    /// Returns the number of the last fact that was recorded in a term; `None` if there is no such term. Before the first term
    /// there is only the fact number 0, which is none.
    fn end_of(&self, term: Term) -> Option<u64> {
        let next = match term {
            (0, 0) => 0,
            _ => self.terms.iter().position(|&(_, begun)| begun == term)? + 1,
        };
        Some(self.terms.get(next).map_or(self.count(), |&(number, _)| number - 1))
    }

    /// The epoch in which a fact was recorded; 0 before the first.
    pub(super) fn epoch_of(&self, number: u64) -> u64 {
        self.terms.iter().rfind(|&&(began, _)| began <= number).map_or(0, |&(_, (epoch, _))| epoch)
    }

    /// Where this referee took over from another one the last time, if that one has not been the author of facts since: its first
    /// term since then, and the number of the first fact that the other does not have of itself.
    pub(super) fn taken_over(&self) -> Option<(Term, u64)> {
        let other = self.terms.iter().rposition(|&(_, (_, by))| by != self.referee)?;
        self.terms.get(other + 1).map(|&(number, term)| (term, number))
    }

    /// The same for a referee that is about to begin a term.
    pub(super) fn takes_over(&self) -> Option<(Term, u64)> {
        let (epoch, by) = self.term();
        // Later terms of this referee don't count: the other may have observed them, and taken over from one of them.
        self.taken_over().or_else(|| {
            let is_another = ![0, self.referee].contains(&by);
            is_another.then_some(((epoch + 1, self.referee), self.count() + 1))
        })
    }

    /// Whether all games had been played when the store was used last.
    pub(super) fn is_over(&self) -> bool {
        self.over == Some(self.count())
    }

    /// Whether the other referee knew the end of the event when the store was used last.
    pub(super) fn is_told(&self) -> bool {
        self.told == Some(self.count())
    }

    /// Whether another referee that has begun a term has taken over from this one: that term is later, or not known here. The
    /// store may be an older copy with which this one went on, so that its own terms have any numbers.
    pub(super) fn is_succeeded_by(&self, term: Term) -> bool {
        let own = self.term();
        let is_later = term.0 > own.0 || (term.0 == own.0 && term.1 != own.1);
        is_later || (!self.is_other_given_up && self.end_of(term).is_none())
    }

    /// The term of a referee that has taken over from this one, if that was noted.
    pub(super) fn successor(&self) -> Option<Term> {
        self.fenced.filter(|&term| self.is_succeeded_by(term))
    }

    /// Compares the store with that of an observer; `event` is the referee that began the event here. A term has one author, who stores
    /// its facts before anybody else gets them; if they are not the same, it was begun twice, the second time with an older copy. An
    /// observer takes over after the referee that began the event has named it: if it has a term that is not here, in an event that
    /// this referee began, and was never named here, then this is a copy from before. One that was named may have taken over after
    /// the director let this referee go on alone.
    pub(super) fn compare(&self, event: u64, observer: &StoreSummary) -> Comparison {
        let (first, is_own) = (observer.first, observer.term.1 == self.referee);
        let began_both = [event, observer.event] == [self.referee; 2];
        let is_same = self.checksum(first.saturating_sub(1)) == Some(observer.sum);
        let has_named = self.named.iter().any(|&(_, by)| by == observer.by);
        match self.end_of(observer.term) {
            _ if first == 0 => Comparison::Foreign,
            Some(end) if first <= end + 1 && is_same => Comparison::Behind,
            Some(end) if first <= end + 1 && is_own => Comparison::Ahead(1),
            Some(end) if first <= end + 1 => Comparison::Foreign,
            Some(end) if is_own => Comparison::Ahead(end + 1),
            Some(end) => Comparison::Back(end + 1),
            None if is_own => Comparison::Ahead(self.count() + 1),
            None if began_both && !has_named => Comparison::Successor,
            None => Comparison::Foreign,
        }
    }
}

/// What an observer tells of its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoreSummary {
    /// Number of the observer.
    pub(super) by: u64,
    /// Number of the referee that began the event; 0 if the store is empty.
    pub(super) event: u64,
    /// Number of the first fact that it wants, from 1.
    pub(super) first: u64,
    /// Term of the last fact before that one.
    pub(super) term: Term,
    /// Checksum of the facts before that one.
    pub(super) sum: u32,
}

/// How the store of an observer compares with that of the referee that it would observe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// What it has is here, too.
    Behind,
    /// From this number on it has facts of its own that are not here. It recorded them after it was taken over from, and told nobody.
    Back(u64),
    /// From this number on it has facts that the observed referee recorded, and that are not here: the store here is an older copy.
    Ahead(u64),
    /// It has taken over from the observed referee, whose store does not have that term.
    Successor,
    /// Its last term is not here, and nothing says whose it is.
    Foreign,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(history: &mut History, fact: &Fact) {
        history.push(fact, &serde_json::to_string(fact).expect("JSON"));
    }

    #[test]
    fn it_knows_where_it_took_over_and_forgets_what_is_cut_off() {
        let mut history = History::new(1);
        let taken = [(1, 1), (2, 1), (3, 7), (4, 1), (5, 1), (6, 7)].map(|(epoch, by)| {
            add(&mut history, &Fact::Epoch { epoch, by });
            add(&mut history, &Fact::Round { round: 1 });
            history.taken_over()
        });
        assert_eq!(taken, [None, None, None, Some(((4, 1), 7)), Some(((4, 1), 7)), None]);
        assert_eq!(history.takes_over(), Some(((7, 1), 13)));
        let ends = [(0, 0), (3, 7), (6, 7), (6, 1)].map(|term| history.end_of(term));
        assert_eq!(ends, [Some(0), Some(6), Some(12), None]);
        assert_eq!([0, 1, 6, 7, 99].map(|number| history.epoch_of(number)), [0, 1, 3, 4, 6]);
        let sum = history.checksum(6);
        history.cut(6);
        assert_eq!((history.count(), history.term(), history.checksum(6)), (6, (3, 7), sum));
        assert_eq!((history.taken_over(), history.checksum(7)), (None, None));
    }

    #[test]
    fn notes_are_recalled_as_they_were_written() {
        let mut history = History::new(1);
        for (epoch, by) in [(1, 1), (2, 1)] {
            add(&mut history, &Fact::Epoch { epoch, by });
        }
        let mut note = |note: Note| {
            let (name, value) = note.words(history.count());
            history.recall(name, &value);
            (history.is_over(), history.is_told(), history.has_left, history.successor())
        };
        assert_eq!(note(Note::Over), (true, false, false, None));
        assert_eq!(note(Note::Told), (true, true, false, None));
        assert_eq!(note(Note::Untold), (true, false, false, None));
        assert_eq!(note(Note::Left(true)), (true, false, true, None));
        assert_eq!(note(Note::Left(false)), (true, false, false, None));
        assert_eq!(note(Note::Fenced(Some((1, 7)))), (true, false, false, Some((1, 7))));
        assert_eq!(note(Note::GivenUp), (true, false, false, None), "only the greater number decides");
        assert_eq!(note(Note::Fenced(Some((3, 7)))), (true, false, false, Some((3, 7))));
        assert_eq!(note(Note::Fenced(None)), (true, false, false, None));
        add(&mut history, &Fact::Round { round: 1 });
        assert!(!history.is_over());
    }
}
