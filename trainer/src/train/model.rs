//! The network in floating point, and the gradient of its loss.
//!
//! Weights are stored in tiles of neighbouring neurons: for each tile of neurons, one per input; then the neurons'
//! biases; then, for each bucket, the output weights; then the buckets' biases in a tile of their own. A chunk of
//! positions is processed tile by tile, so that the weights it uses stay in the cache.

use rayon::prelude::*;
use search::network::{INPUTS, PIECE_INPUTS};
use wide::f32x16;

use super::sample::{Inputs, Sample};
use super::tile::{TILE, Tile};
use crate::random::Random;

/// Number of positions in a chunk.
const CHUNK: usize = 128;

/// Size of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) hidden: usize,
    pub(super) buckets: usize,
}

impl Shape {
    pub(super) fn tiles(self) -> usize {
        self.hidden / TILE
    }

    /// Returns the index of the first tile of the neurons' biases.
    pub(super) fn biases(self) -> usize {
        self.tiles() * INPUTS
    }

    /// Returns the index of the first tile of a bucket's output weights: those for the side to move, then those for the
    /// opponent.
    pub(super) fn output(self, bucket: usize) -> usize {
        self.biases() + self.tiles() + 2 * self.tiles() * bucket
    }

    /// Returns the index of the tile of the buckets' biases.
    pub(super) fn output_biases(self) -> usize {
        self.output(self.buckets)
    }

    /// Returns the number of tiles of all weights.
    pub(super) fn len(self) -> usize {
        self.output_biases() + 1
    }
}

/// The target of training.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// Weight of the result, in 0 ..= 1; the rest is the weight of the score.
    pub(super) result_share: f32,
    /// The expected result of a score is sigmoid(score / scale).
    pub(super) scale: f32,
}

impl Target {
    /// Returns the loss of an expected result, its squared error, and the derivative of the loss.
    pub(super) fn loss(self, sample: &Sample, expected: f32) -> (f32, f32) {
        let by_score = sigmoid(f32::from(sample.score) / self.scale);
        let goal = self.result_share * sample.points() + (1.0 - self.result_share) * by_score;
        let error = expected - goal;
        (error * error, 2.0 * error)
    }
}

pub(super) struct Model {
    pub(super) shape: Shape,
    pub(super) weights: Vec<Tile>,
}

/// Buffers of a thread for a chunk.
struct Workspace {
    inputs: Vec<Inputs>,
    /// For each tile, position and side (side to move first), the neurons before clipping; after the backward pass
    /// their gradients.
    neurons: Vec<Tile>,
    /// For each position, partial sums of the output.
    parts: Vec<f32x16>,
    outputs: Vec<f32>,
    uses: Uses,
}

/// Index of the uses of each input in a chunk. With it the backward pass sums an input's gradient in registers instead
/// of in memory.
struct Uses {
    /// Start of each input's entries in `places`, and the end of the last.
    starts: [u16; INPUTS + 1],
    /// Twice the index of the position, plus one for the opponent's side.
    places: Vec<u16>,
}

