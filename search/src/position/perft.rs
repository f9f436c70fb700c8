//! Counting the leaves of the legal move tree, the test of a move generator.

use crate::{MoveList, Position};

/// The number of move sequences of length `depth`. The last ply is counted from the list, without making the moves.
pub fn perft(position: &Position, depth: u32) -> u64 {
    count_leaves(position, &mut vec![MoveList::default(); depth as usize])
}

/// One list a ply, so that none is made on the way.
fn count_leaves(position: &Position, lists: &mut [MoveList]) -> u64 {
    let Some((list, below)) = lists.split_first_mut() else { return 1 };
    list.clear();
    position.generate(list);
    if below.is_empty() {
        return list.len() as u64;
    }
    list.iter().map(|&m| count_leaves(&position.make(m), below)).sum()
}
