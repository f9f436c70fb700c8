//! Perft: counts the leaves of the legal move tree, as a test of the move generator.

use crate::{MoveList, Position};

/// Returns the number of move sequences of length `depth`. Moves of the last ply are counted without being made.
pub fn perft(position: &Position, depth: u32) -> u64 {
    count_leaves(position, &mut vec![MoveList::default(); depth as usize])
}

/// Counts recursively, with one preallocated list for each ply.
fn count_leaves(position: &Position, lists: &mut [MoveList]) -> u64 {
    let Some((list, below)) = lists.split_first_mut() else { return 1 };
    list.clear();
    position.generate(list);
    if below.is_empty() {
        return list.len() as u64;
    }
    list.iter().map(|&m| count_leaves(&position.make(m), below)).sum()
}