impl Uses {
    /// Computes the index by counting sort.
    fn find(&mut self, chunk: &[Inputs]) {
        self.starts.fill(0);
        let pairs = || chunk.iter().map(Inputs::pairs).enumerate();
        for &[ours, theirs] in pairs().flat_map(|(_, pairs)| pairs) {
            self.starts[usize::from(ours)] += 1;
            self.starts[usize::from(theirs)] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.places.resize(end.into(), 0);
        for (position, pairs) in pairs() {
            for pair in pairs {
                for (side, &input) in pair.iter().enumerate() {
                    let start = &mut self.starts[usize::from(input)];
                    *start -= 1;
                    self.places[usize::from(*start)] = (2 * position + side) as u16;
                }
            }
        }
    }

    /// Returns the places of each input.
    fn by_input(&self) -> impl Iterator<Item = &[u16]> {
        self.starts.array_windows().map(|&[start, end]| &self.places[start.into()..end.into()])
    }
}

impl Workspace {
    fn new(shape: Shape) -> Workspace {
        Workspace {
            inputs: Vec::with_capacity(CHUNK),
            neurons: vec![Tile::ZERO; shape.tiles() * 2 * CHUNK],
            parts: vec![f32x16::ZERO; CHUNK],
            outputs: vec![0.0; CHUNK],
            uses: Uses { starts: [0; INPUTS + 1], places: Vec::with_capacity(64 * CHUNK) },
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Model {
    /// Creates a network with small random weights, which are the same in each king bucket.
    pub(super) fn new(shape: Shape, seed: u64) -> Model {
        let mut random = Random::new(seed, 0);
        let mut weights = vec![Tile::ZERO; shape.len()];
        let (first, second) = (1.0 / (PIECE_INPUTS as f32).sqrt(), 1.0 / (2.0 * shape.hidden as f32).sqrt());
        for (at, tile) in weights.iter_mut().enumerate().take(shape.output_biases()) {
            let reach = if at < shape.output(0) { first } else { second };
            tile.0 = std::array::from_fn(|_| {
                let unit = (random.next() >> 40) as f32 / (1 << 24) as f32;
                reach * (2.0 * unit - 1.0)
            });
        }
        for rows in weights[..shape.biases()].chunks_mut(INPUTS) {
            let (known, others) = rows.split_at_mut(PIECE_INPUTS);
            others.chunks_mut(PIECE_INPUTS).for_each(|rows| rows.copy_from_slice(known));
        }
        Model { shape, weights }
    }

    /// Returns a network with more neurons. The new ones have small random weights, and the output does not heed them yet, so that the
    /// values of the network stay as they are.
    ///
    /// # Panics
    /// If there would be fewer neurons than before.
    pub(super) fn widened(&self, hidden: usize, seed: u64) -> Model {
        let (old, shape) = (self.shape, Shape { hidden, ..self.shape });
        let mut wide = Model::new(shape, seed);
        wide.weights[..old.biases()].copy_from_slice(&self.weights[..old.biases()]);
        let biases = &mut wide.weights[shape.biases()..][..old.tiles()];
        biases.copy_from_slice(&self.weights[old.biases()..][..old.tiles()]);
        let rows = wide.weights[shape.output(0)..shape.output_biases()].chunks_mut(shape.tiles());
        for (row, known) in rows.zip(self.weights[old.output(0)..].chunks(old.tiles())) {
            row.fill(Tile::ZERO);
            row[..old.tiles()].copy_from_slice(known);
        }
        wide.weights[shape.output_biases()] = self.weights[old.output_biases()];
        wide
    }

    /// Returns the mean loss over some positions.
    pub(super) fn loss(&self, samples: &[Sample], target: Target) -> f64 {
        let sums: Vec<f64> = samples
            .par_chunks(CHUNK)
            .map_init(
                || Workspace::new(self.shape),
                |workspace, chunk| {
                    self.forward(chunk, workspace);
                    let losses = chunk
                        .iter()
                        .zip(&workspace.outputs)
                        .map(|(sample, &output)| f64::from(target.loss(sample, sigmoid(output)).0));
                    losses.sum()
                },
            )
            .collect();
        sums.iter().sum::<f64>() / samples.len().max(1) as f64
    }

    /// Returns the output for each position; output times scale is centipawns.
    pub(super) fn outputs(&self, samples: &[Sample]) -> Vec<f32> {
        let mut workspace = Workspace::new(self.shape);
        let chunks = samples.chunks(CHUNK).flat_map(|chunk| {
            self.forward(chunk, &mut workspace);
            workspace.outputs[..chunk.len()].to_vec()
        });
        chunks.collect()
    }

    /// Adds the gradient of the sum of the losses of some positions, divided by `count`, to `gradient`. Returns the sum
    /// of the losses.
    pub(super) fn add_gradient(
        &self,
        samples: &[Sample],
        target: Target,
        count: usize,
        gradient: &mut [Tile],
    ) -> f64 {
        let mut workspace = Workspace::new(self.shape);
        let mut sum = 0.0;
        for chunk in samples.chunks(CHUNK) {
            self.forward(chunk, &mut workspace);
            for (sample, output) in chunk.iter().zip(&mut workspace.outputs) {
                let expected = sigmoid(*output);
                let (loss, slope) = target.loss(sample, expected);
                sum += f64::from(loss);
                // From here on `output` holds the gradient of the loss with respect to it.
                *output = slope * expected * (1.0 - expected) / count as f32;
            }
            self.backward(&mut workspace, gradient);
        }
        sum
    }

    fn forward(&self, samples: &[Sample], workspace: &mut Workspace) {
        let Workspace { inputs, neurons, parts, outputs, .. } = workspace;
        let (shape, weights) = (self.shape, &self.weights);
        inputs.clear();
        inputs.extend(samples.iter().map(|sample| sample.inputs(shape.buckets)));
        parts.fill(f32x16::ZERO);
        for tile in 0..shape.tiles() {
            let rows = &weights[tile * INPUTS..][..INPUTS];
            let bias = weights[shape.biases() + tile].lanes();
            let neurons = neurons[tile * 2 * CHUNK..].as_chunks_mut::<2>().0;
            for ((inputs, neurons), part) in inputs.iter().zip(neurons).zip(&mut *parts) {
                let weights = &weights[shape.output(inputs.bucket.into())..];
                let mut sums = [bias; 2];
                for pair in inputs.pairs() {
                    sums[0] += rows[usize::from(pair[0])].lanes();
                    sums[1] += rows[usize::from(pair[1])].lanes();
                }
                for (side, sums) in sums.into_iter().enumerate() {
                    neurons[side] = sums.tile();
                    *part += (sums.activated() * weights[side * shape.tiles() + tile].lanes()).sum();
                }
            }
        }
        let biases = weights[shape.output_biases()].0;
        for ((output, part), inputs) in outputs.iter_mut().zip(parts).zip(inputs) {
            *output = biases[usize::from(inputs.bucket)] + part.reduce_add();
        }
    }

    /// Adds the gradients of a chunk. `workspace` is as the forward pass left it, with gradients in place of the
    /// outputs.
    fn backward(&self, workspace: &mut Workspace, gradient: &mut [Tile]) {
        let Workspace { inputs, neurons, outputs, uses, .. } = workspace;
        let shape = self.shape;
        uses.find(inputs);
        for (slope, inputs) in outputs.iter().zip(&*inputs) {
            gradient[shape.output_biases()].0[usize::from(inputs.bucket)] += slope;
        }
        for tile in 0..shape.tiles() {
            let neurons = &mut neurons[tile * 2 * CHUNK..][..2 * CHUNK];
            let mut bias = Tile::ZERO.lanes();
            for ((inputs, neurons), &slope) in
                inputs.iter().zip(neurons.as_chunks_mut::<2>().0).zip(&*outputs)
            {
                for (side, neurons) in neurons.iter_mut().enumerate() {
                    let output = shape.output(inputs.bucket.into()) + side * shape.tiles() + tile;
                    let values = neurons.lanes();
                    gradient[output].add(values.activated() * slope);
                    let slopes = values.slopes() * self.weights[output].lanes() * slope;
                    bias += slopes;
                    *neurons = slopes.tile();
                }
            }
            gradient[shape.biases() + tile].add(bias);
            let used = gradient[tile * INPUTS..].iter_mut().zip(uses.by_input());
            for (row, places) in used.filter(|(_, places)| !places.is_empty()) {
                let mut sum = row.lanes();
                for &place in places {
                    sum += neurons[usize::from(place)].lanes();
                }
                *row = sum.tile();
            }
        }
    }
}
