//! Accumulators: the sums of the hidden neurons for each position of the line that is being searched.
//!
//! Making a move only records which pieces it changes. The sums are computed when a position is evaluated, from the
//! last position of the line whose sums are known. When a king moves to another bucket or to the other half of the board, its
//! side has another view; its sums are then updated from the last position with the same view, which is cheaper than computing
//! them from scratch ("Finny table").

use std::array;
use std::sync::Arc;

use shakmaty::{Bitboard, Color, Role, Square};

use super::features::VIEWS;
use super::{Block, Network, View};
use crate::position::{Position, castling_squares};
use crate::{MAX_PLY, Move, Score};

/// A piece on a square, which was added or removed.
type Piece = (Color, Role, Square);

/// The pieces that a move adds and removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DirtyPieces {
    /// Null move.
    Null,
    /// A quiet move or promotion.
    Moved { added: Piece, removed: Piece },
    /// A capture, possibly with promotion.
    Captured { added: Piece, removed: [Piece; 2] },
    /// Castling.
    Castled { added: [Piece; 2], removed: [Piece; 2] },
}

impl DirtyPieces {
    #[inline]
    fn of(position: &Position, m: Move) -> DirtyPieces {
        let (us, from, to) = (position.turn(), m.from(), m.to());
        if position.is_castling(m) {
            let (king, rook) = castling_squares(from, to);
            return DirtyPieces::Castled {
                added: [(us, Role::King, king), (us, Role::Rook, rook)],
                removed: [(us, Role::King, from), (us, Role::Rook, to)],
            };
        }
        let role = position.role_at(from).unwrap_or(Role::Pawn);
        let (added, removed) = ((us, m.promotion().unwrap_or(role), to), (us, role, from));
        match position.captured(m) {
            None => DirtyPieces::Moved { added, removed },
            Some(captured) => {
                let is_en_passant = position.role_at(to).is_none();
                let at = if is_en_passant { to.xor(Square::A2) } else { to };
                DirtyPieces::Captured { added, removed: [removed, (!us, captured, at)] }
            }
        }
    }

    /// Returns the side whose king moved, so that its view is another one.
    #[inline]
    fn changes_view(&self) -> Option<Color> {
        let ((color, Role::King, to), (_, _, from)) = (match *self {
            DirtyPieces::Null => return None,
            DirtyPieces::Moved { added, removed }
            | DirtyPieces::Captured { added, removed: [removed, _] }
            | DirtyPieces::Castled { added: [added, _], removed: [removed, _] } => (added, removed),
        }) else {
            return None;
        };
        (View::of(color, from) != View::of(color, to)).then_some(color)
    }
}

/// State of the position at a ply. Pairs are indexed by `Color as usize`, Black first.
#[derive(Clone, Copy)]
struct Step {
    /// The changes by the move that led here.
    dirty: DirtyPieces,
    /// By side, whether its sums can't be updated from the previous ply.
    is_fresh: [bool; 2],
    /// By side, whether its sums have been computed.
    is_known: [bool; 2],
}

/// The last position that a side has seen with one view, and its sums.
struct CachedSums {
    sums: Box<[Block]>,
    boards: [[Bitboard; 6]; 2],
}

/// The sums for the positions of a line, from ply 0 on. Each search thread has its own.
pub(crate) struct Accumulators {
    network: Arc<Network>,
    steps: Box<[Step]>,
    /// For each ply, Black's sums, then White's.
    sums: Box<[Block]>,
    /// By side and view.
    refresh_cache: [[CachedSums; VIEWS]; 2],
}

impl Accumulators {
    pub(crate) fn new(network: Arc<Network>) -> Accumulators {
        let biases = &network.feature_biases;
        let plies = MAX_PLY + 1;
        let step = Step { dirty: DirtyPieces::Null, is_fresh: [true; 2], is_known: [false; 2] };
        let board = || CachedSums { sums: biases.clone(), boards: [[Bitboard::EMPTY; 6]; 2] };
        Accumulators {
            steps: vec![step; plies].into_boxed_slice(),
            sums: biases.repeat(2 * plies).into_boxed_slice(),
            refresh_cache: array::from_fn(|_| array::from_fn(|_| board())),
            network,
        }
    }

