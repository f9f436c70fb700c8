//! Tests of networks and their file format, with random weights.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use super::*;

/// Random numbers (`SplitMix64`).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z ^ z >> 29
    }

    /// Returns a number below a bound.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 33) % bound as u64) as usize
    }

    /// Returns a number of at most this magnitude.
    pub(super) fn within(&mut self, limit: i16) -> i16 {
        (self.below(2 * limit as usize + 1) as i32 - i32::from(limit)) as i16
    }
}

fn parameters(dice: &mut Dice, hidden: usize, buckets: usize) -> Parameters {
    let mut weights = |count, limit| (0..count).map(|_| dice.within(limit)).collect::<Vec<_>>();
    Parameters {
        feature_weights: weights(INPUTS * hidden, 60),
        feature_biases: weights(hidden, 60),
        output_weights: weights(2 * hidden * buckets, OUTPUT_WEIGHT_LIMIT),
        output_biases: weights(buckets, 3000).into_iter().map(|bias| 100 * i32::from(bias)).collect(),
        output_unit: 4096,
        centipawns: 400,
    }
}

/// Returns a network with random weights.
pub(super) fn network(dice: &mut Dice, hidden: usize, buckets: usize) -> Network {
    Network::from_bytes(&parameters(dice, hidden, buckets).to_bytes()).unwrap()
}

pub(super) fn position(fen: &str) -> Position {
    let chess: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap();
    Position::from(&chess)
}

#[test]
fn a_network_comes_back_as_it_was_written() {
    for (hidden, buckets) in [(32, 1), (64, 8)] {
        let parameters = parameters(&mut Dice(1), hidden, buckets);
        let bytes = parameters.to_bytes();
        assert_eq!(Parameters::from_bytes(&bytes).unwrap(), parameters);
        assert_eq!(Network::from_bytes(&bytes).unwrap().hidden(), hidden);
    }
}

#[test]
fn a_network_without_king_buckets_has_the_same_weights_in_each() {
    let several = parameters(&mut Dice(1), 32, 1);
    let one = several.feature_weights[..PIECE_INPUTS * 32].to_vec();
    let mut bytes = several.to_bytes();
    bytes[12..16].copy_from_slice(&(PIECE_INPUTS as u32).to_le_bytes());
    bytes.drain(44 + 2 * one.len()..44 + 2 * several.feature_weights.len());
    let sum = fingerprint(&bytes[44..]);
    bytes[36..44].copy_from_slice(&sum.to_le_bytes());
    let read = Parameters::from_bytes(&bytes).unwrap();
    assert_eq!(read, Parameters { feature_weights: one.repeat(INPUTS / PIECE_INPUTS), ..several });
}

#[test]
fn what_is_no_network_is_refused() {
    let good = parameters(&mut Dice(1), 32, 1).to_bytes();
    let with = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        Network::from_bytes(&bytes).unwrap_err().to_string()
    };
    assert_eq!(with(0, 0), "not a Herald network");
    assert_eq!(with(8, 9), "format version 9 is not supported, expected 2");
    assert_eq!(with(12, 769), "number of inputs is 769, expected 3840 or 768");
    assert_eq!(with(16, 33), "number of neurons is 33, expected a multiple of 32 up to 2048");
    assert_eq!(
        with(16, u32::MAX),
        format!("number of neurons is {}, expected a multiple of 32 up to 2048", u32::MAX)
    );
    assert_eq!(with(16, 64), format!("length is {} bytes, expected 491952", good.len()));
    assert_eq!(with(20, 2), "number of buckets is 2, expected 1 or 8");
    assert_eq!(with(24, 181), "unit of the neurons is 181, expected 512");
    assert_eq!(with(28, 15), "unit of the output is 15, expected 16 to 4096");
    assert_eq!(with(32, 0), "scale is 0, expected 50 to 1000");
    assert_eq!(with(good.len() - 400, 1), "the file is damaged (wrong fingerprint)");
    for length in [0, 7, 43, 44, good.len() - 1] {
        assert!(Network::from_bytes(&good[..length]).is_err(), "{length}");
    }
    let mut large = parameters(&mut Dice(1), 32, 1);
    large.output_weights[3] = OUTPUT_WEIGHT_LIMIT + 1;
    assert_eq!(Parameters::from_bytes(&large.to_bytes()), Err(NetworkError::Weights(0)));
    let mut many = parameters(&mut Dice(1), 512, 1);
    many.output_weights.fill(OUTPUT_WEIGHT_LIMIT);
    assert_eq!(Parameters::from_bytes(&many.to_bytes()), Err(NetworkError::Weights(0)));
    let mut dice = Dice(3);
    for length in [10, 100, 60_000] {
        let bytes: Vec<u8> = (0..length).map(|_| dice.below(256) as u8).collect();
        assert_eq!(Network::from_bytes(&bytes).unwrap_err(), NetworkError::NoNetwork);
    }
}

#[test]
fn a_position_and_its_mirror_images_are_worth_the_same() {
    let network = network(&mut Dice(2), 32, 8);
    let value = |fen| network.evaluate(&position(fen));
    let here = value("r4rk1/1pp1qppp/p1np1n2/4p3/2B1P3/2PP1N2/PP3PPP/R2Q1RK1 w - - 0 1");
    assert_eq!(here, value("r2q1rk1/pp3ppp/2pp1n2/2b1p3/4P3/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 1"));
    assert_eq!(here, value("1kr4r/pppq1pp1/2n1pn1p/3p4/3P1B2/2N1PP2/PPP3PP/1KR1Q2R w - - 0 1"));
    assert_ne!(here, value("1kr4r/pppq1pp1/2n1pn1p/3p4/3P1B2/2N1PP2/PPP3PP/1KR1Q2R b - - 0 1"));
}

#[test]
fn buckets_go_by_the_number_of_pieces() {
    assert_eq!([2, 5, 6, 31, 32, 40].map(|pieces| bucket(pieces, 8)), [0, 0, 1, 7, 7, 7]);
    assert_eq!(bucket(32, 1), 0);
}
