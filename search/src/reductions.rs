//! The table of late move reductions.

use crate::parameters as p;

const SIZE: usize = 64;

/// Base late move reductions in 1/1024 of a ply: the product of the logarithms of depth and move number, as in most engines
/// since about 2010.
pub struct Reductions(Box<[[i32; SIZE]; SIZE]>);

impl Reductions {
    /// Computes the table.
    #[expect(clippy::new_without_default, reason = "computed once per searcher")]
    pub fn new() -> Reductions {
        let (base, divisor) =
            (f64::from(p::reduction_base()) / 100.0, f64::from(p::reduction_divisor()) / 100.0);
        let mut table = Box::new([[0; SIZE]; SIZE]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, reduction) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (number as f64).ln();
                *reduction = ((base + product / divisor) * 1024.0) as i32;
            }
        }
        Reductions(table)
    }

    /// Returns the reduction of the move with this number, counted from 1.
    pub fn get(&self, depth: i32, number: usize) -> i32 {
        self.0[(depth as usize).min(SIZE - 1)][number.min(SIZE - 1)]
    }
}
