//! The evaluation with weights that are real numbers, how well it foretells results, and how that changes with each
//! weight.

use rayon::prelude::*;
use search::tuning::{Count, DANGER_DIVISOR_ENDGAME, DANGER_DIVISOR_MIDDLEGAME};

use super::dataset::{Dataset, Position};
use crate::scale;

/// A weight in centipawns: middlegame, endgame.
pub(super) type Weight = [f64; 2];

/// Positions whose losses or gradients are added up by one thread, in one order: so the sum does not depend on the
/// number of threads.
const CHUNK: usize = 1024;

/// The evaluation, and what its values mean.
pub(super) struct Model {
    pub(super) weights: Vec<Weight>,
    /// The expected share of the point is sigmoid(value / scale).
    pub(super) scale: f64,
}

/// The value of a position, with what its derivatives need.
struct Value {
    white: f64,
    /// What a centipawn of middlegame and endgame changes.
    shares: Weight,
    /// What a unit of the danger that White is, or Black is, changes in middlegame and endgame.
    white_slope: Weight,
    black_slope: Weight,
}

impl Model {
    /// The scale that makes the least of the loss with these weights.
    pub(super) fn fit_scale(weights: &[Weight], dataset: &Dataset) -> f64 {
        let loss = |scale| Model { weights: weights.to_vec(), scale }.loss(dataset);
        scale::fit(loss)
    }

    /// The mean square of what results differ from expectations.
    pub(super) fn loss(&self, dataset: &Dataset) -> f64 {
        let indices: Vec<usize> = (0..dataset.len()).collect();
        let sums: Vec<f64> = indices
            .par_chunks(CHUNK)
            .map(|chunk| {
                let errors = chunk.iter().map(|&index| {
                    let position = dataset.get(index);
                    self.expected(self.value(&position).white) - position.points
                });
                errors.map(|error| error * error).sum()
            })
            .collect();
        sums.iter().sum::<f64>() / dataset.len() as f64
    }

    /// The gradient of the mean loss over some positions.
    pub(super) fn gradient(&self, dataset: &Dataset, indices: &[u32]) -> Vec<Weight> {
        let parts: Vec<Vec<Weight>> = indices
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut gradient = vec![[0.0; 2]; self.weights.len()];
                for &index in chunk {
                    self.add_gradient(&dataset.get(index as usize), &mut gradient);
                }
                gradient
            })
            .collect();
        let mut sum = vec![[0.0; 2]; self.weights.len()];
        for part in &parts {
            for (sum, part) in sum.iter_mut().flatten().zip(part.iter().flatten()) {
                *sum += part / indices.len() as f64;
            }
        }
        sum
    }

    fn expected(&self, value: f64) -> f64 {
        scale::sigmoid(value / self.scale)
    }

    fn sum(&self, counts: &[Count]) -> Weight {
        counts.iter().fold([0.0; 2], |[mg, eg], &(index, count)| {
            let weight = self.weights[usize::from(index)];
            [mg + weight[0] * f64::from(count), eg + weight[1] * f64::from(count)]
        })
    }

    /// What danger is worth, and what a unit more of it is worth.
    fn danger(&self, counts: &[Count]) -> (Weight, Weight) {
        let [mg, eg] = self.sum(counts).map(|side| side.max(0.0));
        let squared = 1.0 / f64::from(DANGER_DIVISOR_MIDDLEGAME);
        let linear = if eg > 0.0 { 1.0 / f64::from(DANGER_DIVISOR_ENDGAME) } else { 0.0 };
        ([mg * mg * squared, eg * linear], [2.0 * mg * squared, linear])
    }

    fn value(&self, position: &Position) -> Value {
        let linear = self.sum(position.features);
        let (white, white_slope) = self.danger(position.white_danger);
        let (black, black_slope) = self.danger(position.black_danger);
        let [mg, eg] = [0, 1].map(|side| linear[side] + white[side] - black[side]);
        let shares = [position.phase, (1.0 - position.phase) * position.scale[usize::from(eg > 0.0)]];
        Value { white: mg * shares[0] + eg * shares[1] + position.drive, shares, white_slope, black_slope }
    }

    fn add_gradient(&self, position: &Position, gradient: &mut [Weight]) {
        let value = self.value(position);
        let expected = self.expected(value.white);
        let slope = 2.0 * (expected - position.points) * expected * (1.0 - expected) / self.scale;
        let shares = value.shares.map(|share| share * slope);
        let mut add = |counts: &[Count], slopes: Weight| {
            for &(index, count) in counts {
                let sum = &mut gradient[usize::from(index)];
                sum[0] += slopes[0] * f64::from(count);
                sum[1] += slopes[1] * f64::from(count);
            }
        };
        add(position.features, shares);
        add(position.white_danger, [0, 1].map(|side| shares[side] * value.white_slope[side]));
        add(position.black_danger, [0, 1].map(|side| -shares[side] * value.black_slope[side]));
    }
}
