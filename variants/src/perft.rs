//! Perft: counts the leaves of the legal move tree.

use shakmaty::Position;

/// Returns the number of move sequences of length `depth`; `None` if `goes_on` returns false, which is called at every
/// node above the leaves. Moves of the last ply are counted without being made.
pub(crate) fn count_leaves(
    position: &(impl Position + Clone),
    depth: u32,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    if !goes_on() {
        return None;
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return Some(moves.len() as u64);
    }
    moves.into_iter().try_fold(0, |sum, m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        Some(sum + count_leaves(&next, depth - 1, goes_on)?)
    })
}
