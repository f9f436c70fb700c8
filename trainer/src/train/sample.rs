//! A position to learn from, in 32 bytes.

use search::Position;
use search::network::{INPUTS, bucket, is_mirrored};
use shakmaty::{Role, Square};

use crate::record::GameResult;

/// A position as the side to move sees it, what the search made of it, and how its game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    occupied: u64,
    /// Four bits for each occupied square: the kind, 0 to 5, and 6 more for the opponent's.
    pieces: [u8; 16],
    /// Centipawns.
    pub(crate) score: i16,
    /// Halves of the game's point.
    half_points: u8,
    count: u8,
    /// Whether the side to move, and its opponent, see the board with its files exchanged.
    mirrored: [bool; 2],
}

/// The inputs of the network that are on, for the side to move and for its opponent.
#[derive(Clone)]
pub(super) struct Inputs {
    pairs: [[u16; 2]; 32],
    count: u8,
    pub(super) bucket: u8,
}

impl Sample {
    /// The position, with a score for the side to move.
    pub(crate) fn new(position: &Position, score: i32, result: GameResult) -> Sample {
        let us = position.turn();
        let half_points = match result {
            GameResult::Draw => 1,
            GameResult::Win(winner) if winner == us => 2,
            GameResult::Win(_) => 0,
        };
        let seen = |square: Square| us.fold_wb(square, square.flip_vertical());
        let mut pieces = [0; 16];
        let mut occupied = 0;
        for square in position.occupied() {
            occupied |= 1u64 << seen(square) as u32;
        }
        let mut squares: Vec<Square> = position.occupied().into_iter().collect();
        squares.sort_unstable_by_key(|&square| seen(square));
        for (at, square) in squares.into_iter().enumerate().take(32) {
            let role = position.role_at(square).unwrap_or(Role::Pawn);
            let is_ours = position.by_color(us).contains(square);
            let code = role as u8 - 1 + if is_ours { 0 } else { 6 };
            pieces[at / 2] |= code << (4 * (at % 2));
        }
        let mirrored = [us, !us].map(|color| is_mirrored(position.king(color)));
        let count = position.occupied().count() as u8;
        Sample { occupied, pieces, score: score as i16, half_points, count, mirrored }
    }

    /// The mover's share of the game's point.
    pub(crate) fn points(&self) -> f32 {
        f32::from(self.half_points) / 2.0
    }

    /// What the network sees, with so many buckets.
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

    /// The inputs that are on, as the side to move sees them and as its opponent does.
    pub(super) fn inputs_by_side(&self) -> impl Iterator<Item = (usize, usize)> {
        let inputs = self.inputs(1);
        let pairs = inputs.pairs().to_vec();
        pairs.into_iter().map(|[ours, theirs]| (ours.into(), theirs.into()))
    }

    /// The bytes, for a fingerprint.
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
    /// Pairs of the same piece, as the side to move sees it and as its opponent does.
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
    use search::network::input;
    use shakmaty::Color;

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
            let inputs = Sample::new(&position, 5, GameResult::Draw).inputs(8);
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
        let points = |position: &Position, result| (Sample::new(position, 0, result).points() * 2.0) as i32;
        assert_eq!(points(&start, GameResult::Win(Color::White)), 2);
        assert_eq!(points(&start.make_null(), GameResult::Win(Color::White)), 0);
        assert_eq!(points(&start, GameResult::Draw), 1);
    }
}
