//! Tiles of weights of neighbouring neurons, in memory and in registers.

use std::ops::{AddAssign, Mul};

use wide::f32x16;

/// Number of neurons in a tile.
pub(super) const TILE: usize = 64;

/// One weight per neuron, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Tile(pub(super) [f32; TILE]);

impl Tile {
    pub(super) const ZERO: Tile = Tile([0.0; TILE]);

    #[inline]
    pub(super) fn lanes(&self) -> Lanes {
        let parts = self.0.as_chunks().0;
        Lanes(std::array::from_fn(|part| f32x16::new(parts[part])))
    }

    #[inline]
    pub(super) fn add(&mut self, term: Lanes) {
        let mut sum = self.lanes();
        sum += term;
        *self = sum.tile();
    }
}

/// A tile in registers. Explicit SIMD types, as automatic vectorisation spends more time on moving numbers than on
/// adding them.
#[derive(Clone, Copy)]
pub(super) struct Lanes([f32x16; TILE / 16]);

impl Lanes {
    #[inline]
    fn map(self, change: impl Fn(f32x16) -> f32x16) -> Lanes {
        Lanes(self.0.map(change))
    }

    #[inline]
    pub(super) fn tile(self) -> Tile {
        let mut tile = Tile::ZERO;
        for (to, lane) in tile.0.as_chunks_mut().0.iter_mut().zip(self.0) {
            *to = lane.to_array();
        }
        tile
    }

    /// Returns the squares of the neurons clipped to 0 ..= 1.
    #[inline]
    pub(super) fn activated(self) -> Lanes {
        self.map(|value| {
            let clipped = value.fast_max(f32x16::ZERO).fast_min(f32x16::ONE);
            clipped * clipped
        })
    }

    /// Returns the derivatives of these squares, which are 0 outside the clipping range.
    #[inline]
    pub(super) fn slopes(self) -> Lanes {
        self.map(|value| {
            let is_inside = value.simd_gt(f32x16::ZERO) & value.simd_lt(f32x16::ONE);
            is_inside & (value + value)
        })
    }

    /// Returns the sums of every sixteenth number.
    #[inline]
    pub(super) fn sum(self) -> f32x16 {
        self.0.into_iter().fold(f32x16::ZERO, |sum, part| sum + part)
    }
}

impl Mul for Lanes {
    type Output = Lanes;

    #[inline]
    fn mul(self, other: Lanes) -> Lanes {
        Lanes(std::array::from_fn(|lane| self.0[lane] * other.0[lane]))
    }
}

impl Mul<f32> for Lanes {
    type Output = Lanes;

    #[inline]
    fn mul(self, factor: f32) -> Lanes {
        let factor = f32x16::splat(factor);
        self.map(|lane| lane * factor)
    }
}

impl AddAssign for Lanes {
    #[inline]
    fn add_assign(&mut self, term: Lanes) {
        for (lane, term) in self.0.iter_mut().zip(term.0) {
            *lane += term;
        }
    }
}
