//! Counting the leaves of the legal move tree, the test of a move generator.

use super::Position;
use crate::moves::{Move, MoveList};

/// The number of move sequences of length `depth`. The last ply is counted from the list, without making the moves.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    position.generate(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|&m| perft(&position.make(m), depth - 1)).sum()
}

/// [`perft`] of each move, for a `depth` of at least 1; empty for 0.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    position.legal_moves().into_iter().map(|m| (m, perft(&position.make(m), below))).collect()
}
