//! Perft: counts sequences of legal moves. A count may take hours and can be ended at any time.

use search::Position;

/// Depth in plies of the largest tree that is counted without a check; it takes about ten milliseconds.
const DEEPEST_IN_ONE_GO: u32 = 4;

/// Counts the leaf nodes of the tree of legal moves; `None` once `goes_on`, which is called many times per second,
/// returns false.
pub(crate) fn count(position: &Position, depth: u32, goes_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    if depth <= DEEPEST_IN_ONE_GO {
        return goes_on().then(|| search::perft(position, depth));
    }
    position.legal_moves().iter().map(|&m| count(&position.make(m), depth - 1, goes_on)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_like_the_search() {
        let start = Position::default();
        assert_eq!(count(&start, 5, &mut || true), Some(4_865_609));
        assert_eq!(count(&start, 0, &mut || true), Some(1));
    }

    #[test]
    fn ends_when_told() {
        let mut asked = 0;
        let answer = count(&Position::default(), 60, &mut || {
            asked += 1;
            asked < 3
        });
        assert_eq!((answer, asked), (None, 3));
    }
}
