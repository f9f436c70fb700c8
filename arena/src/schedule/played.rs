//! The set of games of a wave that have been played.

use std::collections::BTreeSet;

/// A set of numbers that are inserted in nearly ascending order, stored compactly.
#[derive(Clone, Debug, Default)]
pub(super) struct GameSet {
    /// All numbers below this one are in the set.
    below: u64,
    /// The other numbers of the set, all above `below`.
    above: BTreeSet<u64>,
}

impl GameSet {
    pub(super) fn contains(&self, number: u64) -> bool {
        number < self.below || self.above.contains(&number)
    }

    pub(super) fn insert(&mut self, number: u64) {
        if number >= self.below {
            self.above.insert(number);
        }
        while self.above.remove(&self.below) {
            self.below += 1;
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.below + self.above.len() as u64
    }
}
