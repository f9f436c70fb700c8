//! The `AdamW` optimiser (I. Loshchilov and F. Hutter, 2017).

use rayon::prelude::*;

use super::tile::Tile;

/// Decay rates of the moving averages of the gradients and their squares.
const MOMENTUM: f32 = 0.9;
const SQUARE_MOMENTUM: f32 = 0.999;
const TINY: f32 = 1e-8;
/// Maximum magnitude of a weight, so that a neuron's sum for 32 pieces fits 16 bits ([`search::network::HIDDEN_UNIT`]).
const LIMIT: f32 = 1.9;
/// Minimum number of tiles per task.
const CHUNK: usize = 256;

/// State of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AdamW {
    pub(super) mean: Vec<Tile>,
    pub(super) mean_square: Vec<Tile>,
    pub(super) steps: u64,
}

impl AdamW {
    pub(super) fn new(tiles: usize) -> AdamW {
        let zero = vec![Tile::ZERO; tiles];
        AdamW { mean: zero.clone(), mean_square: zero, steps: 0 }
    }

    /// Updates the weights with learning rate `rate` and weight decay `decay`, and clears the gradient.
    pub(super) fn step(&mut self, weights: &mut [Tile], gradient: &mut [Tile], rate: f32, decay: f32) {
        self.steps += 1;
        let correction = 1.0 - MOMENTUM.powi(self.steps as i32);
        let square_correction = (1.0 - SQUARE_MOMENTUM.powi(self.steps as i32)).sqrt();
        let moments = self.mean.par_iter_mut().zip(&mut self.mean_square);
        let weights = weights.par_iter_mut().zip(gradient);
        weights.zip(moments).with_min_len(CHUNK).for_each(|((weights, gradient), (mean, square))| {
            let weights = weights.0.iter_mut().zip(&mut gradient.0);
            let moments = mean.0.iter_mut().zip(&mut square.0);
            for ((weight, slope), (mean, square)) in weights.zip(moments) {
                *mean = MOMENTUM * *mean + (1.0 - MOMENTUM) * *slope;
                *square = SQUARE_MOMENTUM * *square + (1.0 - SQUARE_MOMENTUM) * *slope * *slope;
                let change = (*mean / correction) / (square.sqrt() / square_correction + TINY);
                *weight = (*weight - rate * (change + decay * *weight)).clamp(-LIMIT, LIMIT);
                *slope = 0.0;
            }
        });
    }
}
