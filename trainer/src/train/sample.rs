//! Training samples of 32 bytes.

use anyhow::{Result, anyhow, ensure};
use search::network::{View, bucket, in_danger};
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
/// Maximum number of active inputs of a side: each piece, and each in danger.
const MOST_INPUTS: usize = 64;
/// The kind of piece that a king is.
const KING: u8 = Role::King as u8 - 1;

/// Active inputs of the network for the side to move and for its opponent: one for each piece, then one for each piece in danger.
#[derive(Clone)]
pub(super) struct Inputs {
    pairs: [[u16; 2]; MOST_INPUTS],
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
        let mut inputs = Inputs {
            pairs: [[0; 2]; MOST_INPUTS],
            count: 0,
            bucket: bucket(self.count.into(), buckets) as u8,
        };
        let mut codes = [0; 64];
        let mut sets = [[Bitboard::EMPTY; 6]; 2];
        for (at, square) in Bitboard(self.occupied).into_iter().enumerate().take(32) {
            let code = self.pieces[at / 2] >> (4 * (at % 2)) & 0xF;
            let (color, role) = piece(code);
            codes[square as usize] = code;
            sets[color as usize][role as usize - 1].add(square);
            let of_theirs = theirs.input(!color, role, square.flip_vertical());
            inputs.push([ours.input(color, role, square), of_theirs]);
        }
        let dangers = in_danger(|color, role| sets[color as usize][role as usize - 1]);
        for (danger, set) in dangers.into_iter().enumerate() {
            for square in set {
                let (color, role) = piece(codes[square as usize]);
                let of_theirs = theirs.danger_input(danger, !color, role, square.flip_vertical());
                inputs.push([ours.danger_input(danger, color, role, square), of_theirs]);
            }
        }
        inputs
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
        ensure!(are_pieces && is_whole && (3..=5).contains(&source), "not a sample of a tree");
        let kings = [
            only_square_of(KING, occupied, &pieces)?,
            only_square_of(KING + 6, occupied, &pieces)?.flip_vertical(),
        ];
        Ok(Sample { occupied, pieces, score, source, count, kings })
    }
}

/// Returns the piece that a code stands for; White is the side to move.
fn piece(code: u8) -> (Color, Role) {
    (Color::from_white(code < KING + 1), Role::ALL[usize::from(code % (KING + 1))])
}

/// Returns the only square on which a piece of this kind stands.
fn only_square_of(kind: u8, occupied: u64, pieces: &[u8; 16]) -> Result<Square> {
    let is_wanted = |&(at, _): &(usize, Square)| pieces[at / 2] >> (4 * (at % 2)) & 0xF == kind;
    let mut found = Bitboard(occupied).into_iter().enumerate().filter(is_wanted);
    let only = found.next().filter(|_| found.next().is_none());
    only.map(|(_, square)| square).ok_or_else(|| anyhow!("not one king"))
}

impl Inputs {
    fn push(&mut self, pair: [usize; 2]) {
        self.pairs[usize::from(self.count) % MOST_INPUTS] = pair.map(|input| input as u16);
        self.count += 1;
    }

    /// Returns one pair of inputs per piece and per piece in danger: from the view of the side to move and from that of its opponent.
    #[inline]
    pub(super) fn pairs(&self) -> &[[u16; 2]] {
        &self.pairs[..usize::from(self.count).min(MOST_INPUTS)]
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
            let views = [us, !us].map(|side| View::of(side, position.king(side)));
            let pieces = position.occupied().into_iter().map(|square| {
                let Piece { color, role } = position.piece_at(square).unwrap();
                views.map(|view| view.input(color, role, square) as u16)
            });
            let dangers = in_danger(|color, role| position.pieces(color, role));
            let dangers = dangers
                .into_iter()
                .enumerate()
                .flat_map(|(danger, set)| set.into_iter().map(move |square| (danger, square)));
            let in_danger = dangers.map(|(danger, square)| {
                let Piece { color, role } = position.piece_at(square).unwrap();
                views.map(|view| view.danger_input(danger, color, role, square) as u16)
            });
            let mut expected: Vec<[u16; 2]> = pieces.chain(in_danger).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
            assert_eq!(usize::from(inputs.bucket), bucket(position.occupied().count(), 8));
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
