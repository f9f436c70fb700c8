//! The file format of networks.
//!
//! ```text
//! header   8 bytes HRLDNETW, then numbers of 4 bytes: version, inputs (3840 or 768), neurons, buckets, unit of neurons (512),
//!          unit of the output weights, centipawns for an output of 1; then the fingerprint of the weights (8 bytes)
//! weights  input weights, one row of neurons per input (2 bytes each); biases of the neurons (2 each); output weights,
//!          per bucket for the side to move, then the opponent (2 each); biases of the buckets (4 each)
//! ```
//!
//! Numbers are little-endian. Where there are 768 inputs, they are the same for each place of a king.

use std::ops::RangeInclusive;

use super::{
    BUCKETS, CENTIPAWNS_RANGE, HIDDEN_UNIT, INPUTS, LANES, OUTPUT_UNIT_RANGE, OUTPUT_WEIGHT_LIMIT,
    OUTPUT_WEIGHT_SUM, PIECE_INPUTS, fingerprint,
};

const MAGIC: &[u8; 8] = b"HRLDNETW";
const VERSION: u32 = 2;
const HEADER: usize = 8 + 7 * 4 + 8;
/// Maximum number of hidden neurons.
pub const MAX_HIDDEN: usize = 2048;

/// Reason why a file can't be used as a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file does not begin with the signature of networks.
    #[error("not a Herald network")]
    NoNetwork,
    /// The version of the format is not supported.
    #[error("format version {0} is not supported, expected {VERSION}")]
    Version(u32),
    /// A size or unit in the header is not supported.
    #[error("{what} is {found}, expected {expected}")]
    Architecture {
        /// Name of the number.
        what: &'static str,
        /// Its value in the file.
        found: u32,
        /// The supported values.
        expected: String,
    },
    /// The length of the file does not match its header.
    #[error("length is {found} bytes, expected {expected}")]
    Length {
        /// Length of the file in bytes.
        found: usize,
        /// Length in bytes according to the header.
        expected: usize,
    },
    /// The weights do not match the fingerprint.
    #[error("the file is damaged (wrong fingerprint)")]
    Damaged,
    /// The output weights of this bucket are so large that sums may overflow.
    #[error("the output weights of bucket {0} are too large")]
    Weights(usize),
}

/// The weights of a network, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Weights of the hidden layer: for each input, one per neuron.
    pub feature_weights: Vec<i16>,
    /// Biases of the hidden layer, one per neuron.
    pub feature_biases: Vec<i16>,
    /// Weights of the output: for each bucket, one per neuron of the side to move, then one per neuron of the opponent.
    pub output_weights: Vec<i16>,
    /// Biases of the output, one per bucket.
    pub output_biases: Vec<i32>,
    /// Fixed-point unit of the output weights, within [`OUTPUT_UNIT_RANGE`].
    pub output_unit: i32,
    /// Centipawns for an output of 1, within [`CENTIPAWNS_RANGE`].
    pub centipawns: i32,
}

impl Parameters {
    /// Encodes the weights as the contents of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut weights = Vec::new();
        for part in [&self.feature_weights, &self.feature_biases, &self.output_weights] {
            weights.extend(part.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        weights.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        let (hidden, buckets) = (self.feature_biases.len() as u32, self.output_biases.len() as u32);
        let units = [HIDDEN_UNIT, self.output_unit, self.centipawns].map(|unit| unit as u32);
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, INPUTS as u32, hidden, buckets].into_iter().chain(units) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(fingerprint(&weights).to_le_bytes());
        bytes.extend(weights);
        bytes
    }

