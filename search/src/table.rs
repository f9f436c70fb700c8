//! The hash table: results of the search for positions, shared by all threads without locks.
//!
//! An entry is one 64-bit word of data and 16 bits of check. The check is the position's key mixed with the data, so
//! that a word torn by a race between threads shows up as a miss (R. Hyatt and T. Mann, 2002). Misses that slip
//! through are harmless: a move from the table is tested for legality before it is made.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use crate::memory::{Memory, zeroed};
use crate::parameters::{self as p, step};
use crate::prefetch::prefetch;
use crate::{Bound, Move, Score};

const ENTRIES_PER_CLUSTER: usize = 3;

/// Half a cache line, so that one fetch from memory brings all entries that a position can be in.
#[repr(C, align(32))]
struct Cluster {
    data: [AtomicU64; ENTRIES_PER_CLUSTER],
    checks: [AtomicU16; ENTRIES_PER_CLUSTER + 1], // the last one is padding
}

const _: () = assert!(size_of::<Cluster>() == 32);

/// Result of the search of a position, packed into a word:
///
/// ```text
/// bit  63     48 47    32 31        16 15     8 7          3   2   1     0
///     |   move  |  score | evaluation |  depth  | generation | pv | bound |      bound 0: empty
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, or the one that refuted the previous one.
    pub best: Option<Move>,
    /// Relative to the node: see [`Score::relative_to_node`].
    pub score: Score,
    /// The static evaluation, neither faded nor corrected; `None` in check.
    pub evaluation: Option<Score>,
    /// Plies searched below the position, 0 for quiescence.
    pub depth: i32,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub was_pv: bool,
}

const NO_EVALUATION: i16 = i16::MIN;
const GENERATIONS: u8 = 32;

impl Entry {
    /// Returns the score if it settles a node at this ply with this window.
    #[inline]
    pub fn cutoff(&self, ply: usize, alpha: Score, beta: Score) -> Option<Score> {
        let score = self.score.relative_to_root(ply);
        let is_settled = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        is_settled.then_some(score)
    }

    /// Returns the score if its bound makes it a better estimate at this ply than the static evaluation, else the evaluation.
    #[inline]
    pub(crate) fn estimate(&self, ply: usize, evaluation: Score) -> Score {
        let score = self.score.relative_to_root(ply);
        let is_better = step!(hash_score_as_evaluation, self.bound.corrects(score, evaluation));
        if is_better && !score.is_mate() { score } else { evaluation }
    }

    fn pack(&self, generation: u8) -> u64 {
        let evaluation = self.evaluation.map_or(NO_EVALUATION, |score| score.value() as i16);
        u64::from(Move::to_bits(self.best)) << 48
            | u64::from(self.score.value() as i16 as u16) << 32
            | u64::from(evaluation as u16) << 16
            | (self.depth.clamp(0, 255) as u64) << 8
            | u64::from(generation) << 3
            | u64::from(self.was_pv) << 2
            | self.bound as u64
    }

    fn unpack(data: u64) -> Option<Entry> {
        let bound = match data & 3 {
            0 => return None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        };
        let evaluation = (data >> 16) as i16;
        let is_evaluated = step!(cached_evaluation, evaluation != NO_EVALUATION);
        Some(Entry {
            best: Move::from_bits((data >> 48) as u16),
            score: Score::from_value(((data >> 32) as i16).into()),
            evaluation: is_evaluated.then(|| Score::from_value(evaluation.into())),
            depth: (data >> 8 & 255) as i32,
            bound,
            was_pv: data & 4 != 0,
        })
    }
}

#[inline]
fn depth_of(data: u64) -> i32 {
    (data >> 8 & 255) as i32
}

#[inline]
fn generation_of(data: u64) -> u8 {
    (data >> 3) as u8 % GENERATIONS
}

