//! The evaluation by a neural network that is updated move by move (Y. Nasu's NNUE, 2018, in its simplest form).
//!
//! ```text
//! 768 inputs  -> H neurons, once as the side to move sees the board, once as the opponent does
//! 2 x H       -> 1 output for each bucket of material, the squares of the neurons' clipped values being weighted
//! ```
//!
//! Which inputs are on differs little from one position to the next, so that the neurons' sums ([`Accumulators`]) are not
//! computed anew but changed. All numbers are integers: the same on every machine and in every [`kernels::Kernel`].

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
pub use features::{INPUTS, input, is_mirrored};
pub use fingerprint::fingerprint;
pub use format::{MAX_HIDDEN, NetworkError, Parameters};
use kernels::{Block, Kernel, LANES};

/// What stands for 1 in the first layer's weights: neurons are clipped to 0 ..= 512.
///
/// Others have 255 here: rounding the first layer costs most, and 16 bits hold the sums of 32 weights.
pub const HIDDEN_UNIT: i32 = 512;
/// What stands for 1 in the squares of the clipped neurons.
pub const ACTIVATED_UNIT: i32 = 1024;
/// What may stand for 1 in the output's weights: the more, the finer they are.
pub const OUTPUT_UNIT_RANGE: RangeInclusive<i32> = 16..=4096;
/// What an output of 1 may mean in centipawns: those of the scores that the network has learnt from, so that the margins of
/// the search fit it as they fitted them.
pub const CENTIPAWNS_RANGE: RangeInclusive<i32> = 50..=1000;
/// Output weights lie within this, so that those of a wide layer add up to no more than they may.
pub const OUTPUT_WEIGHT_LIMIT: i16 = 8191;
/// The weights of one side's neurons add up to at most this, so that their sum of products fits 32 bits.
pub const OUTPUT_WEIGHT_SUM: i64 = i32::MAX as i64 / ACTIVATED_UNIT as i64;

/// Sets of output weights that the material can choose from: one for all, or one for each four pieces.
pub const BUCKETS: [usize; 2] = [1, 8];

/// A network, ready to evaluate.
pub struct Network {
    /// One row for each input, as wide as the hidden layer.
    feature_weights: Box<[Block]>,
    feature_biases: Box<[Block]>,
    /// One row for each bucket: the weights of our neurons, then those of the opponent's.
    output_weights: Box<[Block]>,
    output_biases: Box<[i32]>,
    /// What stands for 1 in the output.
    output_unit: i32,
    /// What that means.
    centipawns: i32,
    kernel: Kernel,
    /// What tells networks apart.
    pub fingerprint: u64,
}

/// The network that plays unless another one is wished for; docs/NETWORKS.md tells where it comes from.
static EMBEDDED: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let network = Network::from_bytes(include_bytes!("../../networks/net6"));
    Arc::new(network.expect("a network: it is part of this program"))
});

impl Network {
    /// The network that is part of the program.
    pub fn embedded() -> Arc<Network> {
        Arc::clone(&EMBEDDED)
    }

    /// The network in a file's bytes.
    ///
    /// # Errors
    /// The bytes are no network, or not one that this program can use.
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

    /// Neurons of the hidden layer.
    pub fn hidden(&self) -> usize {
        self.feature_biases.len() * LANES
    }

    /// The value of a position for the side to move, computed from scratch.
    pub fn evaluate(&self, position: &Position) -> Score {
        self.evaluate_pieces(position, position.occupied())
    }

    /// The value that a position would have for the side to move with these of its pieces alone.
    pub fn evaluate_pieces(&self, position: &Position, pieces: Bitboard) -> Score {
        let pieces = pieces & position.occupied();
        let seen_by = |perspective| -> Vec<usize> {
            let mirrored = is_mirrored(position.king(perspective));
            let input = |square| {
                let Piece { color, role } = position.piece_at(square)?;
                Some(input(perspective, mirrored, color, role, square))
            };
            pieces.into_iter().filter_map(input).collect()
        };
        self.evaluate_inputs(&seen_by(position.turn()), &seen_by(!position.turn()))
    }

    /// The value for the side to move of a position whose inputs, all below [`INPUTS`], are those that it and its opponent
    /// see: one for each piece.
    ///
    /// # Panics
    /// There is no such input.
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

    /// The weights of an input.
    #[inline]
    fn row(&self, input: usize) -> &[Block] {
        let width = self.feature_biases.len();
        &self.feature_weights[input * width..][..width]
    }

    /// The value for the side to move, of the neurons of both sides and with so many pieces on the board.
    #[inline]
    fn output(&self, pieces: usize, ours: &[Block], theirs: &[Block]) -> Score {
        let bucket = bucket(pieces, self.output_biases.len());
        let width = 2 * ours.len();
        let (our_weights, their_weights) =
            self.output_weights[bucket * width..][..width].split_at(ours.len());
        let sums = [self.kernel.dot(ours, our_weights), self.kernel.dot(theirs, their_weights)];
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

/// Which of so many output layers judges a position with so many pieces.
#[inline]
pub fn bucket(pieces: usize, buckets: usize) -> usize {
    (pieces.clamp(2, 32) - 2) * buckets / 32
}

fn blocks(weights: &[i16]) -> Box<[Block]> {
    weights.as_chunks().0.iter().map(|&lanes| Block(lanes)).collect()
}

#[cfg(test)]
mod tests;
