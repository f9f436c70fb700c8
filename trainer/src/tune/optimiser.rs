//! Gradient descent with a step of its own for each weight (Adam: Kingma and Ba, 2014).

use super::model::Weight;

/// How much of the earlier gradients, and of their squares, is kept at each step.
const MOMENTUM: f64 = 0.9;
const SQUARE_MOMENTUM: f64 = 0.999;
const TINY: f64 = 1e-12;
pub(super) struct Adam {
    start: Vec<Weight>,
    /// How strongly each weight is drawn back to where it began, per centipawn.
    pull: f64,
    mean: Vec<Weight>,
    mean_square: Vec<Weight>,
    steps: i32,
}

impl Adam {
    pub(super) fn new(start: &[Weight], pull: f64) -> Adam {
        let zero = vec![[0.0; 2]; start.len()];
        Adam { start: start.to_vec(), pull, mean: zero.clone(), mean_square: zero, steps: 0 }
    }

    /// Moves each weight against its gradient by about `step` centipawns.
    pub(super) fn step(&mut self, weights: &mut [Weight], gradient: &[Weight], step: f64) {
        self.steps += 1;
        let correction = 1.0 - MOMENTUM.powi(self.steps);
        let square_correction = 1.0 - SQUARE_MOMENTUM.powi(self.steps);
        let moments = self.mean.iter_mut().flatten().zip(self.mean_square.iter_mut().flatten());
        let sides = weights.iter_mut().flatten().zip(self.start.iter().flatten());
        for ((weight, start), ((mean, square), slope)) in sides.zip(moments.zip(gradient.iter().flatten())) {
            let slope = slope + self.pull * (*weight - start);
            *mean = MOMENTUM * *mean + (1.0 - MOMENTUM) * slope;
            *square = SQUARE_MOMENTUM * *square + (1.0 - SQUARE_MOMENTUM) * slope * slope;
            *weight -= step * (*mean / correction) / ((*square / square_correction).sqrt() + TINY);
        }
    }
}
