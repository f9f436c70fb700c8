//! Values that change over the game.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A value in centipawns for the middlegame and for the endgame, between -32,000 and 32,000 each.
///
/// Both lie in one number, the endgame's in the upper half, so that one instruction adds both.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tapered(i32);

impl Tapered {
    /// A value with its two sides.
    pub(crate) const fn new(middlegame: i32, endgame: i32) -> Tapered {
        Tapered(endgame * 0x1_0000 + middlegame)
    }

    /// The value with all pieces on the board.
    #[inline]
    pub(crate) const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The value with kings and pawns only.
    #[inline]
    pub(crate) const fn endgame(self) -> i32 {
        // A negative lower half has borrowed from the upper one.
        (self.0 + 0x8000) >> 16
    }
}

impl fmt::Debug for Tapered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.middlegame(), self.endgame())
    }
}

impl Add for Tapered {
    type Output = Tapered;
    #[inline]
    fn add(self, other: Tapered) -> Tapered {
        Tapered(self.0 + other.0)
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Tapered) {
        *self = *self + other;
    }
}

impl Sub for Tapered {
    type Output = Tapered;
    #[inline]
    fn sub(self, other: Tapered) -> Tapered {
        Tapered(self.0 - other.0)
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    #[inline]
    fn neg(self) -> Tapered {
        Tapered(-self.0)
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;
    #[inline]
    fn mul(self, factor: i32) -> Tapered {
        Tapered(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_halves_do_not_disturb_each_other() {
        for (a, b) in [(0, 0), (5, -7), (-5, 7), (-12_000, -1), (12_000, -12_000)] {
            for (c, d) in [(0, 0), (-9, 3), (300, -3_000), (-1, -1)] {
                let (x, y) = (Tapered::new(a, b), Tapered::new(c, d));
                assert_eq!(x + y, Tapered::new(a + c, b + d));
                assert_eq!(x - y, Tapered::new(a - c, b - d));
                assert_eq!(-x, Tapered::new(-a, -b));
                assert_eq!(x * 2, Tapered::new(2 * a, 2 * b));
                assert_eq!(((x + y).middlegame(), (x + y).endgame()), (a + c, b + d));
            }
        }
    }
}
