//! The neural network that evaluates positions (NNUE: Y. Nasu, 2018), in its simplest form:
//!
//! ```text
//! 3840 inputs  -> H neurons, once from the view of the side to move, once from the opponent's
//! 2 x H        -> 1 output for each material bucket: a weighted sum of the squared clipped neurons
//! ```
//!
//! A move changes few inputs, so the neurons' sums (`Accumulators`) are updated instead of computed anew. All numbers
//! are integers, so the results are the same on every machine and with every kernel (`kernels::Kernel`).

mod accumulators;
mod features;
mod fingerprint;
mod format;
mod kernels;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use shakmaty::{Bitboard, Piece};

use crate::{Position, Score};
pub(crate) use accumulators::Accumulators;
pub use features::{INPUTS, PIECE_INPUTS, View};
pub use fingerprint::fingerprint;
pub use format::{MAX_HIDDEN, NetworkError, Parameters};
use kernels::{Block, Kernel, LANES};

/// Fixed-point unit of the first layer: neurons are clipped to 0 ..= 512.
///
/// Other engines use 255. Rounding of the first layer costs most accuracy, and 16 bits are enough for sums of 32
/// weights in this unit.
pub const HIDDEN_UNIT: i32 = 512;
/// Fixed-point unit of the squared clipped neurons.
pub const ACTIVATED_UNIT: i32 = 1024;
/// Supported fixed-point units of the output weights. A larger unit makes them more precise.
pub const OUTPUT_UNIT_RANGE: RangeInclusive<i32> = 16..=4096;
/// Supported scales: centipawns for an output of 1. The scale is that of the scores in the training data, so that the
/// margins of the search remain valid.
pub const CENTIPAWNS_RANGE: RangeInclusive<i32> = 50..=1000;
/// Maximum magnitude of an output weight, chosen so that wide layers stay below [`OUTPUT_WEIGHT_SUM`].
pub const OUTPUT_WEIGHT_LIMIT: i16 = 8191;
/// Maximum sum of the magnitudes of the output weights of one side's neurons, so that the dot product fits 32 bits.
pub const OUTPUT_WEIGHT_SUM: i64 = i32::MAX as i64 / ACTIVATED_UNIT as i64;

/// Supported numbers of material buckets: one for all positions, or one for each four pieces.
pub const BUCKETS: [usize; 2] = [1, 8];

/// A network, ready to evaluate.
pub struct Network {
    /// One row per input, as wide as the hidden layer.
    feature_weights: Box<[Block]>,
    feature_biases: Box<[Block]>,
    /// One row per bucket: the weights for the neurons of the side to move, then for those of the opponent.
    output_weights: Box<[Block]>,
    output_biases: Box<[i32]>,
    /// Fixed-point unit of the output.
    output_unit: i32,
    /// Centipawns for an output of 1.
    centipawns: i32,
    kernel: Kernel,
    /// Fingerprint of the file, which identifies the network.
    pub fingerprint: u64,
}

/// The default network; docs/NETWORKS.md describes its origin.
static EMBEDDED: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let network = Network::from_bytes(include_bytes!("../../networks/net16"));
    Arc::new(network.expect("the embedded network is valid"))
});

impl Network {
    /// Returns the embedded network.
    pub fn embedded() -> Arc<Network> {
        Arc::clone(&EMBEDDED)
    }

    /// Decodes the contents of a network file.
    ///
    /// # Errors
    /// If the bytes are not a network that this version supports.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let parameters = Parameters::from_bytes(bytes)?;
        Ok(Network {
            feature_weights: blocks(&parameters.feature_weights),
            feature_biases: blocks(&parameters.feature_biases),
            output_weights: blocks(&parameters.output_weights),
            output_biases: parameters.output_biases.into(),
            output_unit: ACTIVATED_UNIT * parameters.output_unit,
            centipawns: parameters.centipawns,
            kernel: Kernel::best(),
            fingerprint: fingerprint(bytes),
        })
    }

    /// Returns the number of hidden neurons.
    pub fn hidden(&self) -> usize {
        self.feature_biases.len() * LANES
    }

    /// Evaluates a position from scratch, for the side to move.
    pub fn evaluate(&self, position: &Position) -> Score {
        self.evaluate_pieces(position, position.occupied())
    }

    /// Evaluates a position for the side to move as if only these of its pieces were on the board.
    pub fn evaluate_pieces(&self, position: &Position, pieces: Bitboard) -> Score {
        let pieces = pieces & position.occupied();
        let seen_by = |perspective| -> Vec<usize> {
            let view = View::of(perspective, position.king(perspective));
            let input = |square| {
                let Piece { color, role } = position.piece_at(square)?;
                Some(view.input(color, role, square))
            };
            pieces.into_iter().filter_map(input).collect()
        };
        self.evaluate_inputs(&seen_by(position.turn()), &seen_by(!position.turn()))
    }

    /// Evaluates a position given as the inputs of the side to move and of the opponent, one per piece, all below
    /// [`INPUTS`].
    ///
    /// # Panics
    /// If an input is not below [`INPUTS`].
    pub fn evaluate_inputs(&self, ours: &[usize], theirs: &[usize]) -> Score {
        let sums = |inputs: &[usize]| {
            let mut sums = self.feature_biases.clone();
            for &input in inputs {
                Kernel::PORTABLE.update(None, &mut sums, [self.row(input)], []);
            }
            sums
        };
        self.output(ours.len(), &sums(ours), &sums(theirs))
    }

    /// Returns the weights of an input.
    #[inline]
    fn row(&self, input: usize) -> &[Block] {
        let width = self.feature_biases.len();
        &self.feature_weights[input * width..][..width]
    }

    /// Computes the score for the side to move from both sides' neurons and the number of pieces on the board.
    #[inline]
    fn output(&self, pieces: usize, ours: &[Block], theirs: &[Block]) -> Score {
        let bucket = bucket(pieces, self.output_biases.len());
        let width = 2 * ours.len();
        let (our_weights, their_weights) =
            self.output_weights[bucket * width..][..width].split_at(ours.len());
        let sums = self.kernel.dots([(ours, our_weights), (theirs, their_weights)]);
        let output = i64::from(sums[0]) + i64::from(sums[1]) + i64::from(self.output_biases[bucket]);
        let centipawns = output * i64::from(self.centipawns) / i64::from(self.output_unit);
        Score::centipawns(centipawns as i32)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "network {:016x}, {} neurons", self.fingerprint, self.hidden())
    }
}

/// Returns the bucket, below `buckets`, for a position with this number of pieces.
#[inline]
pub fn bucket(pieces: usize, buckets: usize) -> usize {
    (pieces.clamp(2, 32) - 2) * buckets / 32
}

fn blocks(weights: &[i16]) -> Box<[Block]> {
    weights.as_chunks().0.iter().map(|&lanes| Block(lanes)).collect()
}

#[cfg(test)]
mod tests;