    /// Starts a new line, whose root is unrelated to earlier positions.
    pub(crate) fn begin(&mut self) {
        self.steps[0] = Step { dirty: DirtyPieces::Null, is_fresh: [true; 2], is_known: [false; 2] };
    }

    /// Records a legal move in the position at a ply.
    #[inline]
    pub(crate) fn note_move(&mut self, position: &Position, m: Move, ply: usize) {
        let dirty = DirtyPieces::of(position, m);
        let mut is_fresh = [false; 2];
        if let Some(color) = dirty.changes_view() {
            is_fresh[color as usize] = true;
        }
        self.steps[ply + 1] = Step { dirty, is_fresh, is_known: [false; 2] };
    }

    /// Records a null move in the position at a ply.
    #[inline]
    pub(crate) fn note_null_move(&mut self, ply: usize) {
        self.steps[ply + 1] = Step { dirty: DirtyPieces::Null, is_fresh: [false; 2], is_known: [false; 2] };
    }

    /// Returns the evaluation, for the side to move, of the position at a ply, reached by the recorded moves.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        self.work_out(position, ply, Color::White);
        self.work_out(position, ply, Color::Black);
        let width = self.network.feature_biases.len();
        let (black, white) = self.sums[2 * ply * width..][..2 * width].split_at(width);
        let (ours, theirs) = position.turn().fold_wb((white, black), (black, white));
        let score = self.network.output(position.occupied().count(), ours, theirs);
        debug_assert_eq!(score, self.network.evaluate(position));
        score
    }

    #[inline]
    fn range(&self, ply: usize, perspective: Color) -> std::ops::Range<usize> {
        let width = self.network.feature_biases.len();
        let start = (2 * ply + perspective as usize) * width;
        start..start + width
    }

    #[inline]
    fn work_out(&mut self, position: &Position, ply: usize, perspective: Color) {
        let mut known = ply;
        while !self.steps[known].is_known[perspective as usize] {
            if self.steps[known].is_fresh[perspective as usize] {
                return self.refresh(position, ply, perspective);
            }
            known -= 1; // the first step is fresh or known
        }
        if known < ply {
            let view = View::of(perspective, position.king(perspective));
            for ply in known..ply {
                self.apply(ply, perspective, view);
            }
        }
    }

    /// Computes one side's sums at the next ply from those at `ply`.
    #[inline(never)]
    fn apply(&mut self, ply: usize, perspective: Color, view: View) {
        let network = &*self.network;
        let width = network.feature_biases.len();
        // Between the two are the other side's sums.
        let sums = &mut self.sums[(2 * ply + perspective as usize) * width..][..3 * width];
        let (from, to) = sums.split_at_mut(2 * width);
        let from = &from[..width];
        let row = |(color, role, square): Piece| network.row(view.input(color, role, square));
        let step = &mut self.steps[ply + 1];
        match step.dirty {
            DirtyPieces::Null => to.copy_from_slice(from),
            DirtyPieces::Moved { added, removed } => {
                network.kernel.update(Some(from), to, [row(added)], [row(removed)]);
            }
            DirtyPieces::Captured { added, removed } => {
                network.kernel.update(Some(from), to, [row(added)], removed.map(row));
            }
            DirtyPieces::Castled { added, removed } => {
                network.kernel.update(Some(from), to, added.map(row), removed.map(row));
            }
        }
        step.is_known[perspective as usize] = true;
    }

    /// Computes one side's sums from the last position that it saw with the same view.
    #[cold]
    fn refresh(&mut self, position: &Position, ply: usize, perspective: Color) {
        let view = View::of(perspective, position.king(perspective));
        let range = self.range(ply, perspective);
        let network = &*self.network;
        let CachedSums { sums, boards } = &mut self.refresh_cache[perspective as usize][view.index()];
        for color in Color::ALL {
            for role in Role::ALL {
                let row = |square| network.row(view.input(color, role, square));
                let now = position.pieces(color, role);
                let before = std::mem::replace(&mut boards[color as usize][role as usize - 1], now);
                let mut gone = (before & !now).into_iter();
                for square in now & !before {
                    match gone.next() {
                        Some(from) => network.kernel.update(None, sums, [row(square)], [row(from)]),
                        None => network.kernel.update(None, sums, [row(square)], []),
                    }
                }
                for square in gone {
                    network.kernel.update(None, sums, [], [row(square)]);
                }
            }
        }
        self.sums[range].copy_from_slice(sums);
        self.steps[ply].is_known[perspective as usize] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::{Dice, network, position};

    const STARTS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "6k1/PPPP4/8/8/8/8/pppp4/6K1 w - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "1rkr4/pppppppp/8/8/8/8/PPPPPPPP/1RKR4 w BDbd - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];

    /// Which cases the random walks have covered.
    #[derive(Default, Debug)]
    struct Seen {
        castled: u32,
        en_passant: u32,
        promoted: u32,
        changed_view: u32,
        passed: u32,
    }

    /// Walks randomly down from a position, with occasional siblings and null moves, and compares the incremental
    /// evaluation with one from scratch.
    fn walk(
        accumulators: &mut Accumulators,
        position: &Position,
        ply: usize,
        dice: &mut Dice,
        seen: &mut Seen,
    ) {
        if dice.below(3) > 0 {
            let expected = accumulators.network.evaluate(position);
            assert_eq!(accumulators.evaluate(position, ply), expected, "{position:?}");
        }
        let moves = position.legal_moves();
        if moves.is_empty() || ply == MAX_PLY {
            return;
        }
        if !position.is_check() && dice.below(10) == 0 {
            seen.passed += 1;
            accumulators.note_null_move(ply);
            return walk(accumulators, &position.make_null(), ply + 1, dice, seen);
        }
        let tries = if dice.below(8) == 0 && ply.is_multiple_of(4) { 2 } else { 1 };
        for _ in 0..tries {
            // Rare kinds of moves are preferred.
            let rare: Vec<Move> = moves
                .iter()
                .copied()
                .filter(|&m| {
                    position.is_castling(m)
                        || position.captured(m).is_some() && position.role_at(m.to()).is_none()
                        || m.promotion().is_some() && dice.below(4) == 0
                })
                .collect();
            let choice = if rare.is_empty() || dice.below(2) == 0 { &moves[..] } else { &rare[..] };
            let m = choice[dice.below(choice.len())];
            seen.castled += u32::from(position.is_castling(m));
            seen.promoted += u32::from(m.promotion().is_some());
            seen.en_passant +=
                u32::from(position.captured(m).is_some() && position.role_at(m.to()).is_none());
            seen.changed_view += u32::from(DirtyPieces::of(position, m).changes_view().is_some());
            accumulators.note_move(position, m, ply);
            walk(accumulators, &position.make(m), ply + 1, dice, seen);
        }
    }

    #[test]
    fn sums_that_are_updated_are_those_from_scratch() {
        let mut dice = Dice(5);
        let mut seen = Seen::default();
        for buckets in [1, 8] {
            let mut accumulators = Accumulators::new(Arc::new(network(&mut dice, 64, buckets)));
            for fen in STARTS.iter().cycle().take(60) {
                accumulators.begin();
                walk(&mut accumulators, &position(fen), 0, &mut dice, &mut seen);
            }
        }
        let Seen { castled, en_passant, promoted, changed_view, passed } = seen;
        assert!(castled.min(en_passant).min(promoted).min(changed_view).min(passed) > 20, "{seen:?}");
    }
}
