//! Hash table of the mate solver. Its entries hold the whole key, because proofs must not rely on the 16 bits of check
//! that are enough for the playing search.

use std::io::ErrorKind;

use super::Numbers;
use crate::{Move, TableError};

const ENTRIES_PER_BUCKET: usize = 4;

/// Results about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    /// Numbers of the search for a mate in [`Entry::open`] moves.
    numbers: Numbers,
    /// The first move of the proof, if the attacker is to move.
    best: Option<Move>,
    /// Number of moves within which the attacker provably mates, or [`UNKNOWN`].
    proven: u8,
    /// The attacker does not mate in fewer moves than this.
    refuted_below: u8,
    /// Number of moves that `numbers` refer to, or [`UNKNOWN`] if there are no numbers.
    open: u8,
    /// Logarithm of the number of nodes searched for the entry.
    work: u8,
    /// The search that the entry belongs to; 0 for an empty entry.
    generation: u16,
}

/// Marks an unknown number of moves.
const UNKNOWN: u8 = u8::MAX;

/// Result about a mate within a number of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The attacker mates within this number of moves, which may be less than asked for. The move is the first one if
    /// the attacker is to move.
    Mate(u8, Option<Move>),
    /// The attacker does not mate.
    NoMate,
    /// Undecided. The numbers may belong to a different number of moves.
    Open(Numbers),
}

impl Entry {
    fn new(key: u64, generation: u16) -> Entry {
        Entry {
            key,
            numbers: Numbers::UNLIMITED,
            best: None,
            proven: UNKNOWN,
            refuted_below: 0,
            open: UNKNOWN,
            work: 0,
            generation,
        }
    }

    fn known(&self, moves: u8) -> Option<Known> {
        if self.proven <= moves {
            Some(Known::Mate(self.proven, self.best))
        } else if self.refuted_below > moves {
            Some(Known::NoMate)
        } else {
            (self.open != UNKNOWN).then_some(Known::Open(self.numbers))
        }
    }

    fn learn(&mut self, moves: u8, known: Known) {
        match known {
            Known::Mate(proven, best) if proven < self.proven => (self.proven, self.best) = (proven, best),
            Known::Mate(..) => {}
            Known::NoMate => self.refuted_below = self.refuted_below.max(moves + 1),
            Known::Open(numbers) => (self.numbers, self.open) = (numbers, moves),
        }
    }
}

/// A hash table of fixed size.
pub(super) struct Table {
    entries: Box<[Entry]>,
    generation: u16,
}

impl Table {
    /// Creates an empty table of this size in MiB, at least 1.
    pub(super) fn new(mebibytes: usize) -> Result<Table, TableError> {
        let no_memory = || TableError { mebibytes, source: ErrorKind::OutOfMemory.into() };
        let bytes = mebibytes.max(1).checked_mul(1 << 20).ok_or_else(no_memory)?;
        let count = bytes / (size_of::<Entry>() * ENTRIES_PER_BUCKET) * ENTRIES_PER_BUCKET;
        let mut entries = Vec::new();
        entries.try_reserve_exact(count).map_err(|_| no_memory())?;
        entries.resize(count, Entry::new(0, 0));
        Ok(Table { entries: entries.into(), generation: 1 })
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.entries.fill(Entry::new(0, 0));
            self.generation = 1;
        }
    }

    /// Returns the index of the first entry of a key's bucket.
    #[inline]
    fn bucket(&self, key: u64) -> usize {
        let buckets = self.entries.len() / ENTRIES_PER_BUCKET;
        ((u128::from(key) * buckets as u128) >> 64) as usize * ENTRIES_PER_BUCKET
    }

    /// Returns the result about a mate in `moves` moves in the position with this key.
    #[inline]
    pub(super) fn probe(&self, key: u64, moves: u8) -> Option<Known> {
        let bucket = self.bucket(key);
        self.entries[bucket..bucket + ENTRIES_PER_BUCKET]
            .iter()
            .find(|entry| entry.key == key && entry.generation == self.generation)?
            .known(moves)
    }

    /// Stores a result about a mate in `moves` moves that took `nodes` nodes. A new entry replaces the one in its
    /// bucket with the least work.
    #[inline]
    pub(super) fn store(&mut self, key: u64, moves: u8, known: Known, nodes: u64) {
        let (bucket, generation) = (self.bucket(key), self.generation);
        let worth = |entry: &Entry| match entry.generation == generation {
            true if entry.key == key => -1,
            true => i32::from(entry.work) + 1,
            false => 0,
        };
        let bucket = &mut self.entries[bucket..bucket + ENTRIES_PER_BUCKET];
        let Some(entry) = bucket.iter_mut().min_by_key(|entry| worth(entry)) else { return };
        if worth(entry) >= 0 {
            *entry = Entry::new(key, generation);
        }
        entry.work = entry.work.max((nodes + 1).ilog2() as u8);
        entry.learn(moves, known);
    }

    /// Returns how much of the table the current search has filled, in permille, estimated from a sample.
    pub(super) fn permille_full(&self) -> u32 {
        let sample = &self.entries[..self.entries.len().min(1000)];
        let filled = sample.iter().filter(|entry| entry.generation == self.generation).count();
        (filled * 1000 / sample.len()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Known = Known::Open(Numbers { phi: 3, delta: 5 });

    #[test]
    fn a_mate_holds_for_more_moves_and_a_refutation_for_fewer() {
        let mut table = Table::new(1).expect("1 MiB");
        table.store(7, 4, Known::NoMate, 0);
        table.store(7, 9, Known::Mate(8, None), 0);
        table.store(7, 6, OPEN, 0);
        assert_eq!(table.probe(7, 4), Some(Known::NoMate));
        assert_eq!(table.probe(7, 5), Some(OPEN));
        assert_eq!(table.probe(7, 7), Some(OPEN));
        assert_eq!(table.probe(7, 30), Some(Known::Mate(8, None)));
        table.store(7, 9, Known::Mate(9, None), 0);
        assert_eq!(table.probe(7, 8), Some(Known::Mate(8, None)), "a longer mate is no news");
        assert_eq!(table.probe(8, 4), None);
    }

    #[test]
    fn little_work_gives_way_first_and_clearing_forgets() {
        let mut table = Table::new(1).expect("1 MiB");
        // Small keys share the first bucket.
        for (key, nodes) in [(1, 900), (2, 5), (3, 70), (4, 800), (5, 1)] {
            table.store(key, 3, OPEN, nodes);
        }
        assert!(table.probe(2, 3).is_none() && table.probe(5, 3).is_some() && table.probe(3, 3).is_some());
        assert!(table.permille_full() > 0);
        table.clear();
        assert!((1..=5).all(|key| table.probe(key, 3).is_none()) && table.permille_full() == 0);
        for _ in 0..=u16::MAX {
            table.clear();
        }
        assert!((1..=5).all(|key| table.probe(key, 3).is_none()), "generations come round");
    }

    #[test]
    fn a_size_beyond_all_memory_is_an_error() {
        assert!(Table::new(usize::MAX).is_err());
        assert!(Table::new(1 << 40).is_err());
    }
}
