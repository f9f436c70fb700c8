//! Training samples of 32 bytes.

use search::network::{View, bucket};
use shakmaty::{Color, Piece, Square};

use super::dataset::Kept;

/// A position from the view of the side to move, with the score of the search and the result of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    occupied: u64,
    /// Four bits for each occupied square: the kind of piece, 0 to 5, plus 6 for the opponent's.
    pieces: [u8; 16],
    /// Score in centipawns.
    pub(super) score: i16,
    /// Result of the game in half points.
    half_points: u8,
    count: u8,
    /// The squares of the kings of the side to move and of its opponent, each as its own side sees them.
    kings: [Square; 2],
}

/// Length of a sample in a file.
const SAMPLE_BYTES: usize = 28;

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
        let kings = [us, !us].map(|side| {
            let king = position.king(side);
            side.fold_wb(king, king.flip_vertical())
        });
        let (occupied, count) = (occupied.0, occupied.count() as u8);
        let half_points = (2.0 * kept.points()) as u8;
        Sample { occupied, pieces, score: *score as i16, half_points, count, kings }
    }

    /// Returns the result of the game for the side to move: 0, 0.5 or 1.
    pub(super) fn points(&self) -> f32 {
        f32::from(self.half_points) / 2.0
    }

    /// Returns the active inputs and the bucket, for this number of buckets.
    pub(super) fn inputs(&self, buckets: usize) -> Inputs {
        let [ours, theirs] = self.kings.map(|king| View::of(Color::White, king));
        let input =
            |view: View, code: u16, square: u8| view.first + code * 64 + u16::from(square ^ view.flip);
        let mut pairs = [[0; 2]; 32];
        let mut rest = self.occupied;
        for (at, pair) in pairs.iter_mut().enumerate().take(self.count.into()) {
            let square = rest.trailing_zeros() as u8;
            rest &= rest.wrapping_sub(1);
            let code = u16::from(self.pieces[at / 2] >> (4 * (at % 2)) & 0xF);
            *pair = [input(ours, code, square), input(theirs, (code + 6) % 12, square ^ 0x38)];
        }
        Inputs { pairs, count: self.count, bucket: bucket(self.count.into(), buckets) as u8 }
    }

    /// Returns the contents as bytes: occupied squares (8), pieces (16), score (2), half points, number of pieces.
    pub(crate) fn bytes(&self) -> [u8; SAMPLE_BYTES] {
        let mut bytes = [0; SAMPLE_BYTES];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26..].copy_from_slice(&[self.half_points, self.count]);
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

const _: () = assert!(size_of::<Sample>() == 32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::record::GameResult;
    use search::Position;

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
                        .map(|side| View::of(side, position.king(side)).input(color, role, square) as u16)
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
        let half_points = |position: &Position, result| sample(position, result).half_points;
        assert_eq!(half_points(&start, GameResult::Win(Color::White)), 2);
        assert_eq!(half_points(&start.make_null(), GameResult::Win(Color::White)), 0);
        assert_eq!(half_points(&start, GameResult::Draw), 1);
    }
}
