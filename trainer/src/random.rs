//! Random numbers that are the same on every machine and in every version.

/// The `SplitMix64` generator (Steele, Lea and Flood, 2014).
pub(crate) struct Random(u64);

impl Random {
    /// Creates the generator of sequence `stream` of a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let mut mixed = Random(seed);
        Random(mixed.next() ^ stream.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, which must not be 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Shuffles a slice (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, slice: &mut [T]) {
        for i in (1..slice.len()).rev() {
            slice.swap(i, self.below(i + 1));
        }
    }
}
