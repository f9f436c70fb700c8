//! A network as a file.
//!
//! ```text
//! header   8 bytes HRLDNETW, then numbers of 4 bytes: version, inputs (768), neurons, buckets, 512, what
//!          stands for 1 in the output's weights, centipawns that an output of 1 means; fingerprint of all that follows (8)
//! weights  of the inputs, one row of neurons after the other (2 bytes each), biases of the neurons (2), weights of the
//!          output, one bucket after the other: for our neurons, then for the opponent's (2), biases of the buckets (4)
//! ```
//!
//! Numbers are little-endian.

use std::ops::RangeInclusive;

use super::{
    BUCKETS, CENTIPAWNS_RANGE, HIDDEN_UNIT, INPUTS, LANES, OUTPUT_UNIT_RANGE, OUTPUT_WEIGHT_LIMIT,
    OUTPUT_WEIGHT_SUM, fingerprint,
};

const MAGIC: &[u8; 8] = b"HRLDNETW";
const VERSION: u32 = 2;
const HEADER: usize = 8 + 7 * 4 + 8;
/// The widest hidden layer.
pub const MAX_HIDDEN: usize = 2048;

/// Why bytes are no network that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// They do not begin like one.
    #[error("it is no network of Herald's")]
    NoNetwork,
    /// It was written by another version of the format.
    #[error("its version is {0}, not {VERSION}")]
    Version(u32),
    /// It is built differently.
    #[error("its {what} is {found}, not {expected}")]
    Architecture {
        /// What differs.
        what: &'static str,
        /// What the file says.
        found: u32,
        /// What it should be.
        expected: String,
    },
    /// It is too short or too long for what it says that it is.
    #[error("it has {found} bytes instead of {expected}")]
    Length {
        /// Bytes of the file.
        found: usize,
        /// Bytes that it should have.
        expected: usize,
    },
    /// Its weights are not those that were written.
    #[error("it is damaged")]
    Damaged,
    /// Sums of its output weights might not fit the numbers that hold them.
    #[error("the output weights of bucket {0} are too large")]
    Weights(usize),
}

/// The weights of a network, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// For each input, a weight for each neuron.
    pub feature_weights: Vec<i16>,
    /// For each neuron.
    pub feature_biases: Vec<i16>,
    /// For each bucket, a weight for each of our neurons, then for each of the opponent's.
    pub output_weights: Vec<i16>,
    /// For each bucket.
    pub output_biases: Vec<i32>,
    /// What stands for 1 in the output's weights, within [`OUTPUT_UNIT_RANGE`].
    pub output_unit: i32,
    /// That an output of 1 means, within [`CENTIPAWNS_RANGE`].
    pub centipawns: i32,
}

impl Parameters {
    /// The bytes of the file.
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

    /// The weights in these bytes.
    ///
    /// # Errors
    /// The bytes are no network, or not one that this program can use.
    pub fn from_bytes(bytes: &[u8]) -> Result<Parameters, NetworkError> {
        let (header, weights) = bytes.split_at_checked(HEADER).ok_or(NetworkError::NoNetwork)?;
        let [hidden, buckets, output_unit, centipawns] = read_header(header)?;
        let (hidden, buckets) = (hidden as usize, buckets as usize);
        let expected = 2 * (INPUTS * hidden + hidden + 2 * hidden * buckets) + 4 * buckets;
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
            feature_weights: take(INPUTS * hidden),
            feature_biases: take(hidden),
            output_weights: take(2 * hidden * buckets),
            output_biases: wide.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect(),
            output_unit: output_unit as i32,
            centipawns: centipawns as i32,
        };
        parameters.check_output()?;
        Ok(parameters)
    }

    /// Whether whatever the neurons are, the output fits 32 bits.
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

/// What a header says of neurons, buckets, the unit of the output and centipawns.
fn read_header(header: &[u8]) -> Result<[u32; 4], NetworkError> {
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
    let rules = [
        (1, "number of inputs", number(1) == INPUTS as u32, INPUTS.to_string()),
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
    Ok([2, 3, 5, 6].map(number))
}