/// Returns what is stored beside an entry: the key, with the data scrambled by a multiplication (the golden ratio).
#[inline]
fn check(key: u64, data: u64) -> u16 {
    key as u16 ^ (data.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as u16
}

/// A hash table. Its memory is reserved on creation; the operating system provides the pages when they are first used.
pub struct Table {
    memory: Memory,
    clusters: usize,
    generation: u8,
    state: State,
}

/// Whether the memory has been used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Reserved, no page used.
    New,
    /// All pages used, no entry stored.
    Clear,
    /// A search has stored entries.
    Used,
}

/// Error: not enough memory for a table.
#[derive(Debug, thiserror::Error)]
#[error("no memory for a hash table of {mebibytes} MiB ({source})")]
pub struct TableError {
    pub(crate) mebibytes: usize,
    pub(crate) source: std::io::Error,
}

impl Table {
    /// Creates an empty table of this size in MiB, at least 1.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(mebibytes: usize) -> Result<Table, TableError> {
        let failed = |source| TableError { mebibytes, source };
        let bytes = mebibytes
            .max(1)
            .checked_mul(1 << 20)
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or_else(|| failed(std::io::ErrorKind::OutOfMemory.into()))?;
        let memory = zeroed(bytes).map_err(failed)?;
        Ok(Table { memory, clusters: bytes / size_of::<Cluster>(), generation: 0, state: State::New })
    }

    #[inline]
    fn clusters(&self) -> &[Cluster] {
        // SAFETY: The memory is aligned to a line of the cache at least, lives as long as `self`, holds `clusters` times the size of a cluster and
        // was zeroed at first, which is a valid value of atomics. Nobody else refers to it except through this slice,
        // and atomics may be written through shared references.
        #[expect(unsafe_code, clippy::cast_ptr_alignment)]
        unsafe {
            std::slice::from_raw_parts(self.memory.as_ptr().cast::<Cluster>(), self.clusters)
        }
    }

    /// Returns the cluster of a key. Maps the key's high bits by multiplication, for any number of clusters (D. Lemire,
    /// 2016).
    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters as u128) >> 64;
        &self.clusters()[index as usize]
    }

    /// Prefetches the entries of `key` into the cache.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// Returns the entry of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        (0..ENTRIES_PER_CLUSTER).find_map(|i| {
            let data = cluster.data[i].load(Ordering::Relaxed);
            let matches = cluster.checks[i].load(Ordering::Relaxed) == check(key, data);
            if matches { Entry::unpack(data) } else { None }
        })
    }

    /// Stores an entry. Replaces the entry of the same position, or else the entry of the cluster with the least depth,
    /// adjusted for age.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        let cluster = self.cluster(key);
        let mut victim = 0;
        let mut least = i32::MAX;
        for i in 0..ENTRIES_PER_CLUSTER {
            let data = cluster.data[i].load(Ordering::Relaxed);
            if cluster.checks[i].load(Ordering::Relaxed) == check(key, data) && data != 0 {
                if self.is_worth_more(data, &entry) {
                    return;
                }
                // A result without best move keeps the stored one.
                entry.best = entry.best.or(Move::from_bits((data >> 48) as u16));
                victim = i;
                break;
            }
            let worth = if data == 0 {
                i32::MIN
            } else {
                depth_of(data) - p::hash_plies_per_age() * i32::from(self.age(data))
            };
            if worth < least {
                (victim, least) = (i, worth);
            }
        }
        let data = entry.pack(self.generation);
        cluster.data[victim].store(data, Ordering::Relaxed);
        cluster.checks[victim].store(check(key, data), Ordering::Relaxed);
    }

    /// Whether a stored entry of the same position is kept: it is of the current search and clearly deeper.
    fn is_worth_more(&self, data: u64, new: &Entry) -> bool {
        new.bound != Bound::Exact
            && self.age(data) == 0
            && depth_of(data) > new.depth + p::hash_deeper_plies()
    }

    fn age(&self, data: u64) -> u8 {
        self.generation.wrapping_sub(generation_of(data)) % GENERATIONS
    }

    /// Starts a new generation, so that entries of earlier searches are replaced first.
    pub fn begin_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
        self.state = State::Used;
    }

    /// Touches all pages of a new table, so that the first search is not delayed by page faults, which can take 0.1 s
    /// for 64 MiB.
    pub fn warm_up(&mut self) {
        if self.state == State::New {
            self.clear();
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.generation = 0;
        if std::mem::replace(&mut self.state, State::Clear) == State::Clear {
            return;
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if threads == 1 {
            return self.memory.fill(0);
        }
        std::thread::scope(|scope| {
            for part in self.memory.chunks_mut(self.clusters.div_ceil(threads) * size_of::<Cluster>()) {
                scope.spawn(|| part.fill(0));
            }
        });
    }

    /// Returns how much of the table the current search has filled, in permille, estimated from a sample.
    pub fn permille_full(&self) -> u32 {
        let sample = &self.clusters()[..self.clusters.min(1000)];
        let filled = sample
            .iter()
            .flat_map(|cluster| &cluster.data)
            .map(|word| word.load(Ordering::Relaxed))
            .filter(|&data| data != 0 && self.age(data) == 0)
            .count();
        (filled * 1000 / (sample.len() * ENTRIES_PER_CLUSTER)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Square;

    fn entry(depth: i32) -> Entry {
        Entry {
            best: Some(Move::new(Square::E2, Square::E4)),
            score: Score::from_value(-123),
            evaluation: Some(Score::from_value(77)),
            depth,
            bound: Bound::Lower,
            was_pv: true,
        }
    }

    #[test]
    fn entries_survive_packing() {
        for evaluation in [None, Some(Score::from_value(-9_800))] {
            for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
                for best in [None, Some(Move::promoting(Square::H7, Square::G8, shakmaty::Role::Knight))] {
                    let entry = Entry { evaluation, bound, best, score: Score::mated_at(3), ..entry(57) };
                    assert_eq!(Entry::unpack(entry.pack(31)), Some(entry));
                }
            }
        }
    }

    #[test]
    fn what_is_stored_is_found_and_a_fail_low_keeps_the_move() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.probe(42), None);
        table.store(42, entry(5));
        assert_eq!(table.probe(42), Some(entry(5)));
        table.store(42, Entry { best: None, ..entry(6) });
        assert_eq!(table.probe(42), Some(entry(6)));
    }

    #[test]
    fn shallow_and_old_entries_give_way_first() {
        let mut table = Table::new(1).unwrap();
        // Keys with equal high bits share a cluster.
        for (key, depth) in [(1, 9), (2, 2), (3, 7)] {
            table.store(key, entry(depth));
        }
        table.store(4, entry(1));
        assert!(table.probe(2).is_none() && table.probe(4).is_some());
        for _ in 0..3 {
            table.begin_search();
        }
        table.store(4, entry(1));
        table.store(5, entry(0));
        assert!(table.probe(1).is_some() && table.probe(3).is_none() && table.probe(5).is_some());
    }

    #[test]
    fn a_score_replaces_an_evaluation_that_its_bound_rules_out() {
        let estimate = |bound, score, evaluation| {
            let entry = Entry { bound, score: Score::from_value(score), ..entry(1) };
            entry.estimate(0, Score::from_value(evaluation)).value()
        };
        assert_eq!(estimate(Bound::Lower, 50, 20), 50);
        assert_eq!(estimate(Bound::Lower, 50, 80), 80);
        assert_eq!(estimate(Bound::Upper, 50, 80), 50);
        assert_eq!(estimate(Bound::Upper, 50, 20), 20);
        assert_eq!(estimate(Bound::Exact, 50, 80), 50);
        let mate = Entry { score: Score::mate_at(3), ..entry(1) };
        assert_eq!(
            mate.estimate(0, Score::from_value(20)).value(),
            20,
            "how far a mate is off, a bound does not tell"
        );
    }

    #[test]
    fn clearing_forgets() {
        let mut table = Table::new(1).unwrap();
        table.begin_search();
        table.store(7, entry(3));
        table.clear();
        assert_eq!(table.probe(7), None);
        assert_eq!(table.permille_full(), 0);
    }

    #[test]
    fn a_size_beyond_all_memory_is_an_error() {
        assert!(Table::new(usize::MAX).is_err());
        assert!(Table::new(1 << 40).is_err());
    }
}