    /// Decodes the contents of a file.
    ///
    /// # Errors
    /// If the bytes are not a network that this version supports.
    pub fn from_bytes(bytes: &[u8]) -> Result<Parameters, NetworkError> {
        let (header, weights) = bytes.split_at_checked(HEADER).ok_or(NetworkError::NoNetwork)?;
        let [inputs, hidden, buckets, output_unit, centipawns] = read_header(header)?;
        let (inputs, hidden, buckets) = (inputs as usize, hidden as usize, buckets as usize);
        let expected = 2 * (inputs * hidden + hidden + 2 * hidden * buckets) + 4 * buckets;
        if weights.len() != expected {
            return Err(NetworkError::Length { found: bytes.len(), expected: HEADER + expected });
        }
        if header[HEADER - 8..] != fingerprint(weights).to_le_bytes() {
            return Err(NetworkError::Damaged);
        }
        let (narrow, wide) = weights.split_at(expected - 4 * buckets);
        let mut narrow = narrow.as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes));
        let mut take = |count| narrow.by_ref().take(count).collect::<Vec<i16>>();
        let parameters = Parameters {
            feature_weights: take(inputs * hidden).repeat(INPUTS / inputs),
            feature_biases: take(hidden),
            output_weights: take(2 * hidden * buckets),
            output_biases: wide.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect(),
            output_unit: output_unit as i32,
            centipawns: centipawns as i32,
        };
        parameters.check_output()?;
        Ok(parameters)
    }

    /// Checks that the output fits 32 bits for all values of the neurons.
    fn check_output(&self) -> Result<(), NetworkError> {
        let hidden = self.feature_biases.len();
        for (bucket, (weights, &bias)) in
            self.output_weights.chunks(2 * hidden).zip(&self.output_biases).enumerate()
        {
            let is_small = |side: &[i16]| {
                let sum: i64 = side.iter().map(|weight| i64::from(weight.unsigned_abs())).sum();
                let limit = OUTPUT_WEIGHT_LIMIT.unsigned_abs();
                side.iter().all(|weight| weight.unsigned_abs() <= limit) && sum <= OUTPUT_WEIGHT_SUM
            };
            let fits = weights.chunks(hidden).all(is_small) && bias.unsigned_abs() <= 1 << 30;
            if !fits {
                return Err(NetworkError::Weights(bucket));
            }
        }
        Ok(())
    }
}

/// Reads the numbers of inputs, neurons and buckets, the unit of the output weights and the centipawns from a header.
fn read_header(header: &[u8]) -> Result<[u32; 5], NetworkError> {
    let numbers = header[MAGIC.len()..].as_chunks().0;
    let number = |at: usize| u32::from_le_bytes(numbers[at]);
    if !header.starts_with(MAGIC) {
        return Err(NetworkError::NoNetwork);
    }
    if number(0) != VERSION {
        return Err(NetworkError::Version(number(0)));
    }
    let hidden = number(2) as usize;
    let lies_in =
        |at, range: RangeInclusive<i32>| i32::try_from(number(at)).is_ok_and(|n| range.contains(&n));
    let is_wide = hidden > 0 && hidden <= MAX_HIDDEN && hidden.is_multiple_of(LANES);
    let has_inputs = [INPUTS, PIECE_INPUTS].contains(&(number(1) as usize));
    let rules = [
        (1, "number of inputs", has_inputs, format!("{INPUTS} or {PIECE_INPUTS}")),
        (2, "number of neurons", is_wide, format!("a multiple of {LANES} up to {MAX_HIDDEN}")),
        (3, "number of buckets", BUCKETS.contains(&(number(3) as usize)), "1 or 8".into()),
        (4, "unit of the neurons", number(4) == HIDDEN_UNIT as u32, HIDDEN_UNIT.to_string()),
        (5, "unit of the output", lies_in(5, OUTPUT_UNIT_RANGE), "16 to 4096".into()),
        (6, "scale", lies_in(6, CENTIPAWNS_RANGE), "50 to 1000".into()),
    ];
    for (at, what, holds, expected) in rules {
        if !holds {
            return Err(NetworkError::Architecture { what, found: number(at), expected });
        }
    }
    Ok([1, 2, 3, 5, 6].map(number))
}
