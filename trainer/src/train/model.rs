//! The network in floating point, and how its loss changes with each weight.
//!
//! Weights lie in tiles of neighbouring neurons: for each tile of neurons, one for each input; then the neurons' biases;
//! then, for each bucket, the output's weights; then the buckets' biases in a tile of their own. A chunk of positions goes
//! through one tile of neurons after the other, so that the weights that it meets stay near the processor.

use rayon::prelude::*;
use search::network::INPUTS;
use wide::f32x16;

use super::sample::{Inputs, Sample};
use super::tile::{TILE, Tile};
use crate::random::Random;

/// Positions that go through a tile one after the other.
const CHUNK: usize = 128;

/// How large the network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) hidden: usize,
    pub(super) buckets: usize,
}

impl Shape {
    pub(super) fn tiles(self) -> usize {
        self.hidden / TILE
    }

    /// Where the neurons' biases begin.
    pub(super) fn biases(self) -> usize {
        self.tiles() * INPUTS
    }

    /// Where the output's weights for a bucket begin: those for our neurons, then those for the opponent's.
    pub(super) fn output(self, bucket: usize) -> usize {
        self.biases() + self.tiles() + 2 * self.tiles() * bucket
    }

    /// The tile of the buckets' biases.
    pub(super) fn output_biases(self) -> usize {
        self.output(self.buckets)
    }

    /// Tiles of all weights.
    pub(super) fn len(self) -> usize {
        self.output_biases() + 1
    }
}

/// What the network is to say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// How much the result counts, in 0 ..= 1; the score has the rest.
    pub(super) result_share: f32,
    /// A score means an expected share of sigmoid(score / scale).
    pub(super) scale: f32,
}

impl Target {
    pub(super) fn of(self, sample: &Sample) -> f32 {
        let by_score = sigmoid(f32::from(sample.score) / self.scale);
        self.result_share * sample.points() + (1.0 - self.result_share) * by_score
    }
}

pub(super) struct Model {
    pub(super) shape: Shape,
    pub(super) weights: Vec<Tile>,
}

/// What a thread needs to work on a chunk.
struct Workspace {
    inputs: Vec<Inputs>,
    /// For each tile, position and side, ours first, the neurons before they are clipped; then what a unit more of them changes.
    neurons: Vec<Tile>,
    /// For each position, parts of the sum that is the output.
    parts: Vec<f32x16>,
    outputs: Vec<f32>,
    uses: Uses,
}

/// Where in a chunk each input is on. The backward pass adds up an input's gradient in registers this way, instead of in
/// memory one position after the other.
struct Uses {
    /// Where those of each input begin, and where the last one's end.
    starts: [u16; INPUTS + 1],
    /// Twice the position, and one more for the opponent's side.
    places: Vec<u16>,
}

impl Uses {
    /// By counting, as an input is a small number.
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

    /// Those of each input.
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
    /// A network that knows nothing: small weights at random.
    pub(super) fn new(shape: Shape, seed: u64) -> Model {
        let mut random = Random::new(seed, 0);
        let mut weights = vec![Tile::ZERO; shape.len()];
        let (first, second) = (1.0 / (INPUTS as f32).sqrt(), 1.0 / (2.0 * shape.hidden as f32).sqrt());
        for (at, tile) in weights.iter_mut().enumerate().take(shape.output_biases()) {
            let reach = if at < shape.output(0) { first } else { second };
            tile.0 = std::array::from_fn(|_| {
                let unit = (random.next() >> 40) as f32 / (1 << 24) as f32;
                reach * (2.0 * unit - 1.0)
            });
        }
        Model { shape, weights }
    }

    /// The mean loss over some positions: the squares of what expectations are off by.
    pub(super) fn loss(&self, samples: &[Sample], target: Target) -> f64 {
        let sums: Vec<f64> = samples
            .par_chunks(CHUNK)
            .map_init(
                || Workspace::new(self.shape),
                |workspace, chunk| {
                    self.forward(chunk, workspace);
                    let errors = chunk
                        .iter()
                        .zip(&workspace.outputs)
                        .map(|(sample, &output)| f64::from(sigmoid(output) - target.of(sample)));
                    errors.map(|error| error * error).sum()
                },
            )
            .collect();
        sums.iter().sum::<f64>() / samples.len().max(1) as f64
    }

    /// The output for each position; times the scale, its centipawns.
    pub(super) fn outputs(&self, samples: &[Sample]) -> Vec<f32> {
        let mut workspace = Workspace::new(self.shape);
        let chunks = samples.chunks(CHUNK).flat_map(|chunk| {
            self.forward(chunk, &mut workspace);
            workspace.outputs[..chunk.len()].to_vec()
        });
        chunks.collect()
    }

    /// Adds to `gradient` that of the sum of losses, each divided by `count`, over some positions. Returns the sum of losses.
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
                let error = expected - target.of(sample);
                sum += f64::from(error * error);
                // From here on, what a unit more of the output changes.
                *output = 2.0 * error * expected * (1.0 - expected) / count as f32;
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

    /// `workspace` holds what the forward pass left, with slopes in the place of outputs.
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
            for (row, places) in gradient[tile * INPUTS..].iter_mut().zip(uses.by_input()) {
                let mut sum = row.lanes();
                for &place in places {
                    sum += neurons[usize::from(place)].lanes();
                }
                *row = sum.tile();
            }
        }
    }
}
