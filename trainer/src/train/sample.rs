//! Training samples of 32 bytes.

use search::network::{INPUTS, bucket, is_mirrored};
use shakmaty::{Piece, Square};

use super::dataset::Kept;

/// A position from the view of the side to move, with the score of the search and the result of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    occupied: u64,
    /// Four bits for each occupied square: the kind of piece, 0 to 5, plus 6 for the opponent's.
    pieces: [u8; 16],
    /// Score in centipawns.
    pub(crate) score: i16,
    /// Result of the game in half points.
    half_points: u8,
    count: u8,
    /// Whether the views of the side to move and of its opponent are mirrored.
    mirrored: [bool; 2],
}

/// Active inputs of the network for the side to move and for its opponent.
#[derive(Clone)]
pub(super) struct Inputs {
    pairs: [[u16; 2]; 32],
    count: u8,
    pub(super) bucket: u8,
}

impl Sample {
    pub(crate) fn new(kept: &Kept) -> Sample {
        let Kept { position, score, .. } = kept;
        let us = position.turn();
        let seen = |square: Square| us.fold_wb(square, square.flip_vertical());
        let mut pieces = [0; 16];
        let occupied = us.fold_wb(position.occupied(), position.occupied().flip_vertical());
        for (at, square) in occupied.into_iter().enumerate().take(32) {
            let Some(Piece { color, role }) = position.piece_at(seen(square)) else { continue };
            let code = role as u8 - 1 + if color == us { 0 } else { 6 };
            pieces[at / 2] |= code << (4 * (at % 2));
        }
        let mirrored = [us, !us].map(|color| is_mirrored(position.king(color)));
        let (occupied, count) = (occupied.0, occupied.count() as u8);
        let half_points = (2.0 * kept.points()) as u8;
        Sample { occupied, pieces, score: *score as i16, half_points, count, mirrored }
    }

    /// Returns the result of the game for the side to move: 0, 0.5 or 1.
    pub(crate) fn points(&self) -> f32 {
        f32::from(self.half_points) / 2.0
    }

    /// Returns the active inputs and the bucket, for this number of buckets.
    pub(super) fn inputs(&self, buckets: usize) -> Inputs {
        let [ours, theirs] = self.mirrored.map(|mirrored| if mirrored { 7 } else { 0 });
        let mut pairs = [[0; 2]; 32];
        let mut rest = self.occupied;
        for (at, pair) in pairs.iter_mut().enumerate().take(self.count.into()) {
            let square = rest.trailing_zeros() as u16;
            rest &= rest.wrapping_sub(1);
            let code = u16::from(self.pieces[at / 2] >> (4 * (at % 2)) & 0xF);
            *pair = [code * 64 + (square ^ ours), (code + 6) % 12 * 64 + (square ^ 0x38 ^ theirs)];
        }
        Inputs { pairs, count: self.count, bucket: bucket(self.count.into(), buckets) as u8 }
    }

    /// Returns the contents as bytes, for a fingerprint.
    pub(super) fn bytes(&self) -> [u8; 30] {
        let mut bytes = [0; 30];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26..].copy_from_slice(&[
            self.half_points,
            self.count,
            self.mirrored[0].into(),
            self.mirrored[1].into(),
        ]);
        bytes
    }
}

impl Inputs {
    /// Returns one pair of inputs per piece: from the view of the side to move and from that of its opponent.
    #[inline]
    pub(super) fn pairs(&self) -> &[[u16; 2]] {
        &self.pairs[..self.count.min(32).into()]
    }
}

const _: () = assert!(size_of::<Sample>() == 32 && INPUTS == 12 * 64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::record::GameResult;
    use search::Position;
    use search::network::input;
    use shakmaty::Color;

    fn sample(position: &Position, result: GameResult) -> Sample {
        Sample::new(&Kept { position: position.clone(), score: 5, result, is_held_out: false })
    }

    #[test]
    fn a_sample_has_the_inputs_of_its_position() {
        let mut random = Random::new(1, 2);
        let mut position = Position::default();
        for _ in 0..300 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                position = Position::default();
                continue;
            }
            position = position.make(moves[random.below(moves.len())]);
            let us = position.turn();
            let inputs = sample(&position, GameResult::Draw).inputs(8);
            let mut found = inputs.pairs().to_vec();
            let mut expected: Vec<[u16; 2]> = position
                .occupied()
                .into_iter()
                .map(|square| {
                    let color = Color::from_white(position.by_color(Color::White).contains(square));
                    let role = position.role_at(square).unwrap();
                    [us, !us]
                        .map(|side| input(side, is_mirrored(position.king(side)), color, role, square) as u16)
                })
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
            assert_eq!(usize::from(inputs.bucket), bucket(expected.len(), 8));
        }
    }

    #[test]
    fn points_are_the_movers() {
        let start = Position::default();
        let points = |position: &Position, result| (sample(position, result).points() * 2.0) as i32;
        assert_eq!(points(&start, GameResult::Win(Color::White)), 2);
        assert_eq!(points(&start.make_null(), GameResult::Win(Color::White)), 0);
        assert_eq!(points(&start, GameResult::Draw), 1);
    }
}
