//! Training samples of 32 bytes.

use anyhow::{Result, anyhow, ensure};
use search::network::{View, bucket};
use search::{Bound, Position, TreeNode};
use shakmaty::{Bitboard, Color, Piece, Role, Square};

use super::dataset::Kept;

/// Where a sample is from, and what is known of its position besides the score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// A game with this result for the side to move: 0, 0.5 or 1.
    Game { points: f32 },
    /// A search tree, in which the true score was found to lie on this side of the score.
    Tree(Bound),
}

/// A position from the view of the side to move, with a score and more of what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    occupied: u64,
    /// Four bits for each occupied square: the kind of piece, 0 to 5, plus 6 for the opponent's.
    pieces: [u8; 16],
    /// Score in centipawns.
    pub(crate) score: i16,
    /// Result of the game in half points, 0 to 2, or 2 plus the [`Bound`] of a tree's node, 3 to 5.
    source: u8,
    count: u8,
    /// The squares of the kings of the side to move and of its opponent, each as its own side sees them.
    kings: [Square; 2],
}

/// Length of a sample in a file.
pub(crate) const SAMPLE_BYTES: usize = 28;
/// The kind of piece that a king is.
const KING: u8 = Role::King as u8 - 1;

/// Active inputs of the network for the side to move and for its opponent.
#[derive(Clone)]
pub(super) struct Inputs {
    pairs: [[u16; 2]; 32],
    count: u8,
    pub(super) bucket: u8,
}

impl Sample {
    /// Returns the sample of a position of a game.
    pub(crate) fn new(kept: &Kept) -> Sample {
        Sample::of(&kept.position, kept.score, (2.0 * kept.points()) as u8)
    }

    /// Returns the sample of a node of a search tree.
    pub(crate) fn of_node(node: &TreeNode) -> Sample {
        Sample::of(&node.position, node.score.value(), 2 + node.bound as u8)
    }

    /// Returns the position and score as those of a search tree's node.
    #[cfg(test)]
    pub(super) fn with_bound(self, bound: Bound) -> Sample {
        Sample { source: 2 + bound as u8, ..self }
    }

    fn of(position: &Position, score: i32, source: u8) -> Sample {
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
        Sample { occupied, pieces, score: score as i16, source, count, kings }
    }

    /// Returns where the sample is from.
    pub(crate) fn source(&self) -> Source {
        match self.source {
            3 => Source::Tree(Bound::Upper),
            4 => Source::Tree(Bound::Lower),
            5 => Source::Tree(Bound::Exact),
            half_points => Source::Game { points: f32::from(half_points) / 2.0 },
        }
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

    /// Returns the contents as bytes: occupied squares (8), pieces (16), score (2), source, number of pieces.
    pub(crate) fn bytes(&self) -> [u8; SAMPLE_BYTES] {
        let mut bytes = [0; SAMPLE_BYTES];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26..].copy_from_slice(&[self.source, self.count]);
        bytes
    }

    /// Reads what [`Sample::bytes`] returns for a node of a search tree.
    ///
    /// # Errors
    /// If the bytes are no sample.
    pub(crate) fn from_bytes(bytes: &[u8; SAMPLE_BYTES]) -> Result<Sample> {
        let occupied = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"));
        let pieces: [u8; 16] = bytes[8..24].try_into().expect("sixteen bytes");
        let score = i16::from_le_bytes([bytes[24], bytes[25]]);
        let [source, count] = [bytes[26], bytes[27]];
        let are_pieces = pieces.iter().all(|pair| pair & 0xF < 12 && pair >> 4 < 12);
        let is_whole = occupied.count_ones() == u32::from(count) && (2..=32).contains(&count);
        ensure!(
            are_pieces && is_whole && (3..=5).contains(&source),
            "not a sample of a tree; those of games come from game files"
        );
        let kings = [
            only_square_of(KING, occupied, &pieces)?,
            only_square_of(KING + 6, occupied, &pieces)?.flip_vertical(),
        ];
        Ok(Sample { occupied, pieces, score, source, count, kings })
    }
}

/// Returns the only square on which a piece of this kind stands.
fn only_square_of(kind: u8, occupied: u64, pieces: &[u8; 16]) -> Result<Square> {
    let is_wanted = |&(at, _): &(usize, Square)| pieces[at / 2] >> (4 * (at % 2)) & 0xF == kind;
    let mut found = Bitboard(occupied).into_iter().enumerate().filter(is_wanted);
    let only = found.next().filter(|_| found.next().is_none());
    only.map(|(_, square)| square).ok_or_else(|| anyhow!("not one king"))
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
    use search::{Position, Score};

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
        let source = |position: &Position, result| sample(position, result).source();
        assert_eq!(source(&start, GameResult::Win(Color::White)), Source::Game { points: 1.0 });
        assert_eq!(source(&start.make_null(), GameResult::Win(Color::White)), Source::Game { points: 0.0 });
        assert_eq!(source(&start, GameResult::Draw), Source::Game { points: 0.5 });
    }

    #[test]
    fn a_sample_is_read_as_it_was_written() {
        let position = Position::default();
        for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
            let node =
                TreeNode { position: position.clone(), score: Score::centipawns(-31), bound, depth: 4 };
            let sample = Sample::of_node(&node);
            assert_eq!(sample.source(), Source::Tree(bound));
            assert_eq!(Sample::from_bytes(&sample.bytes()).unwrap(), sample);
        }
        let node = TreeNode { position, score: Score::centipawns(-31), bound: Bound::Upper, depth: 4 };
        let good = Sample::of_node(&node).bytes();
        for (at, wrong) in [(0, 0xFE), (8, 0xC0), (10, 0x33), (8, 0x55), (26, 2), (26, 6), (27, 33)] {
            let mut bytes = good;
            bytes[at] = wrong;
            assert!(Sample::from_bytes(&bytes).is_err(), "byte {at}");
        }
    }
}
